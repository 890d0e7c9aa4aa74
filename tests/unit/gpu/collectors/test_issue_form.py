from __future__ import annotations

import pytest

from rocm_ci.gpu.collectors.issue_form import collect
from tests.fakes import MemoryReader


def form(**fields: str) -> str:
    return "".join(f"### {name.replace('_', ' ')}\n\n{text}\n\n" for name, text in fields.items())


def test_the_fields_of_a_form_are_read() -> None:
    text = form(
        Operating_System="Ubuntu 24.04.2 LTS (Noble Numbat)",
        CPU="AMD EPYC 9654",
        GPU="AMD Instinct MI300X",
        ROCm_Version="ROCm 6.4.1",
    )

    found = collect(MemoryReader(recordings=(text,)))

    assert found.host == {"os": "Ubuntu 24.04.2 LTS", "cpu": "AMD EPYC 9654"}
    assert found.rocm == {"version": "6.4.1"}
    assert [d.values for d in found.devices] == [{"name": "AMD Instinct MI300X"}]


@pytest.mark.parametrize("text", ["_No response_", "all of them", "  Name:    AMD EPYC 9654"])
def test_what_names_no_gpu_is_none(text: str) -> None:
    assert collect(MemoryReader(recordings=(form(GPU=text, CPU="x"),))).devices == ()


def test_a_field_without_an_answer_is_not_filled_from_the_next() -> None:
    found = collect(MemoryReader(recordings=("### CPU\n\n### GPU\n\ngfx950\n",)))

    assert found.host == {}
    assert [d.values for d in found.devices] == [{"gfx": "gfx950"}]
