"""A seeded draw of tests, laid out as a project with suites of three runners and a configuration."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.chaos.behaviours import BEHAVIOURS, BY_NAME, CTEST, GTEST, PYTEST, Behaviour

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
_SHARE = {PYTEST: 0.7, CTEST: 0.15, GTEST: 0.15}
_EACH = 10
_MOST_GPUS = 2
TEST_TIMEOUT = "4s"


@dataclass(frozen=True)
class Planted:
    """One test: where it stands, what it does, and under which id a report must name it."""

    number: int
    behaviour: Behaviour
    suite: str
    runner: str
    id: str


def draw(seed: int, tests: int) -> tuple[Planted, ...]:
    """The same tests for the same seed. Every behaviour is there at least once."""
    luck = random.Random(seed)  # noqa: S311 - the same tests for the same seed
    planted: list[Planted] = []
    counts: dict[str, int] = {}
    owed = {runner: [b for b in BEHAVIOURS if runner in b.runners] for runner in _SHARE}
    for runner, share in _SHARE.items():
        wanted = round(tests * share)
        # What only this runner has first, so that nothing is left out; then by weight.
        sure = [b for b in owed[runner] if runner == PYTEST or b.weight > 2][: wanted // 2]
        chosen = sure + [_pick(luck, runner, counts, sure) for _ in range(wanted - len(sure))]
        for behaviour in chosen:
            counts[behaviour.name] = counts.get(behaviour.name, 0) + 1
        luck.shuffle(chosen)
        planted += _placed(runner, _dealt(chosen), len(planted))
    return tuple(planted)


def _pick(luck: random.Random, runner: str, counts: dict[str, int], sure: Sequence[Behaviour]) -> Behaviour:
    while True:
        behaviour = luck.choices(BEHAVIOURS, [b.weight for b in BEHAVIOURS])[0]
        if runner not in behaviour.runners:
            continue
        # `counts` holds other runners; this one's own sure ones are not in it yet.
        if counts.get(behaviour.name, 0) + (behaviour in sure) < behaviour.at_most:
            counts[behaviour.name] = counts.get(behaviour.name, 0)
            if behaviour.at_most < 200:
                counts[behaviour.name] += 1
            return behaviour


def _dealt(chosen: Sequence[Behaviour]) -> list[Behaviour]:
    """In suites of `_EACH`, none of which makes all GPUs unusable: without a healthy one nobody can judge."""
    suites: list[list[Behaviour]] = [[] for _ in range(0, len(chosen), _EACH)]
    for behaviour in sorted(chosen, key=lambda one: -one.gpus):
        open_ones = [s for s in suites if len(s) < _EACH and s is not suites[-1]] or [suites[-1]]
        open_ones += [suites[-1]] if len(suites[-1]) < _EACH and suites[-1] not in open_ones else []
        room = [s for s in open_ones if sum(b.gpus for b in s) + behaviour.gpus <= _MOST_GPUS] or open_ones
        min(room, key=lambda s: (sum(b.gpus for b in s), len(s))).append(behaviour)
    for number, suite in enumerate(suites):
        random.Random(number).shuffle(suite)  # noqa: S311 - the same order for the same draw
    return [behaviour for suite in suites for behaviour in suite]


def _placed(runner: str, chosen: Sequence[Behaviour], first: int) -> list[Planted]:
    placed = []
    for index, behaviour in enumerate(chosen):
        number, suite = first + index, f"{runner}-{index // _EACH:02d}"
        name = f"test_{number:03d}"
        identity = {
            PYTEST: f"{suite.replace('-', '_')}.test_chaos::{name}",
            CTEST: f"{name}::{name}",
            GTEST: f"Chaos::{name}",
        }[runner]
        placed.append(Planted(number, behaviour, suite, runner, identity))
    return placed


def write(root: Path, planted: Sequence[Planted], *, vanished: str) -> None:
    """The project below `root`, with its configuration. `vanished` is expected there and is not."""
    shutil.copyfile(HERE / "misbehave.py", root / "misbehave.py")
    suites: dict[str, list[Planted]] = {}
    for one in planted:
        suites.setdefault(one.suite, []).append(one)
    lines = ["version: 1", "stages: [build, test]", "build:"]
    lines += [
        "  - {name: tests, run: 'cmake -S . -B build && cmake --build build -j{jobs}'}",
        "test:",
    ]
    cmake = ["cmake_minimum_required(VERSION 3.16)", "project(chaos CXX)", "find_package(GTest REQUIRED)"]
    cmake += ["enable_testing()", "find_package(Python3 REQUIRED)"]
    for suite, tests in suites.items():
        lines.append("  - " + _entry(root, suite, tests, vanished))
        if tests[0].runner == GTEST:
            source = (HERE / "misbehave.cpp").read_text()
            source += "\n".join(
                f'TEST(Chaos, test_{t.number:03d}) {{ misbehave("{t.behaviour.name}", {t.number}); }}'
                for t in tests
            )
            (root / f"{suite}.cpp").write_text(source + "\n")
            cmake.append(
                f"add_executable({suite} {suite}.cpp)\ntarget_compile_features({suite} PRIVATE cxx_std_17)"
            )
            cmake.append(f"target_link_libraries({suite} GTest::gtest_main)")
        elif tests[0].runner == CTEST:
            # One folder of tests per suite: ctest runs what its folder holds.
            folder = root / suite
            folder.mkdir()
            (folder / "CMakeLists.txt").write_text("".join(_ctest(t) for t in tests))
            cmake.append(f"add_subdirectory({suite})")
        else:
            folder = root / suite.replace("-", "_")
            folder.mkdir()
            (folder / "test_chaos.py").write_text(_module(tests))
    (root / "CMakeLists.txt").write_text("\n".join(cmake) + "\n")
    (root / "pytest.ini").write_text("[pytest]\n")
    (root / ".github").mkdir()
    (root / ".github" / "rocm-ci.yml").write_text("\n".join(lines) + "\n")


def _entry(root: Path, suite: str, tests: Sequence[Planted], vanished: str) -> str:
    run = {
        PYTEST: f"$ROCM_CI_PYTHON -m pytest {suite.replace('-', '_')}",
        CTEST: f"ctest --test-dir build/{suite}",
        GTEST: f"build/{suite} --gtest_color=no",
    }[tests[0].runner]
    runner = tests[0].runner
    more = ""
    if suite == f"{PYTEST}-00":
        (root / "expected.txt").write_text("\n".join([*(t.id for t in tests), vanished]) + "\n")
        more = ", expected: expected.txt"
    limits = f"timeout: 5m, test-timeout: {TEST_TIMEOUT}"
    return f"{{name: {suite}, run: '{run}', runner: {runner}, gpus: 1, {limits}{more}}}"


def _ctest(test: Planted) -> str:
    name = f"test_{test.number:03d}"
    command = (
        f"${{Python3_EXECUTABLE}} ${{CMAKE_SOURCE_DIR}}/misbehave.py {test.behaviour.name} {test.number}"
    )
    return (
        f"add_test(NAME {name} COMMAND {command})\n"
        f"set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)\n"
    )


def _module(tests: Sequence[Planted]) -> str:
    head = (
        "import pytest\n\nimport misbehave\n\n\ndef _do(name, number):\n"
        "    try:\n        misbehave.run(name, number)\n"
        "    except misbehave.Skipped as why:\n        pytest.skip(str(why))\n"
    )
    body = "".join(
        f'\n\ndef test_{t.number:03d}():\n    _do("{t.behaviour.name}", {t.number})\n' for t in tests
    )
    return head + body


__all__ = ["BY_NAME", "Planted", "draw", "write"]
