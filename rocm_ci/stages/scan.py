"""Stage scan: leftovers of CUDA on the lines the change adds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rocm_ci.config.options import fail_on
from rocm_ci.model.finding import Severity
from rocm_ci.model.result import ScanResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.scan.files import Folder
from rocm_ci.scan.parallel import scan_all
from rocm_ci.scan.rulebook import RuleBook, shipped

if TYPE_CHECKING:
    from rocm_ci.config.options import ScanOptions
    from rocm_ci.context import Context, Job
    from rocm_ci.model.finding import Finding


def run(ctx: Context, job: Job) -> ScanResult:
    """Scan the added lines of the checkout with the shipped rules."""
    began = ctx.clock.monotonic()
    options = job.config.scan
    scanned = scan_all(Folder(ctx.root), job.changes, options, job.config.arch, book=RuleBook(shipped()))
    reason = summary(scanned.findings, scanned.suppressed)
    ctx.log.info(f"{scanned.files} file(s) read: {reason}")
    return ScanResult(
        verdict=verdict(scanned.findings, options),
        duration_s=ctx.clock.monotonic() - began,
        reason=reason,
        findings=scanned.findings,
        suppressed=scanned.suppressed,
        files=scanned.files,
    )


def verdict(findings: tuple[Finding, ...], options: ScanOptions) -> Verdict:
    """FAIL from the configured severity on, NEUTRAL for errors and warnings below it, else PASS."""
    worst = max((f.severity for f in findings), default=None)
    bound = fail_on(options)
    if worst is None:
        return Verdict.PASS
    if bound is not None and worst >= bound:
        return Verdict.FAIL
    return Verdict.NEUTRAL if worst >= Severity.WARNING else Verdict.PASS


def summary(findings: tuple[Finding, ...], suppressed: int) -> str:
    """`3 errors, 1 warning, 2 suppressed`."""
    count = Counter(f.severity for f in findings)
    parts = [
        f"{count[severity]} {severity.value}{'s' if count[severity] > 1 else ''}"
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
        if count[severity]
    ]
    if suppressed:
        parts.append(f"{suppressed} suppressed")
    return ", ".join(parts) or "no findings"
