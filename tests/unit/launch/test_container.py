from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.launch import container, devices
from rocm_ci.launch.inputs import Inputs
from rocm_ci.launch.machine import LaunchError
from rocm_ci.launch.shared import Shared
from tests.hosts import FakeMachine, device_tree, pod_file

if TYPE_CHECKING:
    from rocm_ci.launch.container import Gpus

WORK, ACTION = Path("/home/runner/work/saxpy"), Path("/home/runner/_actions/org/rocm-ci/v1")
INPUTS = Inputs("docker", "", "", "", WORK, WORK, WORK / "rocm-ci-out")
RUNNER_ENV = {
    "ACTIONS_RUNTIME_TOKEN": "secret",
    "AWS_ACCESS_KEY_ID": "secret",
    "GITHUB_ACTIONS": "true",
    "GITHUB_ENV": "/home/runner/_temp/env",
    "GITHUB_EVENT_NAME": "pull_request",
    "GITHUB_EVENT_PATH": "/home/runner/_temp/event.json",
    "GITHUB_OUTPUT": "/home/runner/_temp/output",
    "GITHUB_PATH": "/home/runner/_temp/path",
    "GITHUB_RUN_ID": "77",
    "GITHUB_STEP_SUMMARY": "/home/runner/_temp/summary",
    "GITHUB_TOKEN": "secret",
    "HOME": "/home/runner",
    "PATH": "/usr/bin",
    "ROCM_CI_ARCH": "gfx90a",
    "ROCM_CI_JOBS": "",
    "ROCM_CI_MODE": "docker",
    "ROCR_VISIBLE_DEVICES": "4,5",
}
ANSWER: dict[str, Any] = {"ServerVersion": "28.2.2", "Runtimes": {"runc": {}}, "CDISpecDirs": None}


def argv(
    gpus: Gpus | None = None,
    *,
    inputs: Inputs = INPUTS,
    action: Path = ACTION,
    shared: Shared = Shared(),  # noqa: B008 - an empty tuple
) -> list[str]:
    return container.argv(
        inputs, RUNNER_ENV, name="rocm-ci-77-ab", image="rocm/x@sha256:12",
        gpus=gpus or container.Gpus(), user="1001:127", action=action, shared=shared,
    )  # fmt: skip


def pairs(line: list[str], flag: str) -> list[str]:
    """What follows each occurrence of a flag."""
    return [after for before, after in itertools.pairwise(line) if before == flag]


@pytest.mark.attack("16", "more devices than the leased one")
def test_the_whole_command_line_of_a_leased_gpu(tmp_path: Path) -> None:
    root = device_tree(tmp_path)
    pod_file(root, devices.LEASE, "--device /dev/dri/renderD129")
    machine = FakeMachine(root, groups={"kfd": 109, "renderD129": 993})

    gpus = container.gpus(machine, ANSWER, {})

    assert argv(gpus) == [
        "docker", "run", "--rm", "--init",
        "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
        "--ipc", "private", "--shm-size", "16g",
        "--pids-limit", "16384", "--ulimit", "core=0",
        "--name", "rocm-ci-77-ab", "--label", "rocm-ci.run=77",
        "--user", "1001:127", "--workdir", "/home/runner/work/saxpy",
        "--mount", "type=bind,source=/home/runner/work/saxpy,target=/home/runner/work/saxpy",
        "--mount", f"type=bind,source={ACTION},target={ACTION},readonly",
        "--mount",
        "type=bind,source=/home/runner/_temp/event.json,target=/home/runner/_temp/event.json,readonly",
        "--device", "/dev/kfd", "--device", "/dev/dri/renderD129", "--ulimit", "memlock=-1:-1",
        "--group-add", "109", "--group-add", "993",
        "--env", "GITHUB_ACTIONS", "--env", "GITHUB_EVENT_NAME", "--env", "GITHUB_EVENT_PATH",
        "--env", "GITHUB_RUN_ID", "--env", "ROCM_CI_ARCH",
        "--env", "HOME=/tmp", "--env", "ROCM_CI_MODE=native",
        "--env", "ROCM_CI_IMAGE=rocm/x@sha256:12", "--env", "ROCM_CI_IN_CONTAINER=1",
        "--entrypoint", "python3", "rocm/x@sha256:12",
        "-I", "-B", f"{ACTION}/rocm_ci/launcher.py", "run",
    ]  # fmt: skip


@pytest.mark.attack("16", "flags that would open the container")
def test_nothing_opens_the_fence() -> None:
    line = argv()

    assert not {"--privileged", "--cap-add", "--volume", "-v", "--pid", "--publish"} & set(line)
    assert "host" not in {*pairs(line, "--network"), *pairs(line, "--ipc")}
    assert not any("docker.sock" in word or "seccomp=unconfined" in word for word in line)


@pytest.mark.attack("16", "folders of the host inside the container")
def test_the_workspace_is_the_only_folder_that_can_be_written() -> None:
    writable = [mount for mount in pairs(argv(), "--mount") if not mount.endswith(",readonly")]

    assert writable == [f"type=bind,source={WORK},target={WORK}"]


def test_what_the_runs_of_a_host_share_is_mounted_and_told() -> None:
    line = argv(shared=Shared(("type=bind,source=/l,target=/l,readonly",), ("ROCM_CI_LOCKS=/l",)))

    assert "type=bind,source=/l,target=/l,readonly" in pairs(line, "--mount")
    assert "ROCM_CI_LOCKS=/l" in pairs(line, "--env")


