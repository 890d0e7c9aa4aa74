"""What the attributes and children of one `<testcase>` mean, in every dialect of JUnit XML."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.runners.excerpt import Clip, clean

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_ID = 1_000
OUTPUT = ("system-out", "system-err", "output")
SKIPS = ("skipped", "skip", "ignored", "disabled", "pending")
_BY_STATUS = {
    **dict.fromkeys(("fail", "failed", "failure", "timeout", "timedout", "timed out"), CaseStatus.FAILED),
    **dict.fromkeys(
        ("error", "errored", "broken", "crash", "crashed", "aborted", "killed", "exception", "fatal"),
        CaseStatus.ERRORED,
    ),
    **dict.fromkeys(
        (
            "skipped",
            "skip",
            "ignored",
            "pending",
            "disabled",
            "suppressed",
            "notrun",
            "not run",
            "todo",
            "inconclusive",
            "notexecuted",
            "canceled",
            "cancelled",
        ),
        CaseStatus.SKIPPED,
    ),
    "flaky": CaseStatus.FLAKY,
}
# What CTest writes as the message of any failure: the last line of the output tells more.
GENERIC = ("failed", "failure", "error", "skipped")
# CTest calls a test that could not be started «notrun» and «skipped», as if somebody had wanted it.
_CTEST_WORDS = "Unable to find executable"
_COLLECTION = "collection failure"
_NOT_STARTED = re.compile(
    r"unable to find (?:executable|required file)|failed to change working directory"
    r"|could not start|unable to start|bad[_ ]command|missing configuration|insufficient resources",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Result:
    """One child that says how the test ended: `tag` in lower case, `kind` its `type`."""

    tag: str
    kind: str
    message: str
    text: Clip = field(default_factory=Clip)


@dataclass(slots=True)
class Open:
    """A `<testcase>` while it is being read; `suites` are the names of the suites around it."""

    attributes: Mapping[str, str]
    suites: tuple[str, ...]
    run: int
    results: list[Result] = field(default_factory=list)
    output: Clip | None = None


@lru_cache(maxsize=512)
def local(tag: str) -> str:
    """The name without its namespace prefix, in lower case."""
    return tag.rsplit(":", 1)[-1].lower()


def is_hollow(case: Open) -> bool:
    """Whether it is no test: pytest writes `<testcase time="0"/>` where `pytest.exit()` ended the run."""
    return (
        not case.results and not {"name", "classname", "class", "status", "result"} & case.attributes.keys()
    )


def identity(case: Open) -> tuple[str, str]:
    """Id and name. Splitting an id again is impossible: parameters hold any characters."""
    name = clean(case.attributes.get("name", ""))
    group = clean(case.attributes.get("classname") or case.attributes.get("class") or "")
    identity = f"{group}::{name}" if group else name or (case.suites[-1] if case.suites else "(unnamed)")
    if len(identity) > MAX_ID:
        digest = hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:12]
        identity = f"{identity[: MAX_ID - 16]}…{digest}"
    return identity, name[:MAX_ID]


def status_of(case: Open) -> CaseStatus:
    """The worst child decides; without a child the attributes do (GoogleTest, CTest)."""
    if not case.results:
        return _by_attributes(case.attributes)
    tags = {result.tag for result in case.results}
    if "error" in tags:
        return CaseStatus.ERRORED
    if "failure" in tags:
        return CaseStatus.FAILED
    if any(tag.startswith(("rerun", "flaky")) for tag in tags):
        return CaseStatus.FLAKY
    first = case.results[0]
    is_ctest = case.attributes.get("status") == "notrun" or first.message == _CTEST_WORDS
    could_not_start = is_ctest and _NOT_STARTED.search(first.message)
    return CaseStatus.ERRORED if could_not_start else CaseStatus.SKIPPED


def _by_attributes(attributes: Mapping[str, str]) -> CaseStatus:
    for attribute in ("status", "result"):
        said = attributes.get(attribute)
        found = _BY_STATUS.get(said.strip().lower().replace("_", "")) if said else None
        if found is not None:
            return found
    # Converted from NUnit, whose <test-case> says it so.
    is_bad = attributes.get("success", "").lower() == "false"
    return CaseStatus.FAILED if is_bad else CaseStatus.PASSED


def telling_result(case: Open, status: CaseStatus) -> Result | None:
    """The child that explains the status; the first of several."""
    wanted = {
        CaseStatus.FAILED: ("failure",),
        CaseStatus.ERRORED: ("error", *SKIPS),
        CaseStatus.SKIPPED: SKIPS,
    }
    tags = wanted.get(status)
    return next((r for r in case.results if tags is None or r.tag in tags), None)


def number(text: str | None) -> int | None:
    """A line number; None when it is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None


def without_place(message: str | None) -> str | None:
    """GoogleTest puts `file:line` on a line of its own before what it has to say."""
    first, _, rest = (message or "").partition("\n")
    return rest.strip() if rest.strip() and re.fullmatch(r"\S+:\d+", first) else message


def first_line(text: str) -> str:
    """The first line with something on it."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


# What frameworks print where a check fails, for reports whose message is only «Failed»: the block
# under GoogleTest's place, pytest's `E` line, the line of assert(3), what an exception said, t.Errorf.
_SAID = (
    re.compile(r"^\S+:\d+: Failure\n(?P<said>(?:(?!\[ )[^\n]+\n?){1,8})", re.MULTILINE),
    re.compile(r"^E {2,}(?P<said>\S[^\n]*)", re.MULTILINE),
    re.compile(r"^(?P<said>[^\n]*\bAssertion [^\n]+ failed\b[^\n]*)", re.MULTILINE),
    re.compile(r"^\s*what\(\):\s*(?P<said>\S[^\n]*)", re.MULTILINE),
    re.compile(r"^ {4,}[\w./-]{1,200}_test\.go:\d+: (?P<said>[^\n]+)", re.MULTILINE),
)


def said(output: str) -> str:
    """What the output tells of a failure, on one line: a known form, else its last line."""
    found = next((m for form in _SAID if (m := form.search(output))), None)
    return " ".join(found["said"].split()) if found else last_line(output)


def collected(message: str, text: str) -> str:
    """What pytest could not import a file for: its own message is the same for all of them."""
    if message != _COLLECTION:
        return message
    errors = [line[1:].strip() for line in text.splitlines() if line.startswith("E  ")]
    return f"{message}: {errors[-1]}" if errors else message


def last_line(text: str) -> str:
    """The last line with something on it."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
