from __future__ import annotations

from rocm_ci.gpu.amdsmi_columns import looks_like, records

OLD = """GPU  POWER  GPU_TEMP  MEM_TEMP  GFX_UTIL  GFX_CLOCK  MEM_UTIL  MEM_CLOCK  VRAM_USED  VRAM_TOTAL
  0   42 W     38 °C     45 °C       1 %    800 MHz       0 %   1600 MHz     283 MB    65501 MB
  1    N/A       N/A       N/A       N/A        N/A       N/A        N/A        N/A         N/A
"""
NEW = """GPU  XCP  POWER  PWR_CAP  GPU_T  MEM_T  GFX_CLK  GFX%  MEM%  ENC%  DEC%  VRAM_USAGE
  0    0  171 W    750 W  44 °C  36 °C  132 MHz   0 %   0 %   N/A   0 %  0.3/192.0 GB
"""


def test_both_layouts_of_monitor_are_read() -> None:
    old, _ = records(OLD)
    (new,) = records(NEW)

    assert old["power.socket_power"] == "42 W"
    assert old["clock.mem.clk"] == "1600 MHz"
    assert old["monitor.total_vram"] == "65501 MB"
    assert new["limit.socket_power"] == "750 W"
    assert new["monitor.used_vram"] == "0.3 GB"
    assert new["monitor.total_vram"] == "192.0 GB"


def test_what_is_not_available_is_said_to_be_so() -> None:
    assert set(records(OLD)[1].values()) == {"1", "N/A"}


def test_a_line_with_an_empty_cell_is_not_guessed_at() -> None:
    table = "GPU_ID  MEMORY  ACCELERATOR_TYPE  PARTITION_ID\n0       NPS1    CPX               0\n1                               1\n"

    assert [r["gpu"] for r in records(table)] == ["0"]


def test_another_table_about_gpus_is_none_of_amd_smi() -> None:
    assert not looks_like("GPU NAME STATE\n0 a up\n")
    assert records("GPU NAME STATE\n0 a up\n") == []
