"""The one request that leaves GitHub: bounded, without our token, only to safe places."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass, field
from typing import Any

import pytest
import requests
import urllib3

from rocm_ci.github import blob
from rocm_ci.github.mishap import is_hopeless

API = "http://127.0.0.1:8080"
STORE = "https://store.example/7?sig=sesame"


@dataclass
class Internet:
    """What answers in turn, and what was asked of it."""

    answers: list[Any]
    seen: list[requests.PreparedRequest] = field(default_factory=list)
    options: list[dict[str, Any]] = field(default_factory=list)

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        self.seen.append(request)
        self.options.append(options)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        answer.request, answer.url = request, request.url
        return answer  # type: ignore[no-any-return]


def answer(
    body: bytes | io.RawIOBase = b"", status: int = 200, headers: dict[str, str] | None = None
) -> requests.Response:
    headers = headers or {}
    made = requests.Response()
    made.status_code = status
    made.headers.update(headers)
    raw = io.BytesIO(body) if isinstance(body, bytes) else body
    made.raw = urllib3.HTTPResponse(raw, headers=headers, preload_content=False)
    return made


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> Any:
    def made(*answers: Any) -> Internet:
        there = Internet(list(answers))
        monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", lambda _, r, **k: there.send(r, **k))
        return there

    return made


def test_the_bytes_come_from_the_store_without_a_token(
    internet: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "netrc").write_text("machine store.example login me password sesame\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    there = internet(answer(b"zip"))

    assert blob.fetch(STORE, 100, api_url=API) == b"zip"
    assert "Authorization" not in there.seen[0].headers
    assert there.options[0]["timeout"] == blob.TIMEOUT_S


class Endless(io.RawIOBase):
    """As many bytes as one wants; counts them."""

    given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.given += len(buffer)
        buffer[:] = b"x" * len(buffer)
        return len(buffer)


@pytest.mark.attack("4", "a download without end, or with a false length")
@pytest.mark.parametrize("claimed", ["3", "0", "99999999999"])
def test_not_more_is_read_than_asked_for_whatever_the_store_claims(internet: Any, claimed: str) -> None:
    endless = Endless()
    internet(answer(endless, headers={"content-length": claimed}))

    got = blob.fetch(STORE, 1000, api_url=API)

    assert isinstance(got, bytes)
    assert len(got) == 1001
    assert endless.given < 1 << 18


def test_a_body_that_ends_too_early_is_no_archive(internet: Any) -> None:
    internet(answer(b"zi", headers={"content-length": "3"}))

    assert isinstance(blob.fetch(STORE, 100, api_url=API), requests.exceptions.ChunkedEncodingError)


@pytest.mark.attack("4", "a download that unpacks to much more on the way")
@pytest.mark.parametrize("packing", ["gzip", "br", "deflate, gzip"])
def test_a_packed_body_is_not_unpacked(internet: Any, packing: str) -> None:
    there = internet(answer(gzip.compress(b"x" * 9_000_000), headers={"content-encoding": packing}))

    got = blob.fetch(STORE, 100, api_url=API)

    assert isinstance(got, requests.exceptions.ContentDecodingError)
    assert is_hopeless(got)
    assert there.seen[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    "url",
    [
        "http://store.example/7",
        "http://127.0.0.1:9090/7",
        "http://127.0.0.1/7",
        "file:///etc/passwd",
        "ftp://store.example/7",
        "//store.example/7",
        "",
    ],
)
def test_only_https_and_the_api_itself_are_safe(internet: Any, url: str) -> None:
    there = internet()

    got = blob.fetch(url, 100, api_url=API)

    assert isinstance(got, blob.UnsafeAddressError)
    assert is_hopeless(got)
    assert there.seen == []


def test_a_store_may_send_on_but_not_to_an_unsafe_place(internet: Any) -> None:
    internet(answer(status=302, headers={"location": "https://other.example/8"}), answer(b"zip"))
    assert blob.fetch(STORE, 100, api_url=API) == b"zip"

    internet(answer(status=302, headers={"location": "http://169.254.169.254/latest/meta-data"}))
    assert isinstance(blob.fetch(STORE, 100, api_url=API), blob.UnsafeAddressError)

    internet(*[answer(status=302, headers={"location": STORE}) for _ in range(9)])
    assert isinstance(blob.fetch(STORE, 100, api_url=API), blob.UnsafeAddressError)


def test_the_address_is_not_in_the_error_because_it_is_a_key(internet: Any) -> None:
    internet(answer(status=403))

    got = blob.fetch(STORE, 100, api_url=API)

    assert isinstance(got, requests.ConnectionError)
    assert str(got) == "the store of artifacts answered 403"


def test_our_own_certificates_are_trusted_there_too(internet: Any) -> None:
    there = internet(answer(b"zip"))

    blob.fetch(STORE, 100, api_url=API, ca="/etc/company.pem")

    assert there.options[0]["verify"] == "/etc/company.pem"


def test_a_store_that_drips_does_not_hold_us_for_ever(internet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blob, "PATIENCE_S", -1.0)
    internet(answer(b"zip"))

    assert isinstance(blob.fetch(STORE, 100, api_url=API), requests.Timeout)
