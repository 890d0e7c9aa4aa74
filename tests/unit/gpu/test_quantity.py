from __future__ import annotations

import pytest

from rocm_ci.gpu import quantity


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"value": 65520, "unit": "MB"}, 65520 << 20),
        ("196592 MB", 196592 << 20),
        ("192 GB", 192 << 30),
        ("24 GiB", 24 << 30),
        ("16695296 KB", 16695296 << 10),
        ("206141652992", 206141652992),
        (68702699520, 68702699520),
        ({"value": "N/A", "unit": "MB"}, None),
        ("N/A", None),
        (None, None),
        (True, None),
        ("-5 MB", None),
    ],
)
def test_sizes_count_in_powers_of_1024_as_the_tools_do(value: object, expected: int | None) -> None:
    assert quantity.size_bytes(value) == expected


def test_the_unit_of_the_tool_holds_when_a_value_names_none() -> None:
    assert quantity.size_bytes("196592", "mb") == 196592 << 20
    assert quantity.size_bytes("192 GB", "mb") == 192 << 30


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("750.0 W", 750.0),
        ("(132Mhz)", 132.0),
        ({"value": 16, "unit": "GT/s"}, 16.0),
        ("304", 304.0),
        ("None", None),
    ],
)
def test_numbers_are_found_between_brackets_and_units(value: object, expected: float | None) -> None:
    assert quantity.number(value) == expected


@pytest.mark.parametrize("text", ["", " N/A ", "n/a", "None", "Not Supported", "unknown", {}, []])
def test_every_way_of_saying_not_available_is_none(text: object) -> None:
    assert quantity.word(text) is None


def test_large_integers_stay_exact() -> None:
    assert quantity.whole("9223372036854775807") == 9223372036854775807
    assert quantity.whole("0x1f") == 31


@pytest.mark.parametrize(
    "value", ["9" * 20, "9" * 5000, 1 << 70, 1e300, float("inf"), float("nan"), "0x" + "f" * 16]
)
def test_what_no_report_file_can_carry_is_none(value: object) -> None:
    assert quantity.whole(value) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0x74A1", "0x74a1"),
        ("74a1", "0x74a1"),
        (29857, "0x74a1"),
        ("30032(0x7550)", "0x7550"),
        ("N/A", None),
        (0, None),
    ],
)
def test_device_ids_have_one_spelling(value: object, expected: str | None) -> None:
    assert quantity.hex_id(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "gfx90a"),
        ("gfx1201", "gfx1201"),
        ("gfx000", None),
        ("Radeon", None),
    ],
)
def test_a_target_is_read_without_its_features(value: str, expected: str | None) -> None:
    assert quantity.gfx(value) == expected
