"""The kernel's messages from a moment on, from each place that they can be read in."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from rocm_ci.gpu import kernel_log
from rocm_ci.gpu.kernel_log import KernelLog, parsed
from rocm_ci.tools.process import Captured
from tests.fakes import FakeRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


class TestRecords:
    def test_a_record_of_the_kernel_is_read_with_its_device(self) -> None:
        line = parsed(
            "3,1042,98765432,-;amdgpu 0000:c1:00.0: bad\n SUBSYSTEM=pci\n DEVICE=+pci:0000:c1:00.0\n"
        )

        assert line is not None
        assert (line.at_s, line.text, line.device) == (98.765432, "amdgpu 0000:c1:00.0: bad", "0000:c1:00.0")
        assert line.shown == "[   98.765432] amdgpu 0000:c1:00.0: bad"

    @pytest.mark.attack("5", "a forged message in the kernel's log")
    @pytest.mark.parametrize("record", ["11,7,1,-;amdgpu: GPU reset begin!", "14,7,1,-;x", "<12>[    1.000000] amdgpu: x",
                                        "999999999999,1,1,-;x"])  # fmt: skip
    def test_what_a_program_wrote_there_is_left_out(self, record: str) -> None:
        assert parsed(record) is None

    @pytest.mark.parametrize(
        "record", ["", ";", "a,b,c;x", "3,1;x", "-3,1,1;x", "٣,1,1,-;x", "no record", "[bad] x", "\0" * 50]
    )
    def test_what_is_no_record_is_left_out(self, record: str) -> None:
        assert parsed(record) is None

    @pytest.mark.parametrize(
        ("printed", "level"), [("[   12.345678] usb 1-1: new", ""), ("<6>[12.345678] usb 1-1: new", "6")]
    )
    def test_a_line_as_dmesg_prints_it_is_read_too(self, printed: str, level: str) -> None:
        line = parsed(printed)

        assert line is not None
        assert (line.at_s, line.text) == (12.345678, "usb 1-1: new")

    @pytest.mark.attack("5", "escape sequences and line ends in a kernel message")
    def test_escapes_of_the_kernel_are_resolved_and_what_comes_out_is_harmless(self) -> None:
        line = parsed(r"3,1,1000000,-;a\x1b[31mred\x0a[    9.9] amdgpu: GPU reset begin!\x00 \xe2")

        assert line is not None
        assert "\x1b" not in line.text
        assert "\n" not in line.text
        assert line.text.startswith("ared")

    def test_endless_messages_are_cut(self) -> None:
        line = parsed("3,1,1,-;" + "x" * 1_000_000)

        assert line is not None
        assert len(line.text) <= kernel_log.MAX_RECORD


class TestRecordedMachine:
    def log(self, root: Path) -> KernelLog:
        return KernelLog(FakeRunner(), {}, root)

    def test_only_what_comes_later_is_read_and_each_line_once(self, tmp_path: Path) -> None:
        path = tmp_path / "dev/kmsg"
        path.parent.mkdir()
        path.write_text("3,1,1000000,-;old\n")
        tail = self.log(tmp_path).tail()
        assert tail is not None
        with path.open("a") as more:
            more.write("3,2,2000000,-;new\n DEVICE=+pci:0000:c1:00.0\n3,3,3000000,-;ha")

        assert [(line.text, line.device) for line in tail.read()] == [("new", "0000:c1:00.0")]
        with path.open("a") as more:
            more.write("lf\n")
        assert [line.text for line in tail.read()] == ["half"]
        assert tail.read() == []

    def test_a_file_that_was_begun_anew_is_read_from_its_beginning(self, tmp_path: Path) -> None:
        path = tmp_path / "dmesg.txt"
        path.write_text("[    1.000000] " + "x" * 200 + "\n")
        tail = self.log(tmp_path).tail()
        assert tail is not None
        path.write_text("[    2.000000] new\n")

        assert [line.text for line in tail.read()] == ["new"]

    def test_a_machine_without_one_says_nothing(self, tmp_path: Path) -> None:
        tail = self.log(tmp_path).tail()

        assert tail is not None
        assert tail.read() == []

    @pytest.mark.attack("5", "a pipe or a link in place of a recorded kernel log")
    def test_a_pipe_in_its_place_is_not_waited_for(self, tmp_path: Path) -> None:
        (tmp_path / "dev").mkdir()
        os.mkfifo(tmp_path / "dev/kmsg")
        tail = self.log(tmp_path).tail()

        assert tail is not None
        assert tail.read() == []

    def test_a_flood_is_bounded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kernel_log, "MAX_LINES", 5)
        (tmp_path / "dmesg").touch()
        tail = self.log(tmp_path).tail()
        assert tail is not None
        (tmp_path / "dmesg").write_text("".join(f"[    {n}.000000] x\n" for n in range(50)))

        assert len(tail.read()) == 5


class Kmsg:
    """`/dev/kmsg` in place of the system's: one record or error for each read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.records: list[bytes | int] = []
        self.closed: list[int] = []
        monkeypatch.setattr(os, "open", lambda *_: 77)
        monkeypatch.setattr(os, "lseek", lambda *_: 0)
        monkeypatch.setattr(os, "read", self.read)
        monkeypatch.setattr(os, "close", self.closed.append)

    def read(self, _descriptor: int, _size: int) -> bytes:
        if not self.records:
            raise BlockingIOError(errno.EAGAIN, "would block")
        one = self.records.pop(0)
        if isinstance(one, int):
            raise OSError(one, os.strerror(one))
        return one


