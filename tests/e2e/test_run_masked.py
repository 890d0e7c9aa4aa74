"""`rocm-ci run` on a machine with a name, in somebody's home, with commands that tell too much."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from rocm_ci.model.verdict import Verdict
from tests.e2e.command import Outcome, rocm_ci
from tests.repositories import Repository, repository

# Spelt in two parts, so that the file with the command does not hold it.
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbC2d"
SECRET = "letmein-very-long"
TELL = f"""\
printf 'ghp_%s\\n' {TOKEN[4:]}
echo "host $HOSTNAME_OF_TEST, password=hunter2, /home/alice/x, GPU-7f1e2d3c4b5a6978"
echo "known {SECRET}"
cat > "$1" <<XML
<testsuite><testcase classname="t" name="a"><failure message="in /home/alice/x: password=hunter2">ghp_{TOKEN[4:]}
host $HOSTNAME_OF_TEST</failure></testcase></testsuite>
XML
exit 1
"""
SUITE = "require-gpu: false\nscan: {fail-on: never}\ntest:\n  - {name: unit, run: 'bash tell.sh {junit}'}\n"
PRIVATE = (TOKEN, "hunter2", "/home/alice", "7f1e2d3c4b5a6978", SECRET)
HOST = "build-host-17"


@pytest.fixture
def project(tmp_path: Path) -> Repository:
    repo = repository(tmp_path / "project")
    repo.commit(**{"a.py": "x = 1\n"})
    repo.git("checkout", "-q", "-b", "change")
    repo.write("tell.sh", TELL)
    repo.write(".github/rocm-ci.yml", SUITE)
    repo.commit()
    return repo


def run(repo: Repository, **environment: str) -> Outcome:
    return rocm_ci(
        "run",
        "--local",
        "--base",
        "main",
        "--verbose",
        cwd=repo.root,
        RUNNER_NAME=HOST,
        HOSTNAME_OF_TEST=HOST,
        MY_SECRET=SECRET,
        **environment,
    )


@pytest.mark.attack("15", "a test that prints a token, a password, a home, a host and a card's identifier")
def test_nothing_that_leaves_the_machine_holds_what_is_private(project: Repository) -> None:
    done = run(project)

    assert done.report.verdict is Verdict.FAIL
    left = {path: path.read_text() for path in (project.root / "rocm-ci-out").rglob("*") if path.is_file()}
    assert {"report.json", "comment.md", "junit.xml", "findings.sarif", "test-unit.log"} <= {
        p.name for p in left
    }
    for path, text in (*left.items(), (Path("stderr"), done.err), (Path("stdout"), done.out)):
        for private in (*PRIVATE, HOST):
            assert private not in text, f"{private} in {path}"
    log = next(text for path, text in left.items() if path.name == "test-unit.log")
    assert log == "***\nhost [host], password=***, ~/x, GPU-***\nknown ***\n"
    assert platform.node() not in done.out or len(platform.node()) < 5


def test_a_project_that_switched_it_off_sees_everything(project: Repository) -> None:
    project.write(".github/rocm-ci.yml", "mask: false\n" + SUITE)
    project.commit()

    done = run(project)

    assert TOKEN in (project.root / "rocm-ci-out" / "logs" / "test-unit.log").read_text()
    assert "/home/alice/x" in (project.root / "rocm-ci-out" / "comment.md").read_text()
    assert TOKEN in done.err
