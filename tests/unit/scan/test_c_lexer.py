"""Comments and literals of C are told from code, whatever they contain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.scan.c_lexer import lex


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a // cudaMalloc\nb", "a b"),
        ("a // goes \\\n on\nb", "a b"),
        ("a /* x\n y */ b", "a b"),
        ("a /* open", "a"),
        ('f("cuda", 1)', 'f(" ", 1)'),
        (r'"a\"b" c', '" " c'),
        ('"open\nc', '" c'),
        (r"'\'' + '\"' c", "' ' + ' ' c"),
        ("1'000'000 + x", "1'000'000 + x"),
        ("L'x' u8'y' 0x1'F", "L' ' u8' ' 0x1'F"),
        ('R"(a "b" // c)" d', 'R"( )" d'),
        ('u8R"x(a)" )x" d', 'u8R"x( )x" d'),
        ('LR"(a\nb)" c', 'LR"( )" c'),
        ('BAR"(a)" c', 'BAR" " c'),
        ('"/* no */" /* "yes */ c', '" " c'),
        ("don't // stop", "don't"),
        ("", ""),
    ],
)
def test_comments_and_contents_become_blank(text: str, seen: str) -> None:
    assert " ".join(lex(text).code.split()) == seen


def test_literals_know_their_contents() -> None:
    lexed = lex('f("ab", R"x(c"d)x");')

    assert [lexed.text[one.content_start : one.content_end] for one in lexed.literals] == ["ab", 'c"d']
    assert lexed.place(lexed.literals[0].content_start) == (1, 4)


def test_places_count_lines_and_columns_from_one() -> None:
    lexed = lex("a\nbc\n\nd")

    assert [lexed.place(offset) for offset in (0, 2, 3, 6)] == [(1, 1), (2, 1), (2, 2), (4, 1)]


@given(st.text(alphabet="a\"'\\/*R(x)\n 8", max_size=60))
def test_any_text_keeps_its_length_and_lines(text: str) -> None:
    lexed = lex(text)

    assert len(lexed.code) == len(text)
    assert [i for i, c in enumerate(lexed.code) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]
