"""Writes everything that is generated, or with `--check` fails where something is out of date.

    python -m tools.generate [--check]

Generated: the two JSON schemas, a page per scan rule and per error with an index of each, the rules with
their needles, and the tables of the README and of the doctor's page.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import yaml

from rocm_ci.config import options
from rocm_ci.config.schema import schema as config_schema
from rocm_ci.knowledge.library import shipped
from rocm_ci.model.finding import Severity, Topic
from rocm_ci.report.codec import schema as report_schema
from rocm_ci.scan.ready import FILE
from rocm_ci.scan.rule import Rule, decode
from rocm_ci.scan.rulebook import rule_files
from tools import doctor_page, error_pages, ready_rules, rule_pages

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "rules" / "scan"
SECTIONS: dict[str, type[options.Section]] = {
    "": options.Config,
    "scan.": options.ScanOptions,
    "build[].": options.BuildOptions,
    "test[].": options.TestOptions,
    "perf[].": options.PerfOptions,
}


def main() -> int:
    """Write or check; the message of a check names the command that repairs it."""
    check = "--check" in sys.argv[1:]
    wanted = pages()
    stale = [p for p, text in wanted.items() if not p.is_file() or p.read_text(encoding="utf-8") != text]
    folders = ("rules", "errors")
    extra = [p for name in folders for p in (ROOT / "docs" / name).glob("*.md") if p not in wanted]
    if not check:
        for path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
        for path in extra:
            path.unlink()
        print(f"{len(wanted)} generated files, {len(stale)} written, {len(extra)} removed")
        return 0
    for path in (*stale, *extra):
        print(f"{path.relative_to(ROOT)} is out of date: run `make gen`", file=sys.stderr)
    return 1 if stale or extra else 0


def pages() -> dict[Path, str]:
    """Every generated file with its text."""
    rules = [decode(p.read_text(encoding="utf-8"), str(p)) for p in sorted(RULES.glob("*/*.yaml"))]
    docs = ROOT / "docs"
    made = {
        docs / "rocm-ci.schema.json": _json(config_schema()),
        docs / "report.schema.json": _json(report_schema()),
        docs / "rules" / "README.md": rule_pages.index(rules),
        docs / "doctor.md": doctor_page.filled((docs / "doctor.md").read_text(encoding="utf-8")),
        ROOT / "README.md": _readme(rules),
        ROOT / "rules" / FILE: ready_rules.text(rule_files(RULES)),
    }
    entries = sorted(shipped(), key=lambda entry: entry.id)
    made |= {docs / "errors" / f"{entry.id}.md": error_pages.page(entry) for entry in entries}
    made[docs / "errors" / "README.md"] = error_pages.index(entries)
    return made | {docs / "rules" / f"{rule.id}.md": rule_pages.page(rule) for rule in rules}


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _readme(rules: list[Rule]) -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, table in (("options", _options()), ("inputs", _inputs()), ("topics", _topics(rules))):
        begin, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
        if begin not in text or end not in text:
            message = f"README.md has no place for the table {name!r}"
            raise SystemExit(message)
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}\n{table}\n{end}{rest.partition(end)[2]}"
    return text


def _options() -> str:
    lines = ["| option | default | what it is |", "|---|---|---|"]
    for prefix, section in SECTIONS.items():
        told = _told(section)
        for field in msgspec.structs.fields(section):
            name = f"{prefix}{field.encode_name}"
            if name in ("scan", "build", "test", "perf", "version"):
                continue
            lines.append(f"| `{name}` | {_default(field)} | {_cell(told[field.encode_name])} |")
    return "\n".join(lines)


def _told(section: type[options.Section]) -> dict[str, str]:
    told: dict[str, str] = dict(options.TOLD[section.__name__])
    missing = {f.encode_name for f in msgspec.structs.fields(section)} ^ told.keys()
    if missing:
        message = f"config/options.py: TOLD[{section.__name__!r}] and the fields differ: {sorted(missing)}"
        raise SystemExit(message)
    return told


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "needed"
    value = field.default
    value = getattr(value, "value", value)
    if isinstance(value, tuple):
        value = ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        value = str(value).lower()
    return "none" if value in ({}, msgspec.NODEFAULT) else f"`{value}`" if value != "none" else "none"


def _inputs() -> str:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    lines = ["| input | default | what it is |", "|---|---|---|"]
    for name, one in inputs.items():
        default = f"`{one['default']}`" if one.get("default") else ""
        lines.append(f"| `{name}` | {default} | {_cell(one['description'])} |")
    return "\n".join(lines)


def _topics(rules: list[Rule]) -> str:
    """The topics with how many rules each has, the first three of the most severe ones by name."""
    order = sorted(Severity)
    lines = ["| topic | rules | such as |", "|---|--:|---|"]
    for topic in Topic:
        mine = sorted((r for r in rules if r.topic is topic), key=lambda r: (-order.index(r.severity), r.id))
        shown = ", ".join(f"[{r.id}](docs/rules/{r.id}.md)" for r in mine[:3])
        lines.append(f"| [{topic.value}](docs/rules/README.md#{topic.value}) | {len(mine)} | {shown} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    raise SystemExit(main())
