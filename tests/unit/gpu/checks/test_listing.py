from __future__ import annotations

import re

import pytest

from rocm_ci.gpu.checks import outcome
from rocm_ci.gpu.checks.listing import listing
from rocm_ci.model.facts import Facts, Gpu, Host
from rocm_ci.model.result import Check

FACTS = Facts(
    host=Host(os="Ubuntu 24.04", kernel="6.8.0", container="docker"),
    gpus=tuple(Gpu(index=n, name="AMD Instinct MI300X") for n in range(8)),
)
FINE = outcome.fine("kernel", "Linux 6.8.0", "Linux 5.15")
ADVICE = outcome.advice("iommu", "not passed through", "`iommu=pt`", "add `iommu=pt` to the command line")
WRONG = outcome.wrong("gpus", "no GPU", "1 GPU(s)", "choose another runner")
UNKNOWN = outcome.unknown("cpus", "nobody tells", "2 processors", "mount /proc")
AWAY = outcome.unknown("ecc", outcome.NO_GPU, "no error")
AWAY_TOO = outcome.unknown("vram", outcome.NO_GPU, "free memory")
UNUSED = outcome.unused("torch", "torch is not installed", "a ROCm build")
ALL = (FINE, ADVICE, WRONG, UNKNOWN, AWAY, AWAY_TOO, UNUSED)


def plain(*checks: Check, width: int = 100) -> str:
    return listing(checks, FACTS, width=width)


def test_each_check_stands_in_its_group_with_what_it_needs_and_how_to_get_there() -> None:
    assert plain(*ALL) == (
        "Ubuntu 24.04 · kernel 6.8.0 · inside a docker container · 8 × AMD Instinct MI300X\n"
        "\n"
        "host\n"
        "  ✓ kernel           Linux 6.8.0\n"
        "  ! iommu            not passed through\n"
        "                     needed   `iommu=pt`\n"
        "                     fix      add `iommu=pt` to the command line\n"
        "  ? cpus             nobody tells → mount /proc\n"
        "\n"
        "devices\n"
        "  ✗ gpus             no GPU\n"
        "                     needed   1 GPU(s)\n"
        "                     fix      choose another runner\n"
        "\n"
        "software\n"
        "  – torch            torch is not installed\n"
        "\n"
        "not applicable\n"
        "  – ecc, vram: there is no GPU to look at\n"
        "    → run it on a machine with an AMD GPU and its amdgpu driver loaded\n"
        "\n"
        "This machine cannot do what is asked.\n"
        "1 wrong, 1 advice, 1 unknown, 1 as needed, 2 not applicable, 1 not used.\n"
        "  ✗ wrong  gpus\n"
        "  ! advice iommu"
    )


def test_the_last_lines_say_whether_it_will_do() -> None:
    assert "This machine can do what is asked.\n1 as needed." in plain(FINE)
    assert "there is something to make better" in plain(FINE, ADVICE)
    without = outcome.advice("gpus", "no GPU", "an AMD GPU", "choose another runner")
    assert "Without a GPU this machine can scan and build" in plain(without)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    long = outcome.wrong("disk", "word " * 60, "/a/path/" + "x" * 200, "do " * 50)

    text = plain(*ALL, long, width=width)

    assert max(map(len, text.splitlines())) <= width
    assert len(plain(*ALL, long, width=5).splitlines()) == len(plain(*ALL, long, width=60).splitlines())


def test_colours_change_nothing_but_the_colours() -> None:
    coloured = listing(ALL, FACTS, colour=True)

    assert "\033[31m✗\033[0m \033[1mgpus" in coloured
    assert re.sub(r"\033\[[\d;]*m", "", coloured) == plain(*ALL)


def test_what_a_machine_says_cannot_steer_the_terminal() -> None:
    hostile = outcome.wrong("disk", "\033[2J\rgone\n::error::x", "a\x00b", "\x9b31mred")

    text = plain(hostile)

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    assert "\n::error" not in text
