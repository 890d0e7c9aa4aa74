"""Kernels of several files with readable names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocm_ci.kernels import inventory
from rocm_ci.kernels.demangle import demangled
from tests.fakes import FakeRunner
from tests.unit.kernels import binaries

if TYPE_CHECKING:
    from pathlib import Path


def test_names_are_demangled_and_files_without_code_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.co").write_bytes(binaries.code_object(binaries.kernel("_Z1kPf"), binaries.kernel("a")))
    (tmp_path / "b.txt").write_text("text")
    run = FakeRunner(answers={"c++filt": (0, "void k(float*)\n")})

    found = inventory.of([(tmp_path / "a.co", "a.co"), (tmp_path / "b.txt", "b.txt")], run, {})

    assert [k.name for k in found.kernels] == ["a", "k(float*)"]
    assert found.problems == ("b.txt: no GPU code in it",)


def test_without_a_demangler_names_stay_as_they_are() -> None:
    assert demangled(["_Z1kPf", "plain"], FakeRunner(), {}) == {"_Z1kPf": "_Z1kPf", "plain": "plain"}


def test_a_demangler_that_says_something_else_is_not_believed() -> None:
    run = FakeRunner(answers={"c++filt": (0, "one\ntwo\n")})

    assert demangled(["_Z1kPf"], run, {}) == {"_Z1kPf": "_Z1kPf"}


def test_only_mangled_names_reach_the_demangler() -> None:
    hostile = ["_Z1k\n_Z2kk", "_Z1k; rm", "-h"]
    run = FakeRunner()

    assert demangled(hostile, run, {}) == {name: name for name in hostile}
    assert run.calls == []
