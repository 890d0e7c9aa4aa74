"""A place on the trusted plane, over the GitHub in memory."""

from __future__ import annotations

import io

import msgspec

from rocm_ci.github import sticky
from rocm_ci.log import Log
from rocm_ci.model.report import Report, Setting
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.links import Links
from rocm_ci.sinks.base import Destination, Target
from tests.standin.reports import report
from tests.unit.github.fake import FakeGitHub

HEAD, OLD, NEW = "a" * 40, "b" * 40, "c" * 40
PAGE = "https://github.example/o/r"
LINKS = Links(repository=PAGE, run=f"{PAGE}/actions/runs/7")


def target(github: FakeGitHub, **changed: object) -> Target:
    known: dict[str, object] = {
        "github": github,
        "repository": "o/r",
        "head": HEAD,
        "number": 5,
        "run_id": 7,
        "run_attempt": 1,
    }
    return Target(**{**known, **changed})  # type: ignore[arg-type]


def place(github: FakeGitHub, **changed: object) -> Destination:
    log = Log(out=io.StringIO(), err=io.StringIO())
    return Destination(log=log, links=LINKS, target=target(github, **changed))


def looked(github: FakeGitHub, **changed: object) -> Target:
    """With the conversation read beforehand, as `rocm-ci report` does."""
    return target(github, look=sticky.look(github, "o/r", 5, "default"), **changed)


def strict(verdict: Verdict) -> Report:
    setting = Setting(name="inconclusive", value="fail", source=".github/rocm-ci.yml")
    return msgspec.structs.replace(report(HEAD, verdict), settings=(setting,))
