"""YAML: GitHub workflows, Docker Compose, conda environments, Kubernetes, and other CI systems.

A key is a KEY region, a scalar a VALUE region (one per line); the context is `doc:KIND` and the
path of keys. Scripts (`run:`, `script:`, `command:`) are shell regions, conda dependencies are
REQUIREMENT regions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from rocm_ci.scan import shell, vendor, yaml_guards
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.requirement_lines import requirement
from rocm_ci.scan.source import Guard, Region, RegionKind

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from rocm_ci.scan.source import Source

_SCRIPTS = frozenset(
    {
        "run",
        "script",
        "before_script",
        "after_script",
        "command",
        "commands",
        "entrypoint",
        "bash",
        "shell_script",
        "inlineScript",
        "cmd",
        "install",
        "test_command",
    }
)
_PROSE = frozenset({
    "name", "description", "label", "title", "labels", "summary", "message", "if", "condition", "guide",
    "notes", "readme", "doc", "docs", "comment", "help", "markdown", "body",
})  # fmt: skip
_TEMPLATE = re.compile(r"\{\{.*?\}\}")
_TEMPLATE_LINE = re.compile(r"^[ \t]*\{[%{]-?.*[%}]\}[ \t]*$", re.MULTILINE)
_SELECTOR = re.compile(r"#\s*\[([^\]]+)\]")
_MOST_NODES = 200_000
_DEEPEST = 60


class Yaml:
    """`*.yml` and `*.yaml`."""

    name = "yaml"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By suffix; conda's and pnpm's lock files are generated."""
        return path.suffix in (".yml", ".yaml") and "lock" not in path.stem.lower()

    def parse(self, source: Source) -> Parsed:
        """A file that is no YAML even with its templates blanked gives nothing."""
        for text in (source.text, _blanked(source.text)):
            try:
                roots = list(yaml.compose_all(text, Loader=Loader))
            except (yaml.YAMLError, RecursionError, ValueError):
                continue
            walk = _Walk(source)
            outer = vendor.of_path(source.path, beside=source.beside)
            for root in roots:
                if root is not None:
                    walk.node(root, outer, (f"doc:{_kind(root, source.path)}",))
            return Parsed(source, tuple(walk.found))
        return Parsed(source, ())


def _blanked(text: str) -> str:
    """Templates of Helm and conda replaced by blanks and letters, so that places hold."""
    text = _TEMPLATE_LINE.sub(lambda m: " " * len(m.group()), text)
    return _TEMPLATE.sub(lambda m: "x" * len(m.group()), text)


def _kind(root: yaml.Node, path: str) -> str:
    keys = (
        {k.value for k, _ in root.value if isinstance(k, yaml.ScalarNode)}
        if isinstance(root, yaml.MappingNode)
        else set()
    )
    if "jobs" in keys or ".github/" in path:
        return "workflow"
    if "services" in keys:
        return "compose"
    if "dependencies" in keys and keys & {"channels", "name"}:
        return "conda"
    if "requirements" in keys and "package" in keys:
        return "recipe"
    return "kubernetes" if "apiVersion" in keys else "other"


