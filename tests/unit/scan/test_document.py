"""Text that is edited and written back with nothing else changed, in every encoding we meet."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.model.edit import Edit
from rocm_ci.scan.document import Document
from rocm_ci.scan.files import MAX_LINE, decode

SECOND = Edit(line=2, column=1, end=5, text="hip")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\ncuda x\n", b"a\nhip x\n"),
        (b"a\r\ncuda x\r\nb", b"a\r\nhip x\r\nb"),
        (b"a\r\ncuda x\nb\r\n", b"a\r\nhip x\nb\r\n"),
        (b"a\ncuda", b"a\nhip"),
        (b"a\ncuda\r", b"a\nhip\r"),
        (b"a\ncuda\r\r\n", b"a\nhip\r\r\n"),
        (codecs.BOM_UTF8 + b"a\ncuda x\n", codecs.BOM_UTF8 + b"a\nhip x\n"),
        (b"\xe9\ncuda \xff\xfe\n", b"\xe9\nhip \xff\xfe\n"),
        (b"a\0b\ncuda\n", b"a\0b\nhip\n"),
    ],
    ids=["LF", "CRLF", "mixed", "no newline", "lone CR", "CR before CRLF", "mark", "Latin-1", "NUL"],
)
def test_only_the_edited_text_changes(before: bytes, after: bytes) -> None:
    assert Document(before).edited((SECOND,)) == after


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_keep_mark_and_order(encoding: str) -> None:
    text = "\ufeff\U0001f600é\r\ncuda x\r\n"

    assert Document(text.encode(encoding)).edited((SECOND,)).decode(encoding) == text.replace("cuda", "hip")


def test_columns_count_characters_and_not_bytes() -> None:
    edit = Edit(line=1, column=4, end=8, text="hip")

    assert Document("é\U0001f600 cuda\n".encode()).edited((edit,)).decode() == "é\U0001f600 hip\n"


@pytest.mark.parametrize(
    ("data", "edit"),
    [
        (b"a\n" + b"x" * (MAX_LINE + 1) + b"\n", SECOND),
        (b"a\n", Edit(line=3, column=1, end=1, text="x")),
        (b"a\ncu\r\n", SECOND),
        (b"a\n\rcuda", Edit(line=2, column=1, end=7, text="")),
    ],
    ids=["a line that was passed over", "no such line", "reaching into the line end", "past the end"],
)
def test_what_the_scanner_did_not_see_is_not_edited(data: bytes, edit: Edit) -> None:
    with pytest.raises(ValueError, match="line"):
        Document(data).edited((edit,))


def test_half_a_character_makes_a_file_unwritable() -> None:
    with pytest.raises(ValueError, match="UTF-16-LE"):
        Document("\ufeffcuda".encode("utf-16-le") + b"\x00")


@given(st.binary(max_size=200))
def test_any_bytes_come_back(data: bytes) -> None:
    try:
        document = Document(data)
    except ValueError:
        return

    assert document.edited(()) == data


@given(
    st.lists(
        st.sampled_from([b"cuda", b"\r", b"\n", b"\r\n", b"\xff", "é".encode(), b"\0", b" "]), max_size=30
    ).map(b"".join)
)
def test_lines_are_those_of_the_scanner(data: bytes) -> None:
    lines = decode(data)[1]
    for number, line in enumerate(lines, 1):
        end = len(line) + 1
        try:
            after = Document(data).edited((Edit(line=number, column=end, end=end, text="X"),))
        except ValueError:
            continue
        assert decode(after)[1][number - 1].replace(" ", "") == line.replace(" ", "") + "X"
