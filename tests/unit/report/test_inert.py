from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_ci.report import inert
from tests import rendered
from tests.hostile import HOSTILE

if TYPE_CHECKING:
    from collections.abc import Callable

# Every form in every place that the comment puts it: (form, template, tags that are ours).
PLACES = {
    "text in a paragraph": (inert.text, "before {} after", set()),
    "text first": (inert.text, "{} after", set()),
    "text in a heading": (inert.text, "## x {}", {"h2"}),
    "text in a list": (inert.text, "1. {}\n2. next", {"ol", "li"}),
    "text in a quote": (inert.text, "> {}", {"blockquote"}),
    "text in bold": (inert.text, "**x {}.** y", {"strong"}),
    "text in sub": (inert.text, "x <sub>{}</sub>", {"sub"}),
    "prose in a paragraph": (inert.prose, "before {} after", {"code"}),
    "prose in a list": (inert.prose, "1. {}<br>\n   next\n2. next", {"ol", "li", "code", "br"}),
    "code in a paragraph": (inert.code, "before {} after", {"code"}),
    "code in a list": (inert.code, "- {} x\n- {}", {"ul", "li", "code"}),
    "code in a link": (inert.code, "[{}](https://github.com/acme/wavekit)", {"a", "code"}),
    "tag in a paragraph": (inert.tag, "before {} after", {"code"}),
}


@pytest.mark.attack(
    "6", "mentions, references, HTML, links and our marker in any place of a page, rendered as GitHub does"
)
@pytest.mark.parametrize("place", PLACES)
@settings(deadline=None)
@given(value=HOSTILE)
def test_nothing_acts_in_any_place(place: str, value: str) -> None:
    form, template, ours = PLACES[place]

    markdown = template.replace("{}", form(value))
    tree = rendered.render(markdown)

    assert rendered.tags(tree) <= ours | {"article", "p"}
    assert rendered.acts(tree) == []
    assert not re.search(r"<!--\s*rocm-ci", markdown, re.IGNORECASE)
    assert not rendered.UNSEEN.search(tree.text_content())


@pytest.mark.attack("6", "pipes, backticks and line ends in a cell of a table")
@pytest.mark.parametrize("form", [inert.text, inert.tag])
@given(values=st.lists(HOSTILE, min_size=3, max_size=3))
def test_a_table_keeps_its_cells(form: Callable[[str], str], values: list[str]) -> None:
    cells = [form(value) for value in values]

    tree = rendered.render(f"| a | b | c |\n| --- | --- | --- |\n| {' | '.join(cells)} |\n")
    row = tree.xpath("//tbody/tr")

    assert len(row) == 1
    assert len(row[0]) == 3
    assert rendered.acts(tree) == []


@given(value=HOSTILE)
def test_prose_in_a_cell_keeps_the_table(value: str) -> None:
    tree = rendered.render(f"| a | b |\n| --- | --- |\n| {inert.prose(value, cell=True)} | x |\n")

    assert [len(row) for row in tree.xpath("//tbody/tr")] == [2]


@given(value=HOSTILE)
def test_a_summary_is_not_left(value: str) -> None:
    tree = rendered.render(
        f"<details><summary>x {inert.text(value)} {inert.tag(value)}</summary>\n\ny\n\n</details>"
    )

    assert rendered.tags(tree) == {"article", "details", "summary", "code", "p"}
    assert [str(node.tag) for node in tree] == ["details"]


@pytest.mark.attack("6", "a log that closes its own code fence, of any length")
@pytest.mark.parametrize("indent", [0, 2])
@given(value=HOSTILE)
def test_a_fence_cannot_be_closed_from_within(indent: int, value: str) -> None:
    lead = "- x\n\n" if indent else ""

    tree = rendered.render(f"{lead}{inert.fence(value, indent=indent)}\n\nafter")

    assert rendered.tags(tree) <= {"article", "p", "pre", "code", "ul", "li"}
    assert len(tree.xpath("//pre")) == 1
    assert tree.xpath("//p")[-1].text == "after"
    assert rendered.acts(tree) == []


@given(value=HOSTILE)
def test_a_reader_sees_the_text_itself(value: str) -> None:
    shown = rendered.render(f"x{inert.text(value)}x").text_content().strip()

    assert shown.replace("\u200b", "") == f"x{inert.line(value)}x"


@given(
    value=st.text(alphabet=st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs")), max_size=60)
)
def test_code_shows_the_text_itself(value: str) -> None:
    tree = rendered.render(f"x {inert.code(value)} {inert.tag(value)} x")

    shown = [node.text_content().replace("\u200b", "") for node in tree.xpath("//code")]

    assert shown == [inert._MARKER.sub("<! --", inert.line(value)) or "''", inert.line(value) or "''"]


@given(value=HOSTILE, limit=st.integers(min_value=2, max_value=40))
def test_a_cut_is_marked_and_within_its_limit(value: str, limit: int) -> None:
    whole, cut = inert.line(value, limit=10_000), inert.line(value, limit=limit)

    assert len(cut) <= limit
    assert cut == whole or cut.endswith("…")


@given(value=HOSTILE)
def test_every_form_can_be_written_as_utf8(value: str) -> None:
    for form in (
        inert.line,
        inert.block,
        inert.text,
        inert.prose,
        inert.code,
        inert.tag,
        inert.fence,
        inert.tail,
    ):
        form(value).encode()


@given(value=HOSTILE)
def test_no_form_lets_control_characters_through(value: str) -> None:
    for form in (inert.line, inert.text, inert.code, inert.tag):
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", form(value))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", inert.block(value))


@pytest.mark.attack("6", "bidirectional and zero-width characters")
def test_what_cannot_be_seen_is_made_visible() -> None:
    assert inert.line("a\u202eb\u200bc\u00add") == "a⟨U+202E⟩b⟨U+200B⟩c⟨U+00AD⟩d"


def test_a_colourful_sign_keeps_its_colour() -> None:
    assert inert.line("⚠️ careful") == "⚠️ careful"


def test_a_colour_sequence_goes_whole() -> None:
    assert inert.line("\x1b[1;31mred\x1b[0m and \x1b]0;title\x07plain") == "red and plain"


def test_stacked_accents_cannot_climb_out_of_their_line() -> None:
    assert len(inert.line("e" + "\u0301" * 50)) == 4


def test_a_huge_text_is_cut_before_it_is_worked_on() -> None:
    assert len(inert.text("@" * 5_000_000)) < 4_000


def test_prose_shows_backticks_as_code() -> None:
    assert inert.prose("call `__shfl_down(v)` instead") == "call `__shfl_down(v)` instead"


def test_a_backtick_alone_stays_a_backtick() -> None:
    assert inert.prose("5` away") == "5&#96; away"


def test_a_code_span_outgrows_the_backticks_within() -> None:
    assert inert.code("a``b`c") == "```a``b`c```"


def test_a_tail_says_that_it_is_one() -> None:
    assert inert.tail("\n".join(map(str, range(100))), lines=2) == "…\n98\n99"


def test_a_short_log_is_shown_whole() -> None:
    assert inert.tail("a\nb\n") == "a\nb"
