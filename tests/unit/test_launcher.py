from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocm_ci import __version__, launcher
from rocm_ci.launch import devices, native
from rocm_ci.model.result import Crashed
from rocm_ci.report import codec
from tests.hosts import FakeMachine, device_tree, pod_file

if TYPE_CHECKING:
    from collections.abc import Sequence

ACTION = Path(__file__).resolve().parents[2]
HERE = {f"{native.OURS} -I -c import sys\ntry:": (0, f"{__version__}\n")}
DAEMON = {
    "docker info": (0, json.dumps({"ServerVersion": "28", "Runtimes": {}})),
    "docker image inspect": (0, "sha256:1"),
}


class Job:
    """A workspace, the runner's step files, and what a run left in them."""

    def __init__(self, folder: Path, **given: str) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.outputs = folder / "outputs"
        self.env = {
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_OUTPUT": str(self.outputs),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "GITHUB_TOKEN": "secret",
            "GITHUB_RUN_ID": "77",
            "PATH": "/usr/bin",
            **{f"ROCM_CI_{name}": value for name, value in given.items()},
        }

    def leaves(self, verdict: str, code: int) -> object:
        """What a run does that ends like this."""

        def run(_argv: Sequence[str]) -> int:
            report = json.dumps({"verdict": verdict, "facts": {"hardware_key": "k"}})
            (self.workspace / "rocm-ci-out" / "report.json").write_text(report)
            return code

        return run

    def output(self, name: str) -> str:
        """The last value of a step output."""
        lines = self.outputs.read_text().splitlines()
        start = max(i for i, line in enumerate(lines) if line.startswith(f"{name}<<"))
        return lines[start + 1]


def host(
    root: Path, job: Job | None = None, ends: tuple[str, int] = ("pass", 0), *, docker: bool = False
) -> FakeMachine:
    return FakeMachine(
        root,
        programs=["python3", "docker"] if docker else ["python3"],
        answers={**HERE, **DAEMON} if docker else HERE,
        on_run=job.leaves(*ends) if job else (lambda _argv: 1),  # type: ignore[arg-type]
    )


def test_a_native_run_passes_verdict_and_exit_code_on(tmp_path: Path) -> None:
    job = Job(tmp_path, CONFIG="ci.yml", BASE="main")
    machine = host(tmp_path / "root", job, ("fail", 1))

    assert launcher.main(["run"], job.env, machine, ACTION) == 1
    assert (job.output("verdict"), job.output("exit-code"), job.output("mode")) == ("fail", "1", "native")
    [(argv, _, cwd)] = machine.started
    assert argv == (
        native.OURS, "-I", "-m", "rocm_ci", "run",
        "--output", str(job.workspace / "rocm-ci-out"), "--config", "ci.yml", "--base", "main",
    )  # fmt: skip
    assert cwd == job.workspace


@pytest.mark.attack("15", "a token in the environment of the change's own commands")
def test_a_native_run_gets_no_token_and_no_step_files(tmp_path: Path) -> None:
    job = Job(tmp_path, ARCH="gfx942", IMAGE="rocm/x@sha256:1")
    job.env |= {
        "ACTIONS_RUNTIME_TOKEN": "t", "ACTIONS_CACHE_URL": "u", "MY_SECRET_KEY": "s", "GITHUB_ENV": "e",
        "GITHUB_PATH": "p", "GITHUB_STATE": "s", "GITHUB_EVENT_PATH": "event.json",
    }  # fmt: skip
    machine = host(tmp_path / "root", job)

    launcher.main(["run"], job.env, machine, ACTION)

    [(_, env, _)] = machine.started
    assert set(env) == {"GITHUB_EVENT_PATH", "GITHUB_RUN_ID", "GITHUB_WORKSPACE", "PATH", "ROCM_CI_ARCH"}


def test_a_pod_is_kept_to_its_gpus_in_native_mode_too(tmp_path: Path) -> None:
    job = Job(tmp_path)
    root = device_tree(tmp_path / "root")
    pod_file(root, devices.ISOLATION, "ROCR_VISIBLE_DEVICES=3\n")
    machine = host(root, job)

    launcher.main(["run"], job.env, machine, ACTION)

    assert machine.started[0][1]["ROCR_VISIBLE_DEVICES"] == "3"


@pytest.mark.attack("17", "a run that is killed before it can write its report")
def test_a_run_that_dies_leaves_a_report_that_says_why(tmp_path: Path) -> None:
    job = Job(tmp_path)
    machine = FakeMachine(tmp_path / "root", answers=HERE, on_run=lambda _argv: 137)

    assert launcher.main(["run"], job.env, machine, ACTION) == 3
    assert job.output("verdict") == "error"
    report = codec.decode((job.workspace / job.output("report")).read_bytes())
    assert "it was killed" in str(report.results)
    assert "it was killed" in (tmp_path / "summary").read_text()


