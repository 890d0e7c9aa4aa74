"""One suite as tasks: itself, or its shards and what prepares them. And from what came of them one result."""

from __future__ import annotations

import dataclasses
import traceback
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from rocm_ci.errors import RocmCiError, of_machine
from rocm_ci.model.result import Suite
from rocm_ci.model.verdict import Verdict
from rocm_ci.runners import shards, suite, warm_up
from rocm_ci.schedule import estimate, times
from rocm_ci.schedule.part import owner
from rocm_ci.schedule.task import Ended, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rocm_ci.context import Context, Lease
    from rocm_ci.model.incident import Try
    from rocm_ci.model.times import Times
    from rocm_ci.runners.attempt import Order
    from rocm_ci.runners.base import Listed
    from rocm_ci.schedule.part import Part

# What prepares a suite has no result of its own.
Piece: TypeAlias = Suite | None


@dataclass(kw_only=True)
class Work:
    """`shards` is into how many pieces it is cut here, `part` the one of several that runs share.

    `add` takes tasks that are known only after the suite's tests were listed.
    """

    ctx: Context
    order: Order
    known: Times
    shards: int
    part: Part | None
    add: Callable[[Iterable[Task[Piece]]], None]
    _pieces: list[str] = field(default_factory=list)
    _warm: Try | None = None
    _remark: str = ""
    _span: list[float] = field(default_factory=list)

    def tasks(self) -> list[Task[Piece]]:
        """What is to run at first."""
        options, stem = self.order.options, self.order.stem
        seconds = self.known.suites.get(options.name)
        if self.shards < 2:
            self._pieces = [stem]
            return [self._task(stem, self._whole, seconds, options.after)]
        made, after = [], options.after
        if options.warm_up.strip():
            # Once for all shards: what it leaves on disk serves them all.
            made.append(self._task(f"{stem} (warm-up)", self._warmed, None, after))
            after = (made[0].name,)
        # This needs the GPUs, too: which tests there are may hang on what is seen when they are listed.
        made.append(self._task(f"{stem} (split)", self._split, None, after))
        each = (seconds or 0.0) / self.shards
        return [dataclasses.replace(one, prepares=True, follow_s=each) for one in made]

    def result(self, ended: Mapping[str, Ended[Piece]], interrupted: str = "") -> Suite:
        """The suite as one; what is missing of it is an error that says why."""
        failed = [one for name, one in ended.items() if name in self._preparing and _went_wrong(one)]
        if failed:
            return self._lost(failed[0], interrupted)
        if not self._pieces:
            return suite.unrun(self.order, Verdict.ERROR, interrupted or "it never came to run")
        pieces = [self._piece(ended.get(name), interrupted) for name in self._pieces]
        whole = pieces[0]
        if self.shards > 1 and len(pieces) > 1:
            # What a reader waited for, not what it cost: its pieces ran at the same time.
            joined = replace(
                shards.joined(pieces), duration_s=max(self._span, default=0.0) - min(self._span, default=0.0)
            )
            whole = suite.vanished(self.order, joined)
        whole = warm_up.told(whole, self._warm)
        reason = "; ".join(text for text in (whole.reason, self._remark) if text)
        return replace(whole, reason=reason)

    def took_s(self, ended: Mapping[str, Ended[Piece]]) -> float | None:
        """Seconds of all its pieces together, when all of them ran to their end."""
        pieces = [one.value for name in self._pieces if (one := ended.get(name)) is not None]
        ran = [piece.duration_s for piece in pieces if piece is not None and times.ran(piece)]
        is_whole = bool(ran) and len(ran) == len(self._pieces) and self.part is None
        return sum(ran) if is_whole else None

    @property
    def _preparing(self) -> tuple[str, str]:
        return f"{self.order.stem} (warm-up)", f"{self.order.stem} (split)"

    def _task(
        self,
        name: str,
        run: Callable[[Lease], Piece],
        estimate_s: float | None,
        after: tuple[str, ...],
    ) -> Task[Piece]:
        options = self.order.options
        return Task(
            name=name,
            gpus=options.gpus,
            run=run,
            estimate_s=estimate_s,
            after=after,
            alone=options.alone,
            group=options.name,
        )

    def _whole(self, lease: Lease) -> Piece:
        ctx, order = self.ctx, self.order
        ctx.log.info(f"{_title(order)}{_on(lease)}: {order.options.run}")
        only: tuple[Listed, ...] = ()
        if self.part is not None:
            chosen = self._of_part(self.part, lease)
            if isinstance(chosen, Suite):
                return self._told(chosen)
            only = chosen
        warm = self._warm or warm_up.run(ctx, order, lease)
        done = suite.run(ctx, order, lease, only)
        self._warm = warm
        return self._told(_cut_short(done, ctx.stop()))

    def _warmed(self, lease: Lease) -> Piece:
        self._warm = warm_up.run(self.ctx, self.order, lease)
        return None

    def _split(self, lease: Lease) -> Piece:
        options, stem = self.order.options, self.order.stem
        found = shards.listed(self.ctx, self.order, lease)
        if isinstance(found, str) or len(found) < 2:
            why = found if isinstance(found, str) else f"it has {len(found)} test(s)"
            self._remark = f"not split into shards: {why}"
            self.ctx.log.info(f"{options.name}: {self._remark}")
            self._pieces = [stem]
            self.add([self._task(stem, self._whole, self.known.suites.get(options.name), ())])
            return None
        durations = self.known.tests.get(options.name, {})
        filled = estimate.filled([one.id for one in found], durations)
        seconds = [filled[one.id] for one in found]
        is_known = [one.id in durations for one in found]
        groups = estimate.cut(seconds, is_known, self.shards, exactly=options.shards != 0)
        made = []
        for number, group in enumerate(groups, 1):
            tests = tuple(found[at] for at in group)
            estimate_s = sum(seconds[at] for at in group) if durations else None
            run = partial(self._shard, number, len(groups), tests)
            made.append(self._task(f"{stem} [{number}/{len(groups)}]", run, estimate_s, ()))
        self._pieces = [task.name for task in made]
        self.ctx.log.info(f"{_title(self.order)}: {len(found)} test(s) in {len(made)} shards: {options.run}")
        self.add(made)
        return None

    def _shard(self, number: int, count: int, tests: tuple[Listed, ...], lease: Lease) -> Piece:
        name = f"{self.order.options.name} [{number}/{count}]"
        ctx = dataclasses.replace(self.ctx, log=self.ctx.log.named(name))
        ctx.log.info(f"{name}{_on(lease)}: {len(tests)} test(s)")
        order = dataclasses.replace(self.order, stem=f"{self.order.stem}.shard-{number}")
        self._span.append(ctx.clock.monotonic())
        try:
            done = suite.run(ctx, order, lease, tests)
        finally:
            self._span.append(ctx.clock.monotonic())
        return self._told(_cut_short(done, ctx.stop()), ctx)

    def _of_part(self, part: Part, lease: Lease) -> tuple[Listed, ...] | Suite:
        """The tests of this run's part, or why the suite is left alone here. None falls between two parts."""
        order = self.order
        if order.runner.name == "command":
            where = owner(order.options.name, part.count)
            if where == part.number:
                return ()
            reason = f"its runner cannot split it: the whole of it runs in part {where}/{part.count}"
            return suite.unrun(order, Verdict.SKIPPED, reason)
        listed = shards.listed(self.ctx, order, lease)
        if isinstance(listed, str):
            return suite.unrun(order, Verdict.ERROR, f"part {part} of it could not be chosen: {listed}")
        mine = tuple(one for one in listed if part.has(one.id))
        self.ctx.log.info(f"{order.options.name}: part {part}: {len(mine)} of {len(listed)} test(s)")
        if listed and not mine:
            reason = f"none of its {len(listed)} test(s) belongs to part {part}"
            return suite.unrun(order, Verdict.SKIPPED, reason)
        return mine

    def _piece(self, ended: Ended[Piece] | None, interrupted: str) -> Suite:
        if ended is None or ended.value is None:
            return self._lost(ended, interrupted)
        return ended.value

    def _lost(self, ended: Ended[Piece] | None, interrupted: str) -> Suite:
        """What stands for a suite of which there is no result. A defect of ours shows its traceback."""
        error = ended.error if ended else None
        error = (of_machine(error) if error else None) or error
        if error is None or isinstance(error, RocmCiError):
            hint = getattr(error, "hint", "")
            said = f"{error}{f' → {hint}' if hint else ''}" if error else ended.refused if ended else ""
            return suite.unrun(self.order, Verdict.ERROR, interrupted or said or "it never came to run")
        said = f"rocm-ci itself failed: {type(error).__name__}: {error}"
        self.ctx.log.error(
            f"{self.order.options.name}: {said}", "please report it with the traceback in the report"
        )
        lost = suite.unrun(self.order, Verdict.ERROR, said)
        return replace(lost, excerpt="".join(traceback.format_exception(error)))

    def _told(self, done: Suite, ctx: Context | None = None) -> Suite:
        log = (ctx or self.ctx).log
        reason = f" – {done.reason}" if done.reason else ""
        log.info(f"{log.name or done.name}: {done.verdict.value}{reason}")
        return done


def _went_wrong(ended: Ended[Piece]) -> bool:
    return ended.error is not None or bool(ended.refused)


def _cut_short(done: Suite, interrupted: str) -> Suite:
    """An interruption is nobody's failure: whatever it cut short is an error, with what had finished."""
    if not interrupted or done.verdict is not Verdict.FAIL:
        return done
    reason = "; ".join(part for part in (interrupted, done.reason) if part)
    return replace(done, verdict=Verdict.ERROR, reason=reason)


def _title(order: Order) -> str:
    return f"{order.options.name} ({order.options.layer.value}, {order.runner.name})"


def _on(lease: Lease) -> str:
    """With the address of a single one; of several that would be a line nobody reads."""
    shown = lease.labels if len(lease.labels) == 1 else [label.split(" (")[0] for label in lease.labels]
    return f" on {', '.join(shown)}" if shown else ""
