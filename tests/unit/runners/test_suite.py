"""A suite from its first run to its result: what is repeated, where, and whose fault it turns out to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.errors import MachineError
from rocm_ci.model.case import CaseStatus, Ending
from rocm_ci.model.incident import IncidentKind as Kind
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners.continuation import MAX_BREAKS
from tests.fakes import FakeGpus
from tests.unit.runners.play import (
    CRASH,
    FAIL,
    OUT_OF_MEMORY,
    OVERDUE,
    PASS,
    SKIP,
    Does,
    Play,
    PlayRunner,
    trouble,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.context import Lease
    from rocm_ci.model.result import Suite

HANG_LINE = "HW Exception by GPU node-2 (Agent handle: 0x1) reason :GPU Hang"
HANG = Does(ends=-6, prints=HANG_LINE, troubles=(Kind.GPU_HANG,))
FORGED = Does(status=CaseStatus.FAILED, prints=HANG_LINE)
NO_GPU = Does(status=CaseStatus.FAILED, prints="RuntimeError: No HIP GPUs are available")


class Acted:
    """What came of a play, short to ask."""

    def __init__(self, play: Play, suite: Suite) -> None:
        self.suite = suite
        self.verdict, self.reason = suite.verdict, suite.reason
        self.cases = {case.id: case for case in suite.cases}
        self.status = {case.id: case.status.value for case in suite.cases}
        self.ending = {case.id: case.ending.value for case in suite.cases if case.ending}
        self.tests = ["".join(tests) for tests, _ in play.runs]
        self.devices = ["".join(devices).replace("gpu-", "") for _, devices in play.runs]
        self.blamed = [(lease.devices, incident.kind) for lease, incident in play.gpus.blamed]


@pytest.fixture
def act(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def of(play: Play, **known: Any) -> Acted:
        return Acted(play, play.run(tmp_path, monkeypatch, **known))

    return of


# Nothing wrong with the machine.


def test_what_passes_runs_once(act: Any) -> None:
    got = act(Play({"a": PASS, "b": SKIP}))

    assert (got.verdict, got.reason, got.tests) == (Verdict.PASS, "", ["ab"])


def test_a_test_that_passes_alone_is_flaky_and_one_that_fails_again_fails(act: Any) -> None:
    got = act(Play({"a": [FAIL, PASS], "b": FAIL, "c": PASS}))

    assert got.status == {"a": "flaky", "b": "failed", "c": "passed"}
    assert (got.verdict, got.tests, got.devices) == (Verdict.FAIL, ["abc", "a", "b"], ["0", "0", "0"])
    assert got.cases["a"].attempts == 2
    assert got.cases["a"].message == "assert 1 == 2", "what failed first is what there is to look at"
    assert [(one.why, one.tests) for one in got.suite.tries] == [
        ("first run", None),
        ("failed, again alone", 1),
        ("failed, again alone", 1),
    ]


@pytest.mark.parametrize(
    ("flaky", "verdict"),
    [("neutral", Verdict.NEUTRAL), ("inconclusive", Verdict.INCONCLUSIVE), ("fail", Verdict.FAIL)],
)
def test_what_a_flaky_test_is_worth_is_an_option(act: Any, flaky: str, verdict: Verdict) -> None:
    got = act(Play({"a": [FAIL, PASS], "b": PASS}, flaky=flaky))

    assert (got.verdict, got.reason) == (verdict, "1 flaky, 1 passed")


def test_without_retries_nothing_that_the_change_did_is_repeated(act: Any) -> None:
    got = act(Play({"a": [FAIL, PASS], "b": [CRASH, PASS], "c": PASS}, options={"retries": 0}))

    assert got.tests == ["abc", "c"]
    assert got.verdict is Verdict.FAIL
    assert got.status == {"a": "failed", "b": "errored", "c": "passed"}


def test_several_retries_go_on_until_a_test_passes(act: Any) -> None:
    got = act(Play({"a": [FAIL, FAIL, PASS], "b": FAIL}, options={"retries": 3}))

    assert got.tests == ["ab", "a", "b", "a", "b", "b"]
    assert got.status == {"a": "flaky", "b": "failed"}


def test_many_failures_are_repeated_together_and_very_many_not_at_all(act: Any) -> None:
    some = act(Play({f"t{n:02d}": FAIL for n in range(20)}))
    many = act(Play({f"t{n:02d}": FAIL for n in range(60)}))

    assert [one.why for one in some.suite.tries] == ["first run", "failed, again together"]
    assert len(many.tests) == 1
    assert "60 tests failed: more than 50 are not repeated" in many.reason


def test_all_repetitions_together_take_no_longer_than_the_suite_may(act: Any) -> None:
    got = act(Play(dict.fromkeys("abcdefgh", FAIL), options={"timeout": "4s"}))

    assert "no time was left to repeat every failed test" in got.reason
    assert 1 < len(got.tests) < 9
    assert got.verdict is Verdict.FAIL


def test_a_test_that_fails_in_itself_and_in_its_teardown_passes_with_one_pass(act: Any) -> None:
    """Two cases of one id; alone it passes, and is there but once."""
    play = Play({"a": [FAIL, PASS]}, is_doubled=True)

    got = act(play)

    assert [case.status for case in got.suite.cases] == [CaseStatus.FLAKY, CaseStatus.FLAKY]


def test_of_a_repetition_only_what_was_asked_for_counts(act: Any) -> None:
    """Some tools run more than that: what passed has passed, whatever it does when nobody asked."""
    got = act(Play({"a": [FAIL, PASS], "b": [PASS, FAIL]}, is_greedy=True))

    assert got.status == {"a": "flaky", "b": "passed"}


def test_a_runner_that_cannot_choose_tests_repeats_nothing_that_is_the_change_s(act: Any) -> None:
    got = act(Play({"a": [FAIL, PASS]}, runner=PlayRunner(chooses=False)))

    assert (got.verdict, got.tests) == (Verdict.FAIL, ["a"])


# One test takes the process along.


def test_after_a_crash_the_others_run_in_a_fresh_process(act: Any) -> None:
    got = act(Play({"a": PASS, "b": CRASH, "c": PASS, "d": FAIL}))

    assert got.tests == ["abcd", "cd", "b", "d"]
    assert got.status == {"a": "passed", "b": "errored", "c": "passed", "d": "failed"}
    assert (got.verdict, got.ending["b"]) == (Verdict.FAIL, "crash")
    assert "b: running when the process ended by SIGSEGV" in got.reason
    assert got.suite.tries[1].why == "the 2 test(s) left after crash"


def test_a_test_that_fails_otherwise_when_it_is_alone_is_told_as_it_fails_alone(act: Any) -> None:
    """What ended its process the first time was perhaps another test's doing."""
    got = act(Play({"a": [CRASH, FAIL], "b": PASS}))

    assert (got.ending["a"], got.cases["a"].message) == ("assertion", "assert 1 == 2")
    assert got.status == {"a": "failed", "b": "passed"}


