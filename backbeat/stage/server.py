"""The live page: Meshcat's own, with the overlay, served to this machine alone."""

import json
import threading
from collections.abc import Callable
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from pydrake.geometry import Meshcat

from backbeat.stage.backdrop import HOST
from backbeat.stage.page import with_overlay
from models.errors import BackbeatError

# The page of Meshcat asks the server that it came from; ours is another one.
ADDRESS = "url = location.toString();"


class Answer(NamedTuple):
    """What a server says: HTTP status, kind of contents, contents."""

    status: int
    kind: str
    body: bytes


class LiveServer:
    """Serves the page and, many times a second, what its caption should say.

    Attributes:
        url: where to point a browser.
        port: where it listens.
        info: what the overlay says now; a page asks again when the state's `edition`
            is another, and loads itself anew when its `world` is.
    """

    def __init__(
        self,
        meshcat: Meshcat,
        info: dict[str, Any],
        state: Callable[[], dict[str, Any]],
        port: int | None = None,
    ) -> None:
        """Starts to serve.

        Args:
            meshcat: what the page shows.
            info: what the overlay says, see `Stage.info`.
            state: called for each question of a page, from another thread.
            port: where to listen; None for any free port.

        Raises:
            BackbeatError: the port is taken.
        """
        # Meshcat itself may only be asked from the thread that has made it.
        source = meshcat.port()
        status, kind, page = _ask(source, "/")
        text = page.decode()
        if ADDRESS not in text:
            raise RuntimeError("this Drake's Meshcat page finds its server otherwise")
        text = text.replace(ADDRESS, f'url = "{meshcat.ws_url()}";')
        front = with_overlay(text, info).encode()

        def answer(path: str) -> Answer:
            if path == "/":
                return Answer(status, kind, front)
            if self._is_closed:
                return Answer(410, "text/plain", b"The show is over.")
            if path == "/state":
                return Answer(200, "application/json", json.dumps(state()).encode())
            if path == "/info":
                return Answer(200, "application/json", json.dumps(self.info).encode())
            return _ask(source, path)

        self._is_closed, self.info = False, info
        try:
            self._server = ThreadingHTTPServer((HOST, port or 0), _handler(answer))
        except OSError:
            raise BackbeatError(
                f"port {port} of {HOST} is taken; choose another one or none"
            ) from None
        self._server.daemon_threads = True
        self.port = int(self._server.server_port)
        self.url = f"http://{HOST}:{self.port}/"
        serve = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        serve.start()

    def close(self) -> None:
        """Stops to serve, pages that are still connected too."""
        self._is_closed = True
        self._server.shutdown()
        self._server.server_close()


def _ask(port: int, path: str) -> Answer:
    """What Meshcat itself serves under a path: its page, its library, meshes."""
    connection = HTTPConnection(HOST, port, timeout=10.0)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        kind = response.getheader("Content-Type") or "application/octet-stream"
        return Answer(response.status, kind, response.read())
    finally:
        connection.close()


def _handler(answer: Callable[[str], Answer]) -> type[BaseHTTPRequestHandler]:
    """A request handler that asks a function for each path."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            try:
                status, kind, body = answer(self.path)
            except OSError:
                status, kind, body = 502, "text/plain", b"Meshcat does not answer"
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing on the console."""

    return Handler
