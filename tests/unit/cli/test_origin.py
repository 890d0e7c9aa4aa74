"""Who a report is for, by each event and by flags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rocm_ci.cli.origin import Flags, Origin, origin_of
from rocm_ci.errors import RocmCiError
from rocm_ci.github.client import DeclinedError

EVENTS = Path(__file__).resolve().parents[2] / "data" / "events"
HEAD = "a" * 40
NONE = Flags(repository=None, commit=None, number=None, event_name=None, event_path=None)


def origin(name: str, payload: object, tmp_path: Path, **env: str) -> Origin:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(payload))
    return origin_of({"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), **env}, NONE)


def example(name: str, **changed: Any) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_bytes())
    return body | changed


def test_a_workflow_run_tells_of_the_run_that_made_the_report(tmp_path: Path) -> None:
    body = example("workflow_run.completed")
    body["workflow_run"] |= {"event": "push", "conclusion": "failure"}

    found = origin("workflow_run", body, tmp_path)

    assert (found.repository, found.run_id, found.workflow) == ("octo-org/octo-repo", 289782451, 2823525)
    assert (found.action, found.conclusion, found.ref) == ("completed", "failure", "refs/heads/master")
    assert found.number is None


def test_the_run_of_a_pull_request_has_no_ref_of_its_own(tmp_path: Path) -> None:
    body = example("workflow_run.completed")
    body["workflow_run"]["event"] = "pull_request"

    assert origin("workflow_run", body, tmp_path).ref is None


def test_a_dispatched_run_reports_itself(tmp_path: Path) -> None:
    body = example("workflow_run.completed")
    body["workflow_run"]["event"] = "workflow_dispatch"

    with pytest.raises(DeclinedError, match="run 289782451 was dispatched"):
        origin("workflow_run", body, tmp_path)


def test_a_dispatch_without_inputs_is_about_its_own_branch(tmp_path: Path) -> None:
    found = origin(
        "workflow_dispatch",
        example("workflow_dispatch"),
        tmp_path,
        GITHUB_SHA=HEAD,
        GITHUB_REF="refs/heads/topic",
        GITHUB_WORKFLOW_REF="octo-org/octo-repo/.github/workflows/a.b-c.yml@refs/heads/topic",
    )

    assert (found.head, found.number, found.ref) == (HEAD, None, "refs/heads/topic")
    assert (found.workflow, found.read_only, found.is_partial) == ("a.b-c.yml", False, False)


def test_a_dispatch_for_a_pull_request_may_write_though_it_may_be_a_strangers(tmp_path: Path) -> None:
    body = example("workflow_dispatch", inputs={"number": "7", "head": HEAD, "bench": "gemm"})

    found = origin("workflow_dispatch", body, tmp_path, GITHUB_SHA="d" * 40, GITHUB_REF="refs/heads/main")

    assert (found.head, found.number, found.base_ref) == (HEAD, 7, "main")
    assert (found.read_only, found.is_partial, found.ref) == (False, True, None)


@pytest.mark.parametrize(
    "text",
    ["", "x", "o/r/.github/workflows/../../etc@x", "o/r/x.yml@main", "o/r/.github/workflows/a b.yml@x"],
)
def test_a_workflow_reference_that_names_no_file_is_none(tmp_path: Path, text: str) -> None:
    body = example("push.first")

    assert origin("push", body, tmp_path, GITHUB_WORKFLOW_REF=text).workflow is None


@pytest.mark.attack("2", "an event file that an earlier step of the job has replaced")
def test_an_event_file_of_another_repository_or_number_is_refused(tmp_path: Path) -> None:
    body = example("workflow_run.completed")
    with pytest.raises(RocmCiError, match="this job belongs to mine/r"):
        origin("workflow_run", body, tmp_path, GITHUB_REPOSITORY="mine/r")
    with pytest.raises(RocmCiError, match="GITHUB_REF about 9"):
        origin("pull_request", example("pull_request.opened"), tmp_path, GITHUB_REF="refs/pull/9/merge")


def test_flags_win_and_know_the_ending(tmp_path: Path) -> None:
    flags = Flags(
        repository="o/r", commit=HEAD, number=3, event_name=None, event_path=None, conclusion="failure"
    )

    found = origin_of({"GITHUB_RUN_ID": "12", "GITHUB_RUN_ATTEMPT": "9" * 40}, flags)

    assert (found.repository, found.head, found.number) == ("o/r", HEAD, 3)
    assert (found.run_id, found.run_attempt, found.conclusion) == (12, None, "failure")
