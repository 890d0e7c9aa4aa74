"""The perf stage over fakes: who is to blame when something cannot be measured, and what is said."""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.build.base import BaseBuild
from rocm_ci.config.load import load
from rocm_ci.context import Context, Job
from rocm_ci.errors import ConfigError
from rocm_ci.model.changes import Changes
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts, Gpu
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.plan import Plan
from rocm_ci.model.result import PerfResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.perf.samples import decode
from rocm_ci.stages import perf
from rocm_ci.tools.process import Streamed
from tests.fakes import FakeRunner, context

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

BENCH = "perf:\n  - {name: b, run: 'bench {out}', rounds: 12, timeout: 60m%s}\n"


@dataclass
class Machine(FakeRunner):
    """Runs a benchmark by writing a result file; `speed` says how long each side takes."""

    speed: Callable[[str, int], float] = lambda _side, _k: 1.0
    fails: Mapping[str, int] = field(default_factory=dict)
    writes: bool = True
    names: tuple[str, ...] = ("f",)
    sides: list[str] = field(default_factory=list)

    def stream(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        timeout_s: float,
        log: Path,
        on_line: Callable[[str], None] | None = None,
        quiet_s: float | None = None,
        stop: Callable[[], str] | None = None,
    ) -> Streamed:
        side = cwd.name
        self.sides.append(side)
        self.environments.append(dict(env))
        target = argv[-1].split(" ", 1)[1].strip("'")
        if self.writes:
            took = self.speed(side, self.sides.count(side))
            entry = {"run_type": "iteration", "real_time": took, "time_unit": "ms"}
            Path(target).write_text(
                json.dumps({"benchmarks": [{"run_name": n, **entry} for n in self.names]})
            )
        code = self.fails.get(side, 0)
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("")
        return Streamed(
            argv=tuple(argv), exit_code=code, duration_s=0.1, timed_out=False, log=log, tail="it said\nno"
        )


def stage(
    tmp_path: Path,
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    *,
    text: str = BENCH % "",
    gpus: int = 0,
    base: BaseBuild | None = None,
    asked: str | None = None,
) -> PerfResult:
    made = base or BaseBuild(root=tmp_path / "base", ok=True, reason="")
    monkeypatch.setattr(perf, "base_build", lambda _ctx, _job: made)
    head = tmp_path / "head"
    head.mkdir(exist_ok=True)
    ctx: Context = context(head, machine)
    job = Job(
        event=Event(kind=EventKind.LOCAL, head="a" * 40, merge_base="b" * 40, bench=asked),
        config=load(text, {}).config,
        changes=Changes(),
        facts=Facts(gpus=tuple(Gpu(index=i) for i in range(gpus))),
        plan=Plan(steps=()),
        done={},
    )
    return perf.run(ctx, job)


def steady(factor: float, seed: int = 1) -> Callable[[str, int], float]:
    rng = random.Random(seed)
    return lambda side, _k: (factor if side == "head" else 1.0) * 10 * (1 + rng.gauss(0, 0.004))


def test_a_slower_head_fails_after_fresh_rounds_confirmed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(speed=steady(1.1))
    result = stage(tmp_path, machine, monkeypatch)

    assert result.verdict is Verdict.FAIL
    assert result.benches[0].comparisons[0].reason == "confirmed by 12 fresh rounds"
    assert len(machine.sides) == 2 * (1 + 12 + 12)


def test_rounds_run_both_sides_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(speed=steady(1.0))
    stage(tmp_path, machine, monkeypatch)

    assert machine.sides[:10] == [
        "base",
        "head",
        "base",
        "head",
        "head",
        "base",
        "base",
        "head",
        "head",
        "base",
    ]


def test_what_fresh_rounds_do_not_repeat_is_suspicious_and_blames_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_then_not = steady(1.0)

    def speed(side: str, k: int) -> float:
        return slow_then_not(side, k) * (1.2 if side == "head" and k <= 13 else 1.0)

    result = stage(tmp_path, Machine(speed=speed), monkeypatch)

    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.benches[0].comparisons[0].verdict is PerfVerdict.SUSPICIOUS


def test_an_unchanged_speed_passes_and_its_samples_can_be_compared_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = stage(tmp_path, Machine(speed=steady(1.0)), monkeypatch)

    assert (result.verdict, result.reason, result.base) == (Verdict.PASS, "1 unchanged", "b" * 40)
    kept = tmp_path / "head" / "out" / "perf" / "b.samples.json"
    (series,) = decode(kept.read_bytes(), path="kept")
    assert (series.name, len(series.base), len(series.head)) == ("f", 12, 12)


@pytest.mark.parametrize(("side", "verdict"), [("head", Verdict.FAIL), ("base", Verdict.INCONCLUSIVE)])
def test_a_benchmark_that_dies_blames_the_side_it_died_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: str, verdict: Verdict
) -> None:
    result = stage(tmp_path, Machine(fails={side: 139}), monkeypatch)

    assert result.verdict is verdict
    assert result.benches[0].reason == f"{side}: the command ended with exit code 139: no"


