from __future__ import annotations

import pytest

from rocm_ci.gpu import release
from rocm_ci.gpu.release import Stream


@pytest.mark.parametrize(
    ("text", "line", "stream"),
    [
        ("6.4.1-83", (6, 4), Stream.CLASSIC),
        ("rocm-7.2.1", (7, 2), Stream.CLASSIC),
        ("7.9.0rc20251008", (7, 9), Stream.PREVIEW),
        ("7.13.0", (7, 13), Stream.PREVIEW),
        ("7.14.0", (7, 14), Stream.CORE),
        ("core-10.0", (10, 0), Stream.CORE),
    ],
)
def test_a_release_is_read_however_it_is_spelled(text: str, line: tuple[int, int], stream: Stream) -> None:
    found = release.release(text)

    assert found is not None
    assert (found.line, found.stream) == (line, stream)


@pytest.mark.parametrize("text", ["", "none", "7", "roc", "7.x", "10,0", None, "9" * 500])
def test_what_is_no_release_is_none(text: str | None) -> None:
    assert release.release(text) is None


def test_releases_are_ordered_as_numbers_whatever_their_dates() -> None:
    # 7.14.1 was released after 10.0.0, and as text 10.0.0 stands before all of them.
    given = ["10.0.0", "7.14.1", "7.9.0", "7.2.3", "7.14.0a20260612", "7.14.0", "10.1.0"]

    ordered = sorted(found for text in given if (found := release.release(text)))

    assert [str(r) for r in ordered] == [
        "7.2.3", "7.9.0", "7.14.0a20260612", "7.14.0", "7.14.1", "10.0.0", "10.1.0",
    ]  # fmt: skip


def test_a_preview_and_a_prerelease_are_not_for_production() -> None:
    said = {text: release.release(text) for text in ("7.2.1", "7.10.0", "7.14.0a1", "7.14.0", "10.0.0")}

    assert {text: found.production for text, found in said.items() if found} == {
        "7.2.1": True, "7.10.0": False, "7.14.0a1": False, "7.14.0": True, "10.0.0": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("wheel", "numbers"),
    [
        ("2.9.0+rocm7.0", (7, 0, 0)),
        ("2.9.1+rocm7.2.0.lw.git7e1940d4", (7, 2, 0)),
        ("2.12.0+rocm10.0", (10, 0, 0)),
        ("0.4.30+rocm611", (6, 1, 1)),
        ("0.4.26+rocm60", (6, 0, 0)),
        ("0.7.1+rocm7", (7, 0, 0)),
        ("0.9.1+rocm10", (10, 0, 0)),
        ("2.12.0+devrocm7.13.0", (7, 13, 0)),
    ],
)
def test_the_rocm_in_a_wheels_tag(wheel: str, numbers: tuple[int, int, int]) -> None:
    found = release.of_wheel(wheel)

    assert found is not None
    assert (found.major, found.minor, found.patch) == numbers


@pytest.mark.parametrize(
    "wheel", ["2.9.0+cu128", "2.9.0+cpu", "2.9.0", "2.7.0a0+git1ee5a2b", "2.1+rocmsdk20251008", None]
)
def test_a_wheel_without_a_rocm_release_has_none(wheel: str | None) -> None:
    assert release.of_wheel(wheel) is None


def test_the_newest_wheel_is_not_the_last_as_text() -> None:
    wheels = ["2.12.0+rocm7.0", "2.12.0+rocm10.0", "2.12.0+rocm7.14", "2.12.0+cpu"]

    assert max(wheels[:3]) == "2.12.0+rocm7.14"
    assert release.newest(wheels) == "2.12.0+rocm10.0"
    assert release.newest([]) is None


def test_the_hip_number_tells_the_release_only_while_the_two_agree() -> None:
    assert str(release.of_hip("7.0.51831")) == "7.0"
    assert str(release.of_hip("7.14.26200")) == "7.14"
    assert release.of_hip("7.15.26333") is None
    assert release.of_hip("7.16.1") is None


def test_a_package_of_the_driver_carries_module_and_driver_number() -> None:
    assert release.module_of_package("1:6.14.14.30100200-2226257.24.04") == ("6.14.14", "30.10.2")
    assert release.module_of_package("6.16.6.30200100-2255209") == ("6.16.6", "30.20.1")
    assert release.module_of_package("1:6.12.12.60402-2187269.22.04") == ("6.12.12", "6.4.2")
    assert release.module_of_package("6.14.14") is None
