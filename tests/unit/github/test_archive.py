"""The artifact's archive: what an honest one gives, and every trick that a stranger could try."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.errors import ReportError
from rocm_ci.github import archive
from tests.archives import packed, patched, special, streamed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

REPORT = b'{"version": 1}'
LOGS = {"logs/build.log": b"ninja: done\n" * 50, "comment.md": "grün".encode(), "logs/é.log": b""}


def honest() -> bytes:
    return packed(*LOGS.items(), ("report.json", REPORT))


LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"


def refusal(data: bytes) -> str:
    with pytest.raises(ReportError) as caught:
        archive.report_of(data)
    assert caught.value.hint
    assert str(caught.value).isprintable()
    return str(caught.value)


@pytest.mark.parametrize("write", [packed, streamed], ids=["sought", "streamed"])
def test_the_report_of_an_honest_artifact_is_read_and_nothing_else(write: Callable[..., bytes]) -> None:
    assert archive.report_of(write(*LOGS.items(), ("report.json", REPORT))) == REPORT


def test_a_stored_report_a_folder_around_it_and_entries_of_folders_are_fine() -> None:
    folder = special("rocm-ci-out/", stat.S_IFDIR | 0o755)
    data = packed(folder, special("rocm-ci-out/report.json", stat.S_IFREG | 0o644, REPORT))

    assert archive.report_of(data) == REPORT


def test_a_damaged_log_costs_nothing_because_logs_are_not_read() -> None:
    data = bytearray(packed(("logs/a.log", b"x" * 5000), ("report.json", REPORT)))
    data[45] ^= 0xFF

    assert archive.report_of(bytes(data)) == REPORT


def test_a_large_honest_report_is_read() -> None:
    content = b"".join(b'{"name": "test[%d]", "duration_s": 0.%d},' % (n, n * 7) for n in range(200_000))

    assert archive.report_of(packed(("report.json", content))) == content


@pytest.mark.attack("4", "names that climb out of the folder, absolute or hostile ones")
@pytest.mark.parametrize(
    "name",
    [
        "../report.json",
        "/report.json",
        "a/../../report.json",
        "./report.json",
        "a//report.json",
        "C:/report.json",
        "..\\report.json",
        "a\\report.json",
        "report.json\n",
        "report.json\x1b[2J",
        "..",
        "x" * 2000 + "/report.json",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    assert "file name" in refusal(packed((name, REPORT)))
    assert "file name" in refusal(packed(("report.json", REPORT), (name, b"x")))


@pytest.mark.attack("4", "names of so many folders that remembering them fills the memory")
def test_a_name_of_very_many_folders_is_refused() -> None:
    deepest = "a/" * (archive.MAX_DEPTH - 1) + "report.json"

    assert archive.report_of(packed((deepest, REPORT))) == REPORT
    assert "folders deep" in refusal(packed((f"a/{deepest}", REPORT)))


def test_a_name_with_nul_is_refused() -> None:
    # Python cuts names at NUL when it writes them.
    data = packed(("report.jsonXx", REPORT), ("report.json", REPORT)).replace(b"jsonXx", b"json\x00x")

    assert "leads elsewhere" in refusal(data)


@pytest.mark.attack("4", "symbolic links, devices and pipes")
@pytest.mark.parametrize(
    "kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFDIR]
)
def test_a_link_and_every_other_thing_that_is_no_file_is_refused(kind: int) -> None:
    assert "link or another thing" in refusal(packed(special("report.json", kind | 0o644, b"/etc/passwd")))
    assert "link or another thing" in refusal(
        packed(("report.json", REPORT), special("logs/x", kind | 0o644, b"/etc/passwd"))
    )


@pytest.mark.attack("4", "duplicate names, also by case, normal form and folder; a second report")
@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["report.json", "report.json"], "is in it twice"),
        (["report.json", "REPORT.json"], "is in it twice"),
        (["report.json", "logs/a", "Logs/A"], "is in it twice"),
        (["report.json", "\u00e9.log", "e\u0301.log"], "is in it twice"),
        (["report.json", "stra\u00dfe", "strasse"], "is in it twice"),
        (["report.json", "report.json/x"], "both a file and a folder"),
        (["report.json", "logs/a", "logs"], "both a file and a folder"),
        (["report.json", "logs/report.json"], "2 files called report.json"),
        (["Report.JSON"], "not called report.json"),
        (["report.j\u017fon"], "not called report.json"),
        (["comment.md"], "no report.json"),
        ([], "no report.json"),
    ],
    ids=str,
)
def test_there_is_exactly_one_report_and_no_name_means_two_things(names: Sequence[str], why: str) -> None:
    assert why in refusal(packed(*((name, REPORT) for name in names)))


@pytest.mark.attack("4", "something else than a zip archive")
@pytest.mark.parametrize("data", [b"", b"PK", b"{}", b"\x1f\x8b\x08", b"x" * 100, b"\x00" * 100_000])
def test_what_is_no_zip_archive_is_refused(data: bytes) -> None:
    assert "no zip archive" in refusal(data)


def test_every_truncation_is_refused() -> None:
    data = honest()
    for length in range(len(data)):
        refusal(data[:length])


@pytest.mark.attack("4", "something hidden before, between or behind the entries")
def test_something_before_behind_or_between_is_refused() -> None:
    data = honest()
    end = data.index(CENTRAL)
    for forged in (b"#!/bin/sh\n" + data, data + b"x", data[:end] + b"hidden" + data[end:]):
        refusal(forged)


def test_several_archives_in_one_are_refused() -> None:
    green, red = packed(("report.json", REPORT)), packed(("report.json", b'{"version": 2}'))

    assert "share" in refusal(green + red) or "several archives" in refusal(green + red)


@pytest.mark.attack("4", "an archive comment that hides a second end")
@pytest.mark.parametrize("comment", [b"x", packed(("report.json", b"other")), END + b"\0" * 18])
def test_a_comment_which_could_hide_a_second_end_is_refused(comment: bytes) -> None:
    refusal(packed(("report.json", REPORT), comment=comment))


@pytest.mark.attack("4", "the tricks of the 64-bit format")
def test_the_64_bit_format_is_refused() -> None:
    for offset, form in ((8, "<H"), (10, "<H"), (12, "<I"), (16, "<I")):
        most = 0xFFFF if form == "<H" else 0xFFFFFFFF
        refusal(patched(honest(), END, offset, form, most))
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, 0, 1)
    data = honest()
    at = data.index(END)
    assert "64-bit" in refusal(data[:at] + locator + data[at:])
    for offset in (20, 24, 42):
        assert "64-bit" in refusal(patched(honest(), CENTRAL, offset, "<I", 0xFFFFFFFF))
    info = zipfile.ZipInfo("report.json")
    info.extra = struct.pack("<HHQQ", 1, 16, 5, 5)
    assert "second size" in refusal(packed((info, REPORT)))


def test_a_second_name_in_an_extra_field_is_refused() -> None:
    info = zipfile.ZipInfo("report.json")
    info.extra = struct.pack("<HHBI", 0x7075, 5 + 4, 1, 0) + b"evil"

    assert "second size or name" in refusal(packed((info, REPORT)))


@pytest.mark.attack("4", "more files than any run leaves")
def test_more_files_than_any_run_leaves_are_refused() -> None:
    files = [(f"logs/{n}", b"") for n in range(archive.MAX_ENTRIES)]

    assert "10001 files" in refusal(packed(*files, ("report.json", REPORT)))


@pytest.mark.attack("4", "an archive over the size limit")
def test_too_large_an_archive_is_refused_before_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ARCHIVE", 100)

    assert "over the limit of 100" in refusal(honest())


@pytest.mark.attack("4", "a bomb, with headers that lie about it")
def test_a_bomb_is_not_inflated_whatever_its_headers_say() -> None:
    bomb = packed(("report.json", b" " * 60_000_000))
    small = patched(patched(bomb, CENTRAL, 24, "<I", 100), LOCAL, 22, "<I", 100)
    ratio = packed(("report.json", b" " * 6_000_000))

    assert "over the limit of" in refusal(bomb)
    assert "unpacks to more than" in refusal(small)
    assert "over the limit of 4000000" in refusal(ratio)


def test_a_stored_report_over_the_limit_is_refused() -> None:
    data = packed(("report.json", b" " * (archive.MAX_REPORT + 1)), method=zipfile.ZIP_STORED)

    assert "over the limit of" in refusal(data)


@pytest.mark.attack("4", "entries that overlap, the way of quines and of the best bombs")
def test_entries_that_share_their_bytes_are_refused() -> None:
    """The kind of bomb in which thousands of entries inflate the same bytes; and a quine's way."""
    two = packed(("a.json", REPORT), ("report.json", REPORT))
    first = struct.unpack_from("<I", two, two.index(CENTRAL) + 42)[0]

    assert "described in two ways" in refusal(patched(two, CENTRAL, 42, "<I", first, which=1))
    inner = packed(("report.json", REPORT))
    nested = packed(("logs/x", inner), ("report.json", REPORT), method=zipfile.ZIP_STORED)
    begin = nested.index(inner)
    outer = patched(nested, CENTRAL, 42, "<I", begin, which=2)
    refusal(outer)


