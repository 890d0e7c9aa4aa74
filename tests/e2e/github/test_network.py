"""Companies: an Enterprise server, a certificate authority of their own, a proxy; and a bad network."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from rocm_ci.cli.main import main
from rocm_ci.errors import GitHubError
from rocm_ci.github.client import UnknownOutcomeError
from rocm_ci.github.connect import connect
from rocm_ci.github.rest import RestClient
from rocm_ci.github.transport import Transport
from rocm_ci.report import codec
from tests.standin.faults import Fault, Faults
from tests.standin.proxy import Proxy
from tests.standin.reports import report
from tests.standin.server import StandIn
from tests.standin.tls import Authority, authority
from tests.standin.world import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "ghs_SesameSesameSesame0123"
HEAD = "a" * 40
HOST, STORE = "github.company.example", "store.company.example"


@pytest.fixture
def company(tmp_path: Path) -> Authority:
    return authority(tmp_path, "localhost", HOST, STORE)


@pytest.fixture
def server(company: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """An Enterprise server behind TLS; nothing of the machine's own network settings is left."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy",
                 "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    with StandIn(tls=company.server, prefix="/api/v3", store=f"https://{STORE}") as github:
        github.world.tokens[TOKEN] = Identity(login="github-actions[bot]", is_app=True)
        github.world.open_pull("o/r", 5, HEAD)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        monkeypatch.setenv("GITHUB_API_URL", f"{github.url}/api/v3")
        yield github


def ours() -> RestClient:
    client = connect(os.environ, "GITHUB_TOKEN", pause_s=0.0)
    client._transport._sleep = lambda _: None
    return client


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_an_enterprise_server_with_its_companys_certificates_is_reached(
    server: StandIn, company: Authority, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(company.ca))

    assert ours().identity() == "github-actions[bot]"
    assert ours().pull("o/r", 5).head == HEAD
    assert ours().create_comment("o/r", 5, "hello").body == "hello"
    assert [e.request.path for e in server.log] == [
        "/api/graphql",
        "/api/v3/repos/o/r/pulls/5",
        "/api/v3/repos/o/r/issues/5/comments",
    ]


@pytest.mark.attack("15", "a server with a certificate of somebody else asks for our token")
@pytest.mark.parametrize("trusts", ["nobody", "somebody else"])
def test_a_server_that_we_do_not_trust_gets_no_token_and_is_not_asked_again(
    server: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusts: str
) -> None:
    if trusts == "somebody else":
        monkeypatch.setenv("SSL_CERT_FILE", str(authority(tmp_path, "localhost", name="other").ca))
    client = ours()

    with pytest.raises(GitHubError, match="CERTIFICATE_VERIFY_FAILED") as caught:
        client.create_comment("o/r", 5, "hello")

    assert not isinstance(caught.value, UnknownOutcomeError)
    assert "REQUESTS_CA_BUNDLE" in caught.value.hint
    assert (client.requests_sent, server.log) == (1, [])


def test_a_certificate_for_another_host_is_not_taken(
    server: StandIn, company: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(company.ca))
    monkeypatch.setenv("GITHUB_API_URL", f"https://127.0.0.1:{server.port}/api/v3")

    with pytest.raises(GitHubError, match=r"127\.0\.0\.1"):
        ours().pull("o/r", 5)
    assert server.log == []


def test_a_proxy_carries_everything_and_sees_neither_token_nor_addresses(
    server: StandIn, company: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(company.ca))
    monkeypatch.setenv("GITHUB_API_URL", f"https://{HOST}/api/v3")
    with Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://robot:sesame@{proxy.address}")
        assert ours().pull("o/r", 5).head == HEAD

    (asked,) = proxy.asked
    assert asked.target == f"{HOST}:443"
    assert asked.headers["proxy-authorization"].startswith("Basic ")
    assert TOKEN not in str(asked)


def test_what_no_proxy_names_is_reached_directly(
    server: StandIn, company: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(company.ca))
    with Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "example.org, localhost")
        assert ours().pull("o/r", 5).head == HEAD

    assert proxy.asked == []
    assert len(server.log) == 1


