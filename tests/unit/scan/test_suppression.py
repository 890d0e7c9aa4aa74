"""`rocm-ci: allow RULE-ID reason`, in every comment syntax, and what is wrong with a bad one."""

from __future__ import annotations

import pytest

from rocm_ci.config.options import ScanOptions
from rocm_ci.model.finding import Severity, Silenced, SilencedBy
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
        f"// rocm-ci: allow-file cuda-runtime-api {REASON}\n\n\ncudaFree(0);",
        f"cudaFree(0);\n\n// rocm-ci: allow-file cuda-runtime-api {REASON}",
    ],
)
def test_a_comment_on_the_line_above_it_or_for_the_file_silences_the_rule(line: str) -> None:
    scanned = scan_all({"a.cpp": line + "\n"})

    assert (scanned.findings, scanned.suppressed) == ((), 1)


@pytest.mark.parametrize(
    "line",
    [
        f"// rocm-ci:allow cuda-driver-api, cuda-runtime-api {REASON}\ncudaFree(cuInit(0));",
        f"// rocm-ci: allow cuda-driver-api {REASON}\n// rocm-ci: allow cuda-runtime-api {REASON}\ncudaFree(cuInit(0));",
        f"// rocm-ci: allow-file cuda-driver-api {REASON}\n// rocm-ci: allow cuda-runtime-api {REASON}\ncudaFree(cuInit(0));",
    ],
    ids=["listed", "stacked", "of both kinds"],
)
def test_several_rules_are_silenced_together(line: str) -> None:
    scanned = scan_all({"a.cpp": line + "\n"})

    assert (scanned.findings, scanned.suppressed) == ((), 2)


def test_what_was_silenced_is_kept_with_who_said_so() -> None:
    text = f"// rocm-ci: allow-file cuda-driver-api both ways\ncudaFree(cuInit(0)); // rocm-ci: allow cuda-runtime-api {REASON}\n"
    silenced = {f.rule: f.silenced for f in scan_all({"a.cpp": text}).silenced}

    assert silenced == {
        "cuda-driver-api": Silenced(by=SilencedBy.FILE, reason="both ways", line=1),
        "cuda-runtime-api": Silenced(by=SilencedBy.COMMENT, reason=REASON, line=2),
    }


@pytest.mark.parametrize("sign", ["allow", "allow-file"])
def test_a_suppression_that_silences_nothing_is_a_note(sign: str) -> None:
    (found,) = scan_all({"a.cpp": f"int x; // rocm-ci: {sign} cuda-runtime-api {REASON}\n"}).findings

    assert (found.rule, found.severity, found.line) == ("unused-suppression", Severity.NOTE, 1)
    assert "`cuda-runtime-api`" in found.message


def test_of_several_rules_the_needless_one_is_named() -> None:
    text = f"cudaFree(0); // rocm-ci: allow cuda-runtime-api, cuda-driver-api {REASON}\n"
    (found,) = scan_all({"a.cpp": text}).findings

    assert "`cuda-driver-api`" in found.message


def test_a_suppression_of_a_rule_that_is_not_tried_here_is_not_called_unused() -> None:
    text = f"int m(int lane) {{ return 1 << lane; }} // rocm-ci: allow lane-shift-32-bit {REASON}\n"
    off = ScanOptions(rules={"lane-shift-32-bit": "off"})

    assert scan_all({"a.hip": text}, archs=("gfx1100",)).findings == ()
    assert scan_all({"a.hip": text}, options=off).findings == ()


@pytest.mark.parametrize(
    "first",
    [f"// rocm-ci: allow cuda-runtime-api {REASON}", f"// rocm-ci: allow-file cuda-runtime-api {REASON}"],
)
def test_a_new_comment_about_an_old_line_is_not_called_unused(first: str) -> None:
    tree = Tree({"a.cpp": f"{first}\ncudaFree(0);\n"})
    scanned = scan(tree, added("a.cpp", (1, 1)), ScanOptions(), ("gfx90a",), book=BOOK)

    assert (scanned.findings, scanned.silenced) == ((), ())


def test_the_notes_can_be_turned_off_or_up() -> None:
    text = "int a; // rocm-ci: allow nonsense at all\n"
    off, up = (ScanOptions(rules={"unknown-suppression": level}) for level in ("off", "error"))

    assert scan_all({"a.cpp": text}, options=off).findings == ()
    assert [f.severity for f in scan_all({"a.cpp": text}, options=up).findings] == [Severity.ERROR]


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

    assert [f.rule for f in scanned.findings if f.severity is not Severity.NOTE] == ["cuda-runtime-api"]
    assert scanned.suppressed == 0


def test_a_suppression_without_a_reason_is_a_note() -> None:
    (first, _) = scan_all({"a.cpp": "// rocm-ci: allow cuda-runtime-api\ncudaFree(0);\n"}).findings

    assert first.severity is Severity.NOTE


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
