"""One run of one suite's command: started, watched, ended, and its reports read."""

from __future__ import annotations

import contextlib
import dataclasses
import glob
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.config.options import seconds
from rocm_ci.config.placeholders import fill, names
from rocm_ci.runners import presence, remains, reports
from rocm_ci.runners.base import Slot
from rocm_ci.runners.events import Events
from rocm_ci.runners.hearing import Hearing
from rocm_ci.tools import file
from rocm_ci.tools.process import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from rocm_ci.config.options import TestOptions
    from rocm_ci.config.placeholders import Value
    from rocm_ci.context import Context, Lease
    from rocm_ci.runners.base import Listed, SuiteRunner
    from rocm_ci.runners.expected import Expected
    from rocm_ci.runners.junit import Reading
    from rocm_ci.runners.live import Seen, Watch
    from rocm_ci.runners.presence import Presence
    from rocm_ci.tools.process import Streamed


@dataclass(frozen=True, kw_only=True)
class Order:
    """A configured suite, ready to run: `stem` names its files, `values` fill its placeholders.

    `wanted` is the list of its tests as it was before any suite ran, or why that cannot be used.
    """

    options: TestOptions
    runner: SuiteRunner
    stem: str
    values: Mapping[str, Value]
    environment: Mapping[str, str]
    lease_wait_s: float = 1800.0
    flaky: str = "neutral"
    wanted: Expected | str | None = None

    @property
    def shown(self) -> str:
        """The command as a reader can paste it."""
        return self.command("junit.xml")

    def command(self, xml: Path | str) -> str:
        """The command with its placeholders filled."""
        values = {**self.values, "junit": str(xml)}
        return fill(self.options.run, values, option=f"test[{self.options.name}].run")


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What came of it. `reading` is None when no report was written.

    `listed` are the tests that were to run, where that is known; `running` those that began and never
    ended; `overdue` the one that was ended with its process because it ran too long; `unrun` those that
    never began, because it broke off. `strays` are places where nobody had asked for a report, `foreign`
    such of which it is not known whether they are its own.
    """

    streamed: Streamed
    watch: Watch
    reading: Reading | None
    expects_report: bool
    listed: tuple[Listed, ...] | None = None
    running: tuple[Seen, ...] = ()
    overdue: Seen | None = None
    unrun: tuple[Listed, ...] | None = None
    strays: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()


def run(
    ctx: Context, order: Order, lease: Lease, number: int = 0, only: tuple[Listed, ...] = ()
) -> Attempt | None:
    """Attempt `number` (0 is the first); with `only`, just these tests, or None if that cannot be."""
    with presence.of(ctx.root, order.options.name) as here:
        return _run(ctx, order, _slot(ctx, order, lease, number), only, here)


def _run(ctx: Context, order: Order, slot: Slot, only: tuple[Listed, ...], here: Presence) -> Attempt | None:
    command = order.command(slot.xml)
    prepared = order.runner.prepare(command, slot, only)
    if prepared is None:
        return None
    since_ns = reports.clear(slot, prepared)
    watch, events = order.runner.watch(), Events(slot.events)
    hearing = Hearing(watch, events, limit_s=slot.test_timeout_s, asked=ctx.stop)
    try:
        with ctx.log.untrusted():
            streamed = ctx.run.stream(
                ["bash", "-c", prepared.command],
                cwd=ctx.root,
                env={**slot.environment, "ROCM_CI_JUNIT": str(slot.xml), **prepared.environment},
                timeout_s=seconds(order.options.timeout),
                log=ctx.out / "logs" / f"test-{slot.xml.stem}.log",
                on_line=_both(ctx.log.output, watch.line),
                quiet_s=seconds(order.options.no_output) if order.options.no_output else None,
                stop=hearing.stop,
            )
        watch = hearing.whole(is_sole=order.runner.name == "pytest")
    finally:
        events.close()
        for listed in slot.wanted.parent.glob(f"{glob.escape(slot.wanted.name)}*"):
            file.remove(listed)
        _mark(slot, is_heard=events.is_heard)
    overdue = hearing.overdue if streamed.stopped is Stop.ASKED else None
    if overdue is not None:
        # It is not the run that was to end, but one test's time that was up.
        streamed = dataclasses.replace(streamed, stopped=Stop.TIMEOUT, timed_out=True)
    heard = None if here.is_alone else {*watch.seen, *events.listed}
    found = reports.found(slot, prepared, order.options.name, since_ns, heard=heard)
    for place in found.strays:
        ctx.log.info(f"{order.options.name}: JUnit XML taken from {place}")
    reading = found.reading
    if reading is not None and only:
        reading = reports.only(reading, {one.id for one in only})
    rest = remains.of(
        remains.End(streamed=streamed, watch=watch, reading=reading, events=events, overdue=overdue),
        only,
        lambda: order.runner.collect(command, slot, has_run=True),
    )
    return Attempt(
        streamed=streamed,
        watch=watch,
        reading=reading,
        expects_report=prepared.expects_report,
        listed=rest.listed,
        running=rest.running,
        overdue=overdue,
        unrun=rest.unrun,
        strays=found.strays,
        foreign=found.foreign,
    )


def _slot(ctx: Context, order: Order, lease: Lease, number: int) -> Slot:
    stem = order.stem if number == 0 else f"{order.stem}.retry-{number}"
    limit = order.options.test_timeout
    if (ctx.out / "junit").is_symlink() or not (ctx.out / "junit").is_dir():
        file.remove(ctx.out / "junit")  # a test put something else in its place
    return Slot(
        root=ctx.root,
        xml=ctx.out / "junit" / f"{stem}.xml",
        folder=ctx.out / "junit" / f"{stem}.d",
        is_named="junit" in names(order.options.run),
        environment={**order.environment, **_gpus(order, lease), **order.options.env},
        run=ctx.run,
        test_timeout_s=seconds(limit) if limit else None,
        is_deaf=number > 0 and not (ctx.out / "junit" / f"{order.stem}.events").exists(),
    )


def _mark(slot: Slot, *, is_heard: bool) -> None:
    """An attempt in which the plug-in was heard leaves an empty file behind, for those after it."""
    with contextlib.suppress(OSError):  # a test made something else of our folder
        file.remove(slot.events)
        if is_heard:
            file.create(slot.events).close()


def _gpus(order: Order, lease: Lease) -> Mapping[str, str]:
    """What makes the leased GPUs visible; a suite that chooses by itself is left alone."""
    own = {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"} & set(order.options.env)
    return {} if own else lease.environment


def _both(one: Callable[[str], None], other: Callable[[str], None]) -> Callable[[str], None]:
    def tell(line: str) -> None:
        one(line)
        other(line)

    return tell
