"""A sequence of any number of test elements in little memory: what is far behind lies compressed."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, TypeVar, overload

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")

# So many stay as they are: an ordinary report pays nothing.
PLAIN = 50_000
_PAGE = 2_000


class Pages(Sequence[T], Generic[T]):
    """Append-only. Every element is of one msgspec type. Made to be walked through; an index costs a page."""

    def __init__(self, kind: type[T], elements: Iterable[T] = ()) -> None:
        self._kind = kind
        self._packed: list[bytes] = []
        self._plain: list[T] = []
        self._encoder = msgspec.msgpack.Encoder()
        # Known at run time only, which the type checker cannot spell.
        self._decoder: msgspec.msgpack.Decoder[list[T]] = msgspec.msgpack.Decoder(list[kind])  # type: ignore[valid-type]
        for element in elements:
            self.append(element)

    def append(self, element: T) -> None:
        """Add one at the end."""
        self._plain.append(element)
        if len(self._plain) >= PLAIN + _PAGE:
            self._pack()

    def _pack(self) -> None:
        """All that is plain but the last page, so that a big report is never wholly in memory."""
        while len(self._plain) >= _PAGE and len(self._packed) * _PAGE + len(self._plain) > PLAIN:
            page = self._encoder.encode(self._plain[:_PAGE])
            self._packed.append(zlib.compress(page, 1))
            del self._plain[:_PAGE]

    def __len__(self) -> int:
        return len(self._packed) * _PAGE + len(self._plain)

    def __iter__(self) -> Iterator[T]:
        for number in range(len(self._packed)):
            yield from self._page(number)
        yield from self._plain

    def _page(self, number: int) -> list[T]:
        return self._decoder.decode(zlib.decompress(self._packed[number]))

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        """By number, or a slice as a list."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        behind = len(self._packed) * _PAGE
        return self._plain[at - behind] if at >= behind else self._page(at // _PAGE)[at % _PAGE]

    def __bool__(self) -> bool:
        return len(self) > 0
