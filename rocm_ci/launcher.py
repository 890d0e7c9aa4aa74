"""What the actions start on the host: `launcher.py run` (GPU plane), `launcher.py report` (trusted plane).

`run` picks native or docker, keeps tokens and the job's step files away from the pull request's code,
and always leaves a verdict, a report and step outputs. `plan` and `gate` are the first and the last job of
the reusable workflow. Standard library only, Python 3.8 syntax.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ACTION = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    # Started as a file: without its folder on the path, our modules cannot hide the standard library's.
    sys.path[:] = [str(ACTION), *(path for path in sys.path if path != str(ACTION / "rocm_ci"))]

from rocm_ci.launch import container, devices, faults, inputs, legs, native, outcome, repository, shared  # noqa: E402 - needs the line above
from rocm_ci.launch import gate as gates  # noqa: E402
from rocm_ci.launch.machine import LaunchError, Machine, say, tell  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.launch.inputs import Inputs

# With these a process can act on GitHub or steer later steps of the job.
WITHHELD = re.compile(r"GITHUB_(OUTPUT|ENV|PATH|STATE|STEP_SUMMARY)|ACTIONS_\w+|\w*(TOKEN|SECRET)\w*")
GATE_OUTPUT = "rocm-ci-gate"
_IN_CONTAINER = ("/run/.containerenv", "/.dockerenv", "/var/run/secrets/kubernetes.io")


def main(argv: list[str], env: Mapping[str, str], machine: Machine, action: Path = ACTION) -> int:
    """Run one of the two subcommands and return the step's exit code."""
    if argv == ["run"]:
        return run(env, machine, action)
    if argv == ["report"]:
        return report(env, machine, action)
    if argv == ["bot"]:
        return bot(env, machine, action)
    if argv == ["plan"]:
        return plan(env)
    if argv == ["gate"]:
        return gate(env, machine, action)
    say("usage: launcher.py run | report | bot | plan | gate")
    return 2


def run(env: Mapping[str, str], machine: Machine, action: Path) -> int:
    """The GPU plane: start `rocm-ci run`, here or in a container, and publish how it ended."""
    mode = "none"
    try:
        wanted = inputs.read(env)
    except LaunchError as error:
        tell("error", str(error))
        outcome.write_outputs(env, {"verdict": "error", "exit-code": str(error.code), "mode": mode})
        return error.code
    try:
        outcome.clear(wanted.output)
        mode, why = choose(wanted.mode, machine)
        say(f"{mode} ({why})")
        start = in_container if mode == "docker" else natively
        result = outcome.judge(wanted.output, start(wanted, env, machine, action))
    except LaunchError as error:
        result = outcome.Outcome("error", error.code, reason=str(error))
    except OSError as error:
        result = outcome.Outcome("error", outcome.INFRA, reason=f"the launcher failed: {error}")
    if result.reason:
        tell("error", result.reason)
        try:
            outcome.write_minimal(wanted.output, env, result.reason)
        except OSError as error:
            tell("error", f"the report could not be written: {error}")
    outcome.publish(env, wanted.output, wanted.workspace, result, mode)
    return result.exit_code


def choose(mode: str, machine: Machine) -> tuple[str, str]:
    """(`native` or `docker`, the reason)."""
    if mode != "auto":
        return mode, "asked for"
    if not devices.below(machine.root, devices.KFD).exists():
        return "native", f"no {devices.KFD} here: what needs no GPU runs in place"
    if any(devices.below(machine.root, mark).exists() for mark in _IN_CONTAINER):
        return "native", f"already in a container that holds {devices.KFD}"
    if not container.daemon(machine):
        return "native", "no Docker daemon is reachable"
    return "docker", f"{devices.KFD} and a Docker daemon are here"


def natively(wanted: Inputs, env: Mapping[str, str], machine: Machine, action: Path) -> int:
    """Run in place; returns the exit code."""
    python = native.interpreter(machine, env, action)
    told = {key: value for key, value in env.items() if not WITHHELD.fullmatch(key)}
    if not told.get("ROCM_CI_IN_CONTAINER"):
        told.pop("ROCM_CI_IMAGE", None)  # asked for, but not what this run stands in
    return machine.supervise(
        [python, "-I", "-m", "rocm_ci", "run", *_options(wanted)],
        {**devices.isolation(machine.root), **told},
        wanted.directory,
    )


def in_container(wanted: Inputs, env: Mapping[str, str], machine: Machine, action: Path) -> int:
    """Run in a container that is gone afterwards, however it ended; returns the exit code."""
    info = container.daemon(machine)
    if not info:
        raise LaunchError(
            "mode: docker, but no Docker daemon is reachable", "check `docker info` on the runner"
        )
    gpus = container.gpus(machine, info, env)
    image = container.image(machine, wanted.image, action, env)
    name = f"rocm-ci-{env.get('GITHUB_RUN_ID', 'local')}-{secrets.token_hex(4)}"
    told = {**devices.isolation(machine.root), **env}
    kept = repository.keep(wanted.workspace)
    with shared.opened(machine, env, name) as common, faults.kept(machine, env, name):
        argv = container.argv(
            wanted,
            told,
            name=name,
            image=image,
            gpus=gpus,
            user=machine.user(),
            action=action,
            shared=common,
        )
        machine.last_resort = ("docker", "kill", name)
        try:
            return machine.supervise(argv, told, wanted.workspace)
        finally:
            machine.capture("docker", "rm", "--force", "--volumes", name)
            repository.put_back(kept)


