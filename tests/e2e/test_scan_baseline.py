"""Baselines and levels as a user meets them, on a real repository."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import Outcome, rocm_ci
from tests.repositories import Repository, repository

if TYPE_CHECKING:
    from pathlib import Path

OLD = "int a = cudaFree(0);\n"
FILE = ".github/rocm-ci-baseline.json"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A repository with an old finding that its baseline knows."""
    made = repository(tmp_path / "repo")
    made.commit(**{"src/a.cpp": OLD})
    assert rocm_ci("scan", "--write-baseline", cwd=made.root).code == 0
    made.commit()
    return made


def scan(repo: Repository, *args: str) -> Outcome:
    return rocm_ci("scan", *args, "--format", "json", cwd=repo.root)


def test_what_is_known_is_counted_apart_and_fails_nothing(repo: Repository) -> None:
    outcome = scan(repo, "--all")

    assert (outcome.code, outcome.json["findings"], outcome.json["baselined"]) == (0, [], 1)
    assert outcome.json["suppressed"] == 0
    assert "1 in the baseline" in rocm_ci("scan", "--all", cwd=repo.root).out
    assert len(scan(repo, "--all", "--no-baseline").json["findings"]) == 1


def test_writing_twice_changes_nothing(repo: Repository) -> None:
    before = (repo.root / FILE).read_bytes()
    rocm_ci("scan", "--all", "--write-baseline", cwd=repo.root)

    assert (repo.root / FILE).read_bytes() == before


def test_it_can_be_written_to_another_file(repo: Repository, tmp_path: Path) -> None:
    outcome = rocm_ci("scan", f"--write-baseline={tmp_path}/x.json", cwd=repo.root)

    assert outcome.code == 0
    assert json.loads((tmp_path / "x.json").read_text()) == json.loads((repo.root / FILE).read_text())


def test_it_follows_a_file_that_git_renamed(repo: Repository) -> None:
    repo.git("mv", "src/a.cpp", "src/b.cpp")
    uncommitted = scan(repo, "--all")
    repo.commit()
    committed = scan(repo, "--all")

    assert [(o.json["findings"], o.json["baselined"]) for o in (uncommitted, committed)] == [([], 1)] * 2


def test_what_was_repaired_is_told_and_taken_out(repo: Repository) -> None:
    repo.commit(**{"src/a.cpp": "int a;\n"})
    (stale,) = scan(repo, "--all").json["findings"]
    shrunk = rocm_ci("scan", "--shrink-baseline", cwd=repo.root)

    assert (stale["rule"], stale["severity"], stale["path"]) == ("stale-baseline", "note", FILE)
    assert "0 known findings in 0 files, 1 gone" in shrunk.out
    assert scan(repo, "--all").json["findings"] == []


def test_shrinking_adds_nothing(repo: Repository) -> None:
    repo.write("src/b.cpp", OLD)
    rocm_ci("scan", "--shrink-baseline", cwd=repo.root)

    assert len(scan(repo, "--all").json["findings"]) == 1


def test_a_change_that_makes_it_know_more_is_told(repo: Repository) -> None:
    repo.git("checkout", "-q", "-b", "change")
    repo.commit(**{"src/b.cpp": OLD})
    rocm_ci("scan", "--write-baseline", cwd=repo.root)
    repo.commit()
    outcome = scan(repo, "--base", "main")

    assert outcome.json["notices"] == [f"This change alters {FILE}: it knows 1 finding more."]
    assert (outcome.json["findings"], outcome.json["baselined"]) == ([], 1)


def test_a_broken_one_is_a_clear_error(repo: Repository) -> None:
    repo.write(FILE, "{")
    outcome = scan(repo, "--all")

    assert (outcome.code, FILE in outcome.err, "--write-baseline" in outcome.err) == (2, True, True)


@pytest.mark.parametrize(
    "args",
    [
        ("--write-baseline", "--base", "main"),
        ("--write-baseline", "--fix"),
        ("--shrink-baseline", "--staged"),
        ("--shrink-baseline", "src"),
        ("--write-baseline", "--shrink-baseline"),
        ("--write-baseline=src",),
    ],
)
def test_a_baseline_of_a_part_is_refused(repo: Repository, args: tuple[str, ...]) -> None:
    assert rocm_ci("scan", *args, cwd=repo.root).code == 2


def test_levels_by_path_and_unknown_names(repo: Repository) -> None:
    repo.write("tests/b.cpp", "int b = cudaFree(0);\n")
    repo.write(".github/rocm-ci.yml", 'scan:\n  per-path: {"tests/**": {cuda-api: off, cuda-apis: off}}\n')
    outcome = scan(repo, "--all")

    assert (outcome.code, outcome.json["suppressed"]) == (0, 1)
    assert [f["message"] for f in outcome.json["findings"]] == [
        "scan.per-path['tests/**']: no rule is called `cuda-apis`; did you mean `cuda-api`?"
    ]


def test_rules_can_be_chosen_and_listed(repo: Repository) -> None:
    listed = rocm_ci("scan", "--list-rules", cwd=repo.root)
    rules = scan(repo, "--list-rules").json["rules"]

    assert {"rule": "cuda-runtime-api", "topic": "cuda-api", "fixable": True}.items() <= next(
        r for r in rules if r["rule"] == "cuda-runtime-api"
    ).items()
    assert listed.out.splitlines()[-1].startswith(f"{len(rules)} rules")
    assert scan(repo, "--all", "--no-baseline", "--ignore", "cuda-api").json["findings"] == []
    assert scan(repo, "--all", "--no-baseline", "--select", "cuda-api").code == 1
    assert scan(repo, "--select", "cuda-apii").code == 2


def test_the_sarif_of_a_scan_tells_what_is_known_and_what_is_suppressed(repo: Repository) -> None:
    repo.write(
        "src/c.cpp",
        "int c = cudaFree(0); // rocm-ci: allow cuda-runtime-api for the NVIDIA build\nint d = cudaFree(1);\n",
    )
    run = json.loads(rocm_ci("scan", "--all", "--format", "sarif", cwd=repo.root).out)["runs"][0]
    told = [(r["baselineState"], [s["kind"] for s in r.get("suppressions", [])]) for r in run["results"]]

    assert told == [("unchanged", ["external"]), ("new", ["inSource"]), ("new", [])]
    known = json.loads((repo.root / FILE).read_text())["findings"][0]["fingerprint"]
    assert run["results"][0]["partialFingerprints"] == {"rocmCi/v2": f"{known}:1"}
