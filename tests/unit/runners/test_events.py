"""What the plug-in writes down, understood; and what a hostile test writes beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rocm_ci.model.case import CaseStatus
from rocm_ci.runners import junit
from rocm_ci.runners.events import Events, reported
from tests.unit.runners.slots import events

if TYPE_CHECKING:
    from pathlib import Path


def heard(path: Path, *told: object, now: float = 100.0) -> Events:
    found = events(path)
    with path.open("ab") as sink:
        for event in told:
            sink.write(b"\n" + (event if isinstance(event, bytes) else json.dumps(event).encode()) + b"\n")
    found.follow(now)
    return found


def test_tests_are_listed_in_order_and_once(tmp_path: Path) -> None:
    found = heard(
        tmp_path / "e",
        {"e": "list", "ids": [["t/a.py::b", "a.py::b"], ["t/a.py::C::d[x y]", "a.py::C::d[x y]"]]},
        {"e": "list", "ids": [["t/a.py::b", "a.py::b"]]},
    )

    assert [(one.id, one.native) for one in found.listed.values()] == [
        ("t.a::b", "a.py::b"),
        ("t.a.C::d[x y]", "a.py::C::d[x y]"),
    ]


def test_a_test_without_an_end_is_running_since_it_began(tmp_path: Path) -> None:
    found = heard(
        tmp_path / "e",
        {"e": "start", "id": "a.py::a", "t": 40.0},
        {"e": "start", "id": "a.py::b", "t": 41.5},
        {"e": "end", "id": "a.py::a", "s": "failed", "d": 0.25, "m": "x\x1b[31m != y", "again": 0},
    )

    (running,) = found.watch.running()
    assert (running.id, running.began) == ("a::b", 41.5)
    ended = found.watch.seen["a::a"]
    assert (ended.status, ended.message, ended.duration_s) == (CaseStatus.FAILED, "x != y", 0.25)


def test_a_pass_after_repetitions_of_pytest_itself_is_flaky(tmp_path: Path) -> None:
    found = heard(tmp_path / "e", {"e": "end", "id": "a.py::a", "s": "passed", "again": 2})

    seen = found.watch.seen["a::a"]
    assert (seen.status, seen.failures) == (CaseStatus.FLAKY, 2)


@pytest.mark.parametrize(
    "line",
    [b"\0\xff", b"[]", b"3", b'{"e": "start"}', b'{"e": "start", "id": 3}', b'{"e": "list", "ids": [[1]]}',
     b'{"e": "list", "ids": {}}', b"[" * 100_000, b'{"e": "end", "id": "a.py::a", "d": "NaN", "again": 1e300'],
)  # fmt: skip
def test_what_cannot_be_understood_is_passed_over(tmp_path: Path, line: bytes) -> None:
    found = heard(tmp_path / "e", line, {"e": "start", "id": "b.py::b"})

    assert [seen.id for seen in found.watch.running()] == ["b::b"]
    assert not found.listed


@pytest.mark.parametrize(
    "event",
    [
        {"e": "start", "id": "a.py::a", "t": 1e300},
        {"e": "start", "id": "a.py::a", "t": "soon"},
        {"e": "start", "id": "a.py::a", "t": float("nan")},
    ],
)
def test_no_test_begins_in_the_future(tmp_path: Path, event: object) -> None:
    found = heard(tmp_path / "e", event, now=100.0)

    assert found.watch.seen["a::a"].began == 100.0


def test_numbers_out_of_all_bounds_are_bounded(tmp_path: Path) -> None:
    found = heard(tmp_path / "e", {"e": "end", "id": "a.py::a", "s": "odd", "d": -1, "again": 1e300})

    seen = found.watch.seen["a::a"]
    assert (seen.status, seen.duration_s, seen.failures) == (CaseStatus.ERRORED, 0.0, 101)


@pytest.mark.parametrize("field", ["t", "d", "again"])
@pytest.mark.attack("input", "a number in an event of our plug-in that is too large for a float")
def test_a_whole_number_without_end_is_bounded(tmp_path: Path, field: str) -> None:
    found = heard(
        tmp_path / "e", {"e": "start", "id": "a.py::a"}, {"e": "end", "id": "a.py::a", field: 10**400}
    )

    seen = found.watch.seen["a::a"]
    assert seen.status is CaseStatus.ERRORED
    assert seen.duration_s in (0.0, 1e12)


@pytest.mark.attack("input", "texts without end, lists and objects where an event of our plug-in has a name")
def test_names_are_short_texts(tmp_path: Path) -> None:
    odd: list[object] = ["x" * 100_000, ["a.py::a"], {}, 7, None, ""]
    told = [{"e": kind, "id": name} for kind in ("start", "end", "lost") for name in odd]
    found = heard(tmp_path / "e", *told, {"e": "list", "ids": [[name, "b"] for name in odd]})
    named = heard(tmp_path / "n", *({"e": "end", "id": "a.py::a", "native": n, "m": n, "s": n} for n in odd))

    assert (found.watch.seen, found.lost, found.listed) == ({}, set(), {})
    assert [seen.native for seen in named.watch.seen.values()] == ["a.py::a"]


@pytest.mark.attack("input", "memory filled by invented tests in the events of our plug-in")
def test_invented_names_fill_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocm_ci.runners.events.MAX_TEXT", 10_000)
    monkeypatch.setattr("rocm_ci.runners.live.MAX_TEXT", 10_000)
    names = [f"a.py::{number}{'x' * 1_000}" for number in range(100)]

    for kind in ("start", "end", "lost"):
        found = heard(tmp_path / kind, *({"e": kind, "id": name} for name in names))
        assert len(found.watch.seen) + len(found.lost) < 15
    assert len(heard(tmp_path / "list", {"e": "list", "ids": [[n, n] for n in names]}).listed) < 15


def test_half_a_line_waits_for_the_other_half(tmp_path: Path) -> None:
    path = tmp_path / "e"
    found = events(path)
    with path.open("ab", buffering=0) as sink:
        sink.write(b'\n{"e": "start", "id"')
        found.follow()
        assert not found.watch.seen
        sink.write(b': "a.py::a"}\n')
    found.follow()

    assert "a::a" in found.watch.seen


def test_a_file_put_in_its_place_is_not_read(tmp_path: Path) -> None:
    path, other = tmp_path / "e", tmp_path / "other"
    found = events(path)
    other.write_bytes(b'{"e": "start", "id": "a.py::a"}\n')
    path.unlink()
    path.symlink_to(other)
    found.follow()

    assert not found.is_heard


@pytest.mark.parametrize(
    "node",
    ["tests/a.py::test_b", "a.py::C::test_b[x::y/z.py]", "a.py::test_b[\x1b[31m]", "a.py::test_b[a\tb]",
     "a.py::test_b[" + "z" * 2000 + "]", "a.py::test_b[\ud800]"],
)  # fmt: skip
def test_a_node_id_becomes_the_id_that_the_report_gets(tmp_path: Path, node: str) -> None:
    from _pytest.junitxml import bin_xml_escape, mangle_test_address

    names = mangle_test_address(node)
    path = tmp_path / "r.xml"
    group, name = bin_xml_escape(".".join(names[:-1])), bin_xml_escape(names[-1])
    path.write_text(
        f'<testsuite><testcase classname="{group}" name="{name.replace(chr(9), "&#9;")}"/></testsuite>'
    )
    (case,) = junit.joined([("r", junit.read_file(path))]).cases

    assert reported(node) == (case.id, case.name)
