"""What GitHub runs for us and for those who copy our workflows: who may write, what is pinned, what is linted."""

from __future__ import annotations

import fnmatch
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests import require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
ACTIONS = [ROOT / "action.yml", *sorted(ROOT.glob("[a-z]*/action.yml"))]
OURS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TO_COPY = sorted((ROOT / "docs/workflows").glob("*.yml"))
WORKFLOWS = [*OURS, *TO_COPY]
DEPENDABOT = ROOT / ".github/dependabot.yml"
REUSABLE = ROOT / ".github/workflows/rocm-ci.yml"
# One job for people who may push anyway: the page and the file itself say so.
ONE_JOB = ROOT / "docs/workflows/pull-request.yml"
TRACKED = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
PAGES = [
    ROOT / path for path in TRACKED if path.endswith(".md") and not path.startswith(("docs/rules", "tests"))
]
PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def content(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def jobs(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = content(path)["jobs"]
    return found


def scripts(node: Any) -> list[str]:
    """Every `run` script below a YAML node."""
    if isinstance(node, dict):
        own = [node["run"]] if isinstance(node.get("run"), str) else []
        return own + [script for value in node.values() for script in scripts(value)]
    return [script for value in node for script in scripts(value)] if isinstance(node, list) else []


def snippets(page: Path) -> Iterator[tuple[str, Any]]:
    """The YAML that a page shows, as text and as what it means."""
    for block in re.findall(r"^ *```ya?ml\n(.*?)^ *```", page.read_text(), re.DOTALL | re.MULTILINE):
        yield block, yaml.safe_load(block)


# GitHub's own machine, unless the event is none of a fork's (a review runs its file too): then the caller's label.
OF_OURS = (
    """(contains(fromJSON('["push", "merge_group", "workflow_dispatch"]'), github.event_name) || ( """
    "github.event_name == 'pull_request' && "
    "github.event.pull_request.head.repo.full_name == github.repository ))"
)
HOSTED = f"${{{{ {OF_OURS} && inputs.hosted-runner || 'ubuntu-24.04' }}}}"


def is_hosted(job: dict[str, Any]) -> bool:
    label = str(job.get("runs-on"))
    return label == HOSTED or re.fullmatch(r"ubuntu-\d\d\.\d\d", label) is not None


def may_write(job: dict[str, Any]) -> bool:
    return "write" in job["permissions"].values()


# Who may write.


@pytest.mark.attack("14", "a workflow with more rights than its jobs ask for")
@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_a_workflow_grants_nothing_that_a_job_does_not_ask_for(path: Path) -> None:
    assert content(path)["permissions"] == {}
    for job in jobs(path).values():
        assert isinstance(job["permissions"], dict)
        # GitHub gives a job that calls a workflow no time of its own.
        assert "timeout-minutes" in job or "uses" in job


@pytest.mark.attack("14", "a token that can write on a machine of ones own")
@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_a_machine_of_ones_own_never_sees_a_token_that_can_write(path: Path) -> None:
    for key, job in jobs(path).items():
        if path != ONE_JOB and not is_hosted(job):
            assert job["permissions"] in ({"contents": "read"}, {}), key


def test_every_job_of_the_reusable_workflow_can_only_read() -> None:
    assert all(job["permissions"] in ({"contents": "read"}, {}) for job in jobs(REUSABLE).values())


@pytest.mark.parametrize("path", [path for path in TO_COPY if path != ONE_JOB], ids=name)
def test_a_job_that_can_write_checks_nothing_out_and_starts_nothing_but_us(path: Path) -> None:
    for job in jobs(path).values():
        if may_write(job):
            assert is_hosted(job)
            assert [
                step
                for step in job["steps"]
                if not re.fullmatch(r"org/rocm-ci/(report|bot)@v1", step["uses"])
            ] == []


@pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=name)
def test_no_workflow_has_a_trigger_that_hands_a_stranger_the_token(path: Path) -> None:
    assert "pull_request_target" not in path.read_text()


@pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=name)
def test_no_secret_is_read_and_none_is_inherited(path: Path) -> None:
    assert not re.search(r"secrets\s*[.:\[]|secrets: inherit", path.read_text())


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_no_checkout_leaves_its_token_behind(path: Path) -> None:
    for job in jobs(path).values():
        for step in job.get("steps", []):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.attack("1", "a fork whose own workflow file names a GPU machine for the scan")
