"""One suite as tasks: cut into shards, prepared, put together again. The tool is pretended, the rest is real."""

from __future__ import annotations

import dataclasses
import errno
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.config.options import TestOptions
from rocm_ci.errors import InterruptedRunError
from rocm_ci.model.case import CaseStatus
from rocm_ci.model.times import Times
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners import gtest
from rocm_ci.runners.attempt import Order
from rocm_ci.runners.base import Listed, Prepared
from rocm_ci.schedule.execution import Execution
from rocm_ci.schedule.halt import Halt
from rocm_ci.schedule.part import Part
from rocm_ci.schedule.progress import Notices
from rocm_ci.stages.suites import Piece, Work
from tests.fakes import FakeGpus, FakeRunner, context

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.model.case import Case
    from rocm_ci.model.result import Suite
    from rocm_ci.runners.base import Slot
    from rocm_ci.runners.live import Watch
    from rocm_ci.tools.process import Streamed


@dataclass
class Tool:
    """A test tool whose command line ends in the tests it is to run; none means all of `tests`."""

    tests: tuple[str, ...] | None
    name: str = "gtest"
    listed_with: list[dict[str, str]] = field(default_factory=list)

    def claims(self, command: str) -> bool:
        return True

    def prepare(self, command: str, slot: Slot, only: tuple[Listed, ...] = ()) -> Prepared | None:
        wanted = "".join(f" {one.native}" for one in only)
        return Prepared(command=f"{command} --{wanted}" if only else command, expects_report=False)

    def collect(self, command: str, slot: Slot, *, has_run: bool = False) -> tuple[Listed, ...] | None:
        self.listed_with.append(dict(slot.environment))
        if self.tests is None:
            return None
        return tuple(Listed(id=one.replace(".", "::"), name=one, native=one) for one in self.tests)

    def watch(self) -> Watch:
        return gtest.RUNNER.watch()

    def reproduce(self, case: Case, command: str, root: Path, native: str | None) -> str | None:
        return None


class Shell(FakeRunner):
    """Runs the commands of `Tool`: tests with `bad` in their name fail, one with `dead` takes the process away."""

    def __init__(self, tests: tuple[str, ...]) -> None:
        super().__init__()
        self.tests = tests
        self.commands: list[str] = []
        self.limits: dict[str, float] = {}

    def stream(self, argv: Any, **options: Any) -> Streamed:
        command = argv[-1]
        self.commands.append(command)
        self.limits[command.partition(" -- ")[0]] = options["timeout_s"]
        wanted = command.partition(" -- ")[2].split() or list(self.tests)
        lines, code = list[str](), 0
        for test in wanted if command.startswith("./t") else ():
            lines.append(f"[ RUN      ] {test}")
            if "dead" in test:
                code = 139
                break
            failed = "bad" in test
            code = code or int(failed)
            lines.append(f"[  FAILED  ] {test} (7 ms)" if failed else f"[       OK ] {test} (5 ms)")
        if command == "warm up badly":
            code = 3
        self.answers["bash"] = (code, "\n".join(lines))
        return super().stream(argv, **options)


def many(count: int, **names: int) -> tuple[str, ...]:
    at = {where: name for name, where in names.items()}
    return tuple(f"A.{at.get(n, 't')}{n}" for n in range(count))


@dataclass
class Ran:
    suite: Suite
    shell: Shell
    tool: Tool
    ended: Mapping[str, Any]
    gpus: FakeGpus
    work: Work
    log: str

    @property
    def statuses(self) -> dict[str, CaseStatus]:
        return {case.id: case.status for case in self.suite.cases}


def run(
    root: Path,
    tests: tuple[str, ...],
    *,
    shards: int = 1,
    is_listed: bool = True,
    part: Part | None = None,
    known: Times | None = None,
    gpus: int = 4,
    stop: str = "",
    name: str = "gtest",
    **options: Any,
) -> Ran:
    tool, shell, pool = Tool(tests if is_listed else None, name=name), Shell(tests), FakeGpus(total=gpus)
    ctx = dataclasses.replace(context(root, shell, pool), stop=lambda: stop)
    named = {option.replace("_", "-"): value for option, value in options.items()}
    shape = {"name": "u", "run": "./t", "gpus": 1, "retries": 0, "shards": shards} | named
    order = Order(
        options=msgspec.convert(shape, TestOptions), runner=tool, stem="u", values={}, environment={}
    )
    execution: Execution[Piece] = Execution(
        (), gpus=pool, clock=ctx.clock, halt=Halt(lambda: ""), watcher=Notices(ctx.log)
    )
    work = Work(
        ctx=ctx, order=order, known=known or Times(), shards=shards or gpus, part=part, add=execution.add
    )
    execution.add(work.tasks())
    ended = execution.run()
    return Ran(
        suite=work.result(ended),
        shell=shell,
        tool=tool,
        ended=ended,
        gpus=pool,
        work=work,
        log=ctx.log.err.getvalue(),  # type: ignore[union-attr]
    )


