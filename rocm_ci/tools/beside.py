"""A call that waits for another process, made in a thread, beside what the caller does meanwhile."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

T = TypeVar("T")


class Beside(Generic[T]):
    """Begins at once. As a context it does not end before the call has: nothing is left running.

    with Beside(git.untracked) as untracked:
        ...
        untracked.result()
    """

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._value: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def __enter__(self) -> Beside[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.join()

    def result(self) -> T:
        """What the call gave; what it raised is raised here."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._value[0]

    def _run(self) -> None:
        try:
            self._value.append(self._call())
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            self._error = error
