"""zstd through whatever the machine has."""

from __future__ import annotations

import importlib
import types
from typing import TYPE_CHECKING

from rocm_ci.kernels import zstd
from tests.fakes import FakeRunner

if TYPE_CHECKING:
    import pytest


def without_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)


def test_the_program_is_asked_when_python_has_no_module(monkeypatch: pytest.MonkeyPatch) -> None:
    without_modules(monkeypatch)
    run = FakeRunner(answers={"bash": (0, "content")})

    assert zstd.decompressor(run, {})(b"packed", 7) == b"content"
    assert "head -c 7" in run.calls[0][-1]


def test_nothing_at_all_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    without_modules(monkeypatch)

    assert zstd.decompressor(FakeRunner(), {})(b"packed", 7) is None


def test_a_module_is_told_the_limit_and_its_errors_are_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    class Decompressor:
        def decompress(self, packed: bytes, *, max_length: int) -> bytes:
            if packed == b"damaged":
                raise ValueError
            return packed[:max_length]

    module = types.SimpleNamespace(ZstdDecompressor=Decompressor)
    monkeypatch.setattr(importlib, "import_module", lambda _name: module)
    decompress = zstd.decompressor(FakeRunner(), {})

    assert decompress(b"content", 3) == b"con"
    assert decompress(b"damaged", 3) is None
