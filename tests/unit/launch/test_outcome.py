from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.event import parse
from rocm_ci.launch import outcome
from rocm_ci.model.event import EventKind
from rocm_ci.model.result import Crashed
from rocm_ci.model.verdict import Verdict, exit_code
from rocm_ci.report import codec

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "a" * 40


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def leave(output: Path, verdict: str) -> None:
    (output / "report.json").write_text(
        json.dumps({"verdict": verdict, "facts": {"hardware_key": "gfx942-8"}})
    )


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.SKIPPED])
@pytest.mark.parametrize("strict", [False, True])
def test_a_report_and_its_exit_code_are_passed_on(output: Path, verdict: Verdict, *, strict: bool) -> None:
    leave(output, verdict.value)
    code = exit_code(verdict, fail_on_inconclusive=strict)

    assert outcome.judge(output, code) == outcome.Outcome(verdict.value, code, "gfx942-8")


@pytest.mark.attack("17", "a green report beside a process that failed")
@pytest.mark.parametrize(
    ("verdict", "code"), [("pass", 1), ("fail", 0), ("pass", 137), ("skipped", 0), ("green", 0)]
)
def test_a_report_that_disagrees_with_its_process_is_not_believed(
    output: Path, verdict: str, code: int
) -> None:
    leave(output, verdict)

    judged = outcome.judge(output, code)

    assert (judged.verdict, judged.exit_code) == ("error", 3)
    assert f"the report says '{verdict}', but its process ended with exit code {code}" in judged.reason


@pytest.mark.attack("17", "a run that ended without a report")
@pytest.mark.parametrize(
    ("code", "passed_on", "words"),
    [
        (0, 3, "rocm-ci left no report: it ended with exit code 0"),
        (2, 2, "the configuration or the event is wrong"),
        (70, 70, "a defect of its own"),
        (125, 3, "Docker refused to start the container"),
        (127, 3, "python3 in the image"),
        (137, 3, "it was killed"),
    ],
)
def test_a_run_that_died_is_an_error_with_the_reason(
    output: Path, code: int, passed_on: int, words: str
) -> None:
    judged = outcome.judge(output, code)

    assert (judged.verdict, judged.exit_code) == ("error", passed_on)
    assert words in judged.reason


@pytest.mark.parametrize(
    "content",
    ["", '{"verdict"', "[]", '{"verdict": "pass"}', "[" * 100_000, '{"facts": 1, "verdict": "pass"}'],
)
def test_half_a_report_is_none(output: Path, content: str) -> None:
    (output / "report.json").write_text(content)

    assert outcome.judge(output, 0).reason.startswith("rocm-ci left no report")


@pytest.mark.attack("4", "a link in place of the report")
def test_a_report_behind_a_link_is_none_and_the_link_is_gone(output: Path, tmp_path: Path) -> None:
    secret = tmp_path / "elsewhere.json"
    secret.write_text('{"verdict": "pass", "facts": {}}')
    (output / "report.json").symlink_to(secret)
    (output / "logs").mkdir()
    (output / "logs" / "home").symlink_to(tmp_path)

    assert outcome.judge(output, 0).verdict == "error"
    assert [name for _, folders, files in os.walk(output) for name in (*folders, *files)] == ["logs"]


def test_a_pipe_in_place_of_a_report_does_not_hang(output: Path) -> None:
    os.mkfifo(output / "report.json")

    assert outcome.judge(output, 0).verdict == "error"


@pytest.mark.attack("4", "a link in place of the output folder")
def test_an_output_folder_that_became_a_link_is_not_read(output: Path, tmp_path: Path) -> None:
    leave(output, "pass")
    output.rename(tmp_path / "moved")
    output.symlink_to(tmp_path / "moved")

    assert outcome.judge(output, 0).verdict == "error"
    assert (tmp_path / "moved" / "report.json").exists()


def test_a_minimal_report_is_never_written_through_a_link(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "out").mkdir(parents=True)
    (tmp_path / "workspace").symlink_to(home)

    with pytest.raises(OSError, match="leads elsewhere since the run"):
        outcome.write_minimal(tmp_path / "workspace" / "out", {}, "died")

    assert list((home / "out").iterdir()) == []


def test_a_folder_that_the_run_replaced_is_made_again(output: Path, tmp_path: Path) -> None:
    output.rmdir()
    output.symlink_to(tmp_path)

    outcome.write_minimal(output, {}, "died")

    assert not output.is_symlink()
    assert {path.name for path in output.iterdir()} == {"comment.md", "report.json"}


