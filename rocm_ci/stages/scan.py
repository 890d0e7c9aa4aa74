"""Stage scan: leftovers of CUDA on the lines the change adds."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from rocm_ci.config.options import fail_on
from rocm_ci.model.finding import Severity
from rocm_ci.model.result import ScanResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.scan import own_rules
from rocm_ci.scan.files import Folder
from rocm_ci.scan.inspection import Inspection, baseline_of, chosen_baseline
from rocm_ci.scan.rulebook import RuleBook, shipped
from rocm_ci.tools.git import Git

if TYPE_CHECKING:
    from rocm_ci.config.options import ScanOptions
    from rocm_ci.context import Context, Job
    from rocm_ci.model.finding import Finding

MOST_SILENCED = 2_000  # in a report; the count is always whole


def run(ctx: Context, job: Job) -> ScanResult:
    """Scan the added lines of the checkout with the shipped rules and the project's own."""
    began = ctx.clock.monotonic()
    options = job.config.scan
    folder = Folder(ctx.root)
    git = Git(ctx.run, ctx.root, ctx.environment)
    base = job.event.merge_base
    ours = baseline_of(folder, options.baseline)
    trusted = not job.event.is_fork
    theirs = git.show(base, options.baseline) if base else ours if trusted else None
    baseline, notices = chosen_baseline(ours, theirs, options.baseline, trusted=trusted)
    # Like the baseline: what a fork changes in the project's rules counts once it is merged.
    old = None if trusted or not base else base
    names = folder.names(own_rules.FOLDER) if old is None else git.names(old, own_rules.FOLDER)
    read = folder.read if old is None else partial(git.show, old)
    scanned, _ = Inspection(
        source=folder,
        options=options,
        archs=job.config.arch,
        book=own_rules.with_own(RuleBook(shipped()), names, read),
        baseline=baseline,
        config_path=job.config_path,
        renames=lambda: git.renamed_since_change_of(options.baseline),
    ).scan(job.changes)
    reason = summary(scanned.findings, scanned.suppressed, scanned.baselined)
    ctx.log.info(f"{scanned.files} file(s) read: {reason}")
    if scanned.notes:
        ctx.log.info(f"{len(scanned.notes)} note(s) about what was not looked at, in the report")
    for notice in notices:
        ctx.log.warning(notice)
    return ScanResult(
        verdict=verdict(scanned.findings, options, unfinished=scanned.unfinished),
        duration_s=ctx.clock.monotonic() - began,
        reason=reason,
        findings=scanned.findings,
        suppressed=scanned.suppressed,
        files=scanned.files,
        notes=scanned.notes,
        baselined=scanned.baselined,
        silenced=scanned.silenced[:MOST_SILENCED],
        notices=notices,
    )


def verdict(findings: tuple[Finding, ...], options: ScanOptions, *, unfinished: bool = False) -> Verdict:
    """FAIL from the configured severity on, NEUTRAL for errors and warnings below it, else PASS.

    What is `unfinished` cannot be called clean: INCONCLUSIVE, unless it fails anyway.
    """
    worst = max((f.severity for f in findings), default=None)
    bound = fail_on(options)
    if worst is not None and bound is not None and worst >= bound:
        return Verdict.FAIL
    if unfinished:
        return Verdict.INCONCLUSIVE
    return Verdict.NEUTRAL if worst is not None and worst >= Severity.WARNING else Verdict.PASS


def summary(findings: tuple[Finding, ...], suppressed: int, baselined: int = 0) -> str:
    """`3 errors, 1 warning, 2 suppressed, 7 in the baseline`."""
    count = Counter(f.severity for f in findings)
    parts = [
        f"{count[severity]} {severity.value}{'s' if count[severity] > 1 else ''}"
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
        if count[severity]
    ]
    if suppressed:
        parts.append(f"{suppressed} suppressed")
    if baselined:
        parts.append(f"{baselined} in the baseline")
    return ", ".join(parts) or "no findings"
