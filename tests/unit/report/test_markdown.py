from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.edit import Edit
from rocm_ci.model.finding import Severity
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import Skipped
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.links import Links
from rocm_ci.report.markdown import BUDGET, render_comment
from rocm_ci.report.past import Past
from rocm_ci.report.room import STEPS
from tests import rendered, reports
from tests.hostile import HOSTILE, NASTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.model.report import Report

LINKS = Links(
    repository="https://github.com/acme/wavekit",
    run="https://github.com/acme/wavekit/actions/runs/1234",
    artifact="https://github.com/acme/wavekit/actions/runs/1234/artifacts/5",
)
OURS = {
    "article", "h2", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "ol", "ul", "li", "br",
    "a", "sub", "details", "summary", "blockquote",
}  # fmt: skip


def heavy() -> Report:
    """More of everything than fits: long logs, many findings, many tests of each kind."""
    log = "".join(f"line {n} of a very long log that goes on and on\n" for n in range(400))
    cases = (
        *(
            reports.case(
                f"test_red_{chr(97 + n % 26)}{n}", CaseStatus.FAILED, message="boom " * 50, excerpt=log
            )
            for n in range(300)
        ),
        *(reports.case(f"test_skip[{n}]", CaseStatus.SKIPPED, message="not here") for n in range(300)),
    )
    findings = (reports.finding(line=n, message=f"a long message about line {n} " * 8) for n in range(1, 300))
    comparisons = (reports.comparison(f"bench/{n}") for n in range(500))
    return reports.report(
        reports.preflight(),
        reports.scan(*findings),
        reports.build(),
        reports.suites(reports.suite(*cases, verdict=Verdict.FAIL, excerpt=log)),
        reports.perf(*comparisons),
    )


@pytest.mark.parametrize("mood", reports.MOODS)
def test_the_comment_reads_like_the_kept_one(mood: str, golden: Callable[[str, str], None]) -> None:
    golden(f"{mood}.md", render_comment(reports.MOODS[mood](), links=LINKS))


@pytest.mark.parametrize("mood", reports.MOODS)
def test_the_page_is_made_of_our_own_elements(mood: str) -> None:
    tree = rendered.render(render_comment(reports.MOODS[mood](), links=LINKS))

    assert rendered.tags(tree) <= OURS
    assert rendered.ragged(tree) == []
    assert rendered.acts(tree) == []


@pytest.mark.attack("6", "Markdown, HTML, mentions, references, links and invisible characters in every text")
@pytest.mark.parametrize("mood", ["red", "infra", "broken-build", "without-gpu"])
def test_nothing_from_the_pull_request_acts(mood: str) -> None:
    for nasty in NASTY:
        hostile = reports.with_every_text(reports.MOODS[mood](), f"x{nasty}y {nasty}")
        comment = render_comment(hostile, links=LINKS)
        tree = rendered.render(comment)

        assert rendered.tags(tree) <= OURS
        assert rendered.ragged(tree) == []
        assert rendered.acts(tree) == []
        assert not re.search(r"<!--\s*rocm-ci", comment, re.IGNORECASE)
        assert {a.get("href", "").split("/")[2] for a in tree.iter("a")} <= {"github.com"}
        comment.encode()


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=30)
@given(value=HOSTILE)
def test_no_text_breaks_the_layout(value: str) -> None:
    comment = render_comment(reports.with_every_text(reports.red(), value), links=LINKS)
    tree = rendered.render(comment)

    assert rendered.tags(tree) <= OURS
    assert rendered.ragged(tree) == []
    assert rendered.acts(tree) == []
    folds = tree.xpath("//details")
    assert [fold.getparent().tag for fold in folds] == ["article"] * len(folds)
    assert len(folds) == len(re.findall(r"^<details>", comment, re.MULTILINE))
    assert len(comment.encode()) <= BUDGET


@pytest.mark.attack("6", "a report that links to a stranger's page")
def test_a_link_in_the_report_goes_nowhere_but_to_a_publisher() -> None:
    evil = reports.finding(docs="https://evil.example/login")
    tree = rendered.render(render_comment(reports.report(reports.scan(evil)), links=LINKS))

    assert all(a.get("href").startswith("https://github.com/acme/wavekit") for a in tree.iter("a"))


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(budget=st.integers(min_value=1_500, max_value=BUDGET))
def test_a_comment_keeps_its_budget_and_what_is_never_dropped(budget: int) -> None:
    comment = render_comment(heavy(), links=LINKS, budget=budget)

    assert len(comment.encode()) <= budget
    assert comment.startswith("## ❌ ROCm CI: this change")
    assert "Machine: 1 × AMD Instinct MI300X" in comment
    if budget > 4_000:
        assert "| Unit | ❌ 300 failed, 300 skipped |" in comment


def test_what_is_dropped_is_dropped_in_the_fixed_order_and_said() -> None:
    names = [name for name, _ in STEPS if name]
    seen: list[tuple[str, ...]] = []
    for budget in range(BUDGET * 3, 2_500, -6_000):
        comment = render_comment(heavy(), links=LINKS, budget=budget)
        said = re.search(r"Left out to fit: (.*?)\. Everything is in", comment)
        seen.append(
            tuple(re.split(r", | and (?=the |all |findings|failed|build|log)", said[1])) if said else ()
        )

    for dropped in seen:
        assert [n for n in names if n in dropped] == list(dropped)
    for earlier, later in itertools.pairwise(seen):
        assert later[: len(earlier)] == earlier
    assert seen[-1]


