"""How large a report may be: what `codec.encode` cuts to, and what `codec.decode` refuses.

The writer stands on the plane that runs strangers' code, the reader holds a token. The writer cuts
so that every honest report passes; the reader believes nothing and measures again.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.model.result import Suite, TestResult

if TYPE_CHECKING:
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import StageResult

MAX_BYTES = 50_000_000
MAX_STRING = 65_536
MAX_ITEMS = 250_000
MAX_NUMBER = 2**63
# From these numbers of tests on, a test keeps its name and status but not its texts.
CASES_WITH_EXCERPT = 500
CASES_WITH_MESSAGE = 5_000

CUT = "…"
_REQUIRED = ("duration_s", "confidence")


def fitted(report: Report) -> tuple[Report, bool]:
    """The report cut to the bounds, and whether anything was cut."""
    results = tuple(_fitted_result(r) for r in report.results)
    shorter: Report = _fit(msgspec.structs.replace(report, results=results))
    return shorter, shorter != report


def thinned(report: Report) -> Report:
    """The report without the passed tests of its large suites, which are counted instead."""
    return msgspec.structs.replace(report, results=tuple(_thinned_result(r) for r in report.results))


def _thinned_result(result: StageResult) -> StageResult:
    if not isinstance(result, TestResult):
        return result
    return msgspec.structs.replace(result, suites=tuple(_thinned_suite(s) for s in result.suites))


def _thinned_suite(suite: Suite) -> Suite:
    if len(suite.cases) <= CASES_WITH_MESSAGE:
        return suite
    kept = tuple(case for case in suite.cases if case.status is not CaseStatus.PASSED)
    unlisted = suite.unlisted + len(suite.cases) - len(kept)
    return msgspec.structs.replace(suite, cases=kept, unlisted=unlisted)


def breach(value: object, path: str = "$") -> str:
    """Where and how a decoded value breaks a bound; empty when it keeps all of them."""
    if isinstance(value, str):
        return f"{path} holds {len(value)} characters, over {MAX_STRING}" if len(value) > MAX_STRING else ""
    if isinstance(value, (int, float)):
        return "" if -MAX_NUMBER < value < MAX_NUMBER else f"{path} is no number that a run can give"
    if isinstance(value, msgspec.Struct):
        return _first_breach(value, value.__struct_fields__, path)
    if isinstance(value, (tuple, dict)) and len(value) > MAX_ITEMS:
        return f"{path} holds {len(value)} items, over {MAX_ITEMS}"
    if isinstance(value, tuple):
        for index, part in enumerate(value):
            if part is not None and (said := breach(part)):
                return _nested(path, f"[{index}]", said)
    if isinstance(value, dict):
        for key, part in value.items():
            if said := breach(key) or breach(part):
                return _nested(path, f".{key[:80]}", said)
    return ""


def _first_breach(value: msgspec.Struct, fields: tuple[str, ...], path: str) -> str:
    for name in fields:
        part = getattr(value, name)
        if part is not None and (said := breach(part)):
            return _nested(path, f".{name}", said)
    return ""


def _nested(path: str, step: str, said: str) -> str:
    # The path is put together on the way out only: building it for a million healthy values is slow.
    return f"{path}{step}{said.removeprefix('$')}"


def _fitted_result(result: StageResult) -> StageResult:
    """Of a very large test run the failures keep their texts first; the rest keep name and status."""
    if not isinstance(result, TestResult):
        return result
    total = sum(len(suite.cases) for suite in result.suites)
    if total <= CASES_WITH_EXCERPT:
        return result
    return msgspec.structs.replace(result, suites=tuple(_lighter(s) for s in result.suites))


def _lighter(suite: Suite) -> Suite:
    cases: list[Case] = []
    excerpts = messages = 0
    for case in suite.cases:
        if case.excerpt is None and case.message is None:
            cases.append(case)
            continue
        is_red = case.status in (CaseStatus.FAILED, CaseStatus.ERRORED)
        keeps_excerpt = is_red and excerpts < CASES_WITH_EXCERPT
        keeps_message = messages < CASES_WITH_MESSAGE
        excerpts += keeps_excerpt and case.excerpt is not None
        messages += keeps_message
        cases.append(
            msgspec.structs.replace(
                case,
                excerpt=case.excerpt if keeps_excerpt else None,
                message=case.message if keeps_message else None,
            )
        )
    return msgspec.structs.replace(suite, cases=tuple(cases[:MAX_ITEMS]))


def _fit(value: Any) -> Any:
    """Strings cut, lists cut, numbers that JSON does not know taken out. Equal parts are shared."""
    if isinstance(value, str):
        return _fit_string(value)
    if isinstance(value, msgspec.Struct):
        changed = {}
        for name in value.__struct_fields__:
            part = getattr(value, name)
            if part is None:
                continue
            fit = _finite(part, name) if isinstance(part, float) else _fit(part)
            if fit is not part:
                changed[name] = fit
        return msgspec.structs.replace(value, **changed) if changed else value
    if isinstance(value, tuple):
        if any(isinstance(part, float) and not math.isfinite(part) for part in value):
            return None
        items = tuple(_fit(part) for part in value[:MAX_ITEMS])
        same = len(items) == len(value) and all(a is b for a, b in zip(items, value, strict=True))
        return value if same else items
    if isinstance(value, dict):
        return {_fit_string(k): _fit(v) for k, v in list(value.items())[:MAX_ITEMS]}
    return value


def _fit_string(text: str) -> str:
    if len(text) > MAX_STRING:
        text = text[: MAX_STRING - 1] + CUT
    try:
        text.encode()
    except UnicodeEncodeError:
        # A file name that is not UTF-8 arrives with lone surrogates, which JSON cannot carry.
        return text.encode("utf-8", "backslashreplace").decode()[:MAX_STRING]
    return text


def _finite(number: float, name: str) -> float | None:
    """JSON knows no infinity; a field that must hold a number gets zero."""
    if math.isfinite(number):
        return number
    return 0.0 if name in _REQUIRED else None
