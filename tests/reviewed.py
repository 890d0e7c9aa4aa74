"""What GitHub does with a review: the diff it shows, the remarks it refuses, the file after a click."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from unidiff.patch import PatchSet

from rocm_ci.github.client import RejectedError
from rocm_ci.github.review import ChangedFile
from tests.rendered import render
from tests.unit.github.fake import FakeGitHub

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocm_ci.github.review import Remark


def shown(path: str, before: str, after: str, *, context: int = 3) -> ChangedFile:
    """A file of a pull request, with the hunks that git would make of it."""
    rows = difflib.unified_diff(
        before.split("\n")[:-1], after.split("\n")[:-1], "a/f", "b/f", lineterm="", n=context
    )
    patch = "\n".join(list(rows)[2:])
    return ChangedFile(path=path, status="modified" if before else "added", patch=patch or None)


def suggested(body: str) -> str | None:
    """The lines that a comment suggests, as GitHub's own Markdown reads them."""
    found = [pre for pre in render(body).iter("pre") if pre.get("lang") == "suggestion"]
    assert len(found) <= 1
    return found[0].text_content() if found else None


def applied(text: str, remarks: Iterable[Remark]) -> str:
    """A file after a click on each of its suggestions."""
    lines = text.split("\n")
    for remark in sorted(remarks, key=lambda one: -one.line):
        new = suggested(remark.body)
        assert new is not None
        lines[(remark.start_line or remark.line) - 1 : remark.line] = new.split("\n")[:-1]
    return "\n".join(lines)


def refusal(patches: Mapping[str, str | None], remark: Remark) -> str:
    """Why GitHub answers 422 to a remark; empty when it takes it. The diff is read by unidiff."""
    patch = patches.get(remark.path)
    if not patch:
        return "Pull request review thread diff hunk can't be blank"
    if remark.start_line is not None and remark.start_line >= remark.line:
        return "Pull request review thread start line must precede the end line."
    if not remark.body.strip() or len(remark.body) > 65_536:
        return "Body is invalid"
    (file,) = PatchSet(f"--- a/f\n+++ b/f\n{patch}\n")
    held = [{line.target_line_no for line in hunk.target_lines()} for hunk in file]
    mine = next((lines for lines in held if remark.line in lines), None)
    if mine is None:
        return "Pull request review thread line must be part of the diff"
    if remark.start_line is not None and remark.start_line not in mine:
        return "Pull request review thread start line must be part of the same hunk as the line."
    return ""


@dataclass
class StrictGitHub(FakeGitHub):
    """One bad remark loses all. `dislikes` are lines that it refuses for a reason that nobody can foresee."""

    dislikes: set[int] = field(default_factory=set)

    def create_review(
        self, repository: str, number: int, *, commit: str, body: str, remarks: Sequence[Remark]
    ) -> None:
        patches = {file.path: file.patch for file in self.changed}
        reasons = [reason for one in remarks if (reason := refusal(patches, one))]
        if reasons or not body.strip() or any(one.line in self.dislikes for one in remarks):
            self.calls.append(f"rejected {len(remarks)}")
            message = f"cannot post the review: GitHub answered 422 ({reasons or 'for no good reason'})"
            raise RejectedError(message)
        super().create_review(repository, number, commit=commit, body=body, remarks=remarks)
