from __future__ import annotations

from rocm_ci.gpu.collectors.rocminfo import collect
from tests.fakes import MemoryReader

AGENT = """\
*******
Agent 2
*******
  Name:                    gfx90a
  Uuid:                    GPU-XX
  Marketing Name:          AMD Instinct MI250X
  Node:                    4
  Device Type:             GPU
  Cache Info:
    L1:                      16(0x10) KB
  Chip ID:                 29704(0x7408)
  BDFID:                   49411
  Domain:                  2
  Compute Unit:            110
  Memory Properties:
  Wavefront Size:          64(0x40)
  Packet Processor uCode:: 78
  Pool Info:
    Pool 1
      Segment:                 GLOBAL; FLAGS: FINE GRAINED
      Size:                    1(0x1) KB
    Pool 2
      Segment:                 GLOBAL; FLAGS: COARSE GRAINED
      Size:                    67092480(0x3ffc000) KB
    Pool 3
      Segment:                 GROUP
      Size:                    64(0x40) KB
  ISA Info:
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-
"""
HEAD = "ROCk module version 6.7.0 is loaded\nRuntime Version:         1.13\n"


def test_an_agent_keeps_its_own_name_though_pools_and_isas_have_names_too() -> None:
    found = collect(MemoryReader(recordings=(HEAD + AGENT,)))

    values = found.devices[0].values
    assert values["name"] == "AMD Instinct MI250X"
    assert values["gfx"] == "gfx90a"
    assert values["features"] == "sramecc+:xnack-"
    assert values["bus"] == "0002:c1:00.3"
    assert values["vram_bytes"] == 67092480 * 1024
    assert values["lds_bytes"] == 65536
    assert values["integrated"] is False
    assert found.devices[0].firmware == {"MEC": "78"}
    assert found.rocm == {"hsa": "1.13"}
    assert found.driver == {"loaded": True, "version": "6.7.0"}


def test_a_placeholder_is_no_id() -> None:
    assert "uuid" not in collect(MemoryReader(recordings=(HEAD + AGENT,))).devices[0].values


def test_time_stamps_and_colours_of_a_ci_log_do_not_matter() -> None:
    lines = (HEAD + AGENT).splitlines()
    log = "".join(f"2026-01-02T03:04:05.1234567Z \x1b[36m{line}\x1b[0m\n" for line in lines)

    assert collect(MemoryReader(recordings=(log,))).devices[0].values["compute_units"] == 110


def test_a_processor_with_graphics_is_integrated() -> None:
    text = AGENT.replace("Memory Properties:", "Memory Properties:       APU")

    assert collect(MemoryReader(recordings=(HEAD + text,))).devices[0].values["integrated"] is True


def test_an_unloaded_driver_is_a_fact() -> None:
    text = "\x1b[31mROCk module is NOT loaded, possibly no GPU devices\x1b[0m\n"

    assert collect(MemoryReader(recordings=(text,))).driver == {"loaded": False}


def test_a_cut_off_agent_tells_what_it_can() -> None:
    cut = (HEAD + AGENT)[: (HEAD + AGENT).index("Compute Unit")]

    values = collect(MemoryReader(recordings=(cut,))).devices[0].values

    assert values["gfx"] == "gfx90a"
    assert "compute_units" not in values