def test_a_crash_that_does_not_repeat_is_flaky_and_told(act: Any) -> None:
    got = act(Play({"a": [CRASH, PASS], "b": PASS}))

    assert (got.verdict, got.status["a"]) == (Verdict.NEUTRAL, "flaky")
    assert "crashed once, passed when repeated: a" in got.reason


@pytest.mark.parametrize(
    ("ends", "ending", "words"),
    [
        (OVERDUE, "timeout", "a: ran longer than 5s and was ended"),
        (Does(ends="silence"), "silence", "a: printed nothing for 9s and was ended"),
        (OUT_OF_MEMORY, "memory", "a: ended by the kernel for want of memory"),
        (Does(ends=-9), "crash", "a: running when the process ended by SIGKILL"),
        (Does(ends=134), "crash", "a: running when the process ended by SIGABRT"),
        (Does(ends=-11, exit_code=0), "unreported", "a: never reported an end: the process ended with status 0"),
    ],
)  # fmt: skip
def test_how_a_test_ended_is_told_and_costs_itself_only(
    act: Any, ends: Does, ending: str, words: str
) -> None:
    got = act(Play({"a": ends, "b": PASS}, options={"test-timeout": "5s", "no-output": "9s"}))

    assert (got.verdict, got.ending["a"], got.status["b"]) == (Verdict.FAIL, ending, "passed")
    assert words in got.reason
    assert got.tests == ["ab", "b", "a"]


@pytest.mark.parametrize(
    ("prints", "writes", "ending", "message"),
    [
        ("Timeout", "waiting for peer", "timeout", "Timeout"),
        ("Exception: SegFault", "expected 1", "crash", "Exception: SegFault"),
        ("Failed", "expected 1", "assertion", "expected 1"),
        ("Timeout", "Failed: Timeout (>4.0s) from pytest-timeout.", "timeout", "Failed: Timeout (>4.0s) from pytest-timeout."),
    ],
)  # fmt: skip
def test_how_a_test_ended_is_believed_to_the_tool_and_not_to_the_last_line_of_the_test(
    act: Any, prints: str, writes: str, ending: str, message: str
) -> None:
    got = act(Play({"a": Does(status=CaseStatus.FAILED, prints=prints, writes=writes)}))

    assert (got.ending["a"], got.cases["a"].message) == (ending, message)


