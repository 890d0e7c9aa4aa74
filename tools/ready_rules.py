"""`rules/ready.json`: every rule with its needles, so that no scan derives them. One line a rule."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import msgspec

from rocm_ci.scan.language_registry import detectors
from rocm_ci.scan.ready import Entry, WrittenNeed, WrittenWays, digest, tables_of
from rocm_ci.scan.rule import decode
from rocm_ci.scan.sieve import ways_of
from rocm_ci.scan.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rocm_ci.scan.prefilter import Need, Way
    from rocm_ci.scan.rule import Rule

_OTHER = re.compile(
    r"^from rocm_ci\.scan\.detectors(?:\.(?P<module>\w+) import|\s+import (?P<modules>[\w, ]+))", re.MULTILINE
)


def text(files: Iterable[Path]) -> str:
    """The whole file."""
    tables = Tables()
    entries = [_entry(path, tables) for path in files]
    return "[\n" + ",\n".join(msgspec.json.encode(_brief(entry)).decode() for entry in entries) + "\n]\n"


def _entry(path: Path, tables: Tables) -> Entry:
    data = path.read_bytes()
    file = f"{path.parent.name}/{path.name}"
    rule = decode(data.decode(), file, documentation=False)
    made_of = _modules(rule)
    return Entry(
        file=file,
        digest=digest(data, made_of, tables_of(rule)),
        made_of=made_of,
        rule=rule,
        ways=_ways(rule, tables),
    )


def _brief(entry: Entry) -> object:
    """Without what the rule file left out."""
    document = msgspec.to_builtins(entry)
    fields = msgspec.structs.fields(type(entry.rule))
    absent = {f.encode_name for f in fields if getattr(entry.rule, f.name) == f.default}
    document["rule"] = {key: value for key, value in document["rule"].items() if key not in absent}
    for spec, written in zip(entry.rule.match, document["rule"]["match"], strict=True):
        for field in msgspec.structs.fields(type(spec)):
            if getattr(spec, field.name) == field.default:
                del written[field.encode_name]
    return document


def _ways(rule: Rule, tables: Tables) -> tuple[WrittenWays, ...]:
    """Languages with the same ways together."""
    by_ways: dict[tuple[Way, ...], list[str]] = {}
    for language in rule.languages:
        by_ways.setdefault(ways_of(rule, tables, language), []).append(language)
    return tuple(
        WrittenWays(
            languages=tuple(languages), ways=tuple(tuple(_written(need) for need in way) for way in ways)
        )
        for ways, languages in by_ways.items()
    )


def _written(need: Need) -> WrittenNeed:
    return WrittenNeed(
        strings=tuple(sorted(one.decode("utf-8", "surrogateescape") for one in need.strings)),
        folded=need.folded,
        screen=need.screen.pattern if need.screen else None,
        names=need.screen.names if need.screen else False,
    )


def _modules(rule: Rule) -> tuple[str, ...]:
    """The modules of the rule's detectors, and the other detectors that those build on."""
    waiting = [type(detectors()[spec.detector]).__module__ for spec in rule.match if spec.detector]
    found: list[str] = []
    while waiting:
        module = sys.modules[waiting.pop()]
        name = f"detectors/{module.__name__.rpartition('.')[2]}.py"
        if name not in found:
            found.append(name)
            with open(str(module.__file__), encoding="utf-8") as file:  # noqa: PTH123
                for match in _OTHER.finditer(file.read()):
                    names = match["module"] or match["modules"]
                    waiting += [f"rocm_ci.scan.detectors.{one.strip()}" for one in names.split(",")]
    return tuple(sorted(found))
