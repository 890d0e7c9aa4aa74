"""The passing notice above a comment: a newer run is under way, or ended without a result. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.report import inert

if TYPE_CHECKING:
    from rocm_ci.github.marker import Stamp
    from rocm_ci.report.links import Links


def running(links: Links, stamp: Stamp) -> str:
    """`⏳ This is about abc1234; def5678 is running.`; `stamp` names the run that is awaited."""
    run = _run("running", links, stamp)
    if stamp.awaited_head == stamp.head:
        return f"> ⏳ This is an earlier result of {_commit(stamp.head, links)}; a new run of it is {run}."
    shown, awaited = _commit(stamp.head, links), _commit(stamp.awaited_head, links)
    return f"> ⏳ **Out of date:** this is about {shown}; {awaited} is {run}."


def ended(links: Links, stamp: Stamp, reason: str) -> str:
    """The awaited run left no result, so that what the comment shows is not the last word."""
    shown, awaited = _commit(stamp.head, links), _commit(stamp.awaited_head, links)
    why = inert.prose(reason, limit=200).rstrip(".")
    again = f"Look at {_run('its page', links, stamp)}, and run it again."
    if stamp.awaited_head == stamp.head:
        return f"> ⚠️ This is an earlier result of {shown}; a later run has none: {why}. {again}"
    return f"> ⚠️ **Out of date:** this is about {shown}; of {awaited} there is no result: {why}. {again}"


def _run(said: str, links: Links, stamp: Stamp) -> str:
    page = links.run_page(stamp.awaited_run, stamp.awaited_attempt) if stamp.awaited_run else None
    return f"[{said}]({page})" if page else said


def _commit(sha: str, links: Links) -> str:
    page = links.commit(sha)
    short = inert.code(sha[:7])
    return f"[{short}]({page})" if page else short