def test_a_failure_whose_words_a_crash_took_along_is_shown_as_it_failed_alone(act: Any) -> None:
    """pytest tells the words of a failure at its end, to which a process that crashes does not come."""
    loud = Does(
        status=CaseStatus.FAILED, prints="assert 1 == 2", logs="E  assert 1 == 2\na.py:3: AssertionError"
    )
    quiet = Does(status=CaseStatus.FAILED, logs="")

    got = act(Play({"a": [quiet, loud], "b": CRASH, "c": PASS}))

    assert "a.py:3: AssertionError" in (got.cases["a"].excerpt or "")
    assert (got.status["a"], got.cases["a"].attempts) == ("failed", 2)


def test_a_suite_that_breaks_off_for_ever_is_given_up_and_every_test_is_named(act: Any) -> None:
    got = act(Play({f"t{n:02d}": CRASH for n in range(40)}, options={"retries": 0}))

    assert len(got.tests) == MAX_BREAKS + 1
    assert len(got.cases) == 40
    assert got.verdict is Verdict.FAIL
    assert got.cases["t39"].message == f"never ran: the suite broke off {MAX_BREAKS + 1} times before"
    again = act(Play({f"t{n:02d}": CRASH for n in range(40)}))
    assert not [tests for tests in again.tests[MAX_BREAKS + 1 :] if "t39" in tests], "it never failed, either"


def test_tests_that_nobody_knows_of_are_not_lost_by_repeating_the_crashed_one(act: Any) -> None:
    """Without a list the tests after a crash are unknown: that the crashed one passes alone proves nothing."""
    forever = act(Play({"a": [CRASH, PASS, CRASH, PASS], "b": PASS}, is_listed=False))
    once = act(Play({"a": [CRASH, PASS], "b": PASS}, is_listed=False))

    assert forever.verdict is Verdict.FAIL
    assert "which tests were left is not known" in forever.reason
    assert (once.verdict, once.status) == (Verdict.NEUTRAL, {"a": "flaky", "b": "passed"})
    assert once.tests == ["ab", "a", "ab"]


def test_a_suite_whose_time_is_up_fails_with_what_was_running(act: Any) -> None:
    got = act(Play({"a": PASS, "b": Does(ends="timeout"), "c": PASS}))

    assert (got.verdict, got.tests) == (Verdict.FAIL, ["abc"])
    assert got.reason.startswith("timed out after 10m; 1 test(s) had finished; running: b")
    assert "1 test(s) never began" in got.reason


def test_the_runs_after_a_crash_have_the_time_of_the_suite_together(act: Any) -> None:
    slow = Does(ends=-11, seconds=400.0)

    got = act(Play({"a": slow, "b": slow, "c": PASS}, options={"retries": 0}))

    assert got.tests == ["abc", "bc"]
    assert got.cases["c"].message == "never ran: the suite's time was up before"


def test_a_run_that_is_asked_to_end_is_an_error_and_repeats_nothing(act: Any) -> None:
    play = Play({"a": FAIL, "b": Does(ends="stop"), "c": PASS})
    play.stop = lambda: "interrupted by SIGTERM" if play.runs else ""

    got = act(play)

    assert (got.verdict, got.tests) == (Verdict.ERROR, ["abc"])
    assert got.reason.startswith("interrupted by SIGTERM")
    assert got.blamed == []


def test_of_a_command_that_was_interrupted_nothing_else_is_said(act: Any) -> None:
    play = Play({"": Does(ends="stop")}, writes_report=False)
    play.stop = lambda: "interrupted by SIGINT" if play.runs else ""

    assert act(play).reason == "interrupted by SIGINT"


def test_a_command_is_not_repeated_when_everything_is_to_end(act: Any) -> None:
    play = Play({"": Does(exit_code=-6, prints=HANG_LINE), "a": PASS})
    play.stop = lambda: "interrupted by SIGTERM" if play.runs else ""

    got = act(play)

    assert (got.verdict, got.tests) == (Verdict.ERROR, ["a"])


# The machine is at fault, and the kernel says so.


