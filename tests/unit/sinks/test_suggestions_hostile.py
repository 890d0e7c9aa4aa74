"""Whatever report comes on whatever diff: GitHub refuses no review, and only our own repairs are in it."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rocm_ci.log import Log
from rocm_ci.model.edit import Edit
from rocm_ci.report.suggestions import listed
from rocm_ci.sinks.base import Destination, Target
from rocm_ci.sinks.suggestions import SINK
from tests import reports
from tests.hostile import HOSTILE
from tests.rendered import acts, render, tags
from tests.reviewed import StrictGitHub, shown, suggested
from tests.unit.github.fake import pull

if TYPE_CHECKING:
    from rocm_ci.model.finding import Finding

HEAD = "a" * 40
LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "",
                "}",
                "  cudaFree(a);",
                "\tcudaMalloc(&p, 4); // ```",
                "#include <cuda_runtime.h>",
                "cudaFree(b);\r",
            ]
        ),
        HOSTILE.filter(lambda text: "\n" not in text).map(lambda text: f"cudaFree(a); // {text}"),
    ),
    min_size=1,
    max_size=12,
)
NUMBERS = st.one_of(st.integers(-2, 14), st.sampled_from([2**31, 2**62, -(2**62)]))
TEXTS = st.one_of(st.sampled_from(["hipFree", "cudaFree", "  cudaFree(a);", "a.hip", ""]), HOSTILE)


@st.composite
def claims(draw: st.DrawFn, lines: list[str]) -> Finding:
    """A repair of a line that is there, mostly, with whatever a stranger may change of it."""
    number = draw(st.integers(1, max(len(lines), 1)))
    text = lines[number - 1] if lines else ""
    column = max(text.find("cuda"), 0) + 1
    name = re.match(r"cuda(\w+)", text[column - 1 :])
    edit = Edit(
        line=number,
        column=column,
        end=column + len(name[0] if name else ""),
        text=f"hip{name[1]}" if name else "hip",
    )
    honest = reports.finding(
        rule="cuda-runtime-api", path="a.hip", line=edit.line, column=edit.column, end=edit.end,
        edits=(edit,), excerpt=(text.removesuffix("\r"),),
    )  # fmt: skip
    lie = draw(st.sampled_from(["none", "none", "line", "edit", "excerpt", "path", "words"]))
    if lie == "line":
        return replace(honest, line=draw(NUMBERS), column=draw(NUMBERS), end=draw(NUMBERS))
    if lie == "edit":
        other = Edit(line=draw(NUMBERS), column=draw(NUMBERS), end=draw(NUMBERS), text=draw(TEXTS))
        return replace(honest, edits=tuple(draw(st.sampled_from([(edit, other), (other,), ()]))))
    if lie == "excerpt":
        return replace(honest, excerpt=tuple(draw(st.lists(TEXTS, max_size=3))))
    if lie == "path":
        return replace(honest, path=draw(TEXTS))
    if lie == "words":
        return replace(honest, rule=draw(TEXTS), message=draw(TEXTS), docs=draw(TEXTS), fix=draw(TEXTS))
    return honest


@st.composite
def situations(draw: st.DrawFn) -> tuple[StrictGitHub, tuple[Finding, ...], list[str]]:
    after = draw(LINES)
    before = [line for line in after if draw(st.booleans())]
    file = shown("a.hip", "".join(f"{x}\n" for x in before), "".join(f"{x}\n" for x in after))
    github = StrictGitHub(pulls=[pull()], changed=[file])
    return github, tuple(draw(st.lists(claims(after), min_size=1, max_size=6))), after


def post(github: StrictGitHub, findings: tuple[Finding, ...]) -> None:
    target = Target(github=github, repository="o/r", head=HEAD, number=5)
    where = Destination(log=Log(out=io.StringIO(), err=io.StringIO()), target=target)
    SINK.emit(reports.report(reports.scan(*findings)), where)


@pytest.mark.attack(
    "6", "any report on any diff: GitHub refuses no review, and only our own repairs are in it"
)
@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(situations())
def test_no_report_makes_a_review_that_github_refuses(
    situation: tuple[StrictGitHub, tuple[Finding, ...], list[str]],
) -> None:
    github, findings, after = situation

    post(github, findings)
    post(github, findings)

    assert not any(call.startswith("rejected") for call in github.calls)
    assert len(github.reviews) <= 1
    for remark in (one for _, _, remarks in github.reviews for one in remarks):
        new = suggested(remark.body)
        assert new is not None
        old = "".join(f"{line}\n" for line in after[(remark.start_line or remark.line) - 1 : remark.line])
        assert new == re.sub(r"cuda(?=Free|Malloc)|cuda(?=_runtime\.h)", "hip", old).replace(
            "<hip_runtime", "<hip/hip_runtime"
        )
        assert acts(render(remark.body)) == []
        assert tags(render(remark.body)) <= {"article", "p", "ul", "li", "a", "code", "pre"}


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.lists(claims(["  cudaFree(a);"]), max_size=4), HOSTILE, HOSTILE)
def test_the_list_for_the_summary_is_inert(found: list[Finding], path: str, code: str) -> None:
    found = [replace(one, path=path, excerpt=(code,)) for one in found]

    tree = render(listed(reports.report(reports.scan(*found))))

    assert acts(tree) == []
    assert tags(tree) <= {"article", "details", "summary", "p", "code", "pre"}