@pytest.mark.attack("4", "an entry inside of another one, at its very end, so that all sizes add up")
def test_an_entry_inside_of_another_is_refused() -> None:
    inner = packed(("report.json", REPORT), method=zipfile.ZIP_STORED)
    entry, directory = inner[: inner.index(CENTRAL)], inner[inner.index(CENTRAL) : inner.index(END)]
    outer = packed(("logs/x", entry), method=zipfile.ZIP_STORED)
    end = outer.index(END)
    begin = outer.index(entry)
    data = outer[:end] + patched(directory, CENTRAL, 42, "<I", begin) + outer[end:]
    for offset, form, value in (
        (8, "<H", 2),
        (10, "<H", 2),
        (12, "<I", end - outer.index(CENTRAL) + len(directory)),
    ):
        data = patched(data, END, offset, form, value)

    assert "share their bytes" in refusal(data)


def test_something_between_two_entries_is_refused() -> None:
    """Also where all addresses were moved along."""
    two = packed(("a.json", REPORT), ("report.json", REPORT))
    at = two.index(LOCAL, 1)
    data = two[:at] + b"hidden" + two[at:]
    data = patched(data, CENTRAL, 42, "<I", at + 6, which=1)
    data = patched(data, END, 16, "<I", two.index(CENTRAL) + 6)

    assert "something between" in refusal(data)


