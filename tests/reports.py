"""Finished reports in every mood, for whoever shows or posts them."""

from __future__ import annotations

from typing import Any

import msgspec

from rocm_ci.model.case import Case, CaseStatus, Layer
from rocm_ci.model.diagnostic import Category, Diagnosis, Diagnostic
from rocm_ci.model.event import Event, EventKind
from rocm_ci.model.facts import Driver, Facts, Gpu, Host, Rocm, Unknown
from rocm_ci.model.finding import Finding, Severity, Topic
from rocm_ci.model.incident import Incident, IncidentKind, Try
from rocm_ci.model.kernel import Kernel, KernelChange
from rocm_ci.model.perf import Comparison, PerfVerdict
from rocm_ci.model.plan import Plan, StageName, Step
from rocm_ci.model.report import Report, Setting, verdict_of
from rocm_ci.model.result import (
    Artifact,
    Bench,
    BuildResult,
    BuildStep,
    Check,
    Crashed,
    KernelsResult,
    PerfResult,
    PreflightResult,
    ScanResult,
    Skipped,
    StageResult,
    Suite,
    TestResult,
    stage_of,
)
from rocm_ci.model.verdict import Verdict

HEAD = "9d1e0b7c" + "1a2b3c4d" * 4
MERGE_BASE = "3f2c1abd" + "0f1e2d3c" * 4

EVENT = Event(
    kind=EventKind.PULL_REQUEST,
    repository="acme/wavekit",
    head=HEAD,
    base=MERGE_BASE,
    merge_base=MERGE_BASE,
    base_ref="main",
    head_ref="faster-reduce",
    number=42,
    title="Faster row sums",
    is_fork=True,
    run_id=1234,
    run_attempt=1,
)

MI300X = Gpu(
    index=0,
    name="AMD Instinct MI300X",
    gfx="gfx942",
    compute_units=304,
    vram_bytes=192 * 1024**3,
    device_id="0x74a1",
    bus="0000:05:00.0",
    lds_bytes=65_536,
    wave_size=64,
    firmware={"bundle": "01.25.17"},
    compute_partition="SPX",
    memory_partition="NPS1",
    power_cap_w=750,
)

FACTS = Facts(
    host=Host(
        os="Ubuntu 24.04.3 LTS",
        kernel="6.8.0-60-generic",
        architecture="x86_64",
        cpu="AMD EPYC 9654 96-Core Processor",
        cpus=24,
        memory_bytes=256 * 1024**3,
        container="docker",
        image="acme/rocm-ci@sha256:1c9d5e",
        python="3.12.3",
    ),
    driver=Driver(loaded=True, version="6.12.12", built_in=False, source="/sys/module/amdgpu/version"),
    rocm=Rocm(
        version="6.4.1",
        root="/opt/rocm",
        hip="6.4.43483",
        hipcc="6.4.43483",
        clang="19.0.0",
        torch="2.8.0+rocm6.4",
        torch_hip="6.4.43483",
    ),
    gpus=(MI300X,),
    tools={"cmake": "3.31.6", "ninja": "1.12.1", "ccache": "4.10"},
    hardware_key="gfx942-mi300x-spx-nps1-750w-rocm6.4.1-amdgpu6.12.12",
    unknown=(Unknown(name="gpus[0].vbios", reason="amd-smi says N/A inside a container"),),
)

NO_GPU = msgspec.structs.replace(
    FACTS,
    driver=Driver(loaded=False),
    gpus=(),
    hardware_key="no-gpu",
    unknown=(Unknown(name="gpus", reason="/dev/kfd is not here"),),
)

PLAN = Plan(steps=tuple(Step(stage=stage, run=True, reason="configured") for stage in StageName))


def report(*results: StageResult, **changes: object) -> Report:
    """A report over the given results; the stages that are not given were not in the plan."""
    given = {stage_of(result) for result in results}
    plan = changes.pop("plan", None)
    if not isinstance(plan, Plan):
        steps = (
            Step(stage=s, run=s in given, reason="configured" if s in given else "not in `stages`")
            for s in StageName
        )
        plan = Plan(steps=tuple(steps))
    filled = {
        stage: Skipped(stage=stage, reason="not in `stages`") for stage in StageName if stage not in given
    }
    whole: dict[StageName, StageResult] = {**filled, **{stage_of(result): result for result in results}}
    ordered = tuple(whole[stage] for stage in StageName)
    interrupted = bool(changes.get("interrupted"))
    made = Report(
        tool="rocm-ci 0.1.0",
        event=EVENT,
        plan=plan,
        facts=FACTS,
        results=ordered,
        verdict=verdict_of(ordered, plan, interrupted=interrupted),
        started="2026-11-30T13:54:07Z",
        duration_s=482.0,
    )
    return msgspec.structs.replace(made, **changes)


