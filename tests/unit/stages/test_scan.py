"""The scan stage: what its findings mean for the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from rocm_ci.config.options import Config, ScanOptions
from rocm_ci.context import Job
from rocm_ci.errors import ConfigError
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Facts
from rocm_ci.model.plan import Plan
from rocm_ci.model.verdict import Verdict
from rocm_ci.scan.baseline import of, written
from rocm_ci.scan.own_rules import FOLDER
from rocm_ci.stages.scan import run, verdict
from tests.fakes import FakeRunner, context
from tests.unit.scan.trees import added, scan_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rocm_ci.model.result import ScanResult

ERROR = "cudaFree(0);\n"
WARNING = "__AMDGCN_WAVEFRONT_SIZE;\n"
NOTE = "__syncwarp();\n"


def job(path: str, lines: int, options: ScanOptions) -> Job:
    return Job(
        event=Event(kind=EventKind.LOCAL, head="0" * 40),
        config=Config(scan=options),
        changes=added(path, (1, lines)),
        facts=Facts(),
        plan=Plan(steps=()),
        done={},
    )


@pytest.mark.parametrize(
    ("text", "fail_on", "verdict"),
    [
        (ERROR, "error", Verdict.FAIL),
        (WARNING, "error", Verdict.NEUTRAL),
        (WARNING, "warning", Verdict.FAIL),
        (NOTE, "error", Verdict.PASS),
        (NOTE, "note", Verdict.FAIL),
        (ERROR, "never", Verdict.NEUTRAL),
        ("int fine;\n", "note", Verdict.PASS),
    ],
)
def test_the_worst_finding_and_the_configured_bound_decide(
    tmp_path: Path, text: str, fail_on: str, verdict: Verdict
) -> None:
    (tmp_path / "a.hip").write_text(text)
    options = ScanOptions(fail_on=fail_on)  # type: ignore[arg-type]

    assert run(context(tmp_path), job("a.hip", 1, options)).verdict is verdict


def test_the_reason_counts_what_was_found(tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text(
        ERROR * 2 + WARNING + "cudaFree(0); // rocm-ci: allow cuda-runtime-api the old branch needs it\n"
    )
    result = run(context(tmp_path), job("a.hip", 4, ScanOptions()))

    assert result.reason == "2 errors, 1 warning, 1 suppressed"
    assert (result.files, result.suppressed, len(result.findings)) == (1, 1, 3)


BASELINE = ".github/rocm-ci-baseline.json"


def with_base(tmp_path: Path, base: str, *, is_fork: bool, rules: tuple[str, ...] = ()) -> ScanResult:
    """A change that adds a known finding, with a baseline at the head that knows it."""
    (tmp_path / "a.hip").write_text(ERROR)
    known = of(scan_all({"a.hip": ERROR}).findings, BASELINE)
    (tmp_path / ".github").mkdir(exist_ok=True)
    (tmp_path / BASELINE).write_text(written(known))
    one = job("a.hip", 1, ScanOptions())
    event = Event(kind=EventKind.PULL_REQUEST, head="0" * 40, merge_base="1" * 40, is_fork=is_fork)
    ctx = context(tmp_path, Repository({"git": (0, base) if base else (128, "")}, rules=rules))
    return run(ctx, replace(one, event=event))


@dataclass
class Repository(FakeRunner):
    """Git with files at the merge base; `rules` names those in the folder of a project's own rules."""

    rules: tuple[str, ...] = ()

    def _answer(self, argv: Sequence[str], env: Mapping[str, str] | None) -> tuple[int, str]:
        answer = super()._answer(argv, env)
        return (0, "".join(f"{FOLDER}/{name}\0" for name in self.rules)) if "ls-tree" in argv else answer


def test_a_fork_is_held_to_the_rules_of_the_merge_base(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"{FOLDER}/old.yaml"):
        with_base(tmp_path, written(of((), BASELINE)), is_fork=True, rules=("old.yaml",))


def test_the_rules_that_a_trusted_change_brings_count(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "new.yaml").write_text("no rule")

    with pytest.raises(ConfigError, match=f"{FOLDER}/new.yaml"):
        with_base(tmp_path, "", is_fork=False)


def test_a_fork_cannot_bring_its_own_baseline(tmp_path: Path) -> None:
    result = with_base(tmp_path, "", is_fork=True)

    assert (result.verdict, result.baselined) == (Verdict.FAIL, 0)
    assert "is taken from the merge base" in result.notices[0]


def test_the_baseline_of_the_base_holds_for_a_fork(tmp_path: Path) -> None:
    base = written(of(scan_all({"a.hip": ERROR}).findings, BASELINE))
    result = with_base(tmp_path, base, is_fork=True)

    assert (result.verdict, result.baselined, result.notices) == (Verdict.PASS, 1, ())
    assert result.reason == "1 in the baseline"


def test_a_baseline_that_a_trusted_change_brings_counts_and_is_told(tmp_path: Path) -> None:
    result = with_base(tmp_path, "", is_fork=False)

    assert (result.verdict, result.baselined) == (Verdict.PASS, 1)
    assert result.notices == (f"This change alters {BASELINE}: it knows 1 finding more.",)


def test_what_was_given_up_is_undecided_unless_it_fails_anyway() -> None:
    (error,) = scan_all({"a.hip": ERROR}).findings

    assert verdict((), ScanOptions(), unfinished=True) is Verdict.INCONCLUSIVE
    assert verdict((error,), ScanOptions(), unfinished=True) is Verdict.FAIL
    assert verdict((error,), ScanOptions(fail_on="never"), unfinished=True) is Verdict.INCONCLUSIVE