def test_a_suite_whose_time_ran_out_on_a_hung_gpu_has_all_of_it_again_on_another(act: Any) -> None:
    stuck = Does(ends="timeout", troubles=(Kind.GPU_HANG,), seconds=600.0)

    got = act(Play({"a": PASS, "b": [stuck, PASS], "c": Does(seconds=400.0)}))

    assert (got.verdict, got.devices) == (Verdict.PASS, ["0", "1", "1"])
    assert "timed out" not in got.reason


def test_on_another_gpu_the_time_of_the_suite_begins_anew(act: Any) -> None:
    hung = Does(ends=-6, troubles=(Kind.GPU_HANG,), seconds=500.0)
    crash = Does(ends=-11, seconds=200.0)

    got = act(Play({"a": [hung, PASS], "b": [crash, PASS], "c": PASS}))

    assert (got.status["b"], got.status["c"]) == ("flaky", "passed")


def test_a_hang_that_does_not_follow_to_another_gpu_was_the_machine_s(act: Any) -> None:
    got = act(Play({"a": PASS, "b": [HANG, PASS], "c": PASS}))

    assert got.verdict is Verdict.PASS
    assert got.status == {"a": "passed", "b": "passed", "c": "passed"}
    assert got.ending["b"] == "machine"
    assert got.devices == ["0", "1", "1"], "what was left goes on where the GPU can be trusted"
    assert "GPU 0 hung (b): repeated on GPU 1, passed there" in got.reason
    assert got.blamed == [(("gpu-0",), Kind.GPU_HANG)]
    assert [incident.kind for incident in got.suite.incidents] == [Kind.GPU_HANG]


def test_the_same_hang_on_another_gpu_is_the_change_s_and_in_no_ledger(act: Any) -> None:
    got = act(Play({"a": HANG, "b": PASS}))

    assert (got.verdict, got.status["a"], got.status["b"]) == (Verdict.FAIL, "errored", "passed")
    assert "a hung two GPUs in turn, on GPU 0, then on GPU 1: it is the change" in got.reason
    assert got.blamed == []


def test_the_reset_after_a_hang_is_in_no_ledger_either_when_it_is_the_change_s(act: Any) -> None:
    wild = Does(ends=-6, troubles=(Kind.GPU_HANG, Kind.GPU_RESET))

    ever, once = act(Play({"a": wild})), act(Play({"a": [wild, PASS]}))

    assert (ever.verdict, ever.blamed) == (Verdict.FAIL, [])
    assert [kind for _, kind in once.blamed] == [Kind.GPU_HANG, Kind.GPU_RESET]


def test_a_full_disk_beside_a_lost_gpu_is_a_full_disk(act: Any) -> None:
    lost = Does(
        status=CaseStatus.FAILED,
        prints="HIP error: no ROCm-capable device is detected (100)",
        troubles=(Kind.GPU_LOST,),
    )
    full = Does(status=CaseStatus.FAILED, prints=DISK)

    got = act(Play({"a": [lost, PASS], "b": [full, PASS]}))

    assert got.status == {"a": "passed", "b": "flaky"}


def test_a_plain_failure_on_another_gpu_is_the_change_s_and_the_hang_the_gpu_s(act: Any) -> None:
    got = act(Play({"a": {"gpu-0": HANG, "gpu-1": FAIL}}))

    assert (got.verdict, got.status["a"]) == (Verdict.FAIL, "failed")
    assert got.cases["a"].message == "assert 1 == 2", "the crash was the GPU's"
    assert "GPU 0 hung (a): repeated on GPU 1, fails there, too" in got.reason
    assert got.blamed == [(("gpu-0",), Kind.GPU_HANG)]


def test_without_another_gpu_nobody_can_tell_and_it_is_an_error(act: Any) -> None:
    got = act(Play({"a": HANG, "b": PASS}, gpus=FakeGpus(total=1)))

    assert (got.verdict, got.ending["a"], got.status["b"]) == (Verdict.ERROR, "machine", "passed")
    assert got.tests == ["ab", "b"], "what is proven is not repeated on the same GPU"
    assert "GPU 0 hung, says the kernel log (a), and there is no other GPU to repeat it on" in got.reason
    assert got.blamed == [(("gpu-0",), Kind.GPU_HANG)]


def test_a_hang_is_worth_another_gpu_also_without_retries(act: Any) -> None:
    got = act(Play({"a": [HANG, PASS]}, options={"retries": 0}))

    assert (got.verdict, got.devices) == (Verdict.PASS, ["0", "1"])