def test_a_header_that_disagrees_with_the_directory_is_refused() -> None:
    data = packed(("report.json", REPORT), ("b.json", b"x"))
    for offset, form, value in ((6, "<H", 0x800), (8, "<H", 0), (18, "<I", 3), (22, "<I", 3)):
        assert "two ways" in refusal(patched(data, LOCAL, offset, form, value))
    assert "two ways" in refusal(data.replace(b"report.json", b"bad0rt.json", 1))


@pytest.mark.attack("4", "an encrypted report")
def test_an_encrypted_report_is_refused() -> None:
    for flag in (0x1, 0x41, 0x2000):
        data = patched(patched(honest(), CENTRAL, 8, "<H", flag), LOCAL, 6, "<H", flag)
        assert "is encrypted" in refusal(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_another_packing_is_refused(method: int) -> None:
    assert "does not know" in refusal(packed(("report.json", REPORT), method=method))


def test_a_wrong_checksum_or_size_of_the_report_is_refused() -> None:
    data = packed(("report.json", REPORT))
    for offset in (16, 24):
        forged = patched(patched(data, CENTRAL, offset, "<I", 9), LOCAL, offset - 2, "<I", 9)
        assert "damaged" in refusal(forged)


def test_a_name_that_is_not_what_its_flag_says_is_refused() -> None:
    data = packed(("report.json", REPORT), ("logs/é", b""))

    assert "not valid UTF-8" in refusal(data.replace("é".encode(), b"\xff\xfe"))


def test_a_folder_with_content_is_refused() -> None:
    assert "has content" in refusal(packed(("report.json", REPORT), special("logs/", 0, b"hidden")))


def test_every_flipped_byte_gives_the_report_or_a_refusal() -> None:
    for data in (honest(), streamed(*LOGS.items(), ("report.json", REPORT))):
        for at in range(len(data)):
            for mask in (0x01, 0x20, 0x80, 0xFF):
                mutant = bytearray(data)
                mutant[at] ^= mask
                try:
                    assert archive.report_of(bytes(mutant)) == REPORT
                except ReportError:
                    continue


_PIECES = [
    LOCAL,
    CENTRAL,
    END,
    b"PK\x06\x06",
    b"PK\x06\x07",
    b"PK\x07\x08",
    b"report.json",
    b"../",
    b"\0" * 4,
]


@pytest.mark.attack("4", "random mutations of an archive (fuzzed)")
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from([honest(), streamed(*LOGS.items(), ("report.json", REPORT))]),
    st.lists(
        st.tuples(
            st.integers(0, 4000),
            st.integers(0, 40),
            st.one_of(st.sampled_from(_PIECES), st.binary(max_size=24)),
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_whatever_is_spliced_in_nothing_but_a_refusal_comes_out(
    data: bytes, splices: list[tuple[int, int, bytes]]
) -> None:
    for place, gone, piece in splices:
        at = place % (len(data) + 1)
        data = data[:at] + piece + data[at + gone :]
    try:
        assert archive.report_of(data) == REPORT
    except ReportError:
        return


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 3))
def test_random_bytes_with_a_right_end_are_refused(body: bytes, count: int) -> None:
    """The end is right, so that the directory is really looked at."""
    end = struct.pack("<4sHHHHIIH", END, 0, 0, count, count, len(body), 0, 0)
    refusal(body + end)
    central = CENTRAL + body
    refusal(central + struct.pack("<4sHHHHIIH", END, 0, 0, count, count, len(central), 0, 0))


def test_the_checksum_really_covers_the_content() -> None:
    """The tests above rely on it: a report altered in place, all sizes right, is refused."""
    data = packed(("report.json", REPORT), method=zipfile.ZIP_STORED)
    forged = data.replace(b'"version": 1', b'"version": 2')

    assert zlib.crc32(REPORT) != zlib.crc32(REPORT.replace(b"1", b"2"))
    assert "damaged" in refusal(forged)
