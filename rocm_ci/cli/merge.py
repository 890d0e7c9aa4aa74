"""`rocm-ci merge`: the reports of a matrix, joined, shown and judged. The gate of a workflow runs it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rocm_ci.cli import wiring
from rocm_ci.errors import MachineError, ReportError, UsageError
from rocm_ci.log import printable
from rocm_ci.model.verdict import exit_code
from rocm_ci.report import bounds, codec
from rocm_ci.report.legs import MAX_LEGS, NAME
from rocm_ci.report.merge import merged, missing
from rocm_ci.sinks import console, outcome, summary
from rocm_ci.sinks.base import Destination, emit_all
from rocm_ci.tools import file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocm_ci.log import Log
    from rocm_ci.model.report import Report
    from rocm_ci.sinks.base import Sink

PREFIX = "rocm-ci-report"
ALONE = "run"  # what the report of an artifact without a name of its own is called
_MAX_ENTRIES = 10_000
_ABSENT = "its job did not start, was cancelled, or ended before it could write one"


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="LEG=FILE…|FOLDER")
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="LEG…",
    help="Legs that must have left a report; one that did not is an error.",
)
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the joined report here."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(*, sources: tuple[str, ...], required: tuple[str, ...], output: Path | None, form: str) -> int:
    """Join the reports of a matrix into one, and end with its verdict.

    LEG=FILE names one report. FOLDER is where actions/download-artifact laid the artifacts of a run:
    every `rocm-ci-report-LEG/report.json` in it counts. A report that cannot be read is an error of its leg.
    In a workflow the joined report is also shown in the step's summary.
    """
    env = wiring.environment()
    log = wiring.make_log(env)
    report = _joined(list(_files(sources)), _words(required))
    if output is not None:
        _write(output, codec.encode(report))
    code = exit_code(report.verdict, fail_on_inconclusive=outcome.fails_on_inconclusive(report))
    _show(report, env, log, as_json=form == "json")
    _tell_workflow(env, {"verdict": report.verdict.value, "exit-code": str(code)})
    return code


def _words(options: Iterable[str]) -> tuple[str, ...]:
    """An action's input is one text: `scan, build` and `scan build` are as good as two options."""
    names = [name for text in options for name in text.replace(",", " ").split()]
    odd = next((name for name in names if not NAME.match(name)), None)
    if odd is not None:
        message = f"{odd[:60]!r} is no name of a leg"
        raise UsageError(message, hint="use up to 40 letters, digits, dots, dashes and underscores")
    return tuple(dict.fromkeys(names))


def _files(sources: Sequence[str]) -> Iterator[tuple[str, Path]]:
    for source in sources:
        name, equals, path = source.partition("=")
        if equals and NAME.match(name) and path:
            yield name, Path(path)
        else:
            yield from in_folder(Path(source))


def in_folder(folder: Path) -> Iterator[tuple[str, Path]]:
    """The report of every leg, as the artifacts lie there. Other entries are nothing to us."""
    try:
        names = [entry.name for _, entry in zip(range(_MAX_ENTRIES), os.scandir(folder), strict=False)]
    except OSError as error:
        message = f"the folder {printable(str(folder))} cannot be read: {error.strerror}"
        raise UsageError(message, hint="name reports as LEG=FILE, or the folder of the artifacts") from error
    if codec.FILE_NAME in names:
        # One artifact alone is laid down without a folder of its own.
        yield _leg_of(Path(os.path.abspath(folder)).name) or ALONE, folder / codec.FILE_NAME  # noqa: PTH100 - links
        return
    found = [(leg, name) for name in sorted(names) if (leg := _leg_of(name))]
    if not found:
        message = f"there is no {PREFIX}-LEG/{codec.FILE_NAME} in {printable(str(folder))}"
        raise ReportError(message, hint="look at the jobs that should have uploaded one")
    if len(found) > MAX_LEGS:
        message = f"{len(found)} reports are more than a matrix can have ({MAX_LEGS})"
        raise ReportError(message, hint="name the folder of one run's artifacts")
    for leg, name in found:
        yield leg, folder / name / codec.FILE_NAME


def _leg_of(name: str) -> str | None:
    if name == PREFIX:
        return ALONE
    leg = name.removeprefix(f"{PREFIX}-")
    return leg if leg != name and NAME.match(leg) else None


def _joined(files: Sequence[tuple[str, Path]], required: Sequence[str]) -> Report:
    read: dict[str, Report] = {}
    lost: dict[str, ReportError] = {}
    for name, path in files:
        if name in read or name in lost:
            message = f"two reports are called {name!r}"
            raise ReportError(message, hint="give each job of the matrix a name of its own")
        try:
            read[name] = codec.decode(report_bytes(path))
        except ReportError as error:
            lost[name] = error
    if not read:
        raise next(iter(lost.values()))
    event = next(iter(read.values())).event
    for name, why in lost.items():
        read[name] = missing(name, str(why), event)
    for name in required:
        if name not in read:
            read[name] = missing(name, _ABSENT, event)
    return merged(list(read.items()))


def report_bytes(path: Path, *, limit: int = bounds.MAX_BYTES) -> bytes:
    """A report file, at most one byte more than `limit`.

    Its folder comes out of strangers' archives: neither may be a link or a pipe.
    """
    shown = printable(str(path))
    try:
        if stat.S_ISLNK(path.parent.lstat().st_mode):
            raise ReportError(f"{shown} lies behind a symbolic link", hint="name the folder itself")
        there = path.lstat()
    except OSError as error:
        message = f"there is no {shown}: {error.strerror}"
        raise ReportError(message, hint="look at the job that should have written it") from error
    opened = file.read(path)
    if opened is None or not stat.S_ISREG(there.st_mode):
        message = f"{shown} is not a regular file"
        raise ReportError(message, hint="the file must be the one that `rocm-ci run` or its artifact left")
    with opened:
        return opened.read(limit + 1)


def _write(path: Path, data: bytes) -> None:
    try:
        file.write(path, data)
    except OSError as error:
        message = f"{printable(str(path))} cannot be written: {error.strerror}"
        raise MachineError(message, hint="check the path, its permissions and free space") from error


def _show(report: Report, env: Mapping[str, str], log: Log, *, as_json: bool) -> None:
    page = env.get("GITHUB_STEP_SUMMARY")
    where = Destination(log=log, summary=Path(page) if page else None, links=wiring.links_of(env))
    sinks: tuple[Sink, ...] = (summary.SINK,) if as_json else (console.SINK, summary.SINK)
    emit_all(report, where, sinks)
    if as_json:
        log.result(wiring.as_json(report))


def _tell_workflow(env: Mapping[str, str], values: Mapping[str, str]) -> None:
    """The outputs of the step, where it has any."""
    from rocm_ci.github import commands  # noqa: PLC0415 - in a workflow only

    outputs = env.get("GITHUB_OUTPUT")
    for name, value in values.items() if outputs else ():
        commands.append_output(Path(outputs or ""), name, value)
