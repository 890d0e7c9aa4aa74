from __future__ import annotations

import pytest

from rocm_ci.gpu import compat, release
from rocm_ci.gpu.compat import Word
from rocm_ci.gpu.matrix import matrix
from rocm_ci.gpu.release import Release


def rocm(text: str) -> Release:
    found = release.release(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("module", "number"),
    [
        ("6.12.12", "6.4"),
        ("6.14.14", "30.10"),
        ("6.16.6", "30.20"),
        ("6.16.13", "30.30"),
        ("30.20.1", "30.20"),
        ("31.40.1", "31.40"),
        ("7.1.8.12", None),
        ("6.18.4", None),
        (None, None),
    ],
)
def test_module_and_driver_numbers_are_different_numbers(module: str | None, number: str | None) -> None:
    assert compat.driver_number(module) == number


@pytest.mark.parametrize(
    ("stack", "module", "word"),
    [
        ("6.4.1", "6.12.12", Word.YES),
        ("7.2.3", "6.16.13", Word.YES),
        ("7.14.1", "6.16.13", Word.YES),
        ("7.14.1", "31.40.1", Word.YES),
        ("7.2.0", "6.8.5", Word.NO),
        ("7.14.0", "6.12.12", Word.NO),
        # Newer than the list, or of no number at all: nobody said that it does not work.
        ("6.4.1", "31.40.0", Word.UNKNOWN),
        ("7.2.0", "7.1.8.12", Word.UNKNOWN),
        ("10.0.0", "6.18.4", Word.UNKNOWN),
        ("7.10.0", "6.16.13", Word.UNKNOWN),
    ],
)
def test_a_driver_is_accepted_refused_or_unknown(stack: str, module: str, word: Word) -> None:
    reply = compat.driver(rocm(stack), module)

    assert reply.word is word
    assert reply.reason


def test_a_driver_of_the_kernels_own_tree_is_unknown_and_not_wrong() -> None:
    reply = compat.driver(rocm("7.2.0"), None, in_tree=True)

    assert reply.word is Word.UNKNOWN
    assert "kernel's own" in reply.reason


def test_a_preview_is_called_one() -> None:
    assert "7.10.0, which is a preview" in compat.driver(rocm("7.10.0"), "6.16.13").reason


@pytest.mark.parametrize(
    ("stack", "name", "version", "word"),
    [
        ("7.2.0", "ubuntu", "24.04", Word.YES),
        ("7.2.0", "rhel", "9.6", Word.YES),
        ("7.2.0", "ol", "9.4", Word.YES),
        ("6.2.0", "ubuntu", "20.04", Word.NO),
        ("6.1.0", "ubuntu", "20.04", Word.YES),
        ("7.2.0", "fedora", "43", Word.UNKNOWN),
        ("7.2.0", "rhel", "9.5", Word.UNKNOWN),
        ("10.0.0", "ubuntu", "24.04", Word.UNKNOWN),
    ],
)
def test_operating_systems(stack: str, name: str, version: str, word: Word) -> None:
    assert compat.system(rocm(stack), name, version).word is word


def test_an_older_kernel_than_the_systems_own_proves_nothing() -> None:
    assert compat.kernel("ubuntu", "24.04", "6.8.0-79-generic").word is Word.YES
    assert compat.kernel("rhel", "9.6", "5.14.0-570.el9").word is Word.YES
    # An image of a newer system runs on the host's kernel.
    assert compat.kernel("ubuntu", "24.04", "5.15.0-1-generic").word is Word.UNKNOWN
    assert compat.kernel("fedora", "43", "6.17.1").word is Word.UNKNOWN


@pytest.mark.parametrize(
    ("stack", "gfx", "word"),
    [
        ("7.0.0", "gfx950", Word.YES),
        ("6.4.4", "gfx950", Word.NO),
        ("5.7.1", "gfx942", Word.NO),
        ("6.4.0", "gfx1201", Word.NO),
        ("6.4.1", "gfx1201", Word.YES),
        ("6.4", "gfx1201", Word.YES),
        ("7.2.0", "gfx1151", Word.UNKNOWN),
        ("7.14.0", "gfx1151", Word.YES),
        ("10.1.0", "gfx942", Word.UNKNOWN),
    ],
)
def test_targets(stack: str, gfx: str, word: Word) -> None:
    assert compat.target(rocm(stack), gfx).word is word


def test_a_wheel_of_another_major_is_refused_and_one_of_the_same_line_is_right() -> None:
    assert compat.torch(rocm("10.0.0"), "2.12.0+rocm7.2").word is Word.NO
    assert compat.torch(rocm("7.0.2"), "2.8.0+rocm7.0").word is Word.YES
    assert compat.torch(rocm("7.2.0"), "2.8.0+rocm7.0").word is Word.UNKNOWN
    assert compat.torch(rocm("7.2.0"), "2.8.0+cu128").word is Word.UNKNOWN


def test_targets_of_pytorchs_wheels() -> None:
    assert compat.wheel_target("2.9.0+rocm7.0", "gfx950").word is Word.YES
    assert compat.wheel_target("2.9.0+rocm6.4", "gfx950").word is Word.UNKNOWN
    assert compat.wheel_target("2.12.0+rocm10.0", "gfx950").word is Word.UNKNOWN


def test_firmware_is_told_and_never_judged() -> None:
    reply = compat.firmware(rocm("7.2.2"), "AMD Instinct MI355X")

    assert reply.word is Word.UNKNOWN
    assert "01.26.00.02" in reply.reason
    assert reply.source


def test_every_row_names_sources_that_exist_and_every_refusal_tells_its_own() -> None:
    table = matrix()

    named = {key for row in table.releases.values() for key in row.source}
    named |= {row.drivers.source for row in table.releases.values() if row.drivers}
    named |= {s.source for s in table.first_release.values()}
    named |= {t.source for t in table.wheel_targets.values()}
    named |= {b.source for b in table.firmware.values()}
    assert named <= set(table.sources)
    assert "ROCm" in compat.driver(rocm("7.2.0"), "6.8.5").source


def test_no_release_refuses_a_driver_that_its_own_time_shipped() -> None:
    for line, module in (("6.0", "6.3.6"), ("6.2", "6.8.5"), ("6.4", "6.12.12"), ("7.0", "6.14.14")):
        assert compat.driver(rocm(line), module).word is Word.YES