def preflight(verdict: Verdict = Verdict.PASS, *checks: Check, reason: str = "") -> PreflightResult:
    healthy = Check(id="kfd", status=Verdict.PASS, seen="/dev/kfd is usable", needed="a usable /dev/kfd")
    return PreflightResult(verdict=verdict, duration_s=0.2, reason=reason, checks=(healthy, *checks))


def finding(**changes: object) -> Finding:
    base = Finding(
        rule="warp-mask-32",
        topic=Topic.WARP_SIZE,
        severity=Severity.ERROR,
        path="csrc/reduce.hip",
        line=41,
        column=27,
        end=37,
        message="32-lane mask on a 64-lane wave: half of the lanes never take part",
        fix="Use a 64-bit mask, or better a wave-wide helper that asks for the wave size.",
        docs="https://github.com/org/rocm-ci/blob/main/docs/rules/warp-mask-32.md",
        replacement="0xffffffffffffffffull",
    )
    return msgspec.structs.replace(base, **changes)


def scan(*findings: Finding, verdict: Verdict | None = None, suppressed: int = 0) -> ScanResult:
    worst_one = any(f.severity is Severity.ERROR for f in findings)
    green = Verdict.NEUTRAL if findings else Verdict.PASS
    return ScanResult(
        verdict=verdict or (Verdict.FAIL if worst_one else green),
        duration_s=0.31,
        findings=findings,
        suppressed=suppressed,
        files=7,
    )


def build(*diagnostics: Diagnostic, verdict: Verdict = Verdict.PASS, **changes: object) -> BuildResult:
    artifacts = (Artifact(path="build/libwavekit.so", archs=("gfx90a", "gfx942")),)
    step = BuildStep(
        name="kernels",
        command="cmake -B build -DCMAKE_HIP_ARCHITECTURES='gfx90a;gfx942' && cmake --build build -j24",
        verdict=verdict,
        duration_s=72.4,
        exit_code=0 if verdict is Verdict.PASS else 2,
        log="logs/build-kernels.log",
        diagnostics=diagnostics,
        artifacts=artifacts if verdict is Verdict.PASS else (),
    )
    return BuildResult(
        verdict=verdict,
        duration_s=72.4,
        compiler="hipcc 6.4.43483",
        archs=("gfx90a", "gfx942"),
        steps=(msgspec.structs.replace(step, **changes),),
    )


def case(name: str, status: CaseStatus = CaseStatus.PASSED, **changes: object) -> Case:
    made = Case(id=f"tests.test_reduce::{name}", suite="unit", name=name, status=status, duration_s=0.21)
    return msgspec.structs.replace(made, **changes)


def suite(*cases: Case, verdict: Verdict = Verdict.PASS, **changes: object) -> Suite:
    made = Suite(
        name="unit",
        layer=Layer.UNIT,
        runner="pytest",
        command="pytest tests/unit --junit-xml={junit}",
        verdict=verdict,
        duration_s=48.0,
        exit_code=0 if verdict is Verdict.PASS else 1,
        log="logs/test-unit.log",
        cases=cases,
        gpus=1,
    )
    return msgspec.structs.replace(made, **changes)


def suites(*given: Suite) -> TestResult:
    verdict = max((s.verdict for s in given), default=Verdict.SKIPPED)
    return TestResult(verdict=verdict, duration_s=sum(s.duration_s for s in given), suites=given)


def passing(count: int, name: str = "test_case") -> tuple[Case, ...]:
    return tuple(case(f"{name}[{n}]") for n in range(count))


def comparison(name: str, verdict: PerfVerdict = PerfVerdict.UNCHANGED, **changes: object) -> Comparison:
    made = Comparison(
        name=name,
        verdict=verdict,
        unit="ms",
        base_median=1.31,
        head_median=1.312,
        effect_pct=0.2,
        interval_pct=(-0.6, 0.9),
        p=0.41,
        rounds=12,
        detects_pct=1.9,
    )
    return msgspec.structs.replace(made, **changes)


