"""`rocm-ci scan` as a user calls it: real git, real files, every way to say what to scan."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.command import Outcome, rocm_ci
from tests.repositories import Repository, repository

if TYPE_CHECKING:
    from pathlib import Path

OLD = "int old() { return cudaFree(0); }\n"
NEW = "int fresh() { return cudaMalloc(0); }\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A branch with one commit that adds a line to a file that had one."""
    made = repository(tmp_path / "repo")
    made.commit(**{"src/a.cpp": OLD})
    made.git("checkout", "-q", "-b", "change")
    made.commit(**{"src/a.cpp": OLD + NEW})
    return made


def places(outcome: Outcome) -> list[tuple[str, int]]:
    return [(f["path"], f["line"]) for f in outcome.json["findings"]]


def scan(repo: Repository, *args: str) -> Outcome:
    return rocm_ci("scan", *args, "--format", "json", cwd=repo.root)


def test_base_scans_the_added_lines_and_the_finding_keeps_its_contract(repo: Repository) -> None:
    outcome = scan(repo, "--base", "main")
    (found,) = outcome.json["findings"]

    assert outcome.code == 1
    assert set(outcome.json) == {
        *("version", "findings", "suppressed", "files", "elapsed_s"),
        *("baselined", "silenced", "notes", "notices"),
    }
    assert set(found) >= {"rule", "topic", "severity", "path", "line", "column", "message", "fix", "docs"}
    assert (found["path"], found["line"], found["topic"], found["severity"]) == (
        "src/a.cpp",
        2,
        "cuda-api",
        "error",
    )


def test_base_sees_uncommitted_and_new_files_and_not_what_main_did_meanwhile(repo: Repository) -> None:
    repo.write("src/a.cpp", OLD + NEW + "int more = cudaFree(1);\n")
    repo.write("src/new file.hip", "int z = cudaFree(2);\n")
    repo.git("stash", "-q", "-u")
    repo.git("checkout", "-q", "main")
    repo.commit(**{"src/other.cpp": OLD})
    repo.git("checkout", "-q", "change")
    repo.git("stash", "pop", "-q")

    assert places(scan(repo, "--base", "main")) == [
        ("src/a.cpp", 2),
        ("src/a.cpp", 3),
        ("src/new file.hip", 1),
    ]


def test_all_scans_the_whole_tree(repo: Repository) -> None:
    assert places(scan(repo, "--all")) == [("src/a.cpp", 1), ("src/a.cpp", 2)]


def test_without_an_option_the_remotes_default_branch_is_the_base(repo: Repository, tmp_path: Path) -> None:
    clone = Repository(tmp_path / "clone")
    repo.git("checkout", "-q", "main")
    repo.git("clone", "-q", str(repo.root), str(clone.root))
    clone.git("checkout", "-q", "-b", "mine")
    clone.commit(**{"b.cpp": NEW})

    assert places(scan(clone)) == [("b.cpp", 1)]
    assert len(places(scan(repo))) == 1, "no remote: the whole tree"


def test_a_diff_file_says_which_lines(repo: Repository, tmp_path: Path) -> None:
    diff = tmp_path / "change.diff"
    diff.write_text(repo.git("diff", "main", "change") + "\n")

    assert places(scan(repo, "--diff", str(diff))) == [("src/a.cpp", 2)]


def test_a_diff_that_points_outside_the_tree_reads_nothing(repo: Repository, tmp_path: Path) -> None:
    (tmp_path / "outside.cpp").write_text(NEW)
    diff = tmp_path / "evil.diff"
    diff.write_text("--- a/../outside.cpp\n+++ b/../outside.cpp\n@@ -0,0 +1 @@\n+" + NEW)

    assert places(scan(repo, "--diff", str(diff))) == []


def test_paths_limit_the_scan(repo: Repository) -> None:
    repo.commit(**{"lib/b.cpp": NEW, "src/c.cpp": NEW})

    assert places(scan(repo, "--all", "lib", "src/c.cpp")) == [("lib/b.cpp", 1), ("src/c.cpp", 1)]


def test_a_folder_below_the_top_knows_the_top(repo: Repository) -> None:
    outcome = rocm_ci("scan", "--base", "main", "--format", "json", cwd=repo.root / "src")

    assert places(outcome) == [("src/a.cpp", 2)]


