"""Directory listing as registry: every module of a package offers one typed export."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
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


def data_folder(name: str) -> Path:
    """A folder of data files: beside the package in a checkout, inside it in an installed wheel."""
    package = Path(__file__).resolve().parent
    installed = package / "data" / name
    return installed if installed.is_dir() else package.parent / name