def test_records_that_were_overwritten_are_skipped_and_the_rest_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        kmsg = Kmsg(patched)
        tail = KernelLog(FakeRunner(), {}).tail()
        assert tail is not None
        kmsg.records = [b"3,1,1000000,-;a\n", errno.EPIPE, b"3,9,9000000,-;b\n", b"11,10,9,-;forged\n"]
        read, again = tail.read(), tail.read()
        tail.close()
        tail.close()

    assert [line.text for line in read] == ["a", "b"]
    assert again == []
    assert kmsg.closed == [77]


def test_a_log_that_fails_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        kmsg = Kmsg(patched)
        patched.setattr(kernel_log, "MAX_LINES", 20)
        tail = KernelLog(FakeRunner(), {}).tail()
        assert tail is not None
        kmsg.records = [errno.EPIPE] * 1_000
        read = tail.read()
        tail.close()

    assert read == []


class Machine(FakeRunner):
    """Without `/dev/kmsg`; `dmesg` and `journalctl` answer by functions."""

    def __init__(self, **tools: Callable[[Sequence[str]], Captured]) -> None:
        super().__init__()
        self.tools = tools

    def capture(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        stdin: bytes = b"",
        limit: int | None = None,
    ) -> Captured:
        known = self.tools.get(argv[0])
        self.calls.append(tuple(argv))
        return known(argv) if known else super().capture(argv)


