"""`rocm-ci doctor`: the checks of the `preflight` stage for this machine, without a job."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocm_ci.cli.wiring import (
    SystemClock,
    as_json,
    child_environment,
    environment,
    make_log,
    state_folder,
)
from rocm_ci.github import commands
from rocm_ci.model.verdict import exit_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.gpu.checks.machine import Machine, Needs
    from rocm_ci.log import Log
    from rocm_ci.model.facts import Facts
    from rocm_ci.model.result import Check
    from rocm_ci.model.verdict import Verdict

_DOCKER = Path("/var/lib/docker")


@click.command("doctor")
@click.option(
    "--gpus",
    type=click.IntRange(0, 1024),
    help="How many GPUs the machine should have. Default: those that are here should work.",
)
@click.option(
    "--arch", "archs", multiple=True, help="A target the machine should run, like gfx942; repeatable."
)
@click.option("--quick", is_flag=True, help="Run no test program on the GPUs.")
@click.option(
    "--sysroot",
    envvar="ROCM_CI_SYSROOT",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Read sys/, proc/, dev/ and the like below this folder, not this machine's; tools run from PATH.",
)
@click.option(
    "--replay",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Judge a machine by recorded tool output and a recorded sys/ tree in this folder; runs nothing.",
)
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(  # noqa: PLR0917 - click's signature
    gpus: int | None,
    archs: tuple[str, ...],
    quick: bool,  # noqa: FBT001 - click's signature
    sysroot: Path | None,
    replay: Path | None,
    shape: str,
) -> int:
    """Check this machine: what was seen, what is needed, how to fix it. Exit code 3 when it is unusable."""
    env = environment()
    log = make_log(env)
    if replay is None:
        log.info("looking at this machine …")
    # The collectors start a thread pool and read tables: not a price for `--help`.
    from rocm_ci.gpu.checks.run import run_checks, verdict  # noqa: PLC0415

    if replay is not None:
        facts, machine = _recorded(replay)
    else:
        facts, machine = _survey(env, log, host=sysroot or Path("/"), quick=quick)
    # What a recording leaves out is no fault of the machine.
    checks = run_checks(machine, _needs(machine, gpus, archs, builds=replay is None))
    found = verdict(checks)
    if shape == "json":
        log.result(as_json(_document(checks, found)))
    else:
        text = _text(checks, facts, env)
        log.result(commands.harmless(text) if log.actions else text)
    return exit_code(found)


def _recorded(folder: Path) -> tuple[Facts, Machine]:
    """A machine that is somewhere else: what was not recorded of it stays unknown."""
    from rocm_ci.gpu.checks.machine import survey  # noqa: PLC0415
    from rocm_ci.gpu.collect import collect  # noqa: PLC0415
    from rocm_ci.gpu.replay import ReplayReader  # noqa: PLC0415

    reader = ReplayReader(folder)
    facts = collect(reader)
    return facts, survey(facts, reader, folders={}, host=folder)


def _survey(env: dict[str, str], log: Log, *, host: Path, quick: bool) -> tuple[Facts, Machine]:
    from rocm_ci.gpu.checks import quarantine  # noqa: PLC0415
    from rocm_ci.gpu.checks.machine import survey  # noqa: PLC0415
    from rocm_ci.gpu.collect import collect  # noqa: PLC0415
    from rocm_ci.gpu.live import live_reader  # noqa: PLC0415
    from rocm_ci.gpu.pool import Pool  # noqa: PLC0415
    from rocm_ci.gpu.smoke import Smoke, smoke  # noqa: PLC0415
    from rocm_ci.tools.process import ProcessRunner  # noqa: PLC0415

    run, child, state = ProcessRunner(), child_environment(env), state_folder(env)
    reader = live_reader(run, child, root=host)
    facts = collect(reader)

    def on_gpus() -> Smoke:
        log.info(f"a small kernel and a copy on each of {len(facts.gpus)} GPU(s) …")
        pool = Pool(
            facts,
            child,
            run=run,
            clock=SystemClock(),
            state=state,
            host=host,
            log=log,
            owner="rocm-ci doctor",
        )
        return smoke(facts, pool, run, child)

    folders = {
        "the current folder": Path.cwd(),
        "temporary files": Path(tempfile.gettempdir()),
        "the state of this host": state,
    }
    if _DOCKER.is_dir():
        folders["Docker's images"] = _DOCKER
    wanted = on_gpus if facts.gpus and not quick else None
    return facts, survey(
        facts,
        reader,
        folders=folders,
        host=host,
        run=run,
        quarantined=lambda: quarantine.look(facts, state, child, SystemClock().now(), host),
        smoke=wanted,
    )


def _needs(machine: Machine, gpus: int | None, archs: tuple[str, ...], *, builds: bool) -> Needs:
    """Without a number the GPUs that are here should work."""
    from rocm_ci.gpu.checks.needs import Needs  # noqa: PLC0415

    if gpus is None:
        wanted = {"this machine": machine.usable} if machine.usable else {}
    else:
        wanted = {"the command line": gpus} if gpus else {}
    return Needs(wanted=wanted, builds=builds, archs=archs, curious=gpus is None)


def _document(checks: Sequence[Check], found: Verdict) -> dict[str, Any]:
    import msgspec  # noqa: PLC0415

    from rocm_ci.gpu.checks.run import GROUP_OF  # noqa: PLC0415

    rows = [msgspec.to_builtins(check) | {"group": GROUP_OF.get(check.id, "")} for check in checks]
    for row in rows:
        del row["diagnoses"]  # of a run's log; there is none here
    return {"checks": rows, "verdict": found}


def _text(checks: Sequence[Check], facts: Facts, env: dict[str, str]) -> str:
    from rocm_ci.gpu.checks.listing import listing  # noqa: PLC0415

    colour = "NO_COLOR" not in env and (sys.stdout.isatty() or bool(env.get("FORCE_COLOR")))
    return listing(checks, facts, colour=colour, width=shutil.get_terminal_size((100, 24)).columns)
