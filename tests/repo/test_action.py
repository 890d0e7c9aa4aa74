"""Facts about the actions that are written in more than one place, and the linters over what GitHub runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from rocm_ci.config.load import ENVIRONMENT, variable
from rocm_ci.launch import container, inputs, outcome
from tests import require

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = {"mode", "image", "config", "working-directory", "output", "base"}
ACTIONS = [ROOT / "action.yml", ROOT / "report" / "action.yml", ROOT / "container" / "action.yml"]
WORKFLOWS = sorted([*(ROOT / ".github/workflows").glob("*.yml"), *(ROOT / "docs/workflows").glob("*.yml")])


def content(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def linter(program: str, *args: str | Path) -> None:
    """Run a tool that lies beside this Python; what it finds fails the test."""
    tool = Path(sys.executable).parent / program
    if not tool.exists():
        require.missing(program, "pip install the `dev` extra")
    done = subprocess.run([tool, *args], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_action_has_an_input_for_every_option_and_every_launch_choice() -> None:
    assert set(content(ACTIONS[0])["inputs"]) == {*ENVIRONMENT, *LAUNCH}


def test_the_container_action_has_the_same_inputs_but_for_how_it_is_started() -> None:
    main, contained = content(ACTIONS[0]), content(ACTIONS[2])

    assert contained["inputs"] == {k: v for k, v in main["inputs"].items() if k not in ("mode", "image")}
    assert set(contained["outputs"]) == set(main["outputs"])


def test_every_input_reaches_the_launcher_under_its_own_name() -> None:
    [step] = content(ACTIONS[0])["runs"]["steps"]

    assert step["env"] == {variable(i): f"${{{{ inputs.{i} }}}}" for i in content(ACTIONS[0])["inputs"]}
    passed = content(ACTIONS[2])["runs"]["env"]
    assert passed == {**{k: v for k, v in step["env"].items() if k in passed}, "ROCM_CI_MODE": "native"}
    assert set(step["env"]) - set(passed) == {"ROCM_CI_IMAGE"}


def test_every_option_reaches_the_run_inside_a_container() -> None:
    assert all(container.PASSED.fullmatch(variable(option)) for option in ENVIRONMENT)


def test_the_outputs_are_those_that_the_launcher_writes(tmp_path: Path) -> None:
    env = {"GITHUB_OUTPUT": str(tmp_path / "written")}
    outcome.publish(env, tmp_path / "out", tmp_path, outcome.Outcome("pass", 0), "native")
    written = set(re.findall(r"^([\w-]+)<<", (tmp_path / "written").read_text(), re.MULTILINE))
    declared = content(ACTIONS[0])["outputs"]

    assert set(declared) == written
    assert all(out["value"] == f"${{{{ steps.run.outputs.{key} }}}}" for key, out in declared.items())


def test_the_page_about_the_action_names_every_output_and_every_workflow() -> None:
    page = (ROOT / "docs" / "action.md").read_text()

    assert not [key for key in content(ACTIONS[0])["outputs"] if f"`{key}`" not in page]
    assert not [
        path.name for path in WORKFLOWS if path.parent.parent.name == "docs" and path.name not in page
    ]


def test_defaults_agree_wherever_they_are_written() -> None:
    from rocm_ci.cli import run as run_command

    given = content(ACTIONS[0])["inputs"]

    assert given["output"]["default"] == inputs.OUTPUT == run_command.OUTPUT
    assert content(ACTIONS[1])["inputs"]["report"]["default"] == f"{inputs.OUTPUT}/{outcome.REPORT}"
    assert given["mode"]["default"] == inputs.MODES[0]
    assert all(f"`{mode}`" in given["mode"]["description"] for mode in inputs.MODES)
    assert all(given[option]["default"] == "" for option in ENVIRONMENT), "the configuration has the defaults"


def scripts(node: Any) -> list[str]:
    """Every `run` script below a YAML node."""
    if isinstance(node, dict):
        own = [node["run"]] if isinstance(node.get("run"), str) else []
        return own + [script for value in node.values() for script in scripts(value)]
    return [script for value in node for script in scripts(value)] if isinstance(node, list) else []


@pytest.mark.parametrize("path", [*ACTIONS, *WORKFLOWS], ids=name)
def test_no_expression_stands_in_a_script(path: Path) -> None:
    assert not [script for script in scripts(content(path)) if "${{" in script], "pass it through env:"


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_a_workflow_grants_nothing_that_a_job_does_not_ask_for(path: Path) -> None:
    workflow = content(path)

    assert workflow["permissions"] == {}
    assert all("permissions" in job and "timeout-minutes" in job for job in workflow["jobs"].values())


def uses(path: Path) -> list[str]:
    return re.findall(r"^\s*- uses: (.+)$", path.read_text(), re.MULTILINE)


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_foreign_actions_are_pinned_and_say_their_version(path: Path) -> None:
    foreign = [use for use in uses(path) if not use.startswith(("./", "org/rocm-ci"))]

    assert not [use for use in foreign if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_no_checkout_leaves_its_token_behind(path: Path) -> None:
    for job in content(path)["jobs"].values():
        for step in job["steps"]:
            if "checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False


def test_the_plane_that_runs_a_strangers_code_can_write_nothing() -> None:
    [job] = content(ROOT / "docs/workflows/fork-safe-run.yml")["jobs"].values()

    assert job["permissions"] == {"contents": "read"}


def test_the_plane_that_holds_the_token_checks_nothing_out() -> None:
    workflow = content(ROOT / "docs/workflows/fork-safe-report.yml")
    first_half = content(ROOT / "docs/workflows/fork-safe-run.yml")
    [job] = workflow["jobs"].values()
    download, report = job["steps"]

    assert workflow[True]["workflow_run"]["workflows"] == [first_half["name"]]
    assert download["uses"].startswith("actions/download-artifact@")
    assert report == {"uses": "org/rocm-ci/report@v1"}
    assert download["with"]["path"] == inputs.OUTPUT, "where the report action looks by default"


def test_the_last_stage_of_the_dockerfile_is_the_one_a_docker_action_gets() -> None:
    stages = re.findall(r"^FROM \S+ AS (\w+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)

    assert stages == ["reporter", "runner"]
    assert (ROOT / "container" / content(ACTIONS[2])["runs"]["image"]).resolve() == ROOT / "Dockerfile"


def test_what_the_dockerfile_copies_is_sent_to_the_builder() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}

    assert {source for line in copied for source in line.split()} == sent


def test_actions_and_workflows_fit_githubs_schemas() -> None:
    linter("check-jsonschema", "--builtin-schema", "vendor.github-actions", *ACTIONS)
    linter("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)


def test_zizmor_finds_no_way_in() -> None:
    linter("zizmor", "--offline", "--quiet", "--config", ROOT / ".github/zizmor.yml", *ACTIONS, *WORKFLOWS)


def test_hadolint_likes_the_dockerfile() -> None:
    linter("hadolint", ROOT / "Dockerfile")


def test_shellcheck_likes_the_scripts() -> None:
    linter("shellcheck", *sorted((ROOT / "tools").glob("*.sh")), *sorted((ROOT / "container").glob("*.sh")))
