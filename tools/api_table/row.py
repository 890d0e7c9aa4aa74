"""One CUDA name: what the master table says of it, and the table as text."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NONE = "-"

HEAD = """\
# CUDA names, and what HIP and ROCm call them. Made by `python -m tools.api_table`; do not edit: what its
# sources lack or have wrong stands in additions.txt.
# source: hipify = HIPIFY 7.0.2 (MIT licence), torch = torch.utils.hipify of PyTorch (BSD-3-Clause),
# headers = a name of the headers of CUDA 12.9 or 13.5 that neither knows, kept = additions.txt.
# hip: the name of HIP or of its libraries; roc: the name of the ROCm library behind it (rocBLAS, MIOpen).
# cuda-…, hip-…: first release with the name, first that calls it deprecated, first without it (of cuDNN and
# cuTENSOR their own releases). «>7.0»: not yet in HIP 7.0, but in the bindings of ROCm 10.0.
# renamed-by: who of HIPIFY and torch.utils.hipify turns the name into one that HIP or its libraries have.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of the table; an empty text means that nothing is known or nothing exists."""

    name: str
    library: str = ""
    kind: str = ""
    hip: str = ""
    roc: str = ""
    cuda_since: str = ""
    cuda_deprecated: str = ""
    cuda_removed: str = ""
    hip_since: str = ""
    hip_deprecated: str = ""
    hip_removed: str = ""
    source: str = ""
    renamed_by: str = ""

    @property
    def is_identity(self) -> bool:
        """Whether HIP has the very same name, so that there is nothing to report."""
        return self.name == self.hip


COLUMNS = tuple(f.name for f in fields(Row))


def write(rows: Iterable[Row]) -> str:
    """The table as text: one row a line, sorted by name, columns parted by tabs."""
    names = "\t".join(c.replace("_", "-") for c in COLUMNS)
    ordered = sorted(rows, key=lambda r: r.name)
    lines = ("\t".join(getattr(row, c) or NONE for c in COLUMNS) for row in ordered)
    return HEAD + "\n".join((names, *lines)) + "\n"


def read(text: str) -> dict[str, Row]:
    """The rows of a table by name."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    columns = [c.replace("-", "_") for c in lines[0].split("\t")]
    rows = {}
    for line in lines[1:]:
        values = {c: "" if v == NONE else v for c, v in zip(columns, line.split("\t"), strict=True)}
        rows[values["name"]] = Row(**values)
    return rows


def changed(row: Row, values: Mapping[str, str]) -> Row:
    """The row with some columns replaced."""
    return replace(row, **values)
