"""One entry of the error library as its YAML file says it, decoded strictly."""

from __future__ import annotations

import difflib
import enum
import re
from typing import Annotated, Any

import msgspec

from rocm_ci.errors import ConfigError
from rocm_ci.model.base import Frozen
from rocm_ci.model.diagnostic import Blame, Category
from rocm_ci.model.finding import Severity

EntryId = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=60)]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
Pattern = Annotated[str, msgspec.Meta(min_length=4, max_length=400)]
Reference = Annotated[
    str, msgspec.Meta(pattern=r"^([\w.-]+/[\w.-]+(#\d+| [\w./-]+)|https://\S+)$", max_length=200)
]


class Layer(enum.Enum):
    """Who speaks: the part of the stack that a signature comes from."""

    HIPCC = "hipcc"
    CLANG = "clang"
    LLD = "lld"
    CMAKE = "cmake"
    HIPIFY = "hipify"
    PYTHON = "python"
    HIP = "hip"
    HSA = "hsa"
    RCCL = "rccl"
    MIOPEN = "miopen"
    ROCBLAS = "rocblas"
    TORCH = "torch"
    TRITON = "triton"
    JAX = "jax"
    KERNEL = "kernel"
    TOOL = "tool"
    SHELL = "shell"
    RUNNER = "runner"


class Certainty(enum.Enum):
    """How much a signature says by itself. Only the first two explain a failure; a hint goes with one."""

    SURE = "sure"
    LIKELY = "likely"
    POSSIBLE = "possible"
    HINT = "hint"


CONFIDENCE = {Certainty.SURE: 0.95, Certainty.LIKELY: 0.8, Certainty.POSSIBLE: 0.6, Certainty.HINT: 0.3}


class Signature(Frozen, frozen=True, kw_only=True, rename={"not_line": "not-line"}):
    """One way in which the error shows on a line, freed of colours and prefixes (see `line.plain`).

    `pattern` is searched there; its named groups are values for the entry's texts. `not-line` takes a
    line away again. Every pattern of `needs` must be found on some line of the log too, at most `within`
    lines away where that is given; none of `unless` may be found anywhere in the log. With `failing` it
    counts only in the log of something that failed. `words`: a line without any of these is not looked
    at; derived from the pattern unless given.
    """

    pattern: Pattern
    layer: Layer
    certainty: Certainty = Certainty.SURE
    not_line: Pattern | None = None
    needs: tuple[Pattern, ...] = ()
    unless: tuple[Pattern, ...] = ()
    within: Annotated[int, msgspec.Meta(ge=1, le=2000)] | None = None
    failing: bool = False
    words: tuple[str, ...] = ()


class When(Frozen, frozen=True, kw_only=True):
    """Facts of the machine under which the entry can hold; what is not known contradicts nothing.

    `gfx` are globs, `rocm` is a comparison (`<6.0`, `>=7.0`), `container` whether we are inside one.
    """

    gfx: tuple[str, ...] = ()
    rocm: str = ""
    container: bool | None = None


class Fix(Frozen, frozen=True, kw_only=True):
    """One step: what to do, and if there is one, the command for it."""

    do: Text
    run: str = ""


class Sample(Frozen, frozen=True, kw_only=True):
    """A log of our own writing, the line (from 1) it is diagnosed on, and the user's `file:line`, if any."""

    log: Annotated[str, msgspec.Meta(min_length=10, max_length=6000)]
    line: Annotated[int, msgspec.Meta(ge=1)]
    location: str | None = None


class Entry(
    Frozen,
    frozen=True,
    kw_only=True,
    rename={"look_alikes": "look-alikes", "is_not": "is-not", "by_detector": "detector"},
):
    """One error: how it shows, what it is, why it happens, what to do, and what it is not.

    `title`, `cause` and the fixes may hold `{name}` for the named groups of a signature. `follows` names
    entries of which this one is a consequence where both are seen. `look-alikes` maps the ids of other
    entries to how to tell them apart. `by_detector` names a module of `knowledge/detectors` that looks
    for what no pattern on a line can say.
    """

    id: EntryId
    title: Text
    severity: Severity = Severity.ERROR
    blame: Blame
    signatures: tuple[Signature, ...] = ()
    by_detector: str | None = None
    when: When = When()
    symptom: Text
    cause: Text
    fixes: Annotated[tuple[Fix, ...], msgspec.Meta(min_length=1)]
    is_not: tuple[Text, ...] = ()
    look_alikes: dict[EntryId, Text] = {}
    follows: tuple[EntryId, ...] = ()
    references: Annotated[tuple[Reference, ...], msgspec.Meta(min_length=1)]
    samples: Annotated[tuple[Sample, ...], msgspec.Meta(min_length=1)]
    category: Category = Category.RUNTIME


def decode(text: str, path: str, category: Category) -> Entry:
    """One file of the library; its category is its folder's.

    Raises `ConfigError` with the file and, for an unknown key, the nearest known one.
    """
    import yaml  # noqa: PLC0415 - only who explains something needs it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        tree = yaml.load(text, Loader=loader)  # noqa: S506 - a safe one
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        message = f"{where}: not valid YAML: {getattr(error, 'problem', None) or error}"
        raise ConfigError(message, hint="check the indentation and quotes there") from error
    if isinstance(tree, dict):
        tree = {**tree, "category": category.value}
    try:
        entry = msgspec.convert(tree, Entry)
    except msgspec.ValidationError as error:
        raise _explained(str(error), path) from error
    _check(entry, path)
    return entry


def _check(entry: Entry, path: str) -> None:
    if not entry.signatures and entry.by_detector is None:
        message = f"{path}: the entry has neither signatures nor a detector"
        raise ConfigError(message, hint="give it a pattern under `signatures:`")
    for signature in entry.signatures:
        for pattern in (signature.pattern, signature.not_line, *signature.needs, *signature.unless):
            if pattern is not None:
                compiled(pattern, path)
    names = {name for s in entry.signatures for name in re.findall(r"\(\?P<(\w+)>", s.pattern)}
    used = " ".join([entry.title, entry.cause, *(f"{fix.do} {fix.run}" for fix in entry.fixes)])
    unknown = sorted(set(re.findall(r"\{([a-z]\w*)\}", used)) - names)
    if unknown and entry.by_detector is None:
        message = f"{path}: no signature has a group named {unknown[0]!r}"
        raise ConfigError(message, hint=f"name it in a pattern: (?P<{unknown[0]}>…)")


def compiled(pattern: str, path: str) -> re.Pattern[str]:
    """The pattern; `ConfigError` where it is none."""
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        message = f"{path}: the pattern {pattern[:80]!r} is no regular expression: {error}"
        raise ConfigError(message, hint="see the syntax of Python's `re`") from error


def _explained(said: str, path: str) -> ConfigError:
    unknown = re.search(r"unknown field `(.+?)`", said)
    hint = "compare it with a file of rules/errors"
    if unknown:
        near = difflib.get_close_matches(unknown[1], _keys(), n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"known keys are {', '.join(_keys())}"
    return ConfigError(f"{path}: {said}", hint=hint)


def _keys() -> list[str]:
    kinds: tuple[Any, ...] = (Entry, Signature, When, Fix, Sample)
    return sorted({f.encode_name for kind in kinds for f in msgspec.structs.fields(kind)} - {"category"})
