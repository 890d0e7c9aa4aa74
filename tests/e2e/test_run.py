"""`rocm-ci run` as a user meets it: events, mistakes, hostile trees, interruptions."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rocm_ci.model.plan import StageName
from rocm_ci.model.result import Crashed, ScanResult, Skipped, TestResult, stage_of
from rocm_ci.model.verdict import Verdict
from tests.e2e.command import Outcome, rocm_ci, scrubbed
from tests.repositories import Repository, repository

SUITE = 'require-gpu: false\ntest:\n  - {name: unit, run: \'touch ran; echo "<testsuite><testcase name=\\"a\\"/></testsuite>" > {junit}\'}\n'


@pytest.fixture
def project(tmp_path: Path) -> Repository:
    """A repository with a configuration whose one suite passes, and a change on top of `main`."""
    repo = repository(tmp_path / "project")
    repo.write(".github/rocm-ci.yml", SUITE)
    repo.commit(**{"a.py": "x = 1\n"})
    repo.git("checkout", "-q", "-b", "change")
    repo.commit(**{"b.py": "y = 2\n"})
    return repo


def run(repo: Repository, *args: str, **environment: str) -> Outcome:
    return rocm_ci("run", *args, cwd=repo.root, **environment)


def event_file(tmp_path: Path, body: object) -> str:
    path = tmp_path / "event.json"
    path.write_text(body if isinstance(body, str) else json.dumps(body))
    return str(path)


def pull_request(repo: Repository, *, fork: bool = False) -> dict[str, object]:
    head, base = repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "main")
    return {
        "repository": {"full_name": "org/project"},
        "pull_request": {
            "number": 7,
            "title": "A change @everyone",
            "labels": [],
            "head": {
                "sha": head,
                "ref": "change",
                "repo": {"full_name": "mallory/project" if fork else "org/project"},
            },
            "base": {"sha": base, "ref": "main", "repo": {"full_name": "org/project"}},
        },
    }


def test_a_clean_change_passes_and_leaves_report_and_comment(project: Repository) -> None:
    done = run(project, "--local", "--base", "main")

    assert done.code == 0, done.err
    assert done.report.verdict is Verdict.PASS
    assert [stage_of(r) for r in done.report.results] == list(StageName)
    assert (project.root / "rocm-ci-out" / "comment.md").read_text().startswith("## ")


def test_a_pull_request_event_reaches_the_outputs_and_the_summary(
    project: Repository, tmp_path: Path
) -> None:
    outputs, summary = tmp_path / "outputs", tmp_path / "summary.md"
    done = run(
        project,
        GITHUB_ACTIONS="true",
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_EVENT_PATH=event_file(tmp_path, pull_request(project)),
        GITHUB_REPOSITORY="org/project",
        GITHUB_OUTPUT=str(outputs),
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert done.code == 0, done.err
    assert done.report.event.number == 7
    assert "\npass\n" in outputs.read_text()
    assert "ROCm CI" in summary.read_text()
    assert "@everyone" not in summary.read_text().replace("`", "")


def test_a_strangers_configuration_cannot_weaken_the_gates(project: Repository, tmp_path: Path) -> None:
    project.write(".github/rocm-ci.yml", SUITE + "scan: {fail-on: never, exclude: ['**']}\n")
    project.commit(**{"c.hip": "#include <cuda_runtime.h>\n"})
    done = run(
        project,
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_EVENT_PATH=event_file(tmp_path, pull_request(project, fork=True)),
    )

    assert done.report.event.is_fork
    assert done.report.verdict is Verdict.FAIL
    assert any("merge base" in n for n in done.report.notices)


@pytest.mark.parametrize("cut", [0.0, 0.5, 0.99])
def test_an_event_file_cut_short_is_a_clear_error(project: Repository, tmp_path: Path, cut: float) -> None:
    text = json.dumps(pull_request(project))
    path = event_file(tmp_path, text[: int(len(text) * cut)])
    done = run(project, GITHUB_EVENT_NAME="pull_request", GITHUB_EVENT_PATH=path)

    assert done.code == 2
    assert "cut off" in done.err
    assert "→" in done.err


@pytest.mark.parametrize(
    ("args", "environment", "code", "said"),
    [
        (("--local", "--base", "nowhere"), {}, 2, "no commit 'nowhere'"),
        (("--local", "--config", "missing.yml"), {}, 2, "missing.yml"),
        (
            (),
            {"GITHUB_EVENT_NAME": "schedule", "GITHUB_EVENT_PATH": "/dev/null"},
            2,
            "cannot run on the event 'schedule'",
        ),
        ((), {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": "/no/such"}, 2, "/no/such"),
        ((), {"GITHUB_EVENT_NAME": "push"}, 2, "GITHUB_EVENT_PATH is not set"),
        (("--local", "--base", "main"), {"ROCM_CI_ARCH": "sm_90"}, 2, "input `arch`"),
        (("--wrong",), {}, 2, "--wrong"),
    ],
)
def test_mistakes_are_told_in_words_with_exit_code_two(
    project: Repository, args: tuple[str, ...], environment: dict[str, str], code: int, said: str
) -> None:
    done = run(project, *args, **environment)

    assert (done.code, said in done.err) == (code, True), done.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("scan: {exlude: []}\n", ".github/rocm-ci.yml:1: unknown key `exlude`"),
        ("jobs: many\n", ".github/rocm-ci.yml:1: `jobs`"),
        (b"\xff\xfe\x00", "not valid UTF-8"),
        (b"arch: [gfx90a]\n# caf\xe9\n", ".github/rocm-ci.yml:2: not valid UTF-8"),
    ],
)
def test_a_wrong_configuration_names_the_place(project: Repository, content: str | bytes, said: str) -> None:
    project.write(".github/rocm-ci.yml", content)
    done = run(project, "--local", "--base", "main")

    assert done.code == 2
    assert said in done.err


def test_a_configuration_that_is_no_plain_file_is_not_opened(project: Repository, tmp_path: Path) -> None:
    """A link could lead out of the tree, a pipe would hang us, a folder would mean «no gates»."""
    file = project.root / ".github" / "rocm-ci.yml"
    file.unlink()
    file.symlink_to("/etc/hostname")
    linked = run(project, "--local", "--base", "main")
    file.unlink()
    os.mkfifo(file)
    piped = run(project, "--local", "--config", ".github/rocm-ci.yml")
    file.unlink()
    file.mkdir()
    folder = run(project, "--local", "--base", "main")

    assert [done.code for done in (linked, piped, folder)] == [2, 2, 2]
    assert "is a symbolic link, which is not followed" in linked.err
    assert "is no regular file" in piped.err
    assert "is a folder" in folder.err


def test_a_configuration_named_by_its_full_path_is_still_the_pull_requests(
    project: Repository, tmp_path: Path
) -> None:
    project.write(".github/rocm-ci.yml", SUITE.replace("touch ran", "exit 0"))
    project.commit()
    done = run(
        project,
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_EVENT_PATH=event_file(tmp_path, pull_request(project, fork=True)),
        ROCM_CI_CONFIG=str(project.root / ".github" / "rocm-ci.yml"),
    )

    assert done.code == 0, done.err
    assert (project.root / "ran").exists()


def test_an_empty_configuration_is_fine(project: Repository) -> None:
    project.write(".github/rocm-ci.yml", "")

    assert run(project, "--local", "--base", "main").code == 0


def test_outside_a_checkout_it_says_so(tmp_path: Path) -> None:
    done = rocm_ci("run", "--local", cwd=tmp_path)

    assert done.code == 2
    assert "not inside a git checkout" in done.err


def test_documentation_alone_is_neutral_and_runs_nothing(tmp_path: Path) -> None:
    repo = repository(tmp_path / "project")
    repo.write(".github/rocm-ci.yml", SUITE)
    repo.commit()
    repo.git("checkout", "-q", "-b", "change")
    repo.commit(**{"README.md": "# words about cudaMalloc\n"})
    done = run(repo, "--local", "--base", "main")

    assert (done.code, done.report.verdict) == (0, Verdict.NEUTRAL)
    assert all(isinstance(r, Skipped) for r in done.report.results)
    assert not (repo.root / "ran").exists()


@pytest.mark.attack("7", "a file or a commit message that is a workflow command")
def test_a_hostile_tree_is_scanned_without_a_traceback(project: Repository) -> None:
    """Binary, huge, not UTF-8, odd names, links out of the tree, a submodule, deletions, a merge."""
    project.git("rm", "-q", "a.py")
    leak = project.root.parent / "outside.hip"
    leak.write_text("cudaMalloc(&p, 1);\n")
    (project.root / "link.hip").symlink_to(leak)
    (project.root / "loop").symlink_to("loop")
    project.write("binary.hip", b"\x00\x01cudaMalloc" * 100)
    project.write("latin1.hip", b"// caf\xe9\nvoid f() { cudaFree(0); }\n")
    for name in (
        "with space.hip",
        'quo"te.hip',
        "new\nline.hip",
        "-dash.hip",
        "::error::x.hip",
        "`tick`.hip",
    ):
        project.write(name, "void f() { cudaDeviceSynchronize(); }\n")
    with (project.root / "huge.hip").open("wb") as file:
        file.truncate(100_000_000)
    project.commit("hostile\n\n::set-output name=x::y")
    project.git("merge", "-q", "--no-edit", "main")

    done = run(project, "--local", "--base", "main", GITHUB_ACTIONS="true")

    assert done.code == 1, done.err
    (scan,) = [r for r in done.report.results if isinstance(r, ScanResult)]
    flagged = {f.path for f in scan.findings}
    assert {"latin1.hip", "with space.hip", 'quo"te.hip', "-dash.hip", "`tick`.hip"} <= flagged
    assert any("line.hip" in p for p in flagged)
    assert not any(p in flagged for p in ("link.hip", "binary.hip", "huge.hip", "loop"))
    commands = [line for line in done.err.splitlines() if line.startswith("::")]
    assert commands
    assert [line for line in commands if not OUR_COMMAND.match(line)] == []


# The last is the end of a fence: the random word alone.
OUR_COMMAND = re.compile(r"::(((group|error|warning|notice|stop-commands)[ :]|endgroup::)|[0-9a-f]{32}::\Z)")


SLEEPER = "require-gpu: false\ntest:\n  - {name: slow, run: 'echo $$ > pid; sleep 300', timeout: 10m}\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_an_interruption_leaves_a_readable_report_and_no_process(
    project: Repository, number: signal.Signals
) -> None:
    project.write(".github/rocm-ci.yml", SLEEPER)
    project.commit()
    child = subprocess.Popen(
        [sys.executable, "-m", "rocm_ci", "run", "--local", "--base", "main"],
        cwd=project.root,
        env=scrubbed(),
        stderr=subprocess.PIPE,
        text=True,
    )
    pid = project.root / "pid"
    deadline = time.monotonic() + 60
    while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.05)
    child.send_signal(number)
    _, err = child.communicate(timeout=60)

    assert child.returncode == 130, err
    assert "Traceback" not in err
    report = Outcome(code=130, out="", err=err, folder=project.root).report
    assert report.interrupted
    assert report.verdict is Verdict.ERROR
    stopped = next(r for r in report.results if stage_of(r) is StageName.TEST)
    assert isinstance(stopped, (Crashed, TestResult))
    assert any(isinstance(r, ScanResult) and r.verdict is Verdict.PASS for r in report.results)
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()


def test_an_interruption_before_the_first_stage_leaves_a_report_too(project: Repository) -> None:
    """The tools that tell what machine this is are asked first; here one of them is slow."""
    tools = project.root.parent / "tools"
    tools.mkdir()
    (tools / "rocminfo").write_text(f"#!/bin/sh\ntouch {tools}/asked; exec sleep 3\n")
    (tools / "rocminfo").chmod(0o755)
    child = subprocess.Popen(
        [sys.executable, "-m", "rocm_ci", "run", "--local", "--base", "main"],
        cwd=project.root,
        env=scrubbed(PATH=f"{tools}:{os.environ['PATH']}"),
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not (tools / "asked").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    child.send_signal(signal.SIGTERM)
    _, err = child.communicate(timeout=60)

    assert child.returncode == 130, err
    report = Outcome(code=130, out="", err=err, folder=project.root).report
    assert (report.interrupted, report.verdict) == (True, Verdict.ERROR)


def test_what_cannot_be_decided_is_green_but_warned_of(project: Repository) -> None:
    bench = "print(__import__('json').dumps({'benchmarks': [{'name': 'f', 'real_time': 0.0}]}))"  # no ratio of zeros
    project.write("bench.py", bench)
    project.write(
        ".github/rocm-ci.yml",
        "stages: [perf]\nperf:\n  - {name: b, run: 'python3 bench.py > {out}', rounds: 5}\n",
    )
    project.git("checkout", "-q", "main")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "bench")
    project.git("checkout", "-q", "-b", "slow")
    project.commit(**{"c.py": "z = 3\n"})
    done = run(project, "--local", "--base", "main", GITHUB_ACTIONS="true")
    strict = run(project, "--local", "--base", "main", ROCM_CI_INCONCLUSIVE="fail")

    assert (done.code, strict.code) == (0, 1), done.err
    assert done.report.verdict is Verdict.INCONCLUSIVE
    assert "::warning" in done.err
    assert "inconclusive: fail" in done.err


def test_no_token_reaches_the_pull_requests_commands(project: Repository) -> None:
    project.write(
        ".github/rocm-ci.yml", "require-gpu: false\ntest:\n  - {name: unit, run: 'env > seen; true'}\n"
    )
    run(
        project,
        "--local",
        "--base",
        "main",
        GITHUB_TOKEN="gh-1",
        MY_API_KEY="k-2",
        AWS_SECRET_ACCESS_KEY="s-3",
        ACTIONS_RUNTIME_TOKEN="r-4",
        GITHUB_OUTPUT=str(project.root / "o"),
        GITHUB_ENV=str(project.root / "e"),
        HARMLESS="yes",
    )

    seen = (project.root / "seen").read_text()
    assert "HARMLESS=yes" in seen
    assert "HIP_PLATFORM=amd" in seen
    for hidden in ("gh-1", "k-2", "s-3", "r-4", "GITHUB_OUTPUT", "GITHUB_ENV"):
        assert hidden not in seen


HOSTILE_SUITES = """\
require-gpu: false
stages: [test]
test:
  - {name: fails, run: 'exit 3'}
  - name: forges
    run: >-
      rm -rf rocm-ci-out/*; mkdir rocm-ci-out/report.json; mkfifo rocm-ci-out/junit.xml;
      ln -s "$HOME/stolen" rocm-ci-out/.comment.md.part; exit 0
  - {name: wipes, run: 'rm -rf rocm-ci-out; exit 4'}
  - {name: still, run: 'exec >&- 2>&-; exit 5'}
"""


def test_a_suite_cannot_forge_the_report_nor_hide_the_others_behind_a_crash(
    project: Repository, tmp_path: Path
) -> None:
    project.write(".github/rocm-ci.yml", HOSTILE_SUITES)
    project.commit()
    done = run(project, "--local", "--base", "main", HOME=str(tmp_path))

    assert done.code == 1, done.err
    (tests,) = [r for r in done.report.results if isinstance(r, TestResult)]
    assert [(s.name, s.exit_code) for s in tests.suites] == [
        ("fails", 3),
        ("forges", 0),
        ("wipes", 4),
        ("still", 5),
    ]
    assert not (tmp_path / "stolen").exists()
