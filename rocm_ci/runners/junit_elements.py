"""Parse events → one `Element` per `<testcase>`, whatever stands around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import junit_dialects as dialects
from rocm_ci.runners import junit_times, location
from rocm_ci.runners.excerpt import Clip, clean, shortened, uncoloured
from rocm_ci.runners.junit_index import Element, Elements

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLAIMS = ("failures", "errors")
MAX_DEPTH = 500
MAX_CASES = 5_000_000
# All excerpts of one report together: 100 000 failures must not become a gigabyte.
EXCERPT_BUDGET = 16_000_000


class RefusedError(Exception):
    """The document is hostile or beyond all bounds; nothing of it may count."""


class Builder:
    """Takes the events of either parser, in any nesting, and never raises but `RefusedError`."""

    def __init__(self, suite: str = "") -> None:
        self.elements = Elements()
        self.suite_errors: list[str] = []
        self.roots: list[str] = []
        self.cut: list[str] = []
        self.is_junit = False
        self._suite = suite
        self._stack: list[str] = []
        self._suites: list[tuple[str, int]] = []
        self._names: tuple[str, ...] = ()
        self._place = ""
        self._runs = 0
        self._open: list[dialects.Open] = []
        self._outside: dialects.Result | None = None
        self._sink: Clip | None = None
        self._budget = EXCERPT_BUDGET
        self._claimed = 0
        self._is_red = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A start tag."""
        name = dialects.local(tag)
        if not self._stack:
            self.roots.append(name)
        self._stack.append(name)
        if len(self._stack) > MAX_DEPTH:
            message = f"elements nested deeper than {MAX_DEPTH}"
            raise RefusedError(message)
        if name in ("testsuite", "testsuites"):
            self.is_junit = True
            self._runs += 1
            self._claimed = max(self._claimed, *(dialects.number(attributes.get(n)) or 0 for n in _CLAIMS))
            self._suites.append((clean(attributes.get("name", "")), self._runs))
            self._named()
        elif name == "testcase":
            self.is_junit = True
            run = self._suites[-1][1] if self._suites else 0
            self._open.append(dialects.Open(attributes, self._names, run))
            self._sink = None
        elif self._open:
            self._inside(name, attributes)
        elif self._suites and name in ("failure", "error") and self._outside is None:
            self._outside = dialects.Result(name, "", attributes.get("message", ""))
            self._sink = self._outside.text

    @property
    def contradiction(self) -> str:
        """What the counters claim and no test shows. They lie too often to judge a test by them."""
        if not self._claimed or self._is_red or self.suite_errors:
            return ""
        return f"its counters speak of {self._claimed} failed test(s) or errors, and no test in it went wrong"

    def _named(self) -> None:
        """The names around what comes next: thousands of tests share them."""
        self._names = tuple(name for name, _ in self._suites if name)
        self._place = "/".join(self._names)

    def _inside(self, name: str, attributes: Mapping[str, str]) -> None:
        case = self._open[-1]
        if self._sink is not None:
            return  # e.g. <stackTrace> inside <rerunFailure>: its text belongs to the result
        if name in ("failure", "error", *dialects.SKIPS) or name.startswith(("rerun", "flaky")):
            result = dialects.Result(name, attributes.get("type", ""), attributes.get("message", ""))
            case.results.append(result)
            self._sink = result.text
        elif name in dialects.OUTPUT:
            if case.output is None:
                case.output = Clip()
            self._sink = case.output

    def data(self, text: str) -> None:
        """Character data, in pieces of any size."""
        if self._sink is not None:
            self._sink.add(text)

    def end(self, tag: str) -> None:
        """An end tag; the parsers see to it that it matches."""
        name = dialects.local(tag)
        if self._stack:
            self._stack.pop()
        if name in ("testsuite", "testsuites") and self._suites:
            self._suites.pop()
            self._named()
        elif name == "testcase" and self._open:
            case = self._open.pop()
            if not dialects.is_hollow(case):
                self._close(case)
            self._sink = None
        elif name in ("failure", "error") and self._outside is not None and not self._open:
            where = self._suites[-1][0] if self._suites else ""
            text = clean(self._outside.message) or dialects.first_line(self._outside.text.text())
            self.suite_errors.append(
                shortened(f"suite {where or '(unnamed)'}: {name} outside of a test: {text}", 500)
            )
            self._outside = self._sink = None
        elif name in ("failure", "error", *dialects.SKIPS, *dialects.OUTPUT) or name.startswith(
            ("rerun", "flaky")
        ):
            self._sink = None

    def finish(self) -> None:
        """The document ended early: a test that had already failed counts, any other is only named."""
        for case in self._open:
            if case.results:
                self._close(case)
            else:
                self.cut.append(dialects.identity(case)[0])
        self._open.clear()

    def _close(self, case: dialects.Open) -> None:
        if len(self.elements) >= MAX_CASES:
            too_many = f"more than {MAX_CASES} test cases"
            raise RefusedError(too_many)
        attributes = case.attributes
        identity, name = dialects.identity(case)
        status = dialects.status_of(case)
        message = excerpt = None
        if status is not CaseStatus.PASSED:
            self._is_red = self._is_red or status is not CaseStatus.SKIPPED
            message, excerpt = self._texts(case, dialects.telling_result(case, status), status)
        place: tuple[str, int] | None = None
        if status in (CaseStatus.FAILED, CaseStatus.ERRORED, CaseStatus.FLAKY):
            place = location.find(message or "", excerpt or "")
            message = dialects.without_place(message)
        path = place[0] if place else attributes.get("file")
        line = place[1] if place else dialects.number(attributes.get("line"))
        self.elements.append(
            Element(
                case=Case(
                    id=identity,
                    suite=self._suite or (case.suites[-1] if case.suites else ""),
                    name=name,
                    status=status,
                    duration_s=junit_times.seconds(attributes.get("time") or attributes.get("duration")),
                    attempts=1 + sum(r.tag.startswith(("rerun", "flaky")) for r in case.results)
                    if case.results
                    else 1,
                    message=message,
                    excerpt=excerpt,
                    path=(shortened(clean(path), 500) or None) if path else None,
                    line=line if path else None,
                ),
                suite=self._place if case.suites is self._names else "/".join(case.suites),
                run=case.run,
                key=_key(attributes),
            )
        )

    def _texts(
        self, case: dialects.Open, telling: dialects.Result | None, status: CaseStatus
    ) -> tuple[str | None, str | None]:
        """Message and excerpt of a test that did not simply pass."""
        text = telling.text.text() if telling else ""
        message = uncoloured(clean(telling.message)).strip() if telling else ""
        lines = (line for line in map(str.strip, text.splitlines()) if line.lower() not in ("", "skipped"))
        message = message or next(lines, "") or (clean(telling.kind) if telling else "")
        message = dialects.collected(message, text)
        generic = message if message.lower() in dialects.GENERIC else ""
        message = "" if generic else message
        if status is CaseStatus.SKIPPED:
            return shortened(message) or None, None
        excerpt = "" if text.strip() in message else text
        if case.output and len(excerpt) < 200:
            excerpt = f"{excerpt}\n{case.output.text()}".strip("\n")
        message = message or dialects.said(excerpt) or generic or clean(case.attributes.get("status", ""))
        if self._budget <= 0:
            excerpt = ""
        self._budget -= len(excerpt)
        return shortened(message) or None, excerpt or None


def _key(attributes: Mapping[str, str]) -> tuple[str, ...]:
    get = attributes.get
    return (get("file", ""), get("line", ""), get("value_param", ""), get("type_param", ""))
