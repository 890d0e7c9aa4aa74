"""What a release is checked for, and that this tree could pass it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tools import release_check

ROOT = Path(__file__).resolve().parents[2]
DIGEST = "sha256:" + "a" * 64
RELEASE = ROOT / ".github/workflows/release.yml"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree that may be released as v1.2.3."""
    (tmp_path / "rocm_ci").mkdir()
    (tmp_path / "docs/workflows").mkdir(parents=True)
    (tmp_path / ".github/workflows").mkdir(parents=True)
    (tmp_path / "rocm_ci/__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changes\n\n## Unreleased\n\n## 1.2.3 – 2026-12-01\n\n* New.\n\n## 1.2.2\n\n* Old.\n"
    )
    (tmp_path / "docs/workflows/run.yml").write_text("- uses: org/rocm-ci/report@v1\n")
    (tmp_path / "Dockerfile").write_text(f"ARG BASE_IMAGE=rocm/dev:7@{DIGEST}\nFROM ${{BASE_IMAGE}}\n")
    return tmp_path


def test_a_tree_that_is_ready_may_be_released(tree: Path) -> None:
    assert release_check.problems(tree, "v1.2.3", ["v1", "v1.2.2", "v1.2.3"]) == []
    assert release_check.notes(tree, "1.2.3") == "* New."


@pytest.mark.attack("20", "a release whose tag, version, notes or pins do not agree")
@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("rocm_ci/__init__.py", "1.2.3", "1.2.4", "says 1.2.4, the tag 1.2.3"),
        ("rocm_ci/__init__.py", "__version__", "version", "says nothing"),
        ("CHANGELOG.md", "## 1.2.3", "## 1.2.30", "no section «## 1.2.3»"),
        ("CHANGELOG.md", "* New.", "", "an empty one"),
        ("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n* More.\n", "would not mention"),
        ("docs/workflows/run.yml", "@v1", "@v2", "docs/workflows/run.yml tells people to use v2"),
        ("Dockerfile", f"@{DIGEST}", "", "rocm/dev:7 is not named by digest"),
    ],
)
def test_a_tree_that_is_not_ready_says_why(tree: Path, file: str, old: str, new: str, said: str) -> None:
    (tree / file).write_text((tree / file).read_text().replace(old, new, 1))

    [problem] = release_check.problems(tree, "v1.2.3", [])
    assert said in problem


@pytest.mark.parametrize("tag", ["1.2.3", "v1.2", "v1.2.3-rc1", "v01.2.3", "v1.2.3\n", "v1"])
def test_only_vxyz_is_a_release(tree: Path, tag: str) -> None:
    assert release_check.problems(tree, tag, []) == [f"{tag} is no tag of the form vX.Y.Z"]


def test_no_release_goes_back(tree: Path) -> None:
    [problem] = release_check.problems(tree, "v1.2.3", ["v1.2.10", "v1.3.0", "v2.0.0"])

    assert problem.startswith("v1.2.10 is out already")


@pytest.mark.attack("20", "the floating tag moved back by a repair of an older release")
@pytest.mark.parametrize(
    ("tag", "tags", "floating"),
    [
        ("v1.2.3", ["v1", "v1.2.3", "v1.2.2", "v0.9.9", "nightly"], "v1"),
        ("v1.2.4", ["v1", "v1.2.4", "v1.10.0"], ""),
        ("v1.2.3", ["v1.2.3", "v2.0.0", "v2"], "v1"),
        ("v1", ["v1.2.3"], ""),
    ],
)
def test_the_floating_tag_follows_only_the_newest_of_its_major_version(
    tag: str, tags: list[str], floating: str
) -> None:
    assert release_check.floating(tag, tags) == floating


def test_the_commands_work_on_a_real_repository(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def git(*args: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "tag.gpgSign=false")
        subprocess.run(["git", *who, *args], cwd=tree, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    git("tag", "v1.2.3")
    git("tag", "-a", "v1", "-m", "moves")

    assert release_check.main(["check", "v1.2.3", "--notes", str(tree / "notes.md")], tree) == 0
    assert (tree / "notes.md").read_text() == "* New.\n"
    assert release_check.main(["floating", "v1.2.3"], tree) == 0
    assert capsys.readouterr().out == "v1\n"
    assert release_check.main(["same", "v1", "v1.2.3"], tree) == 0
    git("commit", "-q", "--allow-empty", "-m", "two")
    git("tag", "-f", "v1")
    assert release_check.main(["same", "v1", "v1.2.3"], tree) == 1
    assert release_check.main(["check", "v1.2.4"], tree) == 1
    assert "says 1.2.3, the tag 1.2.4" in capsys.readouterr().err


def test_this_tree_lacks_nothing_but_its_tag() -> None:
    """What is left to do for v1.0.0 is what a release is: a version, and a section in the changelog."""
    left = release_check.problems(ROOT, "v1.0.0", [])

    assert not [line for line in left if "__init__" not in line and "CHANGELOG" not in line]


@pytest.mark.attack("20", "an image whose digest is not the one that was checked")
def test_one_digest_of_an_image_stands_everywhere() -> None:
    named: dict[str, set[str]] = {}
    for path in (
        ROOT / "Dockerfile",
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("docs/workflows/*.yml"),
    ):
        for image, digest in re.findall(r"([\w./-]+:[\w.-]+)@(sha256:[0-9a-f]{64})", path.read_text()):
            named.setdefault(image, set()).add(digest)

    assert len(named) >= 2
    assert {image: digests for image, digests in named.items() if len(digests) > 1} == {}


@pytest.mark.attack("20", "a release that is out before its tests have run")
def test_nothing_is_published_before_everything_is_checked() -> None:
    jobs = yaml.safe_load(RELEASE.read_text())["jobs"]
    writing = {key for key, job in jobs.items() if "write" in job["permissions"].values()}

    assert writing == {"package", "image", "publish"}
    assert all({"check", "everything"} <= set(jobs[key]["needs"]) for key in writing)
    assert [key for key in jobs if jobs[key]["permissions"].get("contents") == "write"] == ["publish"]
    steps = [step["name"] for step in jobs["publish"]["steps"] if "name" in step]
    assert steps == ["What is published is what was attested", "The release", "The floating tag follows"]


@pytest.mark.attack("20", "a file of a release that nobody can trace to its source")
def test_whatever_is_built_is_attested_under_its_digest() -> None:
    jobs = yaml.safe_load(RELEASE.read_text())["jobs"]
    attested = {
        key: step["with"]
        for key, job in jobs.items()
        for step in job.get("steps", [])
        if step.get("uses", "").startswith("actions/attest-build-provenance@")
    }

    assert attested["package"] == {"subject-path": "dist/*"}
    assert attested["image"]["subject-digest"] == "${{ steps.push.outputs.digest }}"
