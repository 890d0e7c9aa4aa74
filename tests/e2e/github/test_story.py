"""A week of a project in one test: pushes, a matrix, forks and commands, with exactly the documented rights.

The repository is private, so that reading needs its permission as well. What each step costs in requests is
kept in docs/evidence/github.md; `pytest --update-golden` writes it anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from rocm_ci.cli.main import main
from rocm_ci.github import marker
from rocm_ci.model.verdict import Verdict
from tests.e2e.github.conftest import BOT, FIRST, SECOND, THIRD, Plane, artifact, workflow_run
from tests.e2e.github.conversation import EARLY, INPUTS, MAIN
from tests.e2e.github.test_bot_perf import slower
from tests.standin.faults import Fault, Faults
from tests.standin.reports import report
from tests.standin.things import Identity

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.model.report import Report
    from tests.standin.server import StandIn
    from tests.standin.things import Run

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "evidence" / "github.md"
START, END = "<!-- generated: requests -->\n", "<!-- end: requests -->\n"
LEGS = ("mi210", "mi250", "mi300x", "rx7900")
SIX, SEVEN, EIGHT = "6" * 40, "7" * 40, "8" * 40
FILE = "rocm-ci-run.yml"
# What a step may send: 12 requests for a run with one report that is held against one report of the base, and
# one more for each further report on either side.
BARS = {
    "announce that a run has begun": 8,
    "report a run of four legs": 12 + 3 + 3,
    "report a run that was dispatched": 12 + 3,
    # A question to the bot, the report of four legs once more, and which of the jobs failed.
    "answer `/rocm-ci accept-perf`": 8 + 18 + 1,
    # It looks at the files of the change and once more at its head, approves and dispatches.
    "answer `/rocm-ci ok-to-test`": 18,
}
ANSWER = 16


def bar(step: str) -> int:
    return BARS.get(step, ANSWER)


def documented(name: str, job: str) -> Identity:
    """The token of a job, with the permissions that its documented workflow gives it and no others."""
    said = yaml.safe_load((ROOT / "docs" / "workflows" / name).read_text())["jobs"][job]["permissions"]
    rights = {area.replace("-", "_"): level for area, level in said.items()}
    writes = frozenset(area for area, level in rights.items() if level == "write")
    return Identity(login=BOT, is_app=True, writes=writes, reads=frozenset(rights))


@dataclass
class Story:
    """The project, and what each step of its week cost."""

    github: StandIn
    plane: Plane
    costs: list[tuple[str, int]] = field(default_factory=list)

    def step(self, name: str, *args: str, code: int = 0) -> str:
        before = len(self.github.log)
        assert main([*args, "--pause", "0", "--format", "json"]) == code, name
        out, err = self.plane.capsys.readouterr()
        sent = [e for e in self.github.log[before:] if not e.request.path.startswith("/_store/")]
        self.costs.append((name, len(sent)))
        return out + err

    def push(self, head: str, verdicts: tuple[Verdict, ...], made: Callable[[str, Verdict], Report]) -> None:
        """A push to pull request 5: its run begins, four legs report, and it ends."""
        world = self.github.world
        world.push("o/r", 5, head)
        number = world.ran("o/r", head=head, conclusion=None, workflow=FILE, created=EARLY)
        self.plane.env(GITHUB_TOKEN="report")
        begun = workflow_run(head, run_id=number, action="requested", conclusion=None, pulls=(5,))
        self.plane.event("workflow_run", begun)
        self.step("announce that a run has begun", "report")
        for leg, verdict in zip(LEGS, verdicts, strict=True):
            world.store("o/r", number, f"rocm-ci-report-{leg}", artifact(made(head, verdict)))
        run = self.run(number)
        run.status, run.conclusion = "completed", "success" if set(verdicts) == {Verdict.PASS} else "failure"
        ended = workflow_run(head, run_id=number, conclusion=run.conclusion, pulls=(5,))
        self.plane.event("workflow_run", ended)
        self.step("report a run of four legs", "report")

    def say(self, number: int, body: str, author: str = "maintainer") -> str:
        """Somebody comments, and the bot answers."""
        comment = self.github.world.say("o/r", number, author, body)
        user = {"login": author, "type": "User"}
        self.plane.env(GITHUB_TOKEN="bot")
        self.plane.event(
            "issue_comment",
            {
                "action": "created",
                "issue": {"number": number, "state": "open", "locked": False, "pull_request": {"url": "x"}},
                "comment": {
                    "id": comment.id,
                    "body": body,
                    "created_at": comment.created,
                    "user": user,
                    "html_url": f"https://github.example/o/r/pull/{number}#issuecomment-{comment.id}",
                },
                "repository": {"full_name": "o/r"},
                "sender": user,
            },
        )
        return self.step(f"answer `{' '.join(body.split()[:2])}`", "bot")

    def dispatched(self, number: int, head: str, verdict: Verdict) -> None:
        """The run that the bot started for a commit of a fork leaves a report, and its own job posts it."""
        run = next(r for r in self.runs if r.title == f"rocm-ci #{number} {head}")
        self.github.world.store(
            "o/r", run.id, "rocm-ci-report", artifact(report(head, verdict, number=number))
        )
        inputs = {"number": str(number), "head": head, "suite": "", "bench": ""}
        self.plane.env(
            GITHUB_TOKEN="dispatched",
            GITHUB_SHA=MAIN,
            GITHUB_REF="refs/heads/main",
            GITHUB_RUN_ID=str(run.id),
            GITHUB_RUN_ATTEMPT="1",
            GITHUB_WORKFLOW_REF=f"o/r/.github/workflows/{FILE}@refs/heads/main",
        )
        repository = {"full_name": "o/r", "id": 1, "default_branch": "main"}
        self.plane.event(
            "workflow_dispatch", {"ref": "refs/heads/main", "repository": repository, "inputs": inputs}
        )
        self.step("report a run that was dispatched", "report", "--conclusion", "success")
        run.status, run.conclusion = "completed", "success"
        for name in (
            "GITHUB_SHA",
            "GITHUB_REF",
            "GITHUB_RUN_ID",
            "GITHUB_RUN_ATTEMPT",
            "GITHUB_WORKFLOW_REF",
        ):
            self.plane.monkeypatch.delenv(name)

    @property
    def runs(self) -> list[Run]:
        return self.github.world.repositories["o/r"].runs

    def run(self, number: int) -> Run:
        return next(r for r in self.runs if r.id == number)

    def verdict(self, head: str) -> str | None:
        """What a rule of the branch would read."""
        statuses = self.github.world.repositories["o/r"].statuses
        return next((s.state for s in reversed(statuses) if (s.sha, s.context) == (head, "rocm-ci")), None)

    def reports(self, number: int) -> list[str]:
        comments = self.github.world.repositories["o/r"].comments
        ours = [c.body for c in comments if (c.number, c.author) == (number, BOT)]
        return [body for body in ours if marker.find(body)]


@pytest.fixture
def story(github: StandIn, plane: Plane) -> Story:
    world = github.world
    world.tokens.clear()
    world.tokens["report"] = documented("report.yml", "report")
    world.tokens["bot"] = documented("bot.yml", "answer")
    world.tokens["dispatched"] = documented("fork-safe-run.yml", "report")
    world.push_branch("o/r", "main", MAIN)
    world.workflow("o/r", FILE, inputs=INPUTS, run_name="rocm-ci #{number} {head}")
    world.repository("o/r").is_private = True
    world.grant("o/r", "maintainer", "write")
    world.grant("o/r", "stranger", "read")
    for number, head, fork in ((6, SIX, "stranger/r"), (7, SEVEN, "other/r")):
        world.open_pull("o/r", number, head, branch="patch", fork=fork)
        world.ran("o/r", head=head, branch="patch", head_repository=fork, conclusion="action_required",
                  workflow=FILE, created=EARLY)  # fmt: skip
    base = world.ran("o/r", head=MAIN, event="push", branch="main", workflow=FILE, created=EARLY)
    for leg in LEGS:
        world.store("o/r", base, f"rocm-ci-report-{leg}", artifact(report(MAIN, number=None)))
    return Story(github=github, plane=plane)


def a_week(story: Story) -> None:
    """Three pushes, four legs each; two forks; ten commands and one that is refused."""
    passed = (Verdict.PASS,) * 4
    story.push(FIRST, (Verdict.PASS, Verdict.FAIL, Verdict.PASS, Verdict.PASS), report)
    story.say(5, "/rocm-ci help")
    story.say(5, "/rocm-ci explain cuda-install-path")
    story.say(5, "/rocm-ci rerun-failed")
    story.say(5, "/rocm-ci cancel")
    story.push(SECOND, (Verdict.PASS, Verdict.PASS, Verdict.PASS, Verdict.ERROR), report)
    story.say(5, "/rocm-ci run unit")
    story.say(5, "/rocm-ci bench saxpy")
    story.push(THIRD, (Verdict.FAIL,) * 4, lambda head, _: slower(head))
    story.say(5, '/rocm-ci accept-perf "row_sum/4096" the new kernel is exact')

    story.say(6, "/rocm-ci run", "stranger")
    story.say(6, f"/rocm-ci ok-to-test {SIX}")
    story.dispatched(6, SIX, Verdict.PASS)
    story.say(6, "/rocm-ci run")

    story.say(7, f"/rocm-ci ok-to-test {SEVEN}")
    story.github.world.push("o/r", 7, EIGHT)
    story.dispatched(7, SEVEN, passed[0])


def assert_well(story: Story) -> None:
    """One comment each, the right verdict on the right commit, and nothing that was forbidden."""
    assert story.github.forbidden == []
    assert [len(story.reports(number)) for number in (5, 6, 7)] == [1, 1, 0]
    (shown,) = story.reports(5)
    assert THIRD[:7] in shown
    assert "the new kernel is exact" in shown
    assert SIX[:7] in story.reports(6)[0]
    assert [story.verdict(head) for head in (FIRST, SECOND, THIRD)] == ["failure", "failure", "success"]
    # The verdict on a commit that is no longer the head stands on that commit, and nowhere else.
    assert [story.verdict(head) for head in (SIX, EIGHT, MAIN)] == ["success", None, None]
    started = [
        (r.inputs["number"], r.inputs["head"], r.inputs["suite"], r.inputs["bench"])
        for r in story.runs
        if r.inputs
    ]
    assert started[:2] == [("5", SECOND, "unit", ""), ("5", SECOND, "", "saxpy")]
    assert {head for number, head, _, _ in started if number in ("6", "7")} == {SIX, SEVEN}


def test_a_week_of_pushes_forks_and_commands_ends_well_with_the_documented_rights(
    story: Story, request: pytest.FixtureRequest
) -> None:
    a_week(story)

    assert_well(story)
    assert [(name, n) for name, n in story.costs if n > bar(name)] == []
    _kept(_table(story.costs), update=bool(request.config.getoption("--update-golden")))


@pytest.mark.attack("19", "20 % of all requests fail during a whole week")
@pytest.mark.parametrize("seed", range(1, 7))
def test_the_same_week_ends_the_same_though_every_fifth_request_fails(story: Story, seed: int) -> None:
    story.github.faults = Faults(rate=0.2, seed=seed)

    a_week(story)

    failed = sum(e.fault is not Fault.NONE for e in story.github.log)
    assert failed > len(story.github.log) / 10
    assert_well(story)
    assert [(name, n) for name, n in story.costs if n > 2 * bar(name)] == []


def _table(costs: list[tuple[str, int]]) -> str:
    """Each kind of step once, with the most that it cost."""
    most: dict[str, int] = {}
    for name, sent in costs:
        most[name] = max(sent, most.get(name, 0))
    rows = [f"| {name} | {sent} | {bar(name)} |" for name, sent in most.items()]
    return "\n".join(["| step | requests | at most |", "|---|--:|--:|", *rows, ""])


def _kept(table: str, *, update: bool) -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(START)
    known, _, after = rest.partition(END)
    if update:
        PAGE.write_text(before + START + table + END + after, encoding="utf-8")
        return
    assert table == known, "run `pytest --update-golden` if this is meant"
