"""A page for every scan rule, and their index: what it says of its own first example, why, what to do."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import DEFAULT_ARCHS, ScanOptions
from rocm_ci.model.finding import Topic
from rocm_ci.scan.engine import scan
from rocm_ci.scan.rulebook import RuleBook

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocm_ci.model.finding import Finding
    from rocm_ci.scan.rule import Example, Rule

_MOST_EXAMPLES = 4
_REFERENCE = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?:#(?P<number>\d+)| (?P<path>[\w./-]+))")
_COLOURS = {
    ".c": "c", ".cc": "cpp", ".cmake": "cmake", ".cpp": "cpp", ".cu": "cpp", ".cuh": "cpp", ".h": "cpp",
    ".hip": "cpp", ".hpp": "cpp", ".ipynb": "json", ".json": "json", ".mk": "makefile", ".py": "python",
    ".pyx": "python", ".sh": "sh", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
_NAMED = {"CMakeLists.txt": "cmake", "Dockerfile": "dockerfile", "Makefile": "makefile"}
TOPICS = {
    Topic.CUDA_INCLUDE: "headers of CUDA and of NVIDIA's libraries",
    Topic.CUDA_API: "names of the CUDA runtime and driver, and language features of CUDA",
    Topic.CUDA_LIBRARY: "names of CUDA's libraries, and linking or loading them",
    Topic.CUDA_BUILD: "build files that need the CUDA toolkit",
    Topic.CUDA_PYTHON: "Python that takes the GPU for one of NVIDIA",
    Topic.CUDA_PACKAGE: "packages, wheels and indexes for CUDA",
    Topic.CUDA_CONTAINER: "images and container options for NVIDIA",
    Topic.CUDA_TOOL: "programs that come with NVIDIA's driver or toolkit",
    Topic.CUDA_ENV: "environment variables that mean something to CUDA only",
    Topic.HARDCODED_PATH: "paths that hold on one machine, distribution or release",
    Topic.WARP_SIZE: "32 lanes taken for granted",
    Topic.INTRINSICS: "device functions of NVIDIA GPUs",
    Topic.INLINE_ASM: "PTX",
    Topic.PRECISION: "number formats that differ between the GPUs",
    Topic.MEMORY_MODEL: "shared memory, scopes, ordering",
    Topic.ARCH_LIST: "fixed or wrong lists of GPU targets",
}


class _Files:
    """An example as a tree in memory."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def read(self, path: str) -> bytes | None:
        return self._texts[path].encode() if path in self._texts else None


def index(rules: Sequence[Rule]) -> str:
    """The list of all rules by topic."""
    lines = [
        "# Scan rules",
        "",
        "Generated from `rules/scan/` by `make gen`. The last column is what a rule says of its own first",
        "example. An **error** does not build or is wrong on an AMD GPU, a **warning** likely is, a **note**",
        "is advice.",
        "",
        "Silence one place with a comment on the line or above it: `rocm-ci: allow RULE-ID reason`. Turn a",
        "rule off everywhere, or change its severity, with `scan.rules` in `.github/rocm-ci.yml`.",
        "",
    ]
    grouped = [(topic, [rule for rule in rules if rule.topic is topic]) for topic in Topic]
    lines += [f"* [{topic.value}](#{topic.value}): {TOPICS[topic]} ({len(mine)})" for topic, mine in grouped]
    for topic, mine in grouped:
        lines += ["", f"## {topic.value}", "", "| rule | severity | says, for example |", "|---|---|---|"]
        for rule in mine:
            shown = _cell(_words(rule)[0])
            level = rule.severity.value if rule.default else f"off ({rule.severity.value})"
            lines.append(f"| [{rule.id}]({rule.id}.md) | {level} | {shown} |")
    return "\n".join(lines) + "\n"


def page(rule: Rule) -> str:
    """The page of one rule."""
    message, fix, mends = _words(rule)
    lines = [f"# {rule.id}", "", _facts(rule), "", f"> {' '.join(message.split())}", ""]
    lines += ["## Why", "", rule.why.strip(), "", "## What to do", "", _sentence(fix)]
    if mends:
        lines += ["", "`rocm-ci scan --fix` writes this where it is certain."]
    for title, examples in (("Found", rule.bad), ("Not found", rule.good)):
        if examples:
            lines += ["", f"## {title}"]
        for example in examples[:_MOST_EXAMPLES]:
            lines += _example(example)
    lines += ["", "## Silence", "", f"One place: `rocm-ci: allow {rule.id} reason` in a comment there."]
    if rule.references:
        lines += ["", "## References", "", *(f"* {_linked(one)}" for one in rule.references)]
    return "\n".join(lines) + "\n"


def _facts(rule: Rule) -> str:
    archs = "for " + ", ".join(f"`{a}`" for a in rule.archs) if rule.archs else "for all targets"
    facts = [f"**{rule.severity.value}**"]
    if not rule.default:
        facts.append(f"off unless `scan.rules` says `{rule.id}: {rule.severity.value}`")
    if rule.translated is not None:
        facts.append(f"{rule.translated.value} where the build translates the name (hipify)")
    facts += [f"[{rule.topic.value}](README.md#{rule.topic.value})", "in " + ", ".join(rule.languages), archs]
    return " · ".join([*facts, *((f"since {rule.since}",) if rule.since else ())])


def _words(rule: Rule) -> tuple[str, str, bool]:
    """(message, fix, whether it can be applied), of the first example where there is one."""
    found = [(place, finding) for place in rule.bad for finding in _findings(rule, place)]
    if not found:
        return _general(rule.message), _general(rule.fix), False
    first = found[0][1]
    return first.message, first.fix or _general(rule.fix), any(finding.edits for _, finding in found)


def _findings(rule: Rule, example: Example) -> tuple[Finding, ...]:
    texts = {**example.files, example.path: example.text}
    changes = whole_tree((example.path,))
    archs = example.archs or DEFAULT_ARCHS
    options = ScanOptions(rules={rule.id: rule.severity.value})
    return scan(_Files(texts), changes, options, archs, book=RuleBook([rule])).findings


def _example(example: Example) -> Iterator[str]:
    where = ", ".join(f"`{arch}`" for arch in example.archs)
    for path, text in ((example.path, example.text), *example.files.items()):
        title = f"`{path}`" if path == example.path else f"`{path}` beside it"
        if path == example.path and where:
            title += f", for {where}"
        if path == example.path and example.lines:
            title += f", line{'s' if len(example.lines) > 1 else ''} {', '.join(map(str, example.lines))}"
        fence = "`" * max(3, 1 + max((len(m) for m in re.findall(r"`+", text)), default=0))
        yield from ("", title, "", fence + _colour(path), text.rstrip("\n"), fence)


def _colour(path: str) -> str:
    pure = PurePosixPath(path)
    return _NAMED.get(pure.name) or _COLOURS.get(pure.suffix, "")


def _linked(reference: str) -> str:
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        return reference
    tail = f"issues/{found['number']}" if found["number"] else f"blob/HEAD/{found['path']}"
    return f"[{reference}](https://github.com/{found['repository']}/{tail})"


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def _general(text: str) -> str:
    return re.sub(r"\{(?:match|replacement|arch)\}", "…", text)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
