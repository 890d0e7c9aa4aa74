"""YAML: GitHub workflows, Docker Compose, conda environments, Kubernetes, and other CI systems.

A key is a KEY region, a scalar a VALUE region (one per line); the context is `doc:KIND` and the
path of keys. Scripts (`run:`, `script:`, `command:`) are shell regions, conda dependencies are
REQUIREMENT regions. CMake presets and `devcontainer.json` are read the same way.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import yaml

from rocm_ci.scan import json_text, vendor, yaml_kinds, yaml_lines, yaml_templates
from rocm_ci.scan.language import Language, Parsed
from rocm_ci.scan.source import Guard
from rocm_ci.scan.yaml_walk import Walk

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

if TYPE_CHECKING:
    from rocm_ci.scan.source import Source


class Yaml:
    """`*.yml` and `*.yaml`, and the JSON files that configure a build or a container."""

    name = "yaml"

    def claims(self, path: PurePosixPath, head: str) -> bool:  # noqa: ARG002 - the name says it
        """By suffix; lock files are generated and another language. A chart's helpers hold pieces of YAML."""
        if path.suffix == ".json":
            return yaml_kinds.is_json(path)
        if path.suffix == ".tpl":
            return path.parent.name == "templates"  # of a Helm chart
        return path.suffix in (".yml", ".yaml") and not yaml_kinds.is_lock(path)

    def parse(self, source: Source) -> Parsed:
        """A file that is no YAML even with its templates blanked is read line by line."""
        outer = vendor.of_path(source.path, beside=source.beside)
        text = source.text
        if source.path.endswith(".json"):
            text = json_text.without_comments(text)
        problem = ""
        for attempt in (text, yaml_templates.blanked(text)):
            try:
                roots = list(yaml.compose_all(attempt, Loader=Loader))
            except (yaml.YAMLError, RecursionError, ValueError) as error:
                problem = _told(error)
                continue
            walk = Walk(source)
            for root in roots:
                if root is not None:
                    kind = yaml_kinds.kind(root, source.path)
                    walk.node(root, _of_recipe(source.path, outer, kind), (f"doc:{kind}",))
            notes = ("more nodes than are read, the rest left out",) if walk.is_cut else ()
            return Parsed(source, tuple(walk.found), notes=notes)
        lines = yaml_templates.uncommented(source.text).split("\n")
        return Parsed(source, tuple(yaml_lines.regions(lines, outer)), notes=(problem,))


def _of_recipe(path: str, outer: Guard, kind: str) -> Guard:
    """A recipe in `conda/faiss-gpu/` makes the package for CUDA; there is none for ROCm on conda."""
    words = vendor.words(PurePosixPath(path).parent.name) if kind == "recipe" else []
    return Guard.EITHER if "gpu" in words and outer is Guard.NONE else outer


def _told(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f" in line {mark.line + 1}" if mark is not None else ""
    return f"not valid YAML{where}, read line by line"


LANGUAGE: Language = Yaml()
