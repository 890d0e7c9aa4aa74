"""Suggestions end to end: a real change, its real diff, the command line, and clicks on what it suggests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from rocm_ci.github.review import Remark
from rocm_ci.model.result import ScanResult
from tests.e2e.command import Outcome, rocm_ci
from tests.e2e.github.conftest import Done, workflow_run
from tests.repositories import Repository, repository
from tests.reviewed import applied
from tests.standin.things import PullFile

if TYPE_CHECKING:
    from pathlib import Path

    from rocm_ci.model.finding import Finding
    from tests.e2e.github.conftest import Plane
    from tests.standin.server import StandIn
    from tests.standin.things import Thread

CONFIG = "stages: [scan]\nscan: {fail-on: never}\n"
KERNEL = """#include <hip/hip_runtime.h>

__global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }

void run(float* host, int n) {
  float* x;
  hipMalloc(&x, n * sizeof(float));
  scale<<<1, n>>>(x, 2.f);
  hipFree(x);
}
"""
WORSE = (
    KERNEL.replace("hipMalloc(", "cudaMalloc(")
    .replace("  hipFree(x);", "\tcudaMemset(x, 0, n);  \n  cudaFree(x); // `quoted` ```code```")
    .replace("#include <hip/hip_runtime.h>", "#include <cuda_runtime.h>")
)
VOTE = """#include <hip/hip_runtime.h>

