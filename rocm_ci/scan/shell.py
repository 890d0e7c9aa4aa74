"""Shell text → regions with guards. Scripts, `RUN` of a Dockerfile, `run:` of a workflow, recipes.

A simple command is one CODE region per line it stands on, context `command:NAME` (the tool behind
`sudo`, `time`, `srun` and the like); an assignment is a KEY and a VALUE region, context
`assign:NAME`. Messages (`echo`, `printf`, `log`) are not handed out, the commands inside them are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import UNKNOWN, Outcome, joined
from rocm_ci.scan.shell_commands import Command, Context, Script
from rocm_ci.scan.shell_conditions import of_command, of_pattern
from rocm_ci.scan.shell_exits import has_fallback, how_it_leaves, leaves_alternative
from rocm_ci.scan.shell_lexer import Places, Token, tokens, unquoted
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.scan.source import Region

_ENDS = frozenset({"then", "else", "elif", "fi", "do", "done", "esac", "}", ")", ";;", ";&", ";;&"})
_MOST_NESTING = 60


def regions(
    text: str, line: int, column: int, *, guard: Guard = Guard.NONE, context: Context = ()
) -> list[Region]:
    """The regions of a shell text whose first character stands at `line`, `column`."""
    script = Script(text, Places(text, line, column))
    _read(script, (0, len(text)), guard, context)
    return script.regions


def _read(script: Script, stretch: tuple[int, int], guard: Guard, context: Context) -> None:
    """Read a stretch: the whole text, or the inside of a substitution."""
    script.depth += 1
    if script.depth < _MOST_NESTING:
        _Reader(script, list(tokens(script.text, *stretch)), context).run(guard)
    script.depth -= 1


class _Reader:
    """Recursive descent over the tokens of one stretch; what it does not understand it passes over."""

    def __init__(self, script: Script, found: list[Token], context: Context) -> None:
        self._script = script
        self._tokens = found
        self._context = context
        self._at = 0
        self._depth = 0
        self._has_or = any(token.text == "||" for token in found)

    def run(self, guard: Guard) -> None:
        while self._at < len(self._tokens):
            before = self._at
            self._list(guard)
            if self._at == before or self._at < len(self._tokens):
                self._at += 1  # a stray `fi`, `)` or `;;`

    def _peek(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _is_word(self) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at].kind == "word"

    def _take(self, text: str) -> bool:
        if self._peek() == text:
            self._at += 1
            return True
        return False

    def _list(self, guard: Guard) -> Guard:
        """Commands up to an end word; returns the guard of what would come next."""
        while self._at < len(self._tokens):
            if self._peek() in ("\n", ";", "&"):
                self._at += 1
            elif self._peek() in _ENDS:
                break
            else:
                before = self._at
                _, rest = self._and_or(guard)
                guard = vendor.both(guard, rest)
                if self._at == before:
                    self._at += 1
        return guard

    def _and_or(self, guard: Guard, *, condition: bool = False) -> tuple[Outcome, Guard]:
        """A chain of `&&` and `||`: (what its success says, what must hold after it)."""
        here = guard
        outcome = UNKNOWN
        rest = Guard.NONE
        while True:
            fallback = condition or (self._has_or and has_fallback(self._tokens, self._at))
            first, leaves = self._pipeline(here, is_condition=fallback)
            outcome = first if outcome is UNKNOWN else outcome
            operator = self._peek()
            if operator not in ("&&", "||"):
                return outcome, rest if rest is not Guard.NONE else leaves
            self._at += 1
            while self._take("\n"):
                pass
            if rest is Guard.NONE and leaves_alternative(self._tokens, self._at, probe=outcome.probe):
                rest = outcome.false if operator == "&&" else outcome.true
            here = vendor.both(guard, first.true if operator == "&&" else first.false)
            outcome = (
                joined([outcome, first], conjunction=operator == "&&") if outcome is not first else first
            )
            if condition:
                second, _ = self._and_or(here, condition=True)
                return joined([first, second], conjunction=operator == "&&"), rest

    def _pipeline(self, guard: Guard, *, is_condition: bool) -> tuple[Outcome, Guard]:
        negated = self._take("!")
        outcome, rest = self._command(guard, is_condition=is_condition)
        while self._peek() in ("|", "|&"):
            self._at += 1
            while self._take("\n"):
                pass
            last, _ = self._command(guard, is_condition=is_condition)
            outcome = last or outcome
        return (~outcome if negated else outcome), rest

    def _command(self, guard: Guard, *, is_condition: bool) -> tuple[Outcome, Guard]:
        word = self._peek()
        handler: Callable[[Guard], Guard] | None = {
            "if": self._if,
            "while": self._loop,
            "until": self._loop,
            "for": self._for,
            "select": self._for,
            "case": self._case,
            "{": self._group,
            "(": self._group,
            "function": self._function,
        }.get(word)
        if handler is not None and (self._is_word() or word == "("):
            self._at += 1
            if self._depth > _MOST_NESTING:  # not a script that anybody runs: go on without structure
                return UNKNOWN, Guard.NONE
            self._depth += 1
            rest = handler(guard)
            self._depth -= 1
            return UNKNOWN, rest
        if self._is_word() and [t.text for t in self._tokens[self._at + 1 : self._at + 3]] == ["(", ")"]:
            if self._depth > _MOST_NESTING:
                self._at += 3
                return UNKNOWN, Guard.NONE
            self._depth += 1
            rest = self._function(guard)
            self._depth -= 1
            return UNKNOWN, rest
        return self._simple(guard, is_condition=is_condition), Guard.NONE

    def _if(self, guard: Guard) -> Guard:
        """`if … then … elif … else … fi`; returns what holds after it when a branch leaves."""
        rest = Guard.NONE
        here = guard
        while True:
            outcome = self._condition(here)
            self._take("then")
            start = self._at
            self._list(vendor.both(here, outcome.true))
            leaves = how_it_leaves(self._tokens[start : self._at])
            if leaves == "quietly" or (leaves and not outcome.probe):
                rest = vendor.both(rest, outcome.false)
            here = vendor.both(here, outcome.false)
            if self._take("elif"):
                continue
            if self._take("else"):
                start = self._at
                self._list(here)
                if how_it_leaves(self._tokens[start : self._at]) == "quietly":
                    rest = vendor.both(rest, outcome.true)
            self._take("fi")
            self._redirections()
            return rest

    def _condition(self, guard: Guard) -> Outcome:
        while self._peek() in ("\n", ";"):
            self._at += 1
        outcome = UNKNOWN
        while self._at < len(self._tokens) and self._peek() not in ("then", "do", *_ENDS):
            if self._peek() in ("\n", ";", "&"):
                self._at += 1
                continue
            before = self._at
            outcome, _ = self._and_or(guard, condition=True)
            if self._at == before:
                self._at += 1
        return outcome

    def _loop(self, guard: Guard) -> Guard:
        outcome = self._condition(guard)
        self._take("do")
        self._list(vendor.both(guard, outcome.true))
        self._take("done")
        self._redirections()
        return Guard.NONE

    def _for(self, guard: Guard) -> Guard:
        words = []
        while self._at < len(self._tokens) and self._peek() not in ("do", "{"):
            words.append(self._tokens[self._at])
            self._at += 1
        self._substitutions(words, guard)
        self._at += 1
        self._list(guard)
        self._take("done")
        self._redirections()
        return Guard.NONE

    def _case(self, guard: Guard) -> Guard:
        subject = ""
        others: set[Guard] = set()  # what holds where the arms so far do not
        while self._at < len(self._tokens) and not self._take("in"):
            subject += self._peek()
            self._substitutions([self._tokens[self._at]], guard)
            self._at += 1
        while self._at < len(self._tokens) and not self._take("esac"):
            if self._peek() in ("\n", "(", ";;", ";&", ";;&"):
                self._at += 1
                continue
            pattern = []
            while self._at < len(self._tokens) and not self._take(")"):
                pattern.append(unquoted(self._peek()))
                self._at += 1
            outcome = of_pattern(" ".join(p for p in pattern if p != "|"), subject=subject)
            before = self._at
            here = outcome.true
            if pattern == ["*"] and len(others) == 1:  # with an arm for each vendor it is for neither
                (here,) = others
            elif outcome.true is not Guard.NONE:
                others.add(outcome.false)
            self._list(vendor.both(guard, here))
            if self._at == before and self._peek() in (")", "}", "done", "fi"):
                self._at += 1
        self._redirections()
        return Guard.NONE

    def _group(self, guard: Guard) -> Guard:
        rest = self._list(guard)
        self._at += 1 if self._peek() in ("}", ")") else 0
        self._redirections()
        return rest if rest is not guard else Guard.NONE

    def _function(self, guard: Guard) -> Guard:
        name = self._peek()
        self._at += 1
        while self._peek() in ("(", ")", "\n"):
            self._at += 1
        self._command(vendor.both(guard, self._script.function_guard(name)), is_condition=False)
        return Guard.NONE

    def _redirections(self) -> None:
        while self._at < len(self._tokens) and self._tokens[self._at].kind == "redirect":
            self._at += 2

    def _substitutions(self, words: list[Token], guard: Guard) -> None:
        for word in words:
            for stretch in word.inner:
                _read(self._script, stretch, guard, self._context)

    def _simple(self, guard: Guard, *, is_condition: bool) -> Outcome:
        """An ordinary command with its assignments and redirections."""
        words: list[Token] = []
        writes = False
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.kind == "op" and not (
                words and words[0].text == "[[" and token.text in ("&&", "||", "(", ")")
            ):
                break
            self._at += 1
            if token.kind == "redirect":
                target = self._peek()
                writes = writes or (">" in token.text and not target.startswith(("/dev/", "&", "2", "1")))
                self._at += 1
                continue
            words.append(token)
            if token.text == "]]":
                break
        outcome = of_command([w.text for w in words], self._script.known)
        if is_condition and outcome.probe:
            guard = vendor.both(guard, Guard.EITHER)
        command = Command(self._script, words, guard, self._context, writes=writes)
        for stretch in command.emit():
            _read(self._script, stretch, guard, command.inner)
        self._substitutions(words, guard)
        return outcome
