"""A slow rule costs its time limit and a word, never the scan."""

from __future__ import annotations

import contextlib
import re
import signal

import pytest

from rocm_ci.changes import whole_tree
from rocm_ci.config.options import ScanOptions
from rocm_ci.model.scan_note import NoteKind
from rocm_ci.scan import limits
from rocm_ci.scan.engine import scan
from rocm_ci.scan.language_registry import languages
from rocm_ci.scan.limits import STRIKES, OutOfTime, Stopwatch
from rocm_ci.scan.rule import decode
from rocm_ci.scan.rulebook import RuleBook
from rocm_ci.scan.scanned import Scanned
from tests.unit.scan.trees import Tree

SLOW = """\
id: slow
topic: cuda-api
severity: error
languages: [c]
match: [{kind: code, pattern: '(b|b|bb)*c$', needles: [bbb]}]
message: m
fix: f
"""
PLAIN = SLOW.replace("slow", "plain").replace("'(b|b|bb)*c$', needles: [bbb]", "forbidden_x")
BOMB = "int forbidden_x = 1;\nint " + "b" * 60 + ";\n"
SPIN = re.compile(r"(b|b|bb)*c$")


@pytest.fixture
def quick_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short time for one rule, and as much for a file as no busy machine needs."""
    monkeypatch.setattr(limits, "RULE_S", 0.2)
    monkeypatch.setattr(limits, "FILE_S", 30.0)


@pytest.fixture
def quick_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FILE_S", 0.5)


def scanned(**files: str) -> Scanned:
    tree = {f"{name}.cpp": text for name, text in files.items()}
    book = RuleBook([decode(SLOW, "slow.yaml"), decode(PLAIN, "plain.yaml")])
    return scan(Tree(tree), whole_tree(tuple(tree)), ScanOptions(), ("gfx90a",), book=book)


@pytest.mark.usefixtures("quick_rules")
def test_a_slow_rule_is_named_and_the_other_rules_still_find_theirs() -> None:
    done = scanned(a=BOMB)

    assert [f.rule for f in done.findings] == ["plain"]
    assert [(n.kind, n.path, n.rule) for n in done.notes] == [(NoteKind.UNFINISHED, "a.cpp", "slow")]
    assert "ran out of time" in done.notes[0].reason
    assert done.unfinished


@pytest.mark.usefixtures("quick_rules")
def test_a_rule_that_is_slow_again_and_again_is_given_up_and_every_file_says_so() -> None:
    done = scanned(**{f"f{n}": BOMB for n in range(STRIKES + 3)})

    reasons = [n.reason for n in done.notes]
    assert len(done.findings) == len(reasons) == STRIKES + 3
    assert sum("not tried" in reason for reason in reasons) == 3


@pytest.mark.usefixtures("quick_files")
def test_a_parser_that_does_not_end_loses_one_file_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    real = languages()["c"]
    parse = type(real).parse

    def stuck(self: object, source: object) -> object:
        if source.path == "a.cpp":  # type: ignore[attr-defined]
            SPIN.search("b" * 60)
        return parse(self, source)  # type: ignore[arg-type]

    monkeypatch.setattr(type(real), "parse", stuck)
    done = scanned(a=BOMB, b="int forbidden_x;\n")

    assert [f.path for f in done.findings] == ["b.cpp"]
    assert [(n.path, n.rule) for n in done.notes] == [("a.cpp", None)]


@pytest.mark.usefixtures("quick_files")
def test_the_exception_passes_whoever_catches_every_exception() -> None:
    with Stopwatch() as watch:
        watch.start(0)
        with pytest.raises(OutOfTime):
            _careless()


def _careless() -> None:
    """What a parser might do that takes every exception for broken input."""
    with contextlib.suppress(Exception):
        SPIN.search("b" * 60)


@pytest.mark.usefixtures("quick_files")
def test_one_that_was_lost_is_raised_again() -> None:
    caught = []
    with Stopwatch() as watch:
        watch.start(0)
        for _ in range(2):
            with pytest.raises(OutOfTime):
                SPIN.search("b" * 60)
            caught.append(watch.is_over)

    assert caught == [True, True]


@pytest.mark.usefixtures("quick_files")
def test_nothing_is_limited_between_files_and_the_old_handler_comes_back() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    with Stopwatch() as watch:
        watch.start(0)
        watch.stop()
        for _ in range(20_000_000):  # longer than the limit of a file
            pass

    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
