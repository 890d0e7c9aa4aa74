"""When a GPU is not used any more: after faults in several runs or steps within some days."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocm_ci.gpu.ledger import Entry

VARIABLE = "ROCM_CI_QUARANTINE"
COUNT = 3
DAYS = 7
_OFF = ("off", "no", "false", "0")


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Faults in `count` different steps within `days` days; never with a `count` of 0.

    `problem` is set when the variable could not be read and the default stands.
    """

    count: int = COUNT
    days: int = DAYS
    problem: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Rule:
        """ROCM_CI_QUARANTINE of the runner's own environment: `3/7` or `off`."""
        said = environment.get(VARIABLE, "").strip().lower()
        if not said:
            return cls()
        if said in _OFF:
            return cls(count=0)
        found = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", said)
        if found is None:
            return cls(problem=f"{VARIABLE}={said[:40]} is not read: write faults/days, like 3/7, or off")
        return cls(count=int(found[1]), days=int(found[2]))


@dataclass(frozen=True, kw_only=True)
class Quarantine:
    """A GPU that is kept out: how many steps it failed, in how many days, and its newest fault."""

    gpu: str
    label: str
    faults: int
    days: int
    last: Entry

    @property
    def shown(self) -> str:
        """Why, since when, and how it ends; for a person."""
        return (
            f"{self.label or self.gpu} is in quarantine: faults in {self.faults} runs or steps within"
            f" {self.days} days, the last {self.last.kind} at {self.last.time}"
            f" (`rocm-ci ledger --release {self.last.gpu}` ends it)"
        )


def quarantined(entries: Iterable[Entry], rule: Rule, now: str) -> dict[str, Quarantine]:
    """GPU id → its quarantine."""
    if rule.count <= 0:
        return {}
    found = {}
    for gpu, faults in counting(entries, rule, now).items():
        steps = {(fault.run, fault.step) for fault in faults}
        if len(steps) >= rule.count:
            last = faults[-1]
            found[gpu] = Quarantine(gpu=gpu, label=last.label, faults=len(steps), days=rule.days, last=last)
    return found


def counting(entries: Iterable[Entry], rule: Rule, now: str) -> dict[str, list[Entry]]:
    """GPU id → its faults that still count. The order is that of the file: what follows a release does.

    An entry from the future was written while the clock was wrong: it counts as one of today.
    """
    today = moment(now) or dt.datetime.now(dt.timezone.utc)
    oldest = today - dt.timedelta(days=rule.days)
    recent: dict[str, list[Entry]] = {}
    for entry in entries:
        when = moment(entry.time)
        if entry.released:
            recent.pop(entry.gpu, None)
        elif when is not None and when >= oldest and not entry.note:
            recent.setdefault(entry.gpu, []).append(entry)
    return recent


def moment(text: str) -> dt.datetime | None:
    """UTC time as `Clock.now` writes it; None when it is something else."""
    try:
        return dt.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=dt.timezone.utc)
    except ValueError:
        return None
