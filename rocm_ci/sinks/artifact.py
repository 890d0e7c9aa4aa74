"""The report as files in the output folder: what a workflow uploads and the trusted plane reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.report import codec
from rocm_ci.report.markdown import render_comment

if TYPE_CHECKING:
    from pathlib import Path

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
        where.out.mkdir(parents=True, exist_ok=True)
        return (
            _replace(where.out / codec.FILE_NAME, codec.encode(report)),
            _replace(where.out / COMMENT_NAME, render_comment(report, links=where.links).encode()),
        )


def _replace(path: Path, data: bytes) -> str:
    half = path.with_name(f".{path.name}.part")
    half.write_bytes(data)
    half.replace(path)
    return str(path)


SINK: Sink = Artifact()
