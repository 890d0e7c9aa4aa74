"""Stage build: find or take the build, run it, check that what it made holds code for every GPU target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.build import artifacts, blame, commands, toolchain
from rocm_ci.build.detect import Detected, Nothing, detect
from rocm_ci.build.environment import environment, jobs, offload_flags
from rocm_ci.kernels import coverage, zstd
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import BuildResult, BuildStep, Skipped
from rocm_ci.model.verdict import Verdict, worst

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.build.toolchain import Compiler
    from rocm_ci.config.options import BuildOptions
    from rocm_ci.context import Context, Job
    from rocm_ci.kernels.coverage import Coverage

# Linked files speak for the objects they were made of.
_OBJECT = (".o", ".obj")
MAX_TOLD = 5
_TORCH_PROBE = "import torch; print(torch.__version__, torch.version.hip or '-')"


def run(ctx: Context, job: Job) -> BuildResult | Skipped:
    """Build the head. A project without a HIP build is passed over, with the reason."""
    began = ctx.clock.monotonic()
    found = None if job.config.build else detect(ctx.root)
    if isinstance(found, Nothing):
        return Skipped(stage=StageName.BUILD, reason=found.reason)
    options = found.steps if found else job.config.build
    count = jobs(job.config.jobs, cpus=job.facts.host.cpus, memory_bytes=job.facts.host.memory_bytes)
    target = commands.Target(root=ctx.root, archs=job.config.arch, jobs=count)
    env = environment(
        ctx.environment, root=ctx.root, archs=target.archs, jobs=count, cache=ctx.work / "ccache", own={}
    )
    compiler = toolchain.compiler(ctx.run, env)
    steps: tuple[BuildStep, ...] = ()
    problem = _unable(ctx, found, compiler, env, target.archs) if found else ""
    if not problem:
        look = _Inspection(ctx=ctx, archs=target.archs, compiler=compiler, since_ns=_stamp(ctx.work))
        steps = look.checked(commands.run(ctx, options, target), options)
    bad = next((s for s in steps if s.verdict > Verdict.PASS), None)
    return BuildResult(
        verdict=Verdict.ERROR if problem else worst(s.verdict for s in steps),
        duration_s=ctx.clock.monotonic() - began,
        reason=problem or (f"{bad.name}: {bad.reason}" if bad else ""),
        compiler=compiler.text if compiler else None,
        archs=target.archs,
        detected=found.text if found else None,
        steps=steps,
    )


def _unable(
    ctx: Context, found: Detected, compiler: Compiler | None, env: dict[str, str], archs: tuple[str, ...]
) -> str:
    """Why this machine cannot run a detected build; empty when it can."""
    if found.torch:
        done = ctx.run.capture(["python3", "-c", _TORCH_PROBE], env=env, timeout_s=120.0)
        words = done.text.split()
        if done.exit_code or len(words) < 2:
            return "torch is not installed for python3 on this machine → install torch for ROCm"
        if found.gpu and words[1] == "-":
            return f"torch {words[0][:40]} on this machine is not built for ROCm → install torch for ROCm"
    if not found.gpu:
        return ""
    if compiler is None:
        return (
            "hipcc is not on this machine → install ROCm's HIP compiler (Debian: hipcc libamdhip64-dev "
            "rocm-device-libs) or run in a ROCm image"
        )
    if compiler.nvidia:
        return (
            "hipcc works for NVIDIA on this machine, although HIP_PLATFORM=amd is set → install ROCm's hipcc"
        )
    refused = toolchain.refused(ctx.run, env, archs, ctx.work)
    return blame.refused_reason(refused, compiler.text) if refused else ""


def _stamp(work: Path) -> int:
    """Now, as the file system tells it: what is written from here on is the build's."""
    work.mkdir(parents=True, exist_ok=True)
    stamp = work / "build-began"
    stamp.write_text("")
    return stamp.stat().st_mtime_ns


