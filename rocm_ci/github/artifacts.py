"""The reports that a workflow run left as artifacts: `rocm-ci-report`, or one per leg of a matrix."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocm_ci.errors import ReportError
from rocm_ci.github import archive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocm_ci.github.port import Runs
    from rocm_ci.github.run import StoredArtifact

NAME = "rocm-ci-report"
LEG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z")
# What the gate of the reusable workflow has to say of an attempt: rocm-ci-gate-ATTEMPT.
GATE = "gate"
_GATE = re.compile(r"rocm-ci-gate-([0-9]{1,9})\Z")
MAX_LEGS = 64
MAX_TOTAL = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Stored:
    """The newest artifact of a name. `leg` is empty for the one that belongs to no matrix."""

    leg: str
    artifact: StoredArtifact


@dataclass(frozen=True, kw_only=True)
class Part:
    """One leg's report as it came, or why it cannot be had."""

    leg: str
    content: bytes = b""
    refused: ReportError | None = None


def of_run(github: Runs, repository: str, run: int, attempt: int | None = None) -> tuple[Stored, ...]:
    """What a run left for us, over all its attempts the newest of each name, sorted by leg.

    Of what the gate left only that of `attempt` counts (None: the newest): a later attempt may have brought
    what it missed. Raises `ReportError` when there is more than any matrix leaves, or a name that can be no
    leg's: to pass over a leg would be to call a run green that nobody looked at.
    """
    newest: dict[str, Stored] = {}
    gate: Stored | None = None
    for artifact in sorted(github.artifacts(repository, run), key=lambda one: (one.created, one.id)):
        of_gate = _GATE.match(artifact.name)
        if of_gate:
            counts = attempt is None or int(of_gate[1]) == attempt
            gate = Stored(leg=GATE, artifact=artifact) if counts else gate
        elif artifact.name == NAME or artifact.name.startswith(f"{NAME}-"):
            leg = artifact.name[len(NAME) + 1 :]
            if artifact.name != NAME and not LEG.match(leg):
                message = f"the artifact {artifact.name[:80]!a} of run {run} names no leg"
                hint = f"call it {NAME}-LEG, LEG made of up to 40 letters, digits, dots, dashes"
                raise ReportError(message, hint=hint)
            newest[leg] = Stored(leg=leg, artifact=artifact)
    if gate is not None:
        newest[GATE] = gate
    found = tuple(newest[leg] for leg in sorted(newest))
    if len(found) > MAX_LEGS:
        message = f"run {run} left {len(found)} reports, over the limit of {MAX_LEGS}"
        raise ReportError(message, hint="split the matrix over several workflows, each with its own --key")
    if sum(one.artifact.size for one in found) > MAX_TOTAL:
        message = f"the reports of run {run} have more than {MAX_TOTAL} bytes"
        raise ReportError(message, hint="keep large files out of the output folder")
    return found


def fetched(github: Runs, repository: str, found: Sequence[Stored]) -> Iterator[Part]:
    """The reports, one at a time. A leg whose archive is refused is told as such, the others still come."""
    for one in found:
        yield _part(github, repository, one)


def _part(github: Runs, repository: str, stored: Stored) -> Part:
    try:
        return Part(leg=stored.leg, content=_content(github, repository, stored.artifact))
    except ReportError as error:
        return Part(leg=stored.leg, refused=error)


def _content(github: Runs, repository: str, artifact: StoredArtifact) -> bytes:
    if artifact.expired:
        message = f"the artifact {artifact.name} has expired"
        raise ReportError(message, hint="run the check again")
    if artifact.size > archive.MAX_ARCHIVE:
        message = f"the artifact {artifact.name} has {artifact.size} bytes, over {archive.MAX_ARCHIVE}"
        raise ReportError(message, hint="keep large files out of the output folder")
    data = github.download_artifact(repository, artifact.id, limit=archive.MAX_ARCHIVE)
    return archive.report_of(data)