def perf(*comparisons: Comparison, verdict: Verdict = Verdict.PASS, **changes: object) -> PerfResult:
    bench = Bench(
        name="reduce",
        command="./build/bench --benchmark_out={out}",
        verdict=verdict,
        duration_s=220.0,
        rounds=12,
        log="logs/perf-reduce.log",
        comparisons=comparisons,
    )
    made = msgspec.structs.replace(bench, **changes)
    return PerfResult(verdict=verdict, duration_s=220.0, base=MERGE_BASE, benches=(made,))


def kernel(name: str = "void row_sum<float>(float const*, float*, int)", **changes: object) -> Kernel:
    made = Kernel(
        name=name,
        arch="gfx90a",
        artifact="build/libwavekit.so",
        vgpr=128,
        agpr=0,
        sgpr=36,
        vgpr_spills=0,
        sgpr_spills=0,
        lds_bytes=16_384,
        scratch_bytes=0,
        wave_size=64,
        occupancy=4,
    )
    return msgspec.structs.replace(made, **changes)


def kernels(*changes: KernelChange, verdict: Verdict = Verdict.PASS) -> KernelsResult:
    found = (kernel(), kernel(arch="gfx942", vgpr=96, occupancy=5))
    return KernelsResult(verdict=verdict, duration_s=0.2, kernels=found, changes=changes, compared=True)


def green() -> Report:
    """Everything ran on a real GPU and is fine."""
    benches = tuple(comparison(f"row_sum/{2**n}") for n in range(8, 14))
    integration = suite(
        *passing(36, "test_pipeline"), name="integration", layer=Layer.INTEGRATION, duration_s=125.0
    )
    return report(
        preflight(),
        scan(suppressed=1),
        build(),
        kernels(),
        suites(suite(*passing(212)), integration),
        perf(*benches),
    )


def red() -> Report:
    """The change is at fault in every stage; the machine is healthy."""
    failed = case(
        "test_row_sum[4096]",
        CaseStatus.FAILED,
        message="AssertionError: max error 0.48, bound 1e-5",
        excerpt="    def test_row_sum(n):\n>       assert error < 1e-5\nE       AssertionError: max error 0.48, bound 1e-5\n\ntests/test_reduce.py:88: AssertionError",
        path="tests/test_reduce.py",
        line=88,
        reproduce="pytest 'tests/test_reduce.py::test_row_sum[4096]'",
    )
    skipped = tuple(case(f"test_fp8[{n}]", CaseStatus.SKIPPED, message="needs gfx950") for n in range(3))
    flaky = case("test_stream_order", CaseStatus.FLAKY, attempts=2, message="timed out waiting for event")
    cause = Diagnosis(
        id="wave32-assumption",
        category=Category.NUMERIC,
        line=212,
        title="Only half of each wave takes part",
        cause="a 32-lane reduction leaves out lanes 32 to 63 of a 64-lane wave",
        fixes=("reduce over `warpSize` lanes",),
        confidence=0.8,
        references=("https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_porting_guide.html",),
    )
    warning = Diagnostic(
        tool="clang",
        severity=Severity.WARNING,
        message="unused variable 'lane' [-Wunused-variable]",
        path="csrc/reduce.hip",
        line=38,
        column=9,
        arch="gfx90a",
        log_line=77,
    )
    slower = comparison(
        "row_sum/4096",
        PerfVerdict.REGRESSION,
        base_median=1.31,
        head_median=1.42,
        effect_pct=8.4,
        interval_pct=(7.6, 9.1),
        p=0.0002,
        reason="12 paired rounds on the same GPU, confirmed by a second measurement",
    )
    spill = KernelChange(
        name=kernel().name, arch="gfx90a", metric="vgpr_spills", base=0, head=12, is_regression=True
    )
    findings = (
        finding(),
        finding(
            rule="cuda-runtime-include",
            topic=Topic.CUDA_INCLUDE,
            line=3,
            column=10,
            end=26,
            message="CUDA runtime header, which hipcc does not ship",
            fix="#include <hip/hip_runtime.h>",
            docs=None,
            replacement="hip/hip_runtime.h",
        ),
        finding(
            rule="hardcoded-cuda-path",
            topic=Topic.HARDCODED_PATH,
            severity=Severity.WARNING,
            path="setup.py",
            line=12,
            message="/usr/local/cuda is written into the build",
            fix="Ask `torch.utils.cpp_extension.ROCM_HOME`.",
            replacement=None,
        ),
    )
    integration = suite(
        *passing(36, "test_pipeline"),
        flaky,
        name="integration",
        layer=Layer.INTEGRATION,
        duration_s=125.0,
        verdict=Verdict.NEUTRAL,
        reason="1 test passed only on a retry",
    )
    return report(
        preflight(),
        scan(*findings),
        build(warning),
        kernels(spill, verdict=Verdict.NEUTRAL),
        suites(
            suite(
                failed,
                *skipped,
                *passing(211),
                verdict=Verdict.FAIL,
                reason="1 test failed",
                diagnoses=(cause,),
            ),
            integration,
        ),
        perf(
            slower,
            *(comparison(f"row_sum/{2**n}") for n in range(8, 12)),
            verdict=Verdict.FAIL,
            reason="1 benchmark became slower",
        ),
        settings=(Setting(name="arch", value="gfx90a, gfx942", source=".github/rocm-ci.yml"),),
        notices=("The configuration is taken from the merge base for what guards the branch: scan.",),
    )