def test_a_report_from_before_is_taken_away(output: Path, tmp_path: Path) -> None:
    leave(output, "pass")
    (tmp_path / "mine.md").write_text("keep")
    (output / "comment.md").symlink_to(tmp_path / "mine.md")

    outcome.clear(output)

    assert list(output.iterdir()) == []
    assert (tmp_path / "mine.md").read_text() == "keep"


@pytest.mark.parametrize("event", ["pull_request", "schedule", ""])
def test_the_minimal_report_passes_the_trusted_planes_reader(
    output: Path, tmp_path: Path, event: str
) -> None:
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"head": {"sha": HEAD}}}))
    env = {
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_SHA": "b" * 40,
    }

    outcome.write_minimal(output, env, "Docker refused ``` <b>\n@all")
    report = codec.decode((output / "report.json").read_bytes())

    assert report.verdict is Verdict.ERROR
    assert report.event.head == HEAD
    assert report.event.kind is (EventKind.PULL_REQUEST if event == "pull_request" else EventKind.LOCAL)
    [crashed] = report.results
    assert isinstance(crashed, Crashed)
    assert crashed.reason.startswith("Docker refused")


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("pull_request", {"pull_request": {"number": 7, "head": {"sha": HEAD}, "base": {"sha": HEAD}}}),
        ("workflow_dispatch", {"inputs": {"number": "7", "head": HEAD}}),
    ],
)
def test_the_minimal_report_is_about_what_the_other_legs_are_about(
    output: Path, tmp_path: Path, event: str, payload: object
) -> None:
    (tmp_path / "event.json").write_text(json.dumps(payload))
    env = {
        "GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "b" * 40,
    }  # fmt: skip

    outcome.write_minimal(output, env, "died")
    about = codec.decode((output / "report.json").read_bytes()).event
    whole = parse(env, json.dumps(payload).encode())

    assert (about.kind, about.repository, about.head, about.number) == (EventKind(event), "o/r", HEAD, 7)
    assert (about.kind, about.repository, about.head, about.number) == (
        whole.kind, whole.repository, whole.head, whole.number,
    )  # fmt: skip


def test_the_minimal_comment_cannot_be_broken_out_of(output: Path) -> None:
    outcome.write_minimal(output, {}, "a\n```\n@org/team <img>")

    lines = (output / "comment.md").read_text().splitlines()

    assert [line for line in lines if line.startswith("```")] == ["```text", "```"]
    assert "a'''''@org/team <img>" in "".join(lines)


@pytest.mark.parametrize("payload", ["", "{", "[]", '{"pull_request": {"head": {"sha": "$(id)"}}}'])
def test_an_unreadable_event_leaves_no_wrong_commit(output: Path, tmp_path: Path, payload: str) -> None:
    (tmp_path / "event.json").write_text(payload)

    outcome.write_minimal(output, {"GITHUB_EVENT_PATH": str(tmp_path / "event.json")}, "died")

    assert json.loads((output / "report.json").read_text())["event"]["head"] == "0" * 40


def parsed(text: str) -> dict[str, str]:
    """Step outputs as the runner reads them: a value ends at the delimiter its first line named."""
    values, lines = {}, iter(text.splitlines())
    for line in lines:
        name, delimiter = line.split("<<")
        values[name] = "\n".join(iter(lines.__next__, delimiter))
    return values


def test_outputs_reach_the_job_with_paths_that_later_steps_can_use(output: Path, tmp_path: Path) -> None:
    (output / "comment.md").write_text("## words\n")
    env = {"GITHUB_OUTPUT": str(tmp_path / "o"), "GITHUB_STEP_SUMMARY": str(tmp_path / "s")}

    outcome.publish(env, output, tmp_path, outcome.Outcome("fail", 1, "gfx942-8"), "native")

    assert parsed((tmp_path / "o").read_text()) == {
        "verdict": "fail",
        "exit-code": "1",
        "hardware-key": "gfx942-8",
        "mode": "native",
        "output": "out",
        "report": "out/report.json",
        "comment": "out/comment.md",
    }
    assert (tmp_path / "s").read_text() == "## words\n\n"


@pytest.mark.attack("8", "a step output whose value holds the delimiter of another")
def test_a_value_cannot_forge_another_output(tmp_path: Path) -> None:
    env = {"GITHUB_OUTPUT": str(tmp_path / "o")}

    outcome.write_outputs(env, {"hardware-key": "x\nverdict=pass\nverdict<<E\npass\nE", "verdict": "fail"})

    assert parsed((tmp_path / "o").read_text())["verdict"] == "fail"


def test_outside_a_workflow_nothing_is_written(output: Path, tmp_path: Path) -> None:
    outcome.publish({}, output, tmp_path, outcome.Outcome("pass", 0), "native")

    assert list(output.iterdir()) == []
