"""From the environment of a workflow to a client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rocm_ci.errors import UsageError
from rocm_ci.github.connect import connect
from rocm_ci.github.transport import BUDGET, Transport
from rocm_ci.github.wire import PyGithubWire


def made(**env: str) -> tuple[Transport, PyGithubWire]:
    transport = connect({"GITHUB_TOKEN": "ghs_x", **env}, "GITHUB_TOKEN")._transport
    wire: Any = transport._wire
    assert isinstance(wire, PyGithubWire)
    return transport, wire


def test_without_more_it_is_github_itself() -> None:
    transport, wire = made()

    assert (wire._api_url, wire._token, wire._ca) == ("https://api.github.com", "ghs_x", None)
    assert transport._budget == BUDGET == 150


def test_another_variable_may_hold_the_token() -> None:
    client = connect({"OTHER": " ghs_y\n"}, "OTHER", pause_s=0.0)
    wire: Any = client._transport._wire

    assert (wire._token, client.requests_sent) == ("ghs_y", 0)


@pytest.mark.parametrize("url", ["https://host.example/api/v3", "http://127.0.0.1:8080", "http://[::1]:80/x"])
def test_an_enterprise_server_is_named_by_its_address(url: str) -> None:
    assert made(GITHUB_API_URL=url)[1]._api_url == url


@pytest.mark.parametrize(
    "url", ["host.example", "file:///etc", "https://me:pw@host", "https://host/?a", "x\ny"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        made(GITHUB_API_URL=url)


@pytest.mark.parametrize("token", ["", "  ", "a\x00b", "naïve", "two\nlines"])
def test_what_is_no_token_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(UsageError) as caught:
        made(GITHUB_TOKEN=token)

    assert "GITHUB_TOKEN" in str(caught.value)
    assert not token.strip() or token not in str(caught.value)


def test_the_certificates_of_a_company_are_found_under_all_their_names(tmp_path: Path) -> None:
    one, two = tmp_path / "one.pem", tmp_path / "two.pem"
    one.touch()
    two.touch()

    assert made(SSL_CERT_FILE=str(one))[1]._ca == str(one)
    assert made(SSL_CERT_FILE=str(one), REQUESTS_CA_BUNDLE=str(two))[1]._ca == str(two)


def test_certificates_that_are_not_there_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"SSL_CERT_FILE .*none.pem.* not there"):
        made(SSL_CERT_FILE=str(tmp_path / "none.pem"))
