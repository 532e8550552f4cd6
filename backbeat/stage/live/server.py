"""The live page: Meshcat's own, with the overlay, served to this machine alone.

With Tornado this and `relay` would be 100 lines shorter, but start 0.09 s later.
"""

import json
import queue
import secrets
import sys
import threading
import time
from collections.abc import Callable, Mapping
from email.message import Message
from http import HTTPStatus
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from typing import Any, NamedTuple

from pydrake.geometry import Meshcat

from backbeat.models.common.errors import BackbeatError, ended
from backbeat.stage.drawing.backdrop import HOST, place_of
from backbeat.stage.web.commands import Command, Reader, read_command
from backbeat.stage.web.guard import (
    RefusedError,
    check_host,
    check_post,
    check_token,
    check_viewer,
)
from backbeat.stage.web.page import with_overlay
from backbeat.stage.web.relay import Place, check_greeting, connect, proof, relay

# The page of Meshcat asks the server that it came from; ours is another one.
ADDRESS = "url = location.toString();"
# Where the page is connected to Meshcat, and how many pages may be at once; how many
# connections of any kind.
DRAWING, MOST_VIEWERS, MOST_CONNECTIONS = "/drawing", 16, 128
# Most commands in the queue; more are refused with a sentence.
MOST_WAITING = 256
# Answers what a page sends, or nothing where it only asks, with data; called from
# threads of the server.
Service = Callable[[bytes], dict[str, Any]]


class Response(NamedTuple):
    """What a server says: HTTP status, kind of contents, contents."""

    status: int
    kind: str
    body: bytes


class Page(NamedTuple):
    """What is served: Meshcat's place, the kind of its page, and the page with ours."""

    source: Place
    kind: str
    front: bytes


