"""What each stage produced: a tagged union, so that a consumer must handle every kind.

`leg` names the part of a matrix that a result comes from, once reports were merged; else it is empty.
"""

from __future__ import annotations

from typing import TypeAlias

from rocm_ci.model.base import Frozen
from rocm_ci.model.case import Case, Layer
from rocm_ci.model.diagnostic import Diagnosis, Diagnostic
from rocm_ci.model.finding import Finding
from rocm_ci.model.incident import Incident, Try
from rocm_ci.model.kernel import Kernel, KernelChange
from rocm_ci.model.perf import Comparison
from rocm_ci.model.plan import StageName
from rocm_ci.model.scan_note import ScanNote
from rocm_ci.model.verdict import Verdict


class Check(Frozen, frozen=True, kw_only=True):
    """One preflight check: what was seen, what is needed, how to get there."""

    id: str
    status: Verdict
    seen: str
    needed: str
    fix: str | None = None
    diagnoses: tuple[Diagnosis, ...] = ()


class PreflightResult(Frozen, frozen=True, kw_only=True, tag="preflight", tag_field="kind"):
    """Whether the machine can do what the plan asks."""

    verdict: Verdict
    duration_s: float
    reason: str = ""
    checks: tuple[Check, ...] = ()
    leg: str = ""


class ScanResult(Frozen, frozen=True, kw_only=True, tag="scan", tag_field="kind"):
    """Findings on added lines; `suppressed` were silenced in place. `notes`: what was not looked at.

    `baselined` were there when the baseline was written. `silenced` are both, each with who said so, as
    far as a report has room. `notices` are what a reader should know of the baseline.
    """

    verdict: Verdict
    duration_s: float
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    suppressed: int = 0
    files: int = 0
    notes: tuple[ScanNote, ...] = ()
    baselined: int = 0
    silenced: tuple[Finding, ...] = ()
    notices: tuple[str, ...] = ()
    leg: str = ""


class Artifact(Frozen, frozen=True, kw_only=True):
    """One built file and the GPU targets it holds code for."""

    path: str
    archs: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class BuildStep(Frozen, frozen=True, kw_only=True):
    """One build command. `log` is the path of the whole log, relative to the output folder."""

    name: str
    command: str
    verdict: Verdict
    duration_s: float
    exit_code: int | None = None
    reason: str = ""
    log: str | None = None
    excerpt: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    artifacts: tuple[Artifact, ...] = ()


class BuildResult(Frozen, frozen=True, kw_only=True, tag="build", tag_field="kind"):
    """All build commands in order, and the compiler that ran."""

    verdict: Verdict
    duration_s: float
    reason: str = ""
    compiler: str | None = None
    archs: tuple[str, ...] = ()
    detected: str | None = None
    steps: tuple[BuildStep, ...] = ()
    leg: str = ""


class KernelsResult(Frozen, frozen=True, kw_only=True, tag="kernels", tag_field="kind"):
    """Register, spill and LDS use of every kernel in the artifacts."""

    verdict: Verdict
    duration_s: float
    reason: str = ""
    kernels: tuple[Kernel, ...] = ()
    changes: tuple[KernelChange, ...] = ()
    compared: bool = False
    leg: str = ""


class Suite(Frozen, frozen=True, kw_only=True):
    """One configured test command. A verdict other than PASS always has a reason.

    `unlisted` tests passed and are not in `cases`: a report that would else be too large leaves them out.
    `incidents` are what the machine did meanwhile, `tries` every run of the command, `shards` into how
    many parts it was split. `kept` are files worth a look (core dumps, kernel log), below the output folder.
    """

    name: str
    layer: Layer
    runner: str
    command: str
    verdict: Verdict
    duration_s: float
    reason: str = ""
    exit_code: int | None = None
    timed_out: bool = False
    log: str | None = None
    excerpt: str | None = None
    cases: tuple[Case, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    gpus: int = 0
    unlisted: int = 0
    shards: int = 1
    incidents: tuple[Incident, ...] = ()
    tries: tuple[Try, ...] = ()
    kept: tuple[str, ...] = ()


class TestResult(Frozen, frozen=True, kw_only=True, tag="test", tag_field="kind"):
    """All suites in order."""

    __test__ = False

    verdict: Verdict
    duration_s: float
    reason: str = ""
    suites: tuple[Suite, ...] = ()
    leg: str = ""


class Bench(Frozen, frozen=True, kw_only=True):
    """One configured benchmark, measured on both sides."""

    name: str
    command: str
    verdict: Verdict
    duration_s: float
    reason: str = ""
    rounds: int = 0
    log: str | None = None
    comparisons: tuple[Comparison, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()


class PerfResult(Frozen, frozen=True, kw_only=True, tag="perf", tag_field="kind"):
    """All benchmarks in order, compared with the merge base."""

    verdict: Verdict
    duration_s: float
    reason: str = ""
    base: str | None = None
    benches: tuple[Bench, ...] = ()
    leg: str = ""


class Skipped(Frozen, frozen=True, kw_only=True, tag="skipped", tag_field="kind"):
    """A stage that did not run, and why."""

    stage: StageName
    reason: str
    verdict: Verdict = Verdict.SKIPPED
    duration_s: float = 0.0
    leg: str = ""


class Crashed(Frozen, frozen=True, kw_only=True, tag="crashed", tag_field="kind"):
    """A stage that ended by a defect of rocm-ci, an infrastructure fault or an interruption."""

    stage: StageName
    reason: str
    traceback: str | None = None
    verdict: Verdict = Verdict.ERROR
    duration_s: float = 0.0
    leg: str = ""


StageResult: TypeAlias = (
    PreflightResult | ScanResult | BuildResult | KernelsResult | TestResult | PerfResult | Skipped | Crashed
)


def stage_of(result: StageResult) -> StageName:
    """The stage a result belongs to."""
    match result:
        case PreflightResult():
            return StageName.PREFLIGHT
        case ScanResult():
            return StageName.SCAN
        case BuildResult():
            return StageName.BUILD
        case KernelsResult():
            return StageName.KERNELS
        case TestResult():
            return StageName.TEST
        case PerfResult():
            return StageName.PERF
        case Skipped(stage=stage) | Crashed(stage=stage):
            return stage