def test_a_suite_cut_into_shards_tells_the_same_as_one_that_was_not(tmp_path: Path) -> None:
    tests = many(23, bad=4)

    whole, cut = run(tmp_path / "a", tests), run(tmp_path / "b", tests, shards=4)

    assert cut.statuses == whole.statuses
    assert len(cut.suite.cases) == 23
    assert (cut.suite.verdict, whole.suite.verdict) == (Verdict.FAIL, Verdict.FAIL)
    assert cut.suite.shards == 4
    assert sum(" -- " in command for command in cut.shell.commands) == 4


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.tuples(st.integers(1, 30), st.integers(2, 6), st.integers(0, 29)),
    known=st.dictionaries(st.integers(0, 29), st.floats(0, 5000), max_size=30),
    is_auto=st.booleans(),
)
def test_whatever_is_known_of_times_no_test_is_lost_or_run_twice(
    tmp_path: Path, sizes: tuple[int, int, int], known: dict[int, float], is_auto: bool
) -> None:
    count, shards, bad = sizes
    tests = many(count, bad=bad)
    times = Times(tests={"u": {f"A::t{n}": seconds for n, seconds in known.items()}})

    done = run(tmp_path, tests, shards=0 if is_auto else shards, gpus=shards, known=times)

    ran = [test for c in done.shell.commands for test in c.partition(" -- ")[2].split()]
    assert sorted(ran) == sorted(tests if count > 1 else ())
    assert done.statuses == run(tmp_path, tests).statuses


def test_shards_run_on_different_gpus_at_the_same_time_and_the_tests_are_listed_on_one(
    tmp_path: Path,
) -> None:
    done = run(tmp_path, many(8), shards=4)

    assert {lease.id.rsplit("-", 1)[0] for lease in done.gpus.leases} == {
        "u (split)",
        *(f"u [{n}/4]" for n in range(1, 5)),
    }
    assert done.tool.listed_with[0]["ROCR_VISIBLE_DEVICES"] == "0"
    assert done.gpus.free == {0, 1, 2, 3}


def test_the_longest_tests_do_not_meet_in_one_shard(tmp_path: Path) -> None:
    times = Times(tests={"u": {f"A::t{n}": 100.0 if n < 4 else 1.0 for n in range(20)}})

    done = run(tmp_path, many(20), shards=4, known=times)

    long_ones = [len(re.findall(r"A\.t[0-3](?!\d)", c)) for c in done.shell.commands]
    assert long_ones == [1, 1, 1, 1]


def test_a_long_suite_ends_in_small_pieces_unless_their_number_was_asked_for(tmp_path: Path) -> None:
    times = Times(tests={"u": {f"A::t{n}": 60.0 for n in range(100)}})

    assert run(tmp_path / "a", many(100), shards=0, known=times).suite.shards == 16
    assert run(tmp_path / "b", many(100), shards=4, known=times).suite.shards == 4
    assert run(tmp_path / "c", many(100), shards=0).suite.shards == 4, "nothing is known"


def test_a_tool_that_cannot_list_its_tests_runs_them_whole_and_says_so(tmp_path: Path) -> None:
    done = run(tmp_path, many(5), shards=4, is_listed=False)

    assert len(done.suite.cases) == 5
    assert "not split into shards: the runner gtest cannot list its tests" in done.suite.reason
    assert done.suite.verdict is Verdict.PASS


def test_a_shard_whose_process_dies_costs_one_test_and_no_other(tmp_path: Path) -> None:
    done = run(tmp_path, many(20, dead=7), shards=4)

    assert len(done.suite.cases) == 20
    assert [case.id for case in done.suite.cases if case.status is not CaseStatus.PASSED] == ["A::dead7"]
    assert done.suite.verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("oops"), "rocm-ci itself failed: KeyError"),
        (OSError(errno.ENOSPC, "No space left on device"), "no space is left on a disk → free some"),
    ],
)
def test_a_shard_that_is_lost_is_an_error_and_the_others_keep_their_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    real = Shell.stream

    def breaking(self: Shell, argv: Any, **options: Any) -> Streamed:
        if "A.t0" in argv[-1].split():
            raise error
        return real(self, argv, **options)

    monkeypatch.setattr(Shell, "stream", breaking)
    done = run(tmp_path, many(8), shards=4)

    assert done.suite.verdict is Verdict.ERROR
    assert said in done.suite.reason
    assert len(done.suite.cases) == 6
    assert done.work.took_s(done.ended) is None, "half a suite says nothing about the next"


def test_an_id_that_two_tests_share_is_run_for_both(tmp_path: Path) -> None:
    done = run(tmp_path, ("A.x", "A.x", "A.y"), shards=2)

    ran = [test for c in done.shell.commands for test in c.partition(" -- ")[2].split()]
    assert sorted(ran) == ["A.x", "A.x", "A.y"]