@pytest.mark.attack("17", "a green report that the change has committed, in place of ours")
def test_a_report_that_the_pull_request_committed_is_not_taken_for_ours(tmp_path: Path) -> None:
    job = Job(tmp_path)
    forged = job.workspace / "rocm-ci-out" / "report.json"
    forged.parent.mkdir()
    forged.write_text('{"verdict": "pass", "facts": {}}')
    machine = FakeMachine(tmp_path / "root", answers=HERE, on_run=lambda _argv: 0)

    assert launcher.main(["run"], job.env, machine, ACTION) == 3
    assert job.output("verdict") == "error"


def test_a_wrong_input_still_sets_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = Job(tmp_path, MODE="podman")

    assert launcher.main(["run"], job.env, host(tmp_path), ACTION) == 2
    assert (job.output("verdict"), job.output("exit-code")) == ("error", "2")
    assert "::error title=rocm-ci::input mode: 'podman' is unknown" in capsys.readouterr().out


def test_a_full_disk_still_sets_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = Job(tmp_path)
    machine = host(tmp_path / "root")

    def replace_folder(_argv: Sequence[str]) -> int:
        # A folder in place of the file: what a disk without space does to a write, without one.
        (job.workspace / "rocm-ci-out" / "report.json").mkdir()
        return 1

    machine.on_run = replace_folder

    assert launcher.main(["run"], job.env, machine, ACTION) == 1
    assert job.output("verdict") == "error"
    assert "the report could not be written" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kfd", "mark", "docker", "mode"),
    [
        pytest.param(False, "", True, "native", id="no GPU"),
        pytest.param(True, "run/.containerenv", True, "native", id="in podman"),
        pytest.param(True, ".dockerenv", True, "native", id="in docker"),
        pytest.param(True, "var/run/secrets/kubernetes.io", True, "native", id="in a pod"),
        pytest.param(True, "", False, "native", id="no docker"),
        pytest.param(True, "", True, "docker", id="a GPU host with docker"),
    ],
)
def test_auto_chooses_by_what_the_host_is(
    tmp_path: Path, kfd: bool, mark: str, docker: bool, mode: str
) -> None:
    root = device_tree(tmp_path, kfd=kfd)
    if mark:
        pod_file(root, mark, "")

    assert launcher.choose("auto", host(root, docker=docker))[0] == mode


def test_docker_runs_with_the_leased_gpu_and_removes_the_container(tmp_path: Path) -> None:
    job = Job(tmp_path, MODE="docker", IMAGE="rocm/x@sha256:12", STATE=str(tmp_path / "state"))
    machine = host(device_tree(tmp_path / "root"), job, ("fail", 1), docker=True)

    assert launcher.main(["run"], job.env, machine, ACTION) == 1
    assert (job.output("verdict"), job.output("mode")) == ("fail", "docker")
    [(argv, _, _)] = machine.started
    assert argv[:2] == ("docker", "run")
    name = argv[argv.index("--name") + 1]
    assert name.startswith("rocm-ci-77-")
    locks = tmp_path / "state" / "locks"
    assert f"type=bind,source={locks},target={locks},readonly" in argv
    assert list((locks / "owners").iterdir()) == [], "nobody is in there any more"
    assert machine.asked[-1] == ("docker", "rm", "--force", "--volumes", name)


def test_the_container_is_removed_when_the_launcher_is_torn_down(tmp_path: Path) -> None:
    job = Job(tmp_path, MODE="docker", IMAGE="rocm/x@sha256:12", STATE=str(tmp_path / "state"))
    machine = host(device_tree(tmp_path / "root"), docker=True)

    def torn(_argv: Sequence[str]) -> int:
        raise KeyboardInterrupt

    machine.on_run = torn
    with pytest.raises(KeyboardInterrupt):
        launcher.main(["run"], job.env, machine, ACTION)

    assert machine.asked[-1][:3] == ("docker", "rm", "--force")


@pytest.mark.attack("17", "a container on a machine whose GPU is gone")
def test_docker_without_a_gpu_is_a_machine_error_with_a_next_step(tmp_path: Path) -> None:
    job = Job(tmp_path, MODE="docker", IMAGE="rocm/x@sha256:12", STATE=str(tmp_path / "state"))
    machine = host(device_tree(tmp_path / "root", {}, kfd=False), docker=True)

    assert launcher.main(["run"], job.env, machine, ACTION) == 3
    assert machine.started == []
    assert "/dev/kfd is not on this machine" in (job.workspace / job.output("comment")).read_text()


