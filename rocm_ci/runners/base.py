"""The contract of a runner: how a tool is made to report, and how its output is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.model.case import Case
    from rocm_ci.runners.live import Watch
    from rocm_ci.tools.process import Runner


@dataclass(frozen=True, kw_only=True)
class Slot:
    """Where one attempt runs and reports.

    `xml` stands for `{junit}`; `folder` takes any number of reports. `is_named` says that the
    command itself used `{junit}`, so that nothing need be added. A test that runs longer than
    `test_timeout_s` is ended. `is_deaf`: our plug-in was not heard in an earlier attempt.
    """

    root: Path
    xml: Path
    folder: Path
    is_named: bool
    environment: Mapping[str, str]
    run: Runner
    test_timeout_s: float | None = None
    is_deaf: bool = False

    @property
    def events(self) -> Path:
        """Where a plug-in tells what runs."""
        return self.folder.with_suffix(".events")

    @property
    def wanted(self) -> Path:
        """Where a tool reads which tests it is to run."""
        return self.folder.with_suffix(".only")


@dataclass(frozen=True, kw_only=True)
class Listed:
    """One test of a suite, before it ran: our id and name of it, and the tool's own (`native`)."""

    id: str
    name: str
    native: str


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """The command and what it needs in its environment.

    `expects_report` says whether a missing XML file is a fault; `reports` are places that the
    command itself chose for its XML.
    """

    command: str
    environment: Mapping[str, str] = field(default_factory=dict)
    expects_report: bool = True
    reports: tuple[Path, ...] = ()


class SuiteRunner(Protocol):
    """One kind of test tool; a module of this package ends in `RUNNER: SuiteRunner = …`."""

    @property
    def name(self) -> str:
        """The name that `runner:` uses in the configuration."""
        ...

    def claims(self, command: str) -> bool:
        """Whether `runner: auto` should choose this one. Only the text is looked at."""
        ...

    def prepare(self, command: str, slot: Slot, only: tuple[Listed, ...] = ()) -> Prepared | None:
        """Make the tool write JUnit XML. With `only`, run exactly these tests; None when it cannot."""
        ...

    def collect(self, command: str, slot: Slot, *, has_run: bool = False) -> tuple[Listed, ...] | None:
        """The tests that the command would run, in its order; None when it cannot tell. Runs none.

        After it `has_run`, what it did besides testing (a build) is done, and need not be known.
        """
        ...

    def watch(self) -> Watch:
        """A fresh listener for the output."""
        ...

    def reproduce(self, case: Case, command: str, root: Path, native: str | None) -> str | None:
        """One line to paste that runs this test alone; `native` is the tool's own name of it."""
        ...