class LiveServer:
    """Serves the page and, many times a second, what its caption should say.

    Attributes:
        url: where to point a browser.
        port: where it listens.
        info: what the overlay says now; a page asks again when the state's `edition`
            is another, and loads itself anew when its `world` is.
        asked: when a page last asked for the state, on the monotonic clock [s].
        token: what a page says to be connected to Meshcat.
        viewers: how many more pages may be connected.
    """

    def __init__(
        self,
        meshcat: Meshcat,
        info: dict[str, Any],
        state: Callable[[], dict[str, Any]],
        port: int | None = None,
        readers: dict[str, Reader] | None = None,
        services: Mapping[str, Service] | None = None,
    ) -> None:
        """Starts to serve.

        Args:
            meshcat: what the page shows.
            info: what the overlay says, see `Stage.info`.
            state: called for each question of a page, from another thread.
            port: where to listen; None for any free port.
            readers: what pages may ask for; nothing by default.
            services: what else is answered, by path; what is sent to one has to come
                with the token.

        Raises:
            BackbeatError: the port is taken.
        """
        self._state, self._readers = state, readers or {}
        self._services = services or {}
        self._waiting: queue.Queue[Command] = queue.Queue(MOST_WAITING)
        self._is_closed, self.asked = False, time.monotonic()
        # What only the page has that was loaded here.
        self.token = secrets.token_urlsafe(16)
        self.viewers = threading.BoundedSemaphore(MOST_VIEWERS)
        self.put(meshcat, info)
        try:
            self._server = _Server(Place(HOST, port or 0), self)
        except OSError:
            raise BackbeatError(
                f"port {port} of {HOST} is taken; choose another one or none"
            ) from None
        self.port = int(self._server.server_port)
        self.url = f"http://{HOST}:{self.port}/"
        serve = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        serve.start()

    def put(self, meshcat: Meshcat, info: dict[str, Any]) -> None:
        """Serves another Meshcat from now on; arguments as above."""
        # Meshcat itself may only be asked from the thread that has made it.
        source = place_of(meshcat)
        _, kind, body = _ask(source, "/")
        text = body.decode()
        if ADDRESS not in text:
            raise RuntimeError("this Drake's Meshcat page finds its server otherwise")
        here = 'location.origin.replace("http", "ws")'
        way = f'url = {here} + "{DRAWING}?{self.token}";'
        text = text.replace(ADDRESS, way)
        self.info = info
        page = with_overlay(text, info | {"token": self.token})
        self._page = Page(source, kind, page.encode())

    def commands(self) -> list[Command]:
        """What pages have asked for since the last time, in order."""
        found = []
        while not self._waiting.empty():
            found.append(self._waiting.get_nowait())
        return found

    def answer(self, path: str) -> Response:
        """What is said to a question; called from threads of the server."""
        page = self._page
        if path == "/":
            return Response(HTTPStatus.OK, page.kind, page.front)
        if self._is_closed:
            return _say(HTTPStatus.GONE, "The show is over.")
        if path == "/state":
            self.asked = time.monotonic()
            return _json(self._state())
        if path == "/info":
            return _json(self.info)
        if path in self._services:
            return _json(self._services[path](b""))
        if not (path.isascii() and path.isprintable()):
            # Meshcat could not be asked for it.
            return _say(HTTPStatus.NOT_FOUND, "There is no such page.")
        return _ask(page.source, path)

    def source(self) -> Place:
        """Where Meshcat listens at present; called from threads of the server."""
        return self._page.source

    def hear(self, path: str, text: bytes, headers: Message) -> Response:
        """What is said to what was sent; called from threads of the server.

        Args:
            path: where to: /command, or a service.
            text: what.
            headers: of the request.

        Raises:
            RefusedError: it was sent to a service without the token.
        """
        if self._is_closed:
            return _say(HTTPStatus.GONE, "The show is over.")
        if path in self._services:
            check_token(headers, self.token)
            return _json(self._services[path](text))
        if path != "/command":
            return _say(HTTPStatus.NOT_FOUND, "Commands go to /command.")
        try:
            self._waiting.put_nowait(read_command(text, self._readers))
        except BackbeatError as error:
            return _say(HTTPStatus.BAD_REQUEST, ended(str(error)))
        except queue.Full:
            return _say(HTTPStatus.TOO_MANY_REQUESTS, "Too many commands at once.")
        return _json({})

    def close(self) -> None:
        """Ends to serve, pages that are still connected too."""
        self._is_closed = True
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """Says nothing on the console about browsers that have gone."""

    daemon_threads = True
    # A connection among many others waits for its turn, and is not refused.
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, place: Place, live: LiveServer) -> None:
        self.live = live
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(place, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Closes connections beyond the limit."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answers one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Complains of faults of ours alone."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _say(status: HTTPStatus, sentence: str) -> Response:
    return Response(status, "text/plain; charset=utf-8", sentence.encode())


def _json(value: Any) -> Response:
    return Response(HTTPStatus.OK, "application/json", json.dumps(value).encode())


def _ask(place: Place, path: str) -> Response:
    """What Meshcat itself serves under a path: its page, its library, meshes."""
    connection = HTTPConnection(*place, timeout=10.0)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        kind = response.getheader("Content-Type") or "application/octet-stream"
        return Response(response.status, kind, response.read())
    finally:
        connection.close()


class _Handler(BaseHTTPRequestHandler):
    """Answers what comes on one connection, in a thread of its own."""

    server: _Server
    protocol_version = "HTTP/1.1"
    # A silent connection is closed after so long [s].
    timeout = 15.0

    def do_GET(self) -> None:
        try:
            check_host(self.headers)
            if self.path.partition("?")[0] == DRAWING:
                self._draw()
            else:
                self._reply(self.server.live.answer(self.path))
        except RefusedError as error:
            self._reply(_say(error.status, error.sentence))
        except OSError:
            text = "Meshcat does not answer"
            self._reply(_say(HTTPStatus.BAD_GATEWAY, text))

    def _draw(self) -> None:
        """Connects a page to Meshcat until it goes."""
        self.close_connection = True
        check_viewer(self.headers, self.path, self.server.live.token)
        key = check_greeting(self.headers)
        viewers = self.server.live.viewers
        if not viewers.acquire(blocking=False):
            raise RefusedError(HTTPStatus.TOO_MANY_REQUESTS, "Too many pages are open.")
        try:
            meshcat = self._meshcat()
            self.send_response(HTTPStatus.SWITCHING_PROTOCOLS)
            self.send_header("Upgrade", "websocket")
            self.send_header("Connection", "Upgrade")
            self.send_header("Sec-WebSocket-Accept", proof(key))
            self.end_headers()
            self.wfile.flush()
            relay(meshcat, self.connection, self.rfile)
        finally:
            viewers.release()

    def _meshcat(self) -> socket:
        """A connection to what is drawn now.

        Raises:
            OSError: Meshcat does not answer.
        """
        try:
            return connect(self.server.live.source())
        except ConnectionError:
            # Another behavior was chosen just now, which is drawn elsewhere.
            return connect(self.server.live.source())

    def do_POST(self) -> None:
        try:
            check_host(self.headers)
            length = check_post(self.headers)
        except RefusedError as error:
            # What was sent is not read: nothing can follow it.
            self.close_connection = True
            self._reply(_say(error.status, error.sentence))
            return
        try:
            text = self.rfile.read(length)
            self._reply(self.server.live.hear(self.path, text, self.headers))
        except RefusedError as error:
            self._reply(_say(error.status, error.sentence))

    def _reply(self, answer: Response) -> None:
        try:
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(answer.body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Security-Policy", "frame-ancestors 'self'")
            if answer.status == HTTPStatus.GONE:
                # What is served here next does not answer on this connection.
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(answer.body)
        except ConnectionError:
            # The browser has gone.
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing on the console."""