@dataclass(frozen=True, kw_only=True)
class _Inspection:
    """Looks at what the steps made, for the declared targets."""

    ctx: Context
    archs: tuple[str, ...]
    compiler: Compiler | None
    since_ns: int

    def checked(
        self, steps: tuple[BuildStep, ...], options: tuple[BuildOptions, ...]
    ) -> tuple[BuildStep, ...]:
        """The steps with their artifacts. Without any glob, new files with GPU code count for the last."""
        named = any(option.artifacts for option in options)
        done = []
        for step, option in zip(steps, options, strict=True):
            files: list[Path] = []
            empty: list[str] = []
            if step.verdict is Verdict.PASS and option.artifacts:
                files, empty = artifacts.matching(
                    self.ctx.root, option.artifacts, option=f"build step {step.name!r}"
                )
            elif step.verdict is Verdict.PASS and not named and option is options[-1]:
                skip = (self.ctx.out, self.ctx.work)
                files = artifacts.fresh(self.ctx.root, self.since_ns, skip=skip)
            done.append(self._told(step, self._looked(files, only_code=not named), empty))
        return tuple(done)

    def _looked(self, files: list[Path], *, only_code: bool) -> list[Coverage]:
        unpack = zstd.decompressor(self.ctx.run, self.ctx.environment)
        # A library and the links to it are one file.
        unique = {path.resolve(): path for path in reversed(files)}
        found = [coverage.of(p, self.ctx.root, self.archs, zstd=unpack) for p in sorted(unique.values())]
        if only_code:
            found = [c for c in found if c.has_code]
            return [c for c in found if not c.artifact.path.endswith(_OBJECT)] or found
        return found

    def _told(self, step: BuildStep, looked: list[Coverage], empty: list[str]) -> BuildStep:
        step = msgspec.structs.replace(step, artifacts=tuple(c.artifact for c in looked))
        verdict, reason = self._faults(looked, empty)
        if verdict is Verdict.PASS:
            notes = [n for n in (step.reason, reason) if n]
            return msgspec.structs.replace(step, reason="; ".join(notes))
        self.ctx.log.error(f"{step.name}: {reason}")
        return msgspec.structs.replace(step, verdict=verdict, reason=reason)

    def _faults(self, looked: list[Coverage], empty: list[str]) -> tuple[Verdict, str]:
        if empty:
            reason = f"the build succeeded, but no file matches its artifacts {', '.join(empty)}"
            return Verdict.FAIL, reason
        bare = [c.artifact.path for c in looked if c.untargeted]
        if bare:
            flags = " ".join(offload_flags(self.archs))
            return Verdict.FAIL, (
                f"{_some(bare)} holds {coverage.DEFAULT_TARGET} code that nobody asked for: hipcc was called "
                f"without --offload-arch → add {flags}"
            )
        lacking = [c for c in looked if c.artifact.missing]
        if lacking:
            return self._lacking(lacking)
        notes = [f"{c.artifact.path} could not be looked into: {c.unknown}" for c in looked if c.unknown]
        notes += [
            f"{c.gaps} of the {c.parts} parts of {c.artifact.path} lack code for some target"
            for c in looked
            if c.gaps and not c.unknown
        ]
        return Verdict.PASS, "; ".join(notes[:MAX_TOLD])

    def _lacking(self, lacking: list[Coverage]) -> tuple[Verdict, str]:
        missing = tuple(dict.fromkeys(arch for c in lacking for arch in c.artifact.missing))
        if self.compiler is not None:
            refused = toolchain.refused(self.ctx.run, self.ctx.environment, missing, self.ctx.work)
            if set(refused) == set(missing):
                return Verdict.ERROR, blame.refused_reason(refused, self.compiler.text)
        return Verdict.FAIL, _some(
            [
                f"{c.artifact.path} holds no code for {', '.join(c.artifact.missing)} "
                + (f"(it has {', '.join(c.artifact.archs)})" if c.artifact.archs else "(no GPU code at all)")
                for c in lacking
            ]
        )


def _some(names: list[str]) -> str:
    return ", ".join(names[:MAX_TOLD]) + (f" and {len(names) - MAX_TOLD} more" if names[MAX_TOLD:] else "")