def test_docker_without_a_daemon_is_a_machine_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = Job(tmp_path, MODE="docker")

    assert launcher.main(["run"], job.env, host(tmp_path / "root"), ACTION) == 3
    assert "no Docker daemon is reachable → check `docker info`" in capsys.readouterr().out


def test_the_trusted_plane_keeps_its_token_and_names_the_sinks(tmp_path: Path) -> None:
    job = Job(tmp_path, REPORT="-odd/report.json", TO="comment, status", KEY="mi300x")
    machine = FakeMachine(tmp_path, answers=HERE, on_run=lambda _argv: 4)

    assert launcher.main(["report"], job.env, machine, ACTION) == 4
    assert job.output("exit-code") == "4"
    [(argv, env, _)] = machine.started
    assert argv[4:] == (
        "report", "--to", "comment", "--to", "status", "--key", "mi300x", "--", "-odd/report.json",
    )  # fmt: skip
    assert env["GITHUB_TOKEN"] == "secret"


def test_the_trusted_plane_says_when_it_cannot_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = Job(tmp_path)
    machine = FakeMachine(
        tmp_path, answers={f"{sys.executable} -I -c import sys;": (0, "3.8\n")}, programs=[]
    )

    assert launcher.main(["report"], job.env, machine, ACTION) == 3
    assert job.output("exit-code") == "3"
    assert "needs Python 3.10" in capsys.readouterr().out


def test_without_a_file_the_trusted_plane_fetches_what_the_run_has_left(tmp_path: Path) -> None:
    job = Job(tmp_path, COMMENT="changes", CONCLUSION="failure", BOT="true")
    machine = FakeMachine(tmp_path, answers=HERE)

    assert launcher.main(["report"], job.env, machine, ACTION) == 0
    assert machine.started[0][0][4:] == (
        "report", "--comment", "changes", "--conclusion", "failure", "--bot",
    )  # fmt: skip


def test_the_bot_reads_its_event_by_itself_and_holds_the_token(tmp_path: Path) -> None:
    job = Job(tmp_path, WORKFLOW="gpu.yml", TO="comment, check", KEY="mi300x")
    machine = FakeMachine(tmp_path, answers=HERE, on_run=lambda _argv: 4)

    assert launcher.main(["bot"], job.env, machine, ACTION) == 4
    assert job.output("exit-code") == "4"
    [(argv, env, _)] = machine.started
    assert argv[4:] == (
        "bot", "--to", "comment", "--to", "check", "--workflow", "gpu.yml", "--key", "mi300x",
    )  # fmt: skip
    assert env["GITHUB_TOKEN"] == "secret"


def test_several_reports_stand_on_a_line_each(tmp_path: Path) -> None:
    job = Job(tmp_path, REPORT="a b/report.json\n\nc.zip\n")
    machine = FakeMachine(tmp_path, answers=HERE)

    launcher.main(["report"], job.env, machine, ACTION)

    assert machine.started[0][0][4:] == ("report", "--", "a b/report.json", "c.zip")


def test_the_plan_reaches_the_jobs_that_follow(tmp_path: Path) -> None:
    job = Job(tmp_path, RUNNERS='["mi300"]', BUILD_RUNNER="ubuntu-24.04")

    assert launcher.main(["plan"], job.env, FakeMachine(tmp_path), ACTION) == 0
    assert job.output("required") == "scan build mi300"
    assert job.output("build-runs-on") == '"ubuntu-24.04"'


def test_a_plan_that_cannot_be_made_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = Job(tmp_path, RUNNERS="mi300")

    assert launcher.main(["plan"], job.env, FakeMachine(tmp_path), ACTION) == 2
    assert not job.outputs.exists()
    assert "::error title=rocm-ci::input runners is no JSON" in capsys.readouterr().out


def gated(tmp_path: Path, results: dict[str, str], reports: str) -> Job:
    """A gate whose legs `scan` and `mi300` should have reported."""
    needs = json.dumps({name: {"result": result} for name, result in results.items()})
    job = Job(tmp_path, NEEDS=needs, REQUIRED="scan mi300")
    for name in reports.split():
        (job.workspace / "reports" / f"rocm-ci-report-{name}").mkdir(parents=True)
        (job.workspace / "reports" / f"rocm-ci-report-{name}" / "report.json").touch()
    return job


