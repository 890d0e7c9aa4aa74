"""The stand-in GitHub on a loopback port: a thread, a lock, a log of all exchanges."""

from __future__ import annotations

import contextlib
import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from tests.standin.api import SECONDARY, Api
from tests.standin.exchange import DOCS, Answer, Request
from tests.standin.faults import Fault, Faults
from tests.standin.world import World

if TYPE_CHECKING:
    import ssl
    from types import TracebackType

_GATEWAY = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
_LIMITED = {"message": SECONDARY, "documentation_url": DOCS}


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One request and what was answered. `fault` says whether the answer is GitHub's own."""

    request: Request
    answer: Answer | None
    fault: Fault


class StandIn:
    """`with StandIn() as github:` serves `github.world` at `github.url`.

    With `tls` it talks https. `prefix` is where the API of an Enterprise server lies: /api/v3. `store` is
    the address before the artifacts, if it is not `url`; whoever asks there must find the way here.
    """

    def __init__(
        self,
        world: World | None = None,
        faults: Faults | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        prefix: str = "",
        store: str | None = None,
    ) -> None:
        self.world = world or World()
        self.faults = faults or Faults()
        self.log: list[Exchange] = []
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body in one packet: two small ones wait 40 ms for an acknowledgement.
            wbufsize = 1 << 16
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                pass

            def handle(self) -> None:
                with contextlib.suppress(OSError):  # a caller who does not trust us hangs up
                    super().handle()

            def _handle(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                raw = self.rfile.read(length)
                outer._serve(self, raw)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _handle  # noqa: N815

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"
        if tls is not None:
            self.url = f"https://localhost:{self.port}"
            # The handshake is for the thread that serves, not for the one that waits for the next caller.
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._api = Api(self.world, self.url, prefix=prefix, store=store or self.url)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> StandIn:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def forbidden(self) -> list[str]:
        """`METHOD path` of every request that was refused because the token may not do it, in order."""
        return self._api.forbidden

    @property
    def writes(self) -> list[str]:
        """`METHOD path` of every request that changes something, in order."""
        return [
            f"{e.request.method} {e.request.path}"
            for e in self.log
            if e.request.method != "GET" and e.request.path != "/graphql"
        ]

    def _serve(self, handler: BaseHTTPRequestHandler, raw: bytes) -> None:
        request = Request(
            method=handler.command,
            target=handler.path,
            headers={k.lower(): v for k, v in handler.headers.items()},
            body=_decoded(raw),
        )
        with self._lock:
            fault = self.faults.pick()
            carried_out = fault in (Fault.NONE, Fault.HALF, Fault.CUT)
            answer = self._api.answer(request) if carried_out else None
            self.log.append(Exchange(request=request, answer=answer, fault=fault))
        match fault:
            case Fault.NONE:
                assert answer is not None
                _send(handler, answer.status, answer.body, answer.headers)
            case Fault.CUT:
                assert answer is not None
                _send(handler, answer.status, answer.body, answer.headers, cut=True)
                handler.close_connection = True
            case Fault.DROP:
                handler.close_connection = True
            case Fault.SECONDARY:
                _send(handler, 403, _LIMITED, {"Retry-After": "0"})
            case Fault.TOO_MANY:
                _send(handler, 429, _LIMITED, {"Retry-After": "0"})
            case Fault.UNAVAILABLE:
                _send(handler, 503, {"message": "Service unavailable"}, {})
            case Fault.BAD_GATEWAY | Fault.HALF:
                _send(handler, 502, _GATEWAY, {})


def _decoded(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode(errors="replace")  # a body that is no object is refused where one is needed


def _send(
    handler: BaseHTTPRequestHandler, status: int, body: Any, headers: dict[str, str], *, cut: bool = False
) -> None:
    is_text = isinstance(body, bytes)
    data = b"" if body is None else body if is_text else json.dumps(body).encode()
    handler.send_response(status)
    kind = "text/html" if is_text else "application/json; charset=utf-8"
    length = {} if status == 204 else {"Content-Length": str(len(data))}
    for name, value in {"Content-Type": kind, **length, **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2] if cut else data)
