"""Tasks for the tests of the schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocm_ci.schedule.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.context import Lease


def _nothing(_lease: Lease) -> str:
    return "done"


def task(name: str, gpus: int = 1, run: Callable[[Lease], Any] = _nothing, **more: Any) -> Task[Any]:
    return Task(name=name, gpus=gpus, run=run, **more)


def names(tasks: Any) -> list[str]:
    return [one.name for one in tasks]
