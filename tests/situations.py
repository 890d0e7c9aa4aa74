"""Four mornings of a maintainer: a report each, with its base, its history and its links, as in real life."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rocm_ci.model.case import Case, CaseStatus, Layer
from rocm_ci.model.kernel import KernelChange
from rocm_ci.model.past import Point
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.delta import delta
from rocm_ci.report.links import Links
from rocm_ci.report.markdown import render_comment
from rocm_ci.report.merge import merged
from rocm_ci.report.past import Past
from tests import reports

if TYPE_CHECKING:
    from rocm_ci.model.facts import Facts
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import Suite

LINKS = Links(
    repository="https://github.com/acme/wavekit",
    run="https://github.com/acme/wavekit/actions/runs/1234",
    commands=("/rocm-ci rerun-failed", "/rocm-ci help"),
)
FAIL, ERROR, PASS = Verdict.FAIL, Verdict.ERROR, Verdict.PASS

_MI210 = replace(
    reports.MI300X,
    name="AMD Instinct MI210",
    gfx="gfx90a",
    compute_units=104,
    vram_bytes=64 * 1024**3,
    device_id="0x740f",
    power_cap_w=300,
    compute_partition=None,
    memory_partition=None,
)
MI210: Facts = replace(reports.FACTS, gpus=(_MI210,), hardware_key="gfx90a-mi210-300w-rocm6.4.1")


@dataclass(frozen=True)
class Situation:
    """What a comment is made of."""

    report: Report
    past: Past

    @property
    def comment(self) -> str:
        """As it is posted."""
        return render_comment(self.report, links=LINKS, past=self.past)


def _named(*patterns: str, sizes: tuple[int, ...] = (64, 256, 1000, 1024, 4096)) -> tuple[Case, ...]:
    return tuple(reports.case(f"{pattern}[{size}]") for pattern in patterns for size in sizes)


def _unit(*cases: Case, **changes: object) -> Suite:
    given = _named(
        "test_row_sum", "test_row_max", "test_softmax", "test_layer_norm", "test_transpose", "test_scan"
    )
    mine = {case.name for case in cases}
    return reports.suite(*cases, *(c for c in given if c.name not in mine), **changes)  # type: ignore[arg-type]


def _integration(*cases: Case, **changes: object) -> Suite:
    given: dict[str, object] = {"name": "integration", "layer": Layer.INTEGRATION, "duration_s": 125.0}
    return reports.suite(
        *cases,
        *_named("test_pipeline", "test_streams", "test_graph_capture", sizes=(1, 2, 8)),
        **(given | changes),  # type: ignore[arg-type]
    )


def _benches(*changed: str) -> tuple[object, ...]:
    sizes = (
        "row_sum/256",
        "row_sum/1024",
        "row_max/1024",
        "softmax/4096",
        "layer_norm/1024",
        "transpose/2048",
    )
    return tuple(reports.comparison(name) for name in sizes if name not in changed)


def _base() -> Report:
    """The last report of `main`."""
    lazy = reports.case("test_fp8[e4m3]", CaseStatus.SKIPPED, message="needs gfx950")
    flaky = reports.case("test_stream_order", CaseStatus.FLAKY, attempts=2)
    gone = reports.case("test_warp_shuffle_32")
    return reports.report(
        reports.preflight(),
        reports.scan(),
        reports.build(),
        reports.kernels(),
        reports.suites(_unit(lazy, gone), _integration(flaky)),
        reports.perf(*_benches()),  # type: ignore[arg-type]
    )


def _row(*points: tuple[str, Verdict, dict[str, int], float]) -> tuple[Point, ...]:
    return tuple(
        Point(
            head=head.ljust(12, "0"),
            verdict=verdict,
            at=f"2026-11-{27 + n // 2}T{9 + 3 * (n % 2):02}:12:40Z",
            run=1200 + 7 * n,
            attempt=1,
            counts=counts,
            effects_pct={"row_sum/4096": effect},
        )
        for n, (head, verdict, counts, effect) in enumerate(points)
    )


_EARLIER = _row(
    ("51c0aa1", FAIL, {"findings": 9, "failed": 6}, 11.2),
    ("7be2f03", FAIL, {"findings": 6, "failed": 6}, 11.0),
    ("07d9e4c", ERROR, {"findings": 6}, 10.7),
    ("a3305bd", FAIL, {"findings": 4, "failed": 2}, 9.1),
    ("c64f91e", FAIL, {"findings": 3, "failed": 1, "regressions": 1}, 8.8),
)


def green() -> Situation:
    """Two GPUs, everything fine, after two red runs."""
    fp8 = reports.case("test_fp8[e4m3]", CaseStatus.SKIPPED, message="needs gfx950")
    added = _named("test_wave_sum", sizes=(64, 128))
    part = reports.report(
        reports.preflight(),
        reports.scan(suppressed=1),
        reports.build(),
        reports.kernels(),
        reports.suites(_unit(fp8, *added), _integration(reports.case("test_stream_order"))),
        reports.perf(*_benches(), reports.comparison("row_sum/4096", effect_pct=0.3)),  # type: ignore[arg-type]
    )
    report = merged([("mi300x", part), ("mi210", replace(part, facts=MI210))])
    base = merged([("mi300x", _base()), ("mi210", replace(_base(), facts=MI210))])
    return Situation(
        report, Past(delta=delta(base, report, base_commit=reports.MERGE_BASE), history=_EARLIER)
    )


def red() -> Situation:
    """The change is at fault in every stage."""
    parts = reports.red()
    (failed, *_) = (c for c in parts.results[4].suites[0].cases if c.status is CaseStatus.FAILED)  # type: ignore[union-attr]
    fp8 = reports.case("test_fp8[e4m3]", CaseStatus.SKIPPED, message="needs gfx950")
    hangs = reports.case("test_scan[4096]", CaseStatus.SKIPPED, message="hangs since the new reduction")
    flaky = reports.case(
        "test_graph_capture[8]", CaseStatus.FLAKY, attempts=2, message="timed out waiting for event"
    )
    cause = parts.results[4].suites[0].diagnoses  # type: ignore[union-attr]
    unit = _unit(failed, fp8, hangs, verdict=FAIL, reason="1 test failed", diagnoses=cause)
    integration = _integration(
        flaky,
        reports.case("test_stream_order"),
        verdict=Verdict.NEUTRAL,
        reason="1 test passed only on a retry",
    )
    results = list(parts.results)
    results[4] = reports.suites(unit, integration)
    (bench,) = results[5].benches  # type: ignore[union-attr]
    results[5] = replace(results[5], benches=(replace(bench, reason=""),))
    report = replace(parts, results=tuple(results))
    return Situation(
        report, Past(delta=delta(_base(), report, base_commit=reports.MERGE_BASE), history=_EARLIER[:3])
    )


def infra() -> Situation:
    """One of two GPUs hung; the other one says that the change is fine."""
    broken = reports.infra()
    cut = reports.suite(
        *_named("test_row_sum", "test_row_max", "test_softmax"),
        verdict=ERROR,
        reason="GPU 0 hung (amdgpu: ring gfx_0.0.0 timeout) and the driver reset it",
        exit_code=-6,
        excerpt="HW Exception by GPU node-1 (Agent handle: 0x55d0) reason: GPU Hang",
    )
    results = list(broken.results)
    behind = reports.suite(
        name="integration",
        layer=Layer.INTEGRATION,
        verdict=ERROR,
        reason="not run: GPU 0 is not healthy",
        duration_s=0.0,
    )
    results[4] = reports.suites(cut, behind)
    fine = reports.report(
        reports.preflight(),
        reports.scan(),
        reports.build(),
        reports.kernels(),
        reports.suites(
            _unit(reports.case("test_fp8[e4m3]", CaseStatus.SKIPPED), reports.case("test_warp_shuffle_32")),
            _integration(reports.case("test_stream_order")),
        ),
        reports.perf(*_benches()),  # type: ignore[arg-type]
    )
    report = merged(
        [("mi300x", replace(broken, results=tuple(results))), ("mi210", replace(fine, facts=MI210))]
    )
    base = merged([("mi300x", _base()), ("mi210", replace(_base(), facts=MI210))])
    history = _row(("51c0aa1", PASS, {}, 0.4), ("7be2f03", ERROR, {}, 0.2))
    return Situation(report, Past(delta=delta(base, report, base_commit=reports.MERGE_BASE), history=history))


def perf() -> Situation:
    """Nothing but the speed: one benchmark is slower, and the kernels say why."""
    slower = reports.comparison(
        "row_sum/4096",
        PerfVerdict.REGRESSION,
        base_median=1.31,
        head_median=1.42,
        effect_pct=8.4,
        interval_pct=(7.6, 9.1),
        p=0.0002,
        reason="confirmed by 12 fresh rounds",
    )
    faster = reports.comparison(
        "row_max/1024", PerfVerdict.IMPROVED, base_median=0.42, head_median=0.39, effect_pct=-7.1,
        interval_pct=(-8.0, -6.2), p=0.9999,
    )  # fmt: skip
    spill = KernelChange(
        name=reports.kernel().name, arch="gfx90a", metric="vgpr_spills", base=0, head=12, is_regression=True
    )
    occupancy = KernelChange(
        name=reports.kernel().name, arch="gfx90a", metric="occupancy", base=8, head=6, is_regression=True
    )
    fp8 = reports.case("test_fp8[e4m3]", CaseStatus.SKIPPED, message="needs gfx950")
    report = reports.report(
        reports.preflight(),
        reports.scan(),
        reports.build(),
        reports.kernels(spill, occupancy, verdict=Verdict.NEUTRAL),
        reports.suites(
            _unit(fp8, reports.case("test_warp_shuffle_32")), _integration(reports.case("test_stream_order"))
        ),
        reports.perf(
            slower,
            faster,
            *_benches("row_max/1024"),  # type: ignore[arg-type]
            verdict=FAIL,
        ),
    )
    history = _row(
        ("51c0aa1", PASS, {}, 0.4),
        ("7be2f03", FAIL, {"regressions": 1}, 14.9),
        ("a3305bd", FAIL, {"regressions": 1}, 12.6),
        ("c64f91e", FAIL, {"regressions": 1}, 8.9),
    )
    return Situation(
        report, Past(delta=delta(_base(), report, base_commit=reports.MERGE_BASE), history=history)
    )


SITUATIONS = {"green": green, "red": red, "infra": infra, "perf": perf}
