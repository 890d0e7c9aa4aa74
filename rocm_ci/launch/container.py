"""How a run is put into a container: the daemon, the image, and every flag of `docker run`.

The pull request's code runs in there. So: the workspace is the only folder it can write (and a copy of the
recorded times, see `rocm_ci.launch.shared`), there is no Docker socket, no host network, no capability, no
token, and no device but the leased ones.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from rocm_ci.launch import devices
from rocm_ci.launch.machine import LaunchError, Machine, say, tell

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocm_ci.launch.inputs import Inputs
    from rocm_ci.launch.shared import Shared

HOME = "/tmp"  # noqa: S108 - the container's own; a user without an entry in passwd has no other home
# All that a container is told of the runner's environment.
PASSED = re.compile(
    r"CI|NO_COLOR|RUNNER_(OS|ARCH|NAME)|(ROCR|HIP)_VISIBLE_DEVICES|GITHUB_(ACTIONS|BASE_REF|EVENT_NAME"
    r"|EVENT_PATH|HEAD_REF|JOB|REF|REF_NAME|REPOSITORY|RUN_ATTEMPT|RUN_ID|RUN_NUMBER|SERVER_URL|SHA"
    r"|WORKFLOW|WORKSPACE)|ROCM_CI_(ARCH|STAGES|REQUIRE_GPU|INCONCLUSIVE|DEEPEN|JOBS|FAIL_ON|CONFIG"
    r"|BASE|OUTPUT|WORKING_DIRECTORY|QUARANTINE|DRAIN|CORES)"
)
_PULL_PAUSES_S = (10, 30)
_FENCE = (
    "--rm", "--init",
    "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
    # RCCL shares memory between ranks; with 64 MB, the default, that ends in SIGBUS.
    "--ipc", "private", "--shm-size", "16g",
    "--pids-limit", "16384", "--ulimit", "core=0",
)  # fmt: skip


class Gpus(NamedTuple):
    """What a container is given of the GPUs: flags of `docker run`, and numeric groups.

    `narrowed` means that it gets fewer than the machine has; then they are counted anew from 0 in there.
    """

    flags: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()
    narrowed: bool = False


def daemon(machine: Machine) -> dict[str, Any]:
    """What the Docker daemon says of itself; empty when none is reachable."""
    if machine.which("docker") is None:
        return {}
    code, text = machine.capture("docker", "info", "--format", "{{json .}}")
    try:
        info = json.loads(text) if code == 0 else {}
    except ValueError:
        return {}
    # Without a daemon the client still answers, with the server's part empty.
    return info if isinstance(info, dict) and info.get("ServerVersion") else {}


def gpus(machine: Machine, info: Mapping[str, Any], env: Mapping[str, str]) -> Gpus:
    """The leased devices; none where there is no GPU and `require-gpu: false` says that this is right."""
    try:
        nodes = devices.leased_nodes(machine.root)
    except LaunchError as error:
        if env.get("ROCM_CI_REQUIRE_GPU", "").lower() not in ("false", "0", "no", "off"):
            raise
        tell("notice", f"no GPU goes into the container: {error}")
        return Gpus()
    groups = {machine.group(devices.below(machine.root, node)) for node in (devices.KFD, *nodes)}
    # The driver pins memory for DMA; without a limit lifted, large buffers cannot be registered.
    memory = ("--ulimit", "memlock=-1:-1")
    narrowed = len(nodes) < len(devices.render_nodes(machine.root))
    return Gpus((*devices.flags(machine.root, nodes, info), *memory), tuple(sorted(groups)), narrowed)


def image(machine: Machine, wanted: str, action: Path, env: Mapping[str, str]) -> str:
    """The image to run: the one asked for, else our own Dockerfile's, built once per content.

    It is on the machine afterwards, and named by digest where it has one.
    """
    name = wanted or f"rocm-ci/runner:{_digest(action)}"
    if not _is_here(machine, name):
        if wanted:
            _pull(machine, name, env)
        else:
            _build(machine, name, action, env)
    if "@sha256:" in name:
        return name
    digest = machine.capture(
        "docker", "image", "inspect", "--format", "{{range .RepoDigests}}{{.}} {{end}}", name
    )[1]
    if wanted:
        hint = f", e.g. {digest.split()[0]}" if digest.split() else ""
        tell("notice", f"image {name} is a tag, which can move: name it by digest{hint}")
    return (digest.split() or [name])[0]


def _is_here(machine: Machine, name: str) -> bool:
    return machine.capture("docker", "image", "inspect", "--format", "{{.Id}}", name)[0] == 0


def _pull(machine: Machine, name: str, env: Mapping[str, str]) -> None:
    """ROCm images have tens of gigabytes: one broken connection must not fail the run."""
    for pause_s in (*_PULL_PAUSES_S, None):
        if machine.supervise(["docker", "pull", "--quiet", name], env, machine.root) == 0:
            return
        if pause_s is not None:
            say(f"pulling {name} once more in {pause_s} s")
            machine.pause(pause_s)
    raise LaunchError(
        f"image {name} could not be pulled", "check its name and the runner's login to the registry"
    )


def _build(machine: Machine, tag: str, action: Path, env: Mapping[str, str]) -> None:
    say(f"building {tag} from the action's Dockerfile (once per runner)")
    if machine.supervise(["docker", "build", "--target", "runner", "--tag", tag, str(action)], env, action):
        hint = "give `image:`, or see Docker's words above"
        raise LaunchError("the image could not be built from the action's Dockerfile", hint)


def _digest(action: Path) -> str:
    """Names what goes into the image, so that a changed action never runs in an old one."""
    digest = hashlib.sha256()
    for part in ("Dockerfile", "requirements.lock", "rocm_ci", "rules"):
        for file in sorted([action / part, *(action / part).rglob("*")]):
            if file.is_file() and file.suffix != ".pyc":
                digest.update(file.relative_to(action).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def argv(
    inputs: Inputs,
    env: Mapping[str, str],
    *,
    name: str,
    image: str,
    gpus: Gpus,
    user: str,
    action: Path,
    shared: Shared,
) -> list[str]:
    """The whole command line. Inside, this same launcher runs natively."""
    told = sorted(key for key, value in env.items() if value and PASSED.fullmatch(key))
    if gpus.narrowed:
        told = [key for key in told if not key.endswith("_VISIBLE_DEVICES")]
    mounts = [f"type=bind,source={inputs.workspace},target={inputs.workspace}"]
    if inputs.workspace != action and inputs.workspace not in action.parents:
        mounts.append(f"type=bind,source={action},target={action},readonly")
    event = env.get("GITHUB_EVENT_PATH")
    if event:
        mounts.append(f"type=bind,source={event},target={event},readonly")
    mounts += shared.mounts
    return [
        "docker", "run", *_FENCE,
        "--name", name, "--label", f"rocm-ci.run={env.get('GITHUB_RUN_ID', 'local')}",
        "--user", user, "--workdir", str(inputs.workspace),
        *(flag for mount in mounts for flag in ("--mount", mount)),
        *gpus.flags,
        *(flag for group in gpus.groups for flag in ("--group-add", str(group))),
        *(flag for key in told for flag in ("--env", key)),
        "--env", f"HOME={HOME}", "--env", "ROCM_CI_MODE=native", "--env", f"ROCM_CI_IMAGE={image}",
        "--env", "ROCM_CI_IN_CONTAINER=1",
        *(flag for one in shared.told for flag in ("--env", one)),
        "--entrypoint", "python3", image, "-I", "-B", str(action / "rocm_ci" / "launcher.py"), "run",
    ]  # fmt: skip