def test_a_tree_without_git_is_scanned_whole(tmp_path: Path) -> None:
    (tmp_path / "tree" / "sub").mkdir(parents=True)
    (tmp_path / "tree" / "sub" / "a.cpp").write_text(NEW)
    outcome = rocm_ci("scan", "--all", "--format", "json", str(tmp_path / "tree"), cwd=tmp_path)

    assert places(outcome) == [("sub/a.cpp", 1)]


def test_renamed_files_report_only_what_was_added_and_deleted_ones_nothing(repo: Repository) -> None:
    lines = "".join(f"int l{n} = cudaFree({n});\n" for n in range(20))
    repo.git("checkout", "-q", "main")
    repo.commit(**{"x.cpp": lines, "gone.cpp": NEW})
    repo.git("checkout", "-q", "-b", "moved")
    repo.git("mv", "x.cpp", "y.cpp")
    repo.git("rm", "-q", "gone.cpp")
    repo.commit(**{"y.cpp": lines + "int last = cudaFree(99);\n"})

    assert places(scan(repo, "--base", "main")) == [("y.cpp", 21)]


def test_submodules_links_and_odd_names_do_no_harm(repo: Repository, tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner")
    inner.commit(**{"k.cpp": NEW})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "sub")
    (repo.root / "link.cpp").symlink_to("/etc/hostname")
    for name in ("-rf.cpp", 'q"uote.cpp', "new\nline.cpp"):
        repo.write(name, NEW)
    repo.commit()

    assert {path for path, _ in places(scan(repo, "--base", "main"))} == {
        "src/a.cpp",
        "-rf.cpp",
        'q"uote.cpp',
        "new\nline.cpp",
    }


def test_the_configuration_is_honoured(repo: Repository) -> None:
    repo.write(
        ".github/rocm-ci.yml",
        "scan: {fail-on: never, exclude: ['lib/**'], rules: {cuda-runtime-api: note}}\n",
    )
    repo.commit(**{"lib/b.cpp": NEW})
    outcome = scan(repo, "--base", "main")

    assert outcome.code == 0
    assert [(f["path"], f["severity"]) for f in outcome.json["findings"]] == [("src/a.cpp", "note")]


def test_a_mistake_in_the_configuration_is_told(repo: Repository) -> None:
    repo.write(".github/rocm-ci.yml", "scan: {fail-onn: never}\n")
    outcome = scan(repo, "--base", "main")

    assert outcome.code == 2
    assert "did you mean `fail-on`?" in outcome.err


def test_text_shows_the_line_and_the_summary(repo: Repository) -> None:
    outcome = rocm_ci("scan", "--base", "main", cwd=repo.root)

    assert outcome.out.splitlines()[0].startswith("src/a.cpp:2:22: error cuda-runtime-api")
    assert "cudaMalloc(0)" in outcome.out
    assert outcome.out.splitlines()[-1].startswith("✗ 1 error in 1 file, ")


def test_sarif_is_valid_json_with_the_finding(repo: Repository) -> None:
    document: Any = json.loads(rocm_ci("scan", "--base", "main", "--format", "sarif", cwd=repo.root).out)

    assert document["version"] == "2.1.0"
    assert [r["ruleId"] for r in document["runs"][0]["results"]] == ["cuda-runtime-api"]


def test_workflow_commands_name_the_file_and_line(repo: Repository) -> None:
    outcome = rocm_ci("scan", "--base", "main", "--format", "github", cwd=repo.root)

    assert outcome.out.startswith("::error file=src/a.cpp,line=2,")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--base", "nope"), "no commit 'nope'"),
        (("--base", "main", "--all"), "exclude each other"),
        (("--diff", "gone.diff"), "gone.diff cannot be read"),
        (("gone",), "there is no gone"),
        (("--all", "src", ".."), "outside"),
    ],
)
def test_a_wrong_call_is_a_usage_error_with_a_hint(
    repo: Repository, args: tuple[str, ...], said: str
) -> None:
    outcome = scan(repo, *args)

    assert outcome.code == 2
    assert said in outcome.err
    assert "→" in outcome.err
