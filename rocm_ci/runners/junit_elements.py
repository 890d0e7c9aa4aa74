"""Parse events → one `Element` per `<testcase>`. Where the dialects of JUnit XML are understood."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import location
from rocm_ci.runners.excerpt import Clip, clean, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 500
MAX_CASES = 1_000_000
MAX_ID = 1_000
# All excerpts of one report together: 100 000 failures must not become a gigabyte.
EXCERPT_BUDGET = 16_000_000

_OUTPUT = ("system-out", "system-err", "output")
_SKIPS = ("skipped", "skip", "ignored", "disabled", "pending")
_BY_STATUS = {
    **dict.fromkeys(("fail", "failed", "failure"), CaseStatus.FAILED),
    **dict.fromkeys(("error", "errored", "broken", "crashed"), CaseStatus.ERRORED),
    **dict.fromkeys(
        ("skipped", "skip", "ignored", "pending", "disabled", "suppressed", "notrun", "todo"),
        CaseStatus.SKIPPED,
    ),
}
# What CTest writes as the message of any failure: the last line of the output tells more.
_GENERIC = ("failed", "failure", "error")
# CTest calls a test that could not be started «notrun» and «skipped», as if somebody had wanted it.
_NOT_STARTED = re.compile(
    r"unable to find (?:executable|required file)|failed to change working directory"
    r"|could not start|unable to start|bad[_ ]command|missing configuration|insufficient resources",
    re.IGNORECASE,
)


class RefusedError(Exception):
    """The document is hostile or beyond all bounds; nothing of it may count."""


@dataclass(frozen=True, slots=True)
class Element:
    """One `<testcase>`. `run` numbers the suite elements of a document; `key` tells two tests apart."""

    case: Case
    suite: str
    run: int
    key: tuple[str, ...]


@dataclass(slots=True)
class _Result:
    tag: str
    kind: str
    message: str
    text: Clip = field(default_factory=Clip)


@dataclass(slots=True)
class _Open:
    attributes: Mapping[str, str]
    suites: tuple[str, ...]
    run: int
    results: list[_Result] = field(default_factory=list)
    output: Clip = field(default_factory=Clip)


class Builder:
    """Takes the events of either parser, in any nesting, and never raises but `RefusedError`."""

    def __init__(self, suite: str = "") -> None:
        self.elements: list[Element] = []
        self.suite_errors: list[str] = []
        self.roots: list[str] = []
        self.cut: list[str] = []
        self.is_junit = False
        self._suite = suite
        self._stack: list[str] = []
        self._suites: list[tuple[str, int]] = []
        self._runs = 0
        self._open: list[_Open] = []
        self._outside: _Result | None = None
        self._sink: Clip | None = None
        self._budget = EXCERPT_BUDGET

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A start tag."""
        name = local(tag)
        if not self._stack:
            self.roots.append(name)
        self._stack.append(name)
        if len(self._stack) > MAX_DEPTH:
            message = f"elements nested deeper than {MAX_DEPTH}"
            raise RefusedError(message)
        if name in ("testsuite", "testsuites"):
            self.is_junit = True
            self._runs += 1
            self._suites.append((clean(attributes.get("name", "")), self._runs))
        elif name == "testcase":
            self.is_junit = True
            run = self._suites[-1][1] if self._suites else 0
            self._open.append(_Open(attributes, tuple(n for n, _ in self._suites if n), run))
            self._sink = None
        elif self._open:
            self._inside(name, attributes)
        elif self._suites and name in ("failure", "error") and self._outside is None:
            self._outside = _Result(name, "", attributes.get("message", ""))
            self._sink = self._outside.text

    def _inside(self, name: str, attributes: Mapping[str, str]) -> None:
        case = self._open[-1]
        if self._sink is not None:
            return  # e.g. <stackTrace> inside <rerunFailure>: its text belongs to the result
        if name in ("failure", "error", *_SKIPS) or name.startswith(("rerun", "flaky")):
            result = _Result(name, attributes.get("type", ""), attributes.get("message", ""))
            case.results.append(result)
            self._sink = result.text
        elif name in _OUTPUT:
            self._sink = case.output

    def data(self, text: str) -> None:
        """Character data, in pieces of any size."""
        if self._sink is not None:
            self._sink.add(text)

    def end(self, tag: str) -> None:
        """An end tag; the parsers see to it that it matches."""
        name = local(tag)
        if self._stack:
            self._stack.pop()
        if name in ("testsuite", "testsuites") and self._suites:
            self._suites.pop()
        elif name == "testcase" and self._open:
            self._close(self._open.pop())
            self._sink = None
        elif name in ("failure", "error") and self._outside is not None and not self._open:
            where = self._suites[-1][0] if self._suites else ""
            text = clean(self._outside.message) or _first_line(self._outside.text.text())
            self.suite_errors.append(
                shortened(f"suite {where or '(unnamed)'}: {name} outside of a test: {text}", 500)
            )
            self._outside = self._sink = None
        elif name in ("failure", "error", *_SKIPS, *_OUTPUT) or name.startswith(("rerun", "flaky")):
            self._sink = None

    def finish(self) -> None:
        """The document ended early: a test that had already failed counts, any other is only named."""
        for case in self._open:
            if case.results:
                self._close(case)
            else:
                self.cut.append(_identity(case)[0])
        self._open.clear()

    def _close(self, case: _Open) -> None:
        if len(self.elements) >= MAX_CASES:
            too_many = f"more than {MAX_CASES} test cases"
            raise RefusedError(too_many)
        attributes = case.attributes
        identity, name = _identity(case)
        status = _status(case)
        telling = _telling(case, status)
        message, excerpt = self._texts(case, telling, status)
        place: tuple[str, int] | None = None
        if status in (CaseStatus.FAILED, CaseStatus.ERRORED, CaseStatus.FLAKY):
            place = location.find(message or "", excerpt or "")
            message = _without_place(message)
        path = place[0] if place else attributes.get("file", "")
        line = place[1] if place else _number(attributes.get("line"))
        self.elements.append(
            Element(
                case=Case(
                    id=identity,
                    suite=self._suite or (case.suites[-1] if case.suites else ""),
                    name=name,
                    status=status,
                    duration_s=seconds(attributes.get("time") or attributes.get("duration")),
                    attempts=1 + sum(r.tag.startswith(("rerun", "flaky")) for r in case.results),
                    message=message,
                    excerpt=excerpt,
                    path=shortened(clean(path), 500) or None,
                    line=line if path else None,
                ),
                suite="/".join(case.suites),
                run=case.run,
                key=tuple(attributes.get(a, "") for a in ("file", "line", "value_param", "type_param")),
            )
        )

    def _texts(
        self, case: _Open, telling: _Result | None, status: CaseStatus
    ) -> tuple[str | None, str | None]:
        """Message and excerpt. A passed test carries neither."""
        if status is CaseStatus.PASSED:
            return None, None
        text = telling.text.text() if telling else ""
        message = clean(telling.message).strip() if telling else ""
        message = message or _first_line(text) or (clean(telling.kind) if telling else "")
        generic = message if message.lower() in _GENERIC else ""
        message = "" if generic else message
        if status is CaseStatus.SKIPPED:
            return shortened(message) or None, None
        excerpt = text if len(text) > len(message) else ""
        if case.output and len(excerpt) < 200:
            excerpt = f"{excerpt}\n{case.output.text()}".strip("\n")
        message = message or _last_line(excerpt) or generic or clean(case.attributes.get("status", ""))
        if self._budget <= 0:
            excerpt = ""
        self._budget -= len(excerpt)
        return shortened(message) or None, excerpt or None


