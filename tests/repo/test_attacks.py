"""The page of attacks names exactly the tests that are marked as such, each of the twenty points among them."""

from __future__ import annotations

from tests import attacks


def test_the_page_lists_every_marked_test_and_no_other() -> None:
    said, meant = set(attacks.rows()), attacks.marked()

    assert said - meant == set(), "run `pytest -m attack --write-attacks`"
    assert meant - said == set(), "run these tests with `--write-attacks`"


def test_every_attack_of_the_list_is_played() -> None:
    assert {str(n) for n in range(1, 21)} <= {point for point, _, _ in attacks.rows()}


def test_every_attack_failed() -> None:
    assert [test for (_, _, test), result in attacks.rows().items() if not result.startswith("passed")] == []
