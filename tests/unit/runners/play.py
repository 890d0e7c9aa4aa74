"""A suite whose tests do what a script says: everything of a run but the process."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from rocm_ci.config.options import TestOptions
from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.model.incident import Incident, IncidentKind
from rocm_ci.runners import attempt, expected, suite
from rocm_ci.runners.attempt import Attempt, Order
from rocm_ci.runners.base import Listed, Prepared
from rocm_ci.runners.junit import Reading
from rocm_ci.runners.live import Seen, Watch
from rocm_ci.tools.process import Stop, Streamed
from tests.fakes import FakeGpus, context

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pytest

    from rocm_ci.context import Context, Lease
    from rocm_ci.model.result import Suite


@dataclass(frozen=True, kw_only=True)
class Does:
    """What a test, or the command (an empty name), does in one run.

    `ends` takes the process along: a signal's number as exit code, `overdue`, `silence`, `timeout`, `stop`
    or `oom`. `troubles` is what the machine does meanwhile; `prints` goes to the log and into the message of a test
    that does not pass, `logs` to the log only; `writes` is what the report says instead.
    """

    status: CaseStatus = CaseStatus.PASSED
    ends: int | str = 0
    prints: str = ""
    logs: str = ""
    writes: str = ""
    exit_code: int | None = None
    troubles: tuple[IncidentKind | Incident, ...] = ()
    seconds: float = 1.0


PASS = Does()
SKIP = Does(status=CaseStatus.SKIPPED)
FAIL = Does(status=CaseStatus.FAILED, prints="assert 1 == 2")
CRASH = Does(ends=-11)
OVERDUE = Does(ends="overdue")
OUT_OF_MEMORY = Does(ends="oom")
HOST = frozenset(
    {
        IncidentKind.DISK_FULL,
        IncidentKind.OUT_OF_MEMORY,
        IncidentKind.SHARED_MEMORY,
        IncidentKind.LIBRARY,
        IncidentKind.NETWORK,
        IncidentKind.PERMISSION,
    }
)


def trouble(kind: IncidentKind, lease: Lease | None = None, **known: Any) -> Incident:
    """What the kernel would tell of it, on the first GPU of the lease."""
    label = lease.labels[0] if lease and lease.labels and kind not in HOST else None
    given: dict[str, Any] = {
        "kind": kind,
        "text": f"{kind.value} happened",
        "source": "kernel log",
        "gpu": label,
        "is_gpu": label is not None,
    }
    return Incident(**given | known)


@dataclass
class PlayRunner:
    """A tool that only the play knows. `chooses`: whether it can run a part of its tests."""

    name: str = "play"
    chooses: bool = True

    def claims(self, command: str) -> bool:
        return False

    def prepare(self, command: str, slot: Any, only: tuple[Listed, ...] = ()) -> Prepared | None:
        return None

    def collect(self, command: str, slot: Any, *, has_run: bool = False) -> tuple[Listed, ...] | None:
        return None

    def watch(self) -> Watch:
        return Watch()

    def reproduce(self, case: Case, command: str, root: Path, native: str | None) -> str | None:
        return f"play {native or case.id}"


# One for all runs, or one for each run of the test (the last stays), or by the devices that it gets.
Script = Does | list[Does] | dict[str, Does]


@dataclass
class Play:
    """Runs `tests` in their order. `is_listed`: whether it is known beforehand which there are.

    `is_doubled`: a failed test is there twice, once for its teardown. `is_greedy`: it runs all whatever is asked.
    """

    tests: Mapping[str, Script]
    gpus: FakeGpus = field(default_factory=lambda: FakeGpus(total=2))
    options: Mapping[str, Any] = field(default_factory=dict)
    flaky: str = "neutral"
    runner: PlayRunner = field(default_factory=PlayRunner)
    is_listed: bool = True
    is_doubled: bool = False
    is_greedy: bool = False
    problem: str = ""
    met_full_disk: bool = False
    writes_report: bool = True
    lease_wait_s: float = 30.0
    stop: Callable[[], str] = lambda: ""
    runs: list[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    took: dict[str, int] = field(default_factory=dict)

    def run(self, root: Path, monkeypatch: pytest.MonkeyPatch, only: Sequence[str] = ()) -> Suite:
        """The suite's result; `runs` then holds the tests and devices of each run."""
        monkeypatch.setattr(attempt, "run", self._attempt)
        ctx = dataclasses.replace(context(root, gpus=self.gpus), stop=self.stop)
        options = {"name": "unit", "run": "play", "gpus": 1, **self.options}
        order = Order(
            options=msgspec.convert(options, TestOptions),
            runner=self.runner,
            stem="unit",
            values={},
            environment={},
            lease_wait_s=self.lease_wait_s,
            flaky=self.flaky,
            wanted=expected.of(str(options["expected"]) if "expected" in options else None, root),
        )
        lease = self.gpus.lease(order.options.gpus, step="unit")
        assert lease is not None
        return suite.run(ctx, order, lease, self._listed(only))

    def _listed(self, names: Sequence[str]) -> tuple[Listed, ...]:
        return tuple(Listed(id=name, name=name, native=name) for name in names)

    def _attempt(
        self, ctx: Context, order: Order, lease: Lease, number: int = 0, only: tuple[Listed, ...] = ()
    ) -> Attempt | None:
        if only and not self.runner.chooses:
            return None
        asked = () if self.is_greedy else only
        chosen = [one.id for one in asked] or [name for name in self.tests if name]
        self.runs.append((tuple(chosen), lease.devices))
        watch = Watch()
        did = [("", self._does("", lease))] if "" in self.tests else []
        ran, running = [], []
        for name in chosen:
            watch.number = _lines(did) + 1
            watch.started(name, name, name)
            does = self._does(name, lease)
            did.append((name, does))
            watch.number = _lines(did)
            if does.ends:
                running.append(watch.seen[name])
                break
            message = does.prints if does.status is not CaseStatus.PASSED else ""
            watch.ended(name, name, name, does.status, message=message)
            words = does.writes or message or None
            case = Case(id=name, suite="unit", name=name, status=does.status, message=words)
            ran += [case, case] if self.is_doubled and message else [case]
        end = next((does for _, does in did if does.ends), PASS)
        log = ctx.out / "logs" / f"{len(self.runs)}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("".join(f"{text}\n" for _, does in did for text in (does.prints, does.logs) if text))
        told = tuple(
            what if isinstance(what, Incident) else trouble(what, lease)
            for _, d in did
            for what in d.troubles
        )
        self.gpus.troubles.append(told)
        rest = chosen[len(did) - ("" in self.tests) :] if end.ends else []
        return Attempt(
            streamed=self._streamed(did, end, log),
            watch=watch,
            reading=None if end.ends or not self.writes_report else Reading(cases=ran, elements=len(ran)),
            expects_report=self.writes_report,
            listed=self._listed(chosen) if self.is_listed else None,
            running=tuple(running),
            overdue=_first(running) if end.ends == "overdue" else None,
            unrun=self._listed(rest) if self.is_listed else None,
        )

    def _does(self, name: str, lease: Lease) -> Does:
        script, turn = self.tests[name], self.took.get(name, 0)
        self.took[name] = turn + 1
        if isinstance(script, Does):
            return script
        if isinstance(script, dict):
            return script[lease.devices[0]]
        return script[min(turn, len(script) - 1)]

    def _streamed(self, did: Sequence[tuple[str, Does]], end: Does, log: Path) -> Streamed:
        stopped = {
            "overdue": Stop.TIMEOUT,
            "silence": Stop.SILENCE,
            "timeout": Stop.TIMEOUT,
            "stop": Stop.ASKED,
        }
        bad = any(does.status in (CaseStatus.FAILED, CaseStatus.ERRORED) for _, does in did)
        codes = [does.exit_code for _, does in did if does.exit_code is not None]
        code = -9 if isinstance(end.ends, str) else end.ends or int(bad)
        return Streamed(
            argv=("play",),
            exit_code=codes[0] if codes else code,
            duration_s=sum(does.seconds for _, does in did),
            timed_out=end.ends in ("timeout", "overdue"),
            log=log,
            tail=log.read_text(),
            stopped=stopped.get(str(end.ends)),
            why=self.stop() or "a test overran" if end.ends in ("stop", "overdue") else "",
            out_of_memory=int(end.ends == "oom"),
            problem=self.problem,
            met_full_disk=self.met_full_disk,
        )


def _lines(did: Sequence[tuple[str, Does]]) -> int:
    return sum(text.count("\n") + 1 for _, does in did for text in (does.prints, does.logs) if text)


def _first(running: Sequence[Seen]) -> Seen | None:
    return running[0] if running else None
