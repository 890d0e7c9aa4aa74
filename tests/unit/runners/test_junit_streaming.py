"""Reports of any size: what is read in pieces, or lies compressed, is the same as what is read at once."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import junit, junit_loose, junit_pages, junit_retries, junit_text
from rocm_ci.runners.junit_pages import Pages

if TYPE_CHECKING:
    from collections.abc import Callable

PIECES = ["<testsuite name='s'>", "</testsuite>", "<testcase name='a'>", "<testcase name='R&D'/>", "</testcase>",
          "<failure message='m'>", "</failure>", "<![CDATA[", "]]>", "&lt;", "&#955;", "<system-out>", "</system-out>",
          "<!-- c -->", "plain text of some length ", "<", ">", "λ🚀", "<testcase name='", "'/>", "<error/>"]  # fmt: skip


def outcome(data: bytes) -> tuple[object, ...]:
    result = junit.joined([("x", junit.read(io.BytesIO(data)))])
    return result.elements, result.truncated, result.readable, tuple(result.cases)


@pytest.mark.attack("5", "damage exactly where a piece of the report ends")
@settings(max_examples=150, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=60), chunk=st.integers(7, 90))
def test_damage_is_repaired_alike_wherever_the_pieces_end(pieces: list[str], chunk: int) -> None:
    data = f"<testsuite name='R&D'><testcase name='first'/>{''.join(pieces)}".encode()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(junit_loose, "_MAX_TAG", 100)
        at_once = outcome(data)
        patched.setattr(junit_text, "CHUNK", chunk)
        patched.setattr(junit_loose, "_ENOUGH", 400)

        assert outcome(data) == at_once


def case(number: int, status: CaseStatus = CaseStatus.PASSED) -> Case:
    return Case(
        id=f"t::{number}", suite="s", name=str(number), status=status, message="λ" * (number % 5) or None
    )


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit_pages, "PLAIN", 10)
    monkeypatch.setattr(junit_pages, "_PAGE", 4)
    monkeypatch.setattr(junit_retries, "PLAIN", 10)


@pytest.mark.usefixtures("small_pages")
class TestPages:
    @pytest.mark.parametrize("size", [0, 1, 9, 10, 13, 14, 15, 100])
    def test_pages_are_a_sequence_like_any_other(self, size: int) -> None:
        wanted = [case(n) for n in range(size)]
        pages = Pages(Case, wanted)

        assert (len(pages), list(pages), bool(pages)) == (size, wanted, bool(wanted))
        for index in range(-size, size):
            assert pages[index] == wanted[index]
        assert pages[1:9:3] == wanted[1:9:3]
        for index in (size, -size - 1):
            with pytest.raises(IndexError):
                pages[index]

    def test_what_is_far_behind_lies_compressed(self) -> None:
        pages = Pages(Case, (case(n) for n in range(1_000)))

        assert len(pages._plain) < 20
        assert len(pages._packed) > 200


def report(tests: int, bad: Callable[[int], bool]) -> str:
    return "<testsuite name='s'>" + "".join(
        f"<testcase classname='t' name='{n}'>{'<failure/>' if bad(n) else ''}</testcase>" for n in range(tests)
    ) + "</testsuite>"  # fmt: skip


def read(*texts: str) -> junit.Reading:
    return junit.joined((str(n), junit.read(io.BytesIO(text.encode()))) for n, text in enumerate(texts))


def test_very_many_cases_are_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    first = report(100, lambda n: n % 10 == 0)
    again = "<testsuite name='s'>" + "".join(
        f"<testcase classname='t' name='{n}'/>" for n in range(0, 100, 10)
    ) + "</testsuite>"  # fmt: skip
    few = read(first, again)
    monkeypatch.setattr(junit_pages, "PLAIN", 10)
    monkeypatch.setattr(junit_pages, "_PAGE", 4)
    monkeypatch.setattr(junit_retries, "PLAIN", 10)

    many = read(first, again)

    assert isinstance(few.cases, tuple)
    assert not isinstance(many.cases, tuple)
    assert tuple(many.cases) == few.cases == tuple(many.cases)
    assert (many.elements, many.retried, many.count(CaseStatus.FLAKY)) == (110, 10, 10)
    assert many.cases[3] == few.cases[3]
    assert many.cases[-1] == few.cases[-1]
    assert many.cases[5:2:-1] == few.cases[5:2:-1]
    with pytest.raises(IndexError):
        many.cases[100]


@pytest.mark.attack("5", "more tests than anyone has")
def test_more_tests_than_anyone_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocm_ci.runners.junit_elements.MAX_CASES", 50)

    result = read(report(51, lambda _: False))

    assert (result.readable, result.elements) == (False, 0)
    assert "more than 50 test cases" in result.problems[0]


def test_excerpts_of_very_many_failures_stay_within_their_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocm_ci.runners.junit_elements.EXCERPT_BUDGET", 5_000)
    text = "<testsuite>" + "".join(
        f"<testcase name='{n}'><failure message='m'>{'x' * 900}</failure></testcase>" for n in range(40)
    ) + "</testsuite>"  # fmt: skip

    cases = read(text).cases

    assert sum(len(one.excerpt or "") for one in cases) < 7_000
    assert all(one.status is CaseStatus.FAILED and one.message == "m" for one in cases)
