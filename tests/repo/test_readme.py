"""What the README shows is what the repository holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from rocm_ci.cli.main import group
from rocm_ci.config.load import load

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)


def test_the_workflow_to_copy_is_the_one_that_is_tested() -> None:
    shown = next(b for b in BLOCKS if "uses: org/rocm-ci@v1" in b)

    assert yaml.safe_load(shown) == yaml.safe_load((ROOT / "docs/workflows/pull-request.yml").read_text())


def test_the_configuration_shown_is_read_by_the_program() -> None:
    shown = next(b for b in BLOCKS if b.startswith("version: 1"))

    assert load(shown, {}).config.perf[0].name == "saxpy"


def test_every_command_is_in_the_table_and_nothing_else() -> None:
    import click

    shown = set(re.findall(r"^\| `rocm-ci (\w+)` \|", README, re.MULTILINE))

    assert shown == set(group.list_commands(click.Context(group)))


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#]+)\)", README))))
def test_links_lead_to_files(target: str) -> None:
    assert target.startswith("https://") or (ROOT / target).exists()


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_two_commands_are_targets_of_make(target: str) -> None:
    assert f"make {target} " in README
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
