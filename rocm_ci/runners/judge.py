"""Exit status, report and output of one run of a suite held against each other → what is wrong. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus, Ending
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.runners.endings import BAD, signal_name
from rocm_ci.runners.excerpt import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.runners.junit import Reading
    from rocm_ci.runners.live import Watch
    from rocm_ci.runners.missing import MissingProgram

_WORDS = {
    CaseStatus.FAILED: "failed",
    CaseStatus.ERRORED: "errored",
    CaseStatus.FLAKY: "flaky",
    CaseStatus.PASSED: "passed",
    CaseStatus.SKIPPED: "skipped",
}
FLAKY = {"neutral": Verdict.NEUTRAL, "inconclusive": Verdict.INCONCLUSIVE, "fail": Verdict.FAIL}


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that is known of one run. `pinned`: an early end is told by the tests that were running.

    `lossy`: it ended early, and nobody knows which tests were left.
    """

    exit_code: int
    timed_out: bool
    timeout: str
    reading: Reading | None
    watch: Watch
    expects_report: bool
    missing: MissingProgram | None = None
    out_of_memory: int = 0
    silent: str = ""
    pinned: bool = False
    lossy: bool = False


@dataclass(frozen=True)
class Fault:
    """Something wrong besides failed tests."""

    verdict: Verdict
    reason: str


def faults(evidence: Evidence, cases: tuple[Case, ...]) -> tuple[Fault, ...]:
    """Everything that is wrong besides failed tests, the most telling first."""
    found = [*_start(evidence), *_end(evidence, cases)]
    if evidence.pinned:
        return tuple(found)
    if not any(fault.verdict is Verdict.ERROR or evidence.missing for fault in found):
        found += _report(evidence, cases)
    return tuple(found or _contradiction(evidence, cases))


def _start(evidence: Evidence) -> list[Fault]:
    missing = evidence.missing
    if missing is None:
        return []
    if missing.is_rocm:
        return [
            Fault(Verdict.ERROR, f"machine: the ROCm tool {missing.program} cannot be started: {missing.why}")
        ]
    return [Fault(Verdict.FAIL, f"the command cannot be started: {missing.program}: {missing.why}")]


def _end(evidence: Evidence, cases: tuple[Case, ...]) -> list[Fault]:
    if evidence.timed_out:
        running = [seen.id for seen in evidence.watch.running()]
        finished = sum(1 for case in cases if case.id not in set(running))
        text = f"timed out after {evidence.timeout}; {finished} test(s) had finished"
        return [Fault(Verdict.FAIL, text + _running(running))]
    if evidence.pinned:
        lost = Fault(Verdict.FAIL, "it ended in mid-run, and which tests were left is not known")
        return [lost] if evidence.lossy else []
    if evidence.silent:
        return [Fault(Verdict.FAIL, f"printed nothing for {evidence.silent} and was ended")]
    name = signal_name(evidence.exit_code)
    if not name:
        return []
    green = "" if any(case.status in BAD for case in cases) or not cases else " although no test had failed"
    if evidence.out_of_memory:
        return [Fault(Verdict.FAIL, f"ended by the kernel for want of memory{green}")]
    return [Fault(Verdict.FAIL, f"crashed with {name}{green}")]


def _running(running: list[str]) -> str:
    if not running:
        return ""
    return "; running: " + named(running)


def named(identities: Iterable[str]) -> str:
    """The first three names, and how many more there are."""
    every = list(identities)
    more = f" and {len(every) - 3} more" if len(every) > 3 else ""
    return ", ".join(shortened(one, 200) for one in every[:3]) + more


def _report(evidence: Evidence, cases: tuple[Case, ...]) -> list[Fault]:
    """What is wrong with the XML itself."""
    reading = evidence.reading
    ended = evidence.timed_out or evidence.silent or signal_name(evidence.exit_code)
    if reading is None:
        # A killed tool writes none: that it was killed is said already.
        if evidence.expects_report and not ended:
            nothing = "no test ran" if evidence.watch.nothing_ran else "no JUnit XML was written"
            return [Fault(Verdict.FAIL, f"{nothing}{_status(evidence)}")]
        return []
    found = []
    if reading.truncated or not reading.readable:
        what = "the JUnit XML is truncated" if reading.readable else "the JUnit XML cannot be read"
        found.append(Fault(Verdict.FAIL, f"{what}: {shortened('; '.join(reading.problems), 400)}"))
    found += [Fault(Verdict.FAIL, error) for error in reading.suite_errors[:3]]
    if not found and not cases and not evidence.timed_out:
        found.append(Fault(Verdict.FAIL, f"no test ran{_status(evidence)}"))
    return found


def _contradiction(evidence: Evidence, cases: tuple[Case, ...]) -> list[Fault]:
    """Exit status and output against the report."""
    bad = sum(case.status in BAD for case in cases)
    seen = evidence.watch.failed()
    if bad:
        return []
    if seen:
        return [Fault(Verdict.FAIL, f"the output names {seen} failed test(s), the JUnit XML none")]
    if evidence.exit_code:
        after = " although no test failed" if cases else ""
        return [Fault(Verdict.FAIL, f"exit status {evidence.exit_code}{after}")]
    return []


def _status(evidence: Evidence) -> str:
    return f" (exit status {evidence.exit_code})"


def verdict(
    cases: tuple[Case, ...], found: tuple[Fault, ...], *, exit_code: int, flaky: str = "neutral"
) -> tuple[Verdict, str]:
    """The verdict of cases that were decided and of faults, and what they say in words.

    A red test whose `ending` is MACHINE was seen on no healthy machine: it is ERROR, but what the
    change does wrong elsewhere stays FAIL.
    """
    counts = Counter(case.status for case in cases)
    decided = worst([fault.verdict for fault in found])
    bad = [case for case in cases if case.status in BAD]
    if bad:
        decided = max(decided, worst(_blamed(case) for case in bad))
    reasons = [fault.reason for fault in found]
    if bad or counts[CaseStatus.FLAKY] or found:
        reasons.append(counted(cases))
    if not found and exit_code == 0 and bad:
        reasons.append("the exit status is 0 all the same")
    if counts[CaseStatus.FLAKY]:
        decided = max(decided, FLAKY[flaky])
    if decided is Verdict.SKIPPED:
        decided, reason = _green(counts, exit_code)
        reasons.append(reason)
    return decided, "; ".join(reason for reason in reasons if reason)


def _blamed(case: Case) -> Verdict:
    return Verdict.ERROR if case.ending is Ending.MACHINE else Verdict.FAIL


def _green(counts: Counter[CaseStatus], exit_code: int) -> tuple[Verdict, str]:
    if counts[CaseStatus.PASSED]:
        return Verdict.PASS, ""
    if counts[CaseStatus.SKIPPED]:
        return Verdict.SKIPPED, f"all {counts[CaseStatus.SKIPPED]} test(s) were skipped: nothing was checked"
    return Verdict.NEUTRAL, (
        f"exit status {exit_code}, but no single test is known: let the command write JUnit XML to {{junit}}"
    )


def counted(cases: Iterable[Case]) -> str:
    """`2 failed, 211 passed, 3 skipped`; empty when there is no case."""
    counts = Counter(case.status for case in cases)
    return ", ".join(f"{counts[status]} {word}" for status, word in _WORDS.items() if counts[status])
