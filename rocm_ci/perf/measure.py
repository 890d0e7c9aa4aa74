"""Runs one benchmark command on two checkouts in turn and collects what it measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.config.options import seconds
from rocm_ci.config.placeholders import fill
from rocm_ci.errors import InterruptedRunError
from rocm_ci.model.perf import Better, Series
from rocm_ci.perf.formats.base import Format, FormatError, Measurement
from rocm_ci.perf.units import factor
from rocm_ci.tools import file
from rocm_ci.tools.process import Stop

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.config.options import PerfOptions
    from rocm_ci.context import Context

MAX_RESULT_BYTES = 200_000_000


class MeasureError(Exception):
    """One side could not be measured: the command failed, timed out or wrote no result."""

    def __init__(self, side: str, reason: str) -> None:
        super().__init__(reason)
        self.side = side


@dataclass(kw_only=True)
class Collected:
    """What the rounds gave so far, by series name; entry k of both sides is one round."""

    base: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)
    head: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)
    units: dict[str, tuple[str, Better]] = field(default_factory=dict)
    rounds: int = 0

    def add(self, kept: dict[str, list[tuple[float, ...]]], one: Measurement, better: Better) -> None:
        """One measurement of the side `kept`. A side that changed the unit is converted to the other's.

        Where that cannot be, it is another series: a number without its unit compares with nothing.
        """
        name = one.name
        unit, _ = self.units.setdefault(name, (one.unit, one.better or better))
        times = factor(one.unit, unit)
        if times is None:
            name, times = f"{name} [{one.unit}]", 1.0
            self.units.setdefault(name, (one.unit, one.better or better))
        kept.setdefault(name, []).append(tuple(times * value for value in one.values))

    def series(self) -> tuple[Series, ...]:
        """The series both sides have, sorted by name."""
        return tuple(
            Series(
                name=name,
                unit=self.units[name][0],
                better=self.units[name][1],
                base=tuple(self.base[name]),
                head=tuple(self.head[name]),
            )
            for name in sorted(self.base.keys() & self.head.keys())
        )

    def one_sided(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names that only the head has (new), and that only the base has (gone)."""
        new = sorted(self.head.keys() - self.base.keys())
        return tuple(new), tuple(sorted(self.base.keys() - self.head.keys()))


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The two checkouts, both built."""

    base: Path
    head: Path


class Bench:
    """One configured benchmark on its two sides."""

    def __init__(self, ctx: Context, options: PerfOptions, form: Format, sides: Sides, log: Path) -> None:
        self._ctx = ctx
        self._options = options
        self._form = form
        self._roots: Mapping[str, Path] = {"base": sides.base, "head": sides.head}
        self._log = log
        self._deadline = ctx.clock.monotonic() + seconds(options.timeout)

    def time_left(self) -> bool:
        """Whether another round may start."""
        return self._ctx.clock.monotonic() < self._deadline

    def warm_up(self) -> None:
        """One run of each side that is not counted: page cache, code caches, clocks."""
        for side in ("base", "head"):
            self._once(side)

    def rounds(self, count: int, into: Collected) -> Collected:
        """`count` rounds in ABBA order, fewer when the time budget ends."""
        for number in range(count):
            if not self.time_left():
                break
            order = ("base", "head") if number % 2 == 0 else ("head", "base")
            measured = {side: self._once(side) for side in order}
            for side, kept in (("base", into.base), ("head", into.head)):
                for one in measured[side]:
                    into.add(kept, one, self._options.better)
            into.rounds += 1
        return into

    def _once(self, side: str) -> tuple[Measurement, ...]:
        ctx, options = self._ctx, self._options
        result = ctx.work / "perf" / f"{options.name}-{side}.out"
        result.parent.mkdir(parents=True, exist_ok=True)
        file.remove(result)
        command = fill(options.run, {"out": str(result)}, option=f"perf.{options.name}.run")
        left = max(1.0, self._deadline - ctx.clock.monotonic())
        done = ctx.run.stream(
            ["bash", "-c", command],
            cwd=self._roots[side],
            env={**ctx.environment, **options.env},
            timeout_s=left,
            log=self._log.with_suffix(f".{side}.log"),
            quiet_s=seconds(options.no_output) if options.no_output else None,
            stop=ctx.stop,
        )
        if done.stopped is Stop.ASKED:
            raise InterruptedRunError(done.why)
        if done.stopped is Stop.SILENCE:
            raise MeasureError(side, f"printed nothing for {options.no_output}")
        if done.timed_out:
            raise MeasureError(side, f"did not end within the budget of {options.timeout}")
        if done.exit_code:
            last = next((line for line in reversed(done.tail.splitlines()) if line.strip()), "no output")
            raise MeasureError(side, f"the command ended with exit code {done.exit_code}: {last[:300]}")
        return self._read(side, result)

    def _read(self, side: str, result: Path) -> tuple[Measurement, ...]:
        """What the command wrote. It chose what stands there: only a regular file is opened."""
        source = file.read(result)
        if source is None:
            raise MeasureError(side, "the command wrote no result to {out}")
        with source:
            text = source.read(MAX_RESULT_BYTES + 1)
        if len(text) > MAX_RESULT_BYTES:
            raise MeasureError(side, "the result file is too large")
        try:
            return self._form.read(text.decode("utf-8", "replace"))
        except FormatError as error:
            raise MeasureError(side, str(error)) from error
