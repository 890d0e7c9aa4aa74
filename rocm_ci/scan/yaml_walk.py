"""The nodes of a YAML document → regions: keys, scalars, scripts and requirements, each with its guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from rocm_ci.scan import (
    batch,
    pip_torch,
    powershell,
    shell,
    vendor,
    yaml_guards,
    yaml_kinds,
    yaml_templates,
)
from rocm_ci.scan.requirement_lines import requirement
from rocm_ci.scan.source import Guard, Region, RegionKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocm_ci.scan.source import Source

_SCRIPTS = frozenset({
    "run", "script", "before_script", "after_script", "command", "commands", "entrypoint", "bash",
    "shell_script", "inlineScript", "cmd", "cmds", "install", "test_command", "entry", "pre_install",
    "post_install", "post_build", "pre_build", "setup", "pwsh", "powershell", "onCreateCommand",
    "updateContentCommand", "postCreateCommand", "postStartCommand", "postAttachCommand",
    "initializeCommand", "before-script", "install_command", "build_command",
})  # fmt: skip
_PROSE = frozenset({
    "name", "description", "label", "title", "labels", "summary", "message", "if", "condition", "guide",
    "notes", "readme", "doc", "docs", "comment", "help", "markdown", "body", "displayName", "note",
})  # fmt: skip
# Of a matrix leg or a job: what it is called, not what it uses.
_OTHER_LANGUAGES = ("python", "perl", "node", "ruby")
_WORDS = frozenset({"args", "runArgs", "command", "entrypoint", "cmd"})
_TRUE = frozenset({"on", "1", "true", "yes"})
_MOST_NODES = 100_000
_DEEPEST = 60


class Walk:
    """Walks the documents of one file; `found` are their regions."""

    def __init__(self, source: Source) -> None:
        self.found: list[Region] = []
        self._lines = source.lines
        self._text = source.text
        self._templates: Mapping[int, Guard] = (
            yaml_templates.guards(source.lines) if "{{" in source.text or "{%" in source.text else {}
        )
        self._count = 0
        self._open: set[int] = set()  # nodes that are being walked

    @property
    def is_cut(self) -> bool:
        """Whether there were more nodes than anybody writes by hand."""
        return self._count > _MOST_NODES

    def node(self, node: yaml.Node, guard: Guard, path: tuple[str, ...]) -> None:
        """Hand out a node below the keys `path`, whose first is the kind of the document."""
        self._count += 1
        if self._count > _MOST_NODES or len(path) > _DEEPEST or id(node) in self._open:
            return  # aliases can make a small file endless
        self._open.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            self._scalar(node, self._here(node, guard), path)
        elif isinstance(node, yaml.SequenceNode):
            self._sequence(node, guard, path)
        elif isinstance(node, yaml.MappingNode):
            self._mapping(node, guard, path)
        self._open.discard(id(node))

    def _here(self, node: yaml.Node, guard: Guard) -> Guard:
        """With the template branch that the first line of a node stands in."""
        if not self._templates:
            return guard
        return vendor.both(guard, self._templates.get(node.start_mark.line + 1, Guard.NONE))

    def _mapping(self, node: yaml.MappingNode, guard: Guard, path: tuple[str, ...]) -> None:
        entries = {k.value: v for k, v in node.value if isinstance(k, yaml.ScalarNode)}
        shell_named = str(getattr(entries.get("shell"), "value", ""))
        if _is_variable(entries, path):
            self._variable(entries, guard, path)
            return
        guard = vendor.both(guard, yaml_guards.of_mapping(node, path))
        if brings := pip_torch.of_image(_image(entries), self._text):
            path = (path[0], brings, *path[1:])
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            name = key.value
            here = vendor.both(self._here(key, guard), yaml_guards.of_key(name, path))
            mark = key.start_mark
            column = mark.column + 1 + (key.style in ("'", '"'))
            self.found.append(Region(RegionKind.KEY, name, mark.line + 1, column, here, path))
            self._setting(key, value, here, path)
            if name in _PROSE or (name == "run" and shell_named.startswith(_OTHER_LANGUAGES)):
                continue
            if name == "entry" and str(getattr(entries.get("language"), "value", "")) == "pygrep":
                continue
            if name == "args" and _is_shell(entries.get("command")):
                name = "command"  # `command: [sh, -c]` and the script beside it
            inner = (*path, "docker:gpus") if name == "gpus" and _starts_containers(path) else path
            if name == "run" and shell_named:
                inner = (*inner, f"shell:{shell_named}")
            self.node(value, here, (*inner, name))

    def _variable(self, entries: Mapping[str, yaml.Node], guard: Guard, path: tuple[str, ...]) -> None:
        """Kubernetes' `{name: CUDA_HOME, value: …}` is a key and its value."""
        name = entries["name"]
        place = (
            name.start_mark.line + 1,
            name.start_mark.column + 1 + (getattr(name, "style", None) in ("'", '"')),
        )
        self.found.append(Region(RegionKind.KEY, name.value, *place, self._here(name, guard), path))
        if "value" in entries:
            self.node(entries["value"], guard, (*path, str(name.value)))

    def _setting(self, key: yaml.ScalarNode, value: yaml.Node, guard: Guard, path: tuple[str, ...]) -> None:
        """A cache variable of a CMake preset is what `cmake -DNAME=VALUE` says."""
        if path[-1] != "cacheVariables" or not isinstance(value, yaml.ScalarNode):
            return
        text = f"-D{key.value}={value.value}"
        place = (key.start_mark.line + 1, key.start_mark.column + 2)
        self.found.append(Region(RegionKind.CODE, text, *place, guard, (*path, "command:cmake")))

    def _sequence(self, node: yaml.SequenceNode, guard: Guard, path: tuple[str, ...]) -> None:
        scalars = [v for v in node.value if isinstance(v, yaml.ScalarNode)]
        # One command cut into words; a list of commands has blanks in its first entry.
        is_words = bool(scalars) and (not scalars[0].value or " " not in scalars[0].value)
        if path[-1] in _WORDS and is_words and (node.flow_style or path[-1] == "runArgs"):
            self._words(scalars, guard, path)
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

    def _words(self, words: list[yaml.ScalarNode], guard: Guard, path: tuple[str, ...]) -> None:
        """`["nvidia-smi", "-L"]`: one CODE region, on the line of each of its words."""
        first = words[0]
        if yaml_kinds.takes_script([w.value for w in words[:-1]]):
            text, line, column = self._written(words[-1])
            script = text.replace('\\"', ' "')
            self.found += shell.regions(script, line, column, guard=guard, context=path)
            return
        command = "docker" if path[-1] == "runArgs" else first.value.rsplit("/", 1)[-1]
        rows: dict[int, list[yaml.ScalarNode]] = {}
        for word in words:
            rows.setdefault(word.start_mark.line, []).append(word)
        for line, some in rows.items():
            mark = some[0].start_mark
            text = " ".join(w.value for w in some).replace("\n", " ")
            if path[-1] == "runArgs":
                text = f" {text} "
            column = mark.column + 1 + (some[0].style in ("'", '"'))
            context = (*path, f"command:{command}")
            self.found.append(
                Region(RegionKind.CODE, text, line + 1, column, self._here(some[0], guard), context)
            )

    def _scalar(self, node: yaml.ScalarNode, guard: Guard, path: tuple[str, ...]) -> None:
        if not node.value:
            return
        text, line, column = self._written(node)
        if _lists_requirements(path):
            guard = vendor.both(guard, yaml_templates.selector(self._lines[line - 1]))
            self.found.append(requirement(text.split("\n")[0].strip(), line, column, guard, path))
        elif reader := _script_of(path):
            self.found += reader(text, line, column, guard=guard, context=path)
        else:
            for offset, piece in enumerate(text.split("\n")):
                stripped = piece.removesuffix(" \\").strip()  # of a scalar over several lines
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