def test_a_gpu_that_is_lost_takes_only_its_own_tests_along(act: Any) -> None:
    lost = Does(
        status=CaseStatus.FAILED,
        prints="HIP error: no ROCm-capable device is detected (100)",
        troubles=(Kind.GPU_LOST,),
    )

    got = act(Play({"a": [lost, PASS], "b": FAIL}))

    assert got.status == {"a": "passed", "b": "failed"}
    assert got.ending["a"] == "machine"
    assert "GPU 0 was lost (a): repeated on GPU 1, passed there" in got.reason


def test_a_memory_error_of_two_gpus_is_nobody_s_kernel(act: Any) -> None:
    got = act(Play({"a": Does(status=CaseStatus.FAILED, prints="HIP error", troubles=(Kind.ECC,))}))

    assert (got.verdict, got.devices) == (Verdict.ERROR, ["0", "1"])
    assert [devices for devices, _ in got.blamed] == [("gpu-0",), ("gpu-1",)]


def test_a_hang_after_a_memory_fault_counts_for_no_gpu_s_quarantine(act: Any) -> None:
    """The code under test was seen to misuse the GPU first."""
    doubt = trouble(Kind.GPU_HANG, gpu="GPU 0", is_gpu=False)

    got = act(Play({"a": Does(ends=-6, troubles=(doubt,)), "b": PASS}))

    assert (got.verdict, got.blamed) == (Verdict.FAIL, [])
    assert "GPU 0 hung" in got.reason


def test_what_a_hung_gpu_leaves_broken_is_not_the_change_s(act: Any) -> None:
    """One GPU only: it goes on there, and whatever speaks of the GPU afterwards stays open."""
    words = Does(status=CaseStatus.FAILED, prints="HIP error: unspecified launch failure (719)")

    got = act(Play({"a": HANG, "b": words, "c": PASS}, gpus=FakeGpus(total=1)))

    assert got.verdict is Verdict.ERROR
    assert (got.ending["a"], got.ending["b"], got.status["c"]) == ("machine", "machine", "passed")


def test_tests_that_never_ran_because_of_the_machine_are_not_held_against_the_change(act: Any) -> None:
    got = act(Play({f"t{n:02d}": HANG for n in range(30)}, gpus=FakeGpus(total=1)))

    assert got.verdict is Verdict.ERROR
    assert len(got.cases) == 30
    assert {case.ending for case in got.suite.cases} == {Ending.MACHINE}


def test_quarantine_is_told(act: Any) -> None:
    class Strict(FakeGpus):
        def blame(self, lease: Lease, incident: Any) -> str:
            return f"{lease.labels[0]} is in quarantine: 3 faults"

    got = act(Play({"a": [HANG, PASS]}, gpus=Strict(total=2)))

    assert got.reason.endswith("GPU 0 is in quarantine: 3 faults")


def test_a_fault_beside_no_failure_is_told_and_written_down(act: Any) -> None:
    got = act(Play({"a": Does(troubles=(Kind.ECC,))}))

    assert (got.verdict, got.blamed) == (Verdict.PASS, [(("gpu-0",), Kind.ECC)])
    assert [incident.kind for incident in got.suite.incidents] == [Kind.ECC]


DISK = "OSError: [Errno 28] No space left on device"


def test_a_full_disk_that_is_proven_is_the_machine_s_and_repeated_at_once(act: Any) -> None:
    full = Does(status=CaseStatus.FAILED, prints=DISK, troubles=(Kind.DISK_FULL,))

    once, ever = act(Play({"a": [full, PASS]})), act(Play({"a": full}))

    assert (once.verdict, once.devices) == (Verdict.PASS, ["0", "0"])
    assert "the disk was full (a): repeated, passed" in once.reason
    assert ever.verdict is Verdict.ERROR
    assert (
        "machine: the disk was full, says the kernel log (a), and again when it was repeated" in ever.reason
    )


def test_a_kill_for_memory_is_the_machine_s_once_and_the_change_s_when_it_repeats_alone(act: Any) -> None:
    killed = Does(ends="oom", troubles=(Kind.OUT_OF_MEMORY,))

    once, ever = act(Play({"a": [killed, PASS], "b": PASS})), act(Play({"a": killed, "b": PASS}))

    assert (once.verdict, once.ending["a"]) == (Verdict.PASS, "machine")
    assert (ever.verdict, ever.ending["a"]) == (Verdict.FAIL, "memory")
    assert "a ran out of memory twice, the second time alone: it is the change" in ever.reason


# The machine is at fault, says the suite.


