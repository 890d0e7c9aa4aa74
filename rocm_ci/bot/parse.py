"""A comment → the commands in it, or the one mistake that is worth an answer. Pure.

All or nothing: with one mistake in it, none of a comment's commands is carried out.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from rocm_ci.bot import spoken
from rocm_ci.bot.command import GRAMMAR, Command, Form
from rocm_ci.report import inert

MAX_COMMANDS = 5
MAX_LINE = 1_000  # characters
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“”", "”": "”", "‘": "’"}  # telephones type the round ones


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """Why nothing is done. `reason` is plain text, `answer` the same for people, as Markdown."""

    reason: str
    answer: str


def commands(body: str) -> tuple[Command, ...] | Mistake:
    """What a comment asks for, in order and each only once; empty when it asks for nothing."""
    lines = spoken.lines(body)
    if len(lines) > MAX_COMMANDS:
        reason = f"{len(lines)} commands in one comment; at most {MAX_COMMANDS} are taken"
        return Mistake(reason=reason, answer=f"Nothing was done: {reason}.")
    found = []
    for line in lines:
        outcome = _command(line)
        if isinstance(outcome, Mistake):
            return outcome
        found.append(outcome)
    return tuple(dict.fromkeys(found))


def _command(line: str) -> Command | Mistake:
    if len(line) > MAX_LINE:
        return _wrong(f"a command of {len(line)} characters", "", None)
    verb, _, rest = line[len(spoken.WORD) :].strip().replace("\t", " ").partition(" ")
    if not verb:
        return Command(verb="help")
    form = GRAMMAR.get(verb.lower())
    if form is None:
        near = _nearest(verb.lower()[:40])
        hint = f" Did you mean `{spoken.WORD} {near[0]}`?" if near else ""
        shown = inert.line(verb, limit=40)
        return _wrong(f"there is no command {shown!r}", hint, None, shown=f"there is no {inert.code(shown)}")
    words = _words(rest, len(form.arguments) - 1 if form.rest else None)
    if words is None:
        return _wrong("a quotation mark is not closed", "", form)
    return _checked(form, words)


def _nearest(verb: str) -> list[str]:
    begun = [known for known in GRAMMAR if len(verb) > 2 and known.startswith(verb)]
    return begun or difflib.get_close_matches(verb, list(GRAMMAR), n=1, cutoff=0.5)


def _checked(form: Form, words: list[str]) -> Command | Mistake:
    """The command with its arguments, each held against its own strict alphabet."""
    if len(words) > len(form.arguments):
        hint = " A name with spaces stands in quotation marks." if form.arguments else ""
        return _wrong(f"there are too many words after {form.verb}", hint, form)
    if len(words) < form.needed:
        missing = form.arguments[len(words)].name
        article = "an" if missing[0] in "aeio" else "a"
        return _wrong(f"{form.verb} needs {article} {missing}", "", form)
    for argument, word in zip(form.arguments, words, strict=False):
        if not argument.pattern.fullmatch(word):
            shown = inert.line(word, limit=60)
            return _wrong(
                f"{shown!r} is no {argument.name}",
                f" {argument.told}.",
                form,
                shown=f"{inert.code(shown)} is no {argument.name}",
            )
    return Command(verb=form.verb, words=tuple(words))


def _wrong(reason: str, hint: str, form: Form | None, *, shown: str = "") -> Mistake:
    usage = f" It is written `{form.usage}`." if form else f" `{spoken.WORD} help` lists the commands."
    return Mistake(reason=reason, answer=f"Nothing was done: {shown or reason}.{hint}{usage}")


def _words(text: str, split: int | None) -> list[str] | None:
    """The words of `text`, or the first `split` and all the rest as one; None: a quotation has no end.

    Quotation marks count at the beginning of a word only, so that `it's` needs no care. Nothing is
    expanded.
    """
    words: list[str] = []
    text = " ".join(text.split())
    while text:
        if split is not None and len(words) == split:
            return [*words, text]
        closers = _QUOTES.get(text[0])
        if closers is None:
            word, _, text = text.partition(" ")
        else:
            end = min((at for at in (text.find(closer, 1) for closer in closers) if at > 0), default=0)
            if not end:
                return None
            word, text = text[1:end].strip(), text[end + 1 :].lstrip()
        words.append(word)
    return words
