"""`rocm-ci junit FILE…`: any JUnit dialect, normalised."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from rocm_ci.cli.wiring import as_json, environment, make_log
from rocm_ci.errors import UsageError
from rocm_ci.log import printable
from rocm_ci.model.case import CaseStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.model.case import Case
    from rocm_ci.runners.expected import Compared
    from rocm_ci.runners.junit import Reading

_MAX_NEW = 50
_BATCH = 1_000
_SIGN = {
    CaseStatus.FAILED: "failed",
    CaseStatus.ERRORED: "errored",
    CaseStatus.FLAKY: "flaky",
    CaseStatus.SKIPPED: "skipped",
}


@click.command("junit")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--expected", type=click.Path(path_type=Path), metavar="LIST", help="Tests that have to be there."
)
@click.option(
    "--write-expected",
    type=click.Path(path_type=Path),
    metavar="LIST",
    help="Write the ids of all tests there: a list for `expected` in the configuration.",
)
def command(files: tuple[Path, ...], shape: str, expected: Path | None, write_expected: Path | None) -> int:
    """Normalise JUnit XML of any dialect.

    Damaged files are repaired as far as they can be, and marked. Exit status: 0 when every file
    could be read, whatever its tests say; 2 when one is missing, no JUnit XML, or refused; 1 when a
    test is not there that `--expected` lists.
    """
    from rocm_ci.runners import junit  # noqa: PLC0415 - the parser is only needed here

    log = make_log(environment())
    compared = _compared(expected, ()) if expected else None  # a list that cannot be used is told at once
    reading = junit.joined((printable(str(path)), junit.read_file(path)) for path in files)
    if expected:
        compared = _compared(expected, reading.cases)
    for piece in _json(reading, compared) if shape == "json" else _text(reading, compared):
        log.result(piece)
    for problem in reading.problems:
        log.warning(problem)
    if write_expected and reading.readable:
        _write(write_expected, reading)
        log.info(f"{len(reading.cases)} test(s) written to {printable(str(write_expected))}")
    if not reading.readable:
        return 2
    return int(compared is not None and bool(compared.vanished))


def _compared(path: Path, cases: Iterable[Case]) -> Compared:
    from rocm_ci.runners import expected  # noqa: PLC0415 - only where a list is given

    return expected.compare(expected.read_file(path, printable(str(path))), cases)


def _write(path: Path, reading: Reading) -> None:
    from rocm_ci.runners import expected  # noqa: PLC0415 - as above
    from rocm_ci.tools import file  # noqa: PLC0415 - as above

    try:
        file.write(path, expected.written(reading.cases).encode("utf-8", "replace"))
    except OSError as error:
        message = f"the list {printable(str(path))} cannot be written: {error.strerror or error}"
        raise UsageError(message, hint="name a file in a folder that may be written") from error


def _json(reading: Reading, compared: Compared | None) -> Iterator[str]:
    """The document in pieces: a million cases must not be one string."""
    document: dict[str, Any] = {
        "version": 1,
        "tests": reading.elements,
        "unique_tests": _unique(reading),
        "passed": reading.count(CaseStatus.PASSED),
        "failures": reading.count(CaseStatus.FAILED),
        "errors": reading.count(CaseStatus.ERRORED),
        "skipped": reading.count(CaseStatus.SKIPPED),
        "flaky": reading.count(CaseStatus.FLAKY),
        "retried": reading.retried,
        "repaired": reading.repaired,
        "truncated": reading.truncated,
        "readable": reading.readable,
        "problems": [*reading.problems, *reading.suite_errors],
    }
    if compared is not None:
        document["vanished"] = [{"line": number, "test": line} for number, line in compared.vanished]
        document["unlisted"] = list(compared.unlisted)
    if not reading.cases:
        yield as_json({**document, "cases": []})
        return
    yield as_json(document).rstrip().removesuffix("}").rstrip() + ',\n  "cases": ['
    encode, left = msgspec.json.Encoder().encode, len(reading.cases)
    for batch in _batches(reading.cases):
        left -= len(batch)
        yield ",\n".join("    " + encode(case).decode() for case in batch) + ("," if left else "")
    yield "  ]\n}"


def _unique(reading: Reading) -> int:
    """How many ids there are. By their hashes, in order: a set of a million names is a lot of memory."""
    hashes = sorted(hash(case.id) for case in reading.cases)
    return sum(1 for _ in itertools.groupby(hashes))


def _batches(cases: Iterable[Case]) -> Iterator[list[Case]]:
    rest = iter(cases)
    while batch := list(itertools.islice(rest, _BATCH)):
        yield batch


def _text(reading: Reading, compared: Compared | None) -> Iterator[str]:
    """For people: what did not pass, worst first, and the counts."""
    for status, word in _SIGN.items():
        if status is not CaseStatus.SKIPPED and reading.count(status):
            for batch in _batches(case for case in reading.cases if case.status is status):
                yield "\n".join(printable(line) for case in batch for line in _lines(case, word))
    counts = [f"{reading.elements} tests", f"{reading.count(CaseStatus.PASSED)} passed"]
    counts += [f"{n} {word}" for status, word in _SIGN.items() if (n := reading.count(status))]
    lines = [", ".join(counts) + (" (report repaired)" if reading.repaired else "")]
    lines += [f"! {error}" for error in reading.suite_errors]
    if compared is not None:
        lines += [f"vanished {line}  (line {number} of the list)" for number, line in compared.vanished]
        lines += [f"new      {id_}" for id_ in compared.unlisted[:_MAX_NEW]]
        more = len(compared.unlisted) - _MAX_NEW
        lines += [f"new      … and {more} more"] if more > 0 else []
    yield "\n".join(printable(line) for line in lines)


def _lines(case: Case, word: str) -> Iterator[str]:
    place = f"  {case.path}:{case.line}" if case.path and case.line else ""
    yield f"{word:8} {case.id}{place}"
    if case.message:
        yield f"         {case.message.splitlines()[0][:200]}"
