"""Which vendor a job, service, matrix leg or step of a YAML document is for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from rocm_ci.scan import vendor
from rocm_ci.scan.outcome import IS_AMD, IS_NVIDIA, UNKNOWN, Outcome, joined
from rocm_ci.scan.source import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator

# Keys whose value says what a leg or job is, as opposed to what it uses.
_SAYS = frozenset({
    "backend", "accelerator", "gpu", "gpu_type", "gpu-type", "gpu-arch-type", "gpu_arch_type", "platform",
    "vendor", "variant", "flavor", "toolkit", "device", "label", "key", "id", "name", "runner", "runs-on",
    "runs_on", "tags", "profiles", "queue", "agents", "agent_pool", "agent", "pool", "compute", "target",
    "arch", "desired_cuda", "config", "accelerators", "device_type", "environment_name", "job_name",
    "suffix", "stack", "kind", "type", "group", "hardware", "sku", "brand", "manufacturer", "hardware_vendor",
    "gpu_vendor", "gpu-vendor", "gpuVendor", "gpu_brand", "gpu_model", "accelerator_type",
})  # fmt: skip
_ABOUT_DEVICE = frozenset(
    {"device", "device_type", "target", "type", "kind"}
)  # "cuda" there is torch's name, also on AMD
_MACHINES = frozenset({"agents", "pool", "runs-on", "agent_pool"})  # may be mappings
_MOST_SCALARS = 500
_NAMED_CHILDREN = frozenset(
    {"jobs", "services", "stages", "targets", "environments", "matrix", "tasks", "executors", "doc:gitlab"}
)
# What lies below such a key is chosen by the name of the hardware: `hardware_overrides: {blackwell: …}`.
_CHOICES = re.compile(r"(?i)(?:hardware|gpu|platform|vendor|accelerator)s?(?:[-_]?(?:overrides|profiles))?")
_NO_JOBS = frozenset({"variables", "default", "image", "stages", "include", "workflow"})
_AZURE = re.compile(r"\b(eq|ne)\(\s*([^,]+),\s*'([^']*)'\s*\)")
_CLAUSE = re.compile(
    r"(!\s*)?(?:contains|startsWith|endsWith)\(\s*([^,]+),\s*'([^']*)'\s*\)|([\w.\[\]'-]+)\s*([!=]=)\s*'([^']*)'|(!?)([\w.-]+)"
)


def scalars(node: yaml.Node | None) -> Iterator[str]:
    """Texts of the scalars below a node, at most a few hundred: an alias may point to what it stands in."""
    stack: list[yaml.Node | None] = [node]
    for _ in range(_MOST_SCALARS):
        if not stack:
            return
        one = stack.pop()
        if isinstance(one, yaml.ScalarNode):
            yield one.value
        elif isinstance(one, yaml.SequenceNode):
            stack += reversed(one.value)
        elif isinstance(one, yaml.MappingNode):
            stack += [part for pair in reversed(one.value) for part in reversed(pair)]


def of_mapping(node: yaml.MappingNode, path: tuple[str, ...]) -> Guard:
    """The vendor that a mapping is for: by its condition, by its runner, by what it says about itself.

    A step is judged by its `if:` alone: its name only tells what it does.
    """
    entries = {k.value: v for k, v in node.value if isinstance(k, yaml.ScalarNode)}
    guard = Guard.NONE
    condition = entries.get("if") or entries.get("condition")
    if isinstance(condition, yaml.ScalarNode):
        guard = of_condition(condition.value).true
    is_step = (
        "steps" in path[1:]
        and ("steps" not in path[-1:] or not {"agent_pool", "command", "commands"} & entries.keys())
        and not ({"label", "agents"} & entries.keys())
    )
    if is_step or guard is not Guard.NONE:
        return guard
    said = []
    for key, value in entries.items():
        # A mapping below such a key is a service or a job of that name.
        if key == "key" and path[0] == "doc:kubernetes":
            continue  # of a toleration or a label: what a node has
        if key in _SAYS and (key in _MACHINES or not isinstance(value, yaml.MappingNode)):
            texts = list(scalars(value))
            if key not in _ABOUT_DEVICE or any(
                "nvidia" in t.lower() or vendor.of(t) is Guard.AMD for t in texts
            ):
                said += texts
    matrix = entries.get("matrix")
    strategy = entries.get("strategy")
    if isinstance(strategy, yaml.MappingNode):
        matrix = next((v for k, v in strategy.value if k.value == "matrix"), None)
    if isinstance(matrix, yaml.MappingNode):
        said += [k.value for k, _ in matrix.value if isinstance(k, yaml.ScalarNode)]
    return _agreed(said)


def _agreed(texts: list[str]) -> Guard:
    guards = {vendor.of(text, labels=True) for text in texts} - {Guard.NONE}
    return guards.pop() if len(guards) == 1 else Guard.NONE


def of_key(key: str, path: tuple[str, ...]) -> Guard:
    """The vendor in the name of a job, a service, a top-level job of GitLab CI or a choice of hardware."""
    if (path[-1] not in _NAMED_CHILDREN and not _CHOICES.fullmatch(path[-1])) or key in _NO_JOBS:
        return Guard.NONE
    return vendor.of(key, labels=True)


def of_condition(text: str) -> Outcome:
    """`matrix.backend == 'cuda'`, `contains(matrix.os, 'rocm')`, `inputs.use_cuda`."""
    text = text.replace("${{", " ").replace("}}", " ")
    text = _AZURE.sub(_as_comparison, text)
    return joined(
        [joined([_clause(c) for c in part.split("&&")], conjunction=True) for part in text.split("||")],
        conjunction=False,
    )


def _as_comparison(azure: re.Match[str]) -> str:
    """`eq(variables['backend'], 'cuda')` in the spelling of GitHub."""
    subject = re.sub(r"[^\w.-]+", ".", azure[2])
    return f"{subject} {'!=' if azure[1] == 'ne' else '=='} '{azure[3]}'"


def _clause(text: str) -> Outcome:
    found = _CLAUSE.search(text)
    if found is None:
        return UNKNOWN
    negated = bool(found[1]) or found[5] == "!=" or found[7] == "!"
    said = found[3] or found[6] or found[8] or ""
    if found[4] and not found[6]:  # `matrix.cuda != ''`: the leg has one
        said, negated = found[4], found[5] == "=="
    named = Guard.NVIDIA if said == "cu" else vendor.of(said)  # of `cu126`
    outcome = {Guard.AMD: IS_AMD, Guard.NVIDIA: IS_NVIDIA}.get(named, UNKNOWN)
    if (found[4] or "").endswith(("device", "device_type")) and outcome is IS_NVIDIA:
        outcome = UNKNOWN
    return ~outcome if negated else outcome
