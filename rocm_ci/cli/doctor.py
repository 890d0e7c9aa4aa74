"""`rocm-ci doctor`: the preflight checks of this machine, without a job."""

from __future__ import annotations

from pathlib import Path

import click

from rocm_ci.cli.wiring import as_json, child_environment, environment, make_log
from rocm_ci.log import printable
from rocm_ci.model.result import Check
from rocm_ci.model.verdict import Verdict, exit_code

_MARKS = {Verdict.PASS: "ok", Verdict.NEUTRAL: "advice", Verdict.SKIPPED: "–", Verdict.ERROR: "ERROR"}


@click.command("doctor")
@click.option(
    "--gpus", type=click.IntRange(0, 1024), default=0, help="How many GPUs the machine should have."
)
@click.option(
    "--arch", "archs", multiple=True, help="A target the machine should run, like gfx942; repeatable."
)
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(gpus: int, archs: tuple[str, ...], shape: str) -> int:
    """Check this machine: what was seen, what is needed, how to fix it. Exit code 3 when it is unusable."""
    env = environment()
    log = make_log(env)
    child = child_environment(env)
    log.info("looking at this machine …")
    # The collectors start a thread pool and read tables: not a price for `--help`.
    from rocm_ci.gpu.checks.machine import Needs, survey  # noqa: PLC0415
    from rocm_ci.gpu.checks.run import run_checks, verdict  # noqa: PLC0415
    from rocm_ci.gpu.collect import collect  # noqa: PLC0415
    from rocm_ci.gpu.live import live_reader  # noqa: PLC0415
    from rocm_ci.tools.process import ProcessRunner  # noqa: PLC0415

    facts = collect(live_reader(ProcessRunner(), child))
    needs = Needs(wanted={"the command line": gpus} if gpus else {}, builds=True, archs=archs)
    checks = run_checks(survey(facts, child, {"the current folder": Path.cwd()}), needs)
    result = verdict(checks)
    if shape == "json":
        log.result(as_json({"checks": checks, "verdict": result}))
    else:
        log.result("\n".join(printable(line) for check in checks for line in _lines(check)))
    return exit_code(result)


def _lines(check: Check) -> list[str]:
    lines = [f"{_MARKS.get(check.status, check.status.value):<8}{check.id:<17}{check.seen}"]
    if check.status in (Verdict.ERROR, Verdict.NEUTRAL):
        lines.append(f"{'':<25}needed: {check.needed}")
        lines += [f"{'':<25}→ {check.fix}"] if check.fix else []
    return lines
