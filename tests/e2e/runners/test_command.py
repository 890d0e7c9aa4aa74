"""Any command: scripts, broken reports, missing programs, machine faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.errors import ConfigError
from rocm_ci.model.verdict import Verdict
from tests.e2e.runners.conftest import PYTEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocm_ci.model.result import Suite
    from tests.e2e.runners.conftest import Project

GREEN = "<testsuite name='s'><testcase classname='a' name='b'/></testsuite>"


def test_a_command_that_fills_the_placeholder_is_judged_by_its_report(project: Project) -> None:
    suite = project.suite(f'echo "{GREEN}" > {{junit}}')

    assert (suite.runner, suite.verdict, [case.id for case in suite.cases]) == (
        "command",
        Verdict.PASS,
        ["a::b"],
    )


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (f'echo "{GREEN}" > {{junit}}; exit 3', "exit status 3 although no test failed; 1 passed"),
        (
            f'echo "{GREEN}" > {{junit}}; kill -ABRT $$',
            "crashed with SIGABRT although no test had failed; 1 passed",
        ),
        ("echo hello # {junit}", "no JUnit XML was written (exit status 0)"),
        (": > {junit}", "the JUnit XML cannot be read: unit.xml: it is empty"),
        ("mkfifo {junit}", "the JUnit XML cannot be read: unit.xml: it is not a regular file"),
        ("ln -s /dev/zero {junit}", "the JUnit XML cannot be read: unit.xml: it is not a regular file"),
        (
            'echo "<html/>" > {junit}',
            "the JUnit XML cannot be read: unit.xml: no JUnit report: its root is <html>",
        ),
        ('echo "<testsuites/>" > {junit}', "no test ran (exit status 0)"),
        ("no_such_program {junit}", "the command cannot be started: no_such_program: command not found"),
        ("touch x; ./x {junit}", "the command cannot be started: ./x: Permission denied"),
    ],
)
def test_what_is_wrong_is_said_and_fails_the_change(project: Project, script: str, reason: str) -> None:
    suite = project.suite(script)

    assert (suite.verdict, suite.reason) == (Verdict.FAIL, reason)


def test_a_truncated_report_keeps_its_cases_and_fails(project: Project) -> None:
    cut = GREEN.removesuffix("</testsuite>") + "<testcase classname='a' name='c'><failure message='m'"

    suite = project.suite(f'echo "{cut}" > {{junit}}')

    assert suite.verdict is Verdict.FAIL
    assert suite.reason.startswith("the JUnit XML is truncated: unit.xml: the report breaks off")
    assert [case.id for case in suite.cases] == ["a::b"]


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("HW Exception by GPU node-1 (Agent handle: 0x5581) reason :GPU Hang", "the GPU hung"),
        ("Unable to open /dev/kfd read-write: Permission denied", "a GPU device may not be opened"),
        ("cc1plus: fatal error: cannot write: No space left on device", "the disk is full"),
    ],
)
def test_a_broken_machine_is_not_the_fault_of_the_change(project: Project, line: str, meaning: str) -> None:
    suite = project.suite(f"echo first; echo '{line}'; exit 1")

    assert suite.verdict is Verdict.ERROR
    assert suite.reason.startswith(f"perhaps the machine: {meaning}, says only log line 2 («")


def test_a_machine_fault_in_a_green_run_is_no_fault(project: Project) -> None:
    suite = project.suite(f'echo "{GREEN}" > {{junit}}; echo "checked: No space left on device"')

    assert suite.verdict is Verdict.PASS


def test_a_command_that_misses_a_gpu_it_never_asked_for_is_told_so(project: Project) -> None:
    suite = project.suite("echo 'hip error: no ROCm-capable device is detected'; exit 1")

    assert suite.verdict is Verdict.FAIL
    assert suite.reason == (
        "exit status 1; failed for want of a GPU: the suite asks for none (`gpus: 1` gives it one)"
    )


def test_a_command_killed_from_outside_runs_again_and_a_second_kill_is_its_own_fault(
    project: Project,
) -> None:
    suite = project.suite("kill -KILL $$")

    assert (suite.verdict, suite.reason) == (
        Verdict.FAIL,
        "crashed with SIGKILL; and again when it was repeated",
    )
    assert [one.why for one in suite.tries] == ["first run", "once more, as a whole"]


def test_a_command_killed_once_is_flaky(project: Project) -> None:
    suite = project.suite(f'test -e mark || {{ touch mark; kill -KILL $$; }}; echo "{GREEN}" > {{junit}}')

    assert suite.verdict is Verdict.NEUTRAL
    assert suite.reason == "the command was killed once, and ran to its end when repeated; 1 passed"


def test_a_missing_rocm_tool_blames_the_machine(project: Project) -> None:
    suite = project.suite("PATH=/nonexistent; rocprofv3 --version")

    assert suite.verdict is Verdict.ERROR
    assert "the ROCm tool rocprofv3 cannot be started" in suite.reason


def test_a_command_without_any_report_is_advised_to_write_one(project: Project) -> None:
    suite = project.suite("true")

    assert suite.verdict is Verdict.NEUTRAL
    assert "let the command write JUnit XML to {junit}" in suite.reason


def test_tests_that_all_skip_themselves_are_not_green(project: Project) -> None:
    text = "<testsuite><testcase name='a'><skipped/></testcase></testsuite>"

    suite = project.suite(f'echo "{text}" > {{junit}}')

    assert (suite.verdict, suite.reason) == (
        Verdict.SKIPPED,
        "all 1 test(s) were skipped: nothing was checked",
    )


def test_the_suite_learns_what_it_is_and_which_gpus_it_may_see(project: Project) -> None:
    run = (
        'echo "$ROCM_CI_SUITE $ROCM_CI_LAYER {jobs} {arch;} $ROCR_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES $MINE"'
    )
    project.stage(
        {"name": "sys", "run": run, "layer": "system", "gpus": 2, "env": {"MINE": "x"}}, gpus=4, jobs=3
    )

    assert (project.out / "logs/test-sys.log").read_text() == "sys system 3 gfx90a;gfx942 0,1 0,1 x\n"


def test_too_few_gpus_make_the_machine_unusable_or_skip_visibly(project: Project) -> None:
    options = {"name": "multi", "run": "touch ran", "gpus": 2}

    required = project.stage(options, gpus=1)
    relaxed = project.stage(options, gpus=1, **{"require-gpu": False})

    assert (required.verdict, relaxed.verdict) == (Verdict.ERROR, Verdict.SKIPPED)
    assert required.suites[0].reason == "machine unusable: needs 2 GPU(s), 1 seen"
    assert relaxed.suites[0].reason == "needs 2 GPU(s), 1 seen (`require-gpu: false`)"
    assert not (project.root / "ran").exists()


def test_a_misspelt_placeholder_is_told_before_anything_runs(project: Project) -> None:
    with pytest.raises(ConfigError, match=r"test\[b\]\.run: there is no placeholder \{junitt\}"):
        project.stage({"name": "a", "run": "touch ran"}, {"name": "b", "run": "x {junitt}"})

    assert not (project.root / "ran").exists()


def test_the_stage_counts_over_all_suites_and_the_worst_verdict_wins(project: Project) -> None:
    red = "<testsuite><testcase name='r'><failure/></testcase></testsuite>"
    result = project.stage(
        {"name": "a", "run": f'echo "{GREEN}" > {{junit}}'},
        {"name": "b", "run": f'echo "{red}" > {{junit}}; false'},
    )

    assert (result.verdict, result.reason) == (Verdict.FAIL, "1 failed, 1 passed")


def test_a_suite_that_falls_silent_is_ended_and_told(project: Project) -> None:
    suite = project.suite("echo begun; sleep 600", **{"no-output": "1s"})

    assert (suite.verdict, suite.timed_out) == (Verdict.FAIL, False)
    assert suite.reason.startswith("printed nothing for 1s and was ended")


REPORT = "<testsuite name='s'><testcase classname='a' name='{}'/></testsuite>"


def test_a_report_that_nobody_asked_for_is_found_and_its_place_told(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    text = REPORT.format("fresh")
    project.write("stale.xml", REPORT.format("stale"))

    suite = project.suite(f'mkdir -p build; echo "{text}" > build/report.xml; cp build/report.xml copy.xml')

    assert (suite.verdict, cases(suite)) == (Verdict.PASS, {"a::fresh": "passed"})
    assert "JUnit XML taken from copy.xml" in project.messages.getvalue()
    assert suite.reason == "its JUnit XML was found in copy.xml, where nobody had asked for it"


def test_the_name_of_a_report_that_nobody_asked_for_is_harmless(project: Project) -> None:
    text = REPORT.format("fresh")

    suite = project.suite(f"echo \"{text}\" > $'a\\n\\e[31m::error::x.xml'")

    assert suite.verdict is Verdict.PASS
    assert suite.reason.startswith("its JUnit XML was found in a ")
    assert suite.reason.isprintable()


def test_a_report_behind_a_link_or_in_a_pipe_is_not_waited_for(project: Project) -> None:
    project.write("old/stale.xml", REPORT.format("stale"))

    suite = project.suite("ln -s old/stale.xml link.xml; mkfifo pipe.xml; ln -s / everything")

    assert (suite.verdict, suite.cases) == (Verdict.NEUTRAL, ())


def test_a_script_that_starts_pytest_names_the_test_that_took_it_along(
    project: Project, cases: Callable[[Suite], dict[str, str]]
) -> None:
    project.write(
        "test_a.py", "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\ndef test_c(): pass\n"
    )
    project.write("run.sh", f"{PYTEST} -q\n")

    suite = project.suite("sh run.sh", retries=0)

    assert suite.verdict is Verdict.FAIL
    assert cases(suite) == {
        "test_a::test_a": "passed",
        "test_a::test_b": "errored",
        "test_a::test_c": "errored",
    }
