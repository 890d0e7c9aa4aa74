"""What a cluster says which GPUs of its host this pod may use: files below /etc/podinfo.

As on the AMD runners of PyTorch, SGLang, aiter and TheRock: `gha-render-devices` holds flags for `docker
run` (`--device /dev/dri/renderD136 …`), `gha-gpu-isolation-settings` is a file for `--env-file` with
ROCR_VISIBLE_DEVICES in it. Where one is there and empty, a job that reads it carelessly sees all GPUs of the
host, its neighbours' included (TheRock PR #6924): that is an error here, never «all».
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocm_ci.errors import MachineError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "/etc/podinfo"
RENDER = f"{FOLDER}/gha-render-devices"
ISOLATION = f"{FOLDER}/gha-gpu-isolation-settings"
_HINT = "check the GPU allocation of the runner's pod"
_MAX_BYTES = 65_536
_VARIABLE = re.compile(
    r"^(?:export[ \t]+)?((?:ROCR|HIP|CUDA)_VISIBLE_DEVICES)=[\"']?([\w, -]*)[\"']?[ \t\r]*$", re.MULTILINE
)


@dataclass(frozen=True, kw_only=True)
class Allotment:
    """What the pod was given. `render` names files below /dev/dri, None where no file says which.

    `variables` are those of the isolation file. `notes` are worth a line in the log.
    """

    render: frozenset[str] | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read(host: Path, environment: Mapping[str, str], *, gpus: int) -> Allotment:
    """The allotment of a host with so many GPUs. Raises `MachineError` for files that allot nothing."""
    folder = host / FOLDER.lstrip("/")
    render, isolation = _text(host, RENDER), _text(host, ISOLATION)
    if render is None and isolation is None:
        others = sorted(path.name for path in folder.glob("gha-*"))[:4] if folder.is_dir() else []
        if others and gpus:
            message = f"{FOLDER} holds {', '.join(others)}, but no file there says which GPUs are ours"
            raise MachineError(message, hint=_HINT)
        return Allotment(notes=_unsaid(environment, gpus))
    nodes = None if render is None else _nodes(render)
    variables = {} if isolation is None else _variables(isolation)
    return Allotment(render=nodes, variables=variables)


def _nodes(text: str) -> frozenset[str] | None:
    nodes = frozenset(re.findall(r"/dev/dri/(renderD\d{1,6})\b", text))
    if not nodes and re.search(r"/dev/dri/?(?:[\s\"':]|$)", text):
        return None  # the whole folder, in so many words
    if not nodes:
        message = f"{RENDER} allots no GPU to this job"
        raise MachineError(message, hint=_HINT)
    return nodes


def _variables(text: str) -> dict[str, str]:
    found = {name: value.strip() for name, value in _VARIABLE.findall(text)}
    if not any(found.values()):
        message = f"{ISOLATION} sets no GPU variable to a value"
        raise MachineError(message, hint=_HINT)
    return {name: value for name, value in found.items() if value}


def _unsaid(environment: Mapping[str, str], gpus: int) -> tuple[str, ...]:
    """In a job's own container the files of the pod are not there, its variables should be."""
    narrowed = any(name.endswith("_VISIBLE_DEVICES") for name in environment)
    if gpus < 2 or narrowed or not environment.get("KUBE_CPU_REQUEST"):
        return ()
    return (
        "this is a pod (KUBE_CPU_REQUEST is set), but nothing says which GPUs are its own: all are taken",
    )


def _text(host: Path, path: str) -> str | None:
    """The content; an empty text when it is there and cannot be read; None when it is not there."""
    try:
        with (host / path.lstrip("/")).open("rb") as file:
            return file.read(_MAX_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError:
        return ""
