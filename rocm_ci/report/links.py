"""Where a comment may point to: addresses from the trusted event, and pages of known publishers.

An address inside a report came from the plane that runs strangers' code; a bot that turned it into a
link would be lending its good name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

PROJECT = "https://github.com/org/rocm-ci"
# Hosts whose every page is the publisher's own.
_PUBLISHERS = {
    "rocm.docs.amd.com",
    "docs.amd.com",
    "www.amd.com",
    "gpuopen.com",
    "docs.kernel.org",
    "llvm.org",
    "clang.llvm.org",
    "cmake.org",
    "docs.pytorch.org",
    "pytorch.org",
    "docs.nvidia.com",
    "docs.github.com",
    "gcc.gnu.org",
    "man7.org",
}
# On GitHub anybody can write; only under these owners the owner does.
_GITHUB_OWNERS = {"rocm", "llvm", "pytorch", "org", "nvidia", "amd", "kitware"}
# And even there: what people attach to an issue is stored below the owner's name (`/files/`, `/assets/`).
_GITHUB_PAGES = {"", "blob", "commit", "discussions", "issues", "pull", "tree", "wiki"}
# A browser resolves these before it asks, also when they are written with percent signs.
_CLIMBS = re.compile(r"(?:\A|/)(?:\.|%2e){1,2}(?=/|\Z)", re.IGNORECASE)
_PLAIN = re.compile(r"https://[A-Za-z0-9./_~%#?=&+:@,;-]{1,500}\Z")
_OURS = re.compile(r"docs/[a-z0-9/-]{1,200}\.md(#[a-z0-9-]{1,80})?\Z")
_COMMIT = re.compile(r"[0-9a-f]{7,64}\Z")
_HOME = re.compile(r"https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._-]+){2}\Z")


@dataclass(frozen=True, kw_only=True)
class Links:
    """Addresses of the run, all from the trusted event; None leaves the text without a link.

    `repository` is the project's page (`https://github.com/owner/name`), `run` the workflow run,
    `artifact` the download of the whole report. `commands` are shown in the footer as things that
    a reader can do next; they are ours, not the report's.
    """

    repository: str | None = None
    run: str | None = None
    artifact: str | None = None
    commands: tuple[str, ...] = ()

    def commit(self, sha: str | None) -> str | None:
        """The page of one commit."""
        home = self._home()
        return f"{home}/commit/{sha}" if home and sha and _COMMIT.match(sha) else None

    def place(self, sha: str, path: str, line: int | None) -> str | None:
        """The page of one line of a file, as it is at a commit."""
        home = self._home()
        if not home or not _COMMIT.match(sha) or path.startswith("/") or ".." in path.split("/"):
            return None
        anchor = f"#L{line}" if line and line > 0 else ""
        return f"{home}/blob/{sha}/{quote(path, errors='replace')}{anchor}"

    def run_page(self, run: int, attempt: int | None = None) -> str | None:
        """The page of one workflow run, of one attempt where there were several."""
        home = self._home()
        if not home or run <= 0:
            return None
        return f"{home}/actions/runs/{run}" + (f"/attempts/{attempt}" if attempt and attempt > 1 else "")

    def _home(self) -> str | None:
        return self.repository if self.repository and _HOME.match(self.repository) else None


def published(address: str | None) -> str | None:
    """The address, if it is plain and leads to a publisher we know; else None.

    A relative `docs/rules/….md` is a page of our own.
    """
    if not address:
        return None
    if _OURS.match(address):
        return f"{PROJECT}/blob/main/{address}"
    if not _PLAIN.match(address):
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    if _CLIMBS.search(parts.path):
        return None
    if parts.netloc in _PUBLISHERS:
        return address
    _, owner, _, page, *_ = *parts.path.split("/"), "", "", "", ""
    is_theirs = owner.lower() in _GITHUB_OWNERS and page in _GITHUB_PAGES
    return address if parts.netloc == "github.com" and is_theirs else None
