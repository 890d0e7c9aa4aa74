"""What must hold for any mixture of the rules' own examples."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.model.changes import ChangeKind, Changes, FileChange
from rocm_ci.scan.engine import scan
from rocm_ci.scan.rulebook import shipped
from tests.unit.scan.trees import BOOK, Tree

if TYPE_CHECKING:
    from rocm_ci.model.finding import Finding
    from rocm_ci.scan.scanned import Scanned

RULES = shipped(documentation=True)
ONCE = frozenset(rule.id for rule in RULES if rule.once)
EXAMPLES = [example for rule in RULES for example in (*rule.bad, *rule.good)]
BY_KIND: dict[str, list[str]] = defaultdict(list)
for one in EXAMPLES:
    BY_KIND[one.path].append(one.text)
    BY_KIND[f"mixed{PurePosixPath(one.path).suffix}"].append(one.text)
ARCHS = ("gfx90a", "gfx942", "gfx1100")
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    """A few files, each made of one to four examples of its kind, some cut off somewhere."""
    files: dict[str, str] = {}
    for path in draw(st.lists(st.sampled_from(sorted(BY_KIND)), min_size=1, max_size=4, unique=True)):
        texts = draw(st.lists(st.sampled_from(BY_KIND[path]), min_size=1, max_size=4))
        text = "".join(t if t.endswith("\n") else t + "\n" for t in texts)
        files[path] = text[: draw(st.integers(1, len(text)))] if draw(st.booleans()) else text
    return files


def look(files: dict[str, str], changes: Changes | None = None, *, prefilter: bool = True) -> Scanned:
    changes = changes or whole_tree(tuple(files))
    return scan(Tree(files), changes, ScanOptions(), ARCHS, book=BOOK, prefilter=prefilter)


def key(finding: Finding) -> tuple[str, int, int, str, str, str]:
    severity = finding.severity.value
    return finding.path, finding.line, finding.column, finding.rule, severity, finding.message


@QUICK
@given(trees())
def test_the_prefilter_loses_nothing(files: dict[str, str]) -> None:
    assert look(files).findings == look(files, prefilter=False).findings


@QUICK
@given(trees(), st.randoms(use_true_random=False))
def test_the_order_of_the_files_does_not_matter(files: dict[str, str], chance: random.Random) -> None:
    paths = list(files)
    chance.shuffle(paths)

    assert look(files, whole_tree(tuple(paths))) == look(files)


@QUICK
@given(trees(), st.data())
def test_a_diff_has_the_findings_of_the_whole_tree_on_its_lines(
    files: dict[str, str], data: st.DataObject
) -> None:
    added = {path: data.draw(st.sets(st.integers(1, t.count("\n") + 1))) for path, t in files.items()}
    changes = Changes(
        files=tuple(
            FileChange(path=p, kind=ChangeKind.MODIFIED, added=tuple((n, n) for n in sorted(lines)))
            for p, lines in added.items()
        )
    )
    whole = {key(f) for f in look(files).findings if f.line in added[f.path]}
    diff = {key(f) for f in look(files, changes).findings}

    assert {k for k in diff if k[3] not in ONCE} == {k for k in whole if k[3] not in ONCE}
    assert {k for k in diff if k[3] in ONCE} >= {k for k in whole if k[3] in ONCE}


@QUICK
@given(trees())
def test_every_place_lies_in_its_file_and_nothing_was_given_up(files: dict[str, str]) -> None:
    done = look(files, prefilter=False)

    assert not done.unfinished, done.notes
    for finding in done.findings:
        lines = files[finding.path].split("\n")
        assert 1 <= finding.line <= len(lines)
        assert 1 <= finding.column <= finding.end <= len(lines[finding.line - 1]) + 1


@QUICK
@given(st.binary(max_size=400), st.sampled_from(sorted(BY_KIND)))
def test_any_bytes_are_scanned(data: bytes, path: str) -> None:
    tree = Tree({path: data})
    done = scan(tree, whole_tree((path,)), ScanOptions(), ARCHS, book=BOOK, prefilter=False)

    assert not done.unfinished, done.notes


@QUICK
@given(trees(), st.binary(max_size=20), st.integers(0, 10_000))
def test_a_text_with_foreign_bytes_in_it_is_scanned(files: dict[str, str], junk: bytes, at: int) -> None:
    odd = {path: text.encode()[:at] + junk + text.encode()[at:] for path, text in files.items()}
    done = scan(Tree(odd), whole_tree(tuple(odd)), ScanOptions(), ARCHS, book=BOOK)

    assert not done.unfinished, done.notes