@pytest.mark.attack("16", "a token or a step file inside the container")
def test_neither_tokens_nor_step_files_go_in() -> None:
    told = {word.split("=")[0] for word in pairs(argv(), "--env")}

    withheld = {"TOKEN", "AWS", "GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "SUMMARY"}
    assert not [name for name in told if any(part in name for part in withheld)]
    assert not [word for word in argv() if "secret" in word]


def test_a_container_with_all_gpus_keeps_the_clusters_choice_among_them(tmp_path: Path) -> None:
    machine = FakeMachine(device_tree(tmp_path))

    assert "ROCR_VISIBLE_DEVICES" in pairs(argv(container.gpus(machine, ANSWER, {})), "--env")


def test_an_action_inside_the_workspace_is_not_mounted_twice() -> None:
    mounts = pairs(argv(action=WORK), "--mount")

    assert [mount for mount in mounts if str(WORK) in mount] == [f"type=bind,source={WORK},target={WORK}"]


@pytest.mark.attack("17", "a machine without `kfd`: its GPU is gone")
def test_no_gpu_stops_the_run(tmp_path: Path) -> None:
    machine = FakeMachine(device_tree(tmp_path, {}, kfd=False))

    with pytest.raises(LaunchError, match="/dev/kfd is not on this machine"):
        container.gpus(machine, ANSWER, {})


def test_no_gpu_is_fine_where_none_is_required(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = FakeMachine(device_tree(tmp_path, {}, kfd=False))

    assert container.gpus(machine, ANSWER, {"ROCM_CI_REQUIRE_GPU": "false"}) == container.Gpus()
    assert (
        "::notice title=rocm-ci::no GPU goes into the container: /dev/kfd is not" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param((127, ""), id="no client"),
        pytest.param((1, ""), id="refused"),
        pytest.param((0, '{"ServerVersion": "", "ServerErrors": ["cannot connect"]}'), id="no daemon"),
        pytest.param((0, "<html>"), id="nonsense"),
        pytest.param((0, "[]"), id="not an object"),
    ],
)
def test_a_daemon_that_does_not_answer_is_none(tmp_path: Path, answer: tuple[int, str]) -> None:
    machine = FakeMachine(tmp_path, programs=["docker"], answers={"docker info": answer})

    assert container.daemon(machine) == {}


def test_a_machine_without_docker_is_not_asked(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path, programs=[])

    assert container.daemon(machine) == {}
    assert machine.asked == []


def test_a_daemon_says_what_it_is(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path, programs=["docker"], answers={"docker info": (0, json.dumps(ANSWER))})

    assert container.daemon(machine) == ANSWER


IDENTIFIED = "docker image inspect --format {{.Id}}"
DIGESTS = "docker image inspect --format {{range .RepoDigests}}"


def test_an_image_by_tag_is_taken_by_its_digest_with_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = FakeMachine(
        tmp_path, answers={IDENTIFIED: (0, "sha256:1"), DIGESTS: (0, "rocm/x@sha256:12 \n")}
    )

    assert container.image(machine, "rocm/x:1", tmp_path, {}) == "rocm/x@sha256:12"
    assert "name it by digest, e.g. rocm/x@sha256:12" in capsys.readouterr().out
    assert machine.started == []


def test_an_image_without_a_digest_keeps_its_name(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path, answers={IDENTIFIED: (0, "sha256:1"), DIGESTS: (0, "\n")})

    assert container.image(machine, "rocm/x:1", tmp_path, {}) == "rocm/x:1"


def test_an_image_by_digest_is_pulled_only_when_it_is_not_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = FakeMachine(tmp_path)

    assert container.image(machine, "rocm/x@sha256:12", tmp_path, {}) == "rocm/x@sha256:12"
    assert [argv for argv, _, _ in machine.started] == [("docker", "pull", "--quiet", "rocm/x@sha256:12")]
    assert capsys.readouterr().out == ""


def test_a_broken_pull_is_tried_again(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path)
    codes = iter([1, 1, 0])
    machine.on_run = lambda _argv: next(codes)

    container.image(machine, "rocm/x@sha256:12", tmp_path, {})

    assert len(machine.started) == 3
    assert machine.paused_s > 0


def test_an_image_that_cannot_be_had_stops_the_run(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path, on_run=lambda _argv: 1)

    with pytest.raises(LaunchError, match="image rocm/x:1 could not be pulled"):
        container.image(machine, "rocm/x:1", tmp_path, {})


def action_folder(folder: Path) -> Path:
    (folder / "rocm_ci").mkdir(parents=True)
    (folder / "rocm_ci" / "a.py").write_text("one")
    (folder / "Dockerfile").write_text("FROM scratch")
    return folder


def test_our_own_image_is_built_once_per_content(tmp_path: Path) -> None:
    action = action_folder(tmp_path / "action")
    machine = FakeMachine(tmp_path)

    first = container.image(machine, "", action, {})
    machine.answers[IDENTIFIED] = (0, "sha256:1")
    again = container.image(machine, "", action, {})

    assert first == again
    assert [argv for argv, _, _ in machine.started] == [
        ("docker", "build", "--target", "runner", "--tag", first, str(action))
    ]


def test_a_changed_action_gets_another_image(tmp_path: Path) -> None:
    action = action_folder(tmp_path / "action")
    before = container.image(FakeMachine(tmp_path), "", action, {})
    (action / "rocm_ci" / "a.py").write_text("two")

    assert container.image(FakeMachine(tmp_path), "", action, {}) != before


def test_an_image_that_cannot_be_built_stops_the_run(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path, on_run=lambda _argv: 1)

    with pytest.raises(LaunchError, match="could not be built"):
        container.image(machine, "", action_folder(tmp_path / "action"), {})
