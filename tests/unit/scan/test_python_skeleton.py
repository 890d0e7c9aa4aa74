"""Python text without the bodies that no rule and no guard needs."""

from __future__ import annotations

import ast

import pytest

from rocm_ci.scan import python_skeleton as skeleton

FILL = "# " + "x" * 4000 + "\n"
BODY = "    a = 1\n    b = 2\n    c = 3\n    return a + b + c\n"


def left(text: str, *hits: int) -> str:
    """What is left of a text that is long enough to be worth it."""
    made = skeleton.of(FILL + text, [n + 1 for n in hits])
    if made is None:
        return text
    short, passes = made
    assert short.count("\n") == (FILL + text).count("\n"), "every line keeps its number"
    assert skeleton.holds(ast.parse(short), passes)
    return short.removeprefix(FILL)


def test_the_body_of_a_function_without_a_hit_becomes_pass_on_its_last_line() -> None:
    assert left(f"def f(x):\n{BODY}y = 1\n", 6) == "def f(x):\n\n\n\n pass\ny = 1\n"


def test_a_body_with_a_hit_stays() -> None:
    text = f"def f(x):\n{BODY}"

    assert left(text, 3) == text


def test_methods_and_inner_functions_are_left_out_too() -> None:
    text = "class C:\n    def m(self) -> None:\n        a = 1\n        b = 2\n        c = 3\n        d = 4\n    x = 1\n"

    assert left(text, 7) == "class C:\n    def m(self) -> None:\n\n\n\n     pass\n    x = 1\n"


@pytest.mark.parametrize(
    "line",
    [
        "self.is_rocm = torch.version.hip is not None",
        "return torch.version.hip is not None",
        "USE = (\n        current_platform.is_cuda()\n    )",
        "have = find_library('nvml')",
    ],
)
def test_a_body_that_teaches_the_vendor_stays(line: str) -> None:
    text = f"def f(self):\n    a = 1\n    b = 2\n    c = 3\n    {line}\n"

    assert left(text) == text


@pytest.mark.parametrize(
    "line", ['x = y.to("cuda")', "x = torch.cuda.current_stream()", "chip = 1", "y.cuda()"]
)
def test_devices_of_every_build_of_torch_teach_nothing(line: str) -> None:
    assert "pass" in left(f"def f(self):\n    a = 1\n    b = 2\n    c = 3\n    {line}\n")


def test_a_signature_of_many_lines_stays() -> None:
    head = "def f(\n    x: int = 1,\n    *,\n    y: dict[str, int] | None = None,\n) -> int:  # noqa\n"

    assert left(head + BODY) == head + "\n\n\n pass\n"


@pytest.mark.parametrize(
    "text",
    [
        'def f():\n    x = """\nat the margin\n    b\n    c\n"""\n    return x\n',
        "def f(): return 1\nx = 2\n",
        "def f(x, y=(1,\n    2)): return 1\n",
    ],
)
def test_what_cannot_be_told_apart_stays(text: str) -> None:
    assert left(text) == text


def test_text_that_only_looks_like_a_function_is_noticed() -> None:
    text = f'{FILL}S = """\ndef f(x):\n{BODY}"""\n'
    made = skeleton.of(text, [])
    assert made is not None

    assert not skeleton.holds(ast.parse(made[0]), made[1])


def test_short_files_are_not_worth_it() -> None:
    assert skeleton.of(f"def f(x):\n{BODY}", []) is None
