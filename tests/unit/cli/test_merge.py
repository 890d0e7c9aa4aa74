"""`rocm-ci merge`: what the gate of a workflow runs over the artifacts of its jobs."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import msgspec
import pytest

from rocm_ci.cli.main import main
from rocm_ci.model.report import Report, Setting
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import codec
from rocm_ci.report.merge import merged
from tests import matrices, reports

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _outside_of_a_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)


def laid(folder: Path, parts: list[tuple[str, Report]]) -> str:
    """The artifacts of the legs, as actions/download-artifact lays them down."""
    for leg, report in parts:
        place = folder / f"rocm-ci-report-{leg}"
        place.mkdir(parents=True)
        (place / "report.json").write_bytes(codec.encode(report))
        (place / "comment.md").write_text("# not ours\n", encoding="utf-8")
    (folder / "some-other-artifact").mkdir(exist_ok=True)
    return str(folder)


def test_the_folder_of_all_artifacts_is_one_report(tmp_path: Path) -> None:
    folder = laid(tmp_path / "in", matrices.one_bad_leg())
    out = tmp_path / "joined.json"

    assert main(["merge", folder, "--output", str(out)]) == 1

    assert codec.decode(out.read_bytes()) == matrices.matrix("matrix-one-bad")


@pytest.mark.parametrize(
    ("name", "code"),
    [("matrix-green", 0), ("matrix-one-bad", 1), ("matrix-all-bad", 1), ("matrix-infra", 3)],
)
def test_the_exit_code_is_that_of_the_verdict(tmp_path: Path, name: str, code: int) -> None:
    assert main(["merge", laid(tmp_path, matrices.MATRICES[name]())]) == code


def test_the_table_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["merge", laid(tmp_path, matrices.one_bad_leg())])

    shown = capsys.readouterr().out
    assert "this change fails 1 test and slows 1 benchmark by 8.4 % on mi210 only" in shown.replace("\n", " ")
    assert "Machine mi210: 1 × AMD Instinct MI210" in shown


def test_json_is_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["merge", laid(tmp_path, matrices.all_green()), "--format", "json"])

    shape = json.loads(capsys.readouterr().out)
    assert shape["verdict"] == "pass"
    assert [leg["name"] for leg in shape["legs"]] == ["scan", "mi210", "mi250x", "mi300x", "mi325x"]


@pytest.mark.attack("17", "a required leg of the matrix that left no report")
@pytest.mark.parametrize(
    "asked", [["--require", "scan,mi999"], ["--require", "scan mi999"], ["--require", "mi999"]]
)
def test_a_required_leg_without_a_report_is_an_error(
    tmp_path: Path, asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["merge", laid(tmp_path, matrices.all_green()), *asked]) == 3

    assert "leg mi999 left no report" in capsys.readouterr().out.replace("\n", " ")


def test_required_legs_that_are_all_there_change_nothing(tmp_path: Path) -> None:
    assert main(["merge", laid(tmp_path, matrices.all_green()), "--require", "scan,mi210"]) == 0


def test_a_fault_of_the_change_is_told_before_a_lost_leg(tmp_path: Path) -> None:
    assert main(["merge", laid(tmp_path, matrices.one_bad_leg()), "--require", "mi999"]) == 1


def test_files_can_be_named_one_by_one(tmp_path: Path) -> None:
    laid(tmp_path, matrices.all_green())
    named = [f"{leg}={tmp_path}/rocm-ci-report-{leg}/report.json" for leg in ("scan", "mi210")]
    out = tmp_path / "out.json"

    assert main(["merge", *named, "--output", str(out)]) == 0

    assert [leg.name for leg in codec.decode(out.read_bytes()).legs] == ["scan", "mi210"]


def test_an_artifact_without_a_leg_in_its_name_is_the_run(tmp_path: Path) -> None:
    for place in ("rocm-ci-report", "rocm-ci-report-more"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "report.json").write_bytes(codec.encode(reports.green()))
    out = tmp_path / "out.json"

    assert main(["merge", str(tmp_path), "--output", str(out)]) == 0

    assert [leg.name for leg in codec.decode(out.read_bytes()).legs] == ["more", "run"]


def test_one_artifact_alone_lies_in_the_folder_itself(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(codec.encode(reports.red()))

    assert main(["merge", str(tmp_path)]) == 1


@pytest.mark.attack("4", "the artifact of one leg is no report, and those of the others are green")
@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"version": 99}'])
def test_a_report_that_cannot_be_read_is_an_error_of_its_leg(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = laid(tmp_path, matrices.all_green())
    (tmp_path / "rocm-ci-report-mi210" / "report.json").write_bytes(content)

    assert main(["merge", folder]) == 3

    assert "leg mi210 left no report: the report" in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.attack("4", "links and pipes among the artifacts of a matrix")
@pytest.mark.parametrize("how", ["a link", "a link to the folder", "a pipe", "a folder"])
def test_what_is_no_regular_file_is_not_read(
    tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = laid(tmp_path / "in", matrices.all_green())
    place = tmp_path / "in" / "rocm-ci-report-mi210"
    target = place / "report.json"
    target.rename(tmp_path / "report.json")
    if how == "a link":
        target.symlink_to(tmp_path / "report.json")
    elif how == "a link to the folder":
        (place / "comment.md").unlink()
        place.rmdir()
        place.symlink_to(tmp_path)
    elif how == "a pipe":
        os.mkfifo(target)
    else:
        target.mkdir()

    assert main(["merge", folder]) == 3

    assert "leg mi210 left no report" in capsys.readouterr().out.replace("\n", " ")


def test_a_folder_without_any_report_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rocm-ci-reports").mkdir()

    assert main(["merge", str(tmp_path)]) == 2

    assert "there is no rocm-ci-report-LEG/report.json" in capsys.readouterr().err


def test_a_folder_that_is_not_there_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", str(tmp_path / "none")]) == 2

    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("asked", ["../x", "-x y", "a|b", "x" * 41])
def test_a_required_leg_has_a_name(tmp_path: Path, asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", laid(tmp_path, matrices.all_green()), f"--require={asked}"]) == 2

    assert "is no name of a leg" in capsys.readouterr().err


def test_reports_of_different_commits_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    event = msgspec.structs.replace(reports.EVENT, head="e" * 40)
    other = msgspec.structs.replace(reports.green(), event=event)

    assert main(["merge", laid(tmp_path, [("a", reports.green()), ("b", other)])]) == 2

    assert "merge reports of one run only" in capsys.readouterr().err


def test_an_undecided_run_blocks_where_the_configuration_says_so(tmp_path: Path) -> None:
    strict = Setting(name="inconclusive", value="fail", source="rocm-ci.yml")
    parts = [
        ("a", matrices.on(reports.green())),
        ("b", msgspec.structs.replace(matrices.on(reports.undecided()), settings=(strict,))),
    ]

    assert merged(parts).verdict is Verdict.INCONCLUSIVE
    assert main(["merge", laid(tmp_path / "strict", parts)]) == 1
    parts[1] = ("b", msgspec.structs.replace(parts[1][1], settings=()))
    assert main(["merge", laid(tmp_path / "lenient", parts)]) == 0


def test_a_workflow_gets_a_summary_and_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary, outputs = tmp_path / "summary.md", tmp_path / "outputs"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_OUTPUT", str(outputs))

    main(["merge", laid(tmp_path / "in", matrices.one_bad_leg())])

    assert summary.read_text(encoding="utf-8").startswith("## ❌ ROCm CI: this change fails 1 test")
    assert "verdict" in outputs.read_text(encoding="utf-8")
    assert "fail" in outputs.read_text(encoding="utf-8")