@pytest.mark.parametrize("job", ["scan", "gate"])
def test_what_runs_for_a_fork_at_once_stands_on_githubs_own_machine(job: str) -> None:
    assert jobs(REUSABLE)[job]["runs-on"] == HOSTED
    assert "if" not in jobs(REUSABLE)["scan"]


@pytest.mark.attack("1", "a fork whose own workflow file gives other inputs")
@pytest.mark.parametrize("job", ["build", "gpu"])
def test_a_fork_reaches_a_machine_that_runs_its_code_only_by_dispatch(job: str) -> None:
    condition = " ".join(jobs(REUSABLE)[job]["if"].split())

    assert condition.endswith(
        """contains(fromJSON('["push", "merge_group", "workflow_dispatch"]'), github.event_name) || ( """
        "github.event_name == 'pull_request' && "
        "github.event.pull_request.head.repo.full_name == github.repository ) )"
    )
    assert "inputs" not in condition, "an input comes from the caller, whom a fork may rewrite"


@pytest.mark.attack("16", "a build that hands a .git over to the next machine")
def test_nothing_that_git_obeys_is_handed_over() -> None:
    unpacked = [script for script in scripts(jobs(REUSABLE)["gpu"]) if "tar " in script]
    packed = [script for script in scripts(jobs(REUSABLE)["build"]) if "tar " in script]

    assert len(packed) == 1
    assert "--exclude .git" in packed[0]
    assert "--exclude .git" in unpacked[0]


LINKS = {
    "into .git": ".git",
    "into .git from where it is unpacked": "../../checkout/.git",
    "to the machine": "../outside",
}


def unpacked(checkout: Path, archive: Path) -> int:
    """Let the GPU job unpack an archive; its exit code."""
    (script,) = [script for script in scripts(jobs(REUSABLE)["gpu"]) if "tar " in script]
    (checkout / ".git").mkdir(parents=True, exist_ok=True)
    (checkout / ".git" / "config").write_text("ours")
    temp = archive.parents[1]
    env = {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(temp)}
    return subprocess.run(["bash", "-e", "-c", script], cwd=checkout, env=env, check=False).returncode


def archive_in(folder: Path) -> Path:
    path = folder / "temp" / "handed-over" / "built.tar"
    path.parent.mkdir(parents=True)
    (folder / "outside").mkdir()
    return path


@pytest.mark.attack("16", "an archive from a build whose links lead into .git or out of the checkout")
@pytest.mark.parametrize("target", [*LINKS.values(), "ABSOLUTE"], ids=[*LINKS, "absolute"])
def test_no_link_of_what_is_handed_over_leads_anywhere(tmp_path: Path, target: str) -> None:
    path = archive_in(tmp_path)
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo("a")
        link.type, link.linkname = (
            tarfile.SYMTYPE,
            str(tmp_path / "outside") if target == "ABSOLUTE" else target,
        )
        archive.addfile(link)
        for name in ("a/config", ".git/config"):
            archive.addfile(tarfile.TarInfo(name))

    unpacked(tmp_path / "checkout", path)

    assert [p.read_text() for p in tmp_path.rglob("config") if not p.is_symlink()] == ["ours"]


@pytest.mark.attack("16", "a change that commits a link where the build hands a folder or file over")
@pytest.mark.parametrize("name", ["build", "build/tool"])
def test_nothing_is_unpacked_through_a_link_of_the_checkout(tmp_path: Path, name: str) -> None:
    path = archive_in(tmp_path)
    with tarfile.open(path, "w") as archive:
        archive.addfile(tarfile.TarInfo("build/tool"))
    link = tmp_path / "checkout" / name
    link.parent.mkdir(parents=True)
    (tmp_path / "outside" / "tool").write_text("theirs")
    link.symlink_to(tmp_path / "outside" / ("tool" if name.endswith("tool") else ""))

    unpacked(tmp_path / "checkout", path)

    assert (tmp_path / "outside" / "tool").read_text() == "theirs"


def test_what_is_handed_over_comes_into_the_checkout(tmp_path: Path) -> None:
    path = archive_in(tmp_path)
    with tarfile.open(path, "w") as archive:
        archive.addfile(tarfile.TarInfo("build/tool"))
    (tmp_path / "checkout" / "build").mkdir(parents=True)
    (tmp_path / "checkout" / "build" / "tool").write_text("old")

    assert unpacked(tmp_path / "checkout", path) == 0

    assert (tmp_path / "checkout" / "build" / "tool").read_text() == ""
    assert (tmp_path / "checkout" / ".git" / "config").read_text() == "ours"


