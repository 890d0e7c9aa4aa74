"""docs/doctor.md shows the checks that there are, and pictures of what the doctor prints now."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rocm_ci.gpu.checks.run import GROUP_OF
from rocm_ci.gpu.smoke_ending import Ending
from tools import doctor_page, doctor_pictures

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "doctor.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#]+)\)", PAGE))))
def test_what_the_page_links_to_is_there(target: str) -> None:
    assert (DOCS / target).exists()


def test_every_check_has_its_row_with_a_way_out() -> None:
    rows = re.findall(r"(?m)^\| `([\w-]+)` \| (.+) \| (.+) \| (.+) \|$", doctor_page.table())

    assert [row[0] for row in rows] == list(GROUP_OF)
    assert all(cell.strip() for row in rows for cell in row)
    assert doctor_page.filled(PAGE) == PAGE, "run `python -m tools.generate`"


def test_a_page_without_a_place_for_the_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="no place for the table"):
        doctor_page.filled("# Nothing")


def test_every_ending_of_the_small_program_is_explained() -> None:
    told = set(re.findall(r"(?m)^\| `([a-z ]+)` \|", PAGE))

    assert {ending.value for ending in Ending} - {Ending.BUSY.value} <= told


def test_the_picture_shows_what_would_be_printed_now() -> None:
    shown = json.loads(doctor_pictures.MADE_OF.read_text(encoding="utf-8"))

    assert shown == {"sick": doctor_pictures.digest(doctor_pictures.sick())}, (
        "run `python -m tools.doctor_pictures` and look at them"
    )
