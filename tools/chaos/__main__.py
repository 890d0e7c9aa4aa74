"""`python -m tools.chaos [--seed N] [--tests N] [--write]`: exit status 1 when anything was misjudged."""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.report import codec
from tools import pretend
from tools.chaos import page
from tools.chaos.judge import judged
from tools.chaos.project import draw, write

if TYPE_CHECKING:
    from collections.abc import Iterator

GPUS = 4
ROOT = Path(__file__).resolve().parents[2]
VANISHED = "pytest_00.test_chaos::test_that_nobody_wrote"


def main() -> int:
    """One whole run; see the module."""
    parser = argparse.ArgumentParser(prog="python -m tools.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=20261201)
    parser.add_argument("--tests", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="work in this folder, and leave it")
    parser.add_argument("--write", action="store_true", help="write docs/evidence/blame.md")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        if options.keep:
            options.keep.mkdir(parents=True)
            folder = options.keep.resolve()
        else:
            folder = Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True))
            )
        disk = stack.enter_context(_small_disk(folder / "disk"))
        outcome = _run(folder, disk, options.seed, options.tests)
    text = page.text(outcome)
    sys.stdout.write(text)
    if options.write:
        (ROOT / "docs" / "evidence" / "blame.md").write_text(text)
    for problem in outcome.problems:
        sys.stderr.write(f"{problem}\n")
    return 1 if outcome.problems else 0


def _run(folder: Path, disk: Path | None, seed: int, tests: int) -> page.Outcome:
    planted = draw(seed, tests)
    if disk is None:
        planted = tuple(t for t in planted if t.behaviour.name != "disk_once")
    project, state, tools = folder / "project", folder / "seen", folder / "bin"
    for there in (project, state, tools):
        there.mkdir()
    write(project, planted, vanished=VANISHED)
    buses = pretend.machine(folder / "machine", GPUS)
    (folder / "machine" / "dev").mkdir(exist_ok=True)
    (folder / "machine" / "dev" / "kmsg").touch()
    pretend.rocminfo(tools, GPUS)
    mark = f"chaos-{os.getpid()}-{seed}"
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "PYTEST_", "ROCM_CI"))},
        "PATH": f"{tools}:{os.environ['PATH']}",
        "ROCM_CI_SYSROOT": str(folder / "machine"),
        "ROCM_CI_STATE": str(folder / "state"),
        "ROCM_CI_DRAIN": "2s",
        # After some of these tests no GPU would be left to lease.
        "ROCM_CI_QUARANTINE": "off",
        "CHAOS_STATE": str(state),
        "CHAOS_SYSROOT": str(folder / "machine"),
        "CHAOS_BUSES": ",".join(buses),
        "CHAOS_MARK": mark,
        "CHAOS_DISK": str(disk or state),
    }
    _commit(project)
    began = time.monotonic()
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "rocm_ci",
            "run",
            "--local",
            "--base",
            "HEAD~1",
            "--output",
            str(folder / "out"),
        ],
        cwd=project,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    took_s = time.monotonic() - began
    (folder / "console.txt").write_text(done.stdout + done.stderr)
    orphans = left(mark)
    report = codec.decode((folder / "out" / codec.FILE_NAME).read_bytes())
    return page.Outcome(
        seed=seed,
        planted=planted,
        judgement=judged(report, planted, vanished=VANISHED),
        report=report,
        exit_code=done.returncode,
        orphans=orphans,
        took_s=took_s,
    )


def _commit(project: Path) -> None:
    git = ["git", "-c", "user.name=chaos", "-c", "user.email=chaos@example.com", "-c", "commit.gpgsign=false"]
    for command in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "nothing"],
        ["add", "-A"],
        ["commit", "-q", "-m", "200 tests"],
    ):
        subprocess.run([*git, *command], cwd=project, check=True)


def left(mark: str) -> list[str]:
    """Processes of the run that still live: the daemons carry its mark, the others its variable."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes()
            if mark.encode() in words or f"CHAOS_MARK={mark}".encode() in (entry / "environ").read_bytes():
                shown = words.decode("utf-8", "replace").replace("\0", " ").strip()
                found.append(f"{entry.name}: {shown[:120]}")
    return found


@contextlib.contextmanager
def _small_disk(folder: Path) -> Iterator[Path | None]:
    """A file system of 8 MB; None where it cannot be mounted."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    try:
        yield folder if mounted.returncode == 0 else None
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "-l", str(folder)], check=False)


if __name__ == "__main__":
    sys.exit(main())
