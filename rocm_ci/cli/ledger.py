"""`rocm-ci ledger`: the faults of each GPU of this host, which of them are kept out, and how that ends."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from rocm_ci.cli.wiring import SystemClock, as_json, environment, make_log, state_folder, sysroot
from rocm_ci.errors import MachineError, UsageError

if TYPE_CHECKING:
    from rocm_ci.gpu.ledger import Entry, Ledger
    from rocm_ci.gpu.record import Record
    from rocm_ci.log import Log


@click.command("ledger")
@click.option("--release", "released", multiple=True, metavar="GPU", help="End its quarantine; repeatable.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(released: tuple[str, ...], shape: str) -> int:
    """Show what went wrong with each GPU of this host, its resets, and which are in quarantine.

    GPU is what the ledger calls it: its PCI address, with /N for a partition.
    """
    env = environment()
    log = make_log(env)
    from rocm_ci.gpu import record  # noqa: PLC0415 - not a price for `--help`
    from rocm_ci.gpu.ledger import Ledger  # noqa: PLC0415
    from rocm_ci.gpu.quarantine import Rule  # noqa: PLC0415

    book = Ledger(state_folder(env), env, host=sysroot(env))
    rule = Rule.of(env)
    for problem in filter(None, (book.problem, rule.problem)):
        log.warning(problem)
    if released:
        _release(book, released, env.get("GITHUB_ACTOR") or env.get("USER") or env.get("LOGNAME") or "", log)
    found = record.records(book.entries(), rule, SystemClock().now())
    if shape == "json":
        log.result(as_json(found))
    else:
        log.result(_text(found, book))
    return 0


def _release(book: Ledger, wanted: tuple[str, ...], by: str, log: Log) -> None:
    from rocm_ci.gpu.ledger import Entry  # noqa: PLC0415 - not a price for `--help`
    from rocm_ci.log import printable  # noqa: PLC0415

    known = {entry.gpu for entry in book.entries()}
    for gpu in wanted:
        if gpu not in known:
            near = difflib.get_close_matches(gpu, known, n=1)
            message = f"the ledger knows no GPU {printable(gpu)[:80]}"
            hint = f"did you mean {near[0]}?" if near else "`rocm-ci ledger` lists those that it knows"
            raise UsageError(message, hint=hint)
    for gpu in wanted:
        try:
            book.add(Entry(time=SystemClock().now(), gpu=gpu, released=by or "somebody"))
        except OSError as error:
            message = f"{book.path}: {error.strerror or error}: {gpu} is not released"
            raise MachineError(message, hint="run it as the user whose ledger it is") from error
        log.info(f"{gpu} is released: its faults so far count no more")


def _text(found: tuple[Record, ...], book: Ledger) -> str:
    from rocm_ci.log import printable  # noqa: PLC0415 - not a price for `--help`

    if not found:
        return f"no GPU of this host has a fault on record ({book.path})"
    lines = []
    for one in found:
        state = "in quarantine" if one.quarantine else f"{one.steps} of {one.limit} faulty steps"
        lines.append(f"{one.label or one.gpu}  {state if one.limit else 'quarantine is off'}")
        lines += [
            "    " + "  ".join(filter(None, (fault.time, _what(fault), fault.run, fault.step, fault.text)))
            for fault in one.newest
        ]
        if one.more:
            lines.append(f"    and {one.more} older")
        if one.quarantine:
            lines.append(f"    → have it looked at, then: rocm-ci ledger --release {one.gpu}")
    return "\n".join(printable(line).replace("\n", " ") for line in lines)


def _what(entry: Entry) -> str:
    if entry.released:
        return f"released by {entry.released}"
    return f"{entry.kind} (note)" if entry.note else entry.kind
