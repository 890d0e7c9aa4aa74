"""A small HIP project in a temporary folder, built by the real stage with the real hipcc."""

from __future__ import annotations

import io
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from rocm_ci.cli import wiring
from rocm_ci.config.options import BuildOptions, Config
from rocm_ci.context import Context, Job
from rocm_ci.log import Log
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import Plan, StageName
from rocm_ci.model.result import BuildResult, KernelsResult, Skipped
from rocm_ci.stages import build, kernels
from rocm_ci.tools.process import ProcessRunner
from tests.fakes import FakeGpus

SAXPY = """\
#include <hip/hip_runtime.h>
namespace demo {
template <typename T>
__global__ void saxpy(int n, T a, const T* x, T* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
}  // namespace demo
extern "C" int run(int n, float a, const float* x, float* y) {
  demo::saxpy<float><<<(n + 255) / 256, 256>>>(n, a, x, y);
  return hipGetLastError();
}
"""
# Offers more live values than a lane has registers for.
SPILLING = """\
#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(1024) wide(float* x) {
  float a[300];
#pragma unroll
  for (int i = 0; i < 300; i++) a[i] = x[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 300; i++) x[i * 1024 + threadIdx.x] = a[i] * a[(i * 7 + 3) % 300];
}
"""
LEAN = """\
#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(1024) wide(float* x) { x[threadIdx.x] *= 2.0f; }
"""


@dataclass
class Project:
    """Files below `root`; `build` and `kernels` run the stages on them."""

    root: Path
    scratch: Path
    archs: tuple[str, ...] = ("gfx90a",)
    merge_base: str | None = None
    done: BuildResult | None = None

    def write(self, **files: str) -> None:
        """`src__a_hip="…"` is the file `src/a.hip`; other names go through `put`."""
        for name, text in files.items():
            self.put(name.replace("__", "/").replace("_", "."), text)

    def put(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def context(self) -> Context:
        return Context(
            run=ProcessRunner(),
            log=Log(out=io.StringIO(), err=io.StringIO()),
            clock=wiring.SystemClock(),
            gpus=FakeGpus(total=8),
            root=self.root,
            out=self.scratch / "out",
            work=self.scratch / "work",
            state=self.scratch / "state",
            environment=wiring.child_environment(dict(os.environ)),
        )

    def job(self, *steps: BuildOptions) -> Job:
        return Job(
            event=Event(kind=EventKind.LOCAL, head="0" * 40, merge_base=self.merge_base),
            config=Config(arch=self.archs, build=steps, jobs=2),
            changes=Changes(files=()),
            facts=Facts(),
            plan=Plan(steps=()),
            done={},
        )

    def build(self, *steps: BuildOptions) -> BuildResult:
        result = build.run(self.context(), self.job(*steps))
        assert isinstance(result, BuildResult), result
        self.done = result
        return result

    def run(self, command: str, *, artifacts: tuple[str, ...] = (), timeout: str = "5m") -> BuildResult:
        """Build with one configured command."""
        return self.build(BuildOptions(name="lib", run=command, artifacts=artifacts, timeout=timeout))

    def kernels(self, *steps: BuildOptions) -> KernelsResult:
        assert self.done is not None
        job = replace(self.job(*steps), done={StageName.BUILD: self.done})
        result = kernels.run(self.context(), job)
        assert not isinstance(result, Skipped), result.reason
        return result

    def commit(self, message: str) -> str:
        """Commit everything and return the commit."""
        if not (self.root / ".git").exists():
            self._git("init", "-q", "-b", "main")
        self._git("add", "-A")
        self._git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", message)
        return self._git("rev-parse", "HEAD").strip()

    def _git(self, *args: str) -> str:
        return subprocess.run(
            ["git", *args], cwd=self.root, check=True, capture_output=True, text=True
        ).stdout
