"""The way from a page to Meshcat: one way, through the server of the page.

Meshcat's own server accepts any WebSocket, and what it cannot read ends the
process. It therefore listens where no page could guess (`open_meshcat`), and pages are
connected here, once `guard` has let them in. What Meshcat says goes to the page as it
is. Of what the page says nothing goes on but that it is still there: Backbeat asks
nothing through Meshcat, and has its own commands.

Frames are those of RFC 6455 (Fette and Melnikov, "The WebSocket Protocol", 2011).
"""

import base64
import hashlib
import secrets
import socket
import struct
import threading
from contextlib import suppress
from email.message import Message
from http import HTTPStatus
from io import BufferedIOBase
from typing import NamedTuple

from backbeat.stage.web.guard import RefusedError

# What the answer to a greeting proves: RFC 6455, section 1.3.
_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CLOSE, _PING, _PONG = 0x8, 0x9, 0xA
_FINAL, _MASKED, _LENGTH = 0x80, 0x80, 0x7F
# Longest control frame, and how much of a message is thrown away at once [bytes].
_MOST_CONTROL, _PIECE = 125, 65_536
# Longest message of a page that is thrown away; more ends the connection [bytes].
_MOST_MESSAGE = 1_000_000
# Longest that Meshcat may take to answer a greeting, and a page to take a piece of what
# it is told [s].
_PATIENCE, _SLOW = 5.0, 60


class Place(NamedTuple):
    """Where Meshcat listens."""

    host: str
    port: int


def check_greeting(headers: Message) -> str:
    """The key of a greeting to a WebSocket.

    Raises:
        RefusedError: it is none.
    """
    key = headers.get("Sec-WebSocket-Key") or ""
    is_one = (headers.get("Upgrade") or "").lower() == "websocket"
    if not (is_one and 0 < len(key) <= 64 and key.isascii() and key.isprintable()):
        raise RefusedError(
            HTTPStatus.BAD_REQUEST, "This address takes WebSocket connections."
        )
    return key


def proof(key: str) -> str:
    """What the answer to a greeting says."""
    digest = hashlib.sha1((key + _MAGIC).encode(), usedforsecurity=False).digest()
    return base64.b64encode(digest).decode()


def connect(place: Place) -> socket.socket:
    """A WebSocket to Meshcat.

    Raises:
        OSError: there is no answer, or not as Meshcat gives it.
    """
    own = socket.create_connection(place, _PATIENCE)
    try:
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        own.sendall(
            f"GET / HTTP/1.1\r\nHost: {place.host}:{place.port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = b""
        # Not a byte further, for frames follow.
        while not head.endswith(b"\r\n\r\n") and len(head) < 4096:
            piece = own.recv(1)
            if not piece:
                break
            head += piece
        if not head.startswith(b"HTTP/1.1 101") or proof(key).encode() not in head:
            raise ConnectionError("Meshcat refuses the WebSocket")
    except BaseException:
        own.close()
        raise
    own.settimeout(None)
    return own


def relay(meshcat: socket.socket, page: socket.socket, said: BufferedIOBase) -> None:
    """Passes on what Meshcat says, until either goes away.

    Args:
        meshcat: the connection to Meshcat, of which nothing was read yet.
        page: the connection to the page.
        said: what the page says.
    """
    # A timeout of its own would end the reading too.
    page.settimeout(None)
    patience = struct.pack("ll", _SLOW, 0)
    page.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)

    def pass_on() -> None:
        with suppress(OSError):
            while piece := meshcat.recv(_PIECE):
                page.sendall(piece)
        # Wakes the thread that reads from the page.
        with suppress(OSError):
            page.shutdown(socket.SHUT_RDWR)

    forth = threading.Thread(target=pass_on, daemon=True)
    forth.start()
    try:
        with suppress(OSError, ValueError):
            _listen(said, meshcat)
    finally:
        with suppress(OSError):
            meshcat.shutdown(socket.SHUT_RDWR)
        forth.join()
        meshcat.close()


def _listen(said: BufferedIOBase, meshcat: socket.socket) -> None:
    """Reads from a page until it disconnects, and connects Meshcat with it.

    Raises:
        ValueError: what it says is no frame.
    """
    while True:
        head = _exactly(said, 2)
        kind, length = head[0] & 0x0F, head[1] & _LENGTH
        if not head[1] & _MASKED:
            raise ValueError("messages of a page are masked")
        if length > _MOST_CONTROL:
            length = int.from_bytes(_exactly(said, 2 if length == 126 else 8))
        if length > _MOST_MESSAGE or (kind >= _CLOSE and length > _MOST_CONTROL):
            raise ValueError("a message of a page is too long")
        mask = _exactly(said, 4)
        if kind == _CLOSE:
            return
        if kind == _PONG:
            words = _exactly(said, length)
            words = bytes(b ^ mask[i % 4] for i, b in enumerate(words))
            # Anew, with a mask that changes nothing.
            meshcat.sendall(
                bytes([_FINAL | _PONG, _MASKED | length, *bytes(4)]) + words
            )
            continue
        while length:
            length -= len(_exactly(said, min(length, _PIECE)))


def _exactly(said: BufferedIOBase, count: int) -> bytes:
    """So many bytes.

    Raises:
        ConnectionError: the page has gone.
    """
    found = said.read(count)
    if len(found) < count:
        raise ConnectionError
    return found
