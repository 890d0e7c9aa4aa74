"""`rocm-ci run`: the whole pipeline, from an event or on a checkout. The GPU plane: no token here."""

from __future__ import annotations

from pathlib import Path

import click

from rocm_ci import __version__
from rocm_ci.cli import wiring

PATH = ".github/rocm-ci.yml"
OUTPUT = "rocm-ci-out"


@click.command("run")
@click.option("--local", is_flag=True, help="Run on the working tree, without an event.")
@click.option("--base", metavar="REF", help="Compare with the merge base of REF instead of the event's base.")
@click.option("--config", "config_path", type=click.Path(path_type=Path), help=f"Default: {PATH}.")
@click.option("--suite", metavar="NAME", help="Only this test suite, or those of a layer; `*` for all.")
@click.option("--bench", metavar="NAME", help="Only this benchmark; `*` for all.")
@click.option("--shard", metavar="I/N", help="Only part I of N of every suite; other runs do the others.")
@click.option(
    "--times",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="report.json of an earlier run, for the order.",
)
@click.option("--output", type=click.Path(path_type=Path), default=Path(OUTPUT), show_default=True)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--verbose", "-v", is_flag=True, help="Show the output of every command.")
def command(
    *,
    local: bool,
    base: str | None,
    config_path: Path | None,
    suite: str | None,
    bench: str | None,
    shard: str | None,
    times: Path | None,
    output: Path,
    form: str,
    verbose: bool,
) -> int:
    """Scan, build, test and measure a change; write report.json and comment.md to the output folder."""
    env = wiring.environment()
    log = wiring.make_log(env, verbose=verbose)
    log.info(f"rocm-ci {__version__}")
    # The stages cost more to import than our first line of output may take.
    from rocm_ci.cli import perform  # noqa: PLC0415

    base = base or env.get("ROCM_CI_BASE") or None
    config_path = config_path or (Path(env["ROCM_CI_CONFIG"]) if env.get("ROCM_CI_CONFIG") else None)
    request = perform.Request(
        root=Path.cwd(),
        output=output,
        config=config_path,
        base=base,
        local=local,
        suite=suite,
        bench=bench,
        shard=shard,
        times=times or (Path(env["ROCM_CI_TIMES"]) if env.get("ROCM_CI_TIMES") else None),
    )
    report = perform.perform(request, env, log, quiet=form == "json")
    if form == "json":
        log.result(wiring.as_json(report))
    return perform.exit_code_of(report)
