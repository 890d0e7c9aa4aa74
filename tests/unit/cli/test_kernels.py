"""`rocm-ci kernels` on miniature code objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rocm_ci.cli import kernels
from rocm_ci.cli.main import main
from tests import fakes
from tests.unit.kernels import binaries

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "ProcessRunner", fakes.FakeRunner)


def put(path: Path, **fields: object) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(binaries.code_object(binaries.kernel("k", **fields)))
    return str(path)


def test_json_holds_kernels_and_no_changes_without_another_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(tmp_path / "a.co", vgpr_count=40)

    assert main(["kernels", path, "--format", "json"]) == 0

    body = json.loads(capsys.readouterr().out)
    assert [(k["name"], k["arch"], k["artifact"], k["vgpr"]) for k in body["kernels"]] == [
        ("k", "gfx90a", path, 40)
    ]
    assert (body["changes"], body["compared"]) == ([], False)


def test_text_shows_a_table_and_what_got_worse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = put(tmp_path / "head/a.co", vgpr_spill_count=7)
    base = put(tmp_path / "base/a.co")

    assert main(["kernels", head, "--against", base]) == 0

    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == [
        "kernel",
        "arch",
        "waves",
        "VGPR",
        "AGPR",
        "SGPR",
        "spills",
        "scratch",
        "LDS",
    ]
    assert "worse k on gfx90a: vgpr_spills 0 → 7" in out


def test_a_folder_is_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / "build/a.co")
    (tmp_path / "build/readme").write_text("text")

    assert main(["kernels", str(tmp_path / "build"), "--format", "json"]) == 0

    assert len(json.loads(capsys.readouterr().out)["kernels"]) == 1


def test_a_file_without_gpu_code_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("text")

    assert main(["kernels", str(tmp_path / "a.txt")]) == 0

    captured = capsys.readouterr()
    assert captured.out == "no kernels\n"
    assert "a.txt: no GPU code in it" in captured.err


def test_a_file_that_is_not_there_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kernels", str(tmp_path / "gone.so")]) == 2
    assert "gone.so is not there" in capsys.readouterr().err


def test_a_name_cannot_act_on_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.co").write_bytes(binaries.code_object(binaries.kernel("\x1b[2Jk\nline")))

    main(["kernels", str(tmp_path / "a.co")])

    assert "\x1b" not in capsys.readouterr().out
