from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.errors import ReportError
from rocm_ci.model.case import CaseStatus
from rocm_ci.model.plan import StageName
from rocm_ci.model.report import Report
from rocm_ci.model.result import Crashed, TestResult, stage_of
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import bounds, codec
from tests import reports

PUBLISHED = Path(__file__).parents[3] / "docs" / "report.schema.json"


def tree(report: Report) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(codec.encode(report))
    return made


def refused(data: bytes) -> ReportError:
    with pytest.raises(ReportError) as caught:
        codec.decode(data)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("mood", reports.MOODS)
def test_a_report_comes_back_as_it_was(mood: str) -> None:
    report = reports.MOODS[mood]()

    assert codec.decode(codec.encode(report)) == report


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\x00" * 100, "not UTF-8"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"\x89PNG\r\n\x1a\n", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"[" * 100_000, "not one of version 1"),
        (b'{"a":' * 100_000, "not valid JSON"),
        (b'{"version": 1, "tool": "\xff"}', "not valid JSON"),
        (b"null", "not one of version 1"),
        (b"[]", "not one of version 1"),
        (b"{}", "not one of version 1"),
        (b'{"version": "1"}', "not one of version 1"),
        (b'{"version": 1e400}', "not"),
        (b'{"version": ' + b"9" * 5000 + b"}", "not"),
        (b"<testsuites/>", "not valid JSON"),
    ],
)
def test_what_is_no_report_is_refused_in_words(data: bytes, word: str) -> None:
    assert word in str(refused(data))


def test_a_report_cut_anywhere_is_refused() -> None:
    data = codec.encode(reports.broken_build())

    for length in range(0, len(data) - 1, 7):
        refused(data[:length])


@given(data=st.binary(max_size=200))
def test_garbage_is_refused(data: bytes) -> None:
    refused(data)


@given(at=st.integers(min_value=0), byte=st.integers(min_value=0, max_value=255))
def test_one_wrong_byte_is_never_a_traceback(at: int, byte: int) -> None:
    data = bytearray(codec.encode(reports.broken_build()))
    data[at % len(data)] = byte

    with contextlib.suppress(ReportError):
        codec.decode(bytes(data))


@pytest.mark.attack("input", "a report of version 99")
def test_a_newer_version_asks_for_a_newer_tool() -> None:
    newer = tree(reports.green()) | {"version": 99, "tool": "rocm-ci 9.0", "something": "new"}

    error = refused(json.dumps(newer).encode())

    assert "version 99 (by rocm-ci 9.0)" in str(error)
    assert "newer release" in error.hint


def test_an_older_version_asks_for_a_new_run() -> None:
    error = refused(b'{"version": 0}')

    assert "no longer read" in str(error)
    assert "run the check again" in error.hint


def test_the_tool_of_another_version_cannot_colour_the_terminal() -> None:
    error = refused(json.dumps({"version": 7, "tool": "\x1b[31mred\n::error::x"}).encode())

    assert "\x1b" not in str(error)
    assert "\n" not in str(error)


def test_an_unknown_field_is_named_with_its_path() -> None:
    changed = tree(reports.red())
    changed["results"][1]["findings"][0]["verified"] = True

    assert "$.results[1].findings[0]" in str(refused(json.dumps(changed).encode()))


def test_an_unknown_stage_is_refused() -> None:
    changed = tree(reports.red())
    changed["results"][1]["kind"] = "trust-me"

    assert "trust-me" in str(refused(json.dumps(changed).encode()))


@pytest.mark.parametrize(
    "verdict", [Verdict.PASS, Verdict.NEUTRAL, Verdict.SKIPPED, Verdict.INCONCLUSIVE, Verdict.ERROR]
)
def test_a_forged_verdict_is_refused(verdict: Verdict) -> None:
    forged = msgspec.structs.replace(reports.red(), verdict=verdict)

    assert "its results give fail" in str(refused(msgspec.json.encode(forged)))


def test_a_green_stage_over_red_tests_is_refused() -> None:
    suite = reports.suite(reports.case("test_x", CaseStatus.FAILED))
    forged = reports.report(TestResult(verdict=Verdict.PASS, duration_s=1.0, suites=(suite,)))

    assert "a suite passed with 1 failed tests" in str(refused(msgspec.json.encode(forged)))


def test_a_green_stage_over_a_red_suite_is_refused() -> None:
    suite = reports.suite(verdict=Verdict.FAIL, reason="crashed")
    forged = reports.report(TestResult(verdict=Verdict.PASS, duration_s=1.0, suites=(suite,)))

    assert "stage test is pass, but a part of it is fail" in str(refused(msgspec.json.encode(forged)))


def test_a_crash_that_passes_is_refused() -> None:
    forged = reports.report(
        Crashed(stage=StageName.TEST, reason="none of your business", verdict=Verdict.PASS)
    )

    assert "crashed and is pass" in str(refused(msgspec.json.encode(forged)))


def test_a_planned_stage_cannot_be_left_out() -> None:
    whole = reports.red()
    kept = tuple(r for r in whole.results if stage_of(r) is not StageName.TEST)
    forged = msgspec.structs.replace(whole, results=kept)

    assert "stage test was planned, but has no result" in str(refused(msgspec.json.encode(forged)))


