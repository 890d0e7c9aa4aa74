"""Levels of rules, for all paths and for some."""

from __future__ import annotations

import pytest

from rocm_ci.config.options import ScanOptions
from rocm_ci.errors import UsageError
from rocm_ci.model.finding import Severity, SilencedBy
from rocm_ci.scan.catalogue import catalogue
from rocm_ci.scan.choice import chosen
from tests.unit.scan.trees import BOOK, scan_all

FILES = {"src/a.cpp": "cudaFree(0);\n", "tests/a.cpp": "cudaFree(0);\n"}


def severities(options: ScanOptions) -> dict[str, Severity]:
    return {f.path: f.severity for f in scan_all(FILES, options=options).findings}


@pytest.mark.parametrize("name", ["cuda-runtime-api", "cuda-api", "*"])
def test_a_path_has_its_own_level_by_rule_topic_or_for_all(name: str) -> None:
    options = ScanOptions(per_path={"tests/**": {name: "note"}})

    assert severities(options) == {"src/a.cpp": Severity.ERROR, "tests/a.cpp": Severity.NOTE}


def test_what_is_off_for_a_path_is_counted_as_suppressed_with_its_pattern() -> None:
    scanned = scan_all(FILES, options=ScanOptions(per_path={"tests/**": {"*": "off"}}))

    assert ([f.path for f in scanned.findings], scanned.suppressed) == (["src/a.cpp"], 1)
    (silenced,) = (f.silenced for f in scanned.silenced)
    assert silenced is not None
    assert (silenced.by, silenced.reason) == (SilencedBy.CONFIGURATION, "scan.per-path: tests/**")


def test_the_nearer_name_and_the_later_pattern_win() -> None:
    options = ScanOptions(
        per_path={"**": {"*": "off", "cuda-runtime-api": "warning"}, "tests/": {"cuda-api": "note"}}
    )

    assert severities(options) == {"src/a.cpp": Severity.WARNING, "tests/a.cpp": Severity.NOTE}


def test_a_rule_that_is_off_can_be_on_for_a_path() -> None:
    options = ScanOptions(
        rules={"cuda-runtime-api": "off"}, per_path={"src/**": {"cuda-runtime-api": "error"}}
    )

    assert severities(options) == {"src/a.cpp": Severity.ERROR}


@pytest.mark.parametrize(
    ("selected", "ignored", "rules"),
    [
        (("cuda-header",), (), {"cuda-header"}),
        (("cuda-api, cuda-header",), (), {"cuda-header", "cuda-runtime-api"}),
        ((), ("cuda-api",), {"cuda-header"}),
        (("cuda-api", "cuda-header"), ("cuda-header",), {"cuda-runtime-api"}),
    ],
)
def test_rules_can_be_selected_and_ignored(
    selected: tuple[str, ...], ignored: tuple[str, ...], rules: set[str]
) -> None:
    options = chosen(ScanOptions(), BOOK, selected, ignored)
    files = {"a.cpp": "#include <cuda_runtime.h>\nint i = cudaFree(0);\n"}

    assert {f.rule for f in scan_all(files, options=options).findings} == rules


def test_a_selection_holds_for_paths_with_levels_of_their_own() -> None:
    options = chosen(
        ScanOptions(per_path={"src/**": {"cuda-runtime-api": "error"}}), BOOK, ("cuda-header",), ()
    )

    assert severities(options) == {}


def test_an_unknown_name_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="cuda-headers") as error:
        chosen(ScanOptions(), BOOK, ("cuda-headers",), ())

    assert "cuda-header" in error.value.hint


def test_the_catalogue_tells_every_rule_with_its_level() -> None:
    text = catalogue(BOOK, ScanOptions(rules={"cuda-header": "off"}), as_json=False)
    lines = {line.split()[0]: line.split() for line in text.splitlines()}

    assert len(lines) == len(BOOK.rules) + 1
    assert lines["cuda-header"] == ["cuda-header", "cuda-include", "off", "--fix"]
    assert "--fix" not in lines["ptx-asm"]


DIVERGENT = {"src/a.hip": "__global__ void f(int* v) {\n  if (threadIdx.x < 3) v[0] = __shfl(v[1], 0);\n}\n"}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (ScanOptions(), 0),
        (ScanOptions(per_path={"src/**": {"*": "note"}}), 0),
        (ScanOptions(rules={"shuffle-in-branch": "warning"}), 1),
        (ScanOptions(per_path={"src/**": {"shuffle-in-branch": "note"}}), 1),
    ],
)
def test_a_rule_that_is_off_by_default_is_on_only_where_it_is_named(options: ScanOptions, found: int) -> None:
    rules = [f.rule for f in scan_all(DIVERGENT, options=options).findings]

    assert rules.count("shuffle-in-branch") == found