def _script_of(path: tuple[str, ...]) -> Callable[..., list[Region]] | None:
    """What reads a scalar of this path, when it is a script."""
    key = path[-1]
    if key not in _SCRIPTS or (key in ("setup", "install") and len(path) > 2 and path[0] != "doc:other"):
        return None
    named = next((p for p in reversed(path) if p.startswith("shell:")), "shell:bash")
    if key in ("pwsh", "powershell") or named.startswith(("shell:pwsh", "shell:powershell")):
        return powershell.regions
    return batch.regions if named == "shell:cmd" else shell.regions


def _image(entries: Mapping[str, yaml.Node]) -> str:
    """The image that a job or a service runs in, if it says."""
    node = entries.get("container") or entries.get("image")
    if isinstance(node, yaml.MappingNode):
        node = next((v for k, v in node.value if k.value in ("image", "name")), None)
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def _is_shell(command: yaml.Node | None) -> bool:
    return isinstance(command, yaml.SequenceNode) and yaml_kinds.takes_script(
        [v.value for v in command.value if isinstance(v, yaml.ScalarNode)]
    )


def _is_variable(entries: Mapping[str, yaml.Node], path: tuple[str, ...]) -> bool:
    return (
        path[-1] in ("env", "environment", "envs")
        and isinstance(entries.get("name"), yaml.ScalarNode)
        and bool({"value", "valueFrom"} & entries.keys())
    )


def _starts_containers(path: tuple[str, ...]) -> bool:
    return path[0] == "doc:compose" or any(p.startswith("docker") or "/docker" in p for p in path)


def _lists_requirements(path: tuple[str, ...]) -> bool:
    if path[0] == "doc:conda":
        return "dependencies" in path[1:]
    if path[-1] == "additional_dependencies":
        return True
    return (
        path[0] == "doc:recipe"
        and "requirements" in path
        and path[-1] in ("run", "host", "build", "run_constrained", "then", "else")
    )
