"""The command line: write the tables, or say how they differ from their sources."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tools.api_table import (
    additions,
    compare,
    headers,
    hints,
    hipify_script,
    hipify_tables,
    merge,
    row,
    torch_table,
    views,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tools.api_table.row import Row

TABLES = Path(__file__).resolve().parents[2] / "rules" / "tables"
MASTER = "cuda-api.tsv"
_MOST = 40


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when the tables are written or agree, 1 when they differ, 2 when a source is missing."""
    options = _options().parse_args(arguments)
    if options.check:
        return _check(options)
    if not (options.hipify and options.torch and options.cuda and options.hip and options.hip_newer):
        if any((options.hipify, options.torch, options.cuda, options.hip, options.hip_newer)):
            print("writing the master table takes every source; see --help", file=sys.stderr)
            return 2
        table = row.read((TABLES / MASTER).read_text(encoding="utf-8"))
    else:
        table = _table(options)
        (TABLES / MASTER).write_text(row.write(table.values()), encoding="utf-8")
    made = derived(table)
    for name, text in made.items():
        (TABLES / name).write_text(text, encoding="utf-8")
    without = sum(1 for one in table.values() if not one.hip)
    print(f"{len(table)} names, {without} of them without HIP; {len(made)} lists")
    return 0


def derived(table: Mapping[str, Row]) -> dict[str, str]:
    """Every generated file but the master, by name."""
    text = hints.FILE.read_text(encoding="utf-8")
    patterns = [(key, pattern) for key, pattern, _ in hints.entries(text)]
    return {**views.texts(table, patterns), "hints.txt": hints.as_list(text)}


def problems(options: argparse.Namespace) -> Iterator[str]:
    """What is out of date, a line each."""
    text = (TABLES / MASTER).read_text(encoding="utf-8")
    table = row.read(text)
    if row.write(table.values()) != text:
        yield f"{MASTER} is not as the tool writes it"
    for name, wanted in derived(table).items():
        place = TABLES / name
        if not place.is_file() or place.read_text(encoding="utf-8") != wanted:
            yield f"{name} does not follow from {MASTER}: run `python -m tools.api_table`"
    kept = dict(additions.entries(additions.FILE.read_text(encoding="utf-8")))
    for name, values in kept.items():
        yield from _misses(name, values, table.get(name))
    shared = {name for name, values in kept.items() if values["hip"] == merge.SAME}
    if options.hipify:
        theirs, columns = _hipify(options.hipify)
        yield from compare.differences("hipify", theirs, table, columns, shared)
    if options.torch:
        theirs = torch_table.rows(torch_table.source(options.torch))
        usable = {n: r for n, r in theirs.items() if r.library != "nvml"}
        yield from compare.differences("torch", usable, table, ("hip",), shared)


def _check(options: argparse.Namespace) -> int:
    found = list(problems(options))
    for line in found[:_MOST]:
        print(line, file=sys.stderr)
    if len(found) > _MOST:
        print(f"… and {len(found) - _MOST} more", file=sys.stderr)
    return 1 if found else 0


def _misses(name: str, values: Mapping[str, str], have: Row | None) -> Iterator[str]:
    if values["hip"] == merge.SAME:
        if have is not None:
            yield f"additions: {name} is the same in HIP, yet the table has it"
        return
    wanted = {c: "" if v == merge.NONE else v for c, v in values.items() if v != merge.KEEP}
    if have is None or any(getattr(have, column) != value for column, value in wanted.items()):
        yield f"additions: {name} is not in {MASTER} as additions.txt has it"


def _hipify(place: Path) -> tuple[dict[str, Row], tuple[str, ...]]:
    """Its rows, and the columns that this form of it knows."""
    if place.is_file() and place.suffix not in (".xz", ".gz", ".tar"):
        text = place.read_text(encoding="utf-8")
        if hipify_script.is_script(text):
            return hipify_script.rows(text), hipify_script.COLUMNS
    rows = hipify_tables.rows(hipify_tables.texts(place))
    return rows, ("library", "kind", "hip", "roc", "cuda_since", "cuda_deprecated", "cuda_removed")


def _table(options: argparse.Namespace) -> dict[str, Row]:
    files = hipify_tables.texts(options.hipify)
    return merge.table(
        merge.Sources(
            hipify=hipify_tables.rows(files),
            proposed=hipify_tables.proposed(files),
            torch=torch_table.rows(torch_table.source(options.torch)),
            headers=headers.rows(options.cuda),
            declared=headers.declared(options.hip),
            newer=headers.declared(options.hip_newer),
            additions=tuple(additions.entries(additions.FILE.read_text(encoding="utf-8"))),
        )
    )


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.api_table", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    parser.add_argument("--hipify", type=Path, help="HIPIFY: folder, .tar.xz, or the script hipify-perl")
    parser.add_argument("--torch", type=Path, help="torch wheel, unpacked torch, or cuda_to_hip_mappings.py")
    parser.add_argument(
        "--cuda", type=Path, action="append", help="headers of CUDA, folder or wheel; repeatable"
    )
    parser.add_argument("--hip", type=Path, action="append", help="headers of HIP up to 7.0; repeatable")
    parser.add_argument("--hip-newer", type=Path, action="append", help="headers or bindings of a later HIP")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
