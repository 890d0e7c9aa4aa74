from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.past import Acceptance, Point
from rocm_ci.model.plan import StageName
from rocm_ci.model.result import Crashed
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.delta import delta
from rocm_ci.report.headline import headline
from rocm_ci.report.links import Links
from rocm_ci.report.markdown import BUDGET, render_comment
from rocm_ci.report.merge import graded, merged, missing
from rocm_ci.report.past import Past
from tests import matrices, rendered, reports
from tests.hostile import HOSTILE, NASTY
from tests.unit.report.test_markdown import LINKS, OURS

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.model.report import Report

change = msgspec.structs.replace
OURS_TOO = OURS | {"strong"}
SLOW = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("name", matrices.MATRICES)
def test_the_comment_of_a_matrix_reads_like_the_kept_one(
    name: str, golden: Callable[[str, str], None]
) -> None:
    golden(f"{name}.md", render_comment(matrices.matrix(name), links=LINKS))


@pytest.mark.parametrize("name", matrices.PASTS)
def test_the_comment_that_knows_the_past_reads_like_the_kept_one(
    name: str, golden: Callable[[str, str], None]
) -> None:
    report, past = matrices.PASTS[name]()

    golden(f"{name}.md", render_comment(report, links=LINKS, past=past))


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("matrix-one-bad", "this change fails 1 test and slows 1 benchmark by 8.4 % on mi210 only"),
        ("matrix-all-bad", "this change has 2 places that do not work on AMD GPUs, and fails 1 test and slows 1 benchmark by 8.4 % on all 4 legs"),
        ("matrix-green", "ready for AMD GPUs — 248 tests on MI210, MI250X, MI300X and MI325X"),
        ("matrix-lost", "incomplete — leg mi355x left no report: its job was cancelled"),
        ("matrix-infra", "the machine failed, not this change — mi325x: GPU 0 was reset 2 times in the last hour"),
    ],
)  # fmt: skip
def test_the_title_names_the_legs_at_fault(name: str, begin: str) -> None:
    assert headline(matrices.matrix(name)).title.startswith(begin)


def test_a_failure_beside_a_lost_leg_says_both() -> None:
    lost = ("mi355x", missing("mi355x", "cancelled", reports.EVENT))
    title = headline(merged([*matrices.one_bad_leg(), lost])).title

    assert title.endswith("on mi210 only — and there is no report of mi355x")


def test_a_failure_beside_a_broken_machine_says_both() -> None:
    parts = [*matrices.one_bad_leg()[:3], ("mi325x", matrices.on(reports.infra()))]

    assert "— and the machine failed too, on mi325x" in headline(merged(parts)).title


def test_what_waits_for_a_maintainer_is_not_tested_yet() -> None:
    title = headline(merged([*matrices.all_green(), gate("waiting for ok-to-test")])).title

    assert title == "not tested yet — a maintainer has to look at it first"


def test_a_change_that_waits_for_a_maintainer_is_told_so_once_and_no_machine_is_blamed() -> None:
    why = "waiting for ok-to-test: nothing runs before `/rocm-ci ok-to-test`, and PLEASE HURRY"
    scanned = matrices.scan_leg(reports.green())

    comment = render_comment(merged([("scan", scanned), gate(why)]))

    first = comment.split("\n\n")[:2]
    assert first[0] == "## ⏳ ROCm CI: not tested yet — a maintainer has to look at it first"
    assert "commented `/rocm-ci ok-to-test`" in first[1]
    assert "| Run | gate | 🔧 waiting for ok-to-test |" in comment
    assert "on the machine" not in comment
    assert "HURRY" not in comment.partition("<details>")[0]


def test_what_was_tested_by_a_rewritten_workflow_is_not_called_untested() -> None:
    report = merged(
        [*matrices.all_green(), gate("this change rewrites ci.yml, so its run proves nothing; ask")]
    )

    assert headline(report).title == "nothing is proved yet — a maintainer has to look at it first"
    assert "not run yet" not in render_comment(report)


def test_what_waits_is_skipped_for_no_other_reason() -> None:
    report = merged([("scan", matrices.scan_leg(reports.green())), gate("waiting for ok-to-test: so")])
    bot = Links(commands=("/rocm-ci rerun-failed", "/rocm-ci help"))

    comment = render_comment(report, links=bot)

    assert "| Build, Kernels, Tests, Performance |  | ⏭️ not run yet |" in comment
    assert "`/rocm-ci help`" in comment
    assert "rerun-failed" not in comment


