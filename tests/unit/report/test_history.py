"""The earlier verdicts of a pull request: what is kept, how much of it, and what they tell."""

from __future__ import annotations

import base64

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.model.past import Point
from rocm_ci.model.perf import Better, PerfVerdict
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import history
from rocm_ci.report.history import block, point, remember, sentence
from rocm_ci.report.links import Links
from tests import rendered, reports
from tests.hostile import HOSTILE

LINKS = Links(repository="https://github.com/acme/wavekit")
PASS, FAIL, ERROR = Verdict.PASS, Verdict.FAIL, Verdict.ERROR


def at(run: int, verdict: Verdict = FAIL, **changes: object) -> Point:
    made = Point(
        head=f"{run:07x}".ljust(40, "0"), verdict=verdict, at="2026-11-30T13:54:07Z", run=run, attempt=1
    )
    return msgspec.structs.replace(made, **changes)


def row(*verdicts: Verdict) -> list[Point]:
    return [at(n + 1, verdict) for n, verdict in enumerate(verdicts)]


def test_a_point_counts_and_takes_its_place_from_the_trusted_event() -> None:
    made = point(reports.red(), head="a" * 40, run=77, attempt=2, at="2026-12-01T00:00:00Z")

    assert (made.head, made.run, made.attempt, made.at) == ("a" * 40, 77, 2, "2026-12-01T00:00:00Z")
    assert made.verdict is FAIL
    assert made.counts == {"findings": 3, "failed": 1, "regressions": 1}
    assert made.effects_pct["row_sum/4096"] == 8.4
    assert len(made.effects_pct) == 3


def test_effects_are_positive_when_worse_whatever_is_better() -> None:
    faster = reports.comparison("rate", effect_pct=-5.0, better=Better.HIGHER)

    assert point(reports.report(reports.perf(faster))).effects_pct == {"rate": 5.0}


def test_benchmarks_that_the_history_follows_are_followed_on() -> None:
    before = [at(1, effects_pct={"small": 0.1})]
    big = [reports.comparison(f"big{n}", PerfVerdict.REGRESSION, effect_pct=10.0 + n) for n in range(5)]

    made = point(reports.report(reports.perf(*big, reports.comparison("small"))), history=before)

    assert list(made.effects_pct) == ["small", "big4", "big3"]


def test_the_same_attempt_is_replaced_where_it_stands() -> None:
    kept = remember([at(1), at(2), at(3)], at(2, PASS))

    assert [(p.run, p.verdict) for p in kept] == [(1, FAIL), (2, PASS), (3, FAIL)]


def test_reruns_of_one_commit_are_all_kept_in_order() -> None:
    first = at(1)
    kept = remember(remember([], first), msgspec.structs.replace(first, attempt=2, verdict=PASS))

    assert [(p.run, p.attempt, p.verdict) for p in kept] == [(1, 1, FAIL), (1, 2, PASS)]


def test_runs_without_a_number_are_never_taken_for_each_other() -> None:
    unknown = Point(head="a" * 40, verdict=FAIL)

    assert len(remember([unknown], unknown)) == 2


def test_the_oldest_points_go_first() -> None:
    kept = remember([at(n) for n in range(1, 40)], at(40))

    assert [p.run for p in kept] == list(range(31, 41))


@given(st.lists(HOSTILE, max_size=4), st.integers(-(10**12), 10**12), st.integers(0, 30))
def test_whatever_the_names_the_history_fits_into_the_payload(
    texts: list[str], number: int, runs: int
) -> None:
    names = [text.encode("utf-8", "replace").decode() for text in texts]
    kept: tuple[Point, ...] = ()
    for run in range(runs):
        long = {f"{name}{run}" * 9: float(number) for name in names}
        kept = remember(
            kept, at(run, at="9" * 500, counts={"findings": number, "made-up": 1}, effects_pct=long)
        )

    # What the marker may hold is 5 000 characters, with the acceptances and the run itself.
    assert len(base64.b64encode(msgspec.json.encode(kept))) < 3_500
    assert len(kept) <= history.LIMIT


