"""Where a test failed, as the frameworks print it."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from rocm_ci.model.case import Case, CaseStatus
from rocm_ci.runners import location


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/a.cc:12: Failure\nExpected", ("src/a.cc", 12)),
        ("/b/a.cpp:15\nExpected equality", ("/b/a.cpp", 15)),
        ("def f():\n>  x\nlib/u.py:3: in f\ntests/test_a.py:9: AssertionError", ("tests/test_a.py", 9)),
        (
            'Traceback\n  File "a.py", line 3, in f\n  File "dir/b.py", line 44, in g\nValueError',
            ("dir/b.py", 44),
        ),
        ("FAILED:\n  CHECK( a )\nat reduce.tests.cpp:31\n", ("reduce.tests.cpp", 31)),
        ("at org.Tiles.sum(Tiles.java:41)", ("Tiles.java", 41)),
        ("bei Größen.cs:77 — halb", ("Größen.cs", 77)),
        ("took 12:30 minutes, see http://x.org:80", None),
        ("", None),
    ],
)
def test_the_failing_line_is_found(text: str, expected: tuple[str, int] | None) -> None:
    assert location.find(text) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.cc", "src/a.cc"),
        ("./src/../a.cc", "a.cc"),
        ("/srv/p/src/a.cc", "src/a.cc"),
        ("/usr/include/gtest.h", None),
        ("../../etc/passwd", None),
        ("/srv/p/../../etc/passwd", None),
        ("../tests/a.cpp", "tests/a.cpp"),
        ("../../tests/a.cpp", "tests/a.cpp"),
        ("../tests/b.cpp", None),
    ],
)
def test_a_place_is_told_relative_to_the_checkout_or_not_at_all(path: str, expected: str | None) -> None:
    case = Case(id="a", suite="", name="a", status=CaseStatus.FAILED, path=path, line=3)

    placed = location.placed(case, PurePosixPath("/srv/p"), is_file="tests/a.cpp".__eq__)

    assert (placed.path, placed.line) == (expected, 3 if expected else None)