def test_a_forged_hang_neither_turns_green_nor_blames_a_gpu(act: Any) -> None:
    got = act(Play({"a": [FORGED, PASS], "b": PASS}))

    assert (got.verdict, got.status["a"], got.devices) == (Verdict.NEUTRAL, "flaky", ["0", "1"])
    assert got.blamed == []
    assert "says only its own output" in got.reason


def test_a_forged_hang_that_fails_on_another_gpu_is_the_change_s(act: Any) -> None:
    got = act(Play({"a": FORGED}))

    assert (got.verdict, got.ending["a"], got.devices) == (Verdict.FAIL, "assertion", ["0", "1"])
    assert (
        "a failed in the same way on GPU 0, then on GPU 1: it is the change, although its output says"
        " that the GPU hung"
    ) in got.reason


def test_every_repetition_of_what_speaks_of_a_gpu_has_one_that_it_had_not(act: Any) -> None:
    got = act(Play({"a": FORGED}, gpus=FakeGpus(total=3), options={"retries": 3}))

    assert (got.devices, got.verdict) == (["0", "1", "2", "2"], Verdict.FAIL)


def test_what_another_test_printed_does_not_speak_for_this_one(act: Any) -> None:
    got = act(Play({"a": Does(logs=HANG_LINE), "b": FAIL}, options={"retries": 0}))

    assert (got.verdict, got.ending["b"], got.tests) == (Verdict.FAIL, "assertion", ["ab"])


def test_what_a_test_printed_itself_speaks_for_it_also_when_its_message_does_not(act: Any) -> None:
    own = Does(status=CaseStatus.FAILED, prints="assert 1 == 2", logs=HANG_LINE)

    got = act(Play({"a": own, "b": PASS}, gpus=FakeGpus(total=1)))

    assert (got.verdict, got.ending["a"]) == (Verdict.ERROR, "machine")


def test_what_was_printed_before_a_crashed_test_began_does_not_speak_for_it(act: Any) -> None:
    got = act(Play({"a": Does(logs=HANG_LINE), "b": CRASH}, options={"retries": 0}))

    assert (got.verdict, got.ending["b"], got.tests) == (Verdict.FAIL, "crash", ["ab"])


def test_a_printed_hang_without_another_gpu_stays_open_and_says_what_is_known(act: Any) -> None:
    got = act(Play({"a": FORGED}, gpus=FakeGpus(total=1)))

    assert (got.verdict, got.tests, got.blamed) == (Verdict.ERROR, ["a", "a"], [])
    assert got.reason.startswith("perhaps the machine: the GPU hung, says only log line 1 («")
    assert HANG_LINE in got.reason
    assert "again when it was repeated" in got.reason


@pytest.mark.parametrize(
    "line",
    [DISK, "Unable to open /dev/kfd read-write: Permission denied", "Temporary failure in name resolution"],
)
def test_trouble_of_the_host_that_is_only_printed_is_open_when_it_stays(act: Any, line: str) -> None:
    said = Does(status=CaseStatus.FAILED, prints=line)

    got, flaky = act(Play({"a": said})), act(Play({"a": [said, PASS]}))

    assert (got.verdict, got.ending["a"], got.devices) == (Verdict.ERROR, "machine", ["0", "0"])
    assert flaky.status == {"a": "flaky"}


def test_a_test_without_the_words_fails_beside_one_that_has_them(act: Any) -> None:
    """One test's words do not speak for another."""
    got = act(Play({"a": FORGED, "b": FAIL}, gpus=FakeGpus(total=1)))

    assert (got.verdict, got.ending["b"]) == (Verdict.FAIL, "assertion")


# The command itself goes wrong, and no test can be named.


def command(**known: Any) -> Does:
    return Does(status=CaseStatus.FAILED, **known)


def test_a_command_that_fails_for_itself_is_the_change_s(act: Any) -> None:
    got = act(Play({"": Does(exit_code=3), "a": PASS}))

    assert (got.verdict, got.tests) == (Verdict.FAIL, ["a"])
    assert got.reason == "exit status 3 although no test failed; 1 passed"


def test_a_command_beside_a_hang_is_repeated_elsewhere_as_a_whole(act: Any) -> None:
    hung = Does(exit_code=-6, troubles=(Kind.GPU_HANG,))

    once = act(Play({"": [hung, PASS], "a": PASS}))
    ever = act(Play({"": hung, "a": PASS}))
    alone = act(Play({"": hung, "a": PASS}, gpus=FakeGpus(total=1)))

    assert (once.verdict, once.devices) == (Verdict.PASS, ["0", "1"])
    assert "GPU 0 hung: repeated on GPU 1, passed there" in once.reason
    assert (ever.verdict, ever.blamed) == (Verdict.FAIL, [])
    assert "the command hung two GPUs in turn" in ever.reason
    assert (alone.verdict, alone.devices) == (Verdict.ERROR, ["0"])


