"""Shell scripts that only jobs and images for NVIDIA start."""

from __future__ import annotations

import pytest

from rocm_ci.model.finding import Severity
from tests.unit.scan.trees import scan_all

PROBE = "#!/bin/bash\nnvidia-smi -L\n"
CUDA_IMAGE = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY tools/probe.sh /tmp/\nRUN bash /tmp/probe.sh\n"
JOB = "on: push\njobs:\n  {name}:\n    runs-on: {label}\n    steps:\n      - run: ./tools/probe.sh\n"


def severity(**files: str) -> Severity:
    """Of the finding in `tools/probe.sh`, beside other files."""
    tree: dict[str, str | bytes] = {"tools/probe.sh": PROBE}
    tree |= {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    (found,) = [f for f in scan_all(tree).findings if f.path == "tools/probe.sh"]
    return found.severity


def workflow(**names: str) -> dict[str, str]:
    return {
        f"_dot_github__workflows__{name}_dot_yml": JOB.format(name=name, label=label)
        for name, label in names.items()
    }


def test_a_script_that_nobody_starts_keeps_its_error() -> None:
    assert severity() is Severity.ERROR
    assert severity(README_dot_md="run tools/probe.sh\n") is Severity.ERROR


@pytest.mark.parametrize(
    "files",
    [
        {"Dockerfile": CUDA_IMAGE},
        {"docker__Dockerfile_dot_cuda": "FROM ubuntu:24.04\nRUN /src/tools/probe.sh\n"},
        workflow(gpu="[self-hosted, h100]"),
        {"ci__run_dot_sh": "bash tools/probe.sh\n", **workflow(gpu="h100"), "Dockerfile": CUDA_IMAGE},
    ],
    ids=["image", "file", "job", "several"],
)
def test_what_only_nvidia_starts_is_a_note(files: dict[str, str]) -> None:
    if "ci__run_dot_sh" in files:
        files = {**files, "Dockerfile": CUDA_IMAGE.replace("/tmp/probe.sh", "/src/ci/run.sh")}

    assert severity(**files) is Severity.NOTE


@pytest.mark.parametrize(
    "files",
    [
        {"Dockerfile": CUDA_IMAGE, "Dockerfile_dot_rocm": "FROM rocm/dev\nRUN tools/probe.sh\n"},
        {**workflow(gpu="h100", test="ubuntu-latest")},
        {"Makefile": "info:\n\t./tools/probe.sh\n", "Dockerfile": CUDA_IMAGE},
        {"Dockerfile": CUDA_IMAGE, "ci__run_dot_sh": "bash tools/probe.sh\n"},
    ],
    ids=["both", "any job", "make", "a script of unknown callers"],
)
def test_one_start_elsewhere_keeps_the_error(files: dict[str, str]) -> None:
    assert severity(**files) is Severity.ERROR


def test_copying_and_watching_a_script_is_no_start() -> None:
    watching = JOB.format(name="gpu", label="h100").replace(
        "on: push", "on:\n  push:\n    paths: [tools/probe.sh]"
    )
    copying = "FROM rocm/dev\nCOPY tools/probe.sh /opt/\nRUN chmod +x /opt/probe.sh\n"

    assert (
        severity(_dot_github__workflows__gpu_dot_yml=watching, Dockerfile_dot_rocm=copying) is Severity.NOTE
    )


def test_scripts_that_start_each_other_end_the_search() -> None:
    assert severity(tools__b_dot_sh="bash tools/probe.sh\nbash tools/b.sh\n") is Severity.ERROR