def test_a_benchmark_that_writes_nothing_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = stage(tmp_path, Machine(writes=False), monkeypatch)

    assert "wrote no result" in result.benches[0].reason


def test_a_base_that_cannot_be_built_is_never_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = stage(
        tmp_path, Machine(), monkeypatch, base=BaseBuild(root=tmp_path, ok=False, reason="no compiler")
    )

    assert result.verdict is Verdict.INCONCLUSIVE
    assert "no compiler" in result.benches[0].reason


@pytest.mark.parametrize(
    ("more", "verdict", "said"),
    [
        ("", Verdict.ERROR, "machine unusable: needs 2 GPU(s), 1 seen"),
        (
            "require-gpu: false\n",
            Verdict.SKIPPED,
            "needs 2 GPU(s), 1 seen (`require-gpu: false`)",
        ),
    ],
)
def test_missing_gpus_are_the_machines_fault_or_a_visible_skip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str, verdict: Verdict, said: str
) -> None:
    machine = Machine()
    result = stage(tmp_path, machine, monkeypatch, text=more + BENCH % ", gpus: 2", gpus=1)

    assert (result.verdict, result.benches[0].reason) == (verdict, said)
    assert machine.sides == []


def test_many_series_get_the_rounds_they_need_to_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(speed=steady(1.0), names=tuple(f"f{i}" for i in range(100)))
    result = stage(tmp_path, machine, monkeypatch)

    assert result.benches[0].rounds == 14  # 2^-14 times 100 is the first below 1 %
    assert result.reason == "100 unchanged"


def test_both_sides_see_the_same_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(speed=steady(1.0))
    stage(tmp_path, machine, monkeypatch, text=BENCH % ", gpus: 1", gpus=4)

    assert {(e["ROCR_VISIBLE_DEVICES"], e["HIP_VISIBLE_DEVICES"]) for e in machine.environments} == {
        ("0", "0")
    }
    assert len(machine.environments) == 26


def test_an_unknown_format_is_a_configuration_error_that_lists_the_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="no format 'asv'") as caught:
        stage(tmp_path, Machine(), monkeypatch, text=BENCH % ", format: asv")

    assert "google-benchmark, pytest-benchmark" in caught.value.hint


def renamed(kind: str) -> Callable[[str], str]:
    """What the two sides write as google-benchmark results."""

    def text(side: str) -> str:
        head = side == "head"
        name = "g" if head and kind == "name" else "f"
        unit = "us" if head and kind == "unit" else "ns"
        entry = {"run_name": name, "run_type": "iteration", "time_unit": unit}
        return json.dumps({"benchmarks": [entry | {"real_time": 0.15 if unit == "us" else 100.0}]})

    return text


@dataclass
class Odd(Machine):
    """Writes what `text` says, or makes what is no file at all."""

    text: Callable[[str], str] | None = None
    make: Callable[[Path], object] | None = None

    def stream(self, argv: Sequence[str], *, cwd: Path, log: Path, **more: Any) -> Streamed:
        target = Path(argv[-1].split(" ", 1)[1].strip("'"))
        done = super().stream(argv, cwd=cwd, log=log, **more)
        if self.text is not None:
            target.write_text(self.text(cwd.name))
        if self.make is not None:
            target.unlink()
            self.make(target)
        return done


def test_a_unit_that_the_head_changed_hides_no_regression(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = stage(tmp_path, Odd(text=renamed("unit")), monkeypatch)

    (only,) = result.benches[0].comparisons
    assert (only.verdict, only.unit) == (PerfVerdict.REGRESSION, "ns")
    assert only.effect_pct == pytest.approx(50.0)


def test_a_benchmark_that_is_gone_is_not_green(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = stage(tmp_path, Odd(text=renamed("name")), monkeypatch)

    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.benches[0].reason == "new, not compared: g; no longer measured: f"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/etc/hostname")])
def test_only_a_plain_file_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object]
) -> None:
    result = stage(tmp_path, Odd(make=make), monkeypatch)

    assert result.verdict is Verdict.INCONCLUSIVE
    assert "wrote no result" in result.benches[0].reason


def test_series_of_one_name_are_told_apart_by_their_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = BENCH % "" + "  - {name: c, run: 'bench {out}', timeout: 60m}\n"
    result = stage(tmp_path, Machine(speed=steady(1.0)), monkeypatch, text=text)

    assert [c.name for b in result.benches for c in b.comparisons] == ["b: f", "c: f"]


def test_a_benchmark_that_nobody_asked_for_is_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(speed=steady(1.0))

    result = stage(tmp_path, machine, monkeypatch, asked="another")

    assert [(b.verdict, b.reason) for b in result.benches] == [
        (Verdict.SKIPPED, "not asked for: only 'another' was")
    ]
    assert machine.sides == []
