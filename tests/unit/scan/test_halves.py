"""Which files of a change are scanned by which of two processes."""

from __future__ import annotations

import pytest

from rocm_ci.model.changes import ChangeKind, FileChange
from rocm_ci.scan.halves import LEAST_FILES, split


def files(count: int, name: str) -> list[FileChange]:
    return [FileChange(path=name.format(n), kind=ChangeKind.MODIFIED) for n in range(count)]


PYTHON, C, OTHER = "p{}.py", "c{}.cu", "s{}.sh"


@pytest.mark.parametrize(
    ("python", "c_family", "others", "expected"),
    [
        (20, 20, 5, ({PYTHON, OTHER}, {C})),
        (30, 10, 5, ({PYTHON}, {C, OTHER})),
        (0, 20, 9, ({OTHER}, {C})),
        (20, 0, 9, ({PYTHON}, {OTHER})),
        (8, 4, 6, ({PYTHON}, {C, OTHER})),
    ],
)
def test_build_files_go_to_the_lighter_half(
    python: int, c_family: int, others: int, expected: tuple[set[str], set[str]]
) -> None:
    changed = [*files(python, PYTHON), *files(c_family, C), *files(others, OTHER)]
    found = split(changed)

    assert found is not None
    assert sorted(f.path for half in found for f in half) == sorted(f.path for f in changed)
    kinds = tuple({f.path[0] + "{}" + f.path[f.path.index(".") :] for f in half} for half in found)
    assert kinds == expected


@pytest.mark.parametrize("names", [(PYTHON,), (C,), (OTHER,)])
def test_files_of_one_kind_are_not_split(names: tuple[str, ...]) -> None:
    assert split([one for name in names for one in files(40, name)]) is None


def test_neither_are_few() -> None:
    assert split([*files(40, PYTHON), *files(LEAST_FILES - 1, C)]) is None
