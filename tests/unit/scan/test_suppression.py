"""`rocm-ci: allow RULE-ID reason`, in every comment syntax, and what is wrong with a bad one."""

from __future__ import annotations

import pytest

from rocm_ci.config.options import ScanOptions
from rocm_ci.scan.engine import scan
from rocm_ci.scan.suppression import find
from tests.unit.scan.trees import BOOK, Tree, added, scan_all

REASON = "the NVIDIA build calls it"


@pytest.mark.parametrize(
    "line",
    [
        f"cudaFree(0); // rocm-ci: allow cuda-runtime-api {REASON}",
        f"cudaFree(0); /* rocm-ci: allow cuda-runtime-api: {REASON} */",
        f"// rocm-ci: allow cuda-runtime-api {REASON}\ncudaFree(0);",
        f"/* rocm-ci: allow cuda-runtime-api {REASON} */\ncudaFree(0);",
        f"// rocm-ci:allow cuda-header, cuda-runtime-api {REASON}\ncudaFree(0);",
        f"// rocm-ci: allow cuda-header {REASON}\n// rocm-ci: allow cuda-runtime-api {REASON}\ncudaFree(0);",
    ],
)
def test_a_comment_on_the_line_or_above_it_silences_the_rule(line: str) -> None:
    scanned = scan_all({"a.cpp": line + "\n"})

    assert (scanned.findings, scanned.suppressed) == ((), 1)


@pytest.mark.parametrize(
    "text",
    [
        f"// rocm-ci: allow cuda-header {REASON}\ncudaFree(0);\n",
        f"// rocm-ci: allow cuda-runtime-api {REASON}\n\ncudaFree(0);\n",
        f"int a; // rocm-ci: allow cuda-runtime-api {REASON}\ncudaFree(0);\n",
        f'const char* s = "rocm-ci: allow cuda-runtime-api {REASON}"; cudaFree(0);\n',
    ],
    ids=["another rule", "two lines up", "beside other code", "in a string"],
)
def test_other_comments_silence_nothing(text: str) -> None:
    scanned = scan_all({"a.cpp": text})

    assert [f.rule for f in scanned.findings] == ["cuda-runtime-api"]
    assert scanned.suppressed == 0


@pytest.mark.parametrize("reason", ["", " ", " -", " */", "x"])
def test_without_a_reason_it_is_not_honoured_and_said_so(reason: str) -> None:
    found = scan_all(
        {"a.cpp": f"/* rocm-ci: allow cuda-runtime-api{reason and ' ' + reason}\n*/ cudaFree(0);\n"}
    ).findings

    assert [f.rule for f in found] == ["suppression-without-reason", "cuda-runtime-api"]


def test_an_unknown_rule_is_answered_with_the_nearest_one() -> None:
    (found,) = scan_all({"a.cpp": f"int a; // rocm-ci: allow cuda-runtime-apis {REASON}\n"}).findings

    assert found.rule == "unknown-suppression"
    assert "`cuda-runtime-api`" in found.message


def test_naming_no_rule_is_told() -> None:
    (found,) = scan_all({"a.cpp": "int a; // rocm-ci: allow\n"}).findings

    assert found.message == "this suppression names no rule"


def test_old_mistakes_are_not_told_in_a_change() -> None:
    tree = Tree({"a.cpp": "int a; // rocm-ci: allow nonsense here\nint b;\n"})

    assert scan(tree, added("a.cpp", (2, 2)), ScanOptions(), ("gfx90a",), book=BOOK).findings == ()


def test_an_old_comment_silences_a_new_line() -> None:
    tree = Tree({"a.cpp": f"// rocm-ci: allow cuda-runtime-api {REASON}\ncudaFree(0);\n"})
    scanned = scan(tree, added("a.cpp", (2, 2)), ScanOptions(), ("gfx90a",), book=BOOK)

    assert (scanned.findings, scanned.suppressed) == ((), 1)


@pytest.mark.parametrize("sign", ["#", "//", "<!--", "--", ";", "REM ", " * "])
def test_every_comment_sign_is_known(sign: str) -> None:
    (found,) = find((f"{sign} rocm-ci: allow some-rule because it must",))

    assert (found.rules, found.reason, found.covers) == (("some-rule",), "because it must", (1, 2))
