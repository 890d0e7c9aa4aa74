"""The inputs of the action, checked. What is wrong with one is said in its own words."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rocm_ci.launch.machine import LaunchError

if TYPE_CHECKING:
    from collections.abc import Mapping

MODES = ("auto", "native", "docker")
OUTPUT = "rocm-ci-out"


class Inputs(NamedTuple):
    """The launch inputs. Paths are absolute and real; `config` is relative to `directory`."""

    mode: str
    image: str
    config: str
    base: str
    workspace: Path
    directory: Path
    output: Path


def read(env: Mapping[str, str]) -> Inputs:
    """Check what the workflow's author wrote; a `LaunchError` with code 2 says what is wrong."""
    workspace = Path(os.path.realpath(env.get("GITHUB_WORKSPACE") or "."))
    mode = env.get("ROCM_CI_MODE") or "auto"
    if mode not in MODES:
        raise LaunchError(f"input mode: {mode!r} is unknown", f"use one of {', '.join(MODES)}", 2)
    image = env.get("ROCM_CI_IMAGE", "")
    if image and not re.fullmatch(r"[A-Za-z0-9][\w.:/@-]{0,500}", image, re.ASCII):
        raise LaunchError(f"input image: {image!r} is no image name", "write NAME@sha256:DIGEST", 2)
    base = env.get("ROCM_CI_BASE", "")
    if base and not re.fullmatch(r"[\w.@^~{}/+][\w.@^~{}/+-]{0,250}", base, re.ASCII):
        raise LaunchError(f"input base: {base!r} is no revision", "write a branch, a tag or a commit", 2)
    directory = _inside(workspace, env.get("ROCM_CI_WORKING_DIRECTORY") or ".", "working-directory")
    if not directory.is_dir():
        raise LaunchError(
            f"input working-directory: {directory} is no folder", "check out before this step", 2
        )
    config = env.get("ROCM_CI_CONFIG", "")
    if config:
        config = _inside(directory, config, "config").relative_to(directory).as_posix()
    output = _inside(workspace, env.get("ROCM_CI_OUTPUT") or OUTPUT, "output")
    if output in (workspace, directory) or output in directory.parents:
        raise LaunchError("input output: it holds the checkout itself", "name a folder of its own", 2)
    if output.exists() and not output.is_dir():
        raise LaunchError(f"input output: {output} is a file", "name a folder, or remove the file", 2)
    return Inputs(mode, image, config, base, workspace, directory, output)


def _inside(folder: Path, text: str, what: str) -> Path:
    """The real path, which no symbolic link of the checkout may lead out of `folder`."""
    path = Path(os.path.realpath(str(folder / text)))
    if path != folder and folder not in path.parents:
        raise LaunchError(f"input {what}: {text!r} leads out of {folder}", "name a path inside it", 2)
    # Docker reads a mount as a comma-separated line; a control character would forge log lines.
    if re.search(r'[,"\x00-\x1f]', str(path)):
        raise LaunchError(
            f"input {what}: {text!r} holds characters that a mount cannot", "rename the folder", 2
        )
    return path
