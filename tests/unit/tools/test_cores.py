"""Core dumps, by the names that kernel.core_pattern gives them; those of others and other files are left alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.tools import cores

if TYPE_CHECKING:
    from pathlib import Path

CORE = b"\x7fELF\x02\x01\x01" + b"\x00" * 9 + b"\x04\x00\x3e\x00" + b"\x00" * 100
PROGRAM = CORE[:16] + b"\x03\x00" + CORE[18:]
BEGAN = 1_000_000.0


class Host:
    """A pretended kernel's settings, a project and its log."""

    def __init__(self, folder: Path) -> None:
        self.project, self.log = folder / "project", folder / "out" / "unit.log"
        self.pattern = folder / "kernel" / "core_pattern"
        for made in (self.project, self.log.parent, self.pattern.parent):
            made.mkdir()
        self.set("core")

    def set(self, pattern: str, uses_pid: str = "0") -> None:
        self.pattern.write_text(pattern + "\n")
        (self.pattern.parent / "core_uses_pid").write_text(uses_pid + "\n")

    def dump(self, name: str, data: bytes = CORE, age_s: float = -1.0) -> Path:
        """A file of the project, `age_s` older than the step."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (BEGAN - age_s, BEGAN - age_s))
        return path

    def found(self, *, moves: bool = False) -> list[str]:
        found = cores.found(self.log, self.project, BEGAN, moves=moves, pattern=self.pattern)
        return sorted(str(path.relative_to(self.project.parent)) for path in found)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_a_new_one_is_found_in_any_folder_of_the_project(host: Host) -> None:
    host.dump("core")
    host.dump("build/tests/core")
    host.dump(".git/core")
    host.dump("node_modules/core")

    assert host.found() == ["project/build/tests/core", "project/core"]


@pytest.mark.parametrize(
    ("pattern", "uses_pid", "name"),
    [
        ("core", "1", "core.4711"),
        ("core.%p", "1", "core.4711"),
        ("core.%e.%p.%t", "0", "core.my prog.4711.1700000000"),
        ("%h-100%%-%s.core", "0", "host-100%-11.core"),
        ("sub/core.%P", "0", "sub/core.12"),
    ],
)
def test_it_is_told_by_the_kernels_pattern(host: Host, pattern: str, uses_pid: str, name: str) -> None:
    host.set(pattern, uses_pid)
    host.dump(name)
    host.dump("core.txt")
    host.dump("score")

    assert host.found() == [f"project/{name}"]


def test_an_absolute_pattern_is_looked_for_there(host: Host, tmp_path: Path) -> None:
    host.set(f"{tmp_path}/project/dumps/core.%p")
    host.dump("core.1")
    host.dump("dumps/core.2")

    assert host.found() == ["project/dumps/core.2"]


@pytest.mark.parametrize("pattern", ["|/usr/lib/systemd/systemd-coredump %P %u", "", "|core"])
def test_those_that_go_to_a_program_are_not_ours_to_fetch(host: Host, pattern: str) -> None:
    host.set(pattern)
    host.dump("core")

    assert host.found() == []


def test_older_ones_and_files_that_only_have_the_name_are_left_alone(host: Host) -> None:
    old = host.dump("a/core", age_s=60)
    named = host.dump("b/core", b"class Core: ...\n")
    program = host.dump("c/core", PROGRAM)
    short = host.dump("d/core", b"\x7fELF")
    (host.project / "e").mkdir()
    link = host.project / "e" / "core"
    link.symlink_to(host.dump("elsewhere"))
    (host.project / "f").mkdir()
    os.mkfifo(host.project / "f" / "core")

    assert host.found(moves=True) == []
    assert all(path.exists() for path in (old, named, program, short, link))


def test_wanted_ones_are_moved_beside_the_log(host: Host) -> None:
    host.dump("core.1")
    host.dump("build/core.2")
    host.set("core", "1")

    assert host.found(moves=True) == ["out/unit.core-1", "out/unit.core-2"]
    assert not list(host.project.rglob("core*"))


def test_a_huge_one_stays_where_it_is_and_is_told(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "MAX_BYTES", len(CORE) - 1)
    host.dump("core")

    assert host.found(moves=True) == ["project/core"]


def test_no_more_than_a_few_are_told(host: Host) -> None:
    host.set("core", "1")
    for number in range(cores.MOST + 3):
        host.dump(f"core.{number}")

    assert len(host.found(moves=True)) == cores.MOST


def test_a_kernel_without_these_settings_has_none(host: Host) -> None:
    host.dump("core")
    host.pattern.unlink()

    assert host.found() == []
