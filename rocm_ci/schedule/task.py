"""One piece of work that asks for GPUs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from rocm_ci.context import Lease

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False)
class Task(Generic[T]):
    """`run` is called in a thread of its own with the lease it asked for, which it does not give back.

    `name` is unique; `estimate_s` comes from earlier runs, None when there was none. `after` are names or
    groups of tasks that must have ended, however; with `alone` nothing runs beside it. `group` is a name that
    several tasks share, for others to wait for. One that `prepares` others, which then take `follow_s`, is
    not counted as work. With `whole_card` nobody gets a partition of the same card meanwhile.
    """

    name: str
    gpus: int
    run: Callable[[Lease], T]
    estimate_s: float | None = None
    after: tuple[str, ...] = ()
    alone: bool = False
    group: str = ""
    prepares: bool = False
    follow_s: float = 0.0
    whole_card: bool = False


@dataclass(frozen=True, kw_only=True)
class Ended(Generic[T]):
    """What came of a task: its value, what it raised, or why it was never started."""

    name: str
    value: T | None = None
    error: BaseException | None = None
    refused: str = ""
    waited_s: float = 0.0
    took_s: float = 0.0
