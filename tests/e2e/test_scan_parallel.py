"""Many files over several processes: the same findings as alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.scan.engine import scan
from rocm_ci.scan.files import Folder
from rocm_ci.scan.parallel import LEAST_FILES, scan_all
from rocm_ci.scan.rulebook import RuleBook, shipped

if TYPE_CHECKING:
    from pathlib import Path


def test_workers_find_what_one_process_finds(tmp_path: Path) -> None:
    for n in range(LEAST_FILES + 50):
        mark = " // rocm-ci: allow cuda-runtime-api the test wants it" if n % 7 == 0 else ""
        (tmp_path / f"f{n:04}.cpp").write_text(f"int a = cudaFree({n});{mark}\n" if n % 3 else "int a;\n")
    folder, book = Folder(tmp_path), RuleBook(shipped())
    changes = whole_tree(tuple(folder.walk()))

    alone = scan(folder, changes, ScanOptions(), ("gfx90a",), book=book)

    assert scan_all(folder, changes, ScanOptions(), ("gfx90a",), book=book, workers=3) == alone
    assert alone.suppressed
    assert len(alone.findings) > 100
