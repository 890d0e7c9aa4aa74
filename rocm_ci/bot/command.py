"""The commands: how each is written, who may use it, what it does. The only list of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

# As names in the configuration (config/options.py), shorter: they become inputs of a workflow.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._+-]{0,78}[A-Za-z0-9._+-])?")
_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+){0,15}")
# Looked up among the names of a report, shown as inert text; goes nowhere else.
_SERIES = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,300}")
_REASON = re.compile(r"(?=.*\w.*\w.*\w)[^\x00-\x1f\x7f-\x9f]{3,500}")


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One argument: what it is called, what it must match whole, and how to say that."""

    name: str
    pattern: re.Pattern[str]
    told: str


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a command is written. `rest` says that the last argument is all the text that is left.

    `is_open` commands are for everybody; the others need write access to the repository.
    """

    verb: str
    does: str
    arguments: tuple[Argument, ...] = ()
    needed: int = 0
    rest: bool = False
    is_open: bool = False

    @property
    def usage(self) -> str:
        """Such as `/rocm-ci accept-perf NAME REASON`."""
        shown = [
            a.name.upper().replace(" ", "-") if index < self.needed else f"[{a.name}]"
            for index, a in enumerate(self.arguments)
        ]
        return " ".join(("/rocm-ci", self.verb, *shown))


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command, checked: `words` are its arguments."""

    verb: str
    words: tuple[str, ...] = ()

    @property
    def form(self) -> Form:
        """How it is written."""
        return GRAMMAR[self.verb]

    @property
    def text(self) -> str:
        """As it could be typed."""
        shown = (f'"{word}"' if " " in word else word for word in self.words)
        return " ".join(("/rocm-ci", self.verb, *shown))


def _name(of: str) -> Argument:
    told = "It has letters, digits, spaces and `._+-`, as in the configuration; put quotes around spaces"
    return Argument(name=of, pattern=_NAME, told=told)


_FORMS = (
    Form(verb="run", does="run everything again, or one test suite", arguments=(_name("suite"),)),
    Form(verb="rerun-failed", does="run the failed jobs of the last run again"),
    Form(verb="bench", does="measure again, all benchmarks or one", arguments=(_name("benchmark"),)),
    Form(
        verb="ok-to-test",
        does="let this very commit of a fork run on our machines; the next push needs it anew",
        arguments=(
            Argument(
                name="commit",
                pattern=_COMMIT,
                told="Name it with all its digits: beginnings of commit names can be forged",
            ),
        ),
    ),
    Form(verb="cancel", does="stop what is running for this commit"),
    Form(
        verb="accept-perf",
        does="let a measured regression pass, up to what was measured",
        arguments=(
            Argument(name="name", pattern=_SERIES, told="It is the name in the table of benchmarks"),
            Argument(name="reason", pattern=_REASON, told="Say in 3 to 500 characters why"),
        ),
        needed=2,
        rest=True,
    ),
    Form(
        verb="explain",
        does="what a rule of the scanner is about",
        arguments=(Argument(name="id", pattern=_ID, told="Such as `cuda-install-path`"),),
        needed=1,
        is_open=True,
    ),
    Form(verb="help", does="this list", is_open=True),
)
GRAMMAR = {form.verb: form for form in _FORMS}
