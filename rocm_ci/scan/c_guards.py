"""The stack of `#if` branches of a C-family file → the guard of each line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.scan.c_calls import arguments
from rocm_ci.scan.c_conditions import ALWAYS, UNKNOWN, Reach, evaluate
from rocm_ci.scan.c_macros import Vendor, vendor_of, vendor_of_header
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAME_OF_TEST = re.compile(r"(?:defined\s*\(?\s*)?([A-Za-z_]\w*)\s*\)?")
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|else|endif|include|define)\b[ \t]*(.*)")
_DEFINED_NAME = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)")
# A macro that gets one alternative per backend: SELECT((void)cudaFree(p), (void)hipFree(p), free(p)).
_SELECTION = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\s*\(")
_CUDA_NAME = re.compile(r"\bcu(?:da)?[A-Z]")
_HIP_NAME = re.compile(r"\bhip[A-Z]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_GUARDS = {Vendor.AMD: Guard.AMD, Vendor.NVIDIA: Guard.NVIDIA}
_VENDORS = {Guard.AMD: Vendor.AMD, Guard.NVIDIA: Vendor.NVIDIA}
_DEEPEST = 400


@dataclass
class _Frame:
    """One `#if` … `#endif`: how the branches so far left things, and the branch we are in."""

    outside: Reach
    not_taken: Reach
    here: Reach


@dataclass
class Guards:
    """Fed with the directives of a file in order; knows the guard of the place that was reached.

    `lines` is the code with comments blank, `raw` the text itself (for include targets), `marked` the
    indices of the lines that hold a `#` if they are known.
    """

    lines: Sequence[str]
    raw: Sequence[str]
    macros: Mapping[str, Guard] = field(default_factory=dict)
    marked: Sequence[int] | None = None
    _frames: list[_Frame] = field(default_factory=list)
    _defined: dict[str, Vendor | None] = field(default_factory=dict)
    _switched: dict[str, Vendor | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {name: _VENDORS.get(guard) for name, guard in self.macros.items()}
        self._learnt: dict[str, Vendor | None] = {**known, **_learn(self.lines, self.raw, self.marked)}
        self.current = Guard.NONE  # the guard of the branch we are in

    @property
    def learnt(self) -> dict[str, Guard]:
        """The macros that are defined for one vendor only, as far as was read.

        Those of one vendor that are defined for the other as well are there as `Guard.EITHER`.
        """
        return {
            name: Guard.EITHER if vendor is None else _GUARDS[vendor] for name, vendor in self._learnt.items()
        }

    @property
    def outer(self) -> Guard:
        """The guard of what surrounds the innermost `#if`."""
        return _guard(self._frames[-1].outside if self._frames else ALWAYS)

    def of_line(self, line: str) -> Guard:
        """The guard of a line of code in the branch we are in."""
        guard = self.current
        if guard is Guard.NONE and "hip" in line and "cu" in line and _selects(line):
            return Guard.EITHER
        return guard

    def directive(self, name: str, body: str, number: int) -> None:
        """Enter, switch or leave a branch. `number` is the index of the directive's line."""
        if name in ("if", "ifdef", "ifndef"):
            condition = UNKNOWN if self._is_include_guard(name, body, number) else self._evaluate(name, body)
            outside = self._reach()
            if len(self._frames) < _DEEPEST:
                self._frames.append(_Frame(outside, outside & ~condition, outside & condition))
        elif name in ("elif", "elifdef", "elifndef") and self._frames:
            frame = self._frames[-1]
            condition = self._evaluate(name.removeprefix("el"), body)
            frame.here = frame.not_taken & condition
            frame.not_taken = frame.not_taken & ~condition
        elif name == "else" and self._frames:
            self._frames[-1].here = self._frames[-1].not_taken
        elif name == "endif" and self._frames:
            self._frames.pop()
        elif name == "define":
            self._define(body)
        self.current = _guard(self._reach())

    def _define(self, body: str) -> None:
        """A macro that is only defined in one vendor's branch tells that vendor from then on."""
        found = _NAME.match(body)
        if found is None:
            return
        vendor = _VENDORS.get(self.current)
        own = vendor_of(found[0], {})
        if own is not None:
            # `#define __CUDA_ARCH__ 800` for HIP: asking for it tells nothing any more.
            if own is Vendor.NVIDIA and vendor is not own and body[found.end() :].strip(" ()") != "0":
                self._learnt[found[0]] = None
            return
        if vendor is not None and self._defined.get(found[0], vendor) is vendor:
            self._learnt[found[0]] = vendor
        else:
            self._learnt.pop(found[0], None)
        self._defined.setdefault(found[0], vendor)
        # `#define FAST 1` for one vendor and 0 for everyone else: `#if FAST` asks for that vendor.
        if body[found.end() :].strip(" ()") not in ("0", "false"):
            same = self._switched.get(found[0], vendor) is vendor
            self._switched[found[0]] = vendor if same else None

    def _reach(self) -> Reach:
        return self._frames[-1].here if self._frames else ALWAYS

    def _evaluate(self, name: str, body: str) -> Reach:
        if name == "if":
            return evaluate(body, self._learnt, self._switched)
        reach = evaluate(f"defined({body.split(maxsplit=1)[0]})", self._learnt) if body.split() else UNKNOWN
        return ~reach if name == "ifndef" else reach

    def _is_include_guard(self, name: str, body: str, number: int) -> bool:
        """`#ifndef X` above `#define X`: a default or an include guard, whatever X is called."""
        if name == "ifdef" or (name == "if" and not body.startswith("!")):
            return False
        found = _NAME_OF_TEST.match(body.removeprefix("!").strip())
        following = next((line for line in self.lines[number + 1 : number + 4] if line.strip()), "")
        defined = _DEFINED_NAME.match(following)
        return found is not None and defined is not None and found[1] == defined[1]


