"""Tasks side by side in real threads, on GPUs that are not there and a clock that runs by itself."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.errors import InterruptedRunError, MachineError
from rocm_ci.schedule import execution
from rocm_ci.schedule.execution import Execution
from rocm_ci.schedule.halt import Halt
from tests.fakes import FakeClock, FakeGpus
from tests.unit.schedule.tasks import task

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from rocm_ci.context import Lease
    from rocm_ci.schedule.status import Status
    from rocm_ci.schedule.task import Task

GUARD_S = 20.0


class Notebook:
    """A watcher that writes everything down."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.seen: list[Status] = []

    def tell(self, text: str) -> None:
        self.told.append(text)

    def look(self, status: Callable[[], Status], *, is_change: bool) -> None:
        self.seen.append(status())


@pytest.fixture(autouse=True)
def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "_LOOK_S", 0.01)
    monkeypatch.setattr(execution, "_ASK_AGAIN_S", 0.001)
    monkeypatch.setattr(execution, "WIND_DOWN_S", 0.3)


def started(*tasks: Task[Any], gpus: FakeGpus | None = None, **more: Any) -> Execution[Any]:
    options: dict[str, Any] = {"halt": Halt(lambda: ""), "watcher": Notebook(), "clock": FakeClock()} | more
    return Execution(tasks, gpus=gpus or FakeGpus(total=4), **options)


def meeting(count: int) -> Callable[[Lease], str]:
    """Ends only when so many run at the same time."""
    barrier = threading.Barrier(count)

    def meet(_lease: Lease) -> str:
        barrier.wait(GUARD_S)
        return "met"

    return meet


def test_as_many_run_at_once_as_there_are_gpus() -> None:
    meet = meeting(4)

    ended = started(*(task(f"t{n}", run=meet) for n in range(4))).run()

    assert {one.value for one in ended.values()} == {"met"}


def test_each_gets_gpus_of_its_own_and_gives_them_back() -> None:
    gpus, seen = FakeGpus(total=4), list[tuple[str, ...]]()
    barrier = threading.Barrier(2)

    def note(lease: Lease) -> None:
        seen.append(lease.devices)
        barrier.wait(GUARD_S)

    started(task("a", 2, note), task("b", 2, note), gpus=gpus).run()

    assert sorted(device for devices in seen for device in devices) == ["gpu-0", "gpu-1", "gpu-2", "gpu-3"]
    assert gpus.free == {0, 1, 2, 3}
    assert len(gpus.given_back) == 2


def test_what_needs_no_gpu_runs_beside_what_does() -> None:
    meet = meeting(2)

    ended = started(task("a", 1, meet), task("lint", 0, meet), gpus=FakeGpus(total=1)).run()

    assert ended["lint"].value == "met"


def test_one_at_a_time_keeps_the_configured_order_and_never_overlaps() -> None:
    ran, inside = [], threading.Lock()

    def note(name: str) -> Callable[[Lease], None]:
        def run(_lease: Lease) -> None:
            assert inside.acquire(blocking=False)
            ran.append(name)
            inside.release()

        return run

    tasks = [
        task(name, g, note(name), estimate_s=s)
        for name, g, s in [("a", 1, 1.0), ("b", 0, 9.0), ("c", 4, 99.0)]
    ]
    ended = started(*tasks, parallel=1).run()

    assert ran == ["a", "b", "c"]
    assert not any(one.error for one in ended.values())


def test_what_one_raised_is_its_end_and_not_the_others() -> None:
    def fail(_lease: Lease) -> None:
        raise KeyError("oops")

    gpus = FakeGpus(total=4)
    ended = started(task("bad", run=fail), task("good"), gpus=gpus).run()

    assert isinstance(ended["bad"].error, KeyError)
    assert ended["good"].value == "done"
    assert gpus.free == {0, 1, 2, 3}


def test_one_that_wants_more_gpus_than_there_are_is_refused_and_the_rest_runs() -> None:
    ended = started(task("huge", 5), task("small")).run()

    assert ended["huge"].refused == "machine unusable: needs 5 GPU(s), 4 can be had"
    assert ended["small"].value == "done"


def test_gpus_that_go_away_in_mid_run_do_not_leave_a_task_waiting_for_ever() -> None:
    gpus = FakeGpus(total=2)

    def lose(_lease: Lease) -> None:
        gpus.total = 1

    ended = started(task("first", 1, lose), task("wide", 2, after=("first",)), gpus=gpus).run()

    assert "needs 2 GPU(s), 1 can be had" in ended["wide"].refused


def test_a_circle_of_waiting_ends_with_a_reason() -> None:
    ended = started(task("a", after=("b",)), task("b", after=("a",)), task("c")).run()

    assert ended["a"].refused == ended["b"].refused == "it waits for what can never end"
    assert ended["c"].value == "done"


def test_after_waits_for_the_end_even_of_one_that_failed() -> None:
    order = []

    def fail(_lease: Lease) -> None:
        order.append("first")
        raise ValueError

    started(
        task("second", run=lambda _l: order.append("second"), after=("first",)), task("first", run=fail)
    ).run()

    assert order == ["first", "second"]


def test_tasks_may_be_added_by_one_that_runs() -> None:
    whole: Execution[Any]

    def more(_lease: Lease) -> str:
        whole.add([task("late", group="g")])
        return "split"

    whole = started(task("split", run=more, group="g", prepares=True), task("next", after=("g",)))
    ended = whole.run()

    assert list(ended) == ["split", "late", "next"]


class _Elsewhere(FakeGpus):
    """Another run holds all GPUs for the first so many requests."""

    refusals = 0

    def lease(
        self, count: int, *, step: str, avoid: Collection[str] = (), whole_card: bool = False
    ) -> Lease | None:
        if count and self.refusals > 0:
            self.refusals -= 1
            return None
        return super().lease(count, step=step, avoid=avoid, whole_card=whole_card)