def test_a_finding_in_a_change_that_waits_is_told_beside_the_waiting() -> None:
    report = merged([("scan", matrices.scan_leg(reports.red())), gate("waiting for ok-to-test: so")])

    said = headline(report)

    assert said.title.endswith("do not work on AMD GPUs — and nothing has run on a GPU yet")
    assert said.advice.endswith("commented `/rocm-ci ok-to-test`.")
    assert "What is missing" not in render_comment(report)


def test_a_missing_report_is_no_fault_of_a_machine() -> None:
    comment = render_comment(matrices.matrix("matrix-lost"))

    assert "**What is missing**" in comment
    assert "Nothing is held against the change." in comment
    assert "on the machine" not in comment


def test_an_interrupted_leg_is_named() -> None:
    report = merged([("a", reports.green()), ("b", reports.interrupted())])

    assert headline(report).title == "interrupted before the end — on b"


def test_a_defect_of_ours_is_still_our_defect() -> None:
    report = merged([("a", reports.green()), ("b", reports.defect())])

    assert headline(report).title.startswith("rocm-ci itself failed, not this change — KeyError")


def test_what_happened_on_every_gpu_counts_once() -> None:
    assert headline(matrices.matrix("matrix-all-bad")).summary == headline(reports.red()).summary


def test_a_fix_is_said_once_with_its_legs() -> None:
    comment = render_comment(matrices.matrix("matrix-all-bad"))

    assert comment.count("Run it: `pytest") == 1
    assert "in `tests/test_reduce.py:88` on all 4 legs — AssertionError" in comment


def test_the_log_of_a_failure_is_shown_once() -> None:
    comment = render_comment(matrices.matrix("matrix-all-bad"))

    assert comment.count("assert error < 1e-5") == 1
    assert comment.count("- `tests.test_reduce::test_row_sum[4096]` — AssertionError") == 4


def test_every_leg_has_its_machine_in_a_fold_of_its_own() -> None:
    tree = rendered.render(render_comment(matrices.matrix("matrix-one-bad")))
    folds = [s.text_content() for s in tree.xpath("./details/summary")]

    assert [f.split(":")[0] for f in folds[-4:]] == ["❌ mi210", "✅ scan", "✅ mi250x", "✅ mi300x"]
    assert "AMD Instinct MI210 (gfx90a" in folds[-4]
    assert "no AMD GPU" in folds[-3]


@pytest.mark.parametrize("name", matrices.MATRICES)
def test_the_page_of_a_matrix_is_made_of_our_own_elements(name: str) -> None:
    tree = rendered.render(render_comment(matrices.matrix(name), links=LINKS))

    assert rendered.tags(tree) <= OURS_TOO
    assert rendered.ragged(tree) == []
    assert rendered.acts(tree) == []


def test_a_matrix_of_many_legs_keeps_its_budget_and_its_verdict() -> None:
    red = matrices.on(reports.red())
    parts = [(f"gpu-{n}", red) for n in range(60)]

    comment = render_comment(merged(parts))

    assert len(comment.encode()) <= BUDGET
    assert comment.startswith("## ❌ ROCm CI: this change fails 1 test")
    assert "on all 60 legs" in comment


@given(budget=st.integers(min_value=2_000, max_value=BUDGET))
@SLOW
def test_the_budget_holds_for_every_matrix(budget: int) -> None:
    comment = render_comment(matrices.matrix("matrix-all-bad"), budget=budget)

    assert len(comment.encode()) <= budget
    assert comment.startswith("## ❌ ROCm CI: this change")
    assert "MI210" in comment


@pytest.mark.attack("input", "100 000 failing tests on each of four legs, with long logs")
def test_a_matrix_of_many_failing_tests_fits() -> None:
    log = "E   assert torch.allclose(a, b)\n" * 20
    cases = tuple(
        reports.case(
            f"test_shape[{n}]",
            CaseStatus.FAILED,
            message=f"tensor {n} differs",
            excerpt=log if n < 500 else None,
        )
        for n in range(100_000)
    )
    suite = reports.suite(*cases, verdict=Verdict.FAIL, reason="100,000 tests failed")
    one = reports.report(reports.preflight(), reports.build(), reports.suites(suite))

    comment = render_comment(merged([(f"mi{n}", one) for n in range(4)]))

    assert len(comment.encode()) <= BUDGET
    assert "fails 100,000 tests on all 4 legs" in comment
    assert "| Unit | all 4 | ❌ 100,000 failed |" in comment


