"""`rocm-ci scan --fix` on real files: what is written, what is left, and what refuses."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import Outcome, rocm_ci
from tests.repositories import Repository, repository

if TYPE_CHECKING:
    from pathlib import Path

CUDA = "#include <cuda_runtime.h>\nint a = cudaFree(0);\nint b = cudaFree(1);\n"
HIP = "#include <hip/hip_runtime.h>\nint a = hipFree(0);\nint b = hipFree(1);\n"
BOTH = "#ifdef USE_ROCM\n#else\n#include <cuda_runtime.h>\n#endif\nint i = cudaFree(0);\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = repository(tmp_path / "repo")
    made.commit(**{"src/a.cpp": CUDA})
    return made


def scan(repo: Repository, *args: str) -> Outcome:
    return rocm_ci("scan", *args, "--format", "json", cwd=repo.root)


def test_repairs_are_written_and_a_second_time_nothing_is(repo: Repository) -> None:
    (repo.root / "src" / "a.cpp").chmod(0o755)
    first = scan(repo, "--all", "--fix")
    text = (repo.root / "src" / "a.cpp").read_text()
    second = scan(repo, "--all", "--fix")

    assert (text, (repo.root / "src" / "a.cpp").stat().st_mode & 0o777) == (HIP, 0o755)
    assert (first.code, first.json["findings"]) == (0, [])
    assert first.json["repaired"] == {"files": {"src/a.cpp": 3}, "refused": {}, "diff": ""}
    assert second.json["repaired"]["files"] == {}


def test_a_copy_of_a_file_is_repaired_with_it(repo: Repository) -> None:
    text = CUDA + "".join(f"int x{n} = cudaFree({n});\n" for n in range(40))
    repo.write("src/a.cpp", text)
    repo.write("package/src/a.cpp", text)
    first, second = scan(repo, "--all", "--fix"), scan(repo, "--all", "--fix")

    assert (repo.root / "package/src/a.cpp").read_text() == (repo.root / "src/a.cpp").read_text()
    assert set(first.json["repaired"]["files"]) == {"package/src/a.cpp", "src/a.cpp"}
    assert (first.json["findings"], second.json["repaired"]["files"]) == ([], {})


def test_a_dry_run_shows_a_diff_that_git_can_apply(repo: Repository, tmp_path: Path) -> None:
    outcome = rocm_ci("scan", "--all", "--fix", "--dry-run", cwd=repo.root)

    assert outcome.code == 1
    assert (repo.root / "src" / "a.cpp").read_text() == CUDA
    (tmp_path / "patch").write_text(outcome.out)
    repo.git("apply", str(tmp_path / "patch"))
    assert (repo.root / "src" / "a.cpp").read_text() == HIP


def test_unsafe_repairs_are_told_and_written_only_when_asked_for(repo: Repository) -> None:
    repo.write("src/a.cpp", BOTH)
    kept = rocm_ci("scan", "--all", "--fix", cwd=repo.root)
    unchanged = (repo.root / "src" / "a.cpp").read_text()
    rocm_ci("scan", "--all", "--fix", "--unsafe-fixes", cwd=repo.root)

    assert unchanged == BOTH
    assert "1 more repair may change what the code means on NVIDIA: --unsafe-fixes" in kept.err
    assert "hipFree" in (repo.root / "src" / "a.cpp").read_text()


def test_only_the_lines_of_the_change_and_the_named_paths_are_repaired(repo: Repository) -> None:
    repo.git("checkout", "-q", "-b", "change")
    repo.write("src/a.cpp", CUDA + "int c = cudaFree(2);\n")
    repo.write("src/b.cpp", "int d = cudaFree(3);\n")
    scan(repo, "--base", "main", "--fix", "src/a.cpp")

    assert (repo.root / "src" / "a.cpp").read_text() == CUDA + "int c = hipFree(2);\n"
    assert (repo.root / "src" / "b.cpp").read_text() == "int d = cudaFree(3);\n"


def test_line_ends_marks_and_odd_bytes_stay(repo: Repository) -> None:
    files = {
        "crlf.cpp": (CUDA.replace("\n", "\r\n").encode(), HIP.replace("\n", "\r\n").encode()),
        "mark.cpp": (b"\xef\xbb\xbf" + CUDA.encode(), b"\xef\xbb\xbf" + HIP.encode()),
        "latin.cpp": (b"// \xe9\n" + CUDA.encode(), b"// \xe9\n" + HIP.encode()),
        "wide.cpp": (("\ufeff" + CUDA).encode("utf-16-le"), ("\ufeff" + HIP).encode("utf-16-le")),
        "end.cpp": (CUDA.encode().rstrip(), HIP.encode().rstrip()),
    }
    for name, (before, _) in files.items():
        repo.write(name, before)
    scan(repo, "--all", "--fix")

    assert {name: (repo.root / name).read_bytes() for name in files} == {
        n: after for n, (_, after) in files.items()
    }


def test_hostile_names_are_repaired_and_links_are_left(repo: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside.cpp"
    outside.write_text(CUDA)
    (repo.root / "link.cpp").symlink_to(outside)
    (repo.root / "folder").symlink_to(tmp_path)
    names = [b"a b.cpp", b"-rf.cpp", b"new\nline.cpp", b"\x1b[31m.cpp", b"\xff.cpp"]
    for name in names:
        (repo.root / os.fsdecode(name)).write_text(CUDA)
    outcome = rocm_ci("scan", "--all", "--fix", cwd=repo.root)

    assert {(repo.root / os.fsdecode(name)).read_text() for name in names} == {HIP}
    assert outside.read_text() == CUDA
    assert "\x1b" not in outcome.out + outcome.err


def test_a_read_only_file_is_left_with_the_reason(repo: Repository) -> None:
    (repo.root / "src" / "a.cpp").chmod(0o444)
    outcome = scan(repo, "--all", "--fix")

    assert outcome.json["repaired"] == {"files": {}, "refused": {"src/a.cpp": "it is read-only"}, "diff": ""}
    assert (outcome.code, (repo.root / "src" / "a.cpp").read_text()) == (1, CUDA)


def test_staged_lines_are_repaired_only_where_the_file_is_what_was_staged(repo: Repository) -> None:
    repo.write("src/b.cpp", "int d = cudaFree(3);\n")
    repo.write("src/c.cpp", "int e = cudaFree(3);\n")
    repo.git("add", "-A")
    repo.write("src/c.cpp", "int e = cudaFree(4); // edited since\n")
    outcome = scan(repo, "--staged", "--fix")

    assert (repo.root / "src" / "b.cpp").read_text() == "int d = hipFree(3);\n"
    assert (repo.root / "src" / "a.cpp").read_text() == CUDA
    assert outcome.json["repaired"]["files"].keys() >= {"src/b.cpp"}


@pytest.mark.parametrize("args", [("--unsafe-fixes",), ("--dry-run",)])
def test_how_to_repair_without_repairing_is_a_usage_error(repo: Repository, args: tuple[str, ...]) -> None:
    outcome = scan(repo, "--all", *args)

    assert (outcome.code, "add --fix" in outcome.err) == (2, True)
