"""`rocm-ci perf compare` on files that do not fit together."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner

from rocm_ci.cli.perf import command

if TYPE_CHECKING:
    from pathlib import Path


def result(path: Path, **times: tuple[float, str]) -> str:
    entries = [{"name": n, "real_time": took, "time_unit": unit} for n, (took, unit) in times.items()]
    path.write_text(json.dumps({"benchmarks": entries}))
    return str(path)


def test_two_files_with_different_units_are_compared_in_one(tmp_path: Path) -> None:
    base = result(tmp_path / "base.json", f=(100.0, "ns"), gone=(1.0, "ns"))
    head = result(tmp_path / "head.json", f=(0.11, "us"), new=(1.0, "ns"))
    done = CliRunner().invoke(command, ["compare", base, head, "--format", "json"])

    (only,) = json.loads(done.stdout)["series"]
    assert (only["name"], only["unit"], round(only["effect_pct"])) == ("f", "us", 10)
    assert "gone is not compared" in done.stderr
    assert "new is not compared" in done.stderr


def test_a_samples_file_without_series_says_so(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"version": 1, "series": []}')
    done = CliRunner().invoke(command, ["compare", "--samples", str(tmp_path / "s.json")])

    assert done.stdout == "nothing to compare\n"


def test_a_bound_below_zero_is_refused() -> None:
    assert CliRunner().invoke(command, ["compare", "--min-effect", "-1", "a", "b"]).exit_code == 2
