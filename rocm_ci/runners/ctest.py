"""ctest: given `--output-junit` where it knows it (3.21 and later), else read from its output."""

from __future__ import annotations

import math
import re
import shlex
from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import ctest_list
from rocm_ci.runners.base import Listed, Prepared, Slot, SuiteRunner
from rocm_ci.runners.live import MAX_SEEN, Watch
from rocm_ci.runners.shell import Simple, Word, insert, simple_commands
from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.runners.live import Seen

WRITES_JUNIT = (3, 21)
_STARTED = re.compile(r"\s*Start\s+(?P<number>\d{1,9}): (?P<name>.+)")
_ENDED = re.compile(
    r"\s*(?:\d+/\d+ )?Test\s+#(?P<number>\d{1,9}): (?P<name>.+?) \.*\s*"
    r"(?P<word>Passed|(?:(?:Subprocess|Child) \w+)?\*\*\*.+?)\s+(?P<took>\d{1,9}\.\d{1,9}) sec.*"
)
_OVER = re.compile(r"\d+% tests passed")
# No test has this number: ctest takes an empty list for all of them.
_NONE = 999_999_999
_NOTHING = re.compile(r"No tests were found!!!")


class _CtestWatch(Watch):
    def __init__(self) -> None:
        super().__init__()
        self._names: dict[str, str] = {}
        self._blocked = False
        self._last: Seen | None = None
        self._line = 0

    def understand(self, text: str) -> None:
        began = _STARTED.fullmatch(text)
        ended = None if began else _ENDED.fullmatch(text)
        if self._last and (began or ended or _OVER.match(text)):
            # What a failed test printed stands below its line, up to the next one.
            self._last.first_line = self._last.first_line or self._line
            self._last.last_line = self.number - 1
            self._last = None
        if began:
            name = began.group("name")
            self._blocked = False
            self.started(f"{name}::{name}", name, name)
            if f"{name}::{name}" in self.seen and len(self._names) < MAX_SEEN:
                self._names[began.group("number")] = name
            return
        if ended:
            name = self._names.get(ended.group("number"), ended.group("name"))
            # `***Failed` says it behind, `Subprocess killed***Exception:` before.
            word = ended.group("word").removesuffix("***Exception:").lstrip("*")
            self.ended(
                f"{name}::{name}", name, name, self._status(word),
                message="" if word == "Passed" else word, duration_s=float(ended.group("took")),
            )  # fmt: skip
            self._last, self._line = self.seen.get(f"{name}::{name}"), self.number
        elif text.startswith("Failed test dependencies:"):
            self._blocked = True
        elif _NOTHING.search(text):
            self.nothing_ran = True

    def _status(self, word: str) -> CaseStatus:
        if word == "Passed":
            return CaseStatus.PASSED
        if word.startswith("Skipped") or "Disabled" in word:
            return CaseStatus.SKIPPED
        if word.startswith("Not Run"):
            return CaseStatus.SKIPPED if self._blocked else CaseStatus.ERRORED
        return CaseStatus.FAILED


class Ctest:
    """`ctest` anywhere in the command, once or several times."""

    name = "ctest"

    def claims(self, command: str) -> bool:
        """See `SuiteRunner.claims`."""
        return bool(_starts(command))

    def prepare(self, command: str, slot: Slot, only: tuple[Listed, ...] = ()) -> Prepared | None:
        """See `SuiteRunner.prepare`. Tests are chosen by their numbers, within what the command chooses."""
        starts = _starts(command)
        if only and not starts:
            return None
        original, reports, expects = command, [], slot.is_named
        # Of a test that only its report told of, our id stands for the tool's own name.
        wanted = {name for test in only for name in (test.native, test.name)}
        # From the last to the first, so that the places of the others stay right.
        for index, (simple, word) in reversed(list(enumerate(starts))):
            last = simple.words[-1]
            if only:
                numbers = ctest_list.numbers(original, simple, slot, wanted)
                if numbers is None:
                    return None
                chosen = slot.wanted.with_suffix(f".only-{index + 1}")
                # Without an end of line ctest loses the last digit.
                text = ",".join(["0", "0", "0", *map(str, numbers or [_NONE])]) + "\n"
                file.write(chosen, text.encode())
                command = insert(command, last, f"-I {shlex.quote(str(chosen))}")
            if slot.test_timeout_s and simple.option("--timeout") is None:
                command = insert(command, word, f"--timeout {math.ceil(slot.test_timeout_s)}")
            own = simple.option("--output-junit")
            if slot.is_named:
                continue
            if own:
                reports.append(slot.root / _folder(simple) / own)
            elif _version(word.text, slot) >= WRITES_JUNIT:
                path = slot.folder / f"ctest-{index + 1}.xml"
                command = insert(command, word, f"--output-junit {shlex.quote(str(path))}")
                expects = True
        return Prepared(command=command, expects_report=expects or bool(reports), reports=tuple(reports))

    def collect(self, command: str, slot: Slot, *, has_run: bool = False) -> tuple[Listed, ...] | None:
        """See `SuiteRunner.collect`."""
        found: dict[str, Listed] = {}
        for simple, _ in _starts(command):
            names = ctest_list.names(command, simple, slot, is_ctest=_is_ctest, has_run=has_run)
            if names is None:
                return None
            for name in names:
                one = Listed(id=f"{name}::{name}", name=name, native=name)
                found.setdefault(one.id, one)
        return tuple(found.values()) or None

    def watch(self) -> Watch:
        """See `SuiteRunner.watch`."""
        return _CtestWatch()

    def reproduce(self, case: Case, command: str, root: Path, native: str | None) -> str | None:  # noqa: ARG002
        """See `SuiteRunner.reproduce`."""
        starts = _starts(command)
        simple, word = starts[0] if starts else (Simple(), Word("ctest", 0, 0))
        folder = _folder(simple)
        name = re.sub(r"([][\\^$.|?*+(){}])", r"\\\1", native or case.name)
        where = f"--test-dir {shlex.quote(folder)} " if folder else ""
        return f"{shlex.quote(word.text)} {where}-R {shlex.quote(f'^{name}$')} --output-on-failure"


def _starts(command: str) -> list[tuple[Simple, Word]]:
    found = [(simple, _ctest(simple)) for simple in simple_commands(command)]
    return [(simple, word) for simple, word in found if word is not None]


def _ctest(simple: Simple) -> Word | None:
    """The word that starts ctest."""
    word = simple.find(lambda w: w.base in ("ctest", "ctest3"))
    return word if simple.words[0].text not in ("echo", "which", "pip", "apt-get") else None


def _is_ctest(simple: Simple) -> bool:
    return _ctest(simple) is not None


def _folder(simple: Simple) -> str:
    """The build folder as seen from the checkout; empty for the checkout itself."""
    inner = simple.option("--test-dir") or ""
    return "/".join(part for part in (simple.folder, inner) if part)


def _version(program: str, slot: Slot) -> tuple[int, ...]:
    """What this ctest says it is; (0,) when it does not answer."""
    done = slot.run.capture([program, "--version"], cwd=slot.root, env=slot.environment, timeout_s=20.0)
    found = re.search(r"ctest\d* version (\d+)\.(\d+)", done.text)
    return tuple(int(part) for part in found.groups()) if found else (0,)


RUNNER: SuiteRunner = Ctest()
