"""Shell text → regions with guards. Scripts, `RUN` of a Dockerfile, `run:` of a workflow, recipes.

A simple command is one CODE region per line it stands on, context `command:NAME` (the tool behind
`sudo`, `time`, `srun` and the like); an assignment is a KEY and a VALUE region, context
`assign:NAME`. Messages (`echo`, `printf`, `log`) are not handed out, the commands inside them are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import UNKNOWN, Outcome, joined
from rocm_ci.scan.shell_conditions import of_command, of_pattern
from rocm_ci.scan.shell_lexer import Places, Token, tokens, unquoted
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Callable

Context = tuple[str, ...]

_ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)(?:\[[^]]*\])?\+?=")
_DECLARES = frozenset({"export", "declare", "local", "readonly", "typeset", "env", "setenv"})
_WRAPPERS = frozenset({
    "sudo", "time", "exec", "nohup", "nice", "env", "command", "builtin", "timeout", "watch", "xargs", "srun", "mpirun",
    "mpiexec", "numactl", "taskset", "stdbuf", "eval", "then", "do", "!", "retry", "torchrun", "singularity", "conda",
})  # fmt: skip
_WRAPPER_VALUE = re.compile(r"^[\d.]+[smhd]?$|^-|^\w+=")
_MESSAGES = frozenset({
    "echo", "printf", "log", "info", "warn", "warning", "error", "err", "die", "fatal", "usage", "say", "note", "fail",
    "abort", "log_info", "log_error", "log_warn", "print", "debug", "msg", "panic", "section", "title", "step",
})  # fmt: skip
_INSTALLS = frozenset(
    {"install", "add", "create", "sync", "download", "wheel", "-S", "localinstall", "update"}
)
_PROBES = frozenset({"[", "[[", "test", "command", "which", "type", "hash", "grep", "egrep"})
_ENDS = frozenset({"then", "else", "elif", "fi", "do", "done", "esac", "}", ")", ";;", ";&", ";;&"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_MOST_NESTING = 60


def regions(
    text: str, line: int, column: int, *, guard: Guard = Guard.NONE, context: Context = ()
) -> list[Region]:
    """The regions of a shell text whose first character stands at `line`, `column`."""
    script = _Script(text, Places(text, line, column))
    try:
        script.read(0, len(text), guard, context)
    except RecursionError:  # thousands of nested groups: not a script that anybody runs
        return []
    return script.regions


class _Script:
    def __init__(self, text: str, places: Places) -> None:
        self.text = text
        self.regions: list[Region] = []
        self._places = places
        self._functions: set[str] = {
            m[1] or m[2]
            for m in re.finditer(r"(?m)^[ \t]*(?:function[ \t]+([\w-]+)|([\w-]+)[ \t]*\(\))", text)
        }
        self._depth = 0

    def read(self, start: int, end: int, guard: Guard, context: Context) -> None:
        """Read a stretch: the whole text, or the inside of a substitution."""
        self._depth += 1
        if self._depth < _MOST_NESTING:
            _Reader(self, list(tokens(self.text, start, end)), context).run(guard)
        self._depth -= 1

    def emit(self, kind: RegionKind, start: int, end: int, guard: Guard, context: Context) -> None:
        """One region per line that a stretch covers."""
        position = start
        while position < end:
            stop = self.text.find("\n", position, end)
            stop = end if stop < 0 else stop
            piece = self.text[position:stop]
            stripped = piece.strip(" \t\\")
            if stripped:
                line, column = self._places.of(position + piece.index(stripped[0]))
                self.regions.append(Region(kind, stripped, line, column, guard, context))
            position = stop + 1

    def function_guard(self, name: str) -> Guard:
        """A function named after NVIDIA, with one for AMD beside it."""
        if vendor.of(name) is Guard.NVIDIA and any(vendor.of(f) is Guard.AMD for f in self._functions):
            return Guard.NVIDIA
        return Guard.NONE


class _Reader:
    """Recursive descent over the tokens of one stretch; what it does not understand it passes over."""

    def __init__(self, script: _Script, found: list[Token], context: Context) -> None:
        self._script = script
        self._tokens = found
        self._context = context
        self._at = 0

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
            fallback = condition or self._is_probed()
            first, leaves = self._pipeline(here, is_condition=fallback)
            outcome = first if outcome is UNKNOWN else outcome
            operator = self._peek()
            if operator not in ("&&", "||"):
                return outcome, rest if rest is not Guard.NONE else leaves
            self._at += 1
            while self._take("\n"):
                pass
            here = vendor.both(guard, first.true if operator == "&&" else first.false)
            outcome = (
                joined([outcome, first], conjunction=operator == "&&") if outcome is not first else first
            )
            if condition:
                second, _ = self._peeked_outcome(here)
                outcome = joined([first, second], conjunction=operator == "&&")
                return outcome, rest

    def _peeked_outcome(self, guard: Guard) -> tuple[Outcome, Guard]:
        return self._and_or(guard, condition=True)

    def _is_probed(self) -> bool:
        """Whether the next command is followed by `||` and something that does not give up."""
        depth = 0
        for index in range(self._at, len(self._tokens)):
            text = self._tokens[index].text
            depth += (text in ("(", "{")) - (text in (")", "}"))
            if depth < 0 or (depth == 0 and text in ("\n", ";", "&", "&&", ";;")):
                return False
            if depth == 0 and text == "||":
                return not self._gives_up(index + 1)
        return False

    def _gives_up(self, index: int) -> bool:
        """Whether the alternative that begins at a token ends the script: `|| exit 1`, `|| { echo …; exit 1; }`."""
        if self._tokens[index : index + 1] and self._tokens[index].text in (
            "exit",
            "die",
            "fail",
            "abort",
            "return",
        ):
            return True
        grouped = self._tokens[index : index + 1] and self._tokens[index].text in ("{", "(")
        for token in self._tokens[index:]:
            if token.text in ("}", ")") or (token.text == "\n" and not grouped):
                break
            if token.text in ("exit", "return"):
                return True
        return False

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
            return UNKNOWN, handler(guard)
        if self._is_word() and [t.text for t in self._tokens[self._at + 1 : self._at + 3]] == ["(", ")"]:
            return UNKNOWN, self._function(guard)
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
            leaves = self._leaves(start)
            if leaves == "quietly" or (leaves and not outcome.probe):
                rest = vendor.both(rest, outcome.false)
            here = vendor.both(here, outcome.false)
            if self._take("elif"):
                continue
            if self._take("else"):
                start = self._at
                self._list(here)
                if self._leaves(start) == "quietly":
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

    def _leaves(self, start: int) -> str:
        """How the body that began at `start` ends: quietly (`exit 0`, `return`), loudly (`exit 1`), or not at all."""
        body = [t.text for t in self._tokens[start : self._at] if t.text not in ("\n", ";")]
        match body[-2:]:
            case ["exit" | "return", "0"] | [_, "return" | "continue" | "break"] | ["return"]:
                return "quietly"
            case ["exit" | "return", _] | [_, "exit"]:
                return "loudly"
        return ""

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
            self._list(vendor.both(guard, outcome.true))
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
            for start, end in word.inner:
                self._script.read(start, end, guard, self._context)

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
        outcome = of_command([w.text for w in words])
        if is_condition and outcome.probe:
            guard = vendor.both(guard, Guard.EITHER)
        _Command(self._script, words, guard, self._context, writes=writes).emit()
        self._substitutions(words, guard)
        return outcome


class _Command:
    """One simple command: what of it is handed out."""

    def __init__(
        self, script: _Script, words: list[Token], guard: Guard, context: Context, *, writes: bool
    ) -> None:
        self._script = script
        self._words = words
        self._guard = guard
        self._context = context
        self._writes = writes

    def emit(self) -> None:
        words = self._assignments(self._words)
        if words and unquoted(words[0].text) in _DECLARES:
            self._context = (*self._context, "export")
            rest = self._assignments([w for w in words[1:] if not w.text.startswith("-")])
            words = rest if words[0].text in ("env", "setenv") else []
        words = self._unwrapped(words)
        if not words:
            return
        name = unquoted(words[0].text).rsplit("/", 1)[-1]
        if name in _MESSAGES and not self._writes:
            return
        if name in _SHELLS:
            self._inline_script(words)
        guard = self._guard
        if name in _PROBES and guard is Guard.NONE:
            guard = Guard.EITHER
        context = (*self._context, f"command:{name}")
        if any(w.text in _INSTALLS for w in words[1:6]):
            context = (*context, "installs")
        self._script.emit(RegionKind.CODE, words[0].start, words[-1].end, guard, context)

    def _assignments(self, words: list[Token]) -> list[Token]:
        """Hand out leading assignments; returns what follows them."""
        for index, word in enumerate(words):
            found = _ASSIGNMENT.match(word.text)
            if found is None:
                return words[index:]
            context = (*self._context, f"assign:{found[1]}")
            start = word.start + found.end()
            self._script.emit(RegionKind.KEY, word.start, word.start + len(found[1]), self._guard, context)
            self._script.emit(RegionKind.VALUE, start, word.end, self._guard, context)
        return []

    def _unwrapped(self, words: list[Token]) -> list[Token]:
        """The command that `sudo -E`, `timeout 10`, `srun -N1` and the like start."""
        while len(words) > 1 and unquoted(words[0].text) in _WRAPPERS:
            rest = words[1:]
            if words[0].text == "command" and rest[0].text in ("-v", "-V"):
                break
            while len(rest) > 1 and _WRAPPER_VALUE.match(rest[0].text):
                rest = rest[1:]
            if unquoted(words[0].text) in ("conda", "singularity") and rest[0].text not in ("run", "exec"):
                break
            words = rest
        return words

    def _inline_script(self, words: list[Token]) -> None:
        """`bash -c "…"`: the text inside the quotes is a script of its own."""
        for option, word in zip(words[1:], words[2:], strict=False):
            if option.text.startswith("-") and option.text.endswith("c") and word.text[:1] in "\"'":
                self._script.read(word.start + 1, word.end - 1, self._guard, self._context)
