from __future__ import annotations

from pathlib import Path

from rocm_ci.gpu.collectors.kernel_messages import DMESG
from rocm_ci.gpu.collectors.rocminfo import ROCMINFO
from rocm_ci.gpu.live import LiveReader
from rocm_ci.gpu.reader import Tool
from rocm_ci.tools.process import Captured
from tests.fakes import FakeRunner


class OneAnswer(FakeRunner):
    """Gives the same finished command to everybody."""

    def __init__(self, done: Captured) -> None:
        super().__init__()
        self.done = done

    def capture(self, argv: object, **options: object) -> Captured:
        return self.done


def problem(**done: object) -> str:
    captured = Captured(argv=("rocminfo",), **done)  # type: ignore[arg-type]
    return LiveReader(OneAnswer(captured), {}).ask(ROCMINFO).problem


def test_what_went_wrong_is_one_sentence() -> None:
    assert problem(exit_code=127, stderr=b"cannot start rocminfo: No such file or directory") == (
        "rocminfo is not installed"
    )
    assert problem(exit_code=127, stderr=b"cannot start rocminfo: Permission denied") == (
        "cannot start rocminfo: Permission denied"
    )
    assert problem(exit_code=-9, timed_out=True) == "rocminfo did not answer within 8 s"
    assert problem(
        exit_code=1, stdout=b"\x1b[31mROCk module is NOT loaded\x1b[0m\n", stderr=b"libkmod: ERROR x"
    ) == ("rocminfo: ROCk module is NOT loaded")
    assert problem(exit_code=0, stderr=b"noise\nERROR:root:Driver not initialized\n") == (
        "rocminfo: Driver not initialized"
    )
    assert problem(exit_code=3) == "rocminfo: exit code 3"
    assert (
        problem(exit_code=-15, stdout=b"x", truncated=True) == "rocminfo printed more than 8 MB and was ended"
    )
    assert problem(exit_code=0, stdout=b"fine") == ""


def test_tools_run_on_the_amd_platform_and_find_rocm_off_the_path() -> None:
    runner = FakeRunner()

    LiveReader(runner, {"PATH": "/usr/bin", "ROCM_PATH": "/opt/rocm-7"}).ask(ROCMINFO)

    environment = runner.environments[0]
    assert environment["HIP_PLATFORM"] == "amd"
    assert environment["PATH"].split(":")[:3] == ["/usr/bin", "/opt/rocm-7/bin", "/opt/rocm/bin"]


def test_a_tool_that_is_not_there_is_asked_only_once() -> None:
    runner = FakeRunner()
    tool = Tool(name="x", commands=(("x", "a"), ("x", "b")), recognise=lambda _: True)

    answer = LiveReader(runner, {}).ask(tool)

    assert runner.calls == [("x", "a")]
    assert answer.problem == "x is not installed"


def test_files_are_read_with_a_bound_and_missing_ones_are_none(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "big").write_bytes(b"a" * 3_000_000)
    (tmp_path / "link").symlink_to(tmp_path / "proc")

    reader = LiveReader(FakeRunner(), {}, root=tmp_path)

    assert len(reader.text("/proc/big") or "") == 1_000_000
    assert reader.text("/proc/none") is None
    assert reader.text("/proc") is None
    assert reader.names("/none") == ()
    assert reader.names("/proc") == ("big",)
    assert reader.resolve("/link") == "/proc"


def test_the_kernel_log_of_this_machine_is_not_that_of_a_tree(tmp_path: Path) -> None:
    runner = FakeRunner()

    nothing = LiveReader(runner, {}, root=tmp_path).ask(DMESG)
    (tmp_path / "dmesg.txt").write_text("[drm] amdgpu version: 6.10.5\n")
    something = LiveReader(runner, {}, root=tmp_path).ask(DMESG)

    assert runner.calls == []
    assert "tree that stands in" in nothing.problem
    assert "6.10.5" in something.outputs[0].text


def test_a_program_that_hung_is_not_waited_for_a_second_time() -> None:
    reader = LiveReader(OneAnswer(Captured(argv=("x",), exit_code=-9, timed_out=True)), {})
    first = Tool(name="x list", commands=(("x", "list"),), recognise=lambda _: True)
    second = Tool(name="x metric", commands=(("x", "metric"),), recognise=lambda _: True)

    assert reader.ask(first).problem == "x list did not answer within 8 s"
    assert reader.ask(second).problem == "x hung when it was asked before"
