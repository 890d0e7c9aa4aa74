"""The one request that leaves GitHub's API: the bytes of an artifact, on whatever host it redirects to.

Our token does not go there, nor does what a `.netrc` knows. Facts:
https://docs.github.com/rest/actions/artifacts#download-an-artifact (302 to an address valid for a minute).
"""

from __future__ import annotations

import time
from urllib.parse import urljoin, urlsplit

import requests

TIMEOUT_S = 30
PATIENCE_S = 300.0
_CHUNK = 1 << 16
_HOPS = 3


class UnsafeAddressError(requests.exceptions.InvalidURL):
    """A redirection to an address that we do not follow."""


def fetch(url: str, limit: int, *, api_url: str, ca: str | None = None) -> bytes | Exception:
    """What lies at `url`, or what went wrong; never more than `limit` + 1 bytes are read.

    Only https is followed, or the very scheme, host and port of the API.
    """
    try:
        with requests.Session() as session:
            # Set, it keeps requests from looking for a password in ~/.netrc.
            session.auth = _no_password
            for _ in range(_HOPS):
                _check(url, api_url)
                with session.get(
                    url,
                    stream=True,
                    timeout=TIMEOUT_S,
                    allow_redirects=False,
                    verify=ca or True,
                    headers={"Accept-Encoding": "identity"},
                ) as answer:
                    if answer.is_redirect:
                        url = urljoin(url, answer.headers["location"])
                        continue
                    answer.raise_for_status()
                    return _body(answer, limit)
        message = "it is redirected again and again"
        raise UnsafeAddressError(message)
    except requests.HTTPError as error:
        # Its own message holds the address, which is as good as a password.
        message = f"the store of artifacts answered {error.response.status_code}"
        return requests.ConnectionError(message)
    except (requests.RequestException, OSError, ValueError) as error:
        return error


def _check(url: str, api_url: str) -> None:
    there, api = urlsplit(url), urlsplit(api_url)
    if there.scheme != "https" and (there.scheme, there.netloc) != (api.scheme, api.netloc):
        message = f"GitHub redirects to {there.scheme or 'nothing'}://{there.hostname}, which is not safe"
        raise UnsafeAddressError(message)


def _body(answer: requests.Response, limit: int) -> bytes:
    """Read by what arrives: what the other side says about the length is not believed."""
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        # Unpacking it on the way would make much of little before anybody could count.
        message = "the store of artifacts packs what it was asked to send as it is"
        raise requests.exceptions.ContentDecodingError(message)
    data = bytearray()
    end = time.monotonic() + PATIENCE_S
    for chunk in answer.iter_content(_CHUNK):
        data += chunk
        if len(data) > limit:
            break
        if time.monotonic() > end:
            message = f"only {len(data)} bytes arrived in {PATIENCE_S:.0f} s"
            raise requests.Timeout(message)
    return bytes(data[: limit + 1])


def _no_password(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request