def test_a_history_of_ten_ordinary_runs_fits() -> None:
    kept: tuple[Point, ...] = ()
    for run in range(20):
        counts = {"findings": 120, "failed": 17, "regressions": 3}
        kept = remember(kept, at(12_345_678_900 + run, counts=counts, effects_pct={"row_sum/4096": -12.34}))

    assert len(kept) == history.LIMIT


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ([], FAIL, ""),
        ([], PASS, ""),
        ([PASS], PASS, ""),
        ([PASS], FAIL, ""),
        ([FAIL], FAIL, "This change fails for the second time in a row."),
        ([PASS, FAIL, FAIL], FAIL, "This change fails for the third time in a row."),
        (
            [FAIL, ERROR, Verdict.INCONCLUSIVE],
            FAIL,
            "This change fails for the second time in a row (2 runs in between decided nothing).",
        ),
        ([PASS, ERROR, FAIL], FAIL, "This change fails for the second time in a row."),
        ([FAIL] * 12, FAIL, "This change fails 13 times in a row."),
        ([FAIL], PASS, "Green again after 1 red run."),
        ([PASS, FAIL, ERROR, FAIL], Verdict.NEUTRAL, "Green again after 2 red runs."),
        ([FAIL, PASS, ERROR], PASS, ""),
        ([ERROR], ERROR, "The run could not be finished for the second time in a row."),
        ([ERROR, FAIL], ERROR, ""),
        ([FAIL], Verdict.INCONCLUSIVE, ""),
    ],
)
def test_a_row_of_verdicts_is_put_into_one_sentence(before: list[Verdict], now: Verdict, said: str) -> None:
    assert sentence(row(*before), at(99, now)) == said


def test_a_commit_that_failed_and_now_passes_depends_on_luck() -> None:
    before = at(1, head="a" * 40)

    said = sentence([before], at(2, PASS, head="a" * 40))

    assert (
        said == "This very commit failed in an earlier run and passes now: something in it depends on luck."
    )


def test_a_run_that_is_in_the_history_already_is_not_counted_twice() -> None:
    assert sentence(row(FAIL, FAIL), at(2)) == "This change fails for the second time in a row."


def test_the_table_shows_this_run_first_and_links_commits_and_runs() -> None:
    now = at(3, PASS, attempt=2, counts={"findings": 1})
    shown = block([at(1, counts={"failed": 2}), at(2, ERROR)], now, links=LINKS)

    lines = shown.splitlines()
    assert lines[0] == "<details><summary>2 earlier runs and this one: ❌🔧✅</summary>"
    assert "**✅ passed** | 1 finding | 2026-11-30 13:54 UTC |" in lines[4]
    assert "[3.2](https://github.com/acme/wavekit/actions/runs/3/attempts/2)" in lines[4]
    assert "[<code>0000001</code>](https://github.com/acme/wavekit/commit/00000010" in lines[6]
    assert "❌ the change failed | 2 failed tests |" in lines[6]


def test_charts_stand_below_the_table_in_the_same_fold() -> None:
    shown = block([at(1)], at(2), charts=["CHART"])

    assert shown.startswith("<details><summary>1 earlier run and this one: ❌❌ · trend</summary>")
    assert shown.endswith("\n\nCHART\n\n</details>")


def test_the_first_run_has_no_table() -> None:
    assert block([], at(1)) == ""
    assert block([at(1)], at(1)) == ""


def test_no_more_than_ten_verdicts_are_shown() -> None:
    assert block([at(n) for n in range(1, 40)], at(40)).count("| ❌ the change failed |") == 9


@pytest.mark.attack("6", "a history with names and commits of a stranger's making")
@given(HOSTILE)
def test_text_of_strangers_in_a_history_stays_text(text: str) -> None:
    odd = Point(head=text, verdict=FAIL, at=text, run=1, counts={text: 1}, effects_pct={text: 1.0})

    rendered.assert_inert(block([odd], at(2, head=text, at=text), links=LINKS))