@pytest.mark.attack(
    "input", "a test whose name has 64 KB, one whose name is our marker, a GPU with a fence in its name"
)
@pytest.mark.parametrize(
    "name",
    [
        "x" * 65_536,
        "`" * 65_536,
        "<!-- rocm-ci:v1 key=default payload=e30= -->",
        "```\n</details>",
        "é" * 65_536,
    ],
    ids=["64 KB", "64 KB of backticks", "our marker", "a fence", "128 KB of letters"],
)
def test_a_name_cannot_break_the_comment(name: str) -> None:
    red = reports.case("test_x", CaseStatus.FAILED, message=name)
    suite = reports.suite(change(red, id=name, name=name), verdict=Verdict.FAIL, reason=name, name=name)
    one = reports.report(reports.preflight(), reports.suites(suite))
    parts = [("a", matrices.on(one, name)), ("b", matrices.on(one))]
    past = Past(delta=delta(matrices.before(merged(parts)), merged(parts)))

    for report in (one, merged(parts)):
        comment = render_comment(report, past=past)
        tree = rendered.render(comment)

        assert len(comment.encode()) <= BUDGET
        assert rendered.tags(tree) <= OURS_TOO
        assert rendered.acts(tree) == []
        assert "<!-- rocm-ci" not in comment
        assert comment.startswith("## ❌ ROCm CI: this change fails 1 test")


def hostile_past(report: Report, text: str) -> Past:
    """A past in which every name and word is a stranger's."""
    compared = delta(matrices.before(report), report, base_commit=text)
    point = Point(
        head=text,
        verdict=Verdict.FAIL,
        at=text,
        run=7,
        counts={"failed": 3, text: 9},
        effects_pct={text: 8.5},
    )
    accepted = (Acceptance(name=text, effect_pct=9.0, by=text, reason=text, head=text),)
    return Past(delta=compared, history=(point, change(point, head="b" * 40)), accepted=accepted)


def check_harmless(comment: str) -> None:
    tree = rendered.render(comment)

    assert rendered.tags(tree) <= OURS_TOO
    assert rendered.ragged(tree) == []
    assert rendered.acts(tree) == []
    assert not re.search(r"<!--\s*rocm-ci", comment, re.IGNORECASE)
    assert {a.get("href", "").split("/")[2] for a in tree.iter("a")} <= {"github.com"}
    assert len(tree.xpath("//details")) == len(re.findall(r"^<details>", comment, re.MULTILINE))
    assert len(comment.encode()) <= BUDGET


@pytest.mark.attack("6", "Markdown, mentions, links and markers in names of legs, tests and earlier runs")
@pytest.mark.parametrize("name", ["matrix-one-bad", "matrix-lost"])
def test_nothing_in_a_matrix_acts(name: str) -> None:
    for nasty in NASTY:
        text = f"x{nasty}y {nasty}"
        hostile = reports.with_every_text(matrices.matrix(name), text)

        check_harmless(render_comment(hostile, links=LINKS, past=hostile_past(hostile, text)))


@given(value=HOSTILE)
@SLOW
def test_no_text_of_a_matrix_or_of_the_past_breaks_the_layout(value: str) -> None:
    hostile = reports.with_every_text(matrices.matrix("matrix-one-bad"), value)

    check_harmless(render_comment(hostile, links=LINKS, past=hostile_past(hostile, value)))


@given(value=HOSTILE)
@SLOW
def test_no_text_breaks_a_comment_that_knows_the_past(value: str) -> None:
    report, _ = matrices.red_again()
    hostile = reports.with_every_text(report, value)

    check_harmless(render_comment(hostile, links=LINKS, past=hostile_past(hostile, value)))


def test_what_fails_on_the_base_too_comes_last_and_is_no_thing_to_fix() -> None:
    report, past = matrices.red_again()
    comment = render_comment(report, past=past)
    mine, _, old = comment.partition("**Fails on `main` too**")

    assert "test_new" in re.findall(r"^\d\. (.*)$", mine, re.MULTILINE)[2]
    assert "test_row_sum[4096]" not in mine.partition("**Fix first**")[2]
    assert "1. `tests.test_reduce::test_row_sum[4096]`" in old
    assert "— 4 things to fix" in comment.split("\n")[0]
    assert "1 of 2 failed tests also fails on main: not this change's doing." in comment


def test_a_change_whose_failures_are_all_old_is_not_blamed() -> None:
    report = reports.report(
        reports.preflight(),
        reports.suites(
            reports.suite(
                reports.case("test_row_sum[4096]", CaseStatus.FAILED, message="boom"), verdict=Verdict.FAIL
            )
        ),
    )
    past = Past(delta=delta(matrices.before(report), report))
    comment = render_comment(report, past=past)

    assert comment.startswith("## ❌ ROCm CI: 1 test failed, as on main — not this change's doing\n")
    assert "**Fails on `main` too**" in comment
    assert "Fix first" not in comment
    assert "Fix first" not in comment


