"""The user's own file and line behind an error that is reported in somebody else's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocm_ci.knowledge.plain import Plain
    from rocm_ci.knowledge.sweep import Hit

_PATH = r"(?P<path>(?:[A-Za-z]:)?[^\s:\"'()<>|*]{1,400}\.[A-Za-z]\w{0,9}|(?:\S*/)?(?:CMakeLists\.txt|Makefile|Dockerfile))"
_COMPILER = re.compile(
    rf"^\s*{_PATH}[:(](?P<line>\d{{1,7}})(?:[:,]\d+)?\)?:? ?(?P<kind>fatal error|error|warning|note|remark)?"
)
_INCLUDED = re.compile(rf"^\s*(?:In file included|\s+) from {_PATH}:(?P<line>\d{{1,7}})")
_CMAKE = re.compile(
    rf"^\s*CMake (?:Error|Warning|Deprecation Warning)(?: \(dev\))? at {_PATH}:(?P<line>\d{{1,7}})"
)
_CMAKE_CALL = re.compile(rf"^\s+{_PATH}:(?P<line>\d{{1,7}}) \(\w+\)$")
_PYTHON = re.compile(r"^\s*File \"(?P<path>[^\"\n]{1,400})\", line (?P<line>\d{1,7})")
_PYTEST = re.compile(
    r"^(?P<path>[^\s:]{1,400}\.py):(?P<line>\d{1,7}): (?:in \S+|\w*(?:Error|Exception|Failed)\w*)?"
)
_LINKER = re.compile(rf"(?:^|: |>>> referenced by ){_PATH}:(?P<line>\d{{1,7}})(?::| \(|$)")
# What belongs to a compiler, a system, a package or an interpreter is not the user's to change.
_FOREIGN = re.compile(
    r"^(?:/opt/(?!src|app|work|project|code)|/usr/|/lib|/lib64/|/nix/|/snap/|<|/root/\.(?:local|cache|pyenv)/)"
    r"|/(?:site|dist)-packages/|/(?:mini|ana|micro)?conda\d?/|/lib/python\d|/lib/clang/|/include/(?:hip|rocm|c\+\+)/"
    r"|/rocm(?:-[\d.]+)?/|/_deps/|/third_party/|/\.venv/|^importlib|^frozen|-src/"
)
_MOST = 60


def of(hit: Hit) -> str | None:
    """`path:line` of the file to look at, as printed; None when the log names none."""
    here = _own(_placed(hit.said.text, (_CMAKE, _COMPILER, _PYTHON, _LINKER)))
    if here:
        return here
    for found in (_notes(hit), _frames(hit), _includers(hit), _report(hit)):
        if found:
            return found
    return None


def _notes(hit: Hit) -> str | None:
    """`note: in instantiation of …, requested here`: the first of them in a file of the user."""
    if not _COMPILER.match(hit.said.text):
        return None
    for one in _of_speaker(hit.after, hit):
        found = _COMPILER.match(one)
        if found and found["kind"] in ("error", "fatal error", "warning"):
            return None
        if found and found["kind"] == "note":
            own = _own((found["path"], found["line"]))
            if own:
                return own
    return None


def _frames(hit: Hit) -> str | None:
    """The innermost frame of a Python traceback, or of pytest's, that is the user's."""
    if not re.match(r"^(?:E\s|\s*[\w.]*(?:Error|Exception|Warning|Interrupt)\b|RuntimeError)", hit.said.text):
        return None
    for one in _of_speaker(hit.before, hit):
        if re.match(r"^(?:_{4,} |={4,} |Traceback \()", one):
            break
        own = _own(_placed(one, (_PYTHON, _PYTEST)))
        if own:
            return own
    for one in _of_speaker(hit.after, hit):
        if one.startswith(("____", "====")):
            break
        own = _own(_placed(one, (_PYTEST,)))
        if own:
            return own
    return None


def _includers(hit: Hit) -> str | None:
    """Of a header that is not the user's: the nearest file of theirs that includes it."""
    if not _COMPILER.match(hit.said.text):
        return None
    for one in _of_speaker(hit.before, hit):
        found = _INCLUDED.match(one)
        if found is None:
            return None
        own = _own((found["path"], found["line"]))
        if own:
            return own
    return None


def _report(hit: Hit) -> str | None:
    """CMake's call stack, where the error itself stands in a module of CMake or ROCm."""
    if not _CMAKE.match(hit.said.text) and not hit.said.text.startswith("  "):
        return None
    for one in (*_of_speaker(hit.before[:8], hit), *_of_speaker(hit.after[:20], hit)):
        own = _own(_placed(one, (_CMAKE, _CMAKE_CALL)))
        if own:
            return own
    return None


def _placed(text: str, patterns: Iterable[re.Pattern[str]]) -> tuple[str, str] | None:
    for pattern in patterns:
        found = pattern.search(text)
        if found:
            return found["path"], found["line"]
    return None


def _own(found: tuple[str, str] | None) -> str | None:
    if found is None or _FOREIGN.search(found[0]):
        return None
    return f"{found[0]}:{found[1]}"


def _of_speaker(lines: Iterable[Plain], hit: Hit) -> Iterator[str]:
    """Only what the same rank or process said: ranks print between each other."""
    for count, one in enumerate(lines):
        if count >= _MOST:
            return
        if one.speaker == hit.said.speaker:
            yield one.text
