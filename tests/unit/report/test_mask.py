"""A report may be shown: nothing private is left in it, and nothing that a machine needs is lost."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rocm_ci.config import load
from rocm_ci.model.facts import Conflict
from rocm_ci.model.finding import Finding
from rocm_ci.model.report import Report, Setting
from rocm_ci.model.result import ScanResult
from rocm_ci.report import codec
from rocm_ci.report.markdown import render_comment
from rocm_ci.report.mask import masked, wanted
from tests import reports

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbC2d"
PRIVATE = f"{TOKEN} in /home/alice on node-17.corp, card GPU-7f1e2d3c4b5a6978"
HIDDEN = "*** in ~ on [host], card GPU-***"


def everywhere(text: str) -> Report:
    """Red in every stage, each text replaced, but for what the decoder holds against a pattern."""
    return reports.with_every_text(reports.red(), text)


@pytest.mark.attack("15", "secrets, homes, hosts and identifiers in every text of a report")
def test_no_text_of_a_report_keeps_what_is_private() -> None:
    given = everywhere(PRIVATE)
    # Where a finding stands and how it is repaired are lines of the change itself, and stay.
    results = tuple(replace(r, findings=()) if isinstance(r, ScanResult) else r for r in given.results)

    shown = masked(replace(given, event=reports.EVENT, results=results))

    assert TOKEN not in repr(shown)
    comment = render_comment(shown)
    assert TOKEN not in comment
    assert "alice" not in comment


def test_all_texts_are_masked_alike() -> None:
    shown = masked(everywhere(PRIVATE))

    assert shown.notices[0] == HIDDEN
    assert {c.message for s in shown.results[4].suites for c in s.cases} == {None, HIDDEN}  # type: ignore[union-attr]


def test_keys_of_a_table_are_masked_too() -> None:
    facts = replace(reports.FACTS, conflicts=(Conflict(name="driver", said={PRIVATE: PRIVATE}),))

    shown = masked(replace(reports.green(), facts=facts))

    assert shown.facts.conflicts[0].said == {HIDDEN: HIDDEN}


def test_what_a_machine_needs_to_the_letter_stays() -> None:
    given = everywhere("/home/alice/x")
    shown = masked(given)

    assert shown.event == given.event
    for before, after in zip(findings(given), findings(shown), strict=True):
        assert (after.path, after.replacement, after.edits, after.excerpt, after.fingerprint) == (
            before.path,
            before.replacement,
            before.edits,
            before.excerpt,
            before.fingerprint,
        )
        assert after.message == "~/x"


def findings(report: Report) -> list[Finding]:
    return [f for r in report.results if isinstance(r, ScanResult) for f in r.findings]


@pytest.mark.parametrize("mood", reports.MOODS)
def test_a_report_with_nothing_private_in_it_is_not_changed(mood: str) -> None:
    given = reports.MOODS[mood]()

    assert masked(given) == given


def test_masking_a_report_twice_changes_nothing_more() -> None:
    once = masked(everywhere(PRIVATE))

    assert masked(once) == once


def test_a_masked_report_can_be_stored() -> None:
    failed = reports.case("a", message=PRIVATE, excerpt=PRIVATE * 50)
    shown = masked(reports.report(reports.suites(reports.suite(failed))))

    assert codec.decode(codec.encode(shown)) == shown
    assert TOKEN.encode() not in codec.encode(shown)


def test_the_names_and_secrets_of_the_machine_are_the_callers_to_say() -> None:
    failed = reports.case("a", message="on mi300x-07 with s3cr3tvalue")
    given = reports.report(reports.suites(reports.suite(failed)))

    shown = masked(given, hosts=("mi300x-07",), secrets=("s3cr3tvalue",))

    assert shown.results[4].suites[0].cases[0].message == "on [host] with ***"  # type: ignore[union-attr]


def test_one_private_test_among_a_hundred_thousand_is_found() -> None:
    cases = list(reports.passing(100_000))
    cases[77_777] = replace(cases[77_777], message=PRIVATE)

    shown = masked(reports.report(reports.suites(reports.suite(*cases))))

    after = shown.results[4].suites[0].cases  # type: ignore[union-attr]
    assert after[77_777].message == HIDDEN
    assert sum(a is not b for a, b in zip(cases, after, strict=True)) == 1


def test_a_project_can_switch_it_off() -> None:
    loaded = load.load("mask: false\n", {})
    given = replace(everywhere(PRIVATE), settings=loaded.settings)

    assert not loaded.config.mask
    assert not wanted(given)
    assert masked(given) is given


def test_a_setting_that_leaves_it_on_leaves_it_on() -> None:
    assert wanted(replace(reports.green(), settings=(Setting(name="mask", value="true", source="x"),)))
    assert wanted(reports.green())


@pytest.mark.attack("10", "a fork's configuration that switches the masking off")
def test_a_fork_cannot_switch_it_off() -> None:
    loaded = load.load("mask: false\n", {}, base_text="", trusted=False)

    assert loaded.config.mask
    assert not any(s.name == "mask" for s in loaded.settings)
    assert "mask" in loaded.notices[0]
