"""Matrices: the reports of several legs, by name, as the jobs of one workflow leave them."""

from __future__ import annotations

import msgspec

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.model.facts import Driver, Facts, Host, Rocm
from rocm_ci.model.past import Acceptance, Point
from rocm_ci.model.perf import PerfVerdict
from rocm_ci.model.report import Report
from rocm_ci.model.result import ScanResult, Skipped, StageResult, TestResult, stage_of
from rocm_ci.model.verdict import Verdict
from rocm_ci.report.acceptance import applied
from rocm_ci.report.delta import delta
from rocm_ci.report.merge import merged, missing
from rocm_ci.report.past import Past
from tests import reports

Parts = list[tuple[str, Report]]
replace = msgspec.structs.replace

# amd.com, product pages: target, compute units, memory in GiB.
GPUS = {
    name: replace(
        reports.MI300X,
        name=f"AMD Instinct {name}",
        gfx=gfx,
        compute_units=compute_units,
        vram_bytes=memory * 1024**3,
    )
    for name, gfx, compute_units, memory in (
        ("MI210", "gfx90a", 104, 64),
        ("MI250X", "gfx90a", 220, 128),
        ("MI300X", "gfx942", 304, 192),
        ("MI325X", "gfx942", 304, 256),
    )
}
HOSTED = Facts(
    host=Host(os="Ubuntu 24.04.3 LTS", kernel="6.11.0-azure", architecture="x86_64", cpus=4),
    driver=Driver(loaded=False),
    rocm=Rocm(),
    hardware_key="no-gpu",
)


def on(report: Report, name: str = "MI300X") -> Report:
    """What a GPU leg has to say of a report: everything but the scan, which is another leg's job."""
    kept = (r for r in report.results if not isinstance(r, (ScanResult, Skipped)))
    made = reports.report(*kept, settings=report.settings, notices=report.notices)
    gpu = GPUS.get(name) or replace(reports.MI300X, name=name)
    key = f"{gpu.gfx}-{name.lower()}-rocm6.4.1-amdgpu6.12.12"
    return replace(made, facts=replace(reports.FACTS, gpus=(gpu,), hardware_key=key))


def scan_leg(report: Report) -> Report:
    """The hosted leg that only scans."""
    scans = [r for r in report.results if isinstance(r, ScanResult)]
    return replace(reports.report(reports.preflight(), *scans), facts=HOSTED)


def every_gpu(report: Report) -> Parts:
    return [(name.lower(), on(report, name)) for name in GPUS]


def one_bad_leg() -> Parts:
    """A scan and three GPUs, of which one fails."""
    return [
        ("mi300x", on(reports.green())),
        ("scan", scan_leg(reports.green())),
        ("mi210", on(reports.red(), "MI210")),
        ("mi250x", on(reports.green(), "MI250X")),
    ]


def all_bad() -> Parts:
    """The same fault on every GPU, and CUDA in the sources."""
    return [("scan", scan_leg(reports.red())), *every_gpu(reports.red())]


def all_green() -> Parts:
    """Nothing to say against it anywhere."""
    return [("scan", scan_leg(reports.green())), *every_gpu(reports.green())]


def one_lost() -> Parts:
    """A leg left no report; the others are green."""
    return [*all_green(), ("mi355x", missing("mi355x", "its job was cancelled", reports.EVENT))]


def one_infra() -> Parts:
    """One machine is broken, the others say that the change is fine."""
    return [*all_green()[:-1], ("mi325x", on(reports.infra(), "MI325X"))]


MATRICES = {
    "matrix-one-bad": one_bad_leg,
    "matrix-all-bad": all_bad,
    "matrix-green": all_green,
    "matrix-lost": one_lost,
    "matrix-infra": one_infra,
}


def matrix(name: str) -> Report:
    return merged(MATRICES[name]())


def points(*verdicts: Verdict) -> tuple[Point, ...]:
    """Earlier runs, the oldest first, an hour apart."""
    return tuple(
        Point(
            head=f"{n:x}" * 40,
            verdict=verdict,
            at=f"2026-11-29T{n:02}:00:00Z",
            run=1000 + n,
            attempt=1,
            counts={"failed": 3 * (verdict is Verdict.FAIL), "findings": n},
            effects_pct={"row_sum/4096": 1.5 * n},
        )
        for n, verdict in enumerate(verdicts, 1)
    )


def before(report: Report) -> Report:
    """What the base said: one of the failing tests failed already, one that passes now failed."""
    results: list[StageResult] = []
    for result in report.results:
        if isinstance(result, TestResult):
            tests = reports.suites(
                reports.suite(
                    reports.case("test_row_sum[4096]", CaseStatus.FAILED, message="boom"),
                    reports.case("test_case[0]", CaseStatus.FAILED, message="was red"),
                    *reports.passing(212)[1:],
                    reports.case("test_gone"),
                    verdict=Verdict.FAIL,
                )
            )
            results.append(replace(tests, leg=result.leg))
        else:
            results.append(result)
    event = replace(report.event, head=reports.MERGE_BASE)
    return replace(report, event=event, results=tuple(results))


def with_case(result: TestResult, case: Case) -> TestResult:
    first = result.suites[0]
    more = replace(first, cases=(*first.cases, case), reason="2 tests failed")
    return replace(result, suites=(more, *result.suites[1:]))


def red_again() -> tuple[Report, Past]:
    """A red run whose failure is old, with a second one that is new, after two red runs."""
    new = reports.case("test_new", CaseStatus.FAILED, message="AssertionError: wrong sum", path="tests/t.py")
    report = reports.red()
    results = tuple(with_case(r, new) if isinstance(r, TestResult) else r for r in report.results)
    head = replace(report, results=results)
    compared = delta(before(report), head, base_commit=reports.MERGE_BASE, merge_base=reports.MERGE_BASE)
    return head, Past(delta=compared, history=points(Verdict.PASS, Verdict.FAIL, Verdict.FAIL))


def green_again() -> tuple[Report, Past]:
    """Green after two red runs, with a slowdown that a maintainer let pass."""
    slower = reports.comparison(
        "row_sum/4096",
        PerfVerdict.REGRESSION,
        base_median=1.31,
        head_median=1.42,
        effect_pct=8.4,
        interval_pct=(7.6, 9.1),
        p=0.0002,
    )
    kept = [r for r in reports.green().results if stage_of(r).value != "perf"]
    report = reports.report(
        *kept, reports.perf(slower, reports.comparison("row_sum/8"), verdict=Verdict.FAIL)
    )
    let = Acceptance(
        name="row_sum/4096", effect_pct=8.4, by="alice", reason="exact sums cost that much", head=reports.HEAD
    )
    compared = delta(before(report), report, base_commit="c" * 40, merge_base=reports.MERGE_BASE)
    past = Past(delta=compared, history=points(Verdict.PASS, Verdict.FAIL, Verdict.FAIL), accepted=(let,))
    return applied(report, (let,)), past


PASTS = {"past-red": red_again, "past-green": green_again}
