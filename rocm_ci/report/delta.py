"""What a report changes against the last one of its base: tests by name, not only counts. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocm_ci.model.case import Case


@dataclass(frozen=True, kw_only=True)
class Named:
    """A test, with its suite and the leg of the matrix it ran in; in the case of `removed`, as it was."""

    suite: str
    case: Case
    leg: str = ""


@dataclass(frozen=True, kw_only=True)
class Delta:
    """Tests of the head against those of the base's report.

    `base` is the commit of that report; `is_merge_base` whether it is the very one the change stands on.
    `also_red` failed before too: not this change's doing. `flaky` are flaky now and were not.
    """

    base: str
    is_merge_base: bool
    new_failures: tuple[Named, ...] = ()
    fixed: tuple[Named, ...] = ()
    also_red: tuple[Named, ...] = ()
    newly_skipped: tuple[Named, ...] = ()
    removed: tuple[Named, ...] = ()
    added: tuple[Named, ...] = ()
    flaky: tuple[Named, ...] = ()
