"""A failure explained in the comment: a real hipcc, a real suite, `rocm-ci run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.diagnostic import Category
from rocm_ci.model.result import BuildResult, TestResult
from rocm_ci.model.verdict import Verdict
from tests import require
from tests.e2e.command import Outcome, rocm_ci
from tests.repositories import Repository, repository

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """#include <hip/hip_runtime.h>
#include <cuda_fp16.h>

__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
"""
OWN = """id: licence-server-away
title: The licence server {host} does not answer
blame: machine
signatures:
  - pattern: 'licence: no answer from (?P<host>\\S{1,60})'
    certainty: sure
    layer: tool
symptom: The suite stops at its start.
cause: The server is down, or this runner is not in its network.
fixes:
  - do: Ask who runs it
references: [https://rocm.docs.amd.com/en/latest/]
samples:
  - log: 'licence: no answer from alpha'
    line: 1
"""


def run(tmp_path: Path, config: str, **files: str) -> tuple[Outcome, str]:
    repo: Repository = repository(tmp_path / "project")
    repo.write(".github/rocm-ci.yml", config)
    for name, text in files.items():
        repo.write(name.replace("__", "/"), text)
    repo.commit(**{"readme.txt": "x\n"})
    repo.git("checkout", "-q", "-b", "change")
    repo.commit(**{"b.txt": "y\n"})
    done = rocm_ci("run", "--local", "--base", "main", cwd=repo.root, GITHUB_ACTIONS="true")
    return done, (repo.root / "rocm-ci-out" / "comment.md").read_text()


def test_a_header_of_cuda_is_explained_on_its_line(tmp_path: Path) -> None:
    require.hipcc()
    config = (
        "require-gpu: false\nstages: [build]\narch: [gfx90a]\n"
        "build:\n  - {name: lib, run: 'cd src && hipcc $ROCM_CI_OFFLOAD_FLAGS -c twice.hip -o ../twice.o'}\n"
    )
    done, comment = run(tmp_path, config, **{"src/twice.hip": KERNEL})
    build = next(r for r in done.report.results if isinstance(r, BuildResult))

    assert done.code == 1, done.err
    first = build.steps[0].diagnoses[0]
    assert first.category is Category.COMPILE
    assert first.location == "src/twice.hip:2"
    assert f"Likely cause: **{first.title[:10]}" in comment.replace("<code>", "`")
    assert f"docs/errors/{first.id}.md" in comment
    assert "Do this: " in comment
    assert any(
        line.startswith("::error file=src/twice.hip,line=2") and "Likely cause" in line
        for line in (done.out + done.err).splitlines()
    )


def test_a_forbidden_device_is_an_error_of_the_machine_with_what_to_do(tmp_path: Path) -> None:
    said = 'echo "Unable to open /dev/kfd read-write: Permission denied"; exit 1'
    config = (
        f"require-gpu: false\nstages: [test]\ntest:\n  - {{name: unit, runner: command, run: '{said}'}}\n"
    )
    done, comment = run(tmp_path, config)
    suite = next(r for r in done.report.results if isinstance(r, TestResult)).suites[0]

    assert suite.verdict is Verdict.ERROR
    assert suite.diagnoses[0].id == "kfd-permission-denied"
    assert "docs/errors/kfd-permission-denied.md" in comment
    assert "Do this: " in comment


def test_an_error_of_the_project_itself_turns_a_red_suite_into_an_error(tmp_path: Path) -> None:
    said = 'echo "licence: no answer from alpha"; exit 1'
    config = (
        f"require-gpu: false\nstages: [test]\ntest:\n  - {{name: unit, runner: command, run: '{said}'}}\n"
    )
    own = {".github/rocm-ci/errors/infra/licence-server-away.yaml": OWN}
    done, comment = run(tmp_path, config, **own)
    suite = next(r for r in done.report.results if isinstance(r, TestResult)).suites[0]

    assert (suite.verdict, done.report.verdict) == (Verdict.ERROR, Verdict.ERROR)
    assert suite.reason.startswith("perhaps the machine: The licence server alpha does not answer")
    assert "**The licence server alpha does not answer**" in comment
