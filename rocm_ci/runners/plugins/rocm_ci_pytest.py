"""Loaded into the pytest of a suite: tells which test runs, and lets exactly the wanted tests run.

It lives in the interpreter of the project under test, so it needs Python 3.8, pytest 6 and nothing else.
It is found as an entry point through PYTHONPATH: where a script sets that anew it is simply not there.
Whatever goes wrong in it goes unsaid, for a suite must not break because somebody listens to it; only
tests that must be chosen and cannot be are an error.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

VARIABLE = "ROCM_CI_PYTEST"
FOLDER = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - tests replace pathlib
_PIECE = 500
_HIGH = 200
_NO_TESTS = 5
# Kept apart from the modules, in which a test may replace them.
_open, _write, _close, _dumps, _now = os.open, os.write, os.close, json.dumps, time.monotonic


def _settings() -> dict[str, Any]:
    with contextlib.suppress(Exception):
        found = json.loads(os.environ.get(VARIABLE) or "{}")
        if isinstance(found, dict):
            return found
    return {}


class _State:
    """What one pytest process knows. `config` is the session that is heard; others in it are nested."""

    def __init__(self) -> None:
        self.settings = _settings()
        self.config: Any = None
        self.only: frozenset[str] | None = None
        self.files: frozenset[str] = frozenset()
        self.ours: dict[str, str] = {}
        self.stderr = -1
        self.running = ""
        self.reports: list[Any] = []
        self.below: Any = None

    @property
    def worker(self) -> str:
        """The name of an xdist worker; empty in any other process."""
        given = getattr(self.config, "workerinput", None) or {}
        return str(given.get("workerid", ""))

    def tell(self, **event: object) -> None:
        """Append a line. Each is opened anew: a test may have closed, and reused, every descriptor."""
        path = self.settings.get("events")
        if not path:
            return
        with contextlib.suppress(Exception):
            line = b"\n" + _dumps(event).encode() + b"\n"
            to = _open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                _write(to, line)
            finally:
                _close(to)


_state = _State()


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Take the session, and hide ourselves from whatever its tests start."""
    if _state.config is None:
        _state.config = early_config
        with contextlib.suppress(Exception):
            _hide()


def _hide() -> None:
    added = _state.settings.get("options") or ""
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    plain = {
        VARIABLE: "",
        "PYTEST_ADDOPTS": os.environ.get("PYTEST_ADDOPTS", "").replace(added, "").strip(),
        "PYTHONPATH": os.pathsep.join(part for part in path if part != FOLDER),
    }
    for name, value in plain.items():
        if name in os.environ and os.environ[name] != value:
            _state.ours[name] = os.environ[name]
            if value:
                os.environ[name] = value
            else:
                del os.environ[name]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Learn what is wanted: from the environment, in a worker from its controller."""
    if _state.config is None:
        _state.config = config
    if config is not _state.config:
        return
    given = getattr(config, "workerinput", None)
    if given is not None:
        _state.settings = dict(given.get(VARIABLE) or {})
    settings = _state.settings
    if settings.get("only"):
        _choose(settings["only"])
    with contextlib.suppress(Exception):
        _report_apart(config, settings)
    with contextlib.suppress(Exception):
        if settings.get("dump_s") and not float(config.getini("faulthandler_timeout") or 0):
            import fcntl  # noqa: PLC0415 - Windows has none

            _state.stderr = fcntl.fcntl(2, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    _state.tell(e="open", pid=os.getpid(), worker=_state.worker)


def _choose(path: str) -> None:
    try:
        with open(path, encoding="utf-8") as source:  # noqa: PTH123 - tests replace pathlib
            wanted = [str(one) for one in json.load(source)]
    except (OSError, ValueError, TypeError) as error:
        message = f"rocm-ci: the list of tests to run cannot be read: {error}"
        raise pytest.UsageError(message) from None
    _state.only = frozenset(wanted)
    files = {_file(one) for one in wanted}
    if all(map(os.path.isfile, files)):
        _state.files = frozenset(map(os.path.realpath, files))


def _report_apart(config: pytest.Config, settings: dict[str, Any]) -> None:
    """A second pytest of one command must not write over the report of the first.

    A script that sets PYTEST_ADDOPTS anew asks for no report; ours is then asked for here.
    """
    option: Any = config.option
    mine = settings.get("xml")
    if mine and getattr(option, "xmlpath", mine) is None and not _state.worker:
        option.xmlpath = mine
    if mine and getattr(option, "xmlpath", None) == mine and os.path.lexists(mine):
        option.xmlpath = os.path.join(settings["folder"], f"pytest-{os.getpid()}.xml")  # noqa: PTH118


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist's hook: a worker hears of our settings through its controller."""
    if getattr(node, "config", None) is _state.config:
        node.workerinput[VARIABLE] = _state.settings