def test_a_warm_up_is_run_once_for_all_shards_and_before_them(tmp_path: Path) -> None:
    done = run(tmp_path, many(8), shards=4, warm_up="compile all")

    assert done.shell.commands[0] == "compile all"
    assert done.shell.commands.count("compile all") == 1
    assert [one.why for one in done.suite.tries].count("warm-up") == 1


def test_a_suite_that_turns_out_not_to_be_cut_is_not_warmed_up_again(tmp_path: Path) -> None:
    done = run(tmp_path, many(5), shards=4, is_listed=False, warm_up="compile all")

    assert done.shell.commands == ["compile all", "./t"]
    assert [one.why for one in done.suite.tries].count("warm-up") == 1


def test_a_warm_up_takes_nothing_of_the_time_that_the_tests_have(tmp_path: Path) -> None:
    done = run(tmp_path, many(3), timeout="10s", warm_up="compile all", warm_up_timeout="30m")

    assert done.shell.limits == {"compile all": 1800.0, "./t": 10.0}
    warm = next(one for one in done.suite.tries if one.why == "warm-up")
    assert warm.duration_s > 0
    took = done.work.took_s(done.ended)
    assert took is not None
    assert took <= sum(one.duration_s for one in done.suite.tries if one.why != "warm-up") + 1e-9
    assert done.suite.duration_s == took


def test_a_warm_up_that_fails_is_told_and_changes_nothing_else(tmp_path: Path) -> None:
    done = run(tmp_path, many(3), warm_up="warm up badly")

    assert done.suite.verdict is Verdict.PASS
    assert "the warm-up failed (exit status 3), so it ran cold" in done.suite.reason


def test_the_parts_of_several_runs_make_the_whole(tmp_path: Path) -> None:
    tests = many(40, bad=3)
    parts = [run(tmp_path / str(n), tests, part=Part(number=n, count=3)) for n in (1, 2, 3)]

    ids = [case.id for one in parts for case in one.suite.cases]
    assert sorted(ids) == sorted(run(tmp_path / "whole", tests).statuses)
    assert [one.suite.verdict for one in parts].count(Verdict.FAIL) == 1
    assert all(one.work.took_s(one.ended) is None for one in parts)


def test_a_green_suite_in_parts_says_no_more_than_in_one(tmp_path: Path) -> None:
    assert run(tmp_path, many(8), shards=4).suite.reason == ""
    assert run(tmp_path, many(8, bad=3), shards=4).suite.reason.startswith("1 failed, 7 passed")


def test_a_part_without_a_test_is_skipped_with_the_reason(tmp_path: Path) -> None:
    verdicts = [run(tmp_path / str(n), many(1), part=Part(number=n, count=4)).suite for n in range(1, 5)]

    assert [one.verdict for one in verdicts].count(Verdict.SKIPPED) == 3
    assert {one.reason for one in verdicts if one.verdict is Verdict.SKIPPED} == {
        f"none of its 1 test(s) belongs to part {n}/4"
        for n, one in enumerate(verdicts, 1)
        if one.verdict is Verdict.SKIPPED
    }


def test_a_plain_command_runs_whole_in_exactly_one_part(tmp_path: Path) -> None:
    done = [run(tmp_path / str(n), many(3), part=Part(number=n, count=3), name="command") for n in (1, 2, 3)]

    assert sorted(len(one.suite.cases) for one in done) == [0, 0, 3]
    assert all("the whole of it runs in part" in one.suite.reason for one in done if not one.suite.cases)


def test_a_part_that_cannot_be_chosen_is_an_error_and_never_the_whole(tmp_path: Path) -> None:
    done = run(tmp_path, many(5), part=Part(number=1, count=2), is_listed=False)

    assert (done.suite.verdict, done.suite.cases) == (Verdict.ERROR, ())
    assert "part 1/2 of it could not be chosen" in done.suite.reason


def test_what_an_interruption_cut_short_is_no_failure_of_the_change(tmp_path: Path) -> None:
    done = run(tmp_path, many(5, bad=2), stop="interrupted by SIGTERM")

    assert done.suite.verdict is Verdict.ERROR
    assert "interrupted by SIGTERM" in done.suite.reason


def test_a_list_that_breaks_us_is_our_error_with_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object, **_more: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Tool, "collect", broken)
    done = run(tmp_path, many(5), shards=4)

    assert done.suite.verdict is Verdict.ERROR
    assert "Traceback" in (done.suite.excerpt or "")


def test_an_interruption_while_the_tests_are_listed_reaches_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hit(*_args: object, **_more: object) -> None:
        raise InterruptedRunError("SIGINT")

    monkeypatch.setattr(Tool, "collect", hit)
    with pytest.raises(InterruptedRunError):
        run(tmp_path, many(5), shards=4)


def test_each_line_of_the_log_says_which_shard_it_is_of(tmp_path: Path) -> None:
    done = run(tmp_path, many(8), shards=2)

    assert "u (unit, gtest): 8 test(s) in 2 shards: ./t" in done.log
    assert "u [1/2] on GPU 0: 4 test(s)" in done.log
    assert "u [2/2]: pass" in done.log
