"""What our pytest plug-in tells while a suite runs: which tests there are, which began, which ended.

The file lies where the tests of a pull request can write: a line is a claim like any other output,
and one that cannot be understood is passed over.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from rocm_ci.model.case import CaseStatus
from rocm_ci.runners import junit_dialects
from rocm_ci.runners.base import Listed
from rocm_ci.runners.excerpt import clean, shortened
from rocm_ci.runners.live import MAX_SEEN, MAX_TEXT, Watch
from rocm_ci.tools import file

if TYPE_CHECKING:
    from pathlib import Path

_MAX_READ = 512_000_000
_MAX_LINE = 4_000_000
_CHUNK = 1_048_576
_MAX_NAME = 65_536
_MOST = 1e12
_STATUS = {s.value: s for s in CaseStatus if s is not CaseStatus.FLAKY}
# What XML 1.0 cannot hold, which pytest writes as `#x1B`.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


class Events:
    """Follows one file from before anybody knows of it: what is put in its place later is not read.

    `listed` are the tests in the order in which they were collected; `lost` those whose worker died
    while another process lived on to tell.
    """

    def __init__(self, path: Path) -> None:
        file.create(path).close()
        path.chmod(0o666)  # a suite may change its user
        self.watch = Watch()
        self.listed: dict[str, Listed] = {}
        self.lost: set[str] = set()
        self.is_heard = False
        self._source = file.read(path)
        self._rest = b""
        self._read = 0
        self._room = MAX_TEXT

    def follow(self, now: float = math.inf) -> None:
        """Take in what was written since; `now` (monotonic) bounds when a test can have begun."""
        while self._source is not None and self._read < _MAX_READ and (chunk := self._source.read(_CHUNK)):
            self._read += len(chunk)
            *whole, rest = (self._rest + chunk).split(b"\n")
            self._rest = rest if len(rest) <= _MAX_LINE else b""
            for line in whole:
                if line:
                    self._understand(line, now)

    def close(self) -> None:
        """Give the file back."""
        if self._source is not None:
            self._source.close()
            self._source = None

    def _understand(self, line: bytes, now: float) -> None:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(event, dict):
            return
        self.is_heard = True
        kind = event.get("e")
        if kind == "list" and isinstance(event.get("ids"), list):
            for pair in event["ids"]:
                if isinstance(pair, list) and len(pair) == 2 and all(map(_is_name, pair)):
                    self._list(pair[0], pair[1])
        elif kind in ("start", "end", "lost") and _is_name(event.get("id")):
            self._test(kind, event, now)

    def _list(self, node: str, native: str) -> None:
        if len(self.listed) < MAX_SEEN and self._room > 0:
            identity, name = reported(node)
            self._room -= 2 * len(node) + len(native)
            self.listed.setdefault(identity, Listed(id=identity, name=name, native=native))

    def _test(self, kind: str, event: dict[str, Any], now: float) -> None:
        identity, name = reported(event["id"])
        native = event["native"] if _is_name(event.get("native")) else event["id"]
        if kind == "lost":
            if len(self.lost) < MAX_SEEN and self._room > 0:
                self._room -= len(identity)
                self.lost.add(identity)
        elif kind == "start":
            self.watch.started(identity, name, native)
            seen = self.watch.seen.get(identity)
            if seen is not None:
                seen.began = min(_number(event.get("t"), now), now)
        else:
            for _ in range(min(int(_number(event.get("again"), 0.0)), 100)):
                self.watch.ended(identity, name, native, CaseStatus.FAILED)
            self.watch.ended(
                identity,
                name,
                native,
                _STATUS.get(_word(event.get("s")), CaseStatus.ERRORED),
                message=shortened(clean(_word(event.get("m")))),
                duration_s=max(0.0, _number(event.get("d"), 0.0)),
            )


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _MAX_NAME


def _number(value: object, otherwise: float) -> float:
    """Within bounds: a whole number may be too large for a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return otherwise
    if isinstance(value, float) and not math.isfinite(value):
        return otherwise
    return float(max(-_MOST, min(value, _MOST)))


def reported(node: str) -> tuple[str, str]:
    """Node id → the id and name that the same test has in pytest's XML."""
    path, bracket, parameters = node.partition("[")
    parts = path.split("::")
    parts[0] = parts[0].replace("/", ".").removesuffix(".py")
    name = parts[-1] + bracket + parameters
    attributes = {"classname": _escaped(".".join(parts[:-1])), "name": _escaped(name)}
    return junit_dialects.identity(junit_dialects.Open(attributes=attributes, suites=(), run=0))


def _escaped(text: str) -> str:
    return _FORBIDDEN.sub(lambda found: f"#x{ord(found.group()):02X}", text)
