"""Directory listing as registry: every module of a package offers one typed export."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

T = TypeVar("T")


def load(package: ModuleType, export: str, kind: type[T]) -> dict[str, T]:  # noqa: ARG001
    """Every `export` of the modules of `package`, by its `name`, sorted by module name.

    A module without the export is passed over (`base.py` and friends); an import error raises,
    and so does a name that two modules share. `kind` is only there for the type checker.
    """
    found: dict[str, T] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda i: i.name):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        plugin = getattr(module, export, None)
        if plugin is None:
            continue
        if plugin.name in found:
            message = f"{package.__name__}: two plug-ins are called {plugin.name!r}"
            raise ValueError(message)
        found[plugin.name] = plugin
    return found


def one(package: ModuleType, export: str, kind: type[T], name: str, modules: Iterable[str]) -> T:
    """The `export` called `name`: of the first of these modules that has it, else of all of the package.

    Only what is looked at is imported. Raises `KeyError` where there is none.
    """
    there = {info.name for info in pkgutil.iter_modules(package.__path__)}
    for module in modules:
        if module in there:
            plugin = getattr(importlib.import_module(f"{package.__name__}.{module}"), export, None)
            if plugin is not None and plugin.name == name:
                found: T = plugin
                return found
    return load(package, export, kind)[name]


def data_folder(name: str) -> Path:
    """A folder of data files: beside the package in a checkout, inside it in an installed wheel."""
    package = Path(__file__).resolve().parent
    installed = package / "data" / name
    return installed if installed.is_dir() else package.parent / name
