"""The open lists of the comment: what to fix, what the machine did, what was let pass. Inert Markdown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rocm_ci.model.result import PerfResult
from rocm_ci.report import causes, inert, legs, words
from rocm_ci.report.headline import OWN_FAULT
from rocm_ci.report.links import published
from rocm_ci.report.problems import notes, seen_on, speed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocm_ci.model.diagnostic import Diagnosis
    from rocm_ci.model.report import Report
    from rocm_ci.report.links import Links
    from rocm_ci.report.problem import Problem
    from rocm_ci.report.room import Room

_ACCEPTED = 10
_ALSO = 3
_NOTES = 3
_BOT = "/rocm-ci"


@dataclass(frozen=True, kw_only=True)
class Lists:
    """What the lists of one comment have in common; `base` is the name of the branch it goes to."""

    report: Report
    links: Links
    problems: tuple[Problem, ...]
    base: str = ""

    def render(self, room: Room) -> str:
        """All lists that have something to say."""
        change = [p for p in self.problems if p.kind != "machine"]
        machine = [p for p in self.problems if p.kind == "machine"]
        if len(machine) == 1 and legs.unapproved(self.report):
            machine = []  # the first sentence has said it
        # What is not this change's doing is nothing for its author to fix first.
        old = [p for p in change if p.on_base]
        parts = (
            self._numbered("Fix first", [p for p in change if not p.on_base], room),
            self._numbered(f"Fails on {self._base()} too", old, room),
            self._numbered(self._machine_title(machine), machine, room),
            self._accepted(room),
            self._notes(room),
        )
        return "\n\n".join(part for part in parts if part)

    def _machine_title(self, listed: Sequence[Problem]) -> str:
        """No machine is blamed for what somebody stopped, never came, or is our own defect."""
        if self.report.interrupted:
            return "What was broken off"
        if all((p.subject or "").startswith("leg ") for p in listed):
            return "What is missing"
        if any(p.message.startswith(OWN_FAULT) for p in listed):
            return "What went wrong in rocm-ci"
        return "What went wrong on the machine"

    def _base(self) -> str:
        return inert.code(self.base, limit=60) if self.base else "the base"

    def _numbered(self, title: str, listed: Sequence[Problem], room: Room) -> str:
        if not listed:
            return ""
        shown = listed[: room.fixes]
        items, told = [], dict[str, int]()
        for number, p in enumerate(shown, 1):
            # One cause of many failures is told once, and then named.
            known = told.setdefault(p.cause.id, number) if p.cause else 0
            items.append(f"{number}. {self._item(p, room, 0 if known == number else known)}")
        rest = f"\n\n… and {len(listed) - len(shown):,} more{' below' if room.details else ''}."
        return f"**{title}**\n\n" + "\n".join(items) + (rest if len(listed) > len(shown) else "")

    def _item(self, p: Problem, room: Room, known: int) -> str:
        """One thing to fix, as a list item whose further lines are indented to belong to it.

        `known` is the number of the item that has told its cause already.
        """
        said = f"{self._subject(p)}{self._where(p)} — {inert.prose(p.message, limit=room.text)}"
        if p.also:
            others = words.first([inert.code(name, limit=100) for name in p.also[:_ALSO]], _ALSO)
            if len(p.also) > _ALSO:
                others += f", and {len(p.also) - _ALSO:,} more"
            said += f" (and so {'does' if len(p.also) == 1 else 'do'} {others})"
        lines = [said]
        if p.advice:
            lines[0] = _stopped(said) + " " + words.sentence(inert.prose(p.advice, limit=room.text))
        if p.replacement and p.replacement in (p.advice or ""):
            lines[0] = f"{lines[0].removesuffix('.')} (ready fix)."
        elif p.replacement:
            lines[0] = _stopped(lines[0]) + f" Ready fix: {inert.code(p.replacement, limit=160)}."
        if p.rule:
            page_of_rule = published(p.docs)
            name = inert.tag(p.rule, limit=60)
            lines[0] += f" <sub>{f'[{name}]({page_of_rule})' if page_of_rule else name}</sub>"
        if p.cause:
            lines += causes.lines(p.cause, room, at=self._at_cause(p), known=known)
        if p.command and p.kind == "test":
            lines.append(f"Run it: {inert.code(p.command, limit=600)}")
        if p.kind == "perf" and p.weight and any(c.startswith(_BOT) for c in self.links.commands):
            asked = f"{_BOT} accept-perf {_quoted(p.subject or p.kind)} REASON"
            lines.append(f"Worth it? {inert.code(asked)}")
        return "<br>\n   ".join(lines)

    def _subject(self, p: Problem) -> str:
        place = p.place
        if p.subject or not place:
            shown = inert.code(p.subject or p.kind)
            # The name of a test says little about where it is.
            is_told = not place or (p.path and p.path in (p.subject or ""))
            return shown if is_told else f"{shown} in {self._at(p)}"
        return self._at(p)

    def _at_cause(self, p: Problem) -> str:
        """Where the cause lies, if that is elsewhere."""
        path, line = causes.placed(p.cause) if p.cause else (None, None)
        if path is None or (path, line) == (p.path, p.line):
            return ""
        return self._at(replace(p, path=path, line=line))

    def _at(self, p: Problem) -> str:
        shown = inert.code(p.place or "", limit=160)
        target = self.links.place(self.report.event.head, p.path or "", p.line) if p.path else None
        return f"[{shown}]({target})" if target else shown

    def _where(self, p: Problem) -> str:
        said = seen_on(p, self.report)
        return f" {inert.text(said)}" if said else ""

    def _notes(self, room: Room) -> str:
        """What made green parts slow or less exact."""
        listed = notes(self.report)
        shown = listed[:_NOTES]
        items = [f"- {self._note(p, p.cause, room)}" for p in shown if p.cause]
        if len(listed) > len(shown):
            items.append(f"- … and {len(listed) - len(shown):,} more, in the report")
        return "**Passed, but worth knowing**\n\n" + "\n".join(items) if items else ""

    def _note(self, p: Problem, cause: Diagnosis, room: Room) -> str:
        head, *others = causes.lines(cause, room, is_note=True)
        return "<br>\n  ".join((f"{self._subject(p)}{self._where(p)} — {head}", *others))

    def _accepted(self, room: Room) -> str:
        """The regressions that a maintainer let pass, by whom and why: nobody shall find them by chance."""
        passed = [
            (result.leg, comparison)
            for result in self.report.results
            if isinstance(result, PerfResult)
            for bench in result.benches
            for comparison in bench.comparisons
            if comparison.accepted
        ]
        if not passed:
            return ""
        items = [
            f"- {inert.code(c.name, limit=100)}{f' on {inert.text(leg)}' if leg else ''} — "
            f"{inert.text(speed(c), limit=room.text)}; {inert.text(_who(c.accepted), limit=room.text)}"
            for leg, c in passed[:_ACCEPTED]
        ]
        if len(passed) > _ACCEPTED:
            items.append(f"- … and {len(passed) - _ACCEPTED:,} more")
        return "**Slower, and accepted**\n\n" + "\n".join(items)


def _quoted(name: str) -> str:
    """A name as the bot reads it."""
    shown = inert.line(name, limit=100)
    return f'"{shown}"' if " " in shown else shown


def _who(accepted: str) -> str:
    return f"accepted {accepted}" if accepted.startswith("by ") else accepted


def _stopped(said: str) -> str:
    return said if said[-1] in ".!?…" else said + "."