def test_an_interrupted_run_cannot_claim_to_be_green() -> None:
    forged = msgspec.structs.replace(reports.green(), interrupted=True)

    assert "its results give error" in str(refused(msgspec.json.encode(forged)))


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    error = refused(b" " * (bounds.MAX_BYTES + 1))

    assert "over the limit" in str(error)


def test_a_huge_string_is_refused_with_its_path() -> None:
    forged = msgspec.structs.replace(reports.green(), notices=("fine", "x" * (bounds.MAX_STRING + 1)))

    assert "$.notices[1] holds 65537 characters" in str(refused(msgspec.json.encode(forged)))


def test_a_huge_list_is_refused() -> None:
    forged = msgspec.structs.replace(reports.green(), notices=("",) * (bounds.MAX_ITEMS + 1))

    assert "$.notices holds 250001 items" in str(refused(msgspec.json.encode(forged)))


def test_a_huge_key_is_refused() -> None:
    facts = msgspec.structs.replace(reports.FACTS, tools={"x" * (bounds.MAX_STRING + 1): "1"})
    forged = msgspec.structs.replace(reports.green(), facts=facts)

    assert "$.facts.tools" in str(refused(msgspec.json.encode(forged)))


def test_a_number_that_no_run_gives_is_refused() -> None:
    changed = tree(reports.green())
    changed["event"]["run_id"] = 2**80

    refused(json.dumps(changed).encode())


@pytest.mark.parametrize("mood", reports.MOODS)
def test_every_report_keeps_the_published_schema(mood: str) -> None:
    jsonschema.Draft202012Validator(codec.schema()).validate(tree(reports.MOODS[mood]()))


def test_the_schema_is_a_schema_and_refuses_what_decode_refuses() -> None:
    schema = codec.schema()
    jsonschema.Draft202012Validator.check_schema(schema)

    changed = tree(reports.green()) | {"unknown": 1}

    assert not jsonschema.Draft202012Validator(schema).is_valid(changed)


def test_the_published_schema_is_that_of_the_code(request: pytest.FixtureRequest) -> None:
    text = json.dumps(codec.schema(), indent=2, ensure_ascii=False) + "\n"
    if request.config.getoption("--update-golden"):
        PUBLISHED.write_text(text, encoding="utf-8")

    assert PUBLISHED.read_text(encoding="utf-8") == text, "run `pytest --update-golden` if this is meant"


@pytest.mark.attack("4", "JSON with repeated keys, deep nesting, NaN, endless numbers, half characters")
@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"verdict":', '"verdict":"pass","verdict":', "'verdict' stands twice"),
        ('"kind":"scan"', '"kind":"scan","kind":"scan"', "'kind' stands twice"),
        ('"kind":"scan"', '"kind":"scan","k\\u0069nd":"build"', "'kind' stands twice"),
        ('"tool":"', '"tool":"\\ud800', "not valid JSON"),
        ('"tool":"', '"tool":"\x01', "not valid JSON"),
        ('"duration_s":', '"duration_s":NaN,"x":', "not valid JSON"),
        ('"duration_s":', '"duration_s":-Infinity,"x":', "not valid JSON"),
        ('"duration_s":', '"duration_s":1' + "0" * 9_000 + ',"x":', "not valid JSON"),
        ('"duration_s":', '"duration_s":1e999,"x":', "the report"),
        ('"settings":[', '"settings":[' + "[" * 5_000, "the report"),
        ('"settings":[', '"settings":[' + '{"name":' * 5_000, "the report"),
    ],
)
def test_json_that_two_readers_could_read_in_two_ways_is_refused(old: str, new: str, why: str) -> None:
    text = codec.encode(reports.red()).decode()
    assert old in text

    assert why in str(refused(text.replace(old, new, 1).encode()))


@pytest.mark.timeout(60)
@pytest.mark.attack("4", "an object of very many keys, the last of which stands twice")
def test_a_doubled_key_is_found_among_very_many() -> None:
    keys = ",".join(f'"k{n}":0' for n in range(300_000))

    assert "'k299999' stands twice" in str(refused(f'{{"version":1,{keys},"k299999":1}}'.encode()))


@pytest.mark.parametrize("version", ["9" * 4_000, "-1", "2147483648"])
def test_a_version_that_is_none_is_not_repeated(version: str) -> None:
    assert len(str(refused(f'{{"version":{version}}}'.encode()))) < 300


def test_a_number_that_no_float_holds_is_refused() -> None:
    text = codec.encode(reports.red()).decode()
    number = json.loads(text)["duration_s"]

    for huge in ("1e999", "1e300", "9" * 40, "-1e19"):
        refused(text.replace(f'"duration_s":{number}', f'"duration_s":{huge}').encode())


@pytest.mark.attack("input", "a report with one byte flipped, at each place")
@pytest.mark.parametrize(
    ("mood", "step"),
    [
        ("broken-build", 1),
        ("interrupted", 1),
        ("defect", 1),
        ("without-gpu", 1),
        ("red", 29),
        ("undecided", 29),
    ],
)
def test_one_flipped_byte_never_makes_a_report_greener(mood: str, step: int) -> None:
    """With bits flipped at each place it is refused, or as bad as before; and never a crash."""
    report = reports.MOODS[mood]()
    data = codec.encode(report)
    for at in range(0, len(data), step):
        for mask in (0x01, 0x10, 0xFF):
            mutant = bytearray(data)
            mutant[at] ^= mask
            with contextlib.suppress(ReportError):
                assert codec.decode(bytes(mutant)).verdict >= report.verdict
