"""The device files: mapped into the container, owned by which group number, really open to us."""

from __future__ import annotations

import errno
import json
import re
import stat
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.gpu.checks.outcome import NO_GPU, fine, some, unknown, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.gpu.checks.machine import Machine
    from rocm_ci.gpu.checks.needs import Needs
    from rocm_ci.gpu.reader import Reader
    from rocm_ci.model.facts import Facts
    from rocm_ci.model.result import Check
    from rocm_ci.tools.process import Runner

# A child opens them, as a driver that is stuck lets nobody go who calls it: the child can be given up.
_OPEN = """
import json, os, sys
found = {}
for path in sys.argv[1:]:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK))
        found[path] = 0
    except OSError as error:
        found[path] = error.errno
print(json.dumps(found))
"""
_OPEN_S = 10.0
_SILENT = -1
_MOST = 130


@dataclass(frozen=True, kw_only=True)
class Node:
    """A device file. `refused` is the errno of opening it for reading and writing, 0 when that works.

    It is None when nobody tried, and -1 when opening did not come back. `group` is the name of `gid` here.
    """

    path: str
    exists: bool
    gid: int | None = None
    mode: int | None = None
    group: str | None = None
    refused: int | None = None


def look(facts: Facts, reader: Reader, host: Path, run: Runner | None) -> tuple[Node, ...]:
    """The nodes that the GPUs of `facts` need, below `host`. Without a runner nothing is opened."""
    if not facts.gpus or not (host / "dev").is_dir():
        return ()
    groups = _group_names(reader)
    renders = sorted({gpu.render for gpu in facts.gpus if gpu.render}, key=lambda name: (len(name), name))
    found = []
    for name in ("kfd", *(f"dri/{render}" for render in renders[:_MOST])):
        try:
            about = (host / "dev" / name).stat()
        except OSError:
            found.append(Node(path=f"/dev/{name}", exists=False))
            continue
        mode, gid = stat.S_IMODE(about.st_mode), about.st_gid
        found.append(Node(path=f"/dev/{name}", exists=True, gid=gid, mode=mode, group=groups.get(gid)))
    if run is None:
        return tuple(found)
    return tuple(_opened(found, host, run))


def _opened(nodes: list[Node], host: Path, run: Runner) -> Iterator[Node]:
    places = {node.path: str(host / node.path.lstrip("/")) for node in nodes if node.exists}
    said: dict[str, object] = {}
    silent = False
    if places:
        done = run.capture((sys.executable, "-I", "-c", _OPEN, *places.values()), timeout_s=_OPEN_S)
        silent = done.timed_out
        try:
            said = json.loads(done.text)
        except ValueError:
            said = {}
    for node in nodes:
        code = said.get(places.get(node.path, ""))
        if node.exists and isinstance(code, int):
            yield replace(node, refused=code)
        else:
            yield replace(node, refused=_SILENT) if node.exists and silent else node


def _group_names(reader: Reader) -> dict[int, str]:
    lines = re.findall(r"(?m)^([\w.-]{1,40}):[^:\n]*:(\d{1,9}):", reader.text("/etc/group") or "")
    return {int(gid): name for name, gid in reversed(lines)}


def device_nodes(machine: Machine, needs: Needs) -> Check:
    """Are the device files of the GPUs that the kernel shows here, or were they not passed in?"""
    needed = "/dev/kfd and one render node per GPU"
    if not machine.nodes:
        return _no_nodes("device-nodes", machine, needed)
    gone = [node.path for node in machine.nodes if not node.exists]
    if not gone:
        return fine("device-nodes", f"/dev/kfd and {len(machine.nodes) - 1} render node(s)", needed)
    container = machine.facts.host.container
    fix = "on the host: `modprobe amdgpu` and `udevadm trigger` make the nodes anew"
    if container == "kubernetes":
        fix = "ask for `amd.com/gpu` in the pod's resources: the device plugin maps the nodes"
    elif container:
        fix = "start the container with --device=/dev/kfd --device=/dev/dri"
    where = f" in this {container} container" if container else ""
    total = len([node for node in machine.nodes if node.path != "/dev/kfd"])
    lost = [path for path in gone if path != "/dev/kfd"]
    # With some of many render nodes the container owns these cards, and may not see the others.
    fatal = needs.must_have_gpu and ("/dev/kfd" in gone or total - len(lost) < needs.gpus)
    return wrong("device-nodes", f"not there{where}: {some(gone, 8)}", needed, fix, fatal=fatal)


