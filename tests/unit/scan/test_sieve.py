"""Rule → needles that a file must hold."""

from __future__ import annotations

import re

import pytest

from rocm_ci.model.finding import Severity, Topic
from rocm_ci.scan.prefilter import Need
from rocm_ci.scan.rule import MatchSpec, Rule
from rocm_ci.scan.rulebook import shipped
from rocm_ci.scan.sieve import ways_of
from rocm_ci.scan.source import RegionKind
from rocm_ci.scan.tables import Tables


def ways(*specs: MatchSpec) -> tuple[tuple[Need, ...], ...]:
    rule = Rule(
        id="x",
        topic=Topic.CUDA_TOOL,
        severity=Severity.ERROR,
        languages=("python",),
        match=specs,
        message="",
        fix="",
    )
    return ways_of(rule, Tables())


def need(*strings: str, folded: bool = False) -> Need:
    return Need(frozenset(s.encode() for s in strings), folded=folded)


def test_every_matcher_is_a_way_of_its_own() -> None:
    found = ways(
        MatchSpec(kind=RegionKind.CODE, pattern="nvcc"), MatchSpec(kind=RegionKind.CODE, names=("ptxas",))
    )

    assert found == ((need("nvcc"),), (need("ptxas"),))


def test_a_pattern_that_ignores_case_has_folded_needles() -> None:
    assert ways(MatchSpec(kind=RegionKind.CODE, pattern="(?i)NVCC")) == ((need("nvcc", folded=True),),)


def test_needles_that_a_rule_gives_are_taken_as_they_are() -> None:
    spec = MatchSpec(kind=RegionKind.CODE, pattern="(?i)torch.x", needles=("Import x",))

    assert ways(spec) == ((need("Import x"),),)


def test_a_literal_stands_in_the_file_whatever_needles_are_given_beside() -> None:
    spec = MatchSpec(kind=RegionKind.STRING, pattern="^pynvml$", needles=("import_module",))

    assert ways(spec) == ((need("import_module"), need("pynvml")),)


def test_the_call_or_command_around_a_match_is_needed_too() -> None:
    call = MatchSpec(kind=RegionKind.STRING, pattern="cudart", context=r"^call:(ctypes\.CDLL|dlopen)$")
    command = MatchSpec(kind=RegionKind.CODE, pattern="cudart", context="^command:docker$")

    assert ways(call) == ((need("cudart"), need("CDLL", "dlopen")),)
    assert ways(command) == ((need("cudart"), need("docker", folded=True)),)


@pytest.mark.parametrize("context", ["^installs$", r"^call:.*run$", "^(call:x|inside)$", "^assign:"])
def test_a_context_that_is_no_name_of_the_file_asks_for_nothing(context: str) -> None:
    assert ways(MatchSpec(kind=RegionKind.STRING, pattern="cudart", context=context)) == ((need("cudart"),),)


def test_a_pattern_without_needles_leaves_its_way_open() -> None:
    assert ways(MatchSpec(kind=RegionKind.CODE, pattern=r"\w+")) == ((),)


def test_no_shipped_rule_lets_every_file_through() -> None:
    tables = Tables()
    for rule in shipped():
        assert all(ways_of(rule, tables)), rule.id


def test_the_names_of_a_large_table_are_all_let_through_by_their_beginnings() -> None:
    tables = Tables()
    for rule in shipped():
        for spec, way in zip(rule.match, ways_of(rule, tables), strict=True):
            if spec.table and not spec.needles:
                heads = re.compile("|".join(re.escape(s.decode()) for s in way[0].strings))
                assert all(heads.match(name) for name in tables[spec.table]), rule.id
