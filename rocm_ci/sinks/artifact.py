"""The report as files in the output folder: what a workflow uploads and the trusted plane reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.report import codec
from rocm_ci.report.markdown import render_comment
from rocm_ci.tools import file

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Destination, Sink

COMMENT_NAME = "comment.md"


class Artifact:
    """Writes `report.json` and `comment.md` beside the logs."""

    name = "artifact"
    needs_token = False

    def emit(self, report: Report, where: Destination) -> tuple[str, ...]:
        """Both files whole or not at all: a half-written report would be refused later, elsewhere."""
        if where.out is None:
            return ()
        written = (
            (where.out / codec.FILE_NAME, codec.encode(report)),
            (where.out / COMMENT_NAME, render_comment(report, links=where.links).encode()),
        )
        for path, data in written:
            file.write(path, data)
        return tuple(str(path) for path, _ in written)


SINK: Sink = Artifact()
