"""Python as people write it: what is left of CUDA is told on its lines, what is legal on ROCm is not.

Each file under `python/` holds little projects, parted by a line of `=`; `=== path` starts a file. A line that
ends in `#!` must be told as an error or warning, `#n` as a note, `#?` may be either; any other must stay
without an error or warning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import DEFAULT_ARCHS, ScanOptions
from rocm_ci.model.finding import Severity
from rocm_ci.scan.engine import scan
from rocm_ci.scan.rulebook import RuleBook, shipped

FOLDER = Path(__file__).parent / "python"
BOOK = RuleBook(shipped())
_MARK = re.compile(r"[ \t]*#([!n?])$", re.MULTILINE)


@dataclass
class Files:
    """A tree in memory."""

    texts: dict[str, str]

    def read(self, path: str) -> bytes | None:
        return self.texts[path].encode() if path in self.texts else None


def projects() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for file in sorted(FOLDER.glob("*.txt")):
        for text in re.split(r"^=====$\n", file.read_text(), flags=re.MULTILINE):
            parts = re.split(r"^=== (\S+)\n", text, flags=re.MULTILINE)
            files = dict(zip(parts[1::2], parts[2::2], strict=True))
            if files:
                found[f"{file.stem}-{len(found)}-{next(iter(files))}"] = files
    return found


PROJECTS = projects()


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
@pytest.mark.parametrize("prefilter", [True, False], ids=["prefilter", "whole"])
def test_python_as_people_write_it(files: dict[str, str], prefilter: bool) -> None:
    tree = Files({path: _MARK.sub("", text) for path, text in files.items()})
    changes = whole_tree(tuple(files))
    found = scan(tree, changes, ScanOptions(), DEFAULT_ARCHS, book=BOOK, prefilter=prefilter).findings
    wrong = []
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            mark = _MARK.search(line)
            here = [f for f in found if (f.path, f.line) == (path, number)]
            loud = any(f.severity in (Severity.ERROR, Severity.WARNING) for f in here)
            wanted = {"!": loud, "n": bool(here) and not loud, "?": True}.get(
                mark[1] if mark else "", not loud
            )
            if not wanted:
                wrong.append(f"{path}:{number}: {line.strip()} {[f.rule for f in here]}")

    assert wrong == []
