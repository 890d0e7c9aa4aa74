"""What triggered a run."""

from __future__ import annotations

import enum

from rocm_ci.model.base import Frozen


class EventKind(enum.Enum):
    """The triggers we understand; LOCAL has no GitHub event behind it."""

    PULL_REQUEST = "pull_request"
    PUSH = "push"
    WORKFLOW_DISPATCH = "workflow_dispatch"
    MERGE_GROUP = "merge_group"
    LOCAL = "local"


class Event(Frozen, frozen=True, kw_only=True):
    """One trigger, already checked. Commits are full hexadecimal object names.

    `base` is the tip the change is to land on, `merge_base` the commit it branched from: the
    diff, the base build and every comparison use `merge_base`. Both are None when the event has
    no predecessor (a first push); then the whole tree counts as added.

    `suite` and `bench` narrow the run down to one test suite (or a layer of them) and to one benchmark;
    `*` stands for all of the kind. When only one of the two is given, nothing of the other kind runs.
    `shard` is the part of every suite that this run does, of several that share them: `2/4`.
    """

    kind: EventKind
    repository: str | None = None
    head: str
    base: str | None = None
    merge_base: str | None = None
    base_ref: str | None = None
    head_ref: str | None = None
    number: int | None = None
    title: str | None = None
    is_fork: bool = False
    labels: tuple[str, ...] = ()
    run_id: int | None = None
    run_attempt: int | None = None
    suite: str | None = None
    bench: str | None = None
    shard: str | None = None

    @property
    def is_partial(self) -> bool:
        """Whether only a part of the suites and benchmarks was asked for."""
        return bool(self.suite or self.bench)
