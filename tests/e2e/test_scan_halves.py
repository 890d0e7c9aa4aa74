"""A few files in two processes: the same findings as in one, whatever happens to the second."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.model.scan_note import NoteKind
from rocm_ci.scan import halves
from rocm_ci.scan.files import Folder
from rocm_ci.scan.language_registry import languages
from rocm_ci.scan.parallel import scan_all
from rocm_ci.scan.rulebook import RuleBook, shipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocm_ci.scan.language import Language, Parsed
    from rocm_ci.scan.scanned import Scanned
    from rocm_ci.scan.source import Source

COUNT = halves.LEAST_FILES + 4
BOOK = RuleBook(shipped())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for n in range(COUNT):
        mark = " // rocm-ci: allow cuda-runtime-api the test wants it" if n % 3 == 0 else ""
        (tmp_path / f"f{n:02}.cpp").write_text(f"int a = cudaFree({n});{mark}\n")
        (tmp_path / f"f{n:02}.py").write_text("import pynvml\n")
    (tmp_path / "odd\udce9.cpp").write_text("int a = cudaFree(0);\n")
    return tmp_path


def both(tree: Path, *, workers: int = 2) -> Scanned:
    folder = Folder(tree)
    paths = tuple(path for path in folder.walk() if path.endswith((".cpp", ".py")))
    return scan_all(folder, whole_tree(paths), ScanOptions(), ("gfx90a",), book=BOOK, workers=workers)


@pytest.fixture
def seen_by(monkeypatch: pytest.MonkeyPatch, tree: Path) -> Callable[[Callable[[str], None]], None]:
    """Does something in the second process whenever it parses a file."""
    kind, parent = type(languages()["c"]), os.getpid()
    parse = kind.parse

    def lay(what: Callable[[str], None]) -> None:
        def watched(self: Language, source: Source) -> Parsed:
            if os.getpid() != parent:
                (tree / "forked").touch()
                what(source.path)
            return parse(self, source)

        monkeypatch.setattr(kind, "parse", watched)

    return lay


def test_two_processes_find_what_one_finds(
    tree: Path, seen_by: Callable[[Callable[[str], None]], None]
) -> None:
    alone = both(tree, workers=1)
    seen_by(lambda path: None)  # noqa: ARG005 - nothing but that it was seen

    assert both(tree) == alone
    assert (tree / "forked").exists()
    assert alone.suppressed
    assert {f.path.rpartition(".")[2] for f in alone.findings} == {"cpp", "py"}


def test_files_of_one_kind_are_scanned_by_one_process(
    tree: Path, seen_by: Callable[[Callable[[str], None]], None]
) -> None:
    for path in tree.glob("*.py"):
        path.rename(path.with_suffix(".cpp.txt"))
    seen_by(lambda path: None)  # noqa: ARG005

    assert both(tree).findings
    assert not (tree / "forked").exists()


def test_a_second_process_that_dies_once_costs_nothing(
    tree: Path, seen_by: Callable[[Callable[[str], None]], None]
) -> None:
    alone = both(tree, workers=1)
    mark = tree / "died"

    def once(path: str) -> None:
        if path == "f05.cpp" and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    seen_by(once)

    assert both(tree) == alone
    assert mark.exists()


def test_a_file_that_kills_every_process_is_named_and_no_other_is_lost(
    tree: Path, seen_by: Callable[[Callable[[str], None]], None]
) -> None:
    alone = both(tree, workers=1)
    seen_by(lambda path: os._exit(5) if path == "f05.cpp" else None)

    done = both(tree)

    (note,) = (n for n in done.notes if n.kind is NoteKind.UNFINISHED)
    assert (note.path, "exit code 5" in note.reason) == ("f05.cpp", True)
    assert [f for f in alone.findings if f.path != "f05.cpp"] == list(done.findings)


@pytest.mark.parametrize("error", [BlockingIOError, MemoryError])
def test_where_no_process_can_be_had_one_scans_all(
    tree: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    alone = both(tree, workers=1)

    def refuse() -> int:
        raise error

    monkeypatch.setattr(os, "fork", refuse)

    assert both(tree) == alone


def test_who_interrupts_the_scan_ends_both_processes(
    tree: Path, seen_by: Callable[[Callable[[str], None]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(languages()["python"])

    def interrupted(self: Language, source: Source) -> Parsed:
        raise KeyboardInterrupt

    fork, seconds = os.fork, []

    def noted() -> int:
        pid = fork()
        seconds.append(pid)
        return pid

    monkeypatch.setattr(kind, "parse", interrupted)
    monkeypatch.setattr(os, "fork", noted)
    seen_by(lambda path: signal.pause())  # noqa: ARG005

    with pytest.raises(KeyboardInterrupt):
        both(tree)
    (second,) = seconds
    with pytest.raises(ProcessLookupError):
        os.kill(second, 0)
