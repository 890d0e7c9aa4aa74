from __future__ import annotations

import pytest

from rocm_ci.gpu.collect import collect, inventory
from rocm_ci.gpu.identity import HIDDEN, withheld
from rocm_ci.gpu.summary import document, text
from rocm_ci.log import printable
from tests.fakes import MemoryReader


@pytest.mark.parametrize(
    "line",
    [
        "GPU-5f1c0d9a77e2b341 is not there",
        "device 0x7c51aa90be03f1d2 failed",
        "uuid 3cff74a1-0000-1000-80d4-e8de1e51a3c1 unknown",
        "card serial number: PCB0456123",
        "asic_serial: 0x5f1c0d9a77e2b341",
        "FRU serial=692412007123",
        "Unique ID: 5f1c0d9a77e2b341",
    ],
)
def test_what_names_one_device_is_taken_out_of_a_text(line: str) -> None:
    shown = withheld(line)

    assert HIDDEN in shown
    for secret in ("5f1c0d9a", "7c51aa90", "3cff74a1", "PCB0456123", "692412007123"):
        assert secret not in shown


@pytest.mark.parametrize(
    "line",
    ["0000:c1:00.0: AMD Instinct MI300X (0x74a1)", "VBIOS 113-M3000100-102", "GPU-less", "kernel 6.8.0-79"],
)
def test_what_names_a_kind_stays(line: str) -> None:
    assert withheld(line) == line


def test_an_id_that_a_source_told_is_hidden_wherever_else_it_stands() -> None:
    assert withheld("WARNING: 5f1c0d9a77e2b341 is hot", ["5f1c0d9a77e2b341"]) == f"WARNING: {HIDDEN} is hot"


AGENT = """\
ROCk module is loaded
*******
Agent 2
*******
  Name:                    gfx942
  Uuid:                    GPU-5f1c0d9a77e2b341
  Marketing Name:          AMD Instinct MI300X
  Node:                    1
  Device Type:             GPU
  Chip ID:                 29857(0x74a1)
"""
WARNED = """\
WARNING: card0 with serial number 692412007123 and id 5f1c0d9a77e2b341 is in a low-power state
{"card0": {"Device Name": "AMD Instinct MI300X", "Unique ID": "0x5f1c0d9a77e2b341", "Serial Number": "692412007123"}}
"""


def test_ids_leave_in_no_form_unless_they_are_asked_for() -> None:
    reader = MemoryReader(recordings=(AGENT, WARNED))

    facts = collect(reader)
    found = inventory(reader)

    for shown in (printable(text(facts)), str(facts), str(document(found, identities=False))):
        assert "5f1c0d9a77e2b341" not in shown
        assert "is in a low-power state" in shown
    assert document(found, identities=True)["gpus"][0]["uuid"] == "GPU-5f1c0d9a77e2b341"
