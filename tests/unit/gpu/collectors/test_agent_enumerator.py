from __future__ import annotations

from rocm_ci.gpu.collectors.agent_enumerator import collect
from tests.fakes import MemoryReader


def test_the_processor_that_older_releases_list_first_is_no_gpu() -> None:
    found = collect(MemoryReader(recordings=("gfx000\ngfx90a\ngfx90a\n",)))

    assert [device.values["gfx"] for device in found.devices] == ["gfx90a", "gfx90a"]


def test_a_text_in_which_a_target_occurs_is_not_its_output() -> None:
    assert collect(MemoryReader(recordings=("building for gfx90a\n",))).devices == ()
