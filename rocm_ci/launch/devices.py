"""Which GPUs are ours, and how a container is given them.

Sources: the pod files are those of the AMD runners that PyTorch, SGLang and TheRock use; CDI names and
the runtime's variable are those of the AMD container toolkit.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from rocm_ci.launch.machine import LaunchError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

KFD = "/dev/kfd"
LEASE = "/etc/podinfo/gha-render-devices"
ISOLATION = "/etc/podinfo/gha-gpu-isolation-settings"
_AMD = "0x1002"
_KIND = "amd.com/gpu"
_VARIABLE = re.compile(
    r"^(?:export[ \t]+)?((?:ROCR|HIP|CUDA)_VISIBLE_DEVICES)=[\"']?([\w, -]+)[\"']?[ \t\r]*$", re.MULTILINE
)


def below(root: Path, path: str) -> Path:
    """An absolute path, seen from another root."""
    return root / path.lstrip("/")


def render_nodes(root: Path) -> list[str]:
    """Every AMD render node, in the order of its number."""
    nodes = sorted(below(root, "/dev/dri").glob("renderD*"), key=lambda node: (len(node.name), node.name))
    return [f"/dev/dri/{node.name}" for node in nodes if _vendor(root, node.name) in (None, _AMD)]


def _vendor(root: Path, name: str) -> str | None:
    try:
        return below(root, f"/sys/class/drm/{name}/device/vendor").read_text().strip()
    except OSError:
        return None


def leased_nodes(root: Path) -> list[str]:
    """The render nodes that this job may use: those of the pod's lease file, else all of the machine."""
    lease = below(root, LEASE)
    if lease.is_file():
        nodes = sorted(set(re.findall(r"/dev/dri/renderD\d+", lease.read_text())))
        if not nodes:
            # Carried on with, such a job would see every GPU of the host, its neighbours' included.
            raise LaunchError(f"{LEASE} leases no GPU to this job", "check the GPU allocation of the runner")
    elif below(root, ISOLATION).exists() and not isolation(root):
        # The pod's files stay outside of the container: nobody in there can tell any more (TheRock PR #6924).
        raise LaunchError(
            f"{ISOLATION} sets no GPU variable to a value", "check the GPU allocation of the runner"
        )
    else:
        nodes = render_nodes(root)
    for node in (KFD, *nodes):
        if not below(root, node).exists():
            hint = "check the amdgpu driver (`ls -l /dev/kfd /dev/dri`), or set `require-gpu: false`"
            raise LaunchError(f"{node} is not on this machine", hint)
    if not nodes:
        raise LaunchError(
            "no AMD GPU has a render node in /dev/dri", "check the driver, or set `require-gpu: false`"
        )
    return nodes


def flags(root: Path, nodes: Sequence[str], daemon: Mapping[str, Any]) -> list[str]:
    """How `docker run` is given the nodes: by CDI, by AMD's runtime, else one by one.

    `daemon` is what `docker info` says.
    """
    names = _cdi_names(root, daemon.get("CDISpecDirs") or [], set(nodes))
    if names:
        return [flag for name in names for flag in ("--device", f"{_KIND}={name}")]
    # The runtime counts GPUs in an order of its own: it is only asked for all of them.
    if "amd" in (daemon.get("Runtimes") or {}) and list(nodes) == render_nodes(root):
        return ["--runtime", "amd", "--env", "AMD_VISIBLE_DEVICES=all"]
    return [flag for node in (KFD, *nodes) for flag in ("--device", node)]


def _cdi_names(root: Path, folders: Sequence[str], wanted: set[str]) -> list[str]:
    """The CDI devices that together hold exactly the wanted nodes; empty when there are no such."""
    for folder in folders:
        for spec in sorted(below(root, folder).glob("*.json")):
            held = _cdi_devices(spec)
            names = sorted(
                name for name, nodes in held.items() if name != "all" and nodes and nodes <= wanted
            )
            if names and set().union(*(held[name] for name in names)) == wanted:
                return names
    return []


def _cdi_devices(spec: Path) -> dict[str, set[str]]:
    """The render nodes of each device of a specification; empty when it is none of AMD's."""
    try:
        content = json.loads(spec.read_text())
        if content["kind"] != _KIND:
            return {}
        return {
            device["name"]: {
                node["path"] for node in device["containerEdits"]["deviceNodes"] if "/renderD" in node["path"]
            }
            for device in content["devices"]
        }
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def isolation(root: Path) -> dict[str, str]:
    """The variables with which a cluster narrows a pod to its GPUs; empty when it left none."""
    try:
        text = below(root, ISOLATION).read_text(errors="replace")
    except OSError:
        return {}
    return {name: value for name, said in _VARIABLE.findall(text) if (value := said.strip())}
