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

MI210 = replace(
    reports.MI300X,
    name="AMD Instinct MI210",
    gfx="gfx90a",
    compute_units=104,
    vram_bytes=64 * 1024**3,
    device_id="0x740f",
    power_cap_w=300,
)
HOSTED = Facts(
    host=Host(os="Ubuntu 24.04.3 LTS", kernel="6.11.0-azure", architecture="x86_64", cpus=4),
    driver=Driver(loaded=False),
    rocm=Rocm(),
    hardware_key="no-gpu",
)


def on(report: Report, name: str = "", *, facts: Facts = reports.FACTS) -> Report:
    """What a GPU leg has to say of a report: everything but the scan, which is another leg's job."""
    kept = (r for r in report.results if not isinstance(r, (ScanResult, Skipped)))
    made = reports.report(*kept, settings=report.settings, notices=report.notices)
    gpu = replace(facts.gpus[0], name=name) if name else facts.gpus[0]
    return replace(made, facts=replace(facts, gpus=(gpu,)))


def scan_leg(report: Report) -> Report:
    """The hosted leg that only scans."""
    scans = [r for r in report.results if isinstance(r, ScanResult)]
    return replace(reports.report(reports.preflight(), *scans), facts=HOSTED)


def one_bad_leg() -> Parts:
    """A scan and three GPUs, of which one fails."""
    cdna2 = replace(reports.FACTS, gpus=(MI210,), hardware_key="gfx90a-mi210")
    return [
        ("mi300x", on(reports.green())),
        ("scan", scan_leg(reports.green())),
        ("mi210", on(reports.red(), facts=cdna2)),
        ("mi250", on(reports.green(), "AMD Instinct MI250X", facts=cdna2)),
    ]


def all_bad() -> Parts:
    """The same fault on every GPU, and CUDA in the sources."""
    red = reports.red()
    return [
        ("scan", scan_leg(red)),
        *((f"mi{n}", on(red, f"AMD Instinct MI{n}")) for n in (210, 250, 300, 325)),
    ]


def all_green() -> Parts:
    """Nothing to say against it anywhere."""
    green = reports.green()
    return [
        ("scan", scan_leg(green)),
        *((f"mi{n}", on(green, f"AMD Instinct MI{n}")) for n in (210, 250, 300, 325)),
    ]


def one_lost() -> Parts:
    """A leg left no report; the others are green."""
    return [*all_green(), ("mi355", missing("mi355", "its job was cancelled", reports.EVENT))]


def one_infra() -> Parts:
    """One machine is broken, the others say that the change is fine."""
    return [*all_green()[:-1], ("mi325", on(reports.infra(), "AMD Instinct MI325X"))]


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