def link_to_outside(checkout: Path) -> str:
    (checkout / "build").symlink_to("../outside")
    return "build/*"


def name_with_a_line_break(checkout: Path) -> str:
    (checkout / "build" / "x\n..").mkdir(parents=True)
    (checkout / "build" / "x\n.." / "outside").touch()
    return "build/*/*"


def name_that_is_the_folder_above(checkout: Path) -> str:
    (checkout / "build").mkdir()
    (checkout / "build" / "x\n..").touch()
    return "build/*"


@pytest.mark.attack("16", "a build in a container that has a file of the machine handed over")
@pytest.mark.parametrize("trick", [link_to_outside, name_with_a_line_break, name_that_is_the_folder_above])
def test_nothing_outside_of_the_checkout_is_handed_over(tmp_path: Path, trick: Callable[[Path], str]) -> None:
    assert packed(tmp_path, trick) is None


@pytest.mark.parametrize("pattern", ["build", "./build/", "build/*", "*/tool", "build/link"])
def test_files_folders_and_patterns_are_handed_over(tmp_path: Path, pattern: str) -> None:
    def build(checkout: Path) -> str:
        (checkout / "build").mkdir()
        (checkout / "build" / "tool").touch()
        (checkout / "build" / "link").symlink_to("tool")
        return pattern

    names = packed(tmp_path, build)

    assert names
    assert any("build" in name for name in names)


def packed(folder: Path, lay_out: Callable[[Path], str]) -> list[str] | None:
    """What the build hands over; None when it refuses."""
    (script,) = [script for script in scripts(jobs(REUSABLE)["build"]) if "tar " in script]
    for name in ("checkout", "temp", "outside"):
        (folder / name).mkdir()
    (folder / "outside" / "secret").touch()
    env = {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(folder / "temp")}
    env["HAND_OVER"] = lay_out(folder / "checkout")
    run = ["bash", "-e", "-c", script]
    if subprocess.run(run, cwd=folder / "checkout", env=env, check=False).returncode:
        return None
    with tarfile.open(folder / "temp" / "built.tar") as archive:
        return archive.getnames()


def test_the_gate_runs_always_and_looks_at_every_job() -> None:
    gate = jobs(REUSABLE)["gate"]

    assert gate["if"] == "always()"
    assert gate["needs"] == [key for key in jobs(REUSABLE) if key != "gate"]
    [asked] = [step for step in gate["steps"] if step["uses"].startswith("org/rocm-ci/gate@")]
    assert "continue-on-error" not in asked
    assert "if" not in asked
    read, written = (step["with"] for step in gate["steps"] if "artifact" in step["uses"])
    assert not fnmatch.fnmatch(written["name"], read["pattern"]), (
        "an earlier attempt's gate counts for no later one"
    )


def test_only_the_cheap_steps_may_fail_unseen() -> None:
    for path in WORKFLOWS:
        for key, job in jobs(path).items():
            assert "continue-on-error" not in job, key
            for step in job.get("steps", []):
                if "continue-on-error" in step:
                    assert step["uses"].startswith("actions/download-artifact@"), key


def test_the_trusted_plane_waits_for_the_run_that_people_copy() -> None:
    waits = content(ROOT / "docs/workflows/report.yml")[True]["workflow_run"]

    for half in ("fork-safe-run.yml", "two-plane-run.yml"):
        assert waits["workflows"] == [content(ROOT / "docs/workflows" / half)["name"]]
    assert "requested" in waits["types"], "the old answer is marked as stale"


@pytest.mark.parametrize("half", ["fork-safe-run.yml", "two-plane-run.yml"])
def test_the_default_branch_leaves_a_report_to_be_held_against(half: str) -> None:
    workflow = content(ROOT / "docs/workflows" / half)

    assert {"pull_request", "merge_group", "push"} <= set(workflow[True])
    assert workflow["concurrency"]["cancel-in-progress"] == "${{ github.event_name != 'push' }}"


# What is pinned.


@pytest.mark.attack("9", "a title, branch or author that a script would run")
@pytest.mark.parametrize("path", [*ACTIONS, *WORKFLOWS], ids=name)
def test_no_expression_stands_in_a_script(path: Path) -> None:
    assert not [script for script in scripts(content(path)) if "${{" in script], "pass it through env:"


@pytest.mark.attack("9", "a snippet of our pages that could be injected")
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_a_page_shows_to_copy_is_as_safe_as_our_own(page: Path) -> None:
    for text, node in snippets(page):
        assert not [script for script in scripts(node) if "${{" in script]
        assert "pull_request_target" not in text
        assert "secrets: inherit" not in text
        assert unpinned(text) == []


