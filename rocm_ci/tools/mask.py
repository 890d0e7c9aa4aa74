"""Text without what must not be shown: in one piece, or as a stream of a log while it is written.

It guards against accidents: a command that prints its environment, a path with somebody's name. Whoever
wants to get a secret out of a run on purpose can spell it backwards.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Protocol

from ahocorasick_rs import AhoCorasick

from rocm_ci.tools.mask_logins import LOGINS
from rocm_ci.tools.mask_rules import HIDDEN, HOST, KEY_BLOCK, KEY_NEEDLE, RULES, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Sink(Protocol):
    """What a log is written to."""

    def write(self, data: bytes, /) -> int:
        """Take all of `data`."""
        ...


_LEAST_SECRET = 8
_LEAST_HOST = 5
_MOST_VALUES = 200
# A line without an end must not be held back for ever.
_MOST_HELD = 65_536
_SURROGATES = re.compile("[\ud800-\udfff]")
_BEGIN = b"-----BEGIN "
_KEY = b"PRIVATE KEY"
_END = b"-----END "
_COMMON = {"localhost", "runner", "ubuntu", "docker", "github", "worker", "server", "default"}


class Mask:
    """Rules for everybody, and what only the caller knows: `hosts` by name, `secrets` by value.

    Short or common names would hide half of a log, so a host counts only with a digit, a dash or a dot in
    it, a secret only from eight characters on.
    """

    def __init__(self, *, hosts: Iterable[str] = (), secrets: Iterable[str] = ()) -> None:
        own = [
            *_literal(filter(_is_secret, secrets), HIDDEN, edges=False),
            *_literal(filter(_is_host, _with_short(hosts)), HOST, edges=True),
        ]
        # A value that is known goes first: a rule could hide a part of it and leave the rest.
        self._rules: tuple[Rule, ...] = (*own, *RULES, *LOGINS)
        owners: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            for needle in rule.needles:
                owners.setdefault(needle, []).append(number)
        self._owners = [tuple(numbers) for numbers in owners.values()]
        self._search = AhoCorasick(list(owners))

    def is_clean(self, text: str) -> bool:
        """Whether there is certainly nothing to hide; False says only that it must be looked at."""
        return not self._found(text.lower())

    def _found(self, low: str) -> list[tuple[int, int, int]]:
        """Every needle in a text of small letters: which, from where, to where."""
        try:
            return self._search.find_matches_as_indexes(low, overlapping=True)
        except UnicodeEncodeError:
            # Bytes that are no UTF-8 are kept as lone surrogates.
            return self._search.find_matches_as_indexes(_SURROGATES.sub("?", low), overlapping=True)

    def text(self, text: str) -> str:
        """The text with all of it hidden; the same object when there is nothing."""
        low = text.lower()
        found = self._found(low)
        if not found:
            return text
        if any(low[start:end] == KEY_NEEDLE for _, start, end in found):
            # Keys are the one thing that goes over several lines.
            text = KEY_BLOCK.applied(text)
            low = text.lower()
            found = self._found(low)
        if "\n" not in text or len(low) != len(text):
            return self._line(text, {number for index, _, _ in found for number in self._owners[index]})
        return self._lines(text, sorted((start, index) for index, start, _ in found))

    @contextlib.contextmanager
    def over(self, sink: Sink) -> Iterator[Stream]:
        """A log on its way into `sink`; what is held back of it is written at the end."""
        stream = Stream(self, sink)
        try:
            yield stream
        finally:
            stream.finish()

    def _lines(self, text: str, found: list[tuple[int, int]]) -> str:
        """Only the lines with a needle in them are worked on, each with the rules that it belongs to."""
        pieces: list[str] = []
        done = 0
        at = 0
        while at < len(found):
            start = max(text.rfind("\n", 0, found[at][0]) + 1, done)
            end = text.find("\n", found[at][0])
            end = len(text) if end < 0 else end
            rules: set[int] = set()
            while at < len(found) and found[at][0] < end:
                rules.update(self._owners[found[at][1]])
                at += 1
            pieces += (text[done:start], self._line(text[start:end], rules))
            done = end
        return "".join((*pieces, text[done:]))

    def _line(self, text: str, rules: set[int]) -> str:
        for number in sorted(rules):
            text = self._rules[number].applied(text)
        return text


def _literal(values: Iterable[str], shown: str, *, edges: bool) -> list[Rule]:
    """A rule for each value, the longest first; with `edges` only where it stands alone."""
    edge = (r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])") if edges else ("", "")
    kept = sorted(set(values), key=len, reverse=True)[:_MOST_VALUES]
    return [
        Rule((v.lower(),), re.compile(edge[0] + re.escape(v) + edge[1], re.IGNORECASE), shown) for v in kept
    ]


def _is_secret(value: str) -> bool:
    return len(value) >= _LEAST_SECRET and "\n" not in value and not value.isspace()


def _is_host(name: str) -> bool:
    marked = any(c.isdigit() or c in "-." for c in name)
    return _LEAST_HOST <= len(name) <= 255 and marked and name.lower() not in _COMMON


def _with_short(hosts: Iterable[str]) -> list[str]:
    return [name for host in hosts for name in (host, host.partition(".")[0])]


class Stream:
    """Bytes of a log, masked line by line on their way into a file."""

    def __init__(self, mask: Mask, sink: Sink) -> None:
        self._mask = mask
        self._sink = sink
        self._held = b""

    def write(self, chunk: bytes) -> int:
        """Whole lines go on at once. The rest of one waits, and so does a key for its end."""
        data = self._held + chunk
        cut = data.rfind(b"\n") + 1
        begin = data.rfind(_BEGIN)
        is_key = begin >= 0 and _KEY in data[begin : begin + 80]
        if is_key and b"\n" not in data[begin:].partition(_END)[2]:
            cut = data.rfind(b"\n", 0, begin) + 1
        if len(data) - cut > _MOST_HELD:
            cut = len(data)
        self._held = data[cut:]
        self._pass_on(data[:cut])
        return len(chunk)

    def finish(self) -> None:
        """Write what was held back."""
        data, self._held = self._held, b""
        self._pass_on(data)

    def _pass_on(self, data: bytes) -> None:
        # Whatever is no UTF-8 comes out as it went in.
        text = data.decode("utf-8", "surrogateescape")
        hidden = self._mask.text(text)
        if data:
            self._sink.write(data if hidden is text else hidden.encode("utf-8", "surrogateescape"))
