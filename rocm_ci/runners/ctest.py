"""ctest: given `--output-junit` where it knows it (3.21 and later), else read from its output."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.base import Listed, Prepared, Slot, SuiteRunner
from rocm_ci.runners.live import Watch
from rocm_ci.runners.shell import Simple, Word, insert, simple_commands

if TYPE_CHECKING:
    from pathlib import Path

WRITES_JUNIT = (3, 21)
_STARTED = re.compile(r"\s*Start\s+(?P<number>\d+): (?P<name>.+)")
_ENDED = re.compile(
    r"\s*(?:\d+/\d+ )?Test\s+#(?P<number>\d+): (?P<name>.+?) \.*\s*"
    r"(?P<word>Passed|\*\*\*.+?)\s+(?P<took>\d+\.\d+) sec.*"
)
_NOTHING = re.compile(r"No tests were found!!!")


class _CtestWatch(Watch):
    def __init__(self) -> None:
        super().__init__()
        self._names: dict[str, str] = {}
        self._blocked = False

    def understand(self, text: str) -> None:
        began = _STARTED.fullmatch(text)
        if began:
            name = began.group("name")
            self._names[began.group("number")] = name
            self._blocked = False
            self.started(f"{name}::{name}", name, name)
            return
        ended = _ENDED.fullmatch(text)
        if ended:
            name = self._names.get(ended.group("number"), ended.group("name"))
            word = ended.group("word").lstrip("*")
            self.ended(
                f"{name}::{name}", name, name, self._status(word),
                message="" if word == "Passed" else word, duration_s=float(ended.group("took")),
            )  # fmt: skip
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
        """See `SuiteRunner.prepare`. A second run is ctest's own `--rerun-failed`."""
        starts = _starts(command)
        if only and not starts:
            return None
        reports, expects = [], slot.is_named
        # From the last to the first, so that the places of the others stay right.
        for index, (simple, word) in reversed(list(enumerate(starts))):
            if only:
                command = insert(command, word, "--rerun-failed")
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

    def collect(self, command: str, slot: Slot, *, has_run: bool = False) -> tuple[Listed, ...] | None:  # noqa: ARG002
        """See `SuiteRunner.collect`."""
        return None

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
    found = []
    for simple in simple_commands(command):
        word = simple.find(lambda w: w.base in ("ctest", "ctest3"))
        if word is not None and simple.words[0].text not in ("echo", "which", "pip", "apt-get"):
            found.append((simple, word))
    return found


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