__device__ int votes(bool yes) {
  const unsigned all = __ballot(yes);
  return __popc(all);
}
"""
WITHOUT_NEWLINE = "#include <hip/hip_runtime.h>\nvoid f(void* p) { cudaFree(p); }"


@dataclass
class Change:
    """A pull request whose branch is a real repository."""

    repo: Repository
    github: StandIn
    plane: Plane
    base: str = ""
    asked: list[str] = field(default_factory=list)

    def scanned(self) -> Outcome:
        return rocm_ci("run", "--local", "--base", self.base, cwd=self.repo.root)

    def open(self) -> None:
        self.github.world.open_pull("o/r", 6, self.head, branch="change", files=self.files())

    def push(self, message: str = "more") -> None:
        self.repo.commit(message)
        self.github.world.push("o/r", 6, self.head)
        self.github.world.repositories["o/r"].pulls[6].files = self.files()

    @property
    def head(self) -> str:
        return self.repo.git("rev-parse", "HEAD")

    def files(self) -> list[PullFile]:
        """What GitHub lists: hunks of three lines of context, without the lines above the first."""
        names = self.repo.git("diff", "--name-status", "-M", "-z", self.base, "HEAD").split("\0")
        found, at = [], 0
        while at < len(names) - 1:
            kind = names[at][0]
            path = names[at + 1 + (kind == "R")]
            at += 2 + (kind == "R")
            diff = self.diff(path)
            patch = diff[diff.index("@@ -") :] if "@@ -" in diff else None
            status = {"A": "added", "M": "modified", "R": "renamed", "D": "removed"}[kind]
            found.append(PullFile(filename=path, patch=patch, status=status))
        return found

    def diff(self, path: str) -> str:
        # By way of a file: nothing may touch its line ends and blanks.
        out = self.repo.root / ".git" / "shown.diff"
        quiet = ("-c", "core.quotePath=false", "diff", "-M", "-U3", f"--output={out}")
        self.repo.git(*quiet, self.base, "HEAD")
        parts = re.split(r"^(?=diff --git )", out.read_bytes().decode(), flags=re.MULTILINE)
        return next((p for p in parts if p.split("\n", 1)[0].endswith(f"b/{path}")), "").removesuffix("\n")

    def report(self, *sinks: str, run_id: int = 7) -> Done:
        """The GPU plane runs on the head, the trusted plane reports."""
        scanned = self.scanned()
        assert scanned.code == 0, scanned.err
        self.plane.event("workflow_run", workflow_run(self.head, branch="change", run_id=run_id))
        before = len(self.github.log)
        done = self.plane.run(
            str(self.repo.root / "rocm-ci-out"), *(f"--to={sink}" for sink in sinks or ("suggestions",))
        )
        self.asked = [f"{one.request.method} {one.request.path}" for one in self.github.log[before:]]
        return done

    def threads(self) -> list[Thread]:
        return self.github.world.repositories["o/r"].threads

    def click(self, *threads: Thread) -> None:
        """A person commits the suggestions."""
        by_path: dict[str, list[Remark]] = {}
        for thread in threads:
            first = thread.remarks[0]
            remark = Remark(
                path=first.path, line=first.line or 0, start_line=first.start_line, body=first.body
            )
            by_path.setdefault(first.path, []).append(remark)
        for path, remarks in by_path.items():
            data = (self.repo.root / path).read_bytes().decode()
            self.repo.write(path, applied(data, remarks).encode())


@pytest.fixture
def change(github: StandIn, plane: Plane, tmp_path: Path) -> Change:
    """What a contributor who knows CUDA adds to a HIP project."""
    repo = repository(tmp_path / "project")
    repo.write(".github/rocm-ci.yml", CONFIG)
    repo.write(".gitignore", "rocm-ci-out\n")
    made = Change(repo, github, plane)
    made.base = repo.commit(**{"src/scale.hip": KERNEL, "src/old.hip": KERNEL * 3, "src/keep.hip": VOTE})
    repo.git("checkout", "-q", "-b", "change")
    repo.git("mv", "src/old.hip", "src/moved.hip")
    repo.commit(
        **{
            "src/scale.hip": WORSE,
            "src/vote.hip": VOTE,
            "src/new name é.hip": WITHOUT_NEWLINE,
            "src/moved.hip": KERNEL * 3 + "void last(void* p) { cudaFree(p); }\n",
            "src/dos.hip": WORSE.replace("\n", "\r\n"),
        }
    )
    made.open()
    return made


def test_what_one_click_each_applies_leaves_only_what_the_command_line_repairs(change: Change) -> None:
    done = change.report()

    assert done.code == 0, done.err
    paths = {thread.remarks[0].path for thread in change.threads()}
    assert paths == {"src/scale.hip", "src/vote.hip", "src/new name é.hip", "src/moved.hip"}
    change.click(*change.threads())
    change.push("Apply suggestions from code review")

    left = rocm_ci("scan", "--base", change.base, "--format", "json", cwd=change.repo.root).json["findings"]

    assert {finding["path"] for finding in left if finding["edits"] and not finding["unsafe"]} == {
        "src/dos.hip"
    }
    assert b"\r\n" not in (change.repo.root / "src/scale.hip").read_bytes()
    assert (change.repo.root / "src/new name é.hip").read_text().endswith("{ hipFree(p); }")


def test_after_the_clicks_every_thread_is_closed_and_nothing_is_new(change: Change) -> None:
    change.report()
    posted = len(change.threads())
    change.click(*change.threads())
    change.push()

    done = change.report(run_id=8)

    assert len(change.threads()) == posted
    assert any(line.startswith(f"suggestions: {posted} fixed (not resolved") for line in done.posted)
    bodies = [thread.remarks[0].body for thread in change.threads()]
    assert all(body.startswith(f"✅ Fixed in {change.head[:7]}.") for body in bodies)
    assert not any(thread.is_resolved for thread in change.threads())
    again = change.report(run_id=9)
    assert not any("fixed" in line for line in again.posted)


def test_a_token_with_contents_write_resolves_too(change: Change) -> None:
    change.report()
    change.click(*change.threads())
    change.push()
    change.plane.env(GITHUB_TOKEN="app")
    identity = change.github.world.tokens["workflow"]
    change.github.world.tokens["app"] = type(identity)(
        login=identity.login, is_app=True, writes=identity.writes | {"contents"}
    )

    change.report(run_id=8)

    assert all(thread.is_resolved for thread in change.threads())


def test_the_second_report_of_a_commit_repeats_nothing_and_asks_little(change: Change) -> None:
    change.report()
    posted = len(change.threads())
    pull = "/repos/o/r/pulls/6"
    assert change.asked[-4:] == [f"GET {pull}", "POST /graphql", f"GET {pull}/files", f"POST {pull}/reviews"]

    change.report(run_id=8)

    assert len(change.threads()) == posted
    assert change.asked[-4:] == [f"GET {pull}", "POST /graphql", "POST /graphql", f"GET {pull}/files"]


def test_nothing_to_suggest_costs_no_request_of_its_own(change: Change) -> None:
    change.repo.git("checkout", "-q", "-B", "change", change.base)
    change.repo.commit(**{"notes.txt": "nothing\n"})
    change.push()
    change.report("comment", "status")
    change.report("comment", "status", run_id=8)
    alone = change.asked

    change.report("comment", "status", "suggestions", run_id=9)

    assert change.asked == alone
    assert change.threads() == []


@pytest.mark.attack("input", "a token that may not review: the repairs stand in the step summary")
def test_a_token_that_may_not_review_leaves_the_repairs_in_the_summary(
    change: Change, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    change.plane.env(GITHUB_TOKEN="reader", GITHUB_STEP_SUMMARY=str(summary))

    done = change.report()

    assert done.code == 0
    assert change.threads() == []
    assert "+  hipFree(x);" in summary.read_text()


@pytest.mark.attack(
    "6", "a report that forges each of its repairs: GitHub gets ours or none, and refuses nothing"
)
def test_a_forged_report_brings_no_line_of_its_own_into_a_review(change: Change) -> None:
    honest = change.scanned().report
    (scanned,) = (result for result in honest.results if isinstance(result, ScanResult))
    lies: list[Finding] = []
    for finding in scanned.findings:
        for edit in finding.edits:
            far = replace(edit, line=edit.line + 500)
            evil = replace(edit, text='system("evil")')
            lies += [replace(finding, edits=(far,)), replace(finding, edits=(evil,))]
            lies += [replace(finding, path="../" + finding.path), replace(finding, line=1, excerpt=("evil",))]
            lies += [replace(finding, message="evil", docs="https://evil.example", unsafe=False)]
    report = replace(honest, results=tuple(
        replace(scanned, findings=(*lies, *scanned.findings)) if one is scanned else one for one in honest.results
    ))  # fmt: skip
    change.plane.event("workflow_run", workflow_run(change.head, branch="change"))

    done = change.plane.run(str(change.plane.save(report)), "--to", "suggestions")

    assert done.code == 0, done.err
    assert len(change.threads()) == 7
    assert not any("evil" in thread.remarks[0].body for thread in change.threads())
    answers = [exchange.answer for exchange in change.github.log]
    assert not any(answer is not None and answer.status == 422 for answer in answers)


def test_findings_become_alerts_of_the_pull_request(change: Change) -> None:
    done = change.report("code-scanning")

    assert done.code == 0, done.err
    (upload,) = change.github.world.repositories["o/r"].sarifs
    assert (upload.commit, upload.ref) == (change.head, "refs/pull/6/head")
