"""The directory listing is the registry."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from rocm_ci import registry
from rocm_ci.perf import formats
from rocm_ci.perf.formats.base import Format


def test_every_format_module_is_found_by_its_own_name() -> None:
    found = registry.load(formats, "FORMAT", Format)  # type: ignore[type-abstract]

    assert {"google-benchmark", "pytest-benchmark"} <= set(found)
    assert all(name == plugin.name for name, plugin in found.items())


def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, **modules: str) -> ModuleType:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    return __import__(name)


PLUGIN = "class P:\n    name = {name!r}\nPLUGIN = P()\n"


def test_a_name_that_two_modules_share_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twins = package(tmp_path, monkeypatch, "twins", a=PLUGIN.format(name="x"), b=PLUGIN.format(name="x"))

    with pytest.raises(ValueError, match="two plug-ins are called 'x'"):
        registry.load(twins, "PLUGIN", object)


def test_an_import_error_is_not_swallowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = package(tmp_path, monkeypatch, "broken_plugins", a="import nothing_of_that_name\n")

    with pytest.raises(ModuleNotFoundError):
        registry.load(broken, "PLUGIN", object)


def test_data_lies_beside_the_package_in_a_checkout() -> None:
    assert (registry.data_folder("examples") / "saxpy" / "history.yaml").is_file()
