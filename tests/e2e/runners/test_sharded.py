"""Real suites of each kind cut into shards: the same results as in one piece, whatever the number of pieces."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import require
from tests.e2e.runners.conftest import PYTEST

if TYPE_CHECKING:
    from rocm_ci.model.result import Suite
    from tests.e2e.runners.conftest import Project

# Every outcome, names that need quoting, a fixture shared by a module, an order that matters to nobody.
PYTESTS = {
    "tests/test_a.py": """\
import pytest

@pytest.fixture(scope="module")
def shared(): return []

@pytest.mark.parametrize("text", ["a b", "a::b", "x/y", "[1]", "é", "a'b", '"', "-k", "@f", "%", "$HOME", ""])
def test_odd(text, shared): shared.append(text)

@pytest.mark.parametrize("n", range(5))
def test_number(n): assert n != 3, f"{n} is wrong"

@pytest.mark.skip(reason="not today")
def test_skipped(): pass

@pytest.mark.xfail(reason="known")
def test_known(): assert False

def test_error(missing_fixture): pass
""",
    "tests/sub/test_b.py": "def test_number(): pass\n\nclass TestIn:\n    def test_x(self): pass\n    def test_y(self): assert 0\n",
}
GTESTS = r"""
#include <gtest/gtest.h>
TEST(Plain, Good) {}
TEST(Plain, Bad) { EXPECT_EQ(32, 64); }
TEST(Plain, DISABLED_Later) {}
TEST(Plain, Skipped) { GTEST_SKIP() << "needs two GPUs"; }
class Widths : public testing::TestWithParam<int> {};
TEST_P(Widths, Sum) { EXPECT_LT(GetParam(), 64); }
INSTANTIATE_TEST_SUITE_P(All, Widths, testing::Values(1, 2, 32, 64));
template <class T> class Typed : public testing::Test {};
typedef testing::Types<int, float> Both;
TYPED_TEST_SUITE(Typed, Both);
TYPED_TEST(Typed, Size) { EXPECT_EQ(sizeof(TypeParam), 4u); }
"""
CTESTS = """\
cmake_minimum_required(VERSION 3.16)
project(x NONE)
enable_testing()
foreach(n RANGE 1 6)
  add_test(NAME good.${n} COMMAND true)
endforeach()
add_test(NAME bad COMMAND sh -c "echo src/a.cc:12: Failure; exit 1")
add_test(NAME "odd name (1) [x] a+b" COMMAND true)
add_test(NAME missing COMMAND never_built)
add_test(NAME skipped COMMAND sh -c "exit 77")
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
"""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = require.program("g++", "apt-get install g++")
    if not Path("/usr/include/gtest/gtest.h").is_file():
        require.missing("libgtest-dev", "apt-get install libgtest-dev")
    source = tmp_path_factory.mktemp("gtest") / "unit.cc"
    source.write_text(GTESTS)
    command = [
        compiler,
        "-O0",
        str(source),
        "-o",
        str(source.with_suffix("")),
        "-lgtest",
        "-lgtest_main",
        "-pthread",
    ]
    subprocess.run(command, check=True, timeout=300)
    return source.with_suffix("")


def told(suite: Suite) -> list[tuple[str, str, str | None, int]]:
    """What a reader is told of each test. Not the order of the pieces, and not how long each took."""
    return sorted((case.id, case.status.value, case.message, case.attempts) for case in suite.cases)


def same(project: Project, run: str, shards: int, **options: Any) -> Suite:
    suite = {"name": "unit", "run": run, "gpus": 1, **options}
    (whole,) = project.stage(suite, gpus=8).suites
    (cut,) = project.stage({**suite, "shards": shards}, gpus=8).suites

    assert told(cut) == told(whole)
    assert cut.verdict is whole.verdict
    assert "not split" not in cut.reason
    assert cut.shards == min(shards, len(whole.cases))
    return cut


@pytest.mark.parametrize("shards", [2, 5])
def test_pytest(project: Project, shards: int) -> None:
    for name, text in PYTESTS.items():
        project.write(name, text)

    assert len(same(project, f"{PYTEST} -q tests", shards).cases) == 23


def test_googletest(project: Project, program: Path) -> None:
    assert {case.status.value for case in same(project, f"{program} --gtest_color=no", 3).cases} >= {
        "passed",
        "failed",
        "skipped",
    }


def test_ctest(project: Project) -> None:
    require.program("ctest", "apt-get install cmake")
    project.write("CMakeLists.txt", CTESTS)
    project.suite("cmake -S . -B build >/dev/null")

    assert len(same(project, "ctest --test-dir build", 3).cases) == 10
