"""What a run that broke off left behind."""

from __future__ import annotations

from pathlib import Path

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import remains
from rocm_ci.runners.base import Listed
from rocm_ci.runners.junit import Reading
from rocm_ci.runners.live import Watch
from rocm_ci.tools.process import Stop, Streamed
from tests.unit.runners.slots import events

ALL = tuple(Listed(id=f"a::{n}", name=n, native=f"a.py::{n}") for n in "xyz")


def end(
    tmp_path: Path,
    *,
    begun: str = "",
    ended: str = "",
    reported: str | None = None,
    exit_code: int = 0,
    stopped: Stop | None = None,
    lost: str = "",
) -> remains.End:
    watch, heard = Watch(), events(tmp_path / "e")
    for name in begun:
        watch.started(f"a::{name}", name, f"a.py::{name}")
    for name in ended:
        watch.ended(f"a::{name}", name, f"a.py::{name}", CaseStatus.PASSED)
    heard.lost = {f"a::{name}" for name in lost}
    cases = tuple(Case(id=f"a::{n}", suite="s", name=n, status=CaseStatus.PASSED) for n in reported or "")
    return remains.End(
        streamed=Streamed(
            argv=(),
            exit_code=exit_code,
            duration_s=1.0,
            timed_out=False,
            log=Path("x"),
            tail="",
            stopped=stopped,
        ),
        watch=watch,
        reading=Reading(cases=cases) if reported is not None else None,
        events=heard,
        overdue=None,
    )


def test_after_a_crash_the_running_test_is_named_and_the_others_are_left(tmp_path: Path) -> None:
    found = remains.of(end(tmp_path, begun="xy", ended="x", exit_code=-11), (), lambda: ALL)

    assert [seen.name for seen in found.running] == ["y"]
    assert found.unrun == ALL[2:]


def test_a_shell_tells_a_signal_by_its_status(tmp_path: Path) -> None:
    assert remains.of(end(tmp_path, begun="x", exit_code=137), (), lambda: ALL).unrun == ALL[1:]


def test_an_exit_with_0_in_mid_test_is_no_end(tmp_path: Path) -> None:
    found = remains.of(end(tmp_path, begun="xy", ended="x"), (), lambda: ALL)

    assert ([seen.name for seen in found.running], found.unrun) == (["y"], ALL[2:])


def test_a_tool_that_stops_at_the_first_failure_left_nothing_behind(tmp_path: Path) -> None:
    def ask() -> tuple[Listed, ...]:
        raise AssertionError

    found = remains.of(end(tmp_path, begun="x", ended="x", reported="x", exit_code=1), (), ask)

    assert (found.running, found.unrun) == ((), None)


def test_a_part_leaves_only_tests_of_its_own(tmp_path: Path) -> None:
    found = remains.of(end(tmp_path, begun="x", stopped=Stop.TIMEOUT), ALL[:2], lambda: ALL)

    assert (found.listed, found.unrun) == (ALL[:2], ALL[1:2])


def test_where_no_test_began_there_is_nothing_to_go_on_with(tmp_path: Path) -> None:
    assert remains.of(end(tmp_path, exit_code=-11), ALL, lambda: None).unrun is None


def test_lines_of_another_program_are_no_running_test(tmp_path: Path) -> None:
    state = end(tmp_path, begun="xq", ended="x", reported="x")

    assert remains.of(state, (), lambda: ALL).running == ()
    assert state.watch.running() == ()


def test_a_test_whose_worker_died_ended_by_the_word_of_its_controller(tmp_path: Path) -> None:
    state = end(tmp_path, begun="xyz", ended="xz", reported="xyz", lost="y", exit_code=1)
    state.events.is_heard = True

    found = remains.of(state, ALL, lambda: None)

    assert (found.running, found.unrun, state.watch.running()) == ((), (), ())


def test_after_the_last_worker_died_it_is_named_and_the_others_are_left(tmp_path: Path) -> None:
    state = end(tmp_path, begun="xy", ended="x", reported="xy", lost="y", exit_code=1)
    state.events.is_heard = True

    found = remains.of(state, ALL, lambda: None)

    assert ([seen.name for seen in found.running], found.unrun) == (["y"], ALL[2:])
