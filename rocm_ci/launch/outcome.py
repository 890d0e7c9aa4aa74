"""What is left of a run: the report is read back, checked against the exit code, and told to the job.

Whatever happened, there is a verdict and a report: a run that died is an `error` with its reason,
never an absent result that a required check could take for green.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# A report that disagrees with the exit code of its process was not written by it.
EXITS = {"pass": (0,), "neutral": (0,), "inconclusive": (0, 1), "fail": (1, 130), "error": (3, 130)}
KNOWN_EXITS = (0, 1, 2, 3, 4, 70, 130)
INFRA = 3
REPORT, COMMENT = "report.json", "comment.md"
_EVENTS = ("pull_request", "push", "workflow_dispatch", "merge_group")
_REPORT_LIMIT = 200_000_000
_SUMMARY_LIMIT = 1_000_000  # GitHub drops a step summary over 1 MiB whole
_DIED = {
    2: "an input, the configuration or the event is wrong; its last lines in the log say which",
    70: "it met a defect of its own; the log holds a ready-made issue",
    130: "it was interrupted",
    125: "Docker refused to start the container",
    126: "the program in the image cannot be executed",
    127: "a program is missing: docker, or python3 in the image",
    137: "it was killed (out of memory, or cancelled)",
    143: "it was terminated",
}


class Outcome(NamedTuple):
    """How a run ended. `reason` is empty when its own report says everything."""

    verdict: str
    exit_code: int
    hardware_key: str = "unknown"
    reason: str = ""


def clear(output: Path) -> None:
    """Make the folder and take away a report that somebody left (or committed) there before."""
    output.mkdir(parents=True, exist_ok=True)
    for name in (REPORT, COMMENT):
        path = output / name
        if path.is_symlink() or path.exists():
            path.unlink()


def judge(output: Path, code: int) -> Outcome:
    """Believe the report when it is whole, is where it should be, and agrees with the exit code."""
    if _is_real(output):
        _drop_links(output)
    raw = _plain(output / REPORT, _REPORT_LIMIT) if _is_real(output) else None
    try:
        report: dict[str, Any] = json.loads(raw or b"")
        verdict, key = report["verdict"], str(report["facts"].get("hardware_key", "unknown"))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        died = _DIED.get(code, f"it ended with exit code {code}")
        known = code if code in KNOWN_EXITS and code != 0 else INFRA
        return Outcome("error", known, reason=f"rocm-ci left no report: {died}")
    if code not in EXITS.get(verdict, ()):
        reason = f"the report says {str(verdict)[:40]!r}, but its process ended with exit code {code}"
        return Outcome("error", INFRA, reason=reason)
    return Outcome(verdict, code, key)


def _regain(output: Path) -> None:
    """A folder of our own again, whatever the run made of it."""
    if output.is_symlink() or output.is_file():
        output.unlink()
    output.mkdir(parents=True, exist_ok=True)
    if not _is_real(output):
        message = f"{output} leads elsewhere since the run: nothing is written there"
        raise OSError(message)
    _drop_links(output)


def _is_real(folder: Path) -> bool:
    return os.path.realpath(str(folder)) == str(folder)


def _drop_links(output: Path) -> None:
    """Links could make a later step upload files from elsewhere on the runner."""
    for folder, folders, files in os.walk(str(output)):
        for name in (*folders, *files):
            path = os.path.join(folder, name)  # noqa: PTH118 - os.walk speaks strings
            if os.path.islink(path):  # noqa: PTH114
                os.unlink(path)  # noqa: PTH108


def _plain(path: Path, limit: int) -> bytes | None:
    """The content of a regular file, never through a link; None when it is anything else."""
    try:
        with os.fdopen(os.open(str(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            return file.read() if stat.S_ISREG(status.st_mode) and status.st_size <= limit else None
    except OSError:
        return None


def write_minimal(output: Path, env: Mapping[str, str], reason: str) -> None:
    """A whole report that says nothing but why there is no better one."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    report = {
        "version": 1,
        "tool": "rocm-ci launcher",
        "event": _event(env),
        "plan": {"steps": []},
        "facts": {},
        "results": [{"kind": "crashed", "stage": "preflight", "reason": reason}],
        "verdict": "error",
        "started": now,
        "duration_s": 0.0,
    }
    _regain(output)
    (output / REPORT).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    shown = re.sub(r"[`\x00-\x1f]", "'", reason)
    text = (
        f"## ⚠️ ROCm CI — the run did not finish\n\nThis is not about the change.\n\n```text\n{shown}\n```\n"
    )
    (output / COMMENT).write_text(text, encoding="utf-8")


def _event(env: Mapping[str, str]) -> dict[str, Any]:
    """What the run was about, as far as the event file can be read: `rocm_ci.event` says the same."""
    name = env.get("GITHUB_EVENT_NAME", "")
    try:
        with open(env.get("GITHUB_EVENT_PATH", ""), encoding="utf-8") as file:  # noqa: PTH123 - may be empty
            body = json.load(file)
    except (OSError, ValueError, RecursionError):
        body = None
    pull, asked = _within(body, "pull_request"), _within(body, "inputs")
    head, number = _within(pull, "head", "sha"), _within(pull, "number")
    if name == "workflow_dispatch":
        head, number = _within(asked, "head"), _within(asked, "number")
    if not _is_commit(head):
        head = env.get("GITHUB_SHA", "")
    about = {
        "kind": name if name in _EVENTS else "local",
        "head": head if _is_commit(head) else "0" * 40,
    }
    if env.get("GITHUB_REPOSITORY"):
        about["repository"] = env["GITHUB_REPOSITORY"]
    if re.fullmatch(r"[1-9][0-9]{0,11}", str(number)):
        about["number"] = int(str(number))
    return about


def _is_commit(text: object) -> bool:
    return isinstance(text, str) and bool(re.fullmatch(r"[0-9a-f]{40}([0-9a-f]{24})?", text))


def _within(body: object, *path: str) -> Any:
    for key in path:
        body = body.get(key) if isinstance(body, dict) else None
    return body


def publish(env: Mapping[str, str], output: Path, workspace: Path, outcome: Outcome, mode: str) -> None:
    """Step outputs (paths relative to the workspace, where later steps stand) and the step summary."""
    folder = output.relative_to(workspace).as_posix()
    values = {
        "verdict": outcome.verdict,
        "exit-code": str(outcome.exit_code),
        "hardware-key": outcome.hardware_key,
        "mode": mode,
        "output": folder,
        "report": f"{folder}/{REPORT}",
        "comment": f"{folder}/{COMMENT}",
    }
    write_outputs(env, values)
    summary = env.get("GITHUB_STEP_SUMMARY")
    comment = _plain(output / COMMENT, _SUMMARY_LIMIT) if _is_real(output) else None
    if summary and comment:
        with open(summary, "ab") as file:  # noqa: PTH123 - the runner's own path
            file.write(comment + b"\n")


def write_outputs(env: Mapping[str, str], values: Mapping[str, str]) -> None:
    """Append to `$GITHUB_OUTPUT`; a random delimiter keeps a value from forging another output."""
    path = env.get("GITHUB_OUTPUT")
    if not path:
        return
    with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123 - the runner's own path
        for name, value in values.items():
            delimiter = f"rocm_ci_{secrets.token_hex(16)}"
            file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
