"""The comparison with the base in words: one clause for the summary, one folded list for the names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.report import inert, words
from rocm_ci.report import legs as legs_of_report
from rocm_ci.report.details import fold
from rocm_ci.report.tally import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.report.delta import Delta, Named
    from rocm_ci.report.delta_side import Place
    from rocm_ci.report.links import Links

NAMES = 10
_KINDS = (
    ("new_failures", "new failure", "new failures"),
    ("fixed", "fixed", "fixed"),
    ("also_red", "failed before too", "failed before too"),
    ("unknown", "failure without a counterpart", "failures without a counterpart"),
    ("flaky", "newly flaky", "newly flaky"),
    ("newly_skipped", "newly skipped", "newly skipped"),
    ("removed", "removed", "removed"),
    ("added", "added", "added"),
)
_BEFORE = {
    CaseStatus.FLAKY: "was flaky before",
    CaseStatus.SKIPPED: "was skipped before",
    CaseStatus.FAILED: "failed before",
    CaseStatus.ERRORED: "failed before",
}


def in_short(found: Delta | None) -> str:
    """`1 new failure, 2 fixed, 3 failed before too`: plain text, empty when nothing has changed."""
    if found is None:
        return ""
    counted = ((distinct(getattr(found, kind)), one, many) for kind, one, many in _KINDS)
    return ", ".join(words.count(number, one, many) for number, one, many in counted if number)


def distinct(listed: Sequence[Named]) -> int:
    """How many tests those are, each counted once over all legs."""
    return len({(n.suite, n.case.id) for n in listed})


def block(found: Delta | None, *, names: int = NAMES, links: Links | None = None) -> str:
    """The folded list of the tests by name; empty when there is nothing to tell."""
    if found is None or found.says_nothing:
        return ""
    lists = [_listed(found, kind, one, many, names) for kind, one, many in _KINDS]
    bodies = [*lists, _suites(found), _legs(found)]
    # That a suite broke off, or was not run at all, stands in the table already.
    if not any((*lists, found.gone_suites, found.new_suites, found.renamed, _legs(found))):
        return ""
    ended = f"{words.count(len(found.unrun), 'suite')} did not finish" if found.unrun else ""
    summary = ", ".join(part for part in (in_short(found), ended) if part) or "suites or legs differ"
    summary = f"Tests against {_base(found)}: {summary}"
    return fold(summary, *bodies, _standing(found, links))


def _base(found: Delta) -> str:
    return inert.tag(found.base_ref, limit=60) if found.base_ref else "the base"


def _listed(found: Delta, kind: str, one: str, many: str, names: int) -> str:
    listed: Sequence[Named] = getattr(found, kind)
    if not listed or names <= 0:
        return ""
    legs: dict[tuple[str, str], list[str]] = {}
    for n in listed:
        legs.setdefault((n.suite, n.case.id), []).append(n.leg)
    first = {key: n for n in reversed(listed) if (key := (n.suite, n.case.id)) in legs}
    shown = list(legs)[:names]
    several = len({suite for suite, _ in shown}) > 1
    rows = [
        f"- {_name(found, first[key], legs[key], several=several)}{_remark(first[key], kind)}"
        for key in shown
    ]
    if len(legs) > names:
        rows.append(f"- … and {len(legs) - names:,} more")
    title = one if len(legs) == 1 else many
    return f"**{title[0].upper()}{title[1:]}** ({len(legs):,})\n\n" + "\n".join(rows)


def _name(found: Delta, named: Named, legs: Sequence[str], *, several: bool) -> str:
    """The test, with its suite where the list has several, and its legs where not all agree."""
    ran = (*found.compared, *found.new_suites, *found.gone_suites)
    among = list(dict.fromkeys((*(leg for leg, suite in ran if suite == named.suite), *legs)))
    where = ""
    if len(set(legs)) < len(among):
        where = legs_of_report.on(legs, among)
    place = " ".join(
        inert.text(part, limit=limit)
        for part, limit in ((named.suite if several else "", 60), (where, 120))
        if part
    )
    shown = inert.code(label(named.case), limit=160)
    return f"{shown} ({place})" if place else shown


def _remark(named: Named, kind: str) -> str:
    if kind in ("new_failures", "newly_skipped", "flaky", "removed") and named.before in _BEFORE:
        return f" — {_BEFORE[named.before]}"
    reason = named.case.message
    if kind == "newly_skipped" and reason:
        return f" — {inert.text(reason, limit=120)}"
    return ""


def _suites(found: Delta) -> str:
    lines = [
        _sentence(found.unrun, "did not run to the end here, so nothing is said of the missing tests"),
        _sentence(found.gone_suites, "is no longer run", "are no longer run"),
        _sentence(found.new_suites, "is new", "are new"),
    ]
    lines += [
        f"Suite {inert.tag(was, limit=60)} is called {inert.tag(name, limit=60)} now."
        for (_, name), was in list(found.renamed.items())[:3]
    ]
    return " ".join(line for line in lines if line)


def _sentence(places: Sequence[Place], one: str, many: str = "") -> str:
    if not places:
        return ""
    shown = [inert.tag(f"{leg}: {name}" if leg else name, limit=80) for leg, name in places]
    subject = "Suite" if len(shown) == 1 else "Suites"
    return f"{subject} {words.first(shown, 4)} {one if len(shown) == 1 else many or one}."


def _legs(found: Delta) -> str:
    said = []
    for legs, rest in (
        (found.missing_legs, "reported on the base and not here"),
        (found.new_legs, "with no report on the base to compare with"),
    ):
        named = [inert.tag(leg, limit=60) for leg in legs if leg]
        if named:
            said.append(f"{'Leg' if len(named) == 1 else 'Legs'} {words.first(named, 4)} {rest}.")
    return " ".join(said)


def _standing(found: Delta, links: Links | None) -> str:
    """Which report it was held against, and whether that is the commit the change stands on."""
    short = inert.code(found.base[:7])
    target = links.commit(found.base) if links else None
    commit = f"[{short}]({target})" if target else short
    if found.is_merge_base:
        return f"<sub>Compared with the report of {commit}, the merge base.</sub>"
    return (
        f"<sub>Compared with the report of {commit}, the last one of {_base(found)}: not the merge base, "
        "so some differences may come from there.</sub>"
    )
