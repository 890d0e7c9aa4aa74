"""The demo is the product's promise: what its comment must name, with the real hipcc."""

from __future__ import annotations

import html
import os
import shutil
from pathlib import Path

import pytest

from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.report import Report
from rocm_ci.model.result import BuildResult, PerfResult, ScanResult, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import codec
from tests import require
from tests.e2e.command import Outcome, rocm_ci


def demo(folder: Path, **environment: str) -> tuple[Outcome, Report, str]:
    done = rocm_ci("demo", "--output", "out", cwd=folder, **environment)
    report = codec.decode((folder / "out" / "report.json").read_bytes())
    return done, report, html.unescape((folder / "out" / "comment.md").read_text())


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Report, str]:
    require.hipcc()
    return demo(tmp_path_factory.mktemp("demo"))


pytestmark = pytest.mark.build


def test_it_fails_the_planted_change(story: tuple[Outcome, Report, str]) -> None:
    done, report, _ = story

    assert done.code == 1, done.err
    assert report.verdict is Verdict.FAIL


def test_the_planted_leftovers_are_named_with_their_lines(story: tuple[Outcome, Report, str]) -> None:
    _, report, comment = story
    (scan,) = [r for r in report.results if isinstance(r, ScanResult)]
    source = Path("examples/saxpy/pull-request")
    planted = {
        "CMakeLists.txt": "/usr/local/cuda",
        "Dockerfile": "nvidia/cuda",
        "requirements.txt": "+cu124",
        "scripts/devices.py": "libcudart.so",
        "src/device.hip": "kWarpSize = 32",
    }
    for path, text in planted.items():
        line = next(n for n, t in enumerate((source / path).read_text().splitlines(), 1) if text in t)
        assert (path, line) in {(f.path, f.line) for f in scan.findings}
        assert f"{path}:{line}" in comment
    smi = next(
        n
        for n, t in enumerate((source / "scripts/devices.py").read_text().splitlines(), 1)
        if "nvidia-smi" in t
    )
    assert ("scripts/devices.py", smi) in {(f.path, f.line) for f in scan.findings}


def test_only_added_lines_are_blamed(story: tuple[Outcome, Report, str]) -> None:
    _, report, _ = story
    (scan,) = [r for r in report.results if isinstance(r, ScanResult)]
    base, head = Path("examples/saxpy/base"), Path("examples/saxpy/pull-request")
    for finding in scan.findings:
        old = (base / finding.path).read_text().splitlines() if (base / finding.path).exists() else []
        assert (head / finding.path).read_text().splitlines()[finding.line - 1] not in old


def test_the_real_compiler_built_code_for_the_declared_target(story: tuple[Outcome, Report, str]) -> None:
    _, report, comment = story
    (build,) = [r for r in report.results if isinstance(r, BuildResult)]

    assert build.verdict is Verdict.PASS
    assert [a.archs for s in build.steps for a in s.artifacts] == [("gfx90a",)]
    assert "gfx90a" in comment


def test_the_broken_test_is_named_with_a_command_to_repeat_it(story: tuple[Outcome, Report, str]) -> None:
    _, report, comment = story
    (tests,) = [r for r in report.results if isinstance(r, TestResult)]
    failed = [c for s in tests.suites for c in s.cases if c.status.value == "failed"]

    assert [c.name for c in failed] == ["RowSum.CountsTheTailOfARow"]
    assert failed[0].reproduce
    assert "RowSum.CountsTheTailOfARow" in comment
    assert {s.name: s.verdict for s in tests.suites} == {
        "unit": Verdict.FAIL,
        "python": Verdict.PASS,
        "device": Verdict.SKIPPED,
    }


def test_the_slowed_function_is_a_regression_and_the_untouched_one_is_not(
    story: tuple[Outcome, Report, str],
) -> None:
    _, report, comment = story
    (perf,) = [r for r in report.results if isinstance(r, PerfResult)]
    found = {c.name: c for b in perf.benches for c in b.comparisons}

    assert found["saxpy/131072"].verdict is PerfVerdict.REGRESSION
    assert found["max_abs/131072"].verdict is not PerfVerdict.REGRESSION
    assert "saxpy/131072" in comment


def test_the_machine_is_named(story: tuple[Outcome, Report, str]) -> None:
    _, report, comment = story

    assert report.facts.host.os
    assert report.facts.host.os.split(" ")[0] in comment
    assert "no AMD GPU" in comment or report.facts.gpus


def test_the_comment_stands_on_the_screen(story: tuple[Outcome, Report, str]) -> None:
    done, _, _ = story

    for word in ("ROCm CI", "device.hip", "RowSum.CountsTheTailOfARow", "saxpy/131072"):
        assert word in done.out


def test_without_hipcc_it_says_how_to_get_it_and_shows_the_rest(tmp_path: Path) -> None:
    """A PATH that has everything but hipcc, as on a machine where nothing may be installed."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for folder in os.environ["PATH"].split(":"):
        for program in Path(folder).glob("*") if Path(folder).is_dir() else ():
            link = tools / program.name
            if "hip" not in program.name and not link.exists() and os.access(program, os.X_OK):
                link.symlink_to(program.resolve())
    assert shutil.which("cmake", path=str(tools))
    done, report, comment = demo(tmp_path, PATH=str(tools))

    assert done.code == 1, done.err
    assert "apt-get install hipcc" in done.err
    assert report.verdict is Verdict.FAIL
    for word in ("device.hip", "RowSum.CountsTheTailOfARow", "saxpy/131072"):
        assert word in comment
