"""Which artifacts of a run hold reports, and what is said of those that cannot be had."""

from __future__ import annotations

import pytest

from rocm_ci.errors import GitHubError, ReportError
from rocm_ci.github import artifacts
from tests.archives import packed
from tests.unit.github.fake import FakeGitHub, artifact

RUN = 7


def left(*names: str, **changed: object) -> FakeGitHub:
    """A run that left artifacts of these names, in this order, each with a small report."""
    github = FakeGitHub()
    github.stored[RUN] = [artifact(n, name, **changed) for n, name in enumerate(names, start=1)]
    for n, name in enumerate(names, start=1):
        github.archives[n] = packed(("report.json", f"{name} {n}".encode()))
    return github


def fetched(github: FakeGitHub) -> dict[str, bytes]:
    found = artifacts.of_run(github, "o/r", RUN)
    return {part.leg: part.content for part in artifacts.fetched(github, "o/r", found)}


def test_each_leg_of_a_matrix_has_an_artifact_of_its_own() -> None:
    github = left(
        "rocm-ci-report-mi300x", "coverage", "rocm-ci-report-scan", "rocm-ci-built", "rocm-ci-reports"
    )

    assert fetched(github) == {"mi300x": b"rocm-ci-report-mi300x 1", "scan": b"rocm-ci-report-scan 3"}


def test_without_a_matrix_the_leg_has_no_name() -> None:
    assert fetched(left("rocm-ci-report")) == {"": b"rocm-ci-report 1"}


def test_of_several_attempts_the_newest_artifact_of_each_name_counts() -> None:
    github = FakeGitHub()
    github.stored[RUN] = [
        artifact(5, "rocm-ci-report-a", created="2026-11-30T12:00:00Z"),
        artifact(3, "rocm-ci-report-b", created="2026-11-30T12:00:00Z"),
        artifact(4, "rocm-ci-report-a", created="2026-11-30T13:00:00Z"),
    ]

    assert {one.leg: one.artifact.id for one in artifacts.of_run(github, "o/r", RUN)} == {"a": 4, "b": 3}


def test_what_the_gate_of_another_attempt_missed_is_no_matter_any_more() -> None:
    github = left("rocm-ci-report-a", "rocm-ci-gate-1", "rocm-ci-gate-3", "rocm-ci-gate-x", "rocm-ci-gate-")

    def legs(attempt: int | None) -> dict[str, int]:
        return {one.leg: one.artifact.id for one in artifacts.of_run(github, "o/r", RUN, attempt)}

    assert legs(1) == {"a": 1, "gate": 2}
    assert legs(2) == {"a": 1}
    assert legs(3) == {"a": 1, "gate": 3}
    assert legs(None) == {"a": 1, "gate": 3}


def test_the_gates_own_artifact_goes_before_a_leg_of_that_name() -> None:
    github = left("rocm-ci-gate-2", "rocm-ci-report-gate")

    assert [one.artifact.id for one in artifacts.of_run(github, "o/r", RUN, 2)] == [1]
    assert [one.artifact.id for one in artifacts.of_run(github, "o/r", RUN, 1)] == [2]


@pytest.mark.attack("4", "artifact names that are paths, commands or endless")
@pytest.mark.parametrize("leg", ["../x", "a b", "x" * 41, "", "-x", "\x1b[2J", "a\nb"])
def test_a_name_that_is_no_legs_is_refused_and_not_passed_over(leg: str) -> None:
    with pytest.raises(ReportError, match="names no leg") as caught:
        artifacts.of_run(left("rocm-ci-report-ok", f"rocm-ci-report-{leg}"), "o/r", RUN)

    assert str(caught.value).isprintable()


@pytest.mark.attack("4", "more artifacts than any matrix leaves")
def test_more_reports_than_a_matrix_leaves_are_refused() -> None:
    names = [f"rocm-ci-report-{n}" for n in range(artifacts.MAX_LEGS + 1)]

    with pytest.raises(ReportError, match="left 65 reports"):
        artifacts.of_run(left(*names), "o/r", RUN)
    with pytest.raises(ReportError, match="more than 1000000000 bytes"):
        artifacts.of_run(left("rocm-ci-report-a", "rocm-ci-report-b", size=600_000_000), "o/r", RUN)


@pytest.mark.parametrize(
    ("changed", "why"), [({"expired": True}, "has expired"), ({"size": 200_000_001}, "200000001 bytes")]
)
def test_what_is_too_old_or_too_large_is_told_and_not_downloaded(
    changed: dict[str, object], why: str
) -> None:
    github = left("rocm-ci-report", **changed)

    (part,) = artifacts.fetched(github, "o/r", artifacts.of_run(github, "o/r", RUN))

    assert why in str(part.refused)
    assert not any("download" in call for call in github.calls)


def test_a_leg_whose_archive_is_refused_leaves_the_others_standing() -> None:
    github = left("rocm-ci-report-a", "rocm-ci-report-b")
    github.archives[1] = b"no zip at all"

    parts = list(artifacts.fetched(github, "o/r", artifacts.of_run(github, "o/r", RUN)))

    assert "no zip archive" in str(parts[0].refused)
    assert (parts[1].leg, parts[1].refused, parts[1].content) == ("b", None, b"rocm-ci-report-b 2")


def test_that_github_does_not_answer_is_no_fault_of_the_report() -> None:
    github = left("rocm-ci-report")
    github.refused = {"download_artifact"}

    with pytest.raises(GitHubError):
        list(artifacts.fetched(github, "o/r", artifacts.of_run(github, "o/r", RUN)))
