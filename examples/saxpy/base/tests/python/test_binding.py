"""The library as Python sees it, through its C interface."""

import ctypes

import pytest


def floats(values):
    return (ctypes.c_float * len(values))(*values)


@pytest.mark.parametrize("n", [1, 2, 64, 1000])
def test_saxpy(library, n):
    x, y = floats([1.0] * n), floats([float(i) for i in range(n)])

    library.saxpy(ctypes.c_size_t(n), ctypes.c_float(3.0), x, y)

    assert list(y) == [3.0 + i for i in range(n)]


def test_row_sum(library):
    x, sums = floats([float(i) for i in range(8)]), floats([0.0, 0.0])

    library.saxpy_row_sum(ctypes.c_size_t(2), ctypes.c_size_t(4), x, sums)

    assert list(sums) == [6.0, 22.0]


def test_max_abs(library):
    library.saxpy_max_abs.restype = ctypes.c_float

    assert library.saxpy_max_abs(ctypes.c_size_t(3), floats([-2.5, 1.0, 2.0])) == 2.5