def _no_nodes(name: str, machine: Machine, needed: str) -> Check:
    if not machine.facts.gpus:
        return unknown(name, NO_GPU, needed)
    why = machine.unseen.get("nodes", "there is no /dev to look into")
    return unknown(
        name, why, needed, "`ls -ln /dev/kfd /dev/dri` shows them, with the numbers of their groups"
    )


def device_access(machine: Machine, needs: Needs) -> Check:
    """May this process open them? Group *names* differ between host and image, numbers do not."""
    needed = "read and write access, by the number of the nodes' group"
    there = [node for node in machine.nodes if node.exists]
    if not machine.nodes:
        return _no_nodes("device-access", machine, needed)
    if not there:
        return unknown("device-access", "there is no device file", needed, "see the check `device-nodes`")
    owners = ", ".join(_group(gid, name) for gid, name in sorted({(n.gid or 0, n.group) for n in there}))
    bad = [node for node in there if _closed(node, machine)]
    if not bad and all(node.refused is None and _mode_tells(node, machine) is None for node in there):
        why, ask = (
            "nobody tried, and the ids of this process are not known",
            "compare `id` with `ls -ln /dev/kfd`",
        )
        return unknown("device-access", why, needed, ask)
    if not bad:
        return fine("device-access", f"{len(there)} node(s) open, of group {owners}", needed)
    seen = some([f"{node.path}: {_why(node)}" for node in bad], 3) + f"; group {owners}"
    fatal = needs.must_have_gpu and (
        any(n.path == "/dev/kfd" for n in bad) or len(there) - len(bad) - 1 < needs.gpus
    )
    return wrong("device-access", seen, needed, _way_in(bad, machine), fatal=fatal)


def _way_in(bad: list[Node], machine: Machine) -> str:
    if any(node.refused == _SILENT for node in bad):
        return "the driver is stuck: look at `dmesg` on the host, and restart it"
    if any(node.refused == errno.EPERM for node in bad):
        return "the container's device list refuses them: start it with --device=/dev/kfd --device=/dev/dri"
    groups = sorted({(node.gid, node.group) for node in bad if node.gid is not None})
    if any(gid == 0 for gid, _ in groups):
        return "on the host: give the nodes to a group (`udevadm trigger` after installing ROCm's udev rules)"
    if machine.facts.host.container:
        return "start the container with " + " ".join(f"--group-add {gid}" for gid, _ in groups)
    names = ",".join(name or f"the group {gid}" for gid, name in groups)
    return f"`sudo usermod -aG {names} $USER`, then log in again (and restart the runner's service)"


def _group(gid: int, name: str | None) -> str:
    return f"{gid} ({name})" if name else str(gid)


def _closed(node: Node, machine: Machine) -> bool:
    if node.refused is not None:
        return node.refused != 0
    return _mode_tells(node, machine) is False


def _mode_tells(node: Node, machine: Machine) -> bool | None:
    """What owner and mode say of our access; None when our own ids are not known."""
    if node.mode is None or machine.process.uid is None:
        return None
    if machine.process.uid == 0 or node.mode & 0o006 == 0o006:
        return True
    return node.gid in machine.process.gids and node.mode & 0o060 == 0o060


def _why(node: Node) -> str:
    if node.refused == _SILENT:
        return f"opening it did not come back within {_OPEN_S:g} s"
    if node.refused is None:
        return "closed to the groups of this process"
    words = {
        errno.EACCES: "permission denied",
        errno.EPERM: "operation not permitted",
        errno.ENODEV: "no such device",
        errno.ENXIO: "no such device or address",
        errno.EBUSY: "busy",
    }
    return words.get(node.refused, errno.errorcode.get(node.refused, f"error {node.refused}"))
