"""A report without secrets, homes, hosts and serial numbers. Pure.

Left alone is what a reader or a machine needs to the letter: the event (commits, branches, the repository),
and where a finding stands and how it is repaired (lines of the change itself).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from rocm_ci.model.edit import Edit
from rocm_ci.model.event import Event
from rocm_ci.model.finding import Finding
from rocm_ci.model.result import TestResult
from rocm_ci.tools.mask import Mask

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocm_ci.model.case import Case
    from rocm_ci.model.report import Report
    from rocm_ci.model.result import StageResult, Suite

SETTING = "mask"
_WHOLE = (Event, Edit)
_KEPT = frozenset({"rule", "path", "docs", "replacement", "edits", "excerpt", "fingerprint"})
# Tests come by the hundred thousand, and hardly one has something to hide: they are looked at in heaps.
_HEAP = 256


@cache
def _everybody() -> Mask:
    return Mask()


def wanted(report: Report) -> bool:
    """Whether the configuration of the run leaves the masking on."""
    return not any(s.name == SETTING and s.value == "false" for s in report.settings)


def masked(report: Report, *, hosts: Iterable[str] = (), secrets: Iterable[str] = ()) -> Report:
    """The report with everything hidden that `tools.mask` knows, and the caller's own hosts and secrets.

    Nothing is done where the configuration switched it off (`mask: false`, which a stranger's fork cannot).
    """
    if not wanted(report):
        return report
    hosts, secrets = tuple(hosts), tuple(secrets)
    mask = Mask(hosts=hosts, secrets=secrets) if hosts or secrets else _everybody()
    results = tuple(_result(result, mask) for result in report.results)
    rest: Report = _clean(msgspec.structs.replace(report, results=()), mask)
    return msgspec.structs.replace(rest, results=results)


def _result(result: StageResult, mask: Mask) -> StageResult:
    if not isinstance(result, TestResult):
        cleaned: StageResult = _clean(result, mask)
        return cleaned
    bare: TestResult = _clean(msgspec.structs.replace(result, suites=()), mask)
    return msgspec.structs.replace(bare, suites=tuple(_suite(suite, mask) for suite in result.suites))


def _suite(suite: Suite, mask: Mask) -> Suite:
    bare: Suite = _clean(msgspec.structs.replace(suite, cases=()), mask)
    cases: list[Case] = []
    for at in range(0, len(suite.cases), _HEAP):
        heap = suite.cases[at : at + _HEAP]
        cases += heap if mask.is_clean(_text(heap)) else (_clean(case, mask) for case in heap)
    return msgspec.structs.replace(bare, cases=tuple(cases))


def _text(heap: Iterable[Case]) -> str:
    return "\n".join(
        part
        for c in heap
        for part in (c.id, c.suite, c.name, c.message, c.excerpt, c.path, c.reproduce)
        if part is not None
    )


def _clean(value: Any, mask: Mask) -> Any:
    """A value with all its text masked; the same object where nothing was to be hidden."""
    if isinstance(value, str):
        return mask.text(value)
    if isinstance(value, _WHOLE):
        return value
    if isinstance(value, msgspec.Struct):
        kept = _KEPT if isinstance(value, Finding) else frozenset()
        changed = {}
        for name in value.__struct_fields__:
            part = getattr(value, name)
            if part is None or isinstance(part, (int, float)) or name in kept:
                continue
            clean = _clean(part, mask)
            if clean is not part:
                changed[name] = clean
        return msgspec.structs.replace(value, **changed) if changed else value
    if isinstance(value, tuple):
        items = tuple(_clean(part, mask) for part in value)
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    if isinstance(value, dict):
        pairs = {mask.text(k): _clean(v, mask) for k, v in value.items()}
        return value if pairs == value else pairs
    return value