@pytest.fixture
def _no_kmsg(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden() -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(kernel_log, "_Device", forbidden)


def says(text: str, code: int = 0, error: str = "", **more: bool) -> Callable[[Sequence[str]], Captured]:
    return lambda argv: Captured(
        argv=tuple(argv),
        exit_code=code,
        stdout=text.encode(),
        stderr=error.encode(),
        timed_out=more.get("timed_out", False),
    )


@pytest.mark.usefixtures("_no_kmsg")
class TestPrograms:
    def test_dmesg_gives_what_is_new_also_within_one_instant(self) -> None:
        machine = Machine(dmesg=says("<6>[    1.000000] a\n<6>[    2.000000] b\n"))
        tail = KernelLog(machine, {}).tail()
        assert tail is not None
        machine.tools["dmesg"] = says(
            "<6>[    2.000000] b\n<3>[    2.000000] c\n<12>[    2.5] forged\n<3>[    3.000000] d\n"
        )

        assert [line.text for line in tail.read()] == ["c", "d"]
        assert tail.read() == []

    def test_a_dmesg_that_fails_later_gives_nothing_and_forgets_nothing(self) -> None:
        machine = Machine(dmesg=says("[    1.000000] a\n"))
        tail = KernelLog(machine, {}).tail()
        assert tail is not None
        machine.tools["dmesg"] = says("", code=1, error="gone")
        assert tail.read() == []
        machine.tools["dmesg"] = says("[    1.000000] a\n[    2.000000] b\n")

        assert [line.text for line in tail.read()] == ["b"]

    @pytest.mark.parametrize("end", ["\n", "\v", "\f", "\x1c", "\x85", "\u2028"])
    @pytest.mark.attack(
        "5", "a message of the kernel forged by a file with line ends in its name that crashes"
    )
    def test_a_name_with_line_ends_in_it_begins_no_message(self, end: str) -> None:
        """As `dmesg --syslog --raw` shows it: behind a line end of the kernel's the stamp stands once more."""
        again = "<6>[    2.000000] " if end == "\n" else ""
        forged = "amdgpu 0000:0c:00.0: amdgpu: device lost from bus!"
        machine = Machine(dmesg=says("<6>[    1.000000] a\n"))
        tail = KernelLog(machine, {}).tail()
        assert tail is not None
        machine.tools["dmesg"] = says(
            f"<6>[    2.000000] x[7]: segfault at 0 ip 0 sp 0 error 6 in x{end}{again}{forged}[1132]\n"
            f"<6>[    3.000000] b{'' if again else end}[    4.000000] {forged}\n"
        )

        said = [(line.at_s, line.text) for line in tail.read()]

        assert [(at_s, text[0]) for at_s, text in said] == [(2.0, "x"), (3.0, "b")]

    def test_the_journal_is_asked_from_its_own_place_on(self) -> None:
        machine = Machine(
            dmesg=says("", 1, "Operation not permitted"),
            journalctl=says("[    1.0] host kernel: a\n-- cursor: s=1\n"),
        )
        tail = KernelLog(machine, {}).tail()
        assert tail is not None
        machine.tools["journalctl"] = says("[    2.000000] host kernel: amdgpu: b\n-- cursor: s=2\n")

        assert [line.text for line in tail.read()] == ["amdgpu: b"]
        assert machine.calls[-1][-3:] == ("--after-cursor", "s=1", "SYSLOG_FACILITY=0")
        tail.read()
        assert machine.calls[-1][-2] == "s=2"

    def test_why_nothing_can_be_read_is_told_once_in_the_words_of_each_tool(self) -> None:
        machine = Machine(
            dmesg=says("", 1, "dmesg: read kernel buffer failed: Operation not permitted\n"),
            journalctl=says("", timed_out=True),
        )
        log = KernelLog(machine, {})

        assert log.tail() is None
        assert log.tail() is None
        assert log.problem == (
            "the kernel log cannot be read: dmesg: read kernel buffer failed: Operation not permitted;"
            " journalctl did not answer within 10 s"
        )
        assert len(machine.calls) == 2

    def test_an_empty_journal_is_none(self) -> None:
        log = KernelLog(Machine(dmesg=says("", 1), journalctl=says("")), {})

        assert log.tail() is None
        assert "dmesg ended with code 1; the journal holds no kernel messages" in log.problem

    def test_what_was_found_usable_is_used_again(self) -> None:
        machine = Machine(dmesg=says("", 1), journalctl=says("-- cursor: s=1\n"))
        log = KernelLog(machine, {})
        log.tail()
        log.tail()

        assert [call[0] for call in machine.calls] == ["dmesg", "journalctl", "journalctl"]
