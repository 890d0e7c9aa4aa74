"""Coverage-guided fuzzing of the scanner with atheris: `make fuzz`, until stopped or for `-runs=N` inputs.

The first byte of an input chooses a kind of file, the rest is its content; the rules' own examples are
the first inputs. Every rule is tried, without the prefilter. Wrong is: an exception that a scan would
have to catch, a finding on a line that is not there, a file that takes longer than the limit a scan has
for it. Libfuzzer's options are passed on, such as `-runs=1000`; what it finds belongs into tests.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["rocm_ci.scan"]):
    import rocm_ci.scan

    for _module in pkgutil.walk_packages(rocm_ci.scan.__path__, "rocm_ci.scan."):
        importlib.import_module(_module.name)  # the plug-ins too, which a scan loads when it needs them
    from rocm_ci.changes import whole_tree
    from rocm_ci.config.options import DEFAULT_ARCHS, ScanOptions
    from rocm_ci.model.scan_note import NoteKind
    from rocm_ci.scan import engine
    from rocm_ci.scan.rulebook import RuleBook, shipped

PATHS = (
    "a.cu", "a.hip", "a.py", "setup.py", "a.ipynb", "a.pyx", "CMakeLists.txt", "a.sh", "Dockerfile", "a.yaml",
    "requirements.txt", "pyproject.toml", "setup.cfg", "Makefile", "meson.build", "BUILD.bazel",
    "poetry.lock",
    ".devcontainer/devcontainer.json", "a.ps1", "Jenkinsfile", "configure.ac", "build.rs", "a.def", ".env",
)  # fmt: skip
BOOK = RuleBook(shipped())


class OneFile:
    """A tree of one file."""

    def __init__(self, path: str, data: bytes) -> None:
        self._path, self._data = path, data

    def read(self, path: str) -> bytes | None:
        """The file's bytes."""
        return self._data if path == self._path else None

    def names(self, folder: str) -> tuple[str, ...]:
        """What a folder holds."""
        return (self._path.rsplit("/", 1)[-1],) if self._path.rpartition("/")[0] == folder else ()


def one_input(data: bytes) -> None:
    """Scan one input as a file; raise for whatever must not happen."""
    if not data:
        return
    path = PATHS[data[0] % len(PATHS)]
    content = data[1:]
    scanned = engine.scan(
        OneFile(path, content), whole_tree((path,)), ScanOptions(), DEFAULT_ARCHS, book=BOOK, prefilter=False
    )
    last = len(content) + 1  # more lines than that no encoding makes of it
    for finding in scanned.findings:
        if not 1 <= finding.line <= last:
            message = f"{finding.rule} on line {finding.line} of {path}"
            raise AssertionError(message)
    for note in scanned.notes:
        if note.kind is NoteKind.UNFINISHED:
            message = f"{path}: {note.reason}"
            raise AssertionError(message)


def seeds(folder: Path) -> None:
    """One file for every example of a rule whose kind of file is tried."""
    suffixes = {Path(path).suffix or path: number for number, path in enumerate(PATHS)}
    for rule in shipped(documentation=True):
        for number, example in enumerate((*rule.bad, *rule.good)):
            name = Path(example.path)
            kind = suffixes.get(name.suffix or name.name)
            if kind is not None:
                (folder / f"{rule.id}-{number}").write_bytes(bytes([kind]) + example.text.encode())


def main() -> None:
    """Run libfuzzer over the examples."""
    with tempfile.TemporaryDirectory() as scratch:
        seeds(Path(scratch))
        atheris.Setup([sys.argv[0], *sys.argv[1:], scratch], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
