"""After a stage: its failures held against the error library, each with its causes, the root cause first."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, TypeVar, cast

from msgspec.structs import replace

from rocm_ci.build.locate import Locator
from rocm_ci.knowledge import diagnosing, library
from rocm_ci.model.diagnostic import Category
from rocm_ci.model.finding import Severity
from rocm_ci.model.result import (
    Bench,
    BuildResult,
    BuildStep,
    Check,
    PerfResult,
    PreflightResult,
    StageResult,
    Suite,
    TestResult,
)
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.scan.files import Folder
from rocm_ci.stages import machine_fault
from rocm_ci.tools import file
from rocm_ci.tools.git import Git

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocm_ci.context import Context, Job
    from rocm_ci.knowledge.entry import Entry
    from rocm_ci.knowledge.library import Library
    from rocm_ci.model.diagnostic import Diagnosis, Diagnostic

    Explain = Callable[[IO[bytes], Library, diagnosing.Machine], tuple[Diagnosis, ...]]

# What is worth to know of a run that is green. What else its log says of errors was meant to be there.
_NOTES = (Category.PERFORMANCE, Category.NUMERIC)
_SURE_ENOUGH = 0.5
_MOST_NOTES = 5
# The log of a suite that passed is looked at for advice only, and not to its last byte.
MOST_OF_GREEN = 64_000_000
_FAILED = (Verdict.FAIL, Verdict.ERROR)
_Any = TypeVar("_Any", Check, BuildStep, Suite, Bench)
_Result = TypeVar("_Result", BuildResult, TestResult)


class Explainer:
    """One for a run. The library is made when the first log is to be explained: most runs need none.

    `notices` are what a reader should know of the library itself. Whatever is wrong with it, a run only
    loses its explanations.
    """

    def __init__(self, ctx: Context, job: Job, explain: Explain = diagnosing.explain) -> None:
        self._ctx = ctx
        self._job = job
        self._explain = explain
        self._library: Library | None = None
        self._is_broken = False
        self.notices: list[str] = []

    def told(self, result: StageResult) -> StageResult:
        """The result with its diagnoses. A fault of the machine that the log shows makes a FAIL an ERROR."""
        match result:
            case PreflightResult():
                return replace(result, checks=tuple(map(self._check, result.checks)))
            case BuildResult():
                return _decided(result, replace(result, steps=tuple(map(self._step, result.steps))))
            case TestResult():
                return _decided(result, replace(result, suites=tuple(map(self._suite, result.suites))))
            case PerfResult():
                return replace(result, benches=tuple(map(self._bench, result.benches)))
            case _:
                return result

    def _check(self, check: Check) -> Check:
        if check.status not in _FAILED:
            return check
        return _with(check, self._of(io.BytesIO(check.seen.encode("utf-8", "replace"))))

    def _step(self, step: BuildStep) -> BuildStep:
        if step.verdict not in _FAILED:
            return step
        found = self._of_log(step.log, step.diagnostics)
        return machine_fault.of_step(_with(step, found))

    def _suite(self, suite: Suite) -> Suite:
        if suite.verdict in _FAILED:
            return machine_fault.of_suite(_with(suite, self._of_log(suite.log)))
        return _with(suite, self._notes(suite.log))

    def _bench(self, bench: Bench) -> Bench:
        if bench.comparisons and bench.verdict is not Verdict.ERROR:
            # It ran to its end: whether slower or not, only what bears on speed can be of use.
            return _with(bench, self._notes(bench.log))
        return _with(bench, self._of_log(bench.log) if bench.verdict > Verdict.NEUTRAL else ())

    def _notes(self, log: str | None) -> tuple[Diagnosis, ...]:
        """Of a log without a failure: what made it slow or less exact."""
        found = self._of_log(log, most=MOST_OF_GREEN)
        notes = [d for d in found if d.category in _NOTES and d.severity is not Severity.ERROR]
        return tuple(d for d in notes if d.confidence >= _SURE_ENOUGH and not d.follows)[:_MOST_NOTES]

    def _of_log(
        self, name: str | None, diagnostics: Iterable[Diagnostic] = (), *, most: int | None = None
    ) -> tuple[Diagnosis, ...]:
        # A command can put what it likes in the place of its log: only a regular file is opened.
        source = file.read(self._ctx.out / name) if name else None
        if source is None:
            return ()
        with source:
            found = self._of(source if most is None else cast("IO[bytes]", _Beginning(source, most)))
        places = {d.log_line: f"{d.path}:{d.line}" for d in diagnostics if d.path and d.line}
        locator = Locator(self._ctx.root)
        return tuple(_located(one, locator, places) for one in found)

    def _of(self, log: IO[bytes]) -> tuple[Diagnosis, ...]:
        if self._is_broken:
            return ()
        try:
            if self._library is None:
                self._library = self._made()
            return self._explain(log, self._library, self._machine())
        except Exception as error:  # noqa: BLE001 - a defect of the library must not cost the run its result
            self._is_broken = True
            self._warn(f"failures are not explained: {type(error).__name__}: {error}")
            return ()

    def _made(self) -> Library:
        """Ours and the project's. Of a fork's change the merge base's count, as for every gate."""
        shipped = library.shipped()
        try:
            made = library.Library([*shipped, *self._own()])
            _ = made.sweep
        except Exception as error:  # noqa: BLE001 - without theirs, ours still explains
            self._warn(f"the project's own errors do not count: {error}")
            return library.Library(shipped)
        return made

    def _own(self) -> list[Entry]:
        event, root = self._job.event, library.FOLDER
        folders = [category.value for category in Category]
        if not event.is_fork:
            here = Folder(self._ctx.root)
            found = [f"{one}/{name}" for one in folders for name in here.names(f"{root}/{one}")]
            return library.own(found, here.read)
        base = event.merge_base
        if base is None:
            return []
        git = Git(self._ctx.run, self._ctx.root, self._ctx.environment)
        found = [f"{one}/{name}" for one in folders for name in git.names(base, f"{root}/{one}")]
        return library.own(found, lambda path: git.show(base, path))

    def _machine(self) -> diagnosing.Machine:
        facts = self._job.facts
        gfx = tuple(dict.fromkeys(gpu.gfx for gpu in facts.gpus if gpu.gfx))
        return diagnosing.Machine(
            gfx=gfx, rocm=facts.rocm.version or "", container=bool(facts.host.container)
        )

    def _warn(self, text: str) -> None:
        self._ctx.log.warning(text)
        self.notices.append(text[:500])