def _options(wanted: Inputs) -> list[str]:
    options = ["--output", str(wanted.output)]
    if wanted.config:
        options += ["--config", wanted.config]
    return [*options, "--base", wanted.base] if wanted.base else options


def report(env: Mapping[str, str], machine: Machine, action: Path) -> int:
    """The trusted plane: start `rocm-ci report`, which holds the token."""
    options = _flags(env, "key", "comment", "conclusion")
    if env.get("ROCM_CI_BOT", "").strip().lower() == "true":
        options.append("--bot")
    # Without a file the command fetches what the run of its event has left.
    files = [line for line in env.get("ROCM_CI_REPORT", "").splitlines() if line.strip()]
    return _with_token(["report", *options, *(["--", *files] if files else [])], env, machine, action)


def bot(env: Mapping[str, str], machine: Machine, action: Path) -> int:
    """The trusted plane: start `rocm-ci bot`, which holds the token and reads the event by itself."""
    return _with_token(["bot", *_flags(env, "workflow", "key")], env, machine, action)


def _flags(env: Mapping[str, str], *names: str) -> list[str]:
    """Inputs as options of the command: the sinks, and those of `names` that were given."""
    sinks = env.get("ROCM_CI_TO", "").replace(",", " ").split()
    given = [(name, env.get(f"ROCM_CI_{name.upper()}", "")) for name in names]
    pairs = [*(("to", sink) for sink in sinks), *((name, value) for name, value in given if value)]
    return [word for name, value in pairs for word in (f"--{name}", value)]


def _with_token(words: list[str], env: Mapping[str, str], machine: Machine, action: Path) -> int:
    try:
        python = native.interpreter(machine, env, action)
        argv = [python, "-I", "-m", "rocm_ci", *words]
        code = machine.supervise(argv, env, Path(env.get("GITHUB_WORKSPACE") or "."))
    except (LaunchError, OSError) as error:
        tell("error", str(error))
        code = outcome.INFRA
    outcome.write_outputs(env, {"exit-code": str(code)})
    return code


def plan(env: Mapping[str, str]) -> int:
    """The first job of the reusable workflow: say which jobs follow, and which reports there must be."""
    try:
        layout = legs.lay_out(env)
    except LaunchError as error:
        tell("error", str(error))
        return error.code
    said = {name.replace("_", "-"): value for name, value in layout._asdict().items()}
    outcome.write_outputs(env, said)
    say(f"reports will come from: {layout.required}")
    return 0


def gate(env: Mapping[str, str], machine: Machine, action: Path) -> int:
    """The last job of the reusable workflow: 0 only when every job did its work and every report is green."""
    workspace = Path(os.path.realpath(env.get("GITHUB_WORKSPACE") or "."))
    folder = workspace / (env.get("ROCM_CI_REPORTS") or "reports")
    try:
        asked = gates.read(env, folder)
        code = _merged(asked, env, machine, action) if folder.is_dir() else outcome.INFRA
    except LaunchError as error:
        tell("error", str(error))
        outcome.write_outputs(env, {"exit-code": str(error.code)})
        return error.code
    reasons = gates.reasons(asked)
    if not reasons and code == 0:
        reasons = tuple(f"the job {job} failed, though its report is green" for job in gates.failed(asked))
    written = {}
    if reasons:
        code = code or outcome.INFRA
        for reason in reasons:
            tell("error", reason)
        # For the trusted plane, which cannot see what is not there.
        outcome.write_minimal(workspace / GATE_OUTPUT, env, "; ".join(reasons))
        written = {"report": GATE_OUTPUT}
    outcome.write_outputs(env, {"exit-code": str(code), **written})
    return code


def _merged(asked: gates.Asked, env: Mapping[str, str], machine: Machine, action: Path) -> int:
    """Show what the reports say together; returns the exit code of their verdict."""
    python = native.interpreter(machine, env, action)
    wanted = [] if asked.waiting else [word for name in asked.required for word in ("--require", name)]
    argv = [python, "-I", "-m", "rocm_ci", "merge", str(asked.folder), *wanted]
    told = {key: value for key, value in env.items() if not WITHHELD.fullmatch(key)}
    if "GITHUB_STEP_SUMMARY" in env:  # it only reads reports, and shows them there
        told["GITHUB_STEP_SUMMARY"] = env["GITHUB_STEP_SUMMARY"]
    return machine.supervise(argv, told, asked.folder.parent)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:], os.environ, Machine()))
