"""rocm-smi's output formats (JSON, CSV, labelled text, the concise table) as one shape.

A table maps a device number to its labels, in lower case without the trailing colon; the number
None holds what is said of the system. Labels carry units and changed between releases.
"""

from __future__ import annotations

import csv
import io
import re
from itertools import islice
from typing import Any, TypeAlias

from rocm_ci.gpu.documents import documents
from rocm_ci.gpu.observation import MAX_DEVICES

Table: TypeAlias = "dict[int | None, dict[str, str]]"

_MAX_BLOCKS = 64
_MAX_BLOCK = 2_000_000
_CARD = re.compile(r"card(\d{1,4})")
_CSV_HEAD = re.compile(r"(?m)^device,[^\n]{1,8000}$")
_LABELLED = re.compile(r"(?m)^GPU\[(\d{1,4})\]\s*: ([^:\n]{1,80}):[ \t]*([^\n]{0,200}?)[ \t]*$")
_DRIVER = re.compile(r"(?m)^Driver version: ?[ \t]*(\S{1,120})")
# The oldest concise table names no device at all; it still says how many there are.
_PLAIN_HEAD = re.compile(r"(?m)^GPU\s+(?:\[\w+\]\s+)?Temp\b[^\n]{0,200}(?:SCLK|PwrCap)[^\n]{0,200}$")
_PLAIN = re.compile(
    r"(?m)^(\d{1,4})\s+(\d{1,3}(?:[.,]\d{1,3})?|N/A|unknown)\s*°?[cC]?\s+(?:[\d.]{1,8}W|N/A)\s[^\n]{0,300}$"
)
# `--showhw`: columns under one heading; two blanks or more stand between them, one inside of some names.
_HARDWARE_HEAD = re.compile(r"(?m)^GPU {2,}(?:NODE {2,})?DID {2,}[^\n]{0,200}\bBUS\b[^\n]{0,60}$")
_HARDWARE = {
    "NODE": "node id", "DID": "device id", "DREV": "device rev", "GUID": "guid", "GFX VER": "gfx version",
    "VBIOS": "vbios version", "BUS": "pci bus", "PARTITION ID": "partition id",
}  # fmt: skip
_CONCISE = re.compile(
    r"(?m)^(\d{1,4})\s+(?:\[?(?P<old>0x[0-9a-f]{4}) : (?P<rev>0x[0-9a-f]{2})\]|"
    r"(?P<node>\d{1,4})\s+(?P<did>0x[0-9a-f]{4}),\s+(?P<guid>\d{1,7}))\s+(?P<rest>\S.*)$"
)


def looks_like(text: str) -> bool:
    """Whether the text is output of rocm-smi in any format."""
    if re.search(
        r"ROCm System Management Interface|End of ROCm SMI Log|ROC-smi|"
        r"Driver not initialized \(amdgpu not found",
        text,
    ):
        return True
    return bool(
        _HARDWARE_HEAD.search(text) or _CSV_HEAD.search(text) or _LABELLED.search(text) or _objects(text)
    )


def table(text: str) -> Table:
    """Everything that the text says, joined by device number."""
    found: Table = {}
    for document in _objects(text):
        _from_json(document, found)
    if not found:
        _from_csv(text, found)
    for number, label, value in _LABELLED.findall(text)[: MAX_DEVICES * 60]:
        found.setdefault(int(number), {}).setdefault(_label(label), value.strip())
    driver = _DRIVER.search(text)
    if driver:
        found.setdefault(None, {}).setdefault("driver version", driver.group(1))
    if not any(n is not None for n in found):
        _from_concise(text, found)
        _from_hardware(text, found)
    if not any(n is not None for n in found) and _PLAIN_HEAD.search(text):
        for number, heat in _PLAIN.findall(text)[:MAX_DEVICES]:
            found[int(number)] = {"temperature (sensor edge) (c)": heat}
    return found


def _objects(text: str) -> list[dict[str, Any]]:
    if '"card' not in text and '"system"' not in text:
        return []
    return documents(
        text,
        lambda v: (
            isinstance(v, dict)
            and any(isinstance(k, str) and (_CARD.fullmatch(k) or k == "system") for k in v)
            and all(isinstance(x, dict) for x in v.values())
        ),
    )


