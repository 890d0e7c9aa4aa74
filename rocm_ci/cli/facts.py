"""`rocm-ci facts`: what machine this is, or was when its tools' output was recorded."""

from __future__ import annotations

from pathlib import Path

import click

from rocm_ci.cli.wiring import as_json, child_environment, environment, make_log


@click.command("facts")
@click.option(
    "--replay",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Read recorded tool output (any file names) and a recorded sys/ tree from this folder.",
)
@click.option(
    "--sysroot",
    envvar="ROCM_CI_SYSROOT",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Read sys/, proc/, etc/ and opt/ below this folder instead of this machine's; tools run from PATH.",
)
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--identities/--no-identities",
    default=None,
    help="Show the devices' own ids in JSON. Off on a live machine (logs are public), on with --replay.",
)
def command(replay: Path | None, sysroot: Path | None, shape: str, identities: bool | None) -> int:  # noqa: FBT001 - click's signature
    """Say what machine this is: system, driver, ROCm, GPUs, and what is not known and why."""
    env = environment()
    log = make_log(env)
    if replay is None:
        log.info("looking at this machine …")
    # The collectors start a thread pool and read tables: not a price for `--help`.
    from rocm_ci.gpu.collect import inventory  # noqa: PLC0415
    from rocm_ci.gpu.live import live_reader  # noqa: PLC0415
    from rocm_ci.gpu.replay import ReplayReader  # noqa: PLC0415
    from rocm_ci.gpu.summary import document, text  # noqa: PLC0415
    from rocm_ci.log import printable  # noqa: PLC0415
    from rocm_ci.tools.process import ProcessRunner  # noqa: PLC0415

    reader = (
        ReplayReader(replay)
        if replay
        else live_reader(ProcessRunner(), child_environment(env), root=sysroot or Path("/"))
    )
    found = inventory(reader)
    shown = replay is not None if identities is None else identities
    if shape == "json":
        log.result(as_json(document(found, identities=shown)))
    else:
        log.result(printable(text(found.facts)))
    return 0
