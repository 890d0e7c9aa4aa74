"""The findings as alerts of code scanning: where they go, what is left out, when nothing is uploaded."""

from __future__ import annotations

import gzip
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from rocm_ci.github.client import DeclinedError, PermissionRefusedError
from rocm_ci.log import Log
from rocm_ci.model.finding import Severity
from rocm_ci.report import sarif
from rocm_ci.sinks.base import Destination, Target
from rocm_ci.sinks.code_scanning import SINK
from tests import reports
from tests.unit.github.fake import FakeGitHub, pull

if TYPE_CHECKING:
    from rocm_ci.model.report import Report

HEAD = "a" * 40


def upload(github: FakeGitHub, report: Report, **more: object) -> tuple[str, ...]:
    settings = {"github": github, "repository": "o/r", "head": HEAD, "number": 5}
    target = Target(**(settings | more))  # type: ignore[arg-type]
    return SINK.emit(report, Destination(log=Log(out=io.StringIO(), err=io.StringIO()), target=target))


def only_run(github: FakeGitHub) -> dict[str, Any]:
    ((_, _, data),) = github.sarifs
    (run,) = json.loads(data)["runs"]
    assert isinstance(run, dict)
    return run


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub(pulls=[pull()])


def test_a_pull_request_has_a_ref_of_its_own(github: FakeGitHub) -> None:
    told = upload(github, reports.report(reports.scan(reports.finding())))

    assert [(commit, ref) for commit, ref, _ in github.sarifs] == [(HEAD, "refs/pull/5/head")]
    assert told == ("1 finding for refs/pull/5/head",)
    assert [one["ruleId"] for one in only_run(github)["results"]] == ["warp-mask-32"]


def test_a_push_goes_to_its_branch(github: FakeGitHub) -> None:
    upload(github, reports.report(reports.scan()), number=None, ref="refs/heads/main")

    assert [ref for _, ref, _ in github.sarifs] == ["refs/heads/main"]
    assert not any("pull" in call for call in github.calls)


def test_each_key_is_a_category_so_that_none_closes_the_alerts_of_another(github: FakeGitHub) -> None:
    upload(github, reports.report(reports.scan()), key="nightly")

    assert only_run(github)["automationDetails"] == {"id": "rocm-ci/nightly/"}


def test_nothing_found_is_uploaded_too_but_not_without_a_scan(github: FakeGitHub) -> None:
    assert upload(github, reports.report()) == ()
    assert github.sarifs == []

    upload(github, reports.report(reports.scan()))
    assert only_run(github)["results"] == []


def test_what_each_leg_of_a_matrix_found_is_one_alert(github: FakeGitHub) -> None:
    scanned = reports.scan(reports.finding())

    upload(github, reports.report(*(replace(scanned, leg=leg) for leg in ("one", "two"))))

    assert len(only_run(github)["results"]) == 1


@pytest.mark.attack("3", "alerts of a commit that is no longer the head replace none of the newer one")
def test_an_older_commit_replaces_nothing(github: FakeGitHub) -> None:
    with pytest.raises(DeclinedError, match="moved on"):
        upload(github, reports.report(reports.scan()), head="b" * 40)
    assert github.sarifs == []


def test_a_push_whose_branch_is_not_known_is_declined(github: FakeGitHub) -> None:
    with pytest.raises(DeclinedError, match="which branch"):
        upload(github, reports.report(reports.scan()), number=None)


def test_a_token_without_the_right_is_told_so(github: FakeGitHub) -> None:
    github.refused = {"upload_sarif"}

    with pytest.raises(PermissionRefusedError):
        upload(github, reports.report(reports.scan()))


def test_too_much_loses_the_least_severe_and_says_so(
    github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif, "MAX_COMPRESSED", 3_000)
    notes = [reports.finding(line=n, severity=Severity.NOTE) for n in range(1, 500)]
    worst = reports.finding(line=500)

    (told,) = upload(github, reports.report(reports.scan(*notes, worst)))

    kept = only_run(github)["results"]
    assert len(gzip.compress(github.sarifs[0][2])) <= 3_000
    assert len(kept) < 500
    assert kept[0]["level"] == "error"
    assert told == f"{len(kept)} findings for refs/pull/5/head, the {500 - len(kept)} least severe left out"
    assert only_run(github)["properties"] == {"leftOut": 500 - len(kept)}
