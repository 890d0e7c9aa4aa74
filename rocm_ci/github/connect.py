"""From a workflow's environment to a client: token, address, certificates."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rocm_ci.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocm_ci.github.rest import RestClient

DEFAULT_URL = "https://api.github.com"
_API_URL = re.compile(r"https?://[A-Za-z0-9.\-\[\]:]+(/[A-Za-z0-9._/-]*)?\Z")
# What requests reads, in its order, and what the rest of the world calls the same.
_CA_NAMES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


def connect(env: Mapping[str, str], token_env: str, *, pause_s: float = 1.0) -> RestClient:
    """A client for the server that `GITHUB_API_URL` names, with the token in `token_env`.

    Proxies are those of HTTPS_PROXY and NO_PROXY. Raises `UsageError`; nothing is sent.
    """
    from rocm_ci.github.rest import RestClient  # noqa: PLC0415 - only once all else is right
    from rocm_ci.github.transport import Transport  # noqa: PLC0415 - the same

    return RestClient(Transport(_token(env, token_env), api_url=_url(env), ca=_ca(env), pause_s=pause_s))


def _token(env: Mapping[str, str], name: str) -> str:
    token = env.get(name, "").strip()
    if not token:
        message = f"there is no token in {name}"
        hint = "give the step `env: GITHUB_TOKEN: ${{ github.token }}`, or name another one with --token-env"
        raise UsageError(message, hint=hint)
    if not (token.isascii() and token.isprintable()):
        message = f"what {name} holds is no token"
        raise UsageError(message, hint="copy the token again, without spaces and line breaks")
    return token


def _url(env: Mapping[str, str]) -> str:
    url = env.get("GITHUB_API_URL") or DEFAULT_URL
    if not _API_URL.match(url):
        message = f"GITHUB_API_URL is {url[:120]!r}, which is no address"
        raise UsageError(message, hint="on GitHub Enterprise it is https://HOST/api/v3")
    return url


def _ca(env: Mapping[str, str]) -> str | None:
    """The file (or folder) with the certificates to trust; None for those that requests brings."""
    for name in _CA_NAMES:
        path = env.get(name)
        if path:
            if not Path(path).exists():
                message = f"{name} is {path[:200]!r}, which is not there"
                raise UsageError(message, hint="give the path of a file with certificates in PEM format")
            return path
    return None