@pytest.mark.parametrize("chooses", [True, False])
def test_of_a_test_that_hangs_two_gpus_nothing_is_said_to_have_passed(act: Any, chooses: bool) -> None:
    """Also where the whole command has to be repeated, which itself did nothing wrong."""
    hung = Does(status=CaseStatus.FAILED, prints="HIP error: launch timed out", troubles=(Kind.GPU_HANG,))

    got = act(Play({"a": hung, "b": PASS}, runner=PlayRunner(chooses=chooses)))

    assert (got.verdict, got.blamed, got.devices) == (Verdict.FAIL, [], ["0", "1"])
    assert got.reason.startswith("a hung two GPUs in turn")
    assert "passed there" not in got.reason


def test_a_log_that_is_not_whole_is_told(act: Any) -> None:
    got = act(Play({"a": PASS}, problem="the log lacks its end: No space left on device"))

    assert (got.verdict, got.reason) == (Verdict.PASS, "the log lacks its end: No space left on device")


def test_a_command_that_went_wrong_where_our_own_log_found_no_room_is_not_the_change_s(act: Any) -> None:
    """Some earlier step filled the disk."""
    wrong: dict[str, Any] = {"": Does(exit_code=3), "a": PASS}
    got = act(Play(wrong, met_full_disk=True))

    assert got.verdict is Verdict.ERROR
    assert "perhaps the machine: the disk is full" in got.reason
    assert act(Play(wrong)).verdict is Verdict.FAIL
    assert act(Play({"a": PASS}, met_full_disk=True)).verdict is Verdict.PASS


def test_on_a_full_disk_a_test_that_fails_for_itself_fails(act: Any) -> None:
    got = act(Play({"a": FAIL}, met_full_disk=True))

    assert (got.verdict, got.ending["a"]) == (Verdict.FAIL, "assertion")


def test_a_command_is_not_blamed_for_a_hang_because_a_test_of_it_failed_too(act: Any) -> None:
    """Two faults of one hang, on one GPU: neither of them may be the change's."""
    hung = Does(exit_code=-6, troubles=(Kind.GPU_HANG,))
    words = Does(status=CaseStatus.FAILED, prints=HANG_LINE)

    got = act(Play({"": hung, "a": words, "b": PASS}, gpus=FakeGpus(total=1)))

    assert got.verdict is Verdict.ERROR


def test_a_command_that_somebody_killed_gets_a_second_chance(act: Any) -> None:
    once, ever = (
        act(Play({"": [Does(exit_code=-9), PASS], "a": PASS})),
        act(Play({"": Does(exit_code=-9), "a": PASS})),
    )

    assert (once.verdict, once.tests) == (Verdict.NEUTRAL, ["a", "a"])
    assert "the command was killed once, and ran to its end when repeated" in once.reason
    assert ever.verdict is Verdict.FAIL


def test_what_fails_when_the_command_is_repeated_is_repeated_too(act: Any) -> None:
    hung = Does(exit_code=-6, troubles=(Kind.GPU_HANG,))

    got = act(Play({"": [hung, PASS], "a": [PASS, FAIL, PASS]}))

    assert (got.verdict, got.status, got.tests) == (Verdict.NEUTRAL, {"a": "flaky"}, ["a", "a", "a"])


# Where there is no other GPU, not yet, or not any more.


class Busy(FakeGpus):
    """Another run holds all other GPUs; `after` askings one comes free."""

    def __init__(self, total: int, after: int) -> None:
        super().__init__(total=total)
        self.asked, self.after = 0, after

    def lease(self, count: int, *, step: str, avoid: Any = (), whole_card: bool = False) -> Lease | None:
        if avoid:
            self.asked += 1
            if self.asked <= self.after:
                return None
        return super().lease(count, step=step, avoid=avoid, whole_card=whole_card)


def test_another_gpu_is_waited_for_and_ours_is_free_meanwhile(act: Any) -> None:
    gpus = Busy(2, after=3)

    got = act(Play({"a": [HANG, PASS]}, gpus=gpus))

    assert (got.verdict, got.devices) == (Verdict.PASS, ["0", "1"])
    assert gpus.given_back[0] == gpus.leases[0].id