def test_the_gate_opens_for_a_whole_green_run_and_holds_no_token(tmp_path: Path) -> None:
    job = gated(tmp_path, {"scan": "success", "gpu": "success"}, "scan mi300")
    machine = FakeMachine(tmp_path, answers=HERE)

    assert launcher.main(["gate"], job.env, machine, ACTION) == 0
    [(argv, env, _)] = machine.started
    folder = str(job.workspace / "reports")
    assert argv[4:] == ("merge", folder, "--require", "scan", "--require", "mi300")
    assert {key for key in env if key.startswith("GITHUB_")} == {
        "GITHUB_RUN_ID", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE",
    }  # fmt: skip
    assert not (job.workspace / launcher.GATE_OUTPUT).exists()


def test_the_gate_stays_shut_when_the_reports_say_so(tmp_path: Path) -> None:
    job = gated(tmp_path, {"scan": "failure", "gpu": "success"}, "scan mi300")

    assert (
        launcher.main(["gate"], job.env, FakeMachine(tmp_path, answers=HERE, on_run=lambda _: 1), ACTION) == 1
    )
    assert not (job.workspace / launcher.GATE_OUTPUT).exists(), "the legs' own reports say everything"


@pytest.mark.attack("17", "a job that failed behind a green report does not look green")
def test_a_failed_job_with_a_green_report_keeps_the_gate_shut(tmp_path: Path) -> None:
    job = gated(tmp_path, {"scan": "success", "gpu": "failure"}, "scan mi300")

    assert launcher.main(["gate"], job.env, FakeMachine(tmp_path, answers=HERE), ACTION) == 3
    assert "the job gpu failed, though its report is green" in gates_reason(job)


@pytest.mark.attack("17", "a run whose reports are all missing does not look green")
def test_a_run_that_left_nothing_at_all_keeps_the_gate_shut(tmp_path: Path) -> None:
    job = gated(tmp_path, {"scan": "success", "gpu": "success"}, "")

    assert launcher.main(["gate"], job.env, FakeMachine(tmp_path, answers=HERE), ACTION) == 3
    assert gates_reason(job) == "scan left no report; mi300 left no report"


def test_what_is_missing_is_left_for_the_trusted_plane(tmp_path: Path) -> None:
    job = gated(tmp_path, {"scan": "success", "gpu": "failure"}, "scan")

    assert (
        launcher.main(["gate"], job.env, FakeMachine(tmp_path, answers=HERE, on_run=lambda _: 3), ACTION) == 3
    )
    assert job.output("report") == launcher.GATE_OUTPUT
    assert gates_reason(job) == "mi300 left no report"


def test_a_gate_with_wrong_inputs_is_a_usage_error(tmp_path: Path) -> None:
    job = Job(tmp_path, NEEDS="success")

    assert launcher.main(["gate"], job.env, FakeMachine(tmp_path), ACTION) == 2
    assert job.output("exit-code") == "2"


def gates_reason(job: Job) -> str:
    """What the gate's own report says, as the trusted plane reads it."""
    report = codec.decode((job.workspace / launcher.GATE_OUTPUT / "report.json").read_bytes())
    [crashed] = report.results
    assert isinstance(crashed, Crashed)
    return crashed.reason


def test_an_unknown_subcommand_is_a_usage_error(tmp_path: Path) -> None:
    assert launcher.main(["post"], {}, FakeMachine(tmp_path), ACTION) == 2


@pytest.mark.attack("16", "a change in a container that lets the job's last step start a program on the host")
def test_after_the_container_git_runs_nothing_of_the_change(tmp_path: Path) -> None:
    job = Job(tmp_path, MODE="docker")
    machine = host(device_tree(tmp_path / "root"), job, docker=True)
    ends, config = machine.on_run, job.workspace / ".git" / "config"
    config.parent.mkdir()
    config.write_text("[core]\n")

    def change(argv: Sequence[str]) -> int:
        config.write_text("[core]\n\tfsmonitor = ./evil\n")
        return ends(argv)

    machine.on_run = change

    assert launcher.main(["run"], job.env, machine, ACTION) == 0
    assert config.read_text() == "[core]\n"
    assert machine.asked[-1][:2] == ("docker", "rm")


@pytest.mark.attack("17", "a change in a container that leaves a .git which cannot be put back")
def test_a_repository_that_cannot_be_put_back_makes_the_run_an_error(tmp_path: Path) -> None:
    job = Job(tmp_path, MODE="docker")
    machine = host(device_tree(tmp_path / "root"), job, docker=True)
    ends, config = machine.on_run, job.workspace / ".git" / "config"
    config.parent.mkdir()
    config.write_text("[core]\n")

    def change(argv: Sequence[str]) -> int:
        config.unlink()
        config.mkdir()
        return ends(argv)

    machine.on_run = change

    assert launcher.main(["run"], job.env, machine, ACTION) == 3
    assert job.output("verdict") == "error"
    assert (job.workspace / ".git").is_file()
