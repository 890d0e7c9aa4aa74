"""Where a comment may point to: addresses that come from the trusted event, never from the report."""

from __future__ import annotations

from dataclasses import dataclass

DOCS = "https://github.com/org/rocm-ci/blob/main/docs"


@dataclass(frozen=True, kw_only=True)
class Links:
    """Addresses of the run; None leaves the text without a link.

    `repository` is the project's page (`https://github.com/owner/name`), `run` the workflow run,
    `artifact` the download of the whole report, `docs` the folder of our documentation.
    """

    repository: str | None = None
    run: str | None = None
    artifact: str | None = None
    docs: str | None = DOCS

    def commit(self, sha: str) -> str | None:
        """The page of one commit."""
        return f"{self.repository}/commit/{sha}" if self.repository else None
