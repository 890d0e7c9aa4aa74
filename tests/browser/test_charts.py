"""The charts of a comment, drawn by the real Mermaid in a real browser, as GitHub draws them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.model.past import Point
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.trend import charts
from tests import require
from tests.hostile import NASTY
from tests.situations import SITUATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

TOOL = Path(__file__).parents[2] / "tools" / "picture.py"


def _picture() -> Any:
    spec = importlib.util.spec_from_file_location("picture", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


picture = _picture()


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    from playwright.sync_api import sync_playwright

    chromium = require.program("chromium", "apt-get install chromium fonts-noto-color-emoji")
    if not picture.MERMAID.is_file():
        require.missing("mermaid", "python tools/fetch_mermaid.py")
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=chromium, args=picture.FLAGS)
        yield browser.new_page(viewport={"width": 980, "height": 800})
        browser.close()


def at(run: int, **changes: object) -> Point:
    given: dict[str, object] = {"head": f"{run:07x}".ljust(40, "0"), "verdict": Verdict.FAIL, "run": run}
    given |= {"counts": {"findings": run, "failed": 1}, "effects_pct": {"a": run - 5.5, "b": 2.0, "c": 4e7}}
    return Point(**(given | changes))  # type: ignore[arg-type]


def show(page: Page, markdown: str, *, dark: bool = False) -> list[str]:
    """Draw it, and say what Mermaid complained of."""
    page.set_content(picture.page(markdown, unfold=True, dark=dark))
    errors: list[str] = picture.draw(page, dark=dark)
    return errors


def test_every_chart_becomes_a_drawing_with_its_lines_and_labels(page: Page) -> None:
    points = [at(run) for run in range(1, 12)]

    assert show(page, "\n\n".join(charts(points[:-1], points[-1]))) == []

    assert page.locator(".chart svg").count() == 2
    assert page.locator(".chart svg .line-plot-0 path").count() == 2
    assert page.locator(".chart svg .line-plot-2 path").count() == 1
    drawn = page.locator(".chart svg").first.text_content() or ""
    assert "Findings and failed tests" in drawn
    assert "0000001" in drawn
    assert "Syntax error" not in (page.text_content("body") or "")


def test_lines_have_the_colours_of_the_legend_and_can_be_seen_on_both_themes(page: Page) -> None:
    for dark in (False, True):
        show(page, "\n\n".join(charts([at(1)], at(2))), dark=dark)
        colours = page.locator(".chart svg [class^=line-plot] path").evaluate_all(
            "paths => paths.map(path => path.getAttribute('stroke'))"
        )

        assert colours == ["#e5484d", "#3b82f6", "#e5484d", "#3b82f6", "#f59e0b"]


def test_one_value_and_values_of_all_signs_are_drawn(page: Page) -> None:
    for effects in ({"a": 0.0}, {"a": -3.25}, {"a": 1e12}, {"a": 1e-9}):
        markdown = "\n\n".join(charts([at(1, effects_pct=effects)], at(2, effects_pct=effects)))

        assert show(page, markdown) == []
        assert page.locator(".chart svg").count() == 2


@pytest.mark.attack(
    "6", "benchmarks and commits whose names are code of the charts' language, in a real browser"
)
def test_names_of_strangers_neither_break_a_chart_nor_act_in_it(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(dialog.message))

    heaps = tuple("".join(NASTY[at : at + 9]) for at in range(0, len(NASTY), 9))
    code = (
        '%%{init: {"securityLevel": "loose"}}%%',
        '"]\nclick a call alert(1)',
        "---\nconfig:\n---",
        "line [1]",
    )
    for nasty in (*code, *heaps):
        name = nasty.replace("\ud800", "?")
        odd = {"head": name, "effects_pct": {name: 1.0, f"{name}2": 2.0}}
        errors = show(page, "\n\n".join(charts([at(1, **odd)], at(2, **odd))))

        assert errors == [], nasty
        assert page.locator(".chart svg").count() == 2, nasty
        assert page.locator(".chart a, .chart script, .chart image, .chart foreignObject img").count() == 0

    assert asked == []


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_four_situations_of_the_documentation_are_drawn_within_their_frame(page: Page, name: str) -> None:
    assert show(page, SITUATIONS[name]().comment) == []

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".chart svg").count() == {"green": 2, "red": 2, "infra": 0, "perf": 1}[name]
    assert page.locator('pre[lang="mermaid"]').count() == 0


def test_what_is_no_chart_is_told_as_github_tells_it(page: Page) -> None:
    errors = show(page, "```mermaid\nxychart-beta\n  line [\n```")

    assert len(errors) == 1
    assert "Unable to render rich display" in (page.text_content(".chart") or "")
