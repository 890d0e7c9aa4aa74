"""`rocm-ci kernels`: what each GPU kernel in built files uses, and what changed against other files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from rocm_ci.build import walk
from rocm_ci.cli import wiring
from rocm_ci.errors import UsageError
from rocm_ci.kernels import compare, fatbin, inventory
from rocm_ci.log import printable
from rocm_ci.tools.process import ProcessRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rocm_ci.model.kernel import Kernel, KernelChange

_COLUMNS: tuple[tuple[str, Callable[[Kernel], str]], ...] = (
    ("waves", lambda k: "?" if k.occupancy is None else str(k.occupancy)),
    ("VGPR", lambda k: str(k.vgpr)),
    ("AGPR", lambda k: str(k.agpr)),
    ("SGPR", lambda k: str(k.sgpr)),
    ("spills", lambda k: str(k.vgpr_spills + k.sgpr_spills)),
    ("scratch", lambda k: str(k.scratch_bytes)),
    ("LDS", lambda k: str(k.lds_bytes)),
)
_NAME_WIDTH = 60


@click.command("kernels")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--against",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Built files to compare with; may be given more than once.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(*, files: tuple[Path, ...], against: tuple[Path, ...], form: str) -> int:
    """Show registers, spills, scratch, LDS and occupancy of the GPU kernels in FILES.

    FILES are shared objects, programs, object files, archives, code objects, or folders of them.
    Occupancy is in waves per SIMD, as far as registers and LDS allow.
    """
    env = wiring.environment()
    log = wiring.make_log(env)
    run = ProcessRunner()
    head = inventory.of(_named(files), run, env)
    base = inventory.of(_named(against), run, env)
    changes = compare.changes(_by_file_name(base.kernels), _by_file_name(head.kernels))
    for problem in (*head.problems, *base.problems):
        log.warning(problem)
    if form == "json":
        body: dict[str, Any] = {
            "version": 1,
            "kernels": head.kernels,
            "changes": changes,
            "compared": bool(against),
            "problems": (*head.problems, *base.problems),
        }
        log.result(msgspec.json.format(msgspec.json.encode(body), indent=2).decode())
    else:
        log.result("\n".join(_lines(head.kernels, changes, compared=bool(against))))
    return 0


def _named(paths: Sequence[Path]) -> list[tuple[Path, str]]:
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += [p for p in walk.files(path, vendored=True) if fatbin.is_binary(p)]
        elif path.is_file():
            found.append(path)
        else:
            message = f"{path} is not there, or is no file"
            raise UsageError(message, hint="name built files, or a folder of them")
    return [(path, path.as_posix()) for path in found]


def _by_file_name(kernels: Iterable[Kernel]) -> list[Kernel]:
    """The same artifact has another path on the other side: its file name stands for it."""
    return [msgspec.structs.replace(k, artifact=Path(k.artifact).name) for k in kernels]


def _lines(kernels: tuple[Kernel, ...], changes: tuple[KernelChange, ...], *, compared: bool) -> list[str]:
    if not kernels:
        return ["no kernels"]
    rows = [["kernel", "arch", *(title for title, _ in _COLUMNS)]]
    rows += [[_short(k.name), k.arch, *(shown(k) for _, shown in _COLUMNS)] for k in kernels]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [_aligned(row, widths) for row in rows]
    if compared:
        lines.append("")
        lines += [_change(c) for c in changes] or ["nothing changed"]
    return lines


def _aligned(row: list[str], widths: list[int]) -> str:
    left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
    right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
    return "  ".join(left + right).rstrip()


def _change(change: KernelChange) -> str:
    mark = "worse " if change.is_regression else "      "
    return f"{mark}{_short(change.name)} on {change.arch}: {change.metric} {change.base} → {change.head}"


def _short(name: str) -> str:
    clean = printable(name).replace("\n", " ")
    return clean if len(clean) <= _NAME_WIDTH else clean[: _NAME_WIDTH - 1] + "…"
