"""What a run would do, told before it: the stages, and the jobs of a matrix that share the work."""

from __future__ import annotations

from rocm_ci.model.base import Frozen


class Entry(Frozen, frozen=True, kw_only=True):
    """One job of a matrix. `stages` and `arch` are words separated by spaces, as the action takes them.

    `name` is fit to be the name of a leg. `suite` and `bench` are empty where the job is not narrowed down;
    `gpus` is how many the job needs at once.
    """

    name: str
    stages: str
    suite: str = ""
    bench: str = ""
    arch: str = ""
    gpus: int = 0


class PlannedStage(Frozen, frozen=True, kw_only=True):
    """One stage, whether it would run, and why or why not."""

    stage: str
    run: bool
    reason: str


class Outlook(Frozen, frozen=True, kw_only=True):
    """What `rocm-ci plan --format json` prints."""

    version: int = 1
    stages: tuple[PlannedStage, ...]
    include: tuple[Entry, ...]
