"""pytest: asked for XML through its environment, so that it also hears when a script starts it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import plugged
from rocm_ci.runners.base import Listed, Prepared, Slot, SuiteRunner
from rocm_ci.runners.listing import listing
from rocm_ci.runners.live import Watch
from rocm_ci.runners.shell import Simple, simple_commands

_WORDS = {
    "PASSED": CaseStatus.PASSED,
    "FAILED": CaseStatus.FAILED,
    "ERROR": CaseStatus.ERRORED,
    "SKIPPED": CaseStatus.SKIPPED,
    "XFAIL": CaseStatus.SKIPPED,
    "XPASS": CaseStatus.PASSED,
    "RERUN": CaseStatus.FAILED,
}
_WORD = rf"(?P<word>{'|'.join(_WORDS)})"
# The first `.py::` is the one; a line that holds a thousand of them is not tried from each.
_PATH = r"(?=(?P<path>[^\s=]\S*?\.py::))(?P=path)"
_ENDED = re.compile(rf"(?P<node>{_PATH}.+?) {_WORD}(?: \(.*\))?(?:\s+\[ *\d+%\])?")
_ENDED_BY_WORKER = re.compile(rf"\[gw\d+\] (?:\[ *\d+%\] )?{_WORD} (?P<node>\S+\.py::.+)")
_STARTED = re.compile(r"(?P<node>[^\s=]\S*\.py::\S+)(?:\s.*)?")
_SUMMARY = re.compile(r"=*\s*(?P<counts>\d+ [a-z]+(?:, \d+ [a-z]+)*) in [\d.]+s\b.*")
# Programs that merely name pytest: `pip install pytest`, `echo pytest`, `python pytest/setup.py`.
_OTHER = re.compile(r"python[\d.]*|pip[\d.]*|echo|which|command|apt(-get)?|conda|grep|cat|ls")
_NO_TESTS = re.compile(r"=*\s*(?:no tests (?:ran|collected)|collected 0 items)\b.*")


class _PytestWatch(Watch):
    def understand(self, text: str) -> None:
        if "::" in text:
            ended = _ENDED.fullmatch(text) or _ENDED_BY_WORKER.fullmatch(text)
            if ended:
                node = ended.group("node")
                self.ended(*identity(node), node, _WORDS[ended.group("word")])
                return
            began = _STARTED.fullmatch(text)
            if began:
                self.started(*identity(began.group("node")), began.group("node"))
        elif " in " in text or "no tests" in text or "collected 0" in text:
            summary = _SUMMARY.fullmatch(text)
            if summary:
                bad = re.findall(r"\b(\d{1,9}) (?:failed|errors?)\b", summary.group("counts"))
                self.failed_in_summary += sum(map(int, bad))
            elif _NO_TESTS.fullmatch(text):
                self.nothing_ran = True


class Pytest:
    """`pytest`, `py.test` and `python -m pytest`."""

    name = "pytest"

    def claims(self, command: str) -> bool:
        """See `SuiteRunner.claims`."""
        return any(_start(simple) is not None for simple in simple_commands(command))

    def prepare(self, command: str, slot: Slot, only: tuple[Listed, ...] = ()) -> Prepared | None:
        """See `SuiteRunner.prepare`. Where our plug-in is not heard, pytest's own cache knows what failed."""
        simple = next((s for s in simple_commands(command) if _start(s) is not None), Simple())
        if only and slot.is_deaf and "no:cacheprovider" in command:
            return None
        # Names must be printed: a killed pytest leaves no XML. `-v` and the command's `-q` cancel out.
        quiet = any(re.fullmatch(r"-q+|--quiet", w.text) for w in simple.words)
        # It is the terminal that knows the option.
        verbose = [] if "no:terminal" in command else ["-vv" if quiet else "-v"]
        options = [*verbose, "-o", "junit_family=xunit2"]
        if not slot.is_named:
            options.append(f"--junitxml={slot.xml}")
        if only and slot.is_deaf:
            options += ["--last-failed", "--last-failed-no-failures=none"]
        own = simple.option("--junitxml", "--junit-xml")
        return Prepared(
            command=plugged.reached(command),
            environment=plugged.environment(
                command, slot, options, only, xml=None if slot.is_named else slot.xml
            ),
            reports=(slot.root / simple.folder / own,) if own and not slot.is_named else (),
        )

    def collect(self, command: str, slot: Slot, *, has_run: bool = False) -> tuple[Listed, ...] | None:
        """See `SuiteRunner.collect`."""
        found = listing(command, lambda simple: _start(simple) is not None, "")
        if found is None or not (found.is_whole or has_run):
            return None
        return plugged.collected(found, slot)

    def watch(self) -> Watch:
        """See `SuiteRunner.watch`."""
        return _PytestWatch()

    def reproduce(self, case: Case, command: str, root: Path, native: str | None) -> str | None:
        """See `SuiteRunner.reproduce`."""
        simple = next((s for s in simple_commands(command) if _start(s) is not None), Simple())
        start = _start(simple) or ["pytest"]
        folder = root / simple.folder
        node = native or _node(case, folder)
        if node is None:
            return None
        # A variable that names the interpreter is set here, and not where somebody pastes the line.
        words = ["python3" if "$" in word else shlex.quote(word) for word in start]
        line = " ".join([*words, shlex.quote(node)])
        return f"cd {shlex.quote(simple.folder)} && {line}" if simple.folder else line


def identity(node: str) -> tuple[str, str]:
    """Node id → our id and name, as pytest's own XML builds them."""
    path, bracket, parameters = node.partition("[")
    parts = path.split("::")
    parts[0] = parts[0].replace("/", ".").removesuffix(".py")
    name = parts[-1] + bracket + parameters
    return f"{'.'.join(parts[:-1])}::{name}", name


def _node(case: Case, folder: Path) -> str | None:
    """The node id of a case that was not seen on the output: its file must be found."""
    group = case.id.removesuffix(f"::{case.name}") if case.id != case.name else case.id
    parts = group.split(".")
    for cut in range(len(parts), 0, -1):
        path = Path(*parts[:cut]).with_suffix(".py") if all(parts[:cut]) else Path("-")
        if (folder / path).is_file():
            return "::".join([str(path), *parts[cut:], *([case.name] if case.id != case.name else [])])
    return None


def _start(simple: Simple) -> list[str] | None:
    """The words that start pytest (`python -m pytest`), None when this command does not."""
    for index, word in enumerate(simple.words):
        if word.base not in ("pytest", "py.test"):
            continue
        before = [w.text for w in simple.words[:index]]
        if before[-1:] == ["-m"]:
            return [*before[-2:], word.text]
        if "install" not in before and not (before and _OTHER.fullmatch(simple.words[0].base)):
            return [word.text]
    return None


RUNNER: SuiteRunner = Pytest()
