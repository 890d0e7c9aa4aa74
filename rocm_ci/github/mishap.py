"""What an exception of requests tells about a request that got no answer."""

from __future__ import annotations

import requests

_NOT_CONNECTED = ("NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "ProxyError")
_UNTRUSTED = ("CERTIFICATE_VERIFY_FAILED", "invalid path", "certificate verify failed")
_MALFORMED = (
    requests.exceptions.InvalidURL,
    requests.exceptions.InvalidSchema,
    requests.exceptions.MissingSchema,
    requests.exceptions.InvalidHeader,
)


def never_sent(error: Exception) -> bool:
    """No connection came about, so that nobody can have carried the request out."""
    if isinstance(error, (requests.ConnectTimeout, *_MALFORMED)):
        return True
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(error, requests.ConnectionError) and type(reason).__name__ in _NOT_CONNECTED


def is_hopeless(error: Exception) -> bool:
    """It will fail the same way again: an address that is none, a certificate that nobody trusts."""
    if isinstance(error, (requests.exceptions.ContentDecodingError, *_MALFORMED)):
        return True
    return isinstance(error, (requests.exceptions.SSLError, OSError)) and any(
        words in str(error) for words in _UNTRUSTED
    )
