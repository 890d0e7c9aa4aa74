"""`rocm-ci plan` as a workflow calls it, and the matrix it gives, run and merged again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rocm_ci.model.verdict import Verdict
from rocm_ci.report import codec
from tests.e2e.command import Outcome, rocm_ci
from tests.repositories import Repository, repository

CONFIG = """\
require-gpu: false
stages: [scan, test]
test:
  - {name: unit, run: 'touch ran-unit; echo "<testsuite><testcase name=\\"a\\"/></testsuite>" > {junit}'}
  - {name: whole system, layer: system, timeout: 3m, run: 'echo "<testsuite><testcase name=\\"b\\"/></testsuite>" > {junit}'}
"""


@pytest.fixture
def project(tmp_path: Path) -> Repository:
    """A project with two suites, and a change."""
    repo = repository(tmp_path / "project")
    repo.write(".github/rocm-ci.yml", CONFIG)
    repo.commit(**{"a.py": "x = 1\n"})
    repo.git("checkout", "-q", "-b", "change")
    repo.commit(**{"b.py": "y = 2\n"})
    return repo


def plan(repo: Repository, *args: str, **environment: str) -> Outcome:
    return rocm_ci("plan", "--local", "--base", "main", *args, cwd=repo.root, **environment)


def test_people_read_what_would_run_and_why_not(project: Repository) -> None:
    done = plan(project)

    assert done.code == 0, done.err
    assert "runs scan      added lines" in done.out
    assert "not  build     not in `stages` of the configuration" in done.out
    assert "whole system: system, 0 GPU(s), at most 3m" in done.out
    assert not (project.root / "ran-unit").exists()
    assert not (project.root / "rocm-ci-out").exists()


def test_a_workflow_gets_its_matrix(project: Repository, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"

    done = plan(project, "--by", "suite", "--format", "github", GITHUB_OUTPUT=str(outputs))

    lines = outputs.read_text().splitlines()
    matrix = json.loads(lines[1])
    assert done.code == 0, done.err
    assert lines[0].startswith("matrix<<")
    assert [e["name"] for e in matrix["include"]] == ["scan", "unit", "whole-system"]
    assert (lines[3].partition("<<")[0], lines[4]) == ("any", "true")


def test_all_jobs_of_the_matrix_are_one_whole_run(project: Repository, tmp_path: Path) -> None:
    include = plan(project, "--by", "suite", "--format", "json").json["include"]
    named = []
    for entry in include:
        out = tmp_path / entry["name"]
        narrowed = ("--suite", entry["suite"]) if entry["suite"] else ()
        done = rocm_ci(
            *("run", "--local", "--base", "main", "--output", str(out), *narrowed),
            cwd=project.root,
            ROCM_CI_STAGES=entry["stages"],
        )
        assert done.code == 0, done.err
        named.append(f"{entry['name']}={out}/report.json")

    whole, part = (tmp_path / f"{name}.json" for name in ("whole", "part"))
    assert rocm_ci("merge", *named, "--output", str(whole), cwd=tmp_path).code == 0
    assert rocm_ci("merge", *named[:2], "--output", str(part), cwd=tmp_path).code == 0

    joined = codec.decode(whole.read_bytes())
    assert (joined.verdict, joined.event.is_partial) == (Verdict.PASS, False)
    assert codec.decode(part.read_bytes()).event.suite == "unit"


def test_documentation_alone_gives_no_job(project: Repository, tmp_path: Path) -> None:
    project.git("checkout", "-q", "-b", "docs", "main")
    project.commit(**{"NOTES.md": "more\n"})
    outputs = tmp_path / "outputs"

    done = plan(project, "--format", "github", GITHUB_OUTPUT=str(outputs))

    assert done.code == 0
    assert "only documentation changed" in done.out
    assert {'{"include":[]}', "false"} <= set(outputs.read_text().splitlines())


@pytest.mark.parametrize("command", ["plan", "run"])
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--suite", "nope"), "no test suite is called 'nope'; there are: unit, whole system"),
        (("--suite", "::error::\x1b[31m\nx"), "no test suite is called"),
        (("--bench", "saxpy"), "no benchmark is configured"),
        (("--config", "none.yml"), "none.yml"),
    ],
)
def test_bad_input_is_a_usage_error(
    project: Repository, command: str, args: tuple[str, ...], said: str
) -> None:
    done = rocm_ci(command, "--local", "--base", "main", *args, cwd=project.root)

    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "\x1b[31m" not in done.err


def test_a_mistake_in_the_configuration_is_told_with_its_line(project: Repository) -> None:
    project.write(".github/rocm-ci.yml", "version: 1\ntset: []\n")

    done = plan(project)

    assert done.code == 2
    assert ".github/rocm-ci.yml:2" in done.err


def test_outputs_are_for_workflows(project: Repository) -> None:
    done = plan(project, "--format", "github")

    assert done.code == 2
    assert "GITHUB_OUTPUT is not set" in done.err