def test_a_proxy_that_says_no_is_told_without_its_password(
    server: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Proxy(server.port, refuse=407) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://robot:sesame@{proxy.address}")
        with pytest.raises(GitHubError) as caught:
            ours().create_comment("o/r", 5, "hello")

    said = f"{caught.value} {caught.value.hint}"
    assert not isinstance(caught.value, UnknownOutcomeError)
    assert "HTTPS_PROXY" in said
    assert "407" in said
    assert "sesame" not in said
    assert server.log == []


@pytest.mark.attack("4", "an artifact on a host that waits for our token")
def test_an_artifact_comes_from_another_host_and_the_token_does_not_go_there(
    server: StandIn, company: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(company.ca))
    monkeypatch.setenv("GITHUB_API_URL", f"https://{HOST}/api/v3")
    kept = server.world.store("o/r", server.world.ran("o/r", head=HEAD), "a", {"report.json": b"{}"})
    with Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        assert ours().download_artifact("o/r", kept.id, limit=1000) == kept.data

    assert [a.target for a in proxy.asked] == [f"{HOST}:443", f"{STORE}:443"]
    asked, stored = (e.request for e in server.log)
    assert asked.headers["authorization"].endswith(TOKEN)
    assert "authorization" not in stored.headers
    assert TOKEN not in str(stored)


@pytest.mark.attack("4", "an artifact whose address lies inside the company's network or on our disk")
@pytest.mark.parametrize(
    "address", ["http://169.254.169.254", "http://localhost:1", "file://", f"http://{STORE}"]
)
def test_an_artifact_at_an_unsafe_address_is_not_fetched(
    company: Authority, monkeypatch: pytest.MonkeyPatch, server: StandIn, address: str
) -> None:
    with StandIn(tls=company.server, prefix="/api/v3", store=address) as github:
        github.world.tokens[TOKEN] = Identity(login="github-actions[bot]", is_app=True)
        kept = github.world.store("o/r", github.world.ran("o/r", head=HEAD), "a", b"zip")
        monkeypatch.setenv("GITHUB_API_URL", f"{github.url}/api/v3")
        monkeypatch.setenv("SSL_CERT_FILE", str(company.ca))
        with pytest.raises(GitHubError, match="not safe"):
            ours().download_artifact("o/r", kept.id, limit=1000)

    assert [e.request.path.rpartition("/")[2] for e in github.log] == ["zip"]


# -- a bad network -------------------------------------------------------------------------------------


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with StandIn() as github:
        github.world.tokens[TOKEN] = Identity(login="github-actions[bot]", is_app=True)
        github.world.open_pull("o/r", 5, HEAD)
        yield github


def over(github: StandIn, **options: Any) -> RestClient:
    known: dict[str, Any] = {"sleep": lambda _: None}
    return RestClient(Transport(TOKEN, api_url=github.url, **{**known, **options}))


def test_a_download_that_breaks_off_is_begun_anew(plain: StandIn) -> None:
    kept = plain.world.store("o/r", plain.world.ran("o/r", head=HEAD), "a", {"report.json": b"{}" * 9999})
    plain.faults.next_ones = [Fault.NONE, Fault.CUT, Fault.NONE, Fault.BAD_GATEWAY, Fault.CUT]

    assert over(plain).download_artifact("o/r", kept.id, limit=9999) == kept.data
    assert len(plain.log) == 6


@pytest.mark.attack("4", "an archive larger than anybody can hold")
def test_an_artifact_that_is_too_large_is_refused(plain: StandIn) -> None:
    kept = plain.world.store("o/r", plain.world.ran("o/r", head=HEAD), "a", b"x" * (32 << 20))

    with pytest.raises(GitHubError, match="more than 1,000 bytes"):
        over(plain).download_artifact("o/r", kept.id, limit=1000)


@pytest.mark.attack("input", "GitHub answers 500 for ten minutes")
def test_an_outage_of_ten_minutes_ends_in_an_error_after_five(plain: StandIn) -> None:
    slept: list[float] = []
    plain.faults = Faults(rate=1.0, kinds=(Fault.BAD_GATEWAY, Fault.UNAVAILABLE))
    client = over(plain, sleep=slept.append, tries=99, pause_s=1.0)

    with pytest.raises(GitHubError, match=r"50[23]") as caught:
        client.pull("o/r", 5)

    assert 100.0 < sum(slept) <= 300.0
    assert "githubstatus" in caught.value.hint


@pytest.mark.attack("19", "every third answer is refused, lost or cut")
@pytest.mark.parametrize("seed", range(1, 9))
def test_reads_get_through_a_network_that_fails_every_third_time(plain: StandIn, seed: int) -> None:
    for number in range(250):
        plain.world.say("o/r", 5, "ann", f"remark {number}")
    plain.faults = Faults(rate=0.33, seed=seed)
    client = over(plain, tries=20)

    assert [c.body for c in client.comments("o/r", 5)] == [f"remark {n}" for n in range(250)]
    assert client.requests_sent == len(plain.log) <= 150


@pytest.mark.attack("19", "an answer is lost after the comment was made")
@pytest.mark.parametrize("fault", [Fault.HALF, Fault.CUT, Fault.DROP, Fault.BAD_GATEWAY])
def test_a_creation_is_sent_once_whatever_becomes_of_its_answer(plain: StandIn, fault: Fault) -> None:
    plain.faults.next_ones = [fault]

    with pytest.raises(UnknownOutcomeError):
        over(plain).create_comment("o/r", 5, "hello")

    happened = fault in (Fault.HALF, Fault.CUT)
    assert len(plain.world.repositories["o/r"].comments) == happened
    assert len(plain.log) == 1


def test_a_server_that_is_not_there_was_never_asked_so_a_creation_may_be_repeated(plain: StandIn) -> None:
    client = RestClient(Transport(TOKEN, api_url="http://127.0.0.1:9", sleep=lambda _: None, tries=3))

    with pytest.raises(GitHubError) as caught:
        client.create_comment("o/r", 5, "hello")

    assert client.requests_sent == 3
    assert not isinstance(caught.value, UnknownOutcomeError)
    assert TOKEN not in str(caught.value)


@pytest.fixture
def _signals() -> Iterator[None]:
    """The command answers signals; afterwards pytest does again."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_signals")
def test_the_whole_command_reports_to_an_enterprise_server_through_a_proxy(
    server: StandIn,
    company: Authority,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "report.json").write_bytes(codec.encode(report(HEAD)))
    monkeypatch.setenv("SSL_CERT_FILE", str(company.ca))
    monkeypatch.setenv("GITHUB_API_URL", f"https://{HOST}/api/v3")
    for name in ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    with Proxy(server.port) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        target = ("--repository", "o/r", "--number", "5", "--to", "comment status", "--pause", "0")
        assert main(["report", str(tmp_path / "report.json"), *target]) == 0

    repository = server.world.repositories["o/r"]
    assert [c.author for c in repository.comments] == ["github-actions[bot]"]
    assert [s.state for s in repository.statuses] == ["success"]
    assert {a.target for a in proxy.asked} == {f"{HOST}:443"}
    assert TOKEN not in "".join(capsys.readouterr())