def unpinned(text: str) -> list[str]:
    """What is used, is neither ours nor of this repository, and does not name its commit and version."""
    used = re.findall(r"^\s*(?:- )?uses:[ \t]*(.+?)\s*$", text, re.MULTILINE)
    return [use for use in used if not use.startswith(("./", "org/rocm-ci")) and not PINNED.fullmatch(use)]


@pytest.mark.attack("14", "an action whose tag is moved")
@pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=name)
def test_foreign_actions_are_pinned_and_say_their_version(path: Path) -> None:
    assert unpinned(path.read_text()) == []


def test_one_action_has_one_version_everywhere() -> None:
    found: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for use in re.findall(r"uses: ([\w./-]+@[0-9a-f]{40} # \S+)", path.read_text()):
            found.setdefault(use.partition("@")[0], set()).add(use)

    assert {action: versions for action, versions in found.items() if len(versions) > 1} == {}


@pytest.mark.attack("14", "an image whose tag is moved")
def test_images_are_named_by_digest() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    images = re.findall(r"^ARG \w+_IMAGE=(.+)$", dockerfile, re.MULTILINE)

    assert set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)) == {"${REPORTER_IMAGE}", "${BASE_IMAGE}"}
    assert len(images) == 2
    assert not [image for image in images if not re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", image)]


@pytest.mark.attack("14", "a package that is swapped on its registry")
def test_what_is_installed_is_held_to_its_hash() -> None:
    for script in (*ROOT.glob("tools/*.sh"), ROOT / "container/install.sh"):
        for line in re.findall(r"pip install\b.*", script.read_text()):
            assert "--require-hashes" in line or "--no-deps" in line, f"{name(script)}: {line}"


# What is linted.


def linter(program: str, *args: str | Path) -> None:
    """Run a tool that lies beside this Python; what it finds fails the test."""
    tool = Path(sys.executable).parent / program
    if not tool.exists():
        require.missing(program, "pip install the `dev` extra")
    # actionlint looks for shellcheck on PATH.
    path = {"PATH": f"{tool.parent}:/usr/bin:/bin"}
    done = subprocess.run([tool, *args], capture_output=True, text=True, cwd=ROOT, env=path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def shell_scripts() -> list[str]:
    return [
        path
        for path in TRACKED
        if path.endswith(".sh") or re.match(rb"#!.*\b(ba|da)?sh\b", (ROOT / path).read_bytes()[:80])
    ]


@pytest.mark.attack("14", "a workflow that does not mean what it says (actionlint)")
def test_actionlint_understands_every_workflow_and_the_scripts_in_it() -> None:
    linter("actionlint", "-config-file", ROOT / ".github/actionlint.yaml", *WORKFLOWS)


def test_actions_and_workflows_fit_githubs_schemas() -> None:
    linter("check-jsonschema", "--builtin-schema", "vendor.github-actions", *ACTIONS)
    linter("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)
    linter("check-jsonschema", "--builtin-schema", "vendor.dependabot", DEPENDABOT)


def test_the_configurations_we_show_fit_our_own_schema(tmp_path: Path) -> None:
    shown = [ROOT / path for path in TRACKED if path.endswith("/.github/rocm-ci.yml")]
    for page in PAGES:
        for at, (text, node) in enumerate(snippets(page)):
            if isinstance(node, dict) and node.get("version") == 1:
                shown.append(tmp_path / f"{page.stem}-{at}.yml")
                shown[-1].write_text(text)

    assert len(shown) >= 2
    linter("check-jsonschema", "--schemafile", ROOT / "docs/rocm-ci.schema.json", *shown)


@pytest.mark.attack("14", "a dangerous trigger, an injection, a kept credential (zizmor)")
def test_zizmor_finds_no_way_in() -> None:
    config = ROOT / ".github/zizmor.yml"
    linter("zizmor", "--offline", "--quiet", "--config", config, *ACTIONS, *WORKFLOWS, DEPENDABOT)


def test_hadolint_likes_every_dockerfile() -> None:
    # Those of the example are a user's: its pull request is wrong on purpose.
    linter("hadolint", *(path for path in TRACKED if path.endswith("Dockerfile") and "examples/" not in path))


def test_shellcheck_likes_every_script() -> None:
    found = shell_scripts()

    assert ".ci/run" in found
    linter("shellcheck", *found)
