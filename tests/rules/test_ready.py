"""`rules/ready.json` says what the rule files say, and is believed only as long as it does."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from rocm_ci import registry
from rocm_ci.scan import ready
from rocm_ci.scan.rule import decode
from rocm_ci.scan.rulebook import RuleBook, rule_files, shipped
from rocm_ci.scan.sieve import ways_of
from rocm_ci.scan.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RULES = registry.data_folder("rules")
FILES = rule_files(RULES / "scan")


def forget() -> None:
    for memo in (ready._entries, ready._module, ready._needles):
        memo.cache_clear()
    ready._IN_USE.clear()


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a copy of all rules, in use instead of the shipped one."""
    shutil.copytree(RULES, tmp_path / "rules")
    monkeypatch.setattr(registry, "data_folder", lambda name: tmp_path / name)
    forget()
    yield tmp_path / "rules"
    forget()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_it_says_what_the_rule_file_says(path: Path) -> None:
    file = f"{path.parent.name}/{path.name}"
    found = ready.rule_of(file, path.read_bytes())

    assert found is not None, "run `make gen`"
    assert found == decode(path.read_text(encoding="utf-8"), file, documentation=False)
    for language in found.languages:
        assert ready.ways_of(found, language) == ways_of(found, Tables(), language)


def test_it_names_every_rule_and_no_other() -> None:
    assert sorted(ready._entries()) == sorted(f"{p.parent.name}/{p.name}" for p in FILES)


def test_a_rule_that_was_edited_is_read_anew(copy: Path) -> None:
    path = next(p for p in rule_files(copy / "scan") if b"pattern: " in p.read_bytes())
    path.write_text(path.read_text().replace("\nmessage: ", "\nmessage: new "), encoding="utf-8")
    mine = next(r for r in shipped() if r.id == path.stem)

    assert mine.message.startswith("new ")
    assert ready.ways_of(mine, mine.languages[0]) is None
    assert RuleBook([mine]).of_language(mine.languages[0]).possible(b"x") is not None


def test_so_is_one_whose_table_has_other_needles(copy: Path) -> None:
    mine = next(r for r in shipped() if any(spec.table == "runtime-renames" for spec in r.match))
    assert ready.ways_of(mine, mine.languages[0]) is not None
    table = copy / "tables" / "runtime-renames.txt"
    table.write_text(table.read_text().replace("# needles: ", "# needles: xyzzy ", 1), encoding="utf-8")
    forget()

    mine = next(r for r in shipped() if r.id == mine.id)
    assert ready.ways_of(mine, mine.languages[0]) is None
    rules, _ = RuleBook([mine]).of_language(mine.languages[0]).possible(b"xyzzy")
    assert [compiled.rule for compiled in rules] == [mine]


@pytest.mark.parametrize("content", [None, b"", b"[{}]", b'[{"file": 1}]'])
def test_without_it_every_rule_is_read(copy: Path, content: bytes | None) -> None:
    before = [decode(p.read_text(encoding="utf-8"), p.name, documentation=False) for p in FILES]
    (copy / ready.FILE).unlink()
    if content is not None:
        (copy / ready.FILE).write_bytes(content)

    assert shipped() == before


def test_a_rule_that_only_has_the_id_of_a_shipped_one_is_derived() -> None:
    mine = shipped()[0]
    other = decode(FILES[0].read_text(encoding="utf-8"), FILES[0].name, documentation=False)

    assert other == mine
    assert other is not mine
    assert ready.ways_of(other, other.languages[0]) is None