def pytest_unconfigure(config: pytest.Config) -> None:
    """Another session in this process finds what this one found."""
    if config is _state.config:
        os.environ.update(_state.ours)
        _state.config = None
        _state.only, _state.files, _state.ours, _state.below = None, frozenset(), {}, None


def _file(node: str) -> str:
    return node.split("::", 1)[0]


def _native(nodeid: str) -> str:
    """The node id as pytest would take it where it was started."""
    if _state.below is None:
        _state.below = ("", "")
        with contextlib.suppress(Exception):
            config = _state.config
            root = str(config.rootpath if hasattr(config, "rootpath") else config.rootdir)
            here = str(config.invocation_params.dir)
            _state.below = (root, here) if root != here else ("", "")
    root, here = _state.below
    if root:
        with contextlib.suppress(Exception):
            path = _file(nodeid)
            return os.path.relpath(os.path.join(root, path), here) + nodeid[len(path) :]  # noqa: PTH118
    return nodeid


def _is_left_out(path: Path) -> bool | None:
    """Files without a wanted test need not be imported. None: no opinion."""
    with contextlib.suppress(Exception):
        name = str(path)
        if _state.files and name.endswith(".py") and os.path.isfile(name):  # noqa: PTH113
            return True if os.path.realpath(name) not in _state.files else None
    return None


if int(pytest.__version__.split(".", 1)[0]) >= 7:

    def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
        """See `_is_left_out`."""
        return _is_left_out(collection_path) if config is _state.config else None

else:  # pragma: no cover - the older name of the same hook

    def pytest_ignore_collect(path: Any, config: Any) -> bool | None:  # type: ignore[misc]
        """See `_is_left_out`."""
        return _is_left_out(path) if config is _state.config else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Exactly the wanted tests stay, in the order in which they are; the same in every worker."""
    if config is not _state.config or _state.only is None:
        return
    wanted = _state.only
    chosen = [item for item in items if _native(item.nodeid) in wanted]
    others = [item for item in items if _native(item.nodeid) not in wanted]
    if others:
        items[:] = chosen
        config.hook.pytest_deselected(items=others)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tell what will run; of several workers, which have all the same, the first does."""
    if session.config is not _state.config or _state.worker not in ("", "gw0"):
        return
    with contextlib.suppress(Exception):
        for at in range(0, len(session.items), _PIECE):
            piece = session.items[at : at + _PIECE]
            _state.tell(e="list", ids=[[item.nodeid, _native(item.nodeid)] for item in piece])
        _state.tell(e="listed", count=len(session.items))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, None]:
    """Around everything that belongs to one test, its fixtures too."""
    if item.config is not _state.config:
        yield
        return
    nodeid = item.nodeid
    _state.running, _state.reports = nodeid, []
    _state.tell(e="start", id=nodeid, native=_native(nodeid), t=_now(), pid=os.getpid(), worker=_state.worker)
    _dump_later()
    outcome = yield
    if _state.stderr >= 0:
        faulthandler.cancel_dump_traceback_later()
    _state.running = ""
    with contextlib.suppress(Exception):
        # A test that has everything end at once, as `pytest.exit()` does, never ends itself.
        if _state.reports and outcome.excinfo is None:
            _state.tell(e="end", id=nodeid, native=_native(nodeid), **_summed(_state.reports))


def _dump_later() -> None:
    """Just before its time is up, a reader of the log is to see where a test hangs."""
    if _state.stderr >= 0:
        with contextlib.suppress(Exception):
            faulthandler.dump_traceback_later(float(_state.settings["dump_s"]), file=_state.stderr)


def pytest_runtest_logreport(report: Any) -> None:
    """Keep what was said of the running test; a controller hears of workers that were lost."""
    if report.nodeid == _state.running:
        _state.reports.append(report)
    elif report.when == "???" and not _state.running and not _state.worker:
        _state.tell(e="lost", id=report.nodeid, native=_native(report.nodeid))


def _summed(reports: list[Any]) -> dict[str, object]:
    status, message = "skipped" if any(r.outcome == "skipped" for r in reports) else "passed", ""
    attempts = [r for r in reports if r.outcome in ("failed", "skipped", "passed")]
    bad = [r for r in attempts if r.outcome == "failed"]
    if bad:
        status = "failed" if any(r.when == "call" for r in bad) else "errored"
        crash = getattr(bad[0].longrepr, "reprcrash", None)
        message = str(getattr(crash, "message", bad[0].longrepr)).split("\n", 1)[0][:500]
    spent = sum(float(getattr(r, "duration", 0.0)) for r in attempts)
    again = sum(r.outcome == "rerun" for r in reports)
    return {"s": status, "d": round(spent, 6), "m": message, "again": again}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """That nothing ran is no fault of a part: another pytest of the command has its tests."""
    if session.config is not _state.config:
        return
    if _state.only is not None and int(exitstatus) == _NO_TESTS:
        session.exitstatus = 0
    _state.tell(e="close", status=int(exitstatus), worker=_state.worker)