def broken_build() -> Report:
    """The change does not compile; the stages behind the build were not run."""
    error = Diagnostic(
        tool="clang",
        severity=Severity.ERROR,
        message="use of undeclared identifier '__shfl_down_sync'",
        path="csrc/reduce.hip",
        line=52,
        column=14,
        arch="gfx90a",
        log_line=118,
    )
    cause = Diagnosis(
        id="shfl-sync-missing",
        category=Category.COMPILE,
        line=118,
        title="`__shfl_down_sync` needs ROCm 7, or `__shfl_down`",
        cause="the _sync shuffles came with ROCm 7.0; older headers have only the plain ones",
        fixes=("call `__shfl_down(value, delta)`", "build with ROCm 7.0 or newer"),
        confidence=0.9,
    )
    failed = build(
        error,
        verdict=Verdict.FAIL,
        reason="cmake --build ended with exit code 2",
        excerpt="[3/9] Building HIP object reduce.hip.o\ncsrc/reduce.hip:52:14: error: use of undeclared identifier '__shfl_down_sync'\nninja: build stopped: subcommand failed.",
        diagnoses=(cause,),
    )
    behind = tuple(
        Skipped(stage=stage, reason="the build failed")
        for stage in (StageName.KERNELS, StageName.TEST, StageName.PERF)
    )
    return report(preflight(), scan(), failed, *behind, plan=PLAN)


def infra() -> Report:
    """The GPU hung: nobody's fault but the machine's."""
    hung = suite(
        *passing(140),
        verdict=Verdict.ERROR,
        reason="GPU 0 hung (amdgpu: ring gfx_0.0.0 timeout) and the driver reset it",
        exit_code=-6,
        excerpt="HW Exception by GPU node-1 (Agent handle: 0x55d0) reason: GPU Hang",
    )
    check = Check(
        id="gpu-reset",
        status=Verdict.ERROR,
        seen="GPU 0 was reset 2 times in the last hour",
        needed="no reset since boot",
        fix="take this runner out of service and look at `dmesg`",
    )
    return report(
        preflight(Verdict.ERROR, check, reason="GPU 0 was reset 2 times in the last hour"),
        scan(),
        build(),
        kernels(),
        suites(hung),
        Skipped(stage=StageName.PERF, reason="the GPU is not healthy"),
        plan=PLAN,
    )


def undecided() -> Report:
    """The speed could not be told apart from noise."""
    noisy = tuple(
        comparison(
            name,
            PerfVerdict.INCONCLUSIVE,
            base_median=2.10,
            head_median=2.165,
            effect_pct=3.1,
            interval_pct=(-1.2, 6.9),
            p=0.07,
            detects_pct=4.2,
            reason="the noise of this run hides anything below 4.2 %",
        )
        for name in ("row_sum/1024", "row_sum/2048")
    )
    steady = tuple(comparison(f"row_sum/{2**n}") for n in range(12, 16))
    return report(
        preflight(),
        scan(),
        build(),
        kernels(),
        suites(suite(*passing(212))),
        perf(*noisy, *steady, verdict=Verdict.INCONCLUSIVE, reason="2 benchmarks could not be decided"),
    )


def interrupted() -> Report:
    """The job was cancelled while the tests ran."""
    stopped = Crashed(stage=StageName.TEST, reason="interrupted: SIGTERM", duration_s=31.0)
    return report(
        preflight(),
        scan(),
        build(),
        kernels(),
        stopped,
        Skipped(stage=StageName.PERF, reason="the run was interrupted"),
        plan=PLAN,
        interrupted=True,
    )


def both() -> Report:
    """The change breaks a test, and the machine failed too."""
    crashed = Crashed(stage=StageName.PERF, reason="/dev/kfd vanished during the measurement", duration_s=3.0)
    kept = tuple(r for r in red().results if stage_of(r) is not StageName.PERF)
    return report(*kept, crashed, plan=PLAN)


