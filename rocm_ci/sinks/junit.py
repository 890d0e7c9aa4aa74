"""The report as `junit.xml` in the output folder, for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.report import junit
from rocm_ci.tools import file

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink

FILE_NAME = "junit.xml"


class JUnit:
    """Writes one file."""

    name = "junit"
    needs_token = False

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """All suites, the findings and the build as one JUnit document."""
        if where.out is None:
            return ()
        path = where.out / FILE_NAME
        file.write(path, junit.render(report).encode())
        return (str(path),)


SINK: Sink = JUnit()
