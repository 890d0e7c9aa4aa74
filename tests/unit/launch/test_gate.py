from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rocm_ci.launch import gate
from rocm_ci.launch.machine import LaunchError

if TYPE_CHECKING:
    from pathlib import Path

GREEN = {"scan": "success", "build": "success", "gpu": "success"}


def event(folder: Path, head: str | None) -> dict[str, str]:
    """The environment of a pull request whose head lies in this repository."""
    file = folder / "event.json"
    pull = {"base": {"repo": {"full_name": "o/r"}}, "head": {"repo": head and {"full_name": head}}}
    file.write_text(json.dumps({"pull_request": pull}))
    return {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(file)}


def reasons(
    folder: Path, results: dict[str, str], *, reports: str, required: str, head: str | None = "o/r"
) -> str:
    for name in reports.split():
        (folder / "reports" / f"rocm-ci-report-{name}").mkdir(parents=True)
        (folder / "reports" / f"rocm-ci-report-{name}" / "report.json").touch()
    needs = {job: {"result": result, "outputs": {}} for job, result in results.items()}
    env = {"ROCM_CI_NEEDS": json.dumps(needs), "ROCM_CI_REQUIRED": required, **event(folder, head)}
    return "; ".join(gate.reasons(gate.read(env, folder / "reports")))


def test_a_whole_run_has_nothing_to_say(tmp_path: Path) -> None:
    assert reasons(tmp_path, GREEN, reports="scan build mi300", required="scan build mi300") == ""


@pytest.mark.attack("17", "a job that left no report does not look green")
def test_a_missing_report_is_named(tmp_path: Path) -> None:
    assert reasons(tmp_path, GREEN, reports="scan", required="scan mi300") == "mi300 left no report"


@pytest.mark.attack("17", "a cancelled job does not look green")
def test_a_cancelled_job_is_no_success_although_its_report_is_there(tmp_path: Path) -> None:
    said = reasons(
        tmp_path, {**GREEN, "gpu": "cancelled"}, reports="scan build mi300", required="scan build mi300"
    )

    assert said == "the job gpu was cancelled"


@pytest.mark.attack("17", "a skipped job does not look green")
def test_a_skipped_job_is_no_success(tmp_path: Path) -> None:
    said = reasons(tmp_path, {**GREEN, "gpu": "skipped"}, reports="scan build", required="scan build mi300")

    assert said == "the job gpu was skipped; mi300 left no report"


def test_a_job_without_anything_to_do_is_rightly_skipped(tmp_path: Path) -> None:
    results = {"scan": "success", "build": "skipped", "gpu": "skipped"}

    assert reasons(tmp_path, results, reports="scan", required="scan") == ""


@pytest.mark.attack("1", "a fork whose GPU jobs have not run is waiting, and not green")
@pytest.mark.parametrize("head", ["stranger/r", None, "O/R.fork"])
def test_a_forks_gpu_jobs_wait_for_a_maintainer(tmp_path: Path, head: str | None) -> None:
    results = {"scan": "success", "build": "skipped", "gpu": "skipped"}

    said = reasons(tmp_path, results, reports="scan", required="scan build mi300 mi250", head=head)

    assert said == gate.WAITING
    assert said.startswith("waiting for ok-to-test")


@pytest.mark.attack("17", "an event without what GitHub always says in it")
@pytest.mark.parametrize(
    "head", [None, [], {}, {"repo": "x"}, {"repo": []}, {"repo": {"full_name": ["o/r"]}}]
)
def test_an_odd_event_is_no_excuse(tmp_path: Path, head: object) -> None:
    env = event(tmp_path, "o/r")
    pull = {"base": {"repo": {"full_name": "o/r"}}, "head": head}
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": pull}))
    needs = json.dumps({"scan": {"result": "success"}, "gpu": {"result": "skipped"}})

    asked = gate.read({**env, "ROCM_CI_NEEDS": needs, "ROCM_CI_REQUIRED": "scan mi300"}, tmp_path)

    assert gate.reasons(asked)


def test_a_forks_scan_is_not_excused(tmp_path: Path) -> None:
    results = {"scan": "failure", "build": "skipped", "gpu": "skipped"}

    said = reasons(tmp_path, results, reports="", required="scan mi300", head="stranger/r")

    assert said == f"{gate.WAITING}; scan left no report"


def test_a_plan_that_died_leaves_no_green_run(tmp_path: Path) -> None:
    results = {"scan": "failure", "build": "skipped", "gpu": "skipped"}

    said = reasons(tmp_path, results, reports="", required="")

    assert said == "the first job did not say which reports there must be"


def test_a_report_behind_a_link_is_none(tmp_path: Path) -> None:
    (tmp_path / "reports" / "rocm-ci-report-mi300").mkdir(parents=True)
    (tmp_path / "reports" / "rocm-ci-report-mi300" / "report.json").symlink_to(__file__)

    assert reasons(tmp_path, GREEN, reports="scan", required="scan mi300") == "mi300 left no report"


def test_failed_jobs_are_known(tmp_path: Path) -> None:
    needs = json.dumps({"scan": {"result": "failure"}, "gpu": {"result": "success"}})

    assert gate.failed(gate.read({"ROCM_CI_NEEDS": needs}, tmp_path)) == ("scan",)


@pytest.mark.parametrize(
    ("needs", "required"),
    [
        ("", ""),
        ("{", ""),
        ("{}", ""),
        ("[1]", ""),
        ('{"scan": {}}', ""),
        ('{"scan": {"result": "neutral"}}', ""),
        ('{"scan": {"result": "success"}}', "../x"),
    ],
)
def test_a_gate_that_cannot_read_its_inputs_stays_shut(tmp_path: Path, needs: str, required: str) -> None:
    with pytest.raises(LaunchError) as caught:
        gate.read({"ROCM_CI_NEEDS": needs, "ROCM_CI_REQUIRED": required}, tmp_path)

    assert caught.value.code == 2
