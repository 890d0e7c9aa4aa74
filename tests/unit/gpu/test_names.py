from __future__ import annotations

import re

import pytest

from rocm_ci.gpu import names


def test_a_product_is_named_by_its_id() -> None:
    assert names.product("0x75A3", None) == "AMD Instinct MI355X"


def test_an_id_of_several_products_needs_the_revision() -> None:
    assert names.product("0x7550", "0xc3") == "AMD Radeon RX 9070"
    assert names.product("0x7550", "c0") == "AMD Radeon RX 9070 XT"
    assert names.product("0x7550", "0x99") is None
    assert names.product("0x7550", None) is None


def test_an_unknown_id_has_no_name() -> None:
    assert names.product("0xffff", None) is None
    assert names.by_id(None) is None


@pytest.mark.parametrize(
    "name",
    ["AMD Radeon Graphics", "Radeon Graphics", "AMD Radeon(TM) Graphics", "0x74a1", "Device 74a1", "gfx942"],
)
def test_a_name_without_a_product_is_bare(name: str) -> None:
    assert names.is_bare(name)


@pytest.mark.parametrize("name", ["AMD Instinct MI300X", "AMD Radeon RX 9070 XT", "Raphael", "MI300A"])
def test_a_product_name_is_not_bare(name: str) -> None:
    assert not names.is_bare(name)


def test_the_table_is_consistent() -> None:
    for device_id, model in names.table().items():
        assert re.fullmatch(r"0x[0-9a-f]{4}", device_id)
        assert re.fullmatch(r"gfx[0-9a-f]{3,5}", model.gfx)
        assert model.wave == (64 if model.gfx.startswith("gfx9") else 32)
        assert model.name or model.revisions or model.integrated
        assert all(re.fullmatch(r"[0-9a-f]{2}", revision) for revision in model.revisions)
        if model.vf_of:
            card = names.by_id(model.vf_of)
            assert card is not None
            assert card.gfx == model.gfx
            assert card.vf_of is None


def test_mi325x_is_of_the_mi300_generation_and_mi350x_is_not() -> None:
    mi325x, mi350x = names.by_id("0x74a5"), names.by_id("0x75a0")

    assert mi325x is not None
    assert mi350x is not None
    assert (mi325x.gfx, mi325x.fp8) == ("gfx942", "fnuz")
    assert (mi350x.gfx, mi350x.fp8, mi350x.lds_kib) == ("gfx950", "ocp", 160)
