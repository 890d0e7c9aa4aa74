"""One scan rule as its YAML file says it, decoded strictly."""

from __future__ import annotations

import difflib
import re
from typing import Annotated, Any, Literal

import msgspec

from rocm_ci.errors import ConfigError
from rocm_ci.model.base import Frozen
from rocm_ci.model.finding import Severity, Topic
from rocm_ci.scan.source import Guard, RegionKind
from rocm_ci.scan.translators import LISTED

# What only documentation and tests read. The scanner skips these blocks, the bulk of every file.
_DOCUMENTATION = frozenset({"why", "bad", "good", "references", "since"})
_BLOCK = re.compile(r"^(?=[A-Za-z\"'])", re.MULTILINE)
_KEY = re.compile(r"[\"']?([\w-]+)[\"']?\s*:")

RuleId = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=60)]


class MatchSpec(
    Frozen,
    frozen=True,
    kw_only=True,
    rename={
        "not_context": "not-context",
        "not_table": "not-table",
        "not_pattern": "not-pattern",
        "renamed_by": "renamed-by",
    },
):
    """One way to match: a detector by name, or text in regions of a kind.

    `pattern` is searched in the text of a region (`^` and `$` also match at its line ends), `names`
    and `table` stand for whole identifiers; a pattern beside them keeps only matches whose text is
    one of them. `not-…` take matches away again: by the matched text (`not-pattern`, `not-table`)
    or by any entry of the region's context (`not-context`). `needles` are strings of which a file
    must hold one for the matcher to be tried; unless given they are derived from the pattern.
    `renamed-by` names the translators that rename what it finds, where that is not both and no table tells.
    """

    kind: RegionKind | tuple[RegionKind, ...] = ()
    pattern: str | None = None
    names: tuple[str, ...] = ()
    table: str | None = None
    context: str | None = None
    not_context: str | None = None
    not_pattern: str | None = None
    not_table: str | tuple[str, ...] = ()
    guards: tuple[Guard, ...] = (Guard.NONE,)
    needles: tuple[str, ...] = ()
    renamed_by: tuple[Literal["torch", "hipify"], ...] = LISTED
    detector: str | None = None

    @property
    def kinds(self) -> tuple[RegionKind, ...]:
        """`kind` as a tuple."""
        return (self.kind,) if isinstance(self.kind, RegionKind) else self.kind

    @property
    def not_tables(self) -> tuple[str, ...]:
        """`not-table` as a tuple."""
        return (self.not_table,) if isinstance(self.not_table, str) else self.not_table


class Replace(Frozen, frozen=True, kw_only=True, rename={"from_": "from"}):
    """A mechanical repair: `from` (a regular expression) in the matched text becomes `to`.

    `languages` says where that is right, if not wherever the rule looks; `unsafe` that the code may
    mean something else on NVIDIA afterwards.
    """

    from_: str
    to: str
    languages: tuple[str, ...] = ()
    unsafe: bool = False

    def holds_in(self, language: str) -> bool:
        """Whether it repairs files of a language."""
        return not self.languages or language in self.languages


class Example(Frozen, frozen=True, kw_only=True):
    """One example file. `lines` are exactly the lines that the rule flags (default: at least one).

    `files` are other files of the same little project, by path; `archs` the targets it builds for.
    """

    path: str
    text: str
    lines: tuple[int, ...] = ()
    files: dict[str, str] = msgspec.field(default_factory=dict)
    archs: tuple[str, ...] = ()


class Rule(Frozen, frozen=True, kw_only=True, rename={"not_path": "not-path"}):
    """One rule. `archs` are globs: the rule holds when one of the configured targets matches.

    With `default: off` it is only tried where `scan.rules` or `scan.per-path` names it with a severity.
    `translated` is the severity in a project that translates its CUDA sources at build (hipify), for
    names that its translator knows. `once` reports only the first place in a file.
    Files whose path `not-path` matches are left alone. `repair` names a fixer in `scan/fixers`, for what
    `replace` cannot say.
    """

    id: RuleId
    topic: Topic
    severity: Severity
    languages: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    match: Annotated[tuple[MatchSpec, ...], msgspec.Meta(min_length=1)]
    message: str
    fix: str
    why: str = ""
    archs: tuple[str, ...] = ()
    default: bool = True
    translated: Severity | None = None
    once: bool = False
    not_path: str | None = None
    replace: Replace | tuple[Replace, ...] | None = None
    repair: str | None = None
    bad: tuple[Example, ...] = ()
    good: tuple[Example, ...] = ()
    references: tuple[str, ...] = ()
    since: str = ""

    @property
    def replacements(self) -> tuple[Replace, ...]:
        """`replace` as a tuple; the first one that changes the matched text counts."""
        if self.replace is None:
            return ()
        return (self.replace,) if isinstance(self.replace, Replace) else self.replace


def decode(text: str, path: str, *, documentation: bool = True) -> Rule:
    """One rule file. Without `documentation` its examples and explanations are left out.

    Raises `ConfigError` with the file and, for an unknown key, the nearest known one.
    """
    import yaml  # noqa: PLC0415 - 8 ms, and shipped rules need not be parsed, see `ready`

    # Where PyYAML was built without libyaml: slower, the same result.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        tree = yaml.load(text if documentation else _working_part(text), Loader=loader)  # noqa: S506 - a safe one
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        message = f"{where}: not valid YAML: {getattr(error, 'problem', None) or error}"
        raise ConfigError(message, hint="check the indentation and quotes there") from error
    try:
        rule = msgspec.convert(tree, Rule)
    except msgspec.ValidationError as error:
        raise _explained(str(error), path) from error
    for matcher in rule.match:
        _check(matcher, path)
    return rule


def _working_part(text: str) -> str:
    """The top-level blocks of a rule file that matching needs."""
    blocks = _BLOCK.split(text)
    return "".join(b for b in blocks if not (key := _KEY.match(b)) or key[1] not in _DOCUMENTATION)


def _check(matcher: MatchSpec, path: str) -> None:
    """What the types cannot say: a matcher is a detector, or a kind with something to look for."""
    if matcher.detector is not None:
        if matcher.kinds or matcher.pattern or matcher.names or matcher.table:
            message = f"{path}: a matcher with `detector: {matcher.detector}` has other keys beside it"
            raise ConfigError(message, hint="a detector looks by itself: remove them")
        return
    if not matcher.kinds:
        message = f"{path}: a matcher without `kind` or `detector`"
        raise ConfigError(message, hint=f"kinds are {', '.join(k.value for k in RegionKind)}")
    if not (matcher.pattern or matcher.names or matcher.table):
        message = f"{path}: a matcher that looks for nothing"
        raise ConfigError(message, hint="give it `pattern`, `names` or `table`")


def _explained(problem: str, path: str) -> ConfigError:
    unknown = re.search(r"unknown field `([^`]*)`", problem)
    if not unknown:
        return ConfigError(f"{path}: {problem}", hint="see docs/rules for the format of a rule")
    kinds: tuple[Any, ...] = (Rule, MatchSpec, Replace, Example)
    known = sorted({field.encode_name for kind in kinds for field in msgspec.structs.fields(kind)})
    near = difflib.get_close_matches(unknown[1], known, n=1, cutoff=0.5)
    hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(known)}"
    return ConfigError(f"{path}: unknown key `{unknown[1]}`", hint=hint)
