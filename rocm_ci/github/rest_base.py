"""What the parts of the REST client share: the transport, and reading an answer into a shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from rocm_ci.errors import GitHubError

if TYPE_CHECKING:
    from rocm_ci.github.transport import Transport

T = TypeVar("T")


class RestBase:
    """A part of `rest.RestClient`. All parts share one transport."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport


def read(data: object, shape: type[T], what: str) -> T:
    """An answer of GitHub as `shape`; `what` names it in the error."""
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        message = f"GitHub answered {what} that rocm-ci cannot read: {error}"
        raise GitHubError(message, hint="check GITHUB_API_URL; else please report it") from error
