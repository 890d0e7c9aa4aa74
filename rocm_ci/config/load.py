"""(YAML text, environment mapping) → Config with the source of each value. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from rocm_ci.config.gates import GATES, GUARDED_STEPS, differing_gates, with_base_gates
from rocm_ci.config.mistake import DOCS, explained, located
from rocm_ci.config.options import Config
from rocm_ci.config.soundness import flaw
from rocm_ci.errors import ConfigError
from rocm_ci.model.report import Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = ".github/rocm-ci.yml"
MAX_BYTES = 1_000_000

# Options that an action input (and its environment variable) can set, with how to read the text.
# tests/repo compares this list with action.yml and the README.
ENVIRONMENT: dict[str, str] = {
    "arch": "list",
    "stages": "list",
    "require-gpu": "bool",
    "inconclusive": "text",
    "deepen": "bool",
    "jobs": "int",
    "fail-on": "text",
}


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """The configuration, where each non-default value came from, and what a reader should know."""

    config: Config
    settings: tuple[Setting, ...]
    notices: tuple[str, ...] = field(default=())


def variable(option: str) -> str:
    """`require-gpu` → `ROCM_CI_REQUIRE_GPU`."""
    return "ROCM_CI_" + option.upper().replace("-", "_")


def load(
    text: str | None,
    environment: Mapping[str, str],
    *,
    path: str = PATH,
    base_text: str | None = None,
    trusted: bool = True,
) -> Loaded:
    """Decode and merge: default < file < environment.

    With `trusted=False` every gate (see `gates`) comes from `base_text`, the file at the merge
    base. Whether trusted or not, a difference in a gate is told in `notices`.
    """
    tree = _tree(text, path)
    head = _decode(tree, text, path)
    base_path = f"{path} at the merge base"
    notices: list[str] = []
    if base_text is not None or not trusted:
        try:
            guarded = with_base_gates(tree, _base_tree(base_text, base_path))
        except ConfigError as error:
            if not trusted:
                raise
            # A change that repairs the file must be able to land.
            notices.append(f"What guards the branch could not be compared with the merge base: {error}.")
        else:
            different = differing_gates(head, _decode(guarded, text, path))
            if different:
                notices.append(_told(different, trusted=trusted))
            tree = tree if trusted else guarded
    env_tree, env_settings = _from_environment(environment)
    config = _decode(_merge(tree, env_tree), text, path)
    overridden = {s.name for s in env_settings}
    file_settings = tuple(
        Setting(name=name, value=_shown(value), source=path if trusted or not _guarded(name) else base_path)
        for name, value in _flat(tree)
        if name not in overridden
    )
    return Loaded(config=config, settings=file_settings + env_settings, notices=tuple(notices))


def _base_tree(text: str | None, path: str) -> dict[str, Any]:
    tree = _tree(text, path)
    _decode(tree, text, path)
    return tree


def _told(different: list[str], *, trusted: bool) -> str:
    names = ", ".join(different)
    if trusted:
        return f"This change to the configuration changes what guards the branch: {names}."
    return (
        f"The configuration is taken from the merge base for what guards the branch: {names}. "
        "What a fork changes there counts once it is on the base branch."
    )


def _guarded(option: str) -> bool:
    return option.split(".", maxsplit=1)[0] in (*GATES, *GUARDED_STEPS)


def _tree(text: str | None, path: str) -> dict[str, Any]:
    if text is None or not text.strip():
        return {}
    if len(text) > MAX_BYTES:
        message = f"{path}: {len(text)} characters is too much for a configuration"
        raise ConfigError(message, hint=f"keep it under {MAX_BYTES} characters")
    # 8 ms to import, and a project without a configuration is scanned as well.
    from rocm_ci.config.document import parsed  # noqa: PLC0415

    tree = parsed(text, path)
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        message = f"{path}:1: a mapping of options is expected, not {type(tree).__name__}"
        raise ConfigError(message, hint=f"start it with `version: 1`; {DOCS}")
    return tree


def _decode(tree: dict[str, Any], text: str | None, path: str) -> Config:
    try:
        config = msgspec.convert(tree, Config)
    except msgspec.ValidationError as error:
        raise explained(str(error), text or "", path) from error
    found = flaw(config)
    if found:
        trail, what, hint = found
        raise located(trail, what, hint, text or "", path)
    return config


def _from_environment(environment: Mapping[str, str]) -> tuple[dict[str, Any], tuple[Setting, ...]]:
    tree: dict[str, Any] = {}
    settings = []
    for option, kind in ENVIRONMENT.items():
        text = environment.get(variable(option), "").strip()
        if not text:
            continue
        value = _read(option, kind, text)
        if option == "fail-on":
            tree["scan"] = {"fail-on": value}
        else:
            tree[option] = value
        name = "scan.fail-on" if option == "fail-on" else option
        settings.append(Setting(name=name, value=text, source=f"${variable(option)}"))
    try:
        msgspec.convert(tree, Config)
    except msgspec.ValidationError as error:
        problem = str(error).split(" - at ")
        name = problem[1].strip("`$.").split("[")[0] if len(problem) > 1 else "input"
        message = f"input `{name}`: {problem[0]}"
        raise ConfigError(message, hint=DOCS) from error
    return tree, tuple(settings)


def _read(option: str, kind: str, text: str) -> object:
    if kind == "list":
        return [part for part in re.split(r"[\s,;]+", text) if part]
    if kind == "bool":
        if text.lower() in ("true", "1", "yes", "on"):
            return True
        if text.lower() in ("false", "0", "no", "off"):
            return False
        message = f"input `{option}`: {text!r} is neither true nor false"
        raise ConfigError(message, hint="write `true` or `false`")
    if kind == "int":
        if not text.isdecimal():
            message = f"input `{option}`: {text!r} is not a whole number"
            raise ConfigError(message, hint="write a number, 0 for automatic")
        return int(text)
    return text


def _merge(tree: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(tree)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _flat(tree: dict[str, Any]) -> list[tuple[str, object]]:
    """Options of the file by dotted name, sorted; the version says nothing and is left out."""
    found: list[tuple[str, object]] = []
    for name, value in sorted(tree.items()):
        if isinstance(value, dict):
            found += [(f"{name}.{key}", inner) for key, inner in sorted(value.items())]
        elif name != "version":
            found.append((name, value))
    return found


def _shown(value: object) -> str:
    if isinstance(value, list):
        if any(isinstance(v, dict) for v in value):
            return ", ".join(str(v.get("name", "?")) if isinstance(v, dict) else str(v) for v in value)
        return ", ".join(map(str, value))

    if isinstance(value, dict):
        return ", ".join(f"{k}: {v}" for k, v in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)
