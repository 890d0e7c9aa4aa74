"""`rocm-ci perf`: measure a change against its merge base, or compare what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rocm_ci.cli import wiring
from rocm_ci.errors import UsageError

if TYPE_CHECKING:
    from rocm_ci.log import Log
    from rocm_ci.model.perf import Comparison, Series
    from rocm_ci.perf.formats.base import Measurement

_FILE = click.Path(path_type=Path)
_FORMAT = click.Choice(["text", "json"])


@click.group("perf")
def command() -> None:
    """Measure and compare speed."""


@command.command("run")
@click.option("--base", metavar="REF", required=True, help="Compare with the merge base of REF and the head.")
@click.option("--config", "config_path", type=_FILE, help="Default: .github/rocm-ci.yml.")
@click.option("--output", type=_FILE, default=Path("rocm-ci-out"), show_default=True)
@click.option("--format", "form", type=_FORMAT, default="text", show_default=True)
def measure(*, base: str, config_path: Path | None, output: Path, form: str) -> int:
    """Build both sides and run the configured benchmarks in turn: `rocm-ci run` without the rest."""
    env = wiring.environment() | {"ROCM_CI_STAGES": "build perf"}
    log = wiring.make_log(env)
    log.info("Building both sides, then running the benchmarks in turn.")
    from rocm_ci.cli import perform  # noqa: PLC0415 - the first line comes before the pipeline's imports

    request = perform.Request(root=Path.cwd(), output=output, config=config_path, base=base, local=True)
    report = perform.perform(request, env, log, quiet=form == "json")
    if form == "json":
        log.result(wiring.as_json(report))
    return perform.exit_code_of(report)


@command.command("compare")
@click.argument("files", nargs=-1, type=_FILE, metavar="[BASE HEAD]")
@click.option("--samples", type=_FILE, help="A samples file, as `perf run` keeps it under OUTPUT/perf/.")
@click.option(
    "--min-effect", type=click.FloatRange(0, 1000), default=3.0, show_default=True, help="In percent."
)
@click.option("--format", "form", type=_FORMAT, default="text", show_default=True)
def compare(*, files: tuple[Path, ...], samples: Path | None, min_effect: float, form: str) -> int:
    """Decide whether HEAD differs from BASE.

    A samples file is `{version: 1, series: [{name, unit, better: lower|higher, base: [[…one
    process…], …], head: [[…]], control: bool}]}`. Two result files hold one process a side, which
    is enough to show numbers and never enough to decide.
    """
    from rocm_ci.perf import samples as samples_file  # noqa: PLC0415
    from rocm_ci.perf import statistics  # noqa: PLC0415

    log = wiring.make_log(wiring.environment())
    if samples is not None and not files:
        series = samples_file.decode(wiring.read_bytes(samples, "the samples file"), path=str(samples))
    elif samples is None and len(files) == 2:
        series = _from_results(*files, log)
    else:
        raise UsageError("compare what?", hint="give --samples FILE, or two result files: BASE HEAD")
    comparisons = statistics.compare(series, min_effect_pct=min_effect)
    if form == "json":
        log.result(wiring.as_json({"series": comparisons}))
    else:
        log.result("\n".join(_line(c) for c in comparisons) or "nothing to compare")
    return 1 if any(c.verdict.value == "regression" for c in comparisons) else 0


def _from_results(base: Path, head: Path, log: Log) -> tuple[Series, ...]:
    from rocm_ci import registry  # noqa: PLC0415
    from rocm_ci.model.perf import Better  # noqa: PLC0415
    from rocm_ci.model.perf import Series as OneSeries  # noqa: PLC0415
    from rocm_ci.perf import formats  # noqa: PLC0415
    from rocm_ci.perf.formats.base import Format  # noqa: PLC0415

    known = registry.load(formats, "FORMAT", Format)  # type: ignore[type-abstract]
    sides = []
    for path in (base, head):
        text = wiring.read_bytes(path, "the result file").decode("utf-8", "replace")
        form = next((f for f in known.values() if f.claims(text)), None)
        if form is None:
            message = f"{path} is of no format we know"
            raise UsageError(message, hint=f"known: {', '.join(sorted(known))}")
        sides.append({m.name: m for m in form.read(text)})
    before, after = sides
    same = {name: times for name in after if (times := _factor(before.get(name), after[name])) is not None}
    for name in sorted({*before, *after} - {*same}):
        log.warning(f"{name} is not compared: the files do not both have it in comparable units")
    return tuple(
        OneSeries(
            name=name,
            unit=after[name].unit,
            better=after[name].better or Better.LOWER,
            base=(tuple(same[name] * value for value in before[name].values),),
            head=(after[name].values,),
        )
        for name in sorted(same)
    )


def _factor(before: Measurement | None, after: Measurement) -> float | None:
    from rocm_ci.perf.units import factor  # noqa: PLC0415 - as above

    return None if before is None else factor(before.unit, after.unit)


def _line(one: Comparison) -> str:
    if one.effect_pct is None:
        return f"{one.verdict.value:13} {one.name}: {one.reason}"
    interval = (
        "" if one.interval_pct is None else f" [{one.interval_pct[0]:+.1f} … {one.interval_pct[1]:+.1f}]"
    )
    p = "" if one.p is None else f", p {one.p:.2g}"
    reason = f" ({one.reason})" if one.reason else ""
    effect = f"{one.effect_pct:+.1f} %{interval}{p}"
    return f"{one.verdict.value:13} {one.name}: {effect}, {one.rounds} rounds{reason}"
