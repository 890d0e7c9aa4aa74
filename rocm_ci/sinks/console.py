"""The report on the terminal."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from rocm_ci.github import commands

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink

MIN_WIDTH, MAX_WIDTH = 60, 120


class Console:
    """Writes to standard output, through the log."""

    name = "console"
    needs_token = False

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Headline, table, what to fix, the machine."""
        from rocm_ci.report import terminal  # noqa: PLC0415 - the other sinks need no terminal

        columns = shutil.get_terminal_size((100, 24)).columns
        width = max(MIN_WIDTH, min(columns, MAX_WIDTH))
        where.log.result(commands.harmless(terminal.render(report, colour=where.log.colour, width=width)))
        return ()


SINK: Sink = Console()
