from __future__ import annotations

import pytest

from rocm_ci.gpu.framing import without_margin

TEXT = "Agent 1\n  Name:   gfx90a\n\n  Node:   1\n"


@pytest.mark.parametrize(
    "margin",
    [
        "test-1  | ",
        "> ",
        "0: ",
        "[1,0]<stdout>:",
        "[pod/tests-x7k2p/main] ",
        "gpu-tests\tRun rocminfo\t2026-03-01T10:00:00.1234567Z ",
    ],
)
def test_the_margin_that_all_lines_share_is_taken_off(margin: str) -> None:
    framed = "".join((margin + line).rstrip() + "\n" for line in TEXT.splitlines())

    assert without_margin(framed) == TEXT


def test_lines_of_two_hosts_are_not_mixed_into_one() -> None:
    framed = "".join(f"{n}: {line}\n" for line in TEXT.splitlines() for n in (0, 1))

    assert without_margin(framed) == framed


@pytest.mark.parametrize(
    "text",
    [
        "a | 1\nb | 2\nc | 3\n",
        '{\n  "card0": {"Card Series": "MI300X"}\n}\n',
        "0000:c1:00.0 Display controller\n0000:c2:00.0 Display controller\n0000:c3:00.0 VGA\n",
        "x | 1\n",
    ],
)
def test_what_is_no_margin_stays(text: str) -> None:
    assert without_margin(text) == text
