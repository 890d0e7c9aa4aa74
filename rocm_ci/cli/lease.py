"""`rocm-ci lease`: a command of one's own on GPUs that nobody else gets meanwhile; and who has them now."""

from __future__ import annotations

import os
import re
import shutil
import signal
from typing import TYPE_CHECKING

import click

from rocm_ci.cli.wiring import (
    SystemClock,
    as_json,
    environment,
    make_log,
    run_name,
    state_folder,
    sysroot,
)
from rocm_ci.errors import MachineError, UsageError

if TYPE_CHECKING:
    from rocm_ci.context import Clock, Lease
    from rocm_ci.gpu.pool import Pool
    from rocm_ci.gpu.standing import Standings
    from rocm_ci.log import Log
    from rocm_ci.model.facts import Facts

_LOOK_S = 0.2
_TOLD_S = 60.0
# Python ignores them, which every program would inherit.
_RESTORED = (signal.SIGPIPE, signal.SIGXFSZ)


@click.command("lease", context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@click.option("--gpus", type=click.IntRange(0, 1024), default=1, show_default=True, help="How many GPUs.")
@click.option(
    "--wait", default="30m", show_default=True, help="How long to wait for them: 0, 90s, 10m, 1.5h."
)
@click.option("--whole-card", is_flag=True, help="Keep others off the other partitions of the same cards.")
@click.option(
    "--name", default="", help="What others are told of who has them. Default: the run or the folder."
)
@click.option("--list", "listed", is_flag=True, help="Show who has which GPU, and lease nothing.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="Of --list.")
@click.argument("argv", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...")
def command(  # noqa: PLR0917 - click's signature
    gpus: int,
    wait: str,
    whole_card: bool,  # noqa: FBT001 - the same
    name: str,
    listed: bool,  # noqa: FBT001 - the same
    shape: str,
    argv: tuple[str, ...],
) -> int:
    """Run COMMAND on GPUs that no other run of this host gets meanwhile; it sees these and no others.

    The command takes our place: its exit code and its signals are its own, and the GPUs are free again as
    soon as it has ended, however that happens. Exit code 3 when they could not be had.
    """
    env = environment()
    log = make_log(env)
    if listed:
        if argv:
            raise UsageError("--list runs no command", hint="take one of the two away")
        _show(_standings(env), shape, log)
        return 0
    wait_s = _seconds(wait)
    program = _program(argv, env)
    with_it = env.get("ROCM_CI_GPU_IDS", "")
    if with_it:
        message = f"this runs within a lease already, of {with_it[:200]}"
        raise UsageError(message, hint="start the command as it is: it sees the GPUs of that lease")
    clock = SystemClock()
    pool = _pool(env, log, clock, owner=name or run_name(env))
    lease = _awaited(pool, gpus, wait_s, log, clock, whole_card=whole_card)
    unshared = pool.hand_on(lease)
    if unshared and gpus:
        raise MachineError(f"nobody would honour this lease: {unshared}", hint="see `rocm-ci lease --list`")
    for label in lease.labels:
        log.info(f"leased: {label}")
    return _become(program, argv, {**env, **lease.environment})


def _become(program: str, argv: tuple[str, ...], env: dict[str, str]) -> int:
    """Never returns, unless the program cannot be started."""
    for number in _RESTORED:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(program, argv, env)  # noqa: S606 - the user's own command, without a shell
    except OSError as error:
        message = f"{program} cannot be started: {error.strerror or error}"
        raise UsageError(message, hint="check the command behind --") from error


def _program(argv: tuple[str, ...], env: dict[str, str]) -> str:
    """Found before anybody waits for a GPU."""
    if not argv:
        raise UsageError("no command is given", hint="rocm-ci lease --gpus 1 -- COMMAND, or --list")
    program = shutil.which(argv[0], path=env.get("PATH"))
    if program is None:
        raise UsageError(f"{argv[0]} is no program on PATH", hint="check the command behind --")
    return program


def _seconds(wait: str) -> float:
    if wait == "0":
        return 0.0
    if not re.fullmatch(r"\d{1,6}(?:\.\d{1,3})?[smh]", wait):
        raise UsageError(f"--wait {wait[:40]} is no duration", hint="write 0, 90s, 10m or 1.5h")
    from rocm_ci.config.options import seconds  # noqa: PLC0415 - not a price for `--help`

    return seconds(wait)


def _awaited(pool: Pool, count: int, wait_s: float, log: Log, clock: Clock, *, whole_card: bool) -> Lease:
    began = clock.monotonic()
    told, told_at = "", began
    while True:
        lease = pool.lease(count, step="", whole_card=whole_card)
        if lease is not None:
            return lease
        now = clock.monotonic()
        who = pool.busy()
        if now - began >= wait_s:
            message = f"{count} GPU(s) are not free after {now - began:.0f} s: {who or 'others have them'}"
            raise MachineError(message, hint="give --wait more time, or ask whoever has them")
        if not told or (who != told and now - told_at >= _TOLD_S):
            told, told_at = who or "others", now
            log.info(f"waiting for {count} GPU(s): {told}")
        clock.sleep(_LOOK_S)


def _facts(env: dict[str, str]) -> Facts:
    from rocm_ci.gpu.collect import collect  # noqa: PLC0415 - not a price for `--help`
    from rocm_ci.gpu.live import live_reader  # noqa: PLC0415
    from rocm_ci.tools.process import ProcessRunner  # noqa: PLC0415

    return collect(live_reader(ProcessRunner(), env, root=sysroot(env)))


def _pool(env: dict[str, str], log: Log, clock: Clock, *, owner: str) -> Pool:
    from rocm_ci.gpu.pool import Pool  # noqa: PLC0415
    from rocm_ci.tools.process import ProcessRunner  # noqa: PLC0415

    return Pool(
        _facts(env),
        env,
        run=ProcessRunner(),
        clock=clock,
        state=state_folder(env),
        host=sysroot(env),
        log=log,
        owner=owner,
    )


def _standings(env: dict[str, str]) -> Standings:
    from rocm_ci.gpu.standing import standings  # noqa: PLC0415

    return standings(_facts(env), env, state=state_folder(env), host=sysroot(env), clock=SystemClock())


def _show(found: Standings, shape: str, log: Log) -> None:
    for problem in found.problems:
        log.warning(problem)
    if shape == "json":
        log.result(as_json(found))
        return
    from rocm_ci.log import printable  # noqa: PLC0415

    width = max((len(one.label) for one in found.gpus), default=0)
    lines = [f"{one.label:<{width}}  {one.state:<10}  {one.why}".rstrip() for one in found.gpus]
    log.result(printable("\n".join(lines)) if lines else "no AMD GPU is here")
