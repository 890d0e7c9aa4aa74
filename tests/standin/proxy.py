"""The proxy of a company: tunnels to whatever is asked for, but always to one port of this machine."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One tunnel: host and port, and all that the proxy saw in clear."""

    target: str
    headers: dict[str, str]


class Proxy:
    """`with Proxy(port) as proxy:` listens at `proxy.url`; with `refuse`, it answers that status."""

    def __init__(self, port: int, *, refuse: int | None = None) -> None:
        self.asked: list[Asked] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_CONNECT(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.asked.append(Asked(target=self.path, headers=headers))
                if refuse is not None:
                    self.send_error(refuse)
                    return
                with socket.create_connection(("127.0.0.1", port)) as there:
                    self.send_response(200)
                    self.end_headers()
                    with contextlib.suppress(OSError):
                        _pump(self.connection, there)
                self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        self.url = f"http://{self.address}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Proxy:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _pump(one: socket.socket, other: socket.socket) -> None:
    """Bytes both ways until one side ends."""
    while True:
        ready, _, _ = select.select([one, other], [], [], 10)
        if not ready:
            return
        for side in ready:
            data = side.recv(1 << 16)
            if not data:
                return
            (other if side is one else one).sendall(data)
