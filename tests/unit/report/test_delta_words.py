"""The comparison with the base in words: short, by name, inert."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec.structs import replace

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.delta import Delta, Named, delta
from rocm_ci.report.delta_words import block, distinct, in_short
from rocm_ci.report.links import Links
from tests import rendered, reports
from tests.hostile import HOSTILE

LINKS = Links(repository="https://github.com/acme/wavekit")


def named(name: str, leg: str = "", suite: str = "unit", **changes: object) -> Named:
    case = replace(reports.case(name), **changes)
    return Named(suite=suite, case=case, leg=leg)


def found(**changes: object) -> Delta:
    compared = (("", "unit"),)
    given_: dict[str, object] = {"base": reports.MERGE_BASE, "is_merge_base": True, "base_ref": "main"}
    return Delta(**(given_ | {"compared": compared} | changes))  # type: ignore[arg-type]


def test_one_clause_counts_what_changed() -> None:
    changed = found(
        new_failures=(named("a"),), fixed=(named("b", id="b"), named("c", id="c")), also_red=(named("d"),) * 3
    )

    assert in_short(changed) == "1 new failure, 2 fixed, 1 failed before too"
    assert in_short(found()) == ""
    assert in_short(None) == ""


def test_nothing_is_shown_where_nothing_changed_or_nothing_could_be_compared() -> None:
    assert block(None) == ""
    assert block(found()) == ""
    assert block(found(compared=(), new_failures=(named("a"),))) == ""


def test_a_test_of_several_legs_is_listed_once_with_its_legs_where_these_differ() -> None:
    legs = tuple((leg, "unit") for leg in ("mi210", "mi250", "mi300x"))
    some = found(compared=legs, new_failures=(named("a", "mi210"), named("a", "mi300x")))
    everywhere = found(compared=legs, new_failures=tuple(named("a", leg) for leg, _ in legs))

    assert distinct(some.new_failures) == 1
    assert "test_reduce::a` (on mi210 and mi300x)" in block(some)
    assert "test_reduce::a`\n" in block(everywhere)
    assert "**New failure** (1)" in block(some)


def test_ten_names_are_shown_and_then_only_their_number() -> None:
    many = found(fixed=tuple(named(f"t{n}", id=f"t{n}") for n in range(25)))

    shown = block(many)

    assert "**Fixed** (25)" in shown
    assert shown.count("\n- `") == 10
    assert "- … and 15 more" in shown


def test_the_suite_stands_beside_a_test_when_the_list_has_several() -> None:
    shown = block(found(fixed=(named("a"), named("b", suite="io"))))

    assert "`tests.test_reduce::a` (unit)" in shown
    assert "`tests.test_reduce::b` (io)" in shown


def test_what_a_newly_failing_test_was_before_is_said_where_it_explains_something() -> None:
    flaky = Named(suite="unit", case=reports.case("a"), before=CaseStatus.FLAKY)
    passed = Named(suite="unit", case=reports.case("b"), before=CaseStatus.PASSED)

    shown = block(found(new_failures=(flaky, passed)))

    assert "`tests.test_reduce::a` — was flaky before" in shown
    assert "`tests.test_reduce::b`\n" in shown


def test_the_reason_of_a_new_skip_is_shown() -> None:
    assert "`tests.test_reduce::a` — needs gfx950" in block(
        found(newly_skipped=(named("a", message="needs gfx950"),))
    )


def test_suites_that_were_not_run_here_are_no_news_of_their_own() -> None:
    assert block(found(unrun=(("", "unit"), ("", "integration")))) == ""


def test_suites_that_did_not_end_are_named_instead_of_their_tests() -> None:
    shown = block(found(unrun=(("", "unit"), ("mi210", "io")), fixed=(named("a"),)))

    assert shown.startswith(
        "<details><summary>Tests against <code>main</code>: 1 fixed, 2 suites did not finish<"
    )
    assert "<code>unit</code> and <code>mi210&#58; io</code> did not run to the end here" in shown


def test_suites_and_legs_that_come_and_go_are_named() -> None:
    shown = block(
        found(
            new_suites=(("", "fast"),),
            gone_suites=(("", "slow"), ("", "slower")),
            renamed={("", "system"): "e2e"},
            missing_legs=("mi250",),
            new_legs=("mi300x", "mi325x"),
        )
    )

    assert "Suite <code>fast</code> is new." in shown
    assert "Suites <code>slow</code> and <code>slower</code> are no longer run." in shown
    assert "Suite <code>e2e</code> is called <code>system</code> now." in shown
    assert "Leg <code>mi250</code> reported on the base and not here." in shown
    assert "Legs <code>mi300x</code> and <code>mi325x</code> with no report on the base" in shown


def test_it_is_said_whether_the_base_is_the_commit_the_change_stands_on() -> None:
    changed = found(fixed=(named("a"),))

    assert (
        f"[`3f2c1ab`](https://github.com/acme/wavekit/commit/{reports.MERGE_BASE}), the merge base"
        in block(changed, links=LINKS)
    )
    other = Delta(**{**changed.__dict__, "is_merge_base": False})
    assert "the last one of <code>main</code>: not the merge base" in block(other)


@pytest.mark.attack("6", "names of tests, suites and legs in the comparison with the base")
@given(HOSTILE)
def test_names_of_strangers_stay_text(text: str) -> None:
    shown = block(
        found(
            base_ref=text,
            new_failures=(named(text, leg=text, suite=text, id=text),),
            newly_skipped=(named(text, message=text, id=text), named("b", suite=text)),
            unrun=((text, text),),
            gone_suites=(("", text),),
            renamed={("", text): text},
            new_legs=(text,),
        )
    )

    rendered.assert_inert(shown)


def test_a_whole_comparison_of_real_reports_reads_well() -> None:
    shown = block(delta(reports.green(), reports.red(), base_commit=reports.MERGE_BASE))

    assert shown.startswith(
        "<details><summary>Tests against <code>main</code>: 1 new failure, 1 newly flaky, 1 removed, 5 added"
    )
    assert reports.red().verdict is Verdict.FAIL