def documentation() -> Report:
    """Nothing to test, and the plan says why."""
    reason = "only documentation changed"
    plan = Plan(
        steps=tuple(Step(stage=stage, run=False, reason=reason) for stage in StageName), neutral_reason=reason
    )
    return report(*(Skipped(stage=stage, reason=reason) for stage in StageName), plan=plan, duration_s=0.4)


def nothing_ran() -> Report:
    """All stages were switched off: that is never green."""
    return report()


def defect() -> Report:
    """rocm-ci itself failed in one stage."""
    crashed = Crashed(
        stage=StageName.KERNELS,
        reason="rocm-ci itself failed: KeyError: 'amdhsa.kernels'",
        traceback="Traceback (most recent call last):\n  File \"metadata.py\", line 9\nKeyError: 'amdhsa.kernels'",
    )
    return report(preflight(), scan(), build(), crashed, suites(suite(*passing(3))))


HUNG = Incident(
    kind=IncidentKind.GPU_HANG,
    text="GPU 2 (AMD Instinct MI300X, 0000:26:00.0) hung: ring comp_1.1.0 timeout, then a reset",
    source="kernel log",
    gpu="GPU 2 (AMD Instinct MI300X, 0000:26:00.0)",
    is_gpu=True,
)


def mended() -> Report:
    """A GPU hung under a suite, which passed on another one: told, and held against nobody."""
    other = "GPU 5 (AMD Instinct MI300X, 0000:a6:00.0)"
    repeated = suite(
        *passing(140),
        verdict=Verdict.NEUTRAL,
        reason=f"GPU 2 hung: repeated on {other}, passed there",
        incidents=(HUNG,),
        tries=(
            Try(
                number=1,
                why="first run",
                duration_s=31.0,
                exit_code=-6,
                gpus=(HUNG.gpu or "",),
                outcome="hung",
            ),
            Try(
                number=2, why="on another GPU", duration_s=48.0, exit_code=0, gpus=(other,), outcome="passed"
            ),
        ),
        kept=("logs/test-unit.kernel.log",),
    )
    return report(preflight(), scan(), build(), kernels(), suites(repeated), perf(comparison("saxpy")))


def without_gpu() -> Report:
    """Green, as far as a machine without a GPU can tell."""
    skipped = suite(
        name="gpu",
        layer=Layer.SYSTEM,
        verdict=Verdict.SKIPPED,
        reason="this machine has no AMD GPU, and `require-gpu: false` allows that",
        duration_s=0.0,
        gpus=1,
    )
    made = report(preflight(), scan(), build(), kernels(), suites(suite(*passing(9), gpus=0), skipped))
    return msgspec.structs.replace(made, facts=NO_GPU)


def many(count: int) -> Report:
    """A test run of `count` tests, every tenth of them red, with long texts."""
    cases = tuple(
        case(
            f"test_shape[{n}-float16-{n % 7}]",
            CaseStatus.FAILED if n % 10 == 0 else CaseStatus.PASSED,
            message=f"AssertionError: tensors differ at index {n}" if n % 10 == 0 else None,
            excerpt="E   assert torch.allclose(a, b)\n" * 20 if n % 10 == 0 else None,
            reproduce=f"pytest 'tests/test_shape.py::test_shape[{n}]'" if n % 10 == 0 else None,
        )
        for n in range(count)
    )
    return report(
        preflight(), scan(), build(), suites(suite(*cases, verdict=Verdict.FAIL, reason="tests failed"))
    )


def with_every_text(report: Report, text: str) -> Report:
    """The report with every string replaced, but for the stamp of time."""

    def replaced(value: Any) -> Any:
        if isinstance(value, str):
            return text
        if isinstance(value, msgspec.Struct):
            fields = {name: replaced(getattr(value, name)) for name in value.__struct_fields__}
            return type(value)(**fields)
        if isinstance(value, tuple):
            return tuple(replaced(part) for part in value)
        if isinstance(value, dict):
            return {f"{text}{n}": replaced(part) for n, part in enumerate(value.values())}
        return value

    changed: Report = replaced(report)
    return changed


MOODS = {
    "green": green,
    "red": red,
    "broken-build": broken_build,
    "infra": infra,
    "undecided": undecided,
    "interrupted": interrupted,
    "both": both,
    "documentation": documentation,
    "nothing-ran": nothing_ran,
    "defect": defect,
    "without-gpu": without_gpu,
    "mended": mended,
}
