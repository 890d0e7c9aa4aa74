"""Report → JUnit XML, for the tools that read nothing else: suites, findings and broken stages."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from rocm_ci.model.case import CaseStatus
from rocm_ci.model.finding import Severity
from rocm_ci.model.result import BuildResult, Crashed, ScanResult, TestResult
from rocm_ci.model.verdict import Verdict
from rocm_ci.report import inert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocm_ci.model.case import Case
    from rocm_ci.model.finding import Finding
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import BuildStep, Suite

# What XML 1.0 cannot hold, even as a reference.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXT = 20_000


def render(report: Report) -> str:
    """All cases of all suites, one case per finding, and whatever broke without naming a test.

    A flaky test passes and says so in its output. A suite that is red without a red test gets a
    case of its own: a reader of this file alone must not see green.
    """
    body = "\n".join(part for result in report.results for part in _of(result))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="rocm-ci">\n{body}\n</testsuites>\n'


def _of(result: object) -> Iterator[str]:
    match result:
        case TestResult():
            for suite in result.suites:
                yield _suite(suite.name, suite.duration_s, list(_cases(suite)))
        case ScanResult():
            yield _suite("scan", result.duration_s, [_finding(f) for f in result.findings])
        case BuildResult():
            yield _suite("build", result.duration_s, [_step(step) for step in result.steps])
        case Crashed():
            problem = _problem("error", result.reason, result.traceback)
            yield _suite(
                result.stage.value, result.duration_s, [_case("stage", result.stage.value, 0, problem)]
            )
        case _:
            return


def _suite(name: str, seconds: float, cases: list[str]) -> str:
    counts = {
        "tests": len(cases),
        "failures": sum("<failure" in case for case in cases),
        "errors": sum("<error" in case for case in cases),
        "skipped": sum("<skipped" in case for case in cases),
    }
    shown = " ".join(f'{key}="{number}"' for key, number in counts.items())
    body = "\n".join(cases)
    return f'<testsuite name={_attribute(name)} {shown} time="{max(seconds, 0):.3f}">\n{body}\n</testsuite>'


def _cases(suite: Suite) -> Iterator[str]:
    red = False
    for case in suite.cases:
        red = red or case.status in (CaseStatus.FAILED, CaseStatus.ERRORED)
        yield _one(case)
    if suite.verdict in (Verdict.FAIL, Verdict.ERROR) and not red:
        kind = "failure" if suite.verdict is Verdict.FAIL else "error"
        yield _case(
            suite.name, "the suite as a whole", 0, _problem(kind, suite.reason or "failed", suite.excerpt)
        )
    elif suite.verdict is Verdict.SKIPPED and not suite.cases:
        yield _case(suite.name, "the suite as a whole", 0, _problem("skipped", suite.reason, None))


def _one(case: Case) -> str:
    inside = ""
    match case.status:
        case CaseStatus.FAILED:
            inside = _problem("failure", case.message or "failed", case.excerpt)
        case CaseStatus.ERRORED:
            inside = _problem("error", case.message or "errored", case.excerpt)
        case CaseStatus.SKIPPED:
            inside = _problem("skipped", case.message or "", None)
        case CaseStatus.FLAKY:
            said = f"flaky: passed at attempt {case.attempts}; before that: {case.message or 'failed'}"
            inside = f"<system-out>{_content(said)}</system-out>"
        case CaseStatus.PASSED:
            pass
    # `id` is `classname::name`; a name alone belongs to its suite.
    group = case.id.removesuffix(case.name).removesuffix("::") or case.suite
    return _case(group, case.name, case.duration_s or 0.0, inside, path=case.path, line=case.line)


def _finding(finding: Finding) -> str:
    said = f"{finding.path}:{finding.line}:{finding.column}: {finding.message}"
    # A warning does not fail a change, so it must not fail here.
    inside = (
        _problem("failure", finding.message, said + (f"\n{finding.fix}" if finding.fix else ""))
        if finding.severity is Severity.ERROR
        else f"<system-out>{_content(said)}</system-out>"
    )
    name = f"{finding.path}:{finding.line}"
    return _case(finding.rule, name, 0.0, inside, path=finding.path, line=finding.line)


def _step(step: BuildStep) -> str:
    kinds = {Verdict.FAIL: "failure", Verdict.ERROR: "error", Verdict.SKIPPED: "skipped"}
    kind = kinds.get(step.verdict)
    inside = _problem(kind, step.reason or "failed", step.excerpt) if kind else ""
    return _case("build", step.name, step.duration_s, inside)


def _case(
    group: str, name: str, seconds: float, inside: str, *, path: str | None = None, line: int | None = None
) -> str:
    place = (f" file={_attribute(path)}" if path else "") + (f' line="{line}"' if path and line else "")
    head = (
        f'<testcase classname={_attribute(group)} name={_attribute(name)} time="{max(seconds, 0):.3f}"{place}'
    )
    return f"{head}>{inside}</testcase>" if inside else f"{head}/>"


def _problem(kind: str, message: str, body: str | None) -> str:
    head = f"<{kind} message={_attribute(message)}"
    return f"{head}>{_content(body)}</{kind}>" if body else f"{head}/>"


def _attribute(value: str) -> str:
    text = _FORBIDDEN.sub("\ufffd", inert.line(value, limit=1000))
    return f'"{escape(text)}"'


def _content(value: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", inert.block(value, limit=_TEXT)), quote=False)
