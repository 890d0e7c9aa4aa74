"""`rocm-ci junit FILE…`: any JUnit dialect, normalised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from rocm_ci.cli.wiring import as_json, environment, make_log
from rocm_ci.log import printable
from rocm_ci.model.case import CaseStatus

if TYPE_CHECKING:
    from rocm_ci.runners.junit import Reading

_SIGN = {
    CaseStatus.FAILED: "failed",
    CaseStatus.ERRORED: "errored",
    CaseStatus.FLAKY: "flaky",
    CaseStatus.SKIPPED: "skipped",
}


@click.command("junit")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(files: tuple[Path, ...], shape: str) -> int:
    """Normalise JUnit XML of any dialect.

    Damaged files are repaired as far as they can be, and marked. Exit status: 0 when every file
    could be read, whatever its tests say; 2 when one is missing, no JUnit XML, or refused.
    """
    from rocm_ci.runners import junit  # noqa: PLC0415 - the parser is only needed here

    log = make_log(environment())
    reading = junit.joined((printable(str(path)), junit.read_file(path)) for path in files)
    log.result(as_json(_document(reading)) if shape == "json" else _text(reading))
    for problem in reading.problems:
        log.warning(problem)
    return 0 if reading.readable else 2


def _document(reading: Reading) -> dict[str, Any]:
    return {
        "version": 1,
        "tests": reading.elements,
        "unique_tests": len({case.id for case in reading.cases}),
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
        "cases": msgspec.to_builtins(reading.cases),
    }


def _text(reading: Reading) -> str:
    lines = []
    for status, word in _SIGN.items():
        for case in reading.cases:
            if case.status is status and status is not CaseStatus.SKIPPED:
                place = f"  {case.path}:{case.line}" if case.path and case.line else ""
                lines.append(f"{word:8} {case.id}{place}")
                if case.message:
                    lines.append(f"         {case.message.splitlines()[0][:200]}")
    counts = [f"{reading.elements} tests", f"{reading.count(CaseStatus.PASSED)} passed"]
    counts += [f"{n} {word}" for status, word in _SIGN.items() if (n := reading.count(status))]
    lines.append(", ".join(counts) + (" (report repaired)" if reading.repaired else ""))
    lines += [f"! {error}" for error in reading.suite_errors]
    return "\n".join(printable(line) for line in lines)
