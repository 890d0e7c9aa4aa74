"""The tools that we are measured against, each brought into a folder of its own.

Every function returns the command and the version, or raises `LookupError` with why it cannot be had.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HIPIFY = "7.0.2"
SEMGREP = "1.185.0"
TORCH = "2.14.1"
_SUITES = ("trixie", "forky", "sid")  # newer than what HIPIFY is in; the first that has it counts
_RULES = """\
rules:
  - id: hardcoded-toolkit
    languages: [python]
    severity: ERROR
    message: a path of the CUDA toolkit
    pattern-regex: /usr/local/cuda
  - id: version-cuda
    languages: [python]
    severity: ERROR
    message: None on ROCm
    pattern: torch.version.cuda.split(...)
  - id: cuda-only-import
    languages: [python]
    severity: ERROR
    message: for NVIDIA only
    pattern: import pynvml
"""
_TRANSLATE = """\
import sys, tempfile
sys.path.insert(0, sys.argv[1])
from hipify import hipify_python
with tempfile.TemporaryDirectory() as out:  # what is there already would not be translated again
    hipify_python.hipify(project_directory=sys.argv[2], output_directory=out + "/out", show_progress=False,
                         includes=["*"], extensions=(".cu", ".cuh"), hip_clang_launch=True)
"""


def ripgrep() -> tuple[list[str], str]:
    tool = shutil.which("rg")
    if tool is None:
        raise LookupError("rg is not on PATH")
    return [tool], _first_line([tool, "--version"]).removeprefix("ripgrep ")


def hipify_perl(folder: Path) -> tuple[list[str], str]:
    """The Debian package of a newer suite, unpacked; nothing of the system is changed."""
    unpacked = folder / "root"
    if not (unpacked / "usr/bin/hipify-perl").is_file():
        _download_deb("hipify-perl", HIPIFY, folder)
        package = next(folder.glob("hipify-perl_*.deb"))
        _run(["dpkg-deb", "-x", str(package), str(unpacked)])
    if shutil.which("perl") is None:
        raise LookupError("perl is not on PATH")
    name = next(folder.glob("hipify-perl_*.deb")).name
    return ["perl", str(unpacked / "usr/bin/hipify-perl")], name.split("_")[1]


def torch_hipify(folder: Path) -> tuple[list[str], str]:
    """`torch.utils.hipify` alone: pure Python, read out of the smallest wheel of torch."""
    package = folder / "hipify"
    if not (package / "hipify_python.py").is_file():
        argv = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        argv += [
            "--platform",
            "macosx_11_0_arm64",
            "--platform",
            "macosx_14_0_arm64",
            "--python-version",
            "3.11",
        ]
        _run([*argv, "-d", str(folder), f"torch=={TORCH}"])
        wheel = next(folder.glob("torch-*.whl"))
        shutil.unpack_archive(wheel, folder / "wheel", "zip")
        shutil.copytree(folder / "wheel/torch/utils/hipify", package)
        shutil.rmtree(folder / "wheel")
        wheel.unlink()
    script = folder / "translate.py"
    script.write_text(_TRANSLATE)
    return [sys.executable, str(script), str(folder)], TORCH


def semgrep(folder: Path) -> tuple[list[str], str]:
    tool = folder / "venv/bin/semgrep"
    if not tool.is_file():
        venv.create(folder / "venv", with_pip=True)
        _run([str(folder / "venv/bin/pip"), "install", "-q", f"semgrep=={SEMGREP}"])
    rules = folder / "rules.yaml"
    rules.write_text(_RULES)
    argv = [str(tool), "scan", "--metrics", "off", "--disable-version-check", "--no-git-ignore", "--quiet"]
    return [*argv, "--config", str(rules)], SEMGREP


def _download_deb(name: str, version: str, folder: Path) -> None:
    """From the mirror this machine uses, by a private set of lists."""
    address, keyring = _mirror()
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    sources = folder / "sources.list"
    options = {
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State::Lists": folder / "lists",
        "Dir::Cache": folder / "cache",
    }
    apt = ["apt-get", *(word for key, value in options.items() for word in ("-o", f"{key}={value}"))]
    for suite in _SUITES:
        signed = f"[signed-by={keyring}] " if keyring else ""
        sources.write_text(f"deb {signed}{address} {suite} main\n")
        _run([*apt, "-qq", "update"], cwd=folder)
        shown = subprocess.run(
            [*apt, "-qq", "--print-uris", "download", name],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        if f"_{version}" in shown:
            _run([*apt, "-qq", "download", name], cwd=folder)
            return
    raise LookupError(f"no suite of {', '.join(_SUITES)} has {name} {version}")


def _mirror() -> tuple[str, str | None]:
    """(address, keyring) of the first Debian archive among this machine's own sources."""
    places = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    for text in (place.read_text() for place in places if place.is_file()):
        found = re.search(r"^(?:URIs:|deb\s(?:\[[^\]]*\]\s)?)\s*(\S+/debian)/?(?:\s|$)", text, re.MULTILINE)
        if found:
            keyring = re.search(r"(?i)signed-by[:=]\s*([^\]\s]+)", text)
            return found[1], keyring[1] if keyring else None
    raise LookupError("this machine has no Debian archive among its sources")


def _first_line(argv: list[str]) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.partition("\n")[0]


def _run(argv: list[str], cwd: Path | None = None) -> None:
    done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LookupError(f"{' '.join(argv[:4])} …: {done.stderr.strip()[-300:]}")
