"""What could not be posted: it goes to the page of this very step, so that nothing of it is lost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.sinks.summary import LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocm_ci.log import Log
    from rocm_ci.model.report import Report
    from rocm_ci.report.links import Links
    from rocm_ci.sinks.base import Unposted

_CUT = "\n\n*The rest does not fit on this page.*\n"


@dataclass(frozen=True, kw_only=True)
class Leftovers:
    """The step's summary; None outside of GitHub Actions."""

    page: Path | None
    log: Log

    @classmethod
    def of(cls, env: Mapping[str, str], log: Log) -> Leftovers:
        """The one of this step."""
        path = env.get("GITHUB_STEP_SUMMARY")
        return cls(page=Path(path) if path else None, log=log)

    def add(self, report: Report | None, links: Links, unposted: Sequence[Unposted]) -> None:
        """Say what was not posted and why, and show it; with a `report` its comment where nobody else does.

        Nothing happens where everything was posted.
        """
        if self.page is None or not unposted:
            return
        parts = [one.markdown for one in unposted]
        if report is not None and not any(one.sink == "comment" and one.text for one in unposted):
            parts.append(_folded(report, links))
        try:
            _append(self.page, "\n".join(parts).encode())
        except OSError as error:
            self.log.warning(f"the step summary could not be written: {error.strerror}")


def _append(page: Path, text: bytes) -> None:
    there = page.stat().st_size if page.exists() else 0
    room = LIMIT - there - 2
    if len(text) > room:
        text = text[: max(room - len(_CUT), 0)].rpartition(b"\n")[0] + _CUT.encode()
    if len(text) <= room:
        with page.open("ab") as file:
            file.write((b"\n" if there else b"") + text)


def _folded(report: Report, links: Links) -> str:
    from rocm_ci.report.markdown import render_comment  # noqa: PLC0415 - templates, only when needed

    comment = render_comment(report, links=links)
    return f"<details><summary>The report</summary>\n\n{comment}\n\n</details>\n"
