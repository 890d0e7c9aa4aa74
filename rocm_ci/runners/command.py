"""Any other command: whatever JUnit XML it writes is read, whatever known tool it prints is heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.runners import ctest, gtest, plugged, pytest
from rocm_ci.runners.base import Listed, Prepared, Slot, SuiteRunner
from rocm_ci.runners.live import Watch

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.case import Case


class _AnyWatch(Watch):
    """Asks the listeners of all tools, sharing what they see."""

    def __init__(self) -> None:
        super().__init__()
        self._all = [runner.watch() for runner in (pytest.RUNNER, ctest.RUNNER, gtest.RUNNER)]
        for watch in self._all:
            watch.seen, watch.open = self.seen, self.open

    def understand(self, text: str) -> None:
        for watch in self._all:
            watch.number = self.number
            watch.understand(text)
        self.failed_in_summary = sum(watch.failed_in_summary for watch in self._all)


class Command:
    """A script, a make target, a test program that says nothing of its kind."""

    name = "command"

    def claims(self, command: str) -> bool:  # noqa: ARG002 - the protocol's signature
        """Never by itself: it is what is left."""
        return False

    def prepare(self, command: str, slot: Slot, only: tuple[Listed, ...] = ()) -> Prepared | None:
        """See `SuiteRunner.prepare`. Single tests cannot be chosen: a second run is the whole command.

        Without `{junit}` the variables of pytest and GoogleTest are set all the same: a bare test
        program reports then, and every other program does not look at them.
        """
        if only and not slot.is_named:
            return None
        if slot.is_named:
            return Prepared(command=command)
        xml = slot.folder / "pytest.xml"
        options = [f"--junitxml={xml}", "-o", "junit_family=xunit2"]
        return Prepared(
            command=plugged.reached(command),
            environment={
                "GTEST_OUTPUT": f"xml:{slot.folder}/",
                **plugged.environment(command, slot, options, xml=xml),
            },
            expects_report=False,
        )

    def collect(self, command: str, slot: Slot, *, has_run: bool = False) -> tuple[Listed, ...] | None:  # noqa: ARG002
        """See `SuiteRunner.collect`."""
        return None

    def watch(self) -> Watch:
        """See `SuiteRunner.watch`."""
        return _AnyWatch()

    def reproduce(self, case: Case, command: str, root: Path, native: str | None) -> str | None:  # noqa: ARG002
        """The whole command: no more is known of it."""
        return command


RUNNER: SuiteRunner = Command()
