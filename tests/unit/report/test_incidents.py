from __future__ import annotations

from msgspec.structs import replace

from rocm_ci.model.finding import Severity
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import incidents
from rocm_ci.report.problems import advice, problems
from rocm_ci.report.room import Room
from rocm_ci.report.united import united
from tests import reports
from tests.reports import HUNG


def test_nothing_is_told_of_a_machine_that_did_nothing() -> None:
    assert incidents.body([reports.suite(*reports.passing(3))], Room()) == ("", "")


def test_an_incident_that_two_suites_saw_is_told_once_and_notes_come_last() -> None:
    note = replace(HUNG, text="memory drained late", is_note=True)
    title, body = incidents.body(
        [reports.suite(incidents=(note, HUNG)), reports.suite(name="io", incidents=(HUNG,))], Room()
    )

    assert title == "What the machine did: 2 incidents"
    first, second = body.splitlines()[2:]
    assert "hung" in first
    assert "memory drained late" in second


def test_a_suite_that_ran_once_has_no_course() -> None:
    once = reports.mended().results[4].suites[0].tries[:1]  # type: ignore[union-attr]

    assert incidents.body([reports.suite(tries=once)], Room()) == ("", "")


def test_a_core_dump_of_a_single_run_is_told_where_it_lies() -> None:
    title, body = incidents.body([reports.suite(kept=("logs/test-unit.kernel.log", "logs/core.7"))], Room())

    assert title == "What the machine did: 2 files kept"
    assert body == "Kept: `logs/test-unit.kernel.log`, `logs/core.7`"


def test_many_tries_are_counted_not_listed() -> None:
    one = reports.mended().results[4].suites[0].tries[0]  # type: ignore[union-attr]
    tries = tuple(replace(one, gpus=(f"GPU {number} (MI300X)",)) for number in range(30))
    _, body = incidents.body([reports.suite(tries=tries)], Room())

    assert body.endswith("→ 22 more")


def test_failed_tests_that_ran_alone_on_one_gpu_are_told_together_and_the_gpu_by_its_number() -> None:
    first = reports.mended().results[4].suites[0].tries[0]  # type: ignore[union-attr]
    alone = [
        replace(first, why="failed, again alone", tests=1, outcome=outcome)
        for outcome in ("1 failed", "1 errored; crash: test_b", "1 failed")
    ]
    _, body = incidents.body([reports.suite(tries=(replace(first, outcome="2 failed"), *alone))], Room())

    assert body == (
        "- `unit`: first run (GPU 2): 2 failed → failed, again alone (GPU 2), 3 tests: 2 failed, 1 errored"
    )


def test_the_gpu_of_an_incident_is_named_in_its_own_column_only() -> None:
    named = replace(HUNG, text=f"{HUNG.gpu}: the GPU hung")
    _, body = incidents.body([reports.suite(incidents=(named,))], Room())

    assert body.splitlines()[2].startswith("| the GPU hung | GPU 2 (")


def test_the_machine_is_a_warning_beside_a_green_suite_and_a_problem_of_its_own_in_a_red_one() -> None:
    told = [p for p in advice(reports.mended()) if p.kind == "machine"]
    assert [(p.severity, p.subject) for p in told] == [(Severity.WARNING, HUNG.gpu)]

    red = reports.report(
        reports.suites(reports.suite(verdict=Verdict.ERROR, reason="hung", incidents=(HUNG,)))
    )
    assert [p.message for p in problems(red)] == ["hung"]
    assert not [p for p in advice(red) if p.kind == "machine"]


def test_what_the_machine_did_on_two_legs_is_kept_together() -> None:
    other = replace(HUNG, text="another one")
    legs = [
        replace(reports.suites(reports.suite(incidents=(one,), kept=(one.text,), shards=n)), leg=f"leg{n}")
        for n, one in enumerate((HUNG, other), 1)
    ]

    suite = united(legs)[0].suites[0]  # type: ignore[union-attr]

    assert suite.incidents == (HUNG, other)
    assert suite.kept == (HUNG.text, other.text)
    assert suite.shards == 2


def test_hostile_words_of_an_incident_stay_words() -> None:
    bad = replace(HUNG, text="</details><img src=x> @all", gpu="GPU `1`|")
    _, body = incidents.body([reports.suite(name="<b>", incidents=(bad,))], Room())

    assert "<img" not in body
    assert "</details>" not in body
    assert "@all" not in body
