"""Exit status, report and output of a suite held against each other → verdict and reason. Pure."""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.model.verdict import Verdict, worst
from rocm_ci.runners.excerpt import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.runners.junit import Reading
    from rocm_ci.runners.live import Watch
    from rocm_ci.runners.machine import MissingProgram, Sign

BAD = (CaseStatus.FAILED, CaseStatus.ERRORED)
_SHELL_SIGNAL = 128
_WORDS = {
    CaseStatus.FAILED: "failed",
    CaseStatus.ERRORED: "errored",
    CaseStatus.FLAKY: "flaky",
    CaseStatus.PASSED: "passed",
    CaseStatus.SKIPPED: "skipped",
}


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that is known of a suite's first attempt."""

    exit_code: int
    timed_out: bool
    timeout: str
    orphans: int
    reading: Reading | None
    watch: Watch
    expects_report: bool
    missing: MissingProgram | None = None


@dataclass(frozen=True)
class Fault:
    """Something wrong besides failed tests."""

    verdict: Verdict
    reason: str


def signal_name(exit_code: int) -> str:
    """`SIGSEGV` for -11 and for the shell's 139; empty when it is no signal."""
    number = -exit_code if exit_code < 0 else exit_code - _SHELL_SIGNAL
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def ended_how(evidence: Evidence) -> str:
    """What happened to the tests that were still running."""
    if evidence.timed_out:
        return f"running when the time of {evidence.timeout} was up"
    name = signal_name(evidence.exit_code)
    return f"running when the process ended by {name}" if name else "never reported an end"


def faults(evidence: Evidence, cases: tuple[Case, ...]) -> tuple[Fault, ...]:
    """Everything that is wrong besides failed tests, the most telling first."""
    found = [*_start(evidence), *_end(evidence, cases)]
    if not any(fault.verdict is Verdict.ERROR or evidence.missing for fault in found):
        found += _report(evidence, cases)
    return tuple(found or _contradiction(evidence, cases))


def blamed(sign: Sign) -> Fault:
    """A broken machine explains all the rest: nothing was seen on a healthy one."""
    return Fault(Verdict.ERROR, f"machine: {sign.meaning} (log line {sign.line}: {sign.text})")


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
    name = signal_name(evidence.exit_code)
    if not name:
        return []
    running = [seen.id for seen in evidence.watch.running()]
    if name == "SIGKILL":
        text = "machine: killed by SIGKILL from outside, most likely out of memory"
        return [Fault(Verdict.ERROR, text + _running(running))]
    green = "" if any(case.status in BAD for case in cases) or not cases else " although no test had failed"
    return [Fault(Verdict.FAIL, f"crashed with {name}{green}" + _running(running))]


def _running(running: list[str]) -> str:
    if not running:
        return ""
    more = f" and {len(running) - 3} more" if len(running) > 3 else ""
    return "; running: " + ", ".join(shortened(one, 200) for one in running[:3]) + more


def _report(evidence: Evidence, cases: tuple[Case, ...]) -> list[Fault]:
    """What is wrong with the XML itself."""
    reading = evidence.reading
    if reading is None:
        # A killed tool writes none: that it was killed is said already.
        if evidence.expects_report and not evidence.timed_out and not signal_name(evidence.exit_code):
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


def verdict(cases: tuple[Case, ...], found: tuple[Fault, ...], evidence: Evidence) -> tuple[Verdict, str]:
    """The suite's verdict, and its reason in words."""
    counts = Counter(case.status for case in cases)
    # With a broken machine nothing was seen on a healthy one, so that nothing blames the change.
    if found and found[0].verdict is Verdict.ERROR:
        decided = Verdict.ERROR
    else:
        decided = worst([fault.verdict for fault in found])
        if any(counts[status] for status in BAD):
            decided = Verdict.FAIL
    reasons = [fault.reason for fault in found]
    if any(counts[status] for status in (*BAD, CaseStatus.FLAKY)) or found:
        reasons.append(counted(cases))
    if not found and evidence.exit_code == 0 and any(counts[status] for status in BAD):
        reasons.append("the exit status is 0 all the same")
    if decided is Verdict.SKIPPED:
        decided, reason = _green(counts, evidence)
        reasons.append(reason)
    if evidence.orphans:
        reasons.append(f"{evidence.orphans} process(es) outlived the command and were ended")
    return decided, "; ".join(reason for reason in reasons if reason)


def _green(counts: Counter[CaseStatus], evidence: Evidence) -> tuple[Verdict, str]:
    if counts[CaseStatus.FLAKY]:
        return Verdict.NEUTRAL, ""
    if counts[CaseStatus.PASSED]:
        return Verdict.PASS, ""
    if counts[CaseStatus.SKIPPED]:
        return Verdict.SKIPPED, f"all {counts[CaseStatus.SKIPPED]} test(s) were skipped: nothing was checked"
    status = evidence.exit_code
    return Verdict.NEUTRAL, (
        f"exit status {status}, but no single test is known: let the command write JUnit XML to {{junit}}"
    )


def counted(cases: Iterable[Case]) -> str:
    """`2 failed, 211 passed, 3 skipped`; empty when there is no case."""
    counts = Counter(case.status for case in cases)
    return ", ".join(f"{counts[status]} {word}" for status, word in _WORDS.items() if counts[status])
