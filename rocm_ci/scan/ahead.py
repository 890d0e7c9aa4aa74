"""What a scan needs, got ready while git is asked what has changed: rules, engine, the usual parsers."""

from __future__ import annotations

import contextlib
import importlib
import threading
from functools import cached_property, partial
from typing import TYPE_CHECKING

from rocm_ci.scan.rulebook import RuleBook, shipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Every scan needs the first; most need what follows, in this order of likelihood and cost.
_MODULES = (
    *(
        "parallel",
        "languages.c",
        "excuses",
        "guarded",
        "languages.python",
        "declared",
        "build_lists",
        "reach",
    ),
    "importers",
)


class Ahead:
    """Works in a thread that has ended as soon as `book` was asked for."""

    def __init__(self) -> None:
        self._book: RuleBook | None = None
        self._is_asked = False
        self._thread = threading.Thread(target=self._prepare)
        self._thread.start()

    @cached_property
    def book(self) -> RuleBook:
        """The shipped rules, ready for matching."""
        self._is_asked = True
        self._thread.join()
        return self._book or RuleBook(shipped())

    def _prepare(self) -> None:
        # What goes wrong here goes wrong again, and is told, where it is needed.
        with contextlib.suppress(Exception):
            self._book = RuleBook(shipped())
            for step in self._steps(self._book):
                step()
                if self._is_asked:
                    return

    def _steps(self, book: RuleBook) -> Iterator[Callable[[], object]]:
        for module in _MODULES:
            yield partial(importlib.import_module, f"rocm_ci.scan.{module}")
            if module.startswith("languages."):
                yield book.of_language(module.partition(".")[2]).prepare