def elsewhere(refusals: int) -> _Elsewhere:
    gpus = _Elsewhere(total=2, others="GPU 0 by org/other run 7, since 11:00")
    gpus.refusals = refusals
    return gpus


def test_gpus_that_another_run_holds_are_waited_for_and_it_is_told_who_holds_them() -> None:
    watcher = Notebook()
    ended = started(task("a"), gpus=elsewhere(5), watcher=watcher).run()

    assert ended["a"].value == "done"
    assert ended["a"].waited_s > 0
    assert watcher.told == [
        "a waits for 1 GPU(s) that other runs hold: GPU 0 by org/other run 7, since 11:00"
    ]


def test_meanwhile_what_needs_no_gpu_runs() -> None:
    gpus = elsewhere(10**9)

    def free(_lease: Lease) -> None:
        gpus.refusals = 0

    ended = started(task("a"), task("lint", 0, free), gpus=gpus).run()

    assert ended["a"].value == "done"


def test_a_wait_longer_than_the_limit_is_the_machines_fault_with_a_name() -> None:
    ended = started(task("a"), task("lint", 0), gpus=elsewhere(10**9), lease_wait_s=30.0).run()

    assert ended["a"].refused.startswith("machine: waited")
    assert "org/other run 7" in ended["a"].refused
    assert ended["lint"].value == "done"


def test_while_our_own_tasks_have_the_gpus_the_wait_for_others_does_not_count() -> None:
    clock, watcher, gpus = FakeClock(), Notebook(), elsewhere(1)
    halt, pause = Halt(lambda: ""), threading.Event()

    def outlast(_lease: Lease) -> None:
        clock.seconds += 1000.0
        seen = len(watcher.seen)
        while len(watcher.seen) < seen + 3 and not halt():
            pause.wait(0.001)
        gpus.refusals = 1

    ended = started(
        task("wide", 2),
        task("small", 1, outlast),
        gpus=gpus,
        clock=clock,
        watcher=watcher,
        halt=halt,
        lease_wait_s=500.0,
    ).run()

    assert (ended["small"].error, ended["wide"].value) == (None, "done")


def test_what_the_pool_raises_is_told_as_the_tasks_end() -> None:
    class Broken(FakeGpus):
        def lease(self, count: int, **_more: Any) -> Lease | None:
            raise MachineError("the runtime sees 1 GPU where 2 were allocated", hint="x")

    ended = started(task("a"), task("b"), gpus=Broken(total=2)).run()

    assert all(isinstance(one.error, MachineError) for one in ended.values())
    assert len(ended) == 2


def test_the_wish_to_stop_starts_nothing_more_and_lets_what_runs_end() -> None:
    halt = Halt(lambda: "")

    def ask(_lease: Lease) -> str:
        halt.ask("no space left")
        return "ended"

    ended = started(task("a", run=ask), task("b", after=("a",)), halt=halt).run()

    assert (ended["a"].value, ended["b"].refused) == ("ended", "no space left")


def test_an_interruption_of_one_ends_all_and_keeps_what_had_ended() -> None:
    halt, gpus = Halt(lambda: ""), FakeGpus(total=4)
    heard = threading.Event()

    def wait(_lease: Lease) -> str:
        while not halt():
            heard.wait(0.005)
        return halt()

    def interrupted(_lease: Lease) -> None:
        raise InterruptedRunError("SIGTERM")

    whole = started(
        task("first"),
        task("long", run=wait),
        task("hit", run=interrupted, after=("first",)),
        task("never", 4, after=("long",)),
        gpus=gpus,
        halt=halt,
    )
    with pytest.raises(InterruptedRunError):
        whole.run()

    assert whole.ended["first"].value == "done"
    assert whole.ended["long"].value == "interrupted by SIGTERM"
    assert "never" not in whole.ended
    assert gpus.free == {0, 1, 2, 3}


def test_one_that_does_not_hear_the_wish_is_not_waited_for_longer_than_a_few_seconds() -> None:
    door = threading.Event()

    def interrupted(_lease: Lease) -> None:
        raise KeyboardInterrupt

    whole = started(task("deaf", run=lambda _l: door.wait(GUARD_S)), task("hit", run=interrupted))
    with pytest.raises(KeyboardInterrupt):
        whole.run()
    door.set()

    assert "deaf" not in whole.ended


def test_the_status_counts_what_is_work_and_tells_where_it_runs() -> None:
    watcher = Notebook()
    tasks = [
        task("warm", prepares=True),
        task("a", estimate_s=5.0, after=("warm",)),
        task("b", 0, after=("a",)),
    ]

    started(*tasks, watcher=watcher, gpus=FakeGpus(total=2)).run()

    first, last = watcher.seen[0], watcher.seen[-1]
    assert [(one.name, one.gpus) for one in first.running] == [("warm", ("GPU 0",))]
    assert (first.done, first.left, first.total) == (0, 2, 2)
    assert first.ends_in_s is not None
    assert (last.done + len(last.running), last.left) == (2, 0)


def test_without_any_recorded_time_no_end_is_promised() -> None:
    watcher = Notebook()
    started(task("a"), task("b"), watcher=watcher).run()

    assert {seen.ends_in_s for seen in watcher.seen} == {None}


def test_benchmarks_ask_for_whole_cards() -> None:
    asked = []

    class Cards(FakeGpus):
        def lease(self, count: int, **more: Any) -> Lease | None:
            asked.append(more["whole_card"])
            return super().lease(count, **more)

    started(task("bench", whole_card=True), task("test"), gpus=Cards(total=2), parallel=1).run()

    assert asked == [True, False]
