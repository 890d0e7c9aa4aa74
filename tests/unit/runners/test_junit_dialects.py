"""Odd documents, each with what must come out: how many elements, which tests, how each ended.

The documents are twins written after what the tools print (reference reporting.md), none is copied.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import pytest

from rocm_ci.model.case import Case
from rocm_ci.runners import junit


@dataclass(frozen=True, kw_only=True)
class Odd:
    """A report, and id → status of its tests. `message` is that of the first test that did not pass."""

    text: str | bytes
    want: dict[str, str]
    elements: int | None = None
    message: str | None = None
    place: str | None = None
    repaired: bool = False
    truncated: bool = False
    problem: str = ""


def suite(inner: str, attributes: str = "name='s'") -> str:
    return f"<testsuite {attributes}>{inner}</testsuite>"


F, E, S = "<failure message='m'/>", "<error message='m'/>", "<skipped/>"
HEAD = "<?xml version='1.0' encoding='UTF-8'?>\n"

DIALECTS = {
    "gtest-1.8, disabled and value parameters": Odd(
        text=HEAD
        + "<testsuites tests='3' failures='1' disabled='1' errors='0' time='0.002' name='AllTests'>"
        "<testsuite name='N/Copy' tests='3' failures='1' disabled='1' errors='0' time='0.002'>"
        "<testcase name='Of/0' value_param='32' status='run' time='0' classname='N/Copy'/>"
        "<testcase name='Of/1' value_param='64' status='run' time='0.001' classname='N/Copy'>"
        "<failure message='/src/t.cc:8&#x0A;Expected: (a) == (b), actual: 1 vs 2' type=''><![CDATA[/src/t.cc:8\n"
        "Expected: (a) == (b), actual: 1 vs 2]]></failure></testcase>"
        "<testcase name='DISABLED_Slow' status='notrun' time='0' classname='N/Copy'/></testsuite></testsuites>",
        want={"N/Copy::Of/0": "passed", "N/Copy::Of/1": "failed", "N/Copy::DISABLED_Slow": "skipped"},
        message="Expected: (a) == (b), actual: 1 vs 2",
        place="/src/t.cc:8",
    ),
    "gtest-1.15, skipped, and a failure of the environment outside of every test": Odd(
        text=HEAD + "<testsuites tests='2' failures='1' disabled='0' errors='0' name='AllTests'>"
        "<testsuite name='K' tests='1' failures='0' disabled='0' skipped='1' errors='0'>"
        "<testcase name='Wave32' file='t.cc' line='9' status='run' result='skipped' classname='K'>"
        "<skipped message='t.cc:10&#x0A;needs wave32'><![CDATA[t.cc:10\nneeds wave32]]></skipped></testcase></testsuite>"
        "<testsuite name='NonTestSuiteFailure' tests='1' failures='1' disabled='0' skipped='0' errors='0'>"
        "<testcase name='' status='run' result='completed' classname=''><failure message='unknown file&#x0A;C++ exception with"
        " description &quot;hipErrorNoDevice&quot; thrown in SetUp()' type=''/></testcase></testsuite></testsuites>",
        want={"K::Wave32": "skipped", "NonTestSuiteFailure": "failed"},
    ),
    "gtest-1.10, a typed test": Odd(
        text=suite("<testcase name='Sum' type_param='__half' status='run' result='completed' classname='T/0'/>"
                   f"<testcase name='Sum' type_param='float' status='run' result='completed' classname='T/0'>{F}</testcase>"),
        want={"T/0::Sum": "failed"},
        elements=2,
    ),
    "ctest, timeouts and crashes in words of the attribute": Odd(
        text="<testsuite name='Linux-c++' tests='4' failures='3' disabled='0' skipped='0' hostname='' time='2'>"
        "<testcase name='a' classname='a' time='1.5' status='fail'><failure message=''/><properties/>"
        "<system-out>expected 3\nSegmentation fault\n</system-out></testcase>"
        "<testcase name='b' classname='b' time='0' status='run'><properties/><system-out>ok</system-out></testcase>"
        "<testcase name='c' classname='c' status='Timeout'/><testcase name='d' classname='d' status='crashed'/></testsuite>",
        want={"a::a": "failed", "b::b": "passed", "c::c": "failed", "d::d": "errored"},
        message="Segmentation fault",
    ),
    "pytest xunit1, with file and line on each test": Odd(
        text=suite("<testcase classname='tests.test_a.TestB' name='test_c[x::y]' file='tests/test_a.py' line='6' time='1.2'>"
                   "<failure message='assert 1 == 2'>def test_c():\n&gt;   assert 1 == 2\nE   assert 1 == 2\n\ntests/test_a.py:7:"
                   " AssertionError</failure></testcase>", "name='pytest' errors='0' failures='1' skipped='0' tests='1'"),
        want={"tests.test_a.TestB::test_c[x::y]": "failed"},
        message="assert 1 == 2",
        place="tests/test_a.py:7",
    ),
    "pytest xunit2, expected failures and one that passed": Odd(
        text=suite("<testcase classname='t' name='a'><skipped type='pytest.xfail' message=''/></testcase>"
                   "<testcase classname='t' name='b'><failure message='[XPASS(strict)] known'/></testcase>"),
        want={"t::a": "skipped", "t::b": "failed"},
    ),
    "pytest, a module that cannot be imported": Odd(
        text=suite("<testcase classname='' name='tests.test_x' time='0'><error message='collection failure'>ImportError: no"
                   " hip</error></testcase>"),
        want={"tests.test_x": "errored"},
        message="collection failure",
    ),
    "pytest, a module that cannot be imported, with the lines of its error": Odd(
        text=suite("<testcase classname='' name='test_x' time='0'><error message='collection failure'>a.py:3: in &lt;module&gt;\n"
                   "E     File \"test_x.py\", line 1\nE       def f(: pass\nE   SyntaxError: invalid syntax</error></testcase>"),
        want={"test_x": "errored"},
        message="collection failure: SyntaxError: invalid syntax",
    ),
    "pytest, a test that failed and whose teardown failed, too": Odd(
        text=suite("<testcase classname='t' name='a' time='0.1'><failure message='x'/></testcase>"
                   "<testcase classname='t' name='a' time='0.1'><error message='failed on teardown'/></testcase>"),
        want={"t::a": "errored"},
        elements=2,
    ),
    "pytest-xdist, a worker that crashed": Odd(
        text=suite("<testcase classname='t' name='a'/><testcase classname='t' name='b' time='0'>"
                   "<failure message=\"worker 'gw0' crashed while running 't.py::b'\">worker 'gw0' crashed</failure></testcase>"),
        want={"t::a": "passed", "t::b": "failed"},
        message="worker 'gw0' crashed while running 't.py::b'",
    ),
    "pytest-rerunfailures, each run an element": Odd(
        text=suite(f"<testcase classname='t' name='a'>{F}</testcase><testcase classname='t' name='a'/>"),
        want={"t::a": "flaky"},
        elements=2,
    ),
    "pytest-subtests, several results in one element and counters beyond it": Odd(
        text=suite(f"<testcase classname='t' name='a'>{F}{F}{S}</testcase>", "name='pytest' tests='4' failures='2' skipped='1'"),
        want={"t::a": "failed"},
        elements=1,
    ),
    "Catch2, counters of assertions, a skip and output of the whole run": Odd(
        text=HEAD + "<testsuites><testsuite name='tests' errors='0' failures='2' skipped='1' tests='9' hostname='tbd' time='0.1'>"
        "<properties><property name='random-seed' value='7'/></properties>"
        "<testcase classname='tests.global' name='no device/section' time='0' status='run'><skipped type='SKIP'>SKIPPED\n"
        "only on gfx942\nat /src/t.cpp:2</skipped></testcase>"
        "<testcase classname='tests.global' name='copy' time='0' status='run'><failure message='a == b' type='REQUIRE'>FAILED:\n"
        "  REQUIRE( a == b )\nwith expansion:\n  1 == 2\nat /src/t.cpp:12</failure></testcase>"
        "<system-out>all</system-out><system-err/></testsuite></testsuites>",
        want={"tests.global::no device/section": "skipped", "tests.global::copy": "failed"},
        message="only on gfx942",
    ),
    "doctest": Odd(
        text="<testsuites><testsuite name='a' errors='0' failures='1' tests='2'><testcase classname='/src/t.cpp' name='x'"
        " status='run'><failure message='1 == 2' type='CHECK'>/src/t.cpp:10:\nCHECK( 1 == 2 ) is NOT correct!\n</failure>"
        "</testcase></testsuite></testsuites>",
        want={"/src/t.cpp::x": "failed"},
        place="/src/t.cpp:10",
    ),
    "Boost.Test, a suite as class and a check that failed": Odd(
        text="<testsuite tests='2' skipped='0' errors='1' failures='1' name='m'><testcase assertions='1' classname='s' name='a'>"
        "<failure message='failure' type='assertion error'><![CDATA[\nASSERTION FAILURE:\n- file   : t.cpp\n- line   : 5\n"
        "- message: check x == 1 has failed\n]]></failure></testcase><testcase assertions='0' classname='s' name='b'>"
        "<error message='unexpected exception' type='uncaught exception'/></testcase></testsuite>",
        want={"s::a": "failed", "s::b": "errored"},
    ),
    "surefire, flaky in both ways, with stack traces and output inside": Odd(
        text=suite("<testcase name='a' classname='K'><flakyFailure message='m1' type='j'><stackTrace>st</stackTrace><system-out>o"
                   "</system-out></flakyFailure><flakyError message='m2'/></testcase>"),
        want={"K::a": "flaky"},
        message="m1",
    ),
    "surefire, a rerun that failed again": Odd(
        text=suite("<testcase name='a' classname='K'><failure message='m1'/><rerunFailure message='m2'><stackTrace>x</stackTrace>"
                   "</rerunFailure><rerunError message='m3'/></testcase>"),
        want={"K::a": "failed"},
        message="m1",
    ),
    "suites in suites, tests at each level": Odd(
        text="<testsuites><testsuite name='1'><testcase name='a'/><testsuite name='2'><testcase name='b'><failure/></testcase>"
        "<testsuite name='3'><testcase name='c'/></testsuite></testsuite></testsuite></testsuites>",
        want={"a": "passed", "b": "failed", "c": "passed"},
    ),
    "jest-junit, the message is the text": Odd(
        text="<testsuites name='jest tests' tests='1' failures='1'><testsuite name='f' errors='0' failures='1' tests='1'><testcase"
        " classname='f a' name='f a' time='0.001'><failure>Error: expect(received).toBe(expected)\n    at x (/src/a.test.js:4:3)"
        "</failure></testcase></testsuite></testsuites>",
        want={"f a::f a": "failed"},
        message="Error: expect(received).toBe(expected)",
        place="/src/a.test.js:4",
    ),
    "Mocha, an empty root suite before the tests": Odd(
        text="<testsuites name='Mocha Tests' tests='1' failures='1'><testsuite name='Root Suite' tests='0'/><testsuite name='a'"
        " file='/src/t.js'><testcase name='a b' classname='b'><failure message='boom' type='Error'><![CDATA[Error: boom]]></failure>"
        "</testcase><testcase name='a c' classname='c'><skipped/></testcase></testsuite></testsuites>",
        want={"b::a b": "failed", "c::a c": "skipped"},
        message="boom",
    ),
    "gotestsum, «Failed» for a message": Odd(
        text="<testsuites tests='1' failures='1'><testsuite tests='1' failures='1' name='ex/pkg'><properties/><testcase"
        " classname='ex/pkg' name='TestA/sub_1' time='0'><failure message='Failed' type=''>=== RUN   TestA/sub_1\n"
        "    a_test.go:9: got 1, want 2\n--- FAIL: TestA/sub_1 (0.00s)\n</failure></testcase></testsuite></testsuites>",
        want={"ex/pkg::TestA/sub_1": "failed"},
        message="got 1, want 2",
        place="a_test.go:9",
    ),
    "Bazel, one element for a whole program": Odd(
        text="<testsuites><testsuite name='//a:b' tests='1' failures='0' errors='1'><testcase name='//a:b' status='run'"
        " duration='3' time='3'><error message='exited with error code 1'></error></testcase><system-out>x</system-out>"
        "</testsuite></testsuites>",
        want={"//a:b": "errored"},
        message="exited with error code 1",
    ),
    "NUnit, converted: results in attributes": Odd(
        text=suite("<testcase name='a' classname='N' result='Failure'/><testcase name='b' classname='N' result='Inconclusive'/>"
                   "<testcase name='c' classname='N' success='False'/><testcase name='d' classname='N' success='True'/>"),
        want={"N::a": "failed", "N::b": "skipped", "N::c": "failed", "N::d": "passed"},
    ),
    "libtest of Rust": Odd(
        text="<testsuites><testsuite name='test' package='test' id='0' errors='0' failures='1' tests='2' skipped='1'><testcase"
        " classname='m' name='a' time='0.0'><failure type='assert'/></testcase><testcase classname='m' name='b'/><system-out/>"
        "</testsuite></testsuites>",
        want={"m::a": "failed", "m::b": "passed"},
    ),
    "pytest.exit(), which leaves an element without anything": Odd(
        text=suite("<testcase classname='t' name='a'/><testcase time='0.000'/>"), want={"t::a": "passed"}
    ),
    "a failure without any name": Odd(text=suite(f"<testcase time='0'>{F}</testcase>"), want={"s": "failed"}),
    "tags in capitals": Odd(
        text=f"<TESTSUITE name='s'><TESTCASE name='a'>{F.upper().replace('MESSAGE', 'message')}</TESTCASE></TESTSUITE>",
        want={"a": "failed"},
    ),
    "no suite at all around the test": Odd(text="<testcase name='a'/>", want={"a": "passed"}),
    "counters missing": Odd(text=f"<testsuite><testcase name='a'/><testcase name='b'>{E}</testcase></testsuite>",
                            want={"a": "passed", "b": "errored"}),
    "counters too high: told, and no test counts for them": Odd(
        text=suite("<testcase name='a'/>", "name='s' tests='5' failures='3'"),
        want={"a": "passed"},
        problem="its counters speak of 3 failed test(s) or errors, and no test in it went wrong",
    ),
    "counters that are no numbers": Odd(
        text=suite("<testcase name='a'/>", "name='s' tests='many' failures='-1' errors='1e9'"), want={"a": "passed"}
    ),
    "one name three times": Odd(
        text=suite(f"<testcase name='a'/><testcase name='a'/><testcase name='a'>{F}</testcase>"), want={"a": "failed"}, elements=3
    ),
}  # fmt: skip

DAMAGED = {
    "NUL bytes and control characters, in tags too": Odd(
        text=b"<testsuite name='s'><testcase na\0me='a\x08'/>\0\0</testsuite>\0\0\0", want={"a": "passed"}, repaired=True
    ),
    "UTF-16 without a mark": Odd(text=suite("<testcase name='Größe 🚀'/>").encode("utf-16-le"), want={"Größe 🚀": "passed"}),
    "UTF-16 that says UTF-8": Odd(
        text=("<?xml version='1.0' encoding='UTF-8'?>" + suite("<testcase name='×'/>")).encode("utf-16"), want={"×": "passed"}
    ),
    "UTF-8 with its mark twice": Odd(text="\ufeff\ufeff" + HEAD + suite("<testcase name='×'/>"), want={"×": "passed"}),
    "one byte of Latin-1 among UTF-8": Odd(
        text="<testsuite><testcase name='é'/><testcase name='".encode() + b"\xe9 2'/></testsuite>",
        want={"é": "passed", "é 2": "passed"}, repaired=True,
    ),
    "two documents, glued": Odd(
        text=HEAD + suite("<testcase name='x'/>") + "\n" + HEAD + suite(f"<testcase name='y'>{F}</testcase>"),
        want={"x": "passed", "y": "failed"}, repaired=True,
    ),
    "a second document that breaks off": Odd(
        text=suite("<testcase name='x'/>") + f"<testsuite name='b'><testcase name='y'>{F}</testcase>",
        want={"x": "passed", "y": "failed"}, repaired=True, truncated=True,
    ),
    "a shorter report written over a longer one": Odd(
        text=suite("<testcase name='x'/>") + "se name='z'/></testsuite>", want={"x": "passed"}, repaired=True
    ),
    "what the shell said behind the document": Odd(
        text=suite("<testcase name='x'/>") + "\nSegmentation fault (core dumped)\n", want={"x": "passed"}, repaired=True
    ),
    "quotes inside of a quoted message": Odd(
        text=suite("<testcase name='a'><failure message=\"he said \"no\" & left > b\"/></testcase><testcase name='b'/>"),
        want={"a": "failed", "b": "passed"}, message='he said "no" & left > b', repaired=True,
    ),
    "one attribute twice": Odd(
        text=suite(f"<testcase name='a' name='b'>{F}</testcase>"), want={"a": "failed"}, repaired=True
    ),
    "values without quotes": Odd(
        text=suite("<testcase name=a time=1.5><failure message=oops></failure></testcase>"),
        want={"a": "failed"}, message="oops", repaired=True,
    ),
    "the end of CDATA inside of CDATA": Odd(
        text=suite(f"<testcase name='a'><system-out><![CDATA[ x ]]> ]]></system-out>{F}</testcase>"),
        want={"a": "failed"}, repaired=True,
    ),
    "a web page that a test printed unescaped": Odd(
        text=suite(f"<testcase name='a'><system-out><!DOCTYPE html><p>5 < 6</system-out>{F}</testcase>"),
        want={"a": "failed"}, repaired=True,
    ),
    "damage, and a message of 200 000 characters": Odd(
        text=suite(f"<testcase name='a & b'/><testcase name='c'><failure message='{'m' * 200_000}'/></testcase><testcase name='d'/>"),
        want={"a & b": "passed", "c": "failed", "d": "passed"}, repaired=True,
    ),
    "damage, and a message of nine million": Odd(
        text=suite(f"<testcase name='a & b'/><testcase name='c'><failure message='{'m' * 9_000_000}'>t</failure></testcase>"),
        want={"a & b": "passed", "c": "failed"}, repaired=True,
    ),
    "damage, and a message without its end": Odd(
        text=suite("<testcase name='a & b'/><testcase name='c'><failure message='it said <unknown></failure></testcase>"
                   "<testcase name=\"d\"/>"),
        want={"a & b": "passed", "c": "failed", "d": "passed"}, repaired=True,
    ),
    "damage inside of the tag of a failure": Odd(
        text=suite("<testcase name='a'><failure !!></failure></testcase><testcase name='b'/>"),
        want={"a": "failed", "b": "passed"}, repaired=True,
    ),
    "damage, and a name of 200 000 characters": Odd(
        text=suite(f"<testcase name='a & b'/><testcase name='{'n' * 200_000}'>{F}</testcase><testcase name='d'/>"),
        want={"a & b": "passed", "d": "passed"}, elements=3, repaired=True,
    ),
    "cut inside of an attribute": Odd(
        text=suite("<testcase name='a'/><testcase name='b'").removesuffix("</testsuite>"),
        want={"a": "passed"}, repaired=True, truncated=True,
    ),
}  # fmt: skip

UNREADABLE: dict[str, tuple[str | bytes, str]] = {
    "nothing but the declaration": (HEAD, "it is not XML"),
    "an error page": ("<!DOCTYPE html><html><body>502 Bad Gateway</body></html>", "it is a web page (HTML) and no report"),
    "an error page behind damage": ("502\n<!DOCTYPE HTML>\n<html><p>a & b", "it is a web page (HTML) and no report"),
    "NUnit itself": ("<test-run id='2'><test-suite><test-case name='a' result='Failed'/></test-suite></test-run>", "<test-run>"),
    "xUnit.net itself": ("<assemblies><assembly><collection><test name='a'/></collection></assembly></assemblies>", "<assemblies>"),
    "JSON": ('{"tests": 3}', "it is not XML"),
    "compressed": (b"\x1f\x8b\x08\0" + bytes(range(256)), "it is not XML"),
    "an external DTD": ("<!DOCTYPE testsuites SYSTEM 'junit.dtd'><testsuites/>", "document type declaration"),
    "entities in UTF-16": (
        '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x [<!ENTITY a "b">]><testsuite/>'.encode("utf-16"),
        "document type declaration",
    ),
    "entities in UTF-7": (
        b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE x+AD4-<testsuite/>', "document type declaration"
    ),
    "parameter entities": (
        "<!DOCTYPE r [<!ENTITY % f SYSTEM 'file:///etc/passwd'>%f;]><testsuite><testcase name='a'/></testsuite>",
        "document type declaration",
    ),
    "entities that grow, behind damage": (
        "x & y <!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'><testsuite><testcase name='&b;'/></testsuite>", "document type declaration"
    ),
}  # fmt: skip


def read(text: str | bytes) -> junit.Reading:
    data = text if isinstance(text, bytes) else text.encode()
    return junit.joined([("x", junit.read(io.BytesIO(data)))])


def told(cases: tuple[Case, ...], want: dict[str, str]) -> dict[str, str]:
    """The last of each name, as long names are cut."""
    return {case.id: case.status.value for case in cases if case.id in want or len(case.id) < 500}


@pytest.mark.attack("5", "a report of any dialect, damaged in any way")
@pytest.mark.parametrize("name", [*DIALECTS, *DAMAGED])
def test_an_odd_report_gives_its_tests(name: str) -> None:
    odd = {**DIALECTS, **DAMAGED}[name]

    result = read(odd.text)

    assert result.readable
    assert (result.repaired, result.truncated) == (odd.repaired, odd.truncated)
    assert result.elements == (len(odd.want) if odd.elements is None else odd.elements)
    found = told(tuple(result.cases), odd.want)
    assert {id_: found.get(id_) for id_ in odd.want} == odd.want
    worst = next((case for case in result.cases if case.status.value != "passed"), None)
    if odd.message is not None:
        assert worst is not None
        assert worst.message == odd.message
    if odd.place is not None:
        assert worst is not None
        assert f"{worst.path}:{worst.line}" == odd.place
    assert odd.problem in "; ".join(result.problems)
    assert bool(result.problems) == (bool(odd.problem) or (odd.repaired and "byte" not in name))


@pytest.mark.attack("5", "what is no report, or hides a declaration of entities")
@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_report_counts_nothing_and_says_why(name: str) -> None:
    text, why = UNREADABLE[name]

    result = read(text)

    assert (result.readable, result.elements, tuple(result.cases)) == (False, 0, ())
    assert why in result.problems[0]


def test_a_name_that_was_cut_keeps_its_failure() -> None:
    result = read(DAMAGED["damage, and a name of 200 000 characters"].text)

    assert [case.status.value for case in result.cases] == ["passed", "failed", "passed"]


def test_more_tags_without_an_end_than_anyone_writes_are_told_as_a_break_off() -> None:
    bad = "<testcase ! " * 1_200

    result = read(f"<testsuite name='s'>{bad}<testcase name='last'/></testsuite>")

    assert result.truncated


@pytest.mark.parametrize(
    ("time", "want"),
    [("12,345", 12.345), ("1.204,5", 1204.5), ("1,234,567", 1234567.0), ("12 ms", 0.012), ("250us", 0.00025), ("3 sec", 3.0),
     ("1.5 s", 1.5), ("00:01:02.5", 62.5), ("1:02:03", 3723.0), ("2:03", 123.0), ("PT1M1.5S", 61.5), ("P1DT1S", 86401.0),
     ("PT0S", 0.0), (" 5 ", 5.0), ("1e3", 1000.0), ("P", None), ("PT", None), ("2026-01-01T00:00:00", None), (":", None),
     ("1.2.3", None), ("٣", None), ("ms", None)],
)  # fmt: skip
def test_a_length_of_time_is_read_however_it_is_spelled(time: str, want: float | None) -> None:
    (case,) = read(suite(f"<testcase name='a' time='{time}'/>")).cases

    assert case.duration_s == (None if want is None else pytest.approx(want))
