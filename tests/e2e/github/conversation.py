"""A conversation over the stand-in GitHub: people comment, and the bot gets each comment as an event."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocm_ci.cli.main import main
from tests.e2e.github.conftest import BOT, FIRST
from tests.standin.things import BOT_WRITES, Identity

if TYPE_CHECKING:
    from tests.e2e.github.conftest import Plane
    from tests.standin.server import StandIn
    from tests.standin.things import Comment, Run

MAIN = "9" * 40
FORK = "stranger/r"
OPENED = "2026-11-30T09:00:00Z"
EARLY, LATE = "2026-11-30T11:00:00Z", "2026-11-30T12:30:00Z"
INPUTS = {"number": True, "head": True, "suite": False, "bench": False, "base": False}


@dataclass(frozen=True, kw_only=True)
class Done:
    code: int
    action: str
    reason: str
    err: str


@dataclass(kw_only=True)
class Talk:
    """A conversation in pull request 5: people comment, and the bot answers each comment."""

    github: StandIn
    plane: Plane
    payload: dict[str, Any] = field(default_factory=dict)

    def say(self, body: str, author: str = "maintainer", **changed: Any) -> Done:
        """Somebody comments, and the bot gets the event."""
        comment = self.github.world.say("o/r", 5, author, body, created=changed.get("created"))
        self.payload = self.event(comment, **changed)
        return self.again()

    def event(self, comment: Comment, **changed: Any) -> dict[str, Any]:
        """The part of an `issue_comment` payload that matters."""
        user = {"login": comment.author, "type": changed.get("type", "User")}
        issue = {
            "number": 5,
            "state": changed.get("state", "open"),
            "locked": changed.get("locked", False),
            "pull_request": {"url": "https://api.github.com/repos/o/r/pulls/5"},
        }
        if changed.get("is_issue"):
            del issue["pull_request"]
        return {
            "action": changed.get("action", "created"),
            "issue": issue,
            "comment": {
                "id": comment.id,
                "body": comment.body,
                "created_at": comment.created,
                "user": user,
                "html_url": f"https://github.example/o/r/pull/5#issuecomment-{comment.id}",
                "author_association": "OWNER",
            },
            "repository": {"full_name": "o/r"},
            "sender": user,
        }

    def again(self, *options: str) -> Done:
        """The bot gets the last event (once more)."""
        return self.handle("issue_comment", self.payload, *options)

    def handle(self, name: str, payload: object, *options: str) -> Done:
        self.plane.event(name, payload)
        code = main(["bot", "--format", "json", "--pause", "0", *options])
        out, err = self.plane.capsys.readouterr()
        said = json.loads(out) if out else {"action": "", "reason": ""}
        return Done(code=code, action=said["action"], reason=said["reason"], err=err)

    @property
    def answers(self) -> list[str]:
        return [c.body for c in self.github.world.repository("o/r").comments if c.author == BOT]

    @property
    def reactions(self) -> list[str]:
        """Those under the last comment the bot got."""
        number = self.payload["comment"]["id"]
        return [r.content for r in self.github.world.repository("o/r").reactions if r.comment == number]

    @property
    def dispatched(self) -> list[Run]:
        return [r for r in self.github.world.repository("o/r").runs if r.event == "workflow_dispatch"]

    def run(self, number: int) -> Run:
        return next(r for r in self.github.world.repository("o/r").runs if r.id == number)


def begin(github: StandIn, plane: Plane) -> Talk:
    """Pull request 5, its workflow, and people with every kind of right."""
    world = github.world
    world.tokens["bot"] = Identity(login=BOT, is_app=True, writes=BOT_WRITES)
    plane.env(GITHUB_TOKEN="bot")
    world.push_branch("o/r", "main", MAIN)
    world.workflow(
        "o/r", "rocm-ci-run.yml", inputs=INPUTS, run_name="rocm-ci #{number} {head} {suite}{bench}"
    )
    for login, role in (("maintainer", "write"), ("owner", "admin"), ("keeper", "maintain"), ("reader", "read"),
                        ("triager", "triage"), ("stranger", None)):  # fmt: skip
        world.grant("o/r", login, role)
    return Talk(github=github, plane=plane)


def ran(talk: Talk, head: str = FIRST, **changed: Any) -> int:
    known: dict[str, Any] = {"workflow": "rocm-ci-run.yml", "created": EARLY}
    return talk.github.world.ran("o/r", head=head, **{**known, **changed})


def sent(talk: Talk, head: str = FIRST, **changed: Any) -> int:
    """A run that the bot has started."""
    known: dict[str, Any] = {"event": "workflow_dispatch", "branch": "main", "title": f"rocm-ci #5 {head}"}
    return ran(talk, MAIN, **{**known, **changed})


def vouched(talk: Talk, head: str = FIRST) -> list[str]:
    """The states of ok-to-test on a commit, in order."""
    statuses = talk.github.world.repository("o/r").statuses
    return [s.state for s in statuses if (s.sha, s.context) == (head, "rocm-ci/ok-to-test")]


def waits(talk: Talk, head: str = FIRST, **changed: Any) -> int:
    """A run of the fork that waits for approval."""
    known: dict[str, Any] = {"branch": "patch", "head_repository": FORK, "conclusion": "action_required"}
    return ran(talk, head, **{**known, **changed})


def acts(talk: Talk) -> list[str]:
    """What was changed beyond the conversation."""
    return [line for line in talk.github.writes if "/comments" not in line]