def _label(text: str) -> str:
    return " ".join(text.split()).rstrip(": ").lower()[:100]


def _from_json(document: dict[str, dict[str, Any]], found: Table) -> None:
    for key, labels in list(document.items())[: MAX_DEVICES + 8]:
        card = _CARD.fullmatch(key)
        if card or key == "system":
            into = found.setdefault(int(card.group(1)) if card else None, {})
            for label, value in list(labels.items())[:400]:
                if not isinstance(value, (dict, list)):
                    into.setdefault(_label(str(label)), str(value)[:400])


def _from_csv(text: str, found: Table) -> None:
    """Blocks that start with `device,…`. The row of the system may be shorter or carry its own block."""
    starts = [head.start() for head in islice(_CSV_HEAD.finditer(text), _MAX_BLOCKS)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        try:
            rows = list(csv.reader(io.StringIO(text[start : min(end, start + _MAX_BLOCK)])))
        except csv.Error:
            continue
        labels = [_label(cell) for cell in rows[0]]
        for row in rows[1:]:
            if not row:
                break
            card = _CARD.fullmatch(row[0])
            if card is None and row[0] not in ("system", "cardsystem"):
                continue
            into = found.setdefault(int(card.group(1)) if card else None, {})
            if card is None and len(row) < len(labels):
                # Older releases put the driver's version into the second column, whatever its head says.
                into.setdefault("driver version", row[1].strip() if len(row) > 1 else "")
                continue
            for label, cell in zip(labels[1:], row[1:], strict=False):
                into.setdefault(label, cell.strip())


def _from_hardware(text: str, found: Table) -> None:
    head = _HARDWARE_HEAD.search(text)
    if head is None:
        return
    columns = re.split(r" {2,}", head.group().strip())
    for line in text[head.end() :].splitlines()[1 : MAX_DEVICES + 1]:
        cells = re.split(r" {2,}", line.strip())
        if len(cells) != len(columns) or not cells[0].isdecimal():
            break
        said = dict(zip(columns[1:], cells[1:], strict=True))
        labels = {label: said[name] for name, label in _HARDWARE.items() if name in said}
        found.setdefault(int(cells[0]), {}).update(labels)


def _from_concise(text: str, found: Table) -> None:
    for match in _CONCISE.finditer(text):
        rest = match.group("rest")
        named = re.match(r"\n[ \t]{4,}(\S[^\n]{0,60}?)[ \t]*(?=\n)", text[match.end() : match.end() + 200])
        heat = re.search(r"(\d{1,3}(?:\.\d)?) ?°?[cC]\b", rest)
        clocks = re.findall(r"(\d{1,6}[Mm][Hh]z)", rest)
        busy = re.search(r"(\d{1,3})%\s*$", rest)
        modes = re.search(r"(NPS\d|N/A), (SPX|DPX|TPX|QPX|CPX|N/A)(?:, (\d{1,3}))?", rest)
        watts = re.findall(r"(\d{1,5}(?:\.\d+)?)W", rest)
        labels = {
            "device id": match.group("old") or match.group("did") or "",
            "device rev": match.group("rev") or "",
            "node id": match.group("node") or "",
            "guid": match.group("guid") or "",
            "memory partition": modes.group(1) if modes else "",
            "compute partition": modes.group(2) if modes else "",
            "partition id": (modes.group(3) or "") if modes else "",
            "max graphics package power (w)": watts[-1] if len(watts) > 1 else "",
            "average graphics package power (w)": watts[0] if len(watts) > 1 else "",
            "temperature (sensor junction) (c)": heat.group(1) if heat else "",
            "sclk clock speed": clocks[0] if len(clocks) == 2 else "",
            "mclk clock speed": clocks[1] if len(clocks) == 2 else "",
            "gpu use (%)": busy.group(1) if busy else "",
            # The column is 20 characters wide: a name that fills it may be cut.
            "card series": named.group(1) if named and len(named.group(1)) < 20 else "",
        }
        found[int(match.group(1))] = {k: v for k, v in labels.items() if v}
