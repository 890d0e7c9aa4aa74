"""The samples file: strict in, the same out."""

from __future__ import annotations

import pytest

from rocm_ci.errors import UsageError
from rocm_ci.model.perf import Better, Series
from rocm_ci.perf.samples import decode, encode

ONE = Series(name="gemm", unit="ms", better=Better.LOWER, base=((1.0, 2.0),), head=((1.5,),))


def test_what_is_written_is_read_back() -> None:
    assert decode(encode((ONE,)), path="s.json") == (ONE,)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "not a samples file"),
        (b"\xff\xfe", "not a samples file"),
        (b"[" * 100_000, "not a samples file"),
        (b'{"version": 2, "series": []}', "version 2"),
        (b'{"version": 1, "series": [{"name": "a"}]}', "base"),
        (b'{"version": 1, "series": [{"name": "a", "base": [["x"]], "head": []}]}', r"\$.series\[0\].base"),
        (b'{"version": 1, "series": [{"name": "a", "base": [[1e999]], "head": []}]}', "s.json"),
        (b'{"version": 1, "series": [], "extra": 1}', "extra"),
        (
            b'{"version": 1, "series": [{"name": "a", "base": [], "head": []}, {"name": "a", "base": [], "head": []}]}',
            "given twice",
        ),
    ],
)
def test_a_bad_file_is_a_usage_error_that_names_it(raw: bytes, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        decode(raw, path="s.json")

    assert caught.value.hint
