"""One piece of work that asks for GPUs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from rocm_ci.context import Lease

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Task(Generic[T]):
    """`run` is called in a thread of its own with the lease it asked for, which it does not give back.

    `name` is unique; `estimate_s` comes from earlier runs, None when there was none. `after` are names of
    tasks that must have ended, however; with `alone` nothing runs beside it.
    """

    name: str
    gpus: int
    run: Callable[[Lease], T]
    estimate_s: float | None = None
    after: tuple[str, ...] = ()
    alone: bool = False