def _selects(line: str) -> bool:
    """Whether a macro call has a CUDA alternative in one argument and a HIP one in another."""
    for found in _SELECTION.finditer(line):
        given = arguments(line, found.end())
        cuda = [_CUDA_NAME.search(one) is not None for one in given]
        hip = [_HIP_NAME.search(one) is not None for one in given]
        if any(c and not h for c, h in zip(cuda, hip, strict=True)) and any(
            h and not c for c, h in zip(cuda, hip, strict=True)
        ):
            return True
    return False


def _guard(reach: Reach) -> Guard:
    if reach.amd is False:
        return Guard.NVIDIA
    return Guard.AMD if reach.nvidia is False else Guard.NONE


_ANY_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*([a-z]+)\b(.*)")


def vendor_macros(code: str, text: str, known: Mapping[str, Guard]) -> dict[str, Guard]:
    """What a header teaches those who include it: `known`, and its own macros of one vendor.

    `code` is `text` with comments and literals blank.
    """
    lines = code.split("\n")
    guards = Guards(lines, text.split("\n"), known)
    for number, line in enumerate(lines):
        found = _ANY_DIRECTIVE.match(line) if "#" in line else None
        if found is None:
            continue
        body, last = found[2].strip(), number
        while body.endswith("\\") and last + 1 < len(lines):
            last += 1
            body = f"{body[:-1]} {lines[last].strip()}"
        guards.directive(found[1], body, number)
    return guards.learnt


@dataclass
class _Chain:
    """The branches of one `#if`: the one macro each tests, and the vendors whose headers it has."""

    branches: list[tuple[str | None, set[Vendor]]] = field(default_factory=list)


def _learn(lines: Sequence[str], raw: Sequence[str], marked: Sequence[int] | None) -> dict[str, Vendor]:
    """Macros of the project's own that choose the vendor, told by the headers in their branches."""
    learnt: dict[str, Vendor] = {}
    chains: list[_Chain] = []
    if marked is None:
        marked = [number for number, line in enumerate(lines) if "#" in line]
    for number in marked:
        found = _DIRECTIVE.match(lines[number])
        if found is None:
            continue
        name, body = found.groups()
        if name in ("if", "ifdef", "ifndef"):
            chains.append(_Chain([(_tested(name, body), set())]))
        elif not chains:
            continue
        elif name in ("elif", "elifdef", "else"):
            chains[-1].branches.append((_tested(name.removeprefix("el"), body), set()))
        elif name == "endif":
            _conclude(chains.pop(), learnt)
        elif name == "include" and (target := re.search(r"[<\"]([^<>\"]+)", raw[number][found.start(2) :])):
            vendor = vendor_of_header(target[1])
            if vendor is not None:
                chains[-1].branches[-1][1].add(vendor)
    return learnt


def _conclude(chain: _Chain, learnt: dict[str, Vendor]) -> None:
    has_hip = any(Vendor.AMD in vendors for _, vendors in chain.branches)
    for macro, vendors in chain.branches:
        # Only where a sibling branch includes HIP is a branch with CUDA headers known to be a choice.
        if macro and len(vendors) == 1 and has_hip and vendor_of(macro, {}) is None:
            learnt.setdefault(macro, next(iter(vendors)))


def _tested(name: str, body: str) -> str | None:
    """The macro, when a branch tests that one alone and positively."""
    if name not in ("if", "ifdef"):
        return None
    found = _NAME_OF_TEST.fullmatch(body.strip())
    return found[1] if found else None
