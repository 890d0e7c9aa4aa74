"""The commands that only answer: help, and explain for one rule of the scanner."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from rocm_ci import registry
from rocm_ci.bot.command import GRAMMAR
from rocm_ci.bot.scene import Done, declined
from rocm_ci.report import inert, words
from rocm_ci.report.links import PROJECT
from rocm_ci.report.rule_help import OWN

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.scan.rule import Rule


_HOW = (
    "A command stands at the beginning of a line, outside of code and quotes, in a new comment; a name with "
    "spaces stands in quotation marks."
)


def help_page() -> Done:
    """All commands."""
    rows = [f"| `{form.usage}` | {form.does} |" for form in GRAMMAR.values()]
    everybody = " and ".join(f"`{form.verb}`" for form in GRAMMAR.values() if form.is_open)
    table = "\n".join(("| command | what it does |", "|---|---|", *rows))
    who = f"{everybody} are for everybody, the others need write access to the repository."
    return Done(reason="listed the commands", answer=f"{table}\n\n{who} {_HOW}")


def explain(name: str) -> Done:
    """What a rule looks for, why, and what to do; of a topic, its rules.

    Raises `DeclinedError` for a name that is neither.
    """
    if name in OWN:
        return Done(reason=f"explained {name}", answer=f"**`{name}`**\n\n{inert.prose(OWN[name], limit=600)}")
    files = {path.stem: path for path in sorted((registry.data_folder("rules") / "scan").glob("*/*.yaml"))}
    if name in files:
        return Done(reason=f"explained {name}", answer=_page(_read(files[name])))
    members = [rule for rule, path in files.items() if path.parent.name == name]
    if members:
        listed = ", ".join(f"`{rule}`" for rule in members)
        return Done(reason=f"listed the rules of {name}", answer=f"The rules of `{name}` are {listed}.")
    topics = {path.parent.name for path in files.values()}
    near = difflib.get_close_matches(name, [*files, *OWN, *topics], n=3, cutoff=0.5)
    listed = ", ".join(f"`{one}`" for one in near)
    raise declined(f"no rule is called `{name}`", f"did you mean {listed}?" if near else "")


def _read(path: Path) -> Rule:
    from rocm_ci.scan.rule import decode  # noqa: PLC0415 - YAML, only for this command

    return decode(path.read_text(encoding="utf-8"), path.name)


def _page(rule: Rule) -> str:
    parts = [
        f"**`{rule.id}`** ({rule.topic.value}, {rule.severity.value})",
        inert.prose(rule.why, limit=1500),
        f"**Fix**: {inert.prose(words.sentence(_general(rule.fix)), limit=1500)}",
    ]
    bad = next(iter(rule.bad), None)
    good = next(iter(rule.good), None)
    parts += [f"Found:\n\n{inert.fence(bad.text, limit=1500)}"] if bad else []
    parts += [f"Not found:\n\n{inert.fence(good.text, limit=1500)}"] if good else []
    parts.append(f"[More about it]({PROJECT}/blob/main/docs/rules/{rule.id}.md)")
    return "\n\n".join(part for part in parts if part)


def _general(text: str) -> str:
    """A text of a finding, where there is none: its blanks stay open."""
    return text.replace("`{replacement}`", "its HIP counterpart").replace("{match}", "…")
