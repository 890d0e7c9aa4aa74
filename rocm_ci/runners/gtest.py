"""GoogleTest programs: asked for XML through GTEST_OUTPUT, one file per program in a folder."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.base import Listed, Prepared, Slot, SuiteRunner
from rocm_ci.runners.excerpt import clean
from rocm_ci.runners.listing import listing, output
from rocm_ci.runners.live import Watch
from rocm_ci.runners.shell import Simple, insert, simple_commands
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_RUN = re.compile(r"\[ RUN      \] (?P<name>\S+)")
_END = re.compile(
    r"\[(?P<word>       OK |  FAILED  |  SKIPPED )\] (?=(?P<name>[^\s,]+))(?P=name)"
    r".*? \((?P<took>\d{1,12}) ms\)",
    re.ASCII,
)
_NONE = re.compile(
    r"\[==========\] (?:Running 0 tests from 0 test (?:suites|cases)|0 tests from 0 test .* ran).*"
)
_WORDS = {"OK": CaseStatus.PASSED, "FAILED": CaseStatus.FAILED, "SKIPPED": CaseStatus.SKIPPED}
_SUITE = re.compile(r"(?P<suite>\S+)\.(?:\s+# TypeParam = .*)?")
_TEST = re.compile(r"  (?P<test>[^\s.]\S*)(?:\s+# GetParam\(\) = .*)?")
# Linux takes 128 KiB in one variable.
_MAX_VARIABLE = 100_000
_OWN = re.compile(r"--gtest_output=xml:(?P<path>.+)")


class _GtestWatch(Watch):
    def understand(self, text: str) -> None:
        # What a test prints without a line end stands before the mark.
        position = text.find("[")
        if position < 0:
            return
        began = _RUN.search(text, position)
        if began:
            name = began.group("name")
            self.started(*identity(name), name)
            return
        ended = _END.search(text, position)
        if ended:
            name = ended.group("name")
            status = _WORDS[ended.group("word").strip()]
            self.ended(*identity(name), name, status, duration_s=int(ended.group("took")) / 1000)
        elif _NONE.search(text):
            self.nothing_ran = True


class Gtest:
    """A command with `--gtest_…` options or GTEST_ variables."""

    name = "gtest"

    def claims(self, command: str) -> bool:
        """See `SuiteRunner.claims`."""
        return any(_is_gtest(simple) for simple in simple_commands(command))

    def prepare(self, command: str, slot: Slot, only: tuple[Listed, ...] = ()) -> Prepared | None:
        """See `SuiteRunner.prepare`."""
        environment: dict[str, str] = {}
        if only:
            chosen = ":".join(_native(test) for test in only)
            file.write(slot.wanted, f"--gtest_filter={chosen}\n".encode())
            simples = simple_commands(command)
            # A filter of the command's own would win over the variable, but not over a later option.
            flags = [simple for simple in simples if _takes_options(simple)]
            if len(chosen) <= _MAX_VARIABLE:
                environment["GTEST_FILTER"] = chosen
            elif not flags or len(flags) < sum(map(_is_gtest, simples)):
                return None
            for simple in reversed(flags):
                command = insert(
                    command, simple.words[-1], f"--gtest_flagfile={shlex.quote(str(slot.wanted))}"
                )
        reports = []
        for simple in simple_commands(command):
            own = simple.find(lambda word: bool(_OWN.fullmatch(word.text)))
            match = _OWN.fullmatch(own.text) if own else None
            if match and not slot.is_named:
                reports.append(slot.root / simple.folder / match.group("path"))
        if not slot.is_named:
            environment["GTEST_OUTPUT"] = f"xml:{slot.folder}/"
        return Prepared(command=command, environment=environment, reports=tuple(reports))

    def collect(self, command: str, slot: Slot, *, has_run: bool = False) -> tuple[Listed, ...] | None:
        """See `SuiteRunner.collect`. A program without any option of GoogleTest's may not know them."""
        found = listing(command, _has_option, "--gtest_list_tests")
        if found is None or not (found.is_whole or has_run):
            return None
        text = output(found, slot)
        return (tuple(_listed(text)) or None) if text is not None else None

    def watch(self) -> Watch:
        """See `SuiteRunner.watch`."""
        return _GtestWatch()

    def reproduce(self, case: Case, command: str, root: Path, native: str | None) -> str | None:  # noqa: ARG002
        """See `SuiteRunner.reproduce`."""
        commands = simple_commands(command)
        simple = next((s for s in commands if _is_gtest(s)), commands[-1] if commands else Simple())
        if not simple.words:
            return None
        line = (
            f"{shlex.quote(simple.words[0].text)} {shlex.quote(f'--gtest_filter={native or _filter(case)}')}"
        )
        return f"cd {shlex.quote(simple.folder)} && {line}" if simple.folder else line


def identity(name: str) -> tuple[str, str]:
    """`Widths/ReduceTest.Sum/1` → our id and name. A suite's name holds no dot."""
    suite, _, test = name.partition(".")
    return (f"{suite}::{test}", test) if test else (name, name)


def _native(test: Listed) -> str:
    """Of a test that only its report told of, our id is all that is known."""
    return test.native if "." in test.native else test.native.replace("::", ".", 1)


def _filter(case: Case) -> str:
    return case.id.replace("::", ".", 1)


def _listed(text: str) -> Iterator[Listed]:
    """The tests in the output of `--gtest_list_tests`; what a program prints besides is passed over."""
    suite = ""
    for line in clean(text).splitlines():
        if found := _SUITE.fullmatch(line):
            suite = found.group("suite")
        elif suite and (found := _TEST.fullmatch(line)):
            native = f"{suite}.{found.group('test')}"
            own, name = identity(native)
            yield Listed(id=own, name=name, native=native)
        else:
            suite = ""


def _is_gtest(simple: Simple) -> bool:
    return _has_option(simple) or any(w.text.startswith("GTEST_") for w in simple.assignments)


def _has_option(simple: Simple) -> bool:
    return any(w.text.startswith("--gtest_") for w in simple.words[1:])


def _takes_options(simple: Simple) -> bool:
    """Whether it is known to; who sets a filter for a program by a variable knows that it does."""
    return _has_option(simple) or any(w.text.startswith("GTEST_FILTER=") for w in simple.assignments)


RUNNER: SuiteRunner = Gtest()
