"""Which jobs a run of the reusable workflow has: the inputs of its author → legs, stages, required reports.

A leg is one job that leaves a report of its own: `scan`, `build`, and one per GPU runner.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from rocm_ci.launch.machine import LaunchError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STAGES = ("scan", "build", "kernels", "test", "perf")
_BUILDING = ("build", "kernels")
SCAN, BUILD, GATE = "scan", "build", "gate"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z")
MAX_RUNNERS = 64
_KEYS = {"name", "runs-on", "image", "arch", "stages", "mode"}
_HINT = 'write runners as JSON, e.g. ["mi300"] or [{"name": "mi300", "runs-on": ["self-hosted", "mi300"]}]'


class Layout(NamedTuple):
    """What the jobs of the workflow are told, as step outputs: JSON where GitHub has to read it back."""

    legs: str
    scan: str
    build: str
    build_runs_on: str
    build_stages: str
    required: str


def lay_out(env: Mapping[str, str]) -> Layout:
    """Read `runners`, `stages` and `build-runner`; a `LaunchError` with code 2 says what is wrong."""
    wanted = _stages(env.get("ROCM_CI_STAGES", ""), "stages") or STAGES
    builder = _runs_on(_json_or_word(env.get("ROCM_CI_BUILD_RUNNER", "")), "build-runner")
    built = [stage for stage in wanted if stage in _BUILDING] if builder else []
    rest = [stage for stage in wanted if stage != SCAN and stage not in built]
    legs = _legs(env.get("ROCM_CI_RUNNERS", ""), rest)
    scanned = SCAN in wanted
    required = [*([SCAN] if scanned else []), *([BUILD] if built else []), *(leg["name"] for leg in legs)]
    if not required:
        raise LaunchError("no job has anything to do", "name more stages, or a runner", 2)
    return Layout(
        legs=_compact(legs),
        scan=_truth(scanned),
        build=_truth(built),
        build_runs_on=_compact(builder),
        build_stages=" ".join(built),
        required=" ".join(required),
    )


def _legs(text: str, stages: Sequence[str]) -> list[dict[str, Any]]:
    try:
        runners = json.loads(text or "[]")
    except (ValueError, RecursionError) as error:
        raise LaunchError(f"input runners is no JSON: {error}", _HINT, 2) from error
    if not isinstance(runners, list) or len(runners) > MAX_RUNNERS:
        raise LaunchError(f"input runners is no list of up to {MAX_RUNNERS} runners", _HINT, 2)
    legs = [leg for leg in (_leg(runner, stages) for runner in runners) if leg["stages"]]
    names = [leg["name"].lower() for leg in legs]
    for name in names:
        if name in (SCAN, BUILD, GATE) or names.count(name) > 1:
            hint = "give each runner a `name` of its own, none of scan, build, gate"
            raise LaunchError(f"input runners: the name {name!r} is taken", hint, 2)
    return legs


def _leg(runner: object, stages: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = runner if isinstance(runner, dict) else {"runs-on": runner}
    unknown = sorted(set(given) - _KEYS)
    if unknown:
        raise LaunchError(
            f"input runners: unknown key {unknown[0]!r}", f"known are {', '.join(sorted(_KEYS))}", 2
        )
    runs_on = _runs_on(given.get("runs-on", ""), "runners")
    if not runs_on:
        raise LaunchError("input runners: a runner without `runs-on`", _HINT, 2)
    name = given.get("name") or _named_after(runs_on)
    if not isinstance(name, str) or not NAME.match(name):
        hint = "use up to 40 letters, digits, dots, dashes and underscores in `name`"
        raise LaunchError(f"input runners: {str(name)[:60]!r} is no name", hint, 2)
    texts = {key: given.get(key, "") for key in ("image", "arch", "stages", "mode")}
    if not all(isinstance(text, str) for text in texts.values()):
        raise LaunchError(f"input runners: {name}: image, arch, stages and mode are texts", _HINT, 2)
    own = _stages(texts["stages"], f"runners: {name}: stages")
    texts["stages"] = " ".join(stage for stage in own or stages if stage in stages)
    return {"name": name, "runs-on": runs_on, **texts}


def _runs_on(given: object, what: str) -> Any:
    """A label, labels, or `{"group": …, "labels": …}`, as GitHub takes it; "" when nothing was given."""
    if isinstance(given, str):
        return given.strip()
    if isinstance(given, list) and given and all(isinstance(label, str) and label for label in given):
        return given
    if isinstance(given, dict) and given and set(given) <= {"group", "labels"}:
        return given
    raise LaunchError(f"input {what}: {json.dumps(given)[:80]} is no runner", _HINT, 2)


def _json_or_word(text: str) -> object:
    if not text.lstrip().startswith(("[", "{", '"')):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LaunchError(f"input build-runner is no JSON: {error}", _HINT, 2) from error


def _named_after(runs_on: object) -> str:
    """The label that says most: the last one."""
    if isinstance(runs_on, dict):
        runs_on = runs_on.get("labels") or runs_on.get("group") or ""
    label = runs_on[-1] if isinstance(runs_on, list) and runs_on else runs_on
    return re.sub(r"[^A-Za-z0-9._-]+", "-", str(label)).strip("-._")[:40]


def _stages(text: str, what: str) -> list[str]:
    """The stages that a text names, in the order in which they run."""
    named = text.replace(",", " ").split()
    for stage in named:
        if stage not in STAGES:
            raise LaunchError(f"input {what}: unknown stage {stage!r}", f"use some of {' '.join(STAGES)}", 2)
    return [stage for stage in STAGES if stage in named]


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _truth(value: object) -> str:
    return "true" if value else "false"