class _Beginning(io.RawIOBase):
    """The first bytes of a file."""

    def __init__(self, source: IO[bytes], most: int) -> None:
        self._source = source
        self._left = most

    def read(self, size: int = -1) -> bytes:
        """No more than is left of them."""
        data = self._source.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def _with(part: _Any, diagnoses: tuple[Diagnosis, ...]) -> _Any:
    return replace(part, diagnoses=diagnoses) if diagnoses else part


def _located(one: Diagnosis, locator: Locator, places: dict[int | None, str]) -> Diagnosis:
    """With its place in the checkout; one outside of it is nothing that a reader of the change can open."""
    path, _, line = (one.location or "").rpartition(":")
    inside = locator.inside(path) if path else None
    known = places.get(one.line)
    if inside is None and known and known.rpartition(":")[0].endswith(path.rpartition("/")[2]):
        # The build knows in which folder the compiler was when it said so.
        return replace(one, location=known)
    return replace(one, location=f"{inside}:{line}" if inside else None)


def _decided(before: _Result, after: _Result) -> _Result:
    """With the verdict and the reason that its parts have now."""
    olds, news = _parts(before), _parts(after)
    changed = [(old, new) for old, new in zip(olds, news, strict=True) if old.verdict is not new.verdict]
    if not changed:
        return after
    reason = after.reason
    for old, new in changed:
        reason = reason.replace(f"{old.name}: {old.reason}", f"{new.name}: {new.reason}", 1)
    return replace(after, verdict=worst(part.verdict for part in news), reason=reason)


def _parts(result: BuildResult | TestResult) -> tuple[BuildStep | Suite, ...]:
    return result.steps if isinstance(result, BuildResult) else result.suites
