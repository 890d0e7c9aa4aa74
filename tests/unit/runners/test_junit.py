"""JUnit XML of every dialect: real files in, cases out."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import junit, junit_dialects, junit_strict
from rocm_ci.runners.excerpt import EXCERPT_HEAD, EXCERPT_TAIL, MESSAGE_CHARS
from rocm_ci.runners.junit_elements import Builder

DATA = Path(__file__).resolve().parents[2] / "data" / "junit"


def reading(*documents: bytes) -> junit.Reading:
    return junit.joined((f"{n}.xml", junit.read(io.BytesIO(data))) for n, data in enumerate(documents))


def from_file(name: str) -> junit.Reading:
    return junit.joined([(name, junit.read_file(DATA / name))])


def statuses(result: junit.Reading) -> dict[str, str]:
    return {case.id: case.status.value for case in result.cases}


def only(xml: str) -> Case:
    (case,) = reading(xml.encode()).cases
    return case


def suite(inner: str) -> bytes:
    return f"<testsuite name='s'>{inner}</testsuite>".encode()


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("ctest-3.25.xml", {"passed": 1, "failed": 4, "errored": 2, "skipped": 4}),
        ("gtest-1.12.xml", {"passed": 4, "failed": 3, "skipped": 2}),
        ("pytest-9.xml", {"passed": 3, "failed": 4, "errored": 2, "skipped": 1}),
        ("surefire-reruns.xml", {"passed": 1, "failed": 1, "flaky": 1, "skipped": 1}),
        ("gradle-retry-unmerged.xml", {"passed": 2, "failed": 1, "flaky": 1}),
        ("nextest.xml", {"passed": 1, "flaky": 1}),
        ("namespaced.xml", {"failed": 1}),
    ],
)
def test_every_element_of_a_dialect_is_counted_by_how_it_ended(name: str, counts: dict[str, int]) -> None:
    result = from_file(name)

    assert Counter(case.status.value for case in result.cases) == counts
    assert result.readable
    assert not result.problems


def test_a_program_that_ctest_could_not_find_is_an_error_and_a_wanted_skip_is_not() -> None:
    result = statuses(from_file("ctest-3.25.xml"))

    assert result["missing::missing"] == result["nocmd::nocmd"] == "errored"
    assert {result[name] for name in ("skip77::skip77", "skipre::skipre", "dis::dis", "fuse::fuse")} == {
        "skipped"
    }


def test_googletest_tells_the_place_apart_from_the_message() -> None:
    bad = next(case for case in from_file("gtest-1.12.xml").cases if case.id == "Copy::Bad")

    assert (bad.path, bad.line) == ("/src/project/tests/unit_tests.cc", 8)
    assert bad.message == "Expected equality of these values:\n  32\n  64\nlanes"


def test_reruns_of_surefire_count_as_attempts() -> None:
    cases = {case.name: case for case in from_file("surefire-reruns.xml").cases}

    assert (cases["sum"].status, cases["sum"].attempts) == (CaseStatus.FLAKY, 3)
    assert (cases["max"].status, cases["max"].attempts) == (CaseStatus.FAILED, 3)
    assert cases["min"].duration_s == 1204.5
    assert (cases["sum"].path, cases["sum"].line) == ("ReduceTest.java", 41)


def test_raw_markup_in_texts_does_not_lose_a_test() -> None:
    result = from_file("raw-markup.xml")

    assert statuses(result) == {
        "k::template": "passed",
        "k::amp & lt": "failed",
        "k::nested cdata": "passed",
        "k::forgotten": "errored",
        "k::last": "passed",
    }
    assert result.repaired
    failed = next(case for case in result.cases if case.id == "k::amp & lt")
    assert (failed.message, failed.path, failed.line) == ('x < y & "quoted" z', "src/k.cpp", 7)


def test_two_documents_between_log_lines_both_count() -> None:
    result = from_file("two-documents.xml")

    assert statuses(result) == {"a::x": "passed", "b::y": "failed"}
    assert result.repaired


def test_an_error_of_a_whole_suite_is_kept_beside_its_tests() -> None:
    result = from_file("suite-error.xml")

    assert result.suite_errors == ("suite host: error outside of a test: setup of the whole suite failed",)
    assert statuses(result) == {"a::b": "passed"}


@pytest.mark.attack("5", "a JUnit file with an external entity or a billion laughs")
@pytest.mark.parametrize("name", ["entities-bomb.xml", "entities-file.xml"])
def test_a_document_type_declaration_is_refused_unexpanded(name: str) -> None:
    result = from_file(name)

    assert (result.readable, result.cases) == (False, ())
    assert result.problems == (f"{name}: refused: it holds a document type declaration",)


@pytest.mark.attack("5", "an entity declaration hidden behind damage that gets repaired")
def test_a_declaration_hidden_behind_damage_is_refused_too() -> None:
    result = reading(b"log line\n<!DOCTYPE x [<!ENTITY a 'b'>]><testsuite><testcase name='&a;'/></testsuite>")

    assert (result.readable, result.cases) == (False, ())


@pytest.mark.attack("5", "a JUnit file with an unknown root, or none")
@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it is not XML"),
        (b"all tests passed\n", "it is not XML"),
        (b"\x00\x01\x02\xff" * 50, "it is not XML"),
        (b"<!-- nothing -->", "it is not XML"),
        (b"<html><body>502</body></html>", "its root is <html>"),
        (b"<assemblies><assembly/></assemblies>", "its root is <assemblies>"),
    ],
)
def test_what_is_no_report_is_unreadable(data: bytes, problem: str) -> None:
    result = reading(data)

    assert not result.readable
    assert problem in result.problems[0]


@pytest.mark.attack("5", "elements nested without end")
def test_nesting_beyond_all_bounds_is_refused() -> None:
    assert not reading(b"<testsuite>" * 100_000).readable


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "cp1252"]
)
def test_every_encoding_gives_the_same_names(encoding: str) -> None:
    declared = encoding.removesuffix("-le").removesuffix("-be").removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?>\n<testsuite><testcase classname="Größe" name="n×m"/></testsuite>'

    result = reading(text.encode(encoding))

    assert statuses(result) == {"Größe::n×m": "passed"}
    assert not result.repaired


@pytest.mark.parametrize(
    "data",
    [
        '<?xml version="1.0" encoding="utf-16"?><testsuite><testcase name="Größe"/></testsuite>'.encode(),
        '<?xml version="1.0" encoding="no-such"?><testsuite><testcase name="Größe"/></testsuite>'.encode(),
        '<?xml version="1.0" encoding="zip"?><testsuite><testcase name="Größe"/></testsuite>'.encode(),
        '<?xml version="1.0" encoding="utf-8"?><testsuite><testcase name="Größe"/></testsuite>'.encode(
            "latin-1"
        ),
    ],
    ids=["claims utf-16", "unknown", "no text encoding", "latin-1 that claims utf-8"],
)
def test_a_wrong_declaration_of_the_encoding_is_repaired(data: bytes) -> None:
    result = reading(data)

    assert statuses(result) == {"Größe": "passed"}
    assert result.repaired


@pytest.mark.attack("5", "NUL and control characters in names and messages")
def test_forbidden_characters_and_colours_are_taken_out_of_names_and_texts() -> None:
    result = reading(
        b"<testsuite><testcase name='a&#27;[31mb&#0;&#xFFFF;c\x01'><failure message='&#x1b;[1m100% &amp; &lt;'>"
        b"<![CDATA[\x1b[32mok\x1b[0m\x00 & < &#27;]]></failure></testcase></testsuite>"
    )

    (case,) = result.cases
    assert (case.id, case.message, case.excerpt) == ("abc", "100% & <", "ok & < ")
    assert result.repaired


def test_halves_of_a_character_beyond_the_basic_plane_are_joined() -> None:
    assert statuses(reading(suite('<testcase name="&#xD83D;&#xDE80; a"/>'))) == {"🚀 a": "passed"}


@pytest.mark.parametrize("size", range(1, 40))
def test_a_reference_cut_by_the_end_of_a_piece_stays_whole(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rocm_ci.runners.junit_text.CHUNK", size)

    assert statuses(reading(suite('<testcase name="λ&#955;&#27;[1m&amp;b"/>'))) == {"λλ&b": "passed"}


class TestTruncated:
    WHOLE = suite(
        "<testcase name='a'/><testcase name='b'><failure message='m'>text</failure></testcase><testcase name='c'/>"
    )

    @pytest.mark.parametrize("at", range(20, len(WHOLE)))
    def test_what_came_before_the_cut_is_kept(self, at: int) -> None:
        result = reading(self.WHOLE[:at])

        assert result.truncated
        assert result.repaired
        assert result.problems
        ended = [case.name for case in result.cases]
        assert ended == ["a", "b", "c"][: len(ended)]
        assert ("b" in ended) == (at > self.WHOLE.index(b"'m'>") + 3)

    def test_a_test_that_had_failed_before_the_cut_has_failed(self) -> None:
        result = reading(b"<testsuite><testcase name='a'><failure message='m'>tex")

        assert statuses(result) == {"a": "failed"}

    def test_a_test_whose_end_is_missing_is_named_and_not_counted(self) -> None:
        result = reading(b"<testsuite><testcase name='a'/><testcase name='b'><system-out>x")

        assert statuses(result) == {"a": "passed"}
        assert "inside of b" in result.problems[0]

    def test_a_cut_sign_of_two_bytes_does_no_harm(self) -> None:
        result = reading("<testsuite><testcase name='a'/><testcase name='é".encode()[:-1])

        assert statuses(result) == {"a": "passed"}


@pytest.mark.parametrize(
    ("attributes", "child", "status"),
    [
        ("status='run' result='skipped'", "", "skipped"),
        ("status='notrun' result='suppressed'", "", "skipped"),
        ("status='disabled'", "", "skipped"),
        ("status='fail'", "", "failed"),
        ("status='passed'", "", "passed"),
        ("status='notrun'", "<skipped message='Unable to find executable'/>", "errored"),
        ("status='notrun'", "<skipped message='SKIP_RETURN_CODE=77'/>", "skipped"),
        ("", "<skipped message='Unable to find executable'/>", "errored"),
        ("", "<skipped message='Unable to find executable ffmpeg' type='pytest.skip'/>", "skipped"),
        ("", "<skipped/><failure/>", "failed"),
        ("", "<failure/><error/>", "errored"),
        ("", "<failure/><failure/><failure/>", "failed"),
        ("", "<properties><property name='failure' value='x'/></properties>", "passed"),
        ("", "<rerunFailure/><failure/>", "failed"),
        ("", "<flakyError/>", "flaky"),
    ],
)
def test_children_decide_and_attributes_where_there_are_none(
    attributes: str, child: str, status: str
) -> None:
    assert (
        only(f"<testsuite><testcase name='a' {attributes}>{child}</testcase></testsuite>").status.value
        == status
    )


@pytest.mark.parametrize(
    ("time", "expected"),
    [("0.", 0.0), ("1,204.5", 1204.5), ("0,25", 0.25), ("1.5e-05", 1.5e-05), ("3.1s", 3.1), ("", None), ("tbd", None),
     ("-1", None), ("NaN", None), ("inf", None), ("9" * 400, None)],
)  # fmt: skip
def test_durations_are_read_or_unknown(time: str, expected: float | None) -> None:
    assert only(f"<testsuite><testcase name='a' time='{time}'/></testsuite>").duration_s == expected


def test_a_name_without_class_is_the_id_and_colons_in_it_stay() -> None:
    result = reading(
        suite("<testcase name='a::b[c::d]'/><testcase classname='k' name=''/><testcase name=''/>")
    )

    assert [case.id for case in result.cases] == ["a::b[c::d]", "k::", "s"]


@pytest.mark.attack("5", "a huge attribute and a huge CDATA section")
def test_endless_names_messages_and_outputs_are_cut() -> None:
    case = only(
        f"<testsuite><testcase name='{'n' * 9000}'><failure message='{'m' * 9000}'>{'x' * 90_000}</failure></testcase></testsuite>"
    )

    assert len(case.id) <= 1000
    assert len(case.message or "") <= MESSAGE_CHARS
    assert len(case.excerpt or "") < EXCERPT_HEAD + EXCERPT_TAIL + 100
    assert "82000 characters left out" in (case.excerpt or "")


def test_a_passed_test_carries_no_text() -> None:
    case = only("<testsuite><testcase name='a'><system-out>long</system-out></testcase></testsuite>")

    assert (case.message, case.excerpt) == (None, None)


def test_a_failure_without_text_shows_the_output_of_its_test() -> None:
    case = only(
        "<testsuite><testcase name='a'><failure message='Failed'/><system-out>one\nwant 64 got 32\n</system-out>"
        "</testcase></testsuite>"
    )

    assert (case.message, case.excerpt) == ("want 64 got 32", "one\nwant 64 got 32")


@pytest.mark.attack("5", "a pipe, a device or a link in place of the file")
def test_a_file_that_is_none_is_not_opened(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to("/dev/zero")

    problems = {
        name: junit.read_file(tmp_path / name).problem for name in ("pipe", "empty", "link", "gone", ".")
    }

    assert problems == {
        "pipe": "it is not a regular file",
        "empty": "it is empty",
        "link": "it is not a regular file",
        "gone": "it cannot be read: No such file or directory",
        ".": "it is not a regular file",
    }


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(["<testsuite>", "</testsuite>", "<testcase name='", "a'>", "'/>", "</testcase>", "<failure",
    " message=\"", "\">", "</failure>", "<![CDATA[", "]]>", "&", "&#27;", "\x1b[1m", "<", ">", "<!--", "-->", "<?xml ?>",
    "\x00", "é", "text", "<system-out>", "</system-out>", "<!DOCTYPE"]), max_size=40))  # fmt: skip
def test_no_heap_of_pieces_makes_it_raise(pieces: list[str]) -> None:
    result = reading("".join(pieces).encode())

    assert result.elements >= len(result.cases)
    assert not any("\x1b" in case.id or "\x00" in case.id for case in result.cases)


@pytest.mark.attack("5", "any bytes at all")
@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    assert isinstance(reading(data), junit.Reading)
    assert isinstance(reading(b"<testsuite><testcase name='" + data), junit.Reading)


@pytest.mark.parametrize(
    "head",
    ['<?xml version="1.1" encoding="UTF-8"?>', '\n\n<?xml version="1.0"?>', '\ufeff\ufeff<?xml version="1.0"?>',
     "<?xml version='1.0' standalone='yes' ?>\n<?xml-stylesheet href='x'?><!-- c -->"],
)  # fmt: skip
def test_unusual_beginnings_do_no_harm(head: str) -> None:
    assert statuses(reading(f"{head}<testsuite><testcase name='a'/></testsuite>".encode())) == {"a": "passed"}


def test_an_undefined_entity_is_repaired() -> None:
    assert statuses(reading(suite("<testcase name='a&nbsp;b'/><testcase name='R&D'/>"))) == {
        "a\xa0b": "passed",
        "R&D": "passed",
    }


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (
            (
                "[ RUN      ] A.B\n/src/t.cpp:37: Failure\nExpected equality of these values:\n  sums[0]\n    Which is: 64\n  67\n"
                "[  FAILED  ] A.B (0 ms)\n\n 1 FAILED TEST\n"
            ),
            "Expected equality of these values: sums[0] Which is: 64 67",
        ),
        (">       assert a == b\nE       assert 1 == 2\n\nt.py:3: AssertionError\n", "assert 1 == 2"),
        ("t: t.c:4: main: Assertion `x > 0' failed.\nAborted\n", "t: t.c:4: main: Assertion `x > 0' failed."),
        ("terminate called after throwing\n  what():  out of range\nAborted\n", "out of range"),
        ("some words\nlast words\n\n", "last words"),
        ("", ""),
    ],
)
def test_a_failure_without_a_message_is_told_by_its_output(output: str, said: str) -> None:
    assert junit_dialects.said(output) == said


def test_a_file_beyond_all_bounds_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "big.xml"
    report.write_text("<testsuite><testcase name='a'/></testsuite>")
    monkeypatch.setattr(junit, "MAX_BYTES", 20)

    read = junit.read_file(report)

    assert (read.readable, len(read.elements)) == (False, 0)
    assert read.problem == "it has 43 bytes, over 20"


def test_a_tag_without_an_end_is_not_gathered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit_strict, "MAX_PENDING", 1_000)
    pieces = iter(["<testsuite name='", *["x" * 500] * 20])

    outcome = junit_strict.parse(pieces, Builder(""))

    assert outcome.detail.endswith("a tag without an end")
    assert len(list(pieces)) > 10, "the rest was never looked at"