class _Walk:
    def __init__(self, source: Source) -> None:
        self.found: list[Region] = []
        self._lines = source.lines
        self._count = 0
        self._open: set[int] = set()  # nodes that are being walked

    def node(self, node: yaml.Node, guard: Guard, path: tuple[str, ...]) -> None:
        self._count += 1
        if self._count > _MOST_NODES or len(path) > _DEEPEST or id(node) in self._open:
            return  # aliases can make a small file endless
        self._open.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            self._scalar(node, guard, path)
        elif isinstance(node, yaml.SequenceNode):
            self._sequence(node, guard, path)
        elif isinstance(node, yaml.MappingNode):
            self._mapping(node, guard, path)
        self._open.discard(id(node))

    def _mapping(self, node: yaml.MappingNode, guard: Guard, path: tuple[str, ...]) -> None:
        guard = vendor.both(guard, yaml_guards.of_mapping(node, path))
        python = any(
            k.value == "shell" and str(v.value).startswith(("python", "pwsh", "powershell", "cmd"))
            for k, v in node.value
        )
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            name = key.value
            mark = key.start_mark
            column = mark.column + 1 + (key.style in ("'", '"'))
            self.found.append(Region(RegionKind.KEY, name, mark.line + 1, column, guard, path))
            if name in _PROSE or (name == "run" and python):
                continue
            self.node(value, vendor.both(guard, yaml_guards.of_key(name, path)), (*path, name))

    def _sequence(self, node: yaml.SequenceNode, guard: Guard, path: tuple[str, ...]) -> None:
        exec_form = path[-1] in ("command", "entrypoint", "args", "cmd") and node.flow_style
        first = node.value[0] if node.value else None
        if exec_form and isinstance(first, yaml.ScalarNode):
            text = " ".join(v.value for v in node.value if isinstance(v, yaml.ScalarNode)).replace("\n", " ")
            mark = first.start_mark
            command = first.value.rsplit("/", 1)[-1]
            column = mark.column + 1 + (first.style in ("'", '"'))
            context = (*path, f"command:{command}")
            self.found.append(Region(RegionKind.CODE, text, mark.line + 1, column, guard, context))
            return
        texts = list(yaml_guards.scalars(node))
        if (
            guard is Guard.NONE
            and {vendor.of(t) for t in texts} >= {Guard.AMD, Guard.NVIDIA}
            and "steps" not in path[-1:]
        ):
            guard = Guard.EITHER if all(isinstance(i, yaml.ScalarNode) for i in node.value) else guard
        for item in node.value:
            self.node(item, guard, path)

    def _scalar(self, node: yaml.ScalarNode, guard: Guard, path: tuple[str, ...]) -> None:
        if not node.value:
            return
        text, line, column = self._written(node)
        if _lists_requirements(path):
            selector = _SELECTOR.search(self._lines[line - 1])
            if selector:
                guard = vendor.both(guard, vendor.of(selector[1].replace("not ", "no ")))
            self.found.append(requirement(node.value.strip(), line, column, guard, path))
        elif path[-1] in _SCRIPTS:
            self.found += shell.regions(text, line, column, guard=guard, context=path)
        else:
            for offset, piece in enumerate(text.split("\n")):
                stripped = piece.strip()
                if stripped:
                    start = (column if offset == 0 else 1) + piece.index(stripped[0])
                    self.found.append(Region(RegionKind.VALUE, stripped, line + offset, start, guard, path))

    def _written(self, node: yaml.ScalarNode) -> tuple[str, int, int]:
        """A scalar as it stands in the file: (text with its own line breaks, line, column)."""
        start, end = node.start_mark, node.end_mark
        if node.style in ("|", ">"):
            lines = self._lines[start.line + 1 : end.line if end.column == 0 else end.line + 1]
            return (" \\\n" if node.style == ">" else "\n").join(lines), start.line + 2, 1
        quoted = 1 if node.style in ("'", '"') else 0
        first = self._lines[start.line]
        if start.line == end.line:
            return (
                first[start.column + quoted : end.column - quoted],
                start.line + 1,
                start.column + 1 + quoted,
            )
        middle = self._lines[start.line + 1 : end.line]
        last = self._lines[end.line][: max(end.column - quoted, 0)] if end.line < len(self._lines) else ""
        return (
            " \\\n".join((first[start.column + quoted :], *middle, last)),
            start.line + 1,
            start.column + 1 + quoted,
        )


def _lists_requirements(path: tuple[str, ...]) -> bool:
    if path[0] == "doc:conda":
        return "dependencies" in path[1:]
    return (
        path[0] == "doc:recipe"
        and "requirements" in path
        and path[-1] in ("run", "host", "build", "run_constrained")
    )


LANGUAGE: Language = Yaml()
