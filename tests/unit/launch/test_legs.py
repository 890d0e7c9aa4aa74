from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocm_ci.github import artifacts
from rocm_ci.launch import legs
from rocm_ci.launch.machine import LaunchError
from rocm_ci.report.legs import NAME

MI300 = {"name": "mi300", "runs-on": ["self-hosted", "mi300"]}


def lay_out(runners: Any = (), **given: str) -> legs.Layout:
    text = runners if isinstance(runners, str) else json.dumps(list(runners))
    return legs.lay_out(
        {"ROCM_CI_RUNNERS": text, **{f"ROCM_CI_{key}": value for key, value in given.items()}}
    )


def test_each_gpu_builds_for_itself_unless_a_builder_is_named() -> None:
    layout = lay_out([MI300])

    [leg] = json.loads(layout.legs)
    assert leg == {**MI300, "image": "", "arch": "", "mode": "", "stages": "build kernels test perf"}
    assert (layout.scan, layout.build, layout.required) == ("true", "false", "scan mi300")


def test_a_builder_takes_what_needs_no_gpu() -> None:
    layout = lay_out([MI300], BUILD_RUNNER="ubuntu-24.04")

    [leg] = json.loads(layout.legs)
    assert leg["stages"] == "test perf"
    assert (layout.build, layout.build_stages) == ("true", "build kernels")
    assert json.loads(layout.build_runs_on) == "ubuntu-24.04"
    assert layout.required == "scan build mi300"


@pytest.mark.parametrize(
    ("runner", "name"),
    [
        ("mi300", "mi300"),
        (["self-hosted", "rocm", "MI 250 (x4)"], "MI-250-x4"),
        ({"runs-on": "gpu"}, "gpu"),
        ({"runs-on": {"group": "amd", "labels": ["a", "mi355"]}}, "mi355"),
        ({"runs-on": {"group": "amd"}}, "amd"),
    ],
)
def test_a_runner_without_a_name_is_called_after_its_last_label(runner: Any, name: str) -> None:
    [leg] = json.loads(lay_out([runner]).legs)

    assert leg["name"] == name


def test_a_runner_may_ask_for_less_but_never_for_what_the_run_leaves_out() -> None:
    runners = [{**MI300, "stages": "scan, perf test"}, {"runs-on": "mi250", "stages": "perf"}]

    layout = lay_out(runners, STAGES="scan test")

    assert [(leg["name"], leg["stages"]) for leg in json.loads(layout.legs)] == [("mi300", "test")]
    assert layout.required == "scan mi300", "a runner with nothing to do is no job and owes no report"


def test_without_gpu_runners_scan_and_build_remain() -> None:
    layout = lay_out([], BUILD_RUNNER='["self-hosted", "hipcc"]')

    assert layout.legs == "[]"
    assert json.loads(layout.build_runs_on) == ["self-hosted", "hipcc"]
    assert layout.required == "scan build"


@pytest.mark.parametrize(
    ("runners", "given", "said"),
    [
        ("mi300", {}, "is no JSON"),
        ('"mi300"', {}, "no list"),
        (["x"] * 65, {}, "no list of up to 64"),
        ([{"name": "a"}], {}, "without `runs-on`"),
        ([{"runs-on": "a", "label": "b"}], {}, "unknown key 'label'"),
        ([7], {}, "7 is no runner"),
        ([[]], {}, "[] is no runner"),
        ([{"runs-on": {"labels": "a", "shell": "b"}}], {}, "is no runner"),
        ([{"runs-on": "a", "name": "../x"}], {}, "'../x' is no name"),
        ([{"runs-on": "a", "name": 3}], {}, "'3' is no name"),
        (["(???)"], {}, "'' is no name"),
        ([{"runs-on": "a", "arch": ["gfx942"]}], {}, "are texts"),
        (["a", "A"], {}, "the name 'a' is taken"),
        (["scan"], {}, "the name 'scan' is taken"),
        (["Gate"], {}, "the name 'gate' is taken"),
        ([], {"STAGES": "scan tests"}, "unknown stage 'tests'"),
        ([], {"STAGES": "test"}, "no job has anything to do"),
        ([], {"BUILD_RUNNER": "[oops"}, "build-runner is no JSON"),
    ],
)
def test_a_wrong_input_is_said_before_any_machine_is_taken(
    runners: Any, given: dict[str, str], said: str
) -> None:
    with pytest.raises(LaunchError, match=r".+ → .+") as caught:
        lay_out(runners, **given)

    assert said in str(caught.value)
    assert caught.value.code == 2


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists), st.text())
def test_whatever_is_given_ends_in_a_layout_or_in_words(runners: Any, builder: str) -> None:
    try:
        layout = lay_out(json.dumps(runners), BUILD_RUNNER=builder)
    except LaunchError:
        return
    assert all(legs.NAME.match(name) for name in layout.required.split())
    assert "\n" not in "".join(layout)


def test_what_is_a_name_is_one_on_both_planes() -> None:
    """The launcher on the host may import nothing of the rest."""
    assert legs.NAME.pattern == NAME.pattern == artifacts.LEG.pattern
