"""What a run left behind that broke off: tests that began and never ended, and tests that never began."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from rocm_ci.model.case import CaseStatus
    from rocm_ci.runners.base import Listed
    from rocm_ci.runners.events import Events
    from rocm_ci.runners.junit import Reading
    from rocm_ci.runners.live import Seen, Watch
    from rocm_ci.tools.process import Streamed

_SHELL_SIGNAL = 128


@dataclass(frozen=True, kw_only=True)
class End:
    """A run that is over, as far as it can be seen."""

    streamed: Streamed
    watch: Watch
    reading: Reading | None
    events: Events
    overdue: Seen | None

    @property
    def is_reported(self) -> bool:
        """Whether its report is whole."""
        reading = self.reading
        return reading is not None and reading.readable and not reading.truncated

    @property
    def is_abrupt(self) -> bool:
        """Whether it did not end by itself."""
        code = self.streamed.exit_code
        return self.streamed.stopped is not None or code < 0 or _SHELL_SIGNAL < code < 255


@dataclass(frozen=True, kw_only=True)
class Remains:
    """See `Attempt`."""

    listed: tuple[Listed, ...] | None = None
    running: tuple[Seen, ...] = ()
    unrun: tuple[Listed, ...] | None = None


def of(end: End, only: tuple[Listed, ...], ask: Callable[[], tuple[Listed, ...] | None]) -> Remains:
    """What is left. The tool is asked for its tests only where something is, and nobody told."""
    events = end.events
    reported = {case.id: case.status for case in end.reading.cases} if end.reading else {}
    if end.is_reported:
        _close(end.watch, reported)
    running = end.watch.running()
    listed = only or tuple(events.listed.values()) or None
    if not (running or end.is_abrupt or events.lost):
        return Remains(listed=listed)
    if listed is None:
        listed = ask()
    if not events.is_heard and end.is_reported and not end.is_abrupt:
        # Another program's lines may stand in the output; its tests are none of the suite's.
        known = {one.id for one in listed or ()}
        running = tuple(seen for seen in running if listed is None or seen.id in known)
        end.watch.open = {seen.id: seen for seen in running}
        if not running:
            return Remains(listed=listed)
    unrun = _unrun(listed, {*end.watch.seen, *reported}) if end.watch.seen else None
    if not running and unrun and not end.is_abrupt:
        # xdist gave up after a worker was lost.
        running = tuple(seen for seen in end.watch.seen.values() if seen.id in events.lost)
    return Remains(listed=listed, running=running, unrun=unrun)


def _close(watch: Watch, reported: Mapping[str, CaseStatus]) -> None:
    """What has an end in a whole report does not run any more: a controller told it for a lost worker."""
    for seen in [one for one in watch.running() if one.id in reported]:
        seen.status = reported[seen.id]
        del watch.open[seen.id]


def _unrun(listed: tuple[Listed, ...] | None, begun: Collection[str]) -> tuple[Listed, ...] | None:
    return None if listed is None else tuple(one for one in listed if one.id not in begun)
