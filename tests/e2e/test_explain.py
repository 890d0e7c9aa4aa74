"""`rocm-ci explain` on the real command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.e2e.command import scrubbed

LOG = """\
[1/2] Building HIP object a.o
/work/kernels/scan.hip:3:10: fatal error: 'cuda_runtime.h' file not found
1 error generated when compiling for gfx90a.
ninja: build stopped: subcommand failed.
"""
OWN = """\
id: flux-plan
title: The plan {plan} does not fit
blame: change
signatures:
  - {pattern: 'flux: plan (?P<plan>\\d{1,9}) does not fit', layer: tool}
symptom: It stops.
cause: It is too large.
fixes: [{do: Make it smaller}]
references: [example/flux#1]
samples:
  - {log: "flux: plan 7 does not fit\\n", line: 1}
"""


def explain(*args: str, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rocm_ci", "explain", *args],
        cwd=cwd,
        env=scrubbed(),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_log_is_explained_root_cause_first(tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text(LOG)

    done = explain("build.log", "--format", "json", cwd=tmp_path)
    first = json.loads(done.stdout)["diagnoses"][0]

    assert (done.returncode, first["id"], first["category"], first["line"]) == (
        0,
        "cuda-header-not-found",
        "compile",
        2,
    )
    assert first["location"] == "/work/kernels/scan.hip:3"
    assert first["fixes"]
    assert first["references"]


def test_a_log_comes_through_a_pipe_and_reads_well(tmp_path: Path) -> None:
    done = explain("-", cwd=tmp_path, stdin=LOG)

    assert done.returncode == 0
    assert done.stdout.startswith("cuda-header-not-found (compile, line 2, at /work/kernels/scan.hip:3)")
    assert max(map(len, done.stdout.splitlines())) <= 170


def test_a_log_that_nobody_knows_is_no_error(tmp_path: Path) -> None:
    for text in ("", "all is well\n", "\0\xff\x01binary"):
        (tmp_path / "a.log").write_text(text, encoding="latin-1")
        done = explain("a.log", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, "nothing recognised\n")


def test_a_projects_own_errors_count(tmp_path: Path) -> None:
    own = tmp_path / ".github/rocm-ci/errors/runtime"
    own.mkdir(parents=True)
    (own / "flux-plan.yaml").write_text(OWN)

    done = explain("-", cwd=tmp_path, stdin="flux: plan 4711 does not fit\n")

    assert "The plan 4711 does not fit" in done.stdout


def test_a_projects_own_error_that_is_wrong_is_told_with_its_place(tmp_path: Path) -> None:
    own = tmp_path / ".github/rocm-ci/errors/runtime"
    own.mkdir(parents=True)
    (own / "flux-plan.yaml").write_text(OWN.replace("symptom:", "symptoms:"))

    done = explain("-", cwd=tmp_path, stdin="x\n")

    assert done.returncode == 2
    assert ".github/rocm-ci/errors/runtime/flux-plan.yaml" in done.stderr
    assert "did you mean `symptom`?" in done.stderr


def test_an_error_and_a_rule_have_a_page_and_a_wrong_name_the_nearest_one(tmp_path: Path) -> None:
    assert explain("gpu-hang", cwd=tmp_path).stdout.startswith("# ")
    assert explain("ptx-asm", cwd=tmp_path).stdout.startswith("# ptx-asm")

    done = explain("gpu-hagn", cwd=tmp_path)

    assert done.returncode == 2
    assert "did you mean gpu-hang" in done.stderr


def test_all_are_listed_and_found_by_words(tmp_path: Path) -> None:
    listed = json.loads(explain("--list", "--format", "json", cwd=tmp_path).stdout)["errors"]
    found = explain("--search", "lane mask", cwd=tmp_path).stdout

    assert len(listed) >= 100
    assert "warp-mask-not-64bit" in found
    assert "disk-full" not in found


def test_a_draft_is_a_skeleton_with_the_line_in_it(tmp_path: Path) -> None:
    done = explain("-", "--draft", cwd=tmp_path, stdin="flux: error: plan 7 does not fit\n")

    assert done.returncode == 0
    assert r"error: plan \d+ does not fit" in done.stdout
    assert "id: SHORT-NAME-OF-THE-ERROR" in done.stdout


def test_without_or_with_two_questions_it_asks_for_one(tmp_path: Path) -> None:
    for args in ((), ("a.log", "--list"), ("--draft",)):
        assert explain(*args, cwd=tmp_path).returncode == 2
