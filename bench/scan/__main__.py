"""How fast the scanner is: a pull request of 50 files, and a whole tree beside ripgrep.

    python bench/scan FOLDER [--repeat 3] [--json FILE]

FOLDER is an unpacked project, e.g. vLLM's source archive. Two things are measured, process start included:

* a pull request that adds 50 C-family and Python files of FOLDER, `rocm-ci scan --base main`;
* the whole of FOLDER, `rocm-ci scan --all`, and on the same files in the same run
  `rg -w -F -f names`, the names being those of rules/tables (skipped where ripgrep is not installed).

The best of the repetitions counts, because other work on the machine only ever adds time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "rules" / "tables"
SUFFIXES = (".cu", ".cuh", ".cpp", ".h", ".hip", ".py")
FILES_OF_CHANGE = 50


def measured(argv: list[str], cwd: Path) -> float:
    """Wall seconds of one process."""
    began = time.perf_counter()
    done = subprocess.run(
        argv, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{argv[0]}: {done.stderr[-500:]}")
    return time.perf_counter() - began


def best(argv: list[str], cwd: Path, repeat: int) -> float:
    """The shortest of several runs."""
    return min(measured(argv, cwd) for _ in range(repeat))


def change_of(folder: Path, where: Path) -> None:
    """A repository whose last commit adds 50 files of the project, the larger ones first."""
    sources = sorted(
        (p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file() and p.stat().st_size < 200_000),
        key=lambda p: (-p.stat().st_size, str(p)),
    )
    chosen = sources[:: max(1, len(sources) // (FILES_OF_CHANGE * 4))][:FILES_OF_CHANGE]
    identity = [
        "-c",
        "user.name=bench",
        "-c",
        "user.email=bench@example.invalid",
        "-c",
        "commit.gpgsign=false",
    ]

    def git(*args: str) -> None:
        subprocess.run(["git", *identity, *args], cwd=where, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("commit", "-q", "--allow-empty", "-m", "base")
    git("checkout", "-q", "-b", "change")
    for number, path in enumerate(chosen):
        (where / f"f{number}{path.suffix}").write_bytes(path.read_bytes())
    git("add", "-A")
    git("commit", "-q", "-m", "change")


def names(where: Path) -> Path:
    """All names of the tables, one a line."""
    words = {
        line.split()[0]
        for table in TABLES.glob("*.txt")
        for line in table.read_text().splitlines()
        if line.strip() and not line.startswith("#")
    }
    where.write_text("".join(f"{word}\n" for word in sorted(words)))
    return where


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    asked = parser.parse_args()
    scan = [sys.executable, "-m", "rocm_ci", "scan", "--format", "json"]
    os.environ["PYTHONPATH"] = str(ROOT)
    figures: dict[str, float | int | None] = {"processors": len(os.sched_getaffinity(0))}
    with tempfile.TemporaryDirectory() as scratch:
        change = Path(scratch) / "change"
        change.mkdir()
        change_of(asked.folder, change)
        figures["pull_request_50_files_s"] = best([*scan, "--base", "main"], change, asked.repeat)
        files = [p for p in asked.folder.rglob("*") if p.is_file() and not p.is_symlink()]
        figures["tree_files"] = len(files)
        figures["tree_mb"] = round(sum(p.stat().st_size for p in files) / 1e6, 1)
        figures["tree_s"] = best([*scan, "--all"], asked.folder, asked.repeat)
        figures["peak_mb"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 1)
        ripgrep = shutil.which("rg")
        figures["ripgrep_s"] = None
        if ripgrep:
            words = names(Path(scratch) / "names")
            search = [ripgrep, "-w", "-F", "-c", "--no-ignore", "-f", str(words), "."]
            figures["ripgrep_s"] = best(search, asked.folder, asked.repeat)
    for name, value in figures.items():
        print(f"{name:26} {value if not isinstance(value, float) else round(value, 3)}")
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