def test_a_gpu_that_never_comes_free_leaves_it_open(act: Any) -> None:
    got = act(Play({"a": [HANG, PASS], "b": FAIL}, gpus=Busy(2, after=1000), lease_wait_s=5.0))

    assert (got.verdict, got.status) == (Verdict.FAIL, {"a": "errored", "b": "failed"})
    assert got.ending["a"] == "machine"
    assert "no other GPU came free within 5 s" in got.reason


def test_a_gpu_that_cannot_be_leased_is_told_and_costs_no_result(act: Any) -> None:
    class Broken(FakeGpus):
        def lease(self, count: int, *, step: str, avoid: Any = (), whole_card: bool = False) -> Lease | None:
            if avoid:
                raise MachineError("GPU 1 is not seen by the runtime")
            return super().lease(count, step=step, whole_card=whole_card)

    got = act(Play({"a": HANG, "b": PASS}, gpus=Broken(total=2), lease_wait_s=5.0))

    assert (got.verdict, got.status["b"]) == (Verdict.ERROR, "passed")
    assert "GPU 1 is not seen by the runtime" in got.reason


def test_a_mere_suspicion_never_gives_up_the_gpu_that_it_has(act: Any) -> None:
    fault = Does(status=CaseStatus.FAILED, prints="Memory access fault by GPU node-1 (Agent handle: 0x1)")
    gpus = Busy(2, after=1000)

    got = act(Play({"a": fault, "b": PASS}, gpus=gpus))

    assert (got.verdict, got.devices, gpus.given_back) == (Verdict.FAIL, ["0", "0"], [])


def test_a_suite_of_two_gpus_moves_to_two_others(act: Any) -> None:
    got = act(Play({"a": [HANG, PASS]}, gpus=FakeGpus(total=4), options={"gpus": 2}))
    few = act(Play({"a": [HANG, PASS]}, gpus=FakeGpus(total=3), options={"gpus": 2}))

    assert (got.verdict, got.devices) == (Verdict.PASS, ["01", "23"])
    assert few.verdict is Verdict.ERROR


def test_everything_that_it_took_itself_is_given_back(act: Any) -> None:
    gpus = FakeGpus(total=2)

    act(Play({"a": [HANG, PASS]}, gpus=gpus))

    assert sorted(gpus.given_back) == [lease.id for lease in gpus.leases]


# Suites without a GPU.


def test_a_suite_without_a_gpu_that_wants_one_is_told_to_ask_for_it(act: Any) -> None:
    got = act(Play({"a": NO_GPU, "b": PASS}, options={"gpus": 0}))

    assert got.verdict is Verdict.FAIL
    assert "failed for want of a GPU (a): the suite asks for none (`gpus: 1` gives it one)" in got.reason


def test_a_suite_that_skips_everything_for_want_of_a_gpu_that_it_has_is_no_pass(act: Any) -> None:
    skips = Does(status=CaseStatus.SKIPPED, prints="no GPU")

    got = act(Play({"a": skips, "b": skips}))

    assert (got.verdict, got.reason.split(":")[0]) == (Verdict.ERROR, "machine")


# The list of tests that are expected.


def expecting(root: Path, *names: str) -> dict[str, Any]:
    (root / "expected.txt").write_text("".join(f"{name}\n" for name in names))
    return {"expected": "expected.txt"}


def test_an_expected_test_that_did_not_run_fails_the_suite(act: Any, tmp_path: Path) -> None:
    got = act(Play({"a": PASS}, options=expecting(tmp_path, "a", "gone")))

    assert (got.verdict, got.status["gone"], got.ending["gone"]) == (Verdict.FAIL, "errored", "vanished")
    assert got.reason == "1 expected test(s) did not run: gone"


def test_a_crash_and_a_hang_make_no_test_vanish(act: Any, tmp_path: Path) -> None:
    got = act(
        Play({"a": [CRASH, PASS], "b": [HANG, PASS], "c": PASS}, options=expecting(tmp_path, "a", "b", "c"))
    )

    assert got.verdict is Verdict.NEUTRAL
    assert "did not run" not in got.reason


def test_a_part_of_a_suite_is_not_held_against_the_list(act: Any, tmp_path: Path) -> None:
    got = act(Play({"a": PASS, "b": PASS}, options=expecting(tmp_path, "a", "b")), only=["a"])

    assert (got.verdict, got.tests) == (Verdict.PASS, ["a"])


def test_a_list_that_cannot_be_read_fails_before_anything_runs(act: Any) -> None:
    got = act(Play({"a": PASS}, options={"expected": "nowhere.txt"}))

    assert (got.verdict, got.tests) == (Verdict.FAIL, [])