def local(tag: str) -> str:
    """The name without its namespace prefix, in lower case."""
    return tag.rsplit(":", 1)[-1].lower()


def _identity(case: _Open) -> tuple[str, str]:
    """Id and name. Splitting an id again is impossible: parameters hold any characters."""
    name = clean(case.attributes.get("name", ""))
    group = clean(case.attributes.get("classname") or case.attributes.get("class") or "")
    identity = f"{group}::{name}" if group else name or (case.suites[-1] if case.suites else "(unnamed)")
    if len(identity) > MAX_ID:
        digest = hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:12]
        identity = f"{identity[: MAX_ID - 16]}…{digest}"
    return identity, name[:MAX_ID]


def _status(case: _Open) -> CaseStatus:
    """The worst child decides; without a child the attributes do (GoogleTest, CTest)."""
    tags = {result.tag for result in case.results}
    if "error" in tags:
        return CaseStatus.ERRORED
    if "failure" in tags:
        return CaseStatus.FAILED
    if any(tag.startswith(("rerun", "flaky")) for tag in tags):
        return CaseStatus.FLAKY
    if tags:
        first = case.results[0]
        could_not_start = case.attributes.get("status") == "notrun" and _NOT_STARTED.search(first.message)
        return CaseStatus.ERRORED if could_not_start else CaseStatus.SKIPPED
    for attribute in ("status", "result"):
        found = _BY_STATUS.get(case.attributes.get(attribute, "").lower())
        if found is not None:
            return found
    return CaseStatus.PASSED


def _telling(case: _Open, status: CaseStatus) -> _Result | None:
    """The child that explains the status; the first of several."""
    wanted = {
        CaseStatus.FAILED: ("failure",),
        CaseStatus.ERRORED: ("error", *_SKIPS),
        CaseStatus.SKIPPED: _SKIPS,
    }
    tags = wanted.get(status)
    return next((r for r in case.results if tags is None or r.tag in tags), None)


def seconds(text: str | None) -> float | None:
    """`0.`, `1,204.5`, `3.1s`; None for what is absent, no number, negative or not finite."""
    text = (text or "").strip().removesuffix("s")
    if re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+(\.\d*)?", text):
        text = text.replace(",", "")
    text = text.replace(",", ".")
    return float(text) if re.fullmatch(r"(\d{1,12}\.?\d*|\.\d+)([eE][+-]?\d{1,2})?", text) else None


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None


def _without_place(message: str | None) -> str | None:
    """GoogleTest puts `file:line` on a line of its own before what it has to say."""
    first, _, rest = (message or "").partition("\n")
    return rest.strip() if rest.strip() and re.fullmatch(r"\S+:\d+", first) else message


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
