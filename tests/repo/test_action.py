"""Facts about the actions that are written in more than one place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from rocm_ci.config.load import ENVIRONMENT, variable
from rocm_ci.launch import container, inputs, legs, outcome
from rocm_ci.model.plan import StageName

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = {"mode", "image", "config", "working-directory", "output", "base"}
MAIN, CONTAINED = ROOT / "action.yml", ROOT / "container/action.yml"
ACTIONS = [MAIN, *sorted(ROOT.glob("[a-z]*/action.yml"))]
TO_COPY = sorted((ROOT / "docs/workflows").glob("*.yml"))
REUSABLE = ROOT / ".github/workflows/rocm-ci.yml"


def content(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def test_the_action_has_an_input_for_every_option_and_every_launch_choice() -> None:
    assert set(content(MAIN)["inputs"]) == {*ENVIRONMENT, *LAUNCH}


def test_the_container_action_has_the_same_inputs_but_for_how_it_is_started() -> None:
    main, contained = content(MAIN), content(CONTAINED)

    assert contained["inputs"] == {k: v for k, v in main["inputs"].items() if k not in ("mode", "image")}
    assert set(contained["outputs"]) == set(main["outputs"])


def test_every_input_reaches_the_launcher_under_its_own_name() -> None:
    [step] = content(MAIN)["runs"]["steps"]

    assert step["env"] == {variable(i): f"${{{{ inputs.{i} }}}}" for i in content(MAIN)["inputs"]}
    passed = content(CONTAINED)["runs"]["env"]
    assert passed == {**{k: v for k, v in step["env"].items() if k in passed}, "ROCM_CI_MODE": "native"}
    assert set(step["env"]) - set(passed) == {"ROCM_CI_IMAGE"}


def test_every_option_reaches_the_run_inside_a_container() -> None:
    assert all(container.PASSED.fullmatch(variable(option)) for option in ENVIRONMENT)


def test_the_outputs_are_those_that_the_launcher_writes(tmp_path: Path) -> None:
    env = {"GITHUB_OUTPUT": str(tmp_path / "written")}
    outcome.publish(env, tmp_path / "out", tmp_path, outcome.Outcome("pass", 0), "native")
    written = set(re.findall(r"^([\w-]+)<<", (tmp_path / "written").read_text(), re.MULTILINE))
    declared = content(MAIN)["outputs"]

    assert set(declared) == written
    assert all(out["value"] == f"${{{{ steps.run.outputs.{key} }}}}" for key, out in declared.items())


def test_the_page_about_the_actions_names_every_action_output_and_workflow() -> None:
    page = (ROOT / "docs" / "action.md").read_text()

    assert not [key for key in content(MAIN)["outputs"] if f"`{key}`" not in page]
    assert not [path.name for path in TO_COPY if f"workflows/{path.name}" not in page]
    assert not [
        path.parent.name for path in ACTIONS[1:] if f"`org/rocm-ci/{path.parent.name}@v1`" not in page
    ]
    assert not [key for key in content(REUSABLE)[True]["workflow_call"]["inputs"] if f"`{key}`" not in page]


def test_every_smaller_action_hands_each_input_to_the_launcher_and_names_each_output_of_it() -> None:
    for path in ACTIONS[1:]:
        action = content(path)
        if path == CONTAINED:
            continue
        [step] = action["runs"]["steps"]
        assert set(step["env"].values()) == {f"${{{{ inputs.{key} }}}}" for key in action["inputs"]}, path
        assert step["run"].startswith('exec python3 -I -B "$GITHUB_ACTION_PATH/../rocm_ci/launcher.py" '), (
            path
        )
        for key, out in action.get("outputs", {}).items():
            assert out["value"] == f"${{{{ steps.{step['id']}.outputs.{key} }}}}", path


def test_the_plan_has_an_output_for_all_that_the_launcher_lays_out() -> None:
    declared = set(content(ROOT / "plan/action.yml")["outputs"])

    assert declared == {field.replace("_", "-") for field in legs.Layout._fields}


def test_defaults_agree_wherever_they_are_written() -> None:
    from rocm_ci.cli import run as run_command

    given = content(MAIN)["inputs"]

    assert given["output"]["default"] == inputs.OUTPUT == run_command.OUTPUT
    assert given["mode"]["default"] == inputs.MODES[0]
    assert content(REUSABLE)[True]["workflow_call"]["inputs"]["stages"]["default"] == " ".join(legs.STAGES)
    assert tuple(stage.value for stage in StageName if stage is not StageName.PREFLIGHT) == legs.STAGES
    assert all(f"`{mode}`" in given["mode"]["description"] for mode in inputs.MODES)
    assert all(given[option]["default"] == "" for option in ENVIRONMENT), "the configuration has the defaults"


def test_the_last_stage_of_the_dockerfile_is_the_one_a_docker_action_gets() -> None:
    stages = re.findall(r"^FROM \S+ AS (\w+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)

    assert stages == ["reporter", "runner"]
    assert (ROOT / "container" / content(CONTAINED)["runs"]["image"]).resolve() == ROOT / "Dockerfile"


def test_what_the_dockerfile_copies_is_sent_to_the_builder() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}

    assert {source for line in copied for source in line.split()} == sent
