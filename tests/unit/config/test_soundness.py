"""Options that cannot work together are told before anything runs, with their line and a way out."""

from __future__ import annotations

import pytest

from rocm_ci.config.load import load
from rocm_ci.errors import ConfigError


def problem(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(text, {})
    return caught.value


def suites(*lines: str, more: str = "") -> str:
    return more + "test:\n" + "".join(f"  - {{name: {line}}}\n" for line in lines)


@pytest.mark.parametrize(
    ("line", "what", "hint"),
    [
        ("b, run: x, after: [c]", "there is no suite called 'c'", "there are: a, b"),
        ("b, run: x, shards: 2, alone: true", "to run alone", "drop one"),
        ("b, run: x, shards: 2, runner: command", "which tests it has", "pytest, ctest or gtest"),
        ("b, run: x, warm-up-timeout: 0s", "no time to wait for", "between"),
        ("b, run: x, test-timeout: 20m", "would never pass within", "shorter"),
        ("b, run: x, expected: ../list", "no file of the checkout", "tests/expected.txt"),
        ("b, run: x, shards: 257", "", ""),
    ],
)
def test_a_suite_that_cannot_work_is_told_with_its_line(line: str, what: str, hint: str) -> None:
    error = problem(suites("a, run: x", line))

    assert str(error).startswith(".github/rocm-ci.yml:3: ")
    assert what in str(error)
    assert hint in error.hint


def test_parts_that_could_never_run_side_by_side_are_told() -> None:
    error = problem(suites("a, run: x, shards: 4", more="parallel: 1\n"))

    assert "no two of its parts could run side by side" in str(error)
    assert load(suites("a, run: x, shards: 0", more="parallel: 1\n"), {}).config.test[0].shards == 0


@pytest.mark.parametrize(
    ("lines", "circle"),
    [
        (("a, run: x, after: [a]",), "a after a"),
        (("a, run: x, after: [b]", "b, run: x, after: [a]"), "a after b after a"),
        (
            ("z, run: x", "a, run: x, after: [z, b]", "b, run: x, after: [c]", "c, run: x, after: [b]"),
            "b after c after b",
        ),
    ],
)
def test_suites_that_wait_for_each_other_are_told_as_a_circle(lines: tuple[str, ...], circle: str) -> None:
    error = problem(suites(*lines))

    assert f"goes in a circle: {circle}" in str(error)


def test_a_chain_is_no_circle_however_it_is_written() -> None:
    chain = suites("c, run: x, after: [b, a]", "b, run: x, after: [a, a]", "a, run: x")

    assert len(load(chain, {}).config.test) == 3


def test_thousands_of_suites_in_a_row_are_looked_at_quickly() -> None:
    lines = ["s0, run: x", *(f"s{n}, run: x, after: [s{n - 1}]" for n in range(1, 2000))]

    assert len(load(suites(*lines), {}).config.test) == 2000


def test_a_wait_that_no_job_lives_to_see_is_told() -> None:
    assert "too long" in str(problem("lease-wait: 169h\n"))
