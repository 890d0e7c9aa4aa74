"""One run of one suite's command: started, watched, ended, and its reports read."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.config.options import seconds
from rocm_ci.config.placeholders import fill, names
from rocm_ci.runners import junit
from rocm_ci.runners.base import Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from rocm_ci.config.options import TestOptions
    from rocm_ci.config.placeholders import Value
    from rocm_ci.context import Context, Lease
    from rocm_ci.runners.base import Listed, Prepared, SuiteRunner
    from rocm_ci.runners.junit import Reading
    from rocm_ci.runners.live import Seen, Watch
    from rocm_ci.tools.process import Streamed

MAX_REPORTS = 10_000


@dataclass(frozen=True, kw_only=True)
class Order:
    """A configured suite, ready to run: `stem` names its files, `values` fill its placeholders."""

    options: TestOptions
    runner: SuiteRunner
    stem: str
    values: Mapping[str, Value]
    environment: Mapping[str, str]
    lease_wait_s: float = 1800.0
    flaky: str = "neutral"

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
    """What came of it. `reading` is None when no report was written."""

    streamed: Streamed
    watch: Watch
    reading: Reading | None
    expects_report: bool
    listed: tuple[Listed, ...] | None = None
    running: tuple[Seen, ...] = ()
    overdue: Seen | None = None
    unrun: tuple[Listed, ...] | None = None


def run(
    ctx: Context, order: Order, lease: Lease, number: int = 0, only: tuple[Listed, ...] = ()
) -> Attempt | None:
    """Attempt `number` (0 is the first); with `only`, just these tests, or None if that cannot be."""
    stem = order.stem if number == 0 else f"{order.stem}.retry-{number}"
    folder = ctx.out / "junit" / f"{stem}.d"
    slot = Slot(
        root=ctx.root,
        xml=ctx.out / "junit" / f"{stem}.xml",
        folder=folder,
        is_named="junit" in names(order.options.run),
        environment={**order.environment, **_gpus(order, lease), **order.options.env},
        run=ctx.run,
    )
    prepared = order.runner.prepare(order.command(slot.xml), slot, only)
    if prepared is None:
        return None
    _clear(slot, prepared)
    watch = order.runner.watch()
    with ctx.log.untrusted():
        streamed = ctx.run.stream(
            ["bash", "-c", prepared.command],
            cwd=ctx.root,
            env={**slot.environment, "ROCM_CI_JUNIT": str(slot.xml), **prepared.environment},
            timeout_s=seconds(order.options.timeout),
            log=ctx.out / "logs" / f"test-{stem}.log",
            on_line=_both(ctx.log.output, watch.line),
            quiet_s=seconds(order.options.no_output) if order.options.no_output else None,
            stop=ctx.stop,
        )
    return Attempt(
        streamed=streamed,
        watch=watch,
        reading=_reading(slot, prepared, order.options.name),
        expects_report=prepared.expects_report,
    )


def _gpus(order: Order, lease: Lease) -> Mapping[str, str]:
    """What makes the leased GPUs visible; a suite that chooses by itself is left alone."""
    own = {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"} & set(order.options.env)
    return {} if own else lease.environment


def _both(one: Callable[[str], None], other: Callable[[str], None]) -> Callable[[str], None]:
    def tell(line: str) -> None:
        one(line)
        other(line)

    return tell


def _clear(slot: Slot, prepared: Prepared) -> None:
    """Away with the reports of an earlier run: they would pass for this one's."""
    shutil.rmtree(slot.folder, ignore_errors=True)
    for stale in (slot.xml, *prepared.reports):
        with contextlib.suppress(OSError):
            stale.unlink()
    slot.folder.mkdir(parents=True, exist_ok=True)


def _reading(slot: Slot, prepared: Prepared, suite: str) -> Reading | None:
    """Every report that was written; copies of those that lie elsewhere are kept beside ours."""
    found = [slot.xml] if _exists(slot.xml) else []
    with contextlib.suppress(OSError):
        found += sorted(slot.folder.glob("*.xml"))[:MAX_REPORTS]
    for index, report in enumerate(prepared.reports):
        if _exists(report):
            found.append(report)
            _keep(report, slot.folder / f"report-{index + 1}.xml")
    with contextlib.suppress(OSError):
        slot.folder.rmdir()  # only succeeds when nothing was put into it
    if not found:
        return None
    return junit.joined([(path.name, junit.read_file(path, suite=suite)) for path in found])


def _exists(path: Path) -> bool:
    try:
        return path.is_symlink() or path.exists()
    except OSError:
        return False


def _keep(report: Path, copy: Path) -> None:
    with contextlib.suppress(OSError):
        if report.is_file() and report.stat().st_size <= junit.MAX_BYTES:
            shutil.copyfile(report, copy)
