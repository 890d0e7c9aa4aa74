"""The reports a run left, as files or as artifacts → one report that is about what we report on.

Every byte comes from the plane that runs strangers' code. What is read here is decoded strictly, masked,
held against the trusted event, and only then joined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.cli import merge as folders
from rocm_ci.errors import ReportError, UsageError
from rocm_ci.github import archive, artifacts
from rocm_ci.github.artifacts import Part
from rocm_ci.model.plan import StageName
from rocm_ci.model.report import Leg
from rocm_ci.model.result import Crashed, PerfResult
from rocm_ci.report import codec, inert, mask
from rocm_ci.report.legs import GATE
from rocm_ci.report.merge import graded, merged, missing
from rocm_ci.sinks import outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from rocm_ci.cli.origin import Origin
    from rocm_ci.github.port import Runs
    from rocm_ci.model.event import Event
    from rocm_ci.model.report import Report

_LOST = "other-job"
_ASK = "a maintainer can test it with `/rocm-ci ok-to-test`, or push it to a branch of this repository"
_HINT = "the report must come from the run that started this job"
# How a run may end with nothing having gone wrong.
_FINE = (None, "success", "neutral", "skipped")


class NothingLeftError(ReportError):
    """The run left no report at all."""


def from_files(files: Sequence[Path], origin: Origin) -> Report:
    """The joined report of files: each a report.json, a zip archive of one, or a folder of artifacts."""
    return joined(_parts(files), origin)


def from_run(github: Runs, origin: Origin) -> Report:
    """The joined report of the artifacts that the run of `origin` left."""
    if origin.run_id is None:
        message = "there is no report: no file was named, and no run to fetch one from"
        raise UsageError(message, hint="name report.json, or run it in GitHub Actions")
    found = artifacts.of_run(github, origin.repository, origin.run_id, origin.run_attempt)
    if not found:
        message = f"run {origin.run_id} left no artifact called {artifacts.NAME}"
        raise NothingLeftError(message, hint="look at the job that should have uploaded one")
    return joined(artifacts.fetched(github, origin.repository, found), origin)


def joined(parts: Iterable[Part], origin: Origin) -> Report:
    """One report out of the parts. A part that cannot be read is an ERROR of its leg, if another can.

    Raises `ReportError` when none can, or when one is about something else than `origin`.
    """
    read: dict[str, Report] = {}
    lost: dict[str, ReportError] = {}
    for part in parts:
        leg = part.leg or folders.ALONE
        if leg in read or leg in lost:
            message = f"two reports are called {leg!r}"
            raise ReportError(message, hint="give each job of the matrix a name of its own")
        try:
            read[leg] = _read(part)
        except ReportError as error:
            lost[leg] = error
            continue
        strange = foreign(read[leg], origin)
        if strange:
            raise ReportError(f"the report is not posted: {strange}", hint=_HINT)
        read[leg] = _told_by(origin, read[leg])
    if not read:
        raise next(iter(lost.values()))
    event = next(iter(read.values())).event
    read |= {leg: missing(leg, str(why), event) for leg, why in lost.items()}
    ending = origin.conclusion
    if ending not in _FINE and not any(outcome.conclusion(report) == "failure" for report in read.values()):
        read[_LOST] = _stand_in(_LOST, f"a job of the run ended with {ending!r} and left no report", event)
    return merged(list(read.items()))


def _stand_in(name: str, reason: str, event: Event, *, started: str = "") -> Report:
    """What stands for a leg, in words of our own."""
    lost = Crashed(stage=StageName.PREFLIGHT, reason=reason)
    return replace(missing(name, "", event, started=started), results=(lost,))


def unproven(report: Report, why: str, ask: str = _ASK) -> Report:
    """The report with an ERROR that says why what is green in it is not enough, and what would be."""
    lost = Crashed(stage=StageName.PREFLIGHT, reason=f"{why}; {ask}")
    taken = {leg.name for leg in report.legs}
    name = next(one for one in (GATE, *(f"{GATE}-{n}" for n in range(len(taken)))) if one not in taken)
    part = _stand_in(name, lost.reason, report.event, started=report.started)
    if not report.legs:
        return merged([(folders.ALONE, report), (name, part)])
    leg = Leg(name=name, facts=part.facts, verdict=part.verdict, started=part.started, duration_s=0.0)
    results = (replace(lost, leg=name), *report.results)
    return graded(replace(report, results=results, legs=(*report.legs, leg)))


def foreign(report: Report, origin: Origin) -> str:
    """Why this report belongs to something else; empty when it does not."""
    about = report.event
    if about.head != origin.head:
        said = inert.line(about.head[:12])
        return f"it is about commit {said}, this job reports on {(origin.head or '?')[:12]}"
    if about.repository and about.repository.casefold() != origin.repository.casefold():
        return f"it is about another repository than {origin.repository}"
    if None not in (about.number, origin.number) and about.number != origin.number:
        return f"it is about pull request {about.number}, this job reports on {origin.number}"
    return ""


def _told_by(origin: Origin, report: Report) -> Report:
    """The report with all that the trusted event knows better than a stranger's file."""
    known = {
        "repository": origin.repository,
        "number": origin.number,
        "run_id": origin.run_id,
        "run_attempt": origin.run_attempt,
        "base_ref": origin.base_ref or report.event.base_ref,
    }
    return replace(report, event=replace(report.event, **known))


def _read(part: Part) -> Report:
    if part.refused is not None:
        raise part.refused
    report = codec.decode(part.content)
    accepts = any(
        comparison.accepted
        for result in report.results
        if isinstance(result, PerfResult)
        for bench in result.benches
        for comparison in bench.comparisons
    )
    if accepts:
        message = "the report says that a regression is accepted, which only a maintainer can say"
        raise ReportError(message, hint="do not trust it; run the check again")
    return mask.masked(report)


def _parts(files: Sequence[Path]) -> Iterator[Part]:
    for path in files:
        if path.is_dir():
            for leg, file in folders.in_folder(path):
                yield _part(leg, file)
        else:
            is_archive = path.suffix.lower() == ".zip"
            yield _part(_leg_of(path.stem if is_archive else path.parent.name), path)


def _part(leg: str, file: Path) -> Part:
    try:
        if file.suffix.lower() != ".zip":
            return Part(leg=leg, content=folders.report_bytes(file))
        data = folders.report_bytes(file, limit=archive.MAX_ARCHIVE)
        return Part(leg=leg, content=archive.report_of(data))
    except ReportError as error:
        return Part(leg=leg, refused=error)


def _leg_of(name: str) -> str:
    """The leg that a folder or an archive is named after; empty when it names none."""
    leg = name.removeprefix(f"{artifacts.NAME}-")
    return leg if leg != name and artifacts.LEG.match(leg) else ""
