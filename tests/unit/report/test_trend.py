"""The charts: two runs or more, safe to draw whatever a benchmark is called."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.model.past import Point
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.trend import charts
from tests import rendered
from tests.hostile import HOSTILE

# All that may stand in a chart; whatever else is in there came from a stranger.
LINE = re.compile(
    r"---|config:|xychart-beta"
    r"|  xyChart: \{width: 760, height: 260\}"
    r'|  themeVariables: \{xyChart: \{plotColorPalette: "#[0-9a-f]{6}(, #[0-9a-f]{6}){0,2}"\}\}'
    r'|  title "(Findings and failed tests|Slower than the merge base, in percent)"'
    r'|  x-axis \["[0-9a-z() ]+"(, "[0-9a-z() ]+")*\]'
    r'|  y-axis "(count|percent)" -?[0-9]+ --> [0-9]+'
    r"|  line \[-?[0-9]+([.][0-9]+)?(, -?[0-9]+([.][0-9]+)?)*\]"
)


def at(run: int, **changes: object) -> Point:
    given_: dict[str, object] = {
        "head": f"{run:x}".rjust(40, "a"),
        "verdict": Verdict.FAIL,
        "run": run,
        "counts": {"findings": run, "failed": 1},
    }
    return Point(**(given_ | changes))  # type: ignore[arg-type]


def chart(history: list[Point], now: Point) -> str:
    return "\n\n".join(charts(history, now))


def drawn(markdown: str) -> list[str]:
    return re.findall(r"```mermaid\n(.*?)\n```", markdown, re.DOTALL)


def test_one_run_makes_no_trend() -> None:
    assert chart([], at(1)) == ""
    assert chart([at(1)], at(1)) == ""


def test_runs_with_nothing_to_count_make_no_trend() -> None:
    assert chart([at(1, counts={})], at(2, counts={"findings": 0})) == ""


def test_findings_and_failed_tests_share_a_chart_with_a_legend() -> None:
    shown = chart([at(1), at(2)], at(3))

    (one,) = drawn(shown)
    assert 'title "Findings and failed tests"' in one
    assert "  line [1, 1, 1]\n  line [1, 2, 3]" in one
    assert "<sub>🔴 failed tests · 🔵 findings</sub>" in shown


def test_the_speed_of_up_to_three_benchmarks_is_drawn_with_their_names_in_the_legend() -> None:
    effects = {"a": 1.0, "b": -2.5, "c": 0.0, "d": 9.0}
    shown = chart([at(1, effects_pct=effects)], at(2, effects_pct=effects))

    _, speed = drawn(shown)
    assert '  y-axis "percent" -3 --> 1' in speed
    assert "  line [1, 1]\n  line [-2.5, -2.5]\n  line [0, 0]" in speed
    assert "🔴 <code>a</code> · 🔵 <code>b</code> · 🟠 <code>c</code>" in shown


def test_a_benchmark_that_was_not_measured_before_is_left_out() -> None:
    shown = chart([at(1, effects_pct={"old": 1.0})], at(2, effects_pct={"old": 2.0, "new": 3.0}))

    assert "<code>old</code>" in shown
    assert "<code>new</code>" not in shown
    assert "  line [1, 2]" in shown


def test_runs_that_did_not_measure_are_passed_over() -> None:
    shown = chart([at(1, effects_pct={"x": 1.0}), at(2)], at(3, effects_pct={"x": 3.0}))

    assert '  x-axis ["aaaaaaa", "aaaaaaa (2)"]' in drawn(shown)[1]


def test_reruns_of_one_commit_have_places_of_their_own() -> None:
    same = "b" * 40

    (one,) = drawn(chart([at(1, head=same), at(2, head=same)], at(3, head=same)))

    assert 'x-axis ["bbbbbbb", "bbbbbbb (2)", "bbbbbbb (3)"]' in one


def test_a_run_on_a_machine_that_failed_has_counted_nothing() -> None:
    broken = at(2, verdict=Verdict.ERROR, counts={})

    (one,) = drawn(chart([at(1), broken], at(3)))

    assert "  line [1, 1]" in one
    assert chart([broken], at(3)) == ""


def test_numbers_that_no_chart_can_hold_are_bounded() -> None:
    odd = {"x": float("inf"), "y": float("nan"), "z": -1e300}
    shown = chart([at(1, effects_pct=odd)], at(2, effects_pct=odd, counts={"failed": 10**18}))

    assert "inf" not in shown
    assert "nan" not in shown
    assert "1e+18" not in shown
    assert "--> 1000000" in shown


@pytest.mark.attack("6", "a benchmark whose name is Mermaid code, or a directive")
@given(
    st.one_of(HOSTILE, st.sampled_from(['%%{init: {"securityLevel": "loose"}}%%', '"]\n  click x call y()']))
)
def test_no_text_of_a_stranger_gets_into_a_chart(text: str) -> None:
    shown = chart(
        [
            at(1, head=text, effects_pct={text: 1.0, f"{text}b": 2.0}),
            at(2, head=text, effects_pct={text: 1.5}),
        ],
        at(3, head=text, at=text, counts={text: 5, "failed": 2}, effects_pct={text: 2.0}),
    )

    assert len(drawn(shown)) == 2
    for one in drawn(shown):
        assert [line for line in one.splitlines() if not LINE.fullmatch(line)] == []
    rendered.assert_inert(shown)
