from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from rocm_ci import __version__
from rocm_ci.launch import native
from rocm_ci.launch.machine import LaunchError
from tests.hosts import FakeMachine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PROBE = " -I -c import sys\ntry:"
VERSION = " -I -c import sys; print("


@pytest.fixture
def action(tmp_path: Path) -> Path:
    folder = tmp_path / "action"
    (folder / "rocm_ci").mkdir(parents=True)
    (folder / "rocm_ci" / "__init__.py").write_text(f'"""Doc."""\n\n__version__ = "{__version__}"\n')
    (folder / "requirements.lock").write_text("click==8.5.1 --hash=sha256:00\n")
    return folder


def makes_venv(folder: Path) -> FakeMachine:
    """A machine whose Python is recent, has no rocm-ci, and can make an environment."""

    def make(argv: Sequence[str]) -> int:
        if "venv" in argv:
            (folder / argv[-1] / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
        return 0

    return FakeMachine(folder, answers={f"{sys.executable}{VERSION}": (0, "3.11\n")}, on_run=make)


def test_our_image_brings_its_own(tmp_path: Path, action: Path) -> None:
    machine = FakeMachine(tmp_path, answers={f"{native.OURS}{PROBE}": (0, f"{__version__}\n")})

    assert native.interpreter(machine, {}, action) == "/opt/rocm-ci/bin/python"


def test_an_installed_rocm_ci_of_the_same_version_is_used(tmp_path: Path, action: Path) -> None:
    machine = FakeMachine(tmp_path, answers={f"/usr/bin/python3{PROBE}": (0, f"{__version__}\n")})

    assert native.interpreter(machine, {}, action) == "/usr/bin/python3"


def test_another_version_is_not_used(tmp_path: Path, action: Path) -> None:
    machine = makes_venv(tmp_path)
    machine.answers[f"/usr/bin/python3{PROBE}"] = (0, "0.0.1\n")

    assert native.interpreter(machine, {"RUNNER_TEMP": str(tmp_path)}, action).startswith(
        f"{tmp_path}/rocm-ci-"
    )


def test_the_environment_is_made_from_hashes_and_points_at_the_action(tmp_path: Path, action: Path) -> None:
    machine = makes_venv(tmp_path)

    python = native.interpreter(machine, {"RUNNER_TEMP": str(tmp_path)}, action)

    [_, (argv, _, _)] = machine.started
    assert argv[:5] == (python, "-I", "-m", "pip", "install")
    assert {"--require-hashes", "--no-deps", str(action / "requirements.lock")} <= set(argv)
    [entry] = tmp_path.glob("rocm-ci-*/lib/python3.11/site-packages/rocm_ci.pth")
    assert entry.read_text() == f"{action}\n"


def test_the_environment_is_made_once_per_job(tmp_path: Path, action: Path) -> None:
    machine = makes_venv(tmp_path)
    env = {"RUNNER_TEMP": str(tmp_path)}

    assert native.interpreter(machine, env, action) == native.interpreter(machine, env, action)
    assert len(machine.started) == 2, "venv and pip, once each"


def test_a_half_made_environment_is_made_again(tmp_path: Path, action: Path) -> None:
    machine = makes_venv(tmp_path)
    machine.on_run = lambda argv: int("pip" in argv)
    with pytest.raises(LaunchError, match="could not be installed"):
        native.interpreter(machine, {"RUNNER_TEMP": str(tmp_path)}, action)

    assert not list(tmp_path.glob("rocm-ci-*/ready"))


def test_no_venv_module_says_what_to_install(tmp_path: Path, action: Path) -> None:
    machine = FakeMachine(
        tmp_path, answers={f"{sys.executable}{VERSION}": (0, "3.11\n")}, on_run=lambda _argv: 1
    )

    with pytest.raises(LaunchError, match="apt-get install python3-venv"):
        native.interpreter(machine, {"RUNNER_TEMP": str(tmp_path)}, action)


def test_an_old_python_starts_the_launcher_and_a_newer_one_is_looked_for(
    tmp_path: Path, action: Path
) -> None:
    machine = makes_venv(tmp_path)
    machine.programs = ["python3", "python3.12"]
    machine.answers = {
        f"{sys.executable}{VERSION}": (0, "3.8\n"),
        f"/usr/bin/python3{VERSION}": (0, "3.9\n"),
        f"/usr/bin/python3.12{VERSION}": (0, "3.12\n"),
    }

    native.interpreter(machine, {"RUNNER_TEMP": str(tmp_path)}, action)

    assert [argv[0] for argv, _, _ in machine.started if "venv" in argv] == ["/usr/bin/python3.12"]


def test_only_old_pythons_say_what_to_do(tmp_path: Path, action: Path) -> None:
    machine = FakeMachine(tmp_path, answers={f"/usr/bin/python3{VERSION}": (0, "3.9\n")})

    with pytest.raises(LaunchError, match=r"needs Python 3\.10 or newer → put actions/setup-python before"):
        native.interpreter(machine, {"RUNNER_TEMP": str(tmp_path)}, action)
