"""Report ⇄ JSON. `decode` is the trust boundary: whatever is not exactly a report is refused."""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeVar

import msgspec

from rocm_ci.errors import ReportError
from rocm_ci.model.report import VERSION, Report
from rocm_ci.report import bounds, consistency

FILE_NAME = "report.json"
_THINNED_NOTICE = (
    "Passed tests of very large suites are counted, but not listed, to keep this report readable."
)
T = TypeVar("T")
SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"
_WHOLE = "the file must be the report.json that `rocm-ci run` wrote, unchanged"
_CUT_NOTICE = (
    "Very long texts, or the texts of some of very many tests, were cut to keep this report readable."
)


class _Head(msgspec.Struct):
    """What is read before anything else; a report of another version has other fields."""

    version: Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
    tool: str = "another version of rocm-ci"


def encode(report: Report) -> bytes:
    """UTF-8 JSON of a report, cut to the bounds so that `decode` takes it. Raises `ReportError`."""
    fitted, was_cut = bounds.fitted(report)
    if was_cut:
        fitted = msgspec.structs.replace(fitted, notices=(*fitted.notices, _CUT_NOTICE))
    data = msgspec.json.encode(fitted)
    if len(data) > bounds.MAX_BYTES:
        fitted = bounds.thinned(fitted)
        data = msgspec.json.encode(
            msgspec.structs.replace(fitted, notices=(*fitted.notices, _THINNED_NOTICE))
        )
    if len(data) > bounds.MAX_BYTES:
        message = f"the report has {len(data)} bytes, over the limit of {bounds.MAX_BYTES}"
        raise ReportError(message, hint="split the test suites over several runs")
    return data


def decode(data: bytes) -> Report:
    """A report out of a file that nobody vouches for.

    Raises `ReportError` when it is not JSON, of another version, says one thing twice, has unknown or
    missing fields, wrong types, breaks a bound, or contradicts itself (a verdict its results do not give).
    """
    if len(data) > bounds.MAX_BYTES:
        message = f"the report has {len(data)} bytes, over the limit of {bounds.MAX_BYTES}"
        raise ReportError(message, hint=_WHOLE)
    _refuse_foreign_text(data)
    _refuse_other_version(_typed(data, _Head))
    _refuse_ambiguous(data)
    report = _typed(data, Report)
    broken = bounds.breach(report)
    if broken:
        message = f"the report breaks a bound: {broken}"
        raise ReportError(message, hint=_WHOLE)
    contradiction = consistency.contradiction(report)
    if contradiction:
        message = f"the report contradicts itself: {contradiction}"
        raise ReportError(message, hint="do not trust it; run the check again")
    return report


def schema() -> dict[str, Any]:
    """The JSON Schema of a report, made from the types."""
    about = {"$schema": SCHEMA_ID, "title": f"rocm-ci report, version {VERSION}"}
    made: dict[str, Any] = json.loads(json.dumps(msgspec.json.schema(Report)))
    return about | made


def _refuse_foreign_text(data: bytes) -> None:
    """A readable word about the mistakes that JSON parsers describe badly."""
    if not data.strip():
        what = "is empty"
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in data[:64]:
        what = "is not UTF-8 text (UTF-16, or a binary file)"
    elif data.startswith(b"\xef\xbb\xbf"):
        what = "begins with a byte order mark, which rocm-ci never writes"
    else:
        return
    message = f"the report {what}"
    raise ReportError(message, hint=_WHOLE)


def _refuse_other_version(head: _Head) -> None:
    if head.version == VERSION:
        return
    from rocm_ci.report import inert  # noqa: PLC0415 - only to show a stranger's text

    tool = inert.line(head.tool, limit=60)
    if head.version > VERSION:
        message = f"the report has version {head.version} (by {tool}); this rocm-ci reads {VERSION}"
        raise ReportError(message, hint="use the same, newer release of rocm-ci for `rocm-ci report`")
    message = f"the report has version {head.version} (by {tool}), which is no longer read"
    raise ReportError(message, hint="run the check again with this release of rocm-ci")


def _refuse_ambiguous(data: bytes) -> None:
    """Of a key that stands twice in an object each reader believes another value."""
    try:
        json.loads(data.decode(), object_pairs_hook=_unlike)
    except (ValueError, RecursionError) as error:
        from rocm_ci.report import inert  # noqa: PLC0415 - only to show a stranger's text

        message = f"the report is not valid JSON: {inert.line(str(error), limit=200)}"
        raise ReportError(message, hint=_WHOLE) from error


def _unlike(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) == len(pairs):
        return
    # One pass: a stranger may give millions of keys and double the last.
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            message = f"the key {key[:80]!r} stands twice in one object"
            raise ValueError(message)
        seen.add(key)


def _typed(data: bytes, kind: type[T]) -> T:
    from rocm_ci.report import inert  # noqa: PLC0415 - only to show a stranger's text

    try:
        return msgspec.json.decode(data, type=kind, strict=True)
    except msgspec.ValidationError as error:
        message = f"the report is not one of version {VERSION}: {inert.line(str(error))}"
        raise ReportError(message, hint=_WHOLE) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
        message = f"the report is not valid JSON: {inert.line(str(error))}"
        raise ReportError(message, hint=_WHOLE) from error