def test_a_whole_comment_does_not_speak_of_leaving_out() -> None:
    assert "Left out" not in render_comment(reports.red())


def test_bytes_count_not_characters() -> None:
    wide = reports.with_every_text(heavy(), "漢字" * 40)

    assert len(render_comment(wide).encode()) <= BUDGET


@pytest.mark.attack("input", "100 000 tests, every tenth of them failed")
def test_a_hundred_thousand_tests_fit() -> None:
    comment = render_comment(reports.many(100_000))

    assert len(comment.encode()) <= BUDGET
    assert "10,000 failed, 90,000 passed" in comment


@pytest.mark.attack("input", "a forged report with a thousand results, five hundred GPUs and as many notices")
def test_hostile_numbers_of_things_fit() -> None:
    """A forged report may hold a thousand results; the comment stays a comment."""
    base = reports.red()
    stages = tuple(Skipped(stage=StageName.TEST, reason=f"{n}" + "x" * 500) for n in range(1_000))
    gpus = tuple(
        msgspec.structs.replace(reports.MI300X, index=n, name=f"GPU {n} " + "y" * 300) for n in range(500)
    )
    forged = msgspec.structs.replace(
        base,
        results=base.results + stages,
        facts=msgspec.structs.replace(reports.FACTS, gpus=gpus),
        notices=("z" * 5_000,) * 500,
    )

    comment = render_comment(forged)

    assert len(comment.encode()) <= BUDGET
    assert "990 more" in comment


def test_every_failed_test_can_be_run_again() -> None:
    assert "Run it: `pytest 'tests/test_reduce.py::test_row_sum[4096]'`" in render_comment(reports.red())


def test_places_are_linked_to_the_commit_and_only_with_a_trusted_repository() -> None:
    assert f"(https://github.com/acme/wavekit/blob/{reports.HEAD}/csrc/reduce.hip#L41)" in render_comment(
        reports.red(), links=LINKS
    )
    assert "/blob/" not in render_comment(reports.broken_build())


def test_a_notice_about_the_gates_is_seen_without_unfolding() -> None:
    tree = rendered.render(render_comment(reports.red()))

    assert "taken from the merge base" in tree.xpath("string(./blockquote)")


def test_settings_that_differ_are_in_the_comment() -> None:
    tree = rendered.render(render_comment(reports.red()))

    assert "gfx90a, gfx942" in " ".join(d.text_content() for d in tree.iter("details"))


def test_many_findings_put_errors_first() -> None:
    findings = [reports.finding(severity=Severity.NOTE, line=n, message="meh") for n in range(1, 60)]
    findings.append(reports.finding(line=99, message="this one matters"))

    comment = render_comment(reports.report(reports.scan(*findings)))

    assert "1. `csrc/reduce.hip:99` — this one matters" in comment


def test_a_run_without_a_base_says_so() -> None:
    event = msgspec.structs.replace(reports.EVENT, merge_base=None, base=None, base_ref=None, number=None)

    comment = render_comment(msgspec.structs.replace(reports.green(), event=event))

    assert "| stage | result | no base | time |" in comment
    assert "merge base" not in comment


def test_own_commands_replace_the_default_in_the_footer() -> None:
    comment = render_comment(reports.green(), links=Links(commands=("/rocm-ci help",)))

    assert comment.rstrip().endswith("`/rocm-ci help`</sub>")


def test_the_machine_can_be_read_without_unfolding() -> None:
    tree = rendered.render(render_comment(reports.green()))

    assert any("MI300X (gfx942, 304 CU" in s.text_content() for s in tree.iter("summary"))


def test_the_last_line_names_only_what_helps_now() -> None:
    bot = replace(LINKS, commands=("/rocm-ci rerun-failed", "/rocm-ci help"))

    def last(report: Report, links: Links) -> str:
        return render_comment(report, links=links).splitlines()[-1]

    assert "`rocm-ci scan --fix --base main` · `rocm-ci run --local" in last(reports.red(), LINKS)
    assert "scan --fix" not in last(reports.green(), LINKS)
    assert "`rocm-ci scan --fix --base main` · `/rocm-ci rerun-failed`" in last(reports.red(), bot)
    assert "rerun-failed" not in last(reports.green(), bot)
    assert "`/rocm-ci help`" in last(reports.green(), bot)


def test_a_repair_that_the_advice_spells_out_is_not_written_twice() -> None:
    found = reports.finding(message="`cudaFree` is CUDA's", fix="write `hipFree`", replacement="hipFree")

    comment = render_comment(reports.report(reports.scan(found)), links=LINKS)

    assert "Write `hipFree` (ready fix)." in comment
    assert "Ready fix: `hipFree`" not in comment


def test_a_repair_of_several_edits_counts_as_ready_and_an_unsafe_one_does_not() -> None:
    edits = (Edit(line=4, column=1, end=2, text="x"), Edit(line=5, column=1, end=2, text="y"))
    made = (
        reports.finding(line=4, replacement=None, edits=edits),
        reports.finding(line=9, unsafe=True),
        reports.finding(line=11),
    )

    comment = render_comment(reports.report(reports.scan(*made)), links=LINKS)

    assert "**3 findings (2 with a ready fix).**" in comment


def test_where_the_base_has_no_report_nobody_claims_that_a_failure_is_new() -> None:
    why = "no run of this workflow for a push to main has finished"
    said = f"Whether tests fail on main too is not known: {why}."

    assert said in render_comment(reports.red(), past=Past(lack=why))
    assert said not in render_comment(reports.red())
    assert said not in render_comment(reports.green(), past=Past(lack=why))
