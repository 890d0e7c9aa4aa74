import ctypes
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def library():
    return ctypes.CDLL(str(ROOT / os.environ.get("SAXPY_LIBRARY", "build/libsaxpy.so")))
