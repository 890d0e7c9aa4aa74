"""The ledger of GPU faults: survives what happens to files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu import ledger
from rocm_ci.gpu.ledger import Entry, Ledger, host_id, quarantined, release
from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-11-30T12:00:00Z"
GPU = "0000:c1:00.0"


def fault(step: str, gpu: str = GPU) -> Entry:
    return Entry(time=NOW, gpu=gpu, label="GPU 3", kind="ecc", run="r", step=step, text="bad")


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path, {"ROCM_CI_HOST_ID": "here"})


def test_entries_come_back_in_their_order(book: Ledger) -> None:
    for step in ("a", "b", "c"):
        book.add(fault(step))

    assert [entry.step for entry in book.entries()] == ["a", "b", "c"]
    assert book.entries()[0].kind == "ecc"


def test_lines_that_cannot_be_read_are_passed_over(book: Ledger) -> None:
    book.add(fault("a"))
    with book.path.open("ab") as damaged:
        damaged.write(
            b'{"time": "cut of\n\x00\xff\xfe\n[]\nnull\n{"gpu": 1, "time": 2}\n' + b"[" * 5000 + b"\n"
        )

    book.add(fault("b"))

    assert [entry.step for entry in book.entries()] == ["a", "b"]


def test_it_stays_bounded_and_keeps_the_newest(book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MAX_ENTRIES", 5)

    for number in range(12):
        book.add(fault(str(number)))

    assert [entry.step for entry in book.entries()] == ["7", "8", "9", "10", "11"]


def test_texts_are_cut_and_harmless(book: Ledger) -> None:
    book.add(Entry(time=NOW, gpu=GPU, text="\x1b[31m" + "x" * 100_000))

    (entry,) = book.entries()
    assert "\x1b" not in entry.text
    assert len(entry.text) == 300


def test_hosts_that_share_a_folder_keep_apart(tmp_path: Path) -> None:
    one, other = (Ledger(tmp_path, {"ROCM_CI_HOST_ID": name}) for name in ("one", "other"))

    one.add(fault("a"))
    other.add(fault("b"))

    assert [entry.step for entry in one.entries()] == ["a"]
    assert [entry.step for entry in other.entries()] == ["b"]


def test_what_names_a_host_is_not_what_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")

    assert len(host_id(tmp_path)) == 12
    assert host_id(tmp_path) not in "0123456789abcdef0123456789abcdef"
    assert host_id(tmp_path / "nothing") == ""


def test_a_ledger_behind_a_link_is_not_read(book: Ledger, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text('{"time": "2026-11-30T12:00:00Z", "gpu": "g"}\n')
    book.path.parent.mkdir(parents=True)
    book.path.symlink_to(elsewhere)

    assert book.entries() == ()
    book.add(fault("a"))
    assert elsewhere.read_text().count("\n") == 1
    assert not book.path.is_symlink()


def test_release_ends_a_quarantine(tmp_path: Path) -> None:
    environment = {"ROCM_CI_HOST_ID": "here"}
    for step in ("a", "b", "c"):
        Ledger(tmp_path, environment).add(fault(step))
    assert GPU in quarantined(tmp_path, environment, NOW)

    release(tmp_path, environment, GPU, NOW, by="jane")

    assert quarantined(tmp_path, environment, NOW) == {}


def test_no_ledger_is_no_quarantine(tmp_path: Path) -> None:
    assert quarantined(tmp_path / "missing", {}, NOW) == {}


def test_a_bad_card_does_not_push_out_what_is_known_of_others(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "MAX_PER_GPU", 3)
    book.add(fault("first", gpu="0000:c2:00.0"))

    for number in range(9):
        book.add(fault(str(number)))

    assert [entry.step for entry in book.entries()] == ["first", "6", "7", "8"]


def test_resets_push_out_no_fault(book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MAX_PER_GPU", 2)
    monkeypatch.setattr(ledger, "MAX_NOTES", 3)
    book.add(fault("bad"))

    for number in range(9):
        book.add(Entry(time=NOW, gpu=GPU, step=str(number), kind="gpu-reset", note=True))

    assert [entry.step for entry in book.entries()] == ["bad", "6", "7", "8"]


def test_what_is_damaged_is_told(book: Ledger) -> None:
    assert book.problem == ""
    book.add(fault("a"))
    assert book.problem == ""

    with book.path.open("ab") as damaged:
        damaged.write(b"\x00\n{\n")
    assert book.problem == f"2 line(s) of {book.path} are damaged and passed over"

    book.path.unlink()
    book.path.mkdir()
    assert "is no regular file" in book.problem


def test_what_cannot_be_read_is_told_and_not_wiped(book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    book.add(fault("a"))
    before = book.path.read_bytes()
    monkeypatch.setattr(file, "read", lambda _path: None)  # as for another user's file

    assert "check its owner" in book.problem
    with pytest.raises(PermissionError):
        book.add(fault("b"))

    assert book.path.read_bytes() == before


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "ledger").touch()
    book = Ledger(tmp_path, {})

    assert str(book.path) in book.problem
    with pytest.raises(OSError, match=r"."):
        book.add(fault("a"))
    assert book.entries() == ()
