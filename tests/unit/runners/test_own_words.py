from __future__ import annotations

import pytest

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners.live import Seen
from rocm_ci.runners.own_words import quoted, telling

DUMP = [
    "test_a.py::test_b Fatal Python error: Segmentation fault",
    "",
    "Current thread 0x00007f (most recent call first):",
    '  File "/opt/venv/lib/python3.11/site-packages/torch/functional.py", line 7 in matmul',
    '  File "/build/repo/tests/test_a.py", line 6 in test_b',
    '  File "/opt/venv/lib/python3.11/site-packages/_pytest/python.py", line 187 in pytest_pyfunc_call',
    '  File "/opt/venv/lib/python3.11/site-packages/pluggy/_callers.py", line 53 in _multicall',
    '  File "/opt/venv/bin/pytest", line 8 in <module>',
    '  File "<frozen runpy>", line 88 in _run_code',
]


def case(status: CaseStatus = CaseStatus.ERRORED, excerpt: str | None = None) -> Case:
    return Case(id="t", suite="unit", name="t", status=status, message="ended", excerpt=excerpt)


def seen(first: int = 0, last: int = 0) -> dict[str, Seen]:
    return {"t": Seen("t", "t", "t", first_line=first, last_line=last)}


def only(*lines: str, first: int = 0, last: int = 0, culprit: bool = True, cut: int = 0) -> Case:
    """The one case of a log of these lines, of which the first `cut` are no longer at hand."""
    tail = "\n".join(lines[cut:])
    (got,) = quoted((case(),), seen(first, last), ("t",) if culprit else (), tail, len(lines))
    return got


def test_a_crash_shows_its_own_stack_and_none_of_the_test_tool() -> None:
    got = only("test_a.py::test_a PASSED", *DUMP, first=2)

    assert got.excerpt == "\n".join(DUMP[:5])
    assert (got.path, got.line) == ("/build/repo/tests/test_a.py", 6)


def test_the_innermost_frame_of_the_project_is_the_place_in_the_first_stack_only() -> None:
    frames = ['  File "/r/deep.py", line 3 in f', '  File "/r/test_a.py", line 9 in test_b']
    other = ["Thread 0x2 (most recent call first):", '  File "/r/worker.py", line 1 in loop']

    got = only("Timeout!", "Thread 0x1 (most recent call first):", *frames, *other)

    assert (got.path, got.line) == ("/r/deep.py", 3)


def test_a_traceback_is_no_dump_and_gives_no_place() -> None:
    assert only("Traceback (most recent call last):", '  File "/r/a.py", line 3 in f').path is None


def test_of_a_native_stack_the_first_frames_tell_where_it_was() -> None:
    frames = [f"frame #{n}: <unknown function> (0x7f in libtorch_hip.so)" for n in range(70)]
    words = ["terminate called after throwing an instance of 'c10::Error'", "  what():  HIP error"]

    got = (only(*words, *frames, "Aborted", first=1).excerpt or "").splitlines()

    assert got == [*words, *frames[:8], "[… 62 frames left out …]", "Aborted"]
    assert telling(frames[:9]) == frames[:9], "a mark in the place of one line is no gain"


@pytest.mark.parametrize(
    "fault",
    [
        "a.py::test_a Fatal Python error: Aborted",
        "Memory access fault by GPU node-2 on address 0x7f00. Reason: Unknown.",
        "free(): invalid pointer",
        "a.out: a.cpp:7: int main(): Assertion `n > 0' failed.",
        "==77==ERROR: AddressSanitizer: heap-use-after-free",
    ],
)
def test_what_a_process_died_of_is_shown_however_much_follows_it(fault: str) -> None:
    after = [f"line {n}" for n in range(100)]

    got = (only("before", fault, *after).excerpt or "").splitlines()

    assert got == [fault, *after[:11], "[… 62 lines left out …]", *after[-27:]]


def test_where_all_of_it_fits_nothing_is_left_out() -> None:
    lines = ["before", "free(): invalid pointer", *(f"line {n}" for n in range(38))]

    assert (only(*lines).excerpt or "").splitlines() == lines


def test_where_the_beginning_is_not_known_the_end_of_the_log_is_shown_of_who_ended_it() -> None:
    lines = [f"line {n}" for n in range(100)]

    assert (only(*lines).excerpt or "").splitlines() == lines[-40:]
    assert only(*lines, culprit=False).excerpt is None


def test_what_began_before_the_lines_at_hand_shows_all_that_is_left() -> None:
    lines = [f"line {n}" for n in range(30)]

    assert (only(*lines, first=3, cut=20).excerpt or "").splitlines() == lines[20:]
    assert only(*lines, first=3, last=9, cut=20, culprit=False).excerpt is None


def test_a_test_that_failed_before_shows_what_was_printed_while_it_ran() -> None:
    lines = ["[ RUN ] t", "../a.cpp:3: Failure", "Expected equality of:", "  1", "[ FAILED ] t", "[ RUN ] u"]
    silent = Case(id="t", suite="unit", name="t", status=CaseStatus.FAILED)

    (got,) = quoted((silent,), seen(1, 5), (), "\n".join(lines), 6)

    assert got.excerpt == "\n".join(lines[:5])
    assert (got.message, got.path, got.line) == ("Expected equality of: 1", "../a.cpp", 3)
    assert only(*lines, first=5, last=5, culprit=False).excerpt is None, "one line says nothing new"


def test_what_a_report_says_is_not_replaced_and_what_passed_needs_no_words() -> None:
    for one in (case(excerpt="E assert 1"), case(CaseStatus.PASSED)):
        assert quoted((one,), seen(1, 3), ("t",), "a\nb\nc", 3) == (one,)


def test_without_a_log_there_is_nothing_to_show() -> None:
    assert quoted((case(),), {}, ("t",), "", 0)[0].excerpt is None
    assert quoted((case(),), seen(5), ("t",), "", 0)[0].excerpt is None


def test_frames_of_other_libraries_stay() -> None:
    mine = '  File "/opt/venv/lib/python3.11/site-packages/pytest_my_project/x.py", line 1 in f'

    assert telling([mine, DUMP[5]]) == [mine]
