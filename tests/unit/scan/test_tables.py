"""Lists of names and what a line says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocm_ci.errors import ConfigError
from rocm_ci.scan.tables import Tables, parts

if TYPE_CHECKING:
    from pathlib import Path

LIST = """\
# Names.
# needles: cudaGr cudaOl
cudaGrab hipGrab since=7.0
cudaGroup
cudaOld - roc=rocOld removed=12.0 hint=old
"""


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    (tmp_path / "names.txt").write_text(LIST, encoding="utf-8")
    (tmp_path / "hints.txt").write_text("# Advice.\nold take the new one\n", encoding="utf-8")
    (tmp_path / "plain.txt").write_text("one\ntwo\n", encoding="utf-8")
    return Tables(tmp_path)


def test_a_line_is_a_name_a_replacement_and_facts(tables: Tables) -> None:
    names = tables["names"]

    assert parts(names["cudaGrab"]) == ("hipGrab", {"since": "7.0"})
    assert parts(names["cudaGroup"]) == ("", {})
    assert parts(names["cudaOld"]) == ("", {"roc": "rocOld", "removed": "12.0", "hint": "old"})


def test_the_needles_are_read_without_the_names(tables: Tables, tmp_path: Path) -> None:
    assert list(tables.needles("names")) == ["cudaGr", "cudaOl"]
    assert set(tables.needles("plain")) == {"one", "two"}

    (tmp_path / "names.txt").unlink()
    with pytest.raises(ConfigError, match="no table 'names'"):
        tables.needles("names")


def test_many_names_without_a_line_of_needles_give_their_beginnings(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("".join(f"cudaName{n}\n" for n in range(600)), encoding="utf-8")

    assert set(Tables(tmp_path).needles("long")) == {"cudaNa"}


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, None),
        ({"since": "7.0"}, "HIP has it from release 7.0 on"),
        ({"since": ">7.0"}, "only releases of HIP after 7.0 have it"),
        ({"roc": "rocX"}, "ROCm has `rocX` for it"),
        ({"removed": "12.0", "deprecated": "11.0"}, "NVIDIA has removed it in release 12.0"),
        (
            {"hint": "old", "deprecated": "11.0"},
            "take the new one; NVIDIA calls it deprecated since release 11.0",
        ),
        ({"hint": "unknown"}, None),
    ],
)
def test_facts_become_advice(tables: Tables, facts: dict[str, str], said: str | None) -> None:
    assert tables.advice(facts) == said


def test_the_lists_are_those_of_the_folder(tables: Tables) -> None:
    assert list(tables) == ["hints", "names", "plain"]
    assert len(tables) == 3
