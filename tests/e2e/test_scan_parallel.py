"""Many files over several processes: the same findings as alone, whatever happens to a process."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.model.scan_note import NoteKind
from rocm_ci.scan import parallel
from rocm_ci.scan.engine import scan
from rocm_ci.scan.files import Folder
from rocm_ci.scan.language_registry import languages
from rocm_ci.scan.parallel import LEAST_FILES, scan_all
from rocm_ci.scan.rulebook import RuleBook, shipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocm_ci.scan.language import Language, Parsed
    from rocm_ci.scan.scanned import Scanned
    from rocm_ci.scan.source import Source

COUNT = LEAST_FILES + 50
BOOK = RuleBook(shipped())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for n in range(COUNT):
        mark = " // rocm-ci: allow cuda-runtime-api the test wants it" if n % 7 == 0 else ""
        (tmp_path / f"f{n:04}.cpp").write_text(f"int a = cudaFree({n});{mark}\n" if n % 3 else "int a;\n")
    (tmp_path / "third_party").mkdir()
    (tmp_path / "third_party" / "x.cpp").write_text("int a;\n")
    return tmp_path


def spread(folder: Folder) -> Scanned:
    return scan_all(
        folder, whole_tree(tuple(folder.walk())), ScanOptions(), ("gfx90a",), book=BOOK, workers=3
    )


def test_workers_find_what_one_process_finds(tree: Path) -> None:
    folder = Folder(tree)
    alone = scan(folder, whole_tree(tuple(folder.walk())), ScanOptions(), ("gfx90a",), book=BOOK)

    assert spread(folder) == alone
    assert alone.suppressed
    assert len(alone.findings) > 100
    assert [n.path for n in alone.notes] == ["third_party/"]


@pytest.fixture
def curse(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], None]], None]:
    """Lets the parsing of some file do something terrible to the worker that does it."""
    kind = type(languages()["c"])
    parse, parent = kind.parse, os.getpid()

    def lay(what: Callable[[str], None]) -> None:
        def cursed(self: Language, source: Source) -> Parsed:
            if os.getpid() != parent:
                what(source.path)
            return parse(self, source)

        monkeypatch.setattr(kind, "parse", cursed)

    return lay


def killed(path: str) -> None:
    if path == "f0101.cpp":
        os.kill(os.getpid(), signal.SIGKILL)


def gone(path: str) -> None:
    if path == "f0101.cpp":
        os._exit(5)


def greedy(path: str) -> None:
    if path == "f0101.cpp":
        raise MemoryError


@pytest.mark.parametrize(
    ("what", "said"), [(killed, "signal 9"), (gone, "exit code 5"), (greedy, "out of memory")]
)
def test_a_file_that_kills_its_worker_is_named_and_no_other_is_lost(
    tree: Path, curse: Callable[[Callable[[str], None]], None], what: Callable[[str], None], said: str
) -> None:
    whole = spread(Folder(tree))
    curse(what)
    done = spread(Folder(tree))

    (note,) = (n for n in done.notes if n.kind is NoteKind.UNFINISHED)
    assert (note.path, said in note.reason) == ("f0101.cpp", True)
    assert [f for f in whole.findings if f.path != note.path] == list(done.findings)


def test_a_worker_that_died_by_chance_costs_nothing(
    tree: Path, curse: Callable[[Callable[[str], None]], None]
) -> None:
    whole = spread(Folder(tree))
    mark = tree / "died"

    def once(path: str) -> None:
        if path == "f0200.cpp" and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    curse(once)

    assert spread(Folder(tree)) == whole
    assert mark.exists()


def test_a_machine_on_which_every_worker_dies_ends_with_a_word_about_every_file(
    tree: Path, curse: Callable[[Callable[[str], None]], None]
) -> None:
    def always(path: str) -> None:
        if path.startswith("f"):
            os._exit(3)

    curse(always)
    done = spread(Folder(tree))
    unread = {n.path for n in done.notes if n.kind is NoteKind.UNFINISHED}

    assert done.findings == ()
    assert unread >= {f"f{n:04}.cpp" for n in range(COUNT) if n % 3}


def test_a_call_that_never_returns_is_ended(
    tree: Path, curse: Callable[[Callable[[str], None]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "FILE_WALL_S", 1)
    monkeypatch.setattr(parallel, "_CHUNKS_PER_WORKER", 150)

    def hangs(path: str) -> None:
        if path == "f0101.cpp":
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGVTALRM})
            signal.pause()

    curse(hangs)
    done = spread(Folder(tree))

    (note,) = (n for n in done.notes if n.kind is NoteKind.UNFINISHED)
    assert (note.path, "no end after" in note.reason) == ("f0101.cpp", True)


@pytest.mark.parametrize("error", [BlockingIOError, MemoryError])
def test_where_no_process_can_be_had_it_scans_alone(
    tree: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    expected = spread(Folder(tree))

    def refuse() -> int:
        raise error

    monkeypatch.setattr(os, "fork", refuse)

    assert spread(Folder(tree)) == expected
