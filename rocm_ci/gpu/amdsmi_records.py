"""amd-smi's three output formats (JSON, indented text, CSV) as flat records of one shape.

A record maps dotted lower-case paths (`asic.market_name`) to text; a quantity `{value, unit}`
becomes `"192 GB"`. Between releases the outer object came (`gpu_data`), numbers became quantities,
and keys moved, so extraction works on these paths with several candidates each.
"""

from __future__ import annotations

import csv
import io
import re
from itertools import islice
from typing import Any, TypeAlias

from rocm_ci.gpu import amdsmi_box, amdsmi_columns
from rocm_ci.gpu.documents import documents
from rocm_ci.gpu.observation import MAX_DEVICES

Record: TypeAlias = "dict[str, str]"

_MAX_KEYS = 4000
_MAX_TABLES = 64
_MAX_TABLE = 2_000_000
_DEPTH = 8
# Top-level lists that carry records, in the layouts of the different subcommands.
_LISTS = ("gpu_data", "current_partition", "gpu_metric", "gpu_list", "system_data")
_GPU_LINE = re.compile(r"(?m)^GPU: ?(\d{1,4})[ \t]*$")
_TEXT_LINE = re.compile(r"^( *)([A-Z0-9][A-Z0-9_ ()/-]{0,60}):(?: +(.*))?$")
_TABLE_HEAD = re.compile(r"(?m)^gpu,[a-z0-9_,]+$")


def looks_like(text: str) -> bool:
    """Whether the text is output of any amd-smi subcommand."""
    if amdsmi_box.looks_like(text) or amdsmi_columns.looks_like(text):
        return True
    if re.search(
        r"(?m)^AMDSMI Tool: |AMD System Management Interface \| Version|Unable to detect any GPU", text
    ):
        return True
    if _TABLE_HEAD.search(text) or (_GPU_LINE.search(text) and re.search(r"(?m)^ {2,8}[A-Z_]{2,30}:", text)):
        return True
    head = text[:200_000]
    return ('"gpu"' in head or '"gpu_id"' in head or '"amdsmi_library_version"' in head) and bool(
        records(text)
    )


def records(text: str) -> list[Record]:
    """One record per device (or per tool, for `amd-smi version`) that the text holds."""
    found = [_flat(entry) for document in documents(text, _wanted) for entry in _entries(document)]
    if not found:
        # `amd-smi partition` prints a table and indented text behind each other.
        found = amdsmi_box.records(text) or amdsmi_columns.records(text) + _from_text(text)
    return (found or _from_table(text))[: 2 * MAX_DEVICES]


def _wanted(value: Any) -> bool:
    return bool(_entries(value))


def _entries(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [v for v in value if isinstance(v, dict) and _is_record(v)]
    if not isinstance(value, dict):
        return []
    for name in _LISTS:
        if isinstance(value.get(name), list):
            return [v for v in value[name] if isinstance(v, dict) and _is_record(v)]
    return [value] if _is_record(value) else []


def _is_record(value: dict[str, Any]) -> bool:
    return any(key in value for key in ("gpu", "gpu_id", "amdsmi_library_version", "tool"))


def _flat(value: Any, prefix: str = "", depth: int = 0, into: Record | None = None) -> Record:
    found: Record = {} if into is None else into
    if depth > _DEPTH or len(found) > _MAX_KEYS:
        return found
    if isinstance(value, dict):
        if "value" in value and set(value) <= {"value", "unit"}:
            found[prefix] = f"{value['value']} {value.get('unit', '')}".strip()
            return found
        for key, inner in value.items():
            path = f"{prefix}.{key}" if prefix else str(key)
            _flat(inner, path.lower()[:200], depth + 1, found)
    elif isinstance(value, list):
        for number, inner in enumerate(value[:200]):
            _flat(inner, f"{prefix}.{number}", depth + 1, found)
    elif value is not None:
        found[prefix] = str(value)[:400]
    return found


def _from_text(text: str) -> list[Record]:
    marks = list(_GPU_LINE.finditer(text))
    found = []
    for n, mark in enumerate(marks[:MAX_DEVICES]):
        end = marks[n + 1].start() if n + 1 < len(marks) else len(text)
        # Other devices follow in the same text: `AI_NIC: 0`.
        block = re.split(r"(?m)^(?=\S)", text[mark.end() : end], maxsplit=1)[0]
        found.append(_indented(block) | {"gpu": mark.group(1)})
    return found


def _indented(block: str) -> Record:
    """Nested `KEY: value` lines; deeper indentation is a longer path."""
    found: Record = {}
    path: list[tuple[int, str]] = []
    for line in block.splitlines()[:_MAX_KEYS]:
        match = _TEXT_LINE.match(line.rstrip())
        if match is None:
            continue
        indent, key, value = (
            len(match.group(1)),
            match.group(2).strip().lower().replace(" ", "_"),
            match.group(3),
        )
        while path and path[-1][0] >= indent:
            path.pop()
        where = ".".join([*(k for _, k in path), key])
        if value is None:
            path.append((indent, key))
        else:
            found.setdefault(where, value.strip()[:400])
    return found


def _from_table(text: str) -> list[Record]:
    found: list[Record] = []
    starts = [head.start() for head in islice(_TABLE_HEAD.finditer(text), _MAX_TABLES)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        rows = csv.DictReader(io.StringIO(text[start : min(end, start + _MAX_TABLE)]))
        try:
            for row in rows:
                if not (row.get("gpu") or "").isdecimal():
                    break
                found.append(
                    {str(k): str(v)[:400] for k, v in row.items() if k is not None and v is not None}
                )
        except csv.Error:
            continue
    return found
