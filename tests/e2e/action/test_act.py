"""A workflow that says `uses:` our action, run by act on this machine, without a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.event import EventKind
from rocm_ci.model.verdict import Verdict
from tests.e2e.action.conftest import REPOSITORY, announce, commit, git, signature
from tests.standin.server import StandIn
from tests.standin.world import Identity

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.action.conftest import Act, Arrived, PullRequest

pytestmark = [pytest.mark.act, pytest.mark.slow]
PUBLISHED = """      - uses: org/rocm-ci@v1
        id: rocm
        with: {stages: scan}
"""
ANSWERED = f"""{PUBLISHED}
      - uses: org/rocm-ci/report@v1
        if: always() && steps.rocm.outputs.report
        with: {{report: "${{{{ steps.rocm.outputs.report }}}}"}}
"""


@pytest.mark.build
def test_a_fresh_runner_installs_itself_and_finds_what_the_pull_request_broke(
    in_place: Arrived, pull_request: PullRequest
) -> None:
    assert in_place.code == 1, in_place.log
    assert "installing rocm-ci" in in_place.log
    report = in_place.report
    assert in_place.outputs == {
        "verdict": "fail",
        "exit-code": "1",
        "mode": "native",
        "output": "rocm-ci-out",
        "report": "rocm-ci-out/report.json",
        "comment": "rocm-ci-out/comment.md",
        "hardware-key": report.facts.hardware_key,
    }
    assert report.event.kind is EventKind.PULL_REQUEST
    assert (report.event.number, report.event.head) == (1, pull_request.head)
    seen = signature(report)
    assert seen["findings"]
    assert seen["failed"]
    assert seen["slower"]


def test_the_report_action_answers_the_pull_request_from_the_same_job(
    act: Act, action: Path, pull_request: PullRequest, installed_path: str
) -> None:
    with StandIn() as github:
        github.world.tokens["workflow"] = Identity(login="github-actions[bot]", is_app=True)
        github.world.open_pull(REPOSITORY, 1, pull_request.head)

        arrived = act.run(
            pull_request.folder, pull_request.event, ANSWERED, path=installed_path,
            options=("--local-repository", f"org/rocm-ci@v1={action}", "-s", "GITHUB_TOKEN=workflow"),
            given={"GITHUB_API_URL": github.url},
        )  # fmt: skip
        repository = github.world.repositories[REPOSITORY]

        assert arrived.outputs["verdict"] == "fail", arrived.log
        [comment] = repository.comments
        assert "ROCm CI" in comment.body
        [status] = repository.statuses
        assert (status.sha, status.state) == (pull_request.head, "failure")


def test_a_pull_request_that_breaks_the_configuration_gets_an_error_and_not_silence(
    act: Act, action: Path, tmp_path: Path, installed_path: str
) -> None:
    project = tmp_path / "project"
    (project / ".github").mkdir(parents=True)
    git(project, "init", "-q", "-b", "main")
    commits = []
    for text in ("version: 1\n", "version: 1\nbiuld: []\n"):
        (project / ".github" / "rocm-ci.yml").write_text(text)
        commits.append(commit(project))

    arrived = act.run(
        project, announce(tmp_path, *commits), PUBLISHED,
        path=installed_path, options=("--local-repository", f"org/rocm-ci@v1={action}"),
    )  # fmt: skip

    assert arrived.code == 1
    assert (arrived.outputs["verdict"], arrived.outputs["exit-code"]) == ("error", "2")
    assert "did you mean `build`?" in arrived.log
    assert arrived.report.verdict is Verdict.ERROR
    assert arrived.report.event.head == commits[1]
