from __future__ import annotations

from rocm_ci.gpu.collectors.toolchain import collect
from rocm_ci.gpu.live import LiveReader
from tests.fakes import FakeRunner, MemoryReader


def test_versions_are_read_past_the_packagers_brackets() -> None:
    runner = FakeRunner(
        answers={
            "gcc": (0, "gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright\n"),
            "cmake": (0, "cmake version 3.25.1\n"),
            "ninja": (0, "1.11.1\n"),
            "ccache": (1, "ccache version 4.7.5\n"),
        }
    )

    found = collect(LiveReader(runner, {"PATH": "/usr/bin"}))

    assert found.tools == {"cmake": "3.25.1", "gcc": "12.2.0", "ninja": "1.11.1"}


def test_a_bare_number_in_a_recording_is_not_ninjas() -> None:
    assert collect(MemoryReader(recordings=("7.2.1\n",))).tools == {}