def test_a_test_that_is_old_on_one_leg_and_new_on_another_is_new() -> None:
    red = reports.report(
        reports.suites(
            reports.suite(reports.case("test_row_sum[4096]", CaseStatus.FAILED), verdict=Verdict.FAIL)
        )
    )
    green = reports.report(reports.suites(reports.suite(reports.case("test_row_sum[4096]"))))
    head = merged([("a", red), ("b", red)])
    base = merged([("a", red), ("b", green)])

    title = headline(head, delta=delta(base, head)).title

    assert title == "this change fails 1 test on a and b"


def test_the_comment_says_that_it_is_green_again() -> None:
    report, past = matrices.green_again()

    assert "Nothing must be done; advice is below. Green again after 2 red runs." in render_comment(
        report, past=past
    )


def test_an_accepted_slowdown_is_told_with_name_and_reason_and_blocks_nothing() -> None:
    report, past = matrices.green_again()
    comment = render_comment(report, past=past)

    assert report.verdict is Verdict.NEUTRAL
    assert "accepted by alice: exact sums cost that much" in comment
    assert "| regression, accepted |" in comment
    assert "Fix first" not in comment


def test_where_the_bot_is_there_a_slowdown_says_how_it_can_be_accepted() -> None:
    with_bot = replace(LINKS, commands=("/rocm-ci help",))

    assert "Worth it? `/rocm-ci accept-perf row_sum/4096 REASON`" in render_comment(
        reports.red(), links=with_bot
    )
    assert "accept-perf" not in render_comment(reports.red(), links=LINKS)


def test_the_table_says_what_changed_against_the_base() -> None:
    report, past = matrices.red_again()

    assert "| +1&nbsp;failure,&nbsp;1&nbsp;fixed |" in render_comment(report, past=past)


@pytest.mark.parametrize("budget", [3_000, 6_000, 9_000, 12_000])
def test_trend_and_old_verdicts_go_before_findings(budget: int) -> None:
    report, past = matrices.red_again()
    many = tuple(reports.finding(line=n) for n in range(1, 40))
    results = tuple(
        reports.scan(*many) if r.leg == "" and hasattr(r, "findings") else r for r in report.results
    )
    comment = render_comment(change(report, results=results), past=past, budget=budget)

    assert comment.startswith("## ❌ ROCm CI: this change")
    if "mermaid" in comment:
        assert comment.count("<code>warp-mask-32</code> |") == 39


@pytest.mark.attack("input", "a forged matrix of 256 legs with twenty thousand crashes")
@pytest.mark.timeout(60)
def test_a_forged_matrix_with_very_many_results_is_told_in_short() -> None:
    base = merged([(f"leg{n}", reports.both()) for n in range(256)])
    crashes = tuple(
        Crashed(stage=StageName.TEST, reason=f"no reason {n}", leg=f"leg{n % 256}") for n in range(20_000)
    )
    comment = render_comment(graded(change(base, results=base.results + crashes)))

    assert len(comment.encode()) <= BUDGET
    assert "the machine failed too, on leg0, leg1, leg2 and 253 more" in comment
    assert "240 more legs" in comment


def gate(reason: str) -> tuple[str, Report]:
    """What the gate of the workflow has to say."""
    stand_in = missing("gate", "", reports.EVENT)
    return "gate", change(stand_in, results=(Crashed(stage=StageName.PREFLIGHT, reason=reason),))


def test_a_failure_beside_an_incomplete_run_says_both() -> None:
    report = merged([*matrices.one_bad_leg(), gate("the job gpu was cancelled")])

    assert headline(report).title.endswith("on mi210 only — and the run is incomplete")
    assert "<strong>gate</strong>: what the run lacks" in render_comment(report)


def test_a_leg_that_broke_before_it_ran_is_not_said_to_have_no_report() -> None:
    why = "the image could not be pulled"
    broke = change(
        missing("mi355x", "", reports.EVENT), results=(Crashed(stage=StageName.PREFLIGHT, reason=why),)
    )
    report = merged([*matrices.all_green(), ("mi355x", broke)])

    assert headline(report).title == f"the machine failed, not this change — mi355x: {why}"
    assert "<strong>mi355x</strong>: broke before it could run" in render_comment(report)


def test_what_the_gate_says_is_the_reason_of_the_headline() -> None:
    title = headline(merged([*matrices.all_green(), gate("the job gpu was cancelled")])).title

    assert title == "incomplete — the job gpu was cancelled"
