"""How much a comment may show, and what goes first when it is too long. The order is fixed."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True)
class Room:
    """Upper bounds. `text` is the length of one message in characters, `fixes` the open list."""

    log_tails: bool = True
    benchmarks: int = 100
    listed: int = 50
    findings: int = 100
    failed: int = 50
    kernels: int = 30
    warnings: int = 30
    fixes: int = 10
    text: int = 300
    details: bool = True
    trend: bool = True


def _steps() -> tuple[tuple[str, Room], ...]:
    room = Room()
    steps = [("", room)]
    for name, changes in (
        ("log tails", {"log_tails": False}),
        ("the list of all benchmarks", {"benchmarks": 0}),
        ("the trend and older verdicts", {"trend": False}),
        ("the lists of skipped and flaky tests", {"listed": 0}),
        ("findings beyond 10", {"findings": 10}),
        ("failed tests beyond 10", {"failed": 10}),
        ("build warnings", {"warnings": 0}),
        ("kernel changes beyond 5", {"kernels": 5}),
        ("the ends of long texts", {"text": 100}),
        ("all details", {"details": False}),
        ("the list of fixes beyond 3", {"fixes": 3, "text": 60}),
    ):
        room = replace(room, **changes)
        steps.append((name, room))
    return tuple(steps)


# What is dropped at each step, and the room that is left then. The verdict, the table and the
# machine's line are in every one of them.
STEPS = _steps()
