"""What strangers on this machine, or pages in a browser on it, do to a server of ours.

Each attack is made in rounds. What is measured is the server, not a machine without a
core to spare; so there is a rest after every round.
"""

import base64
import os
import random
import socket
import struct
from collections.abc import Callable
from contextlib import suppress

HOST, DRAWING = "127.0.0.1", "/drawing"
EVIL = "http://evil.example"
# How long a stranger waits for an answer [s].
PATIENCE = 0.5
# Connections of one round, and those that are held half-open, more a round.
FLOOD, HALF_OPEN, MORE = 150, 150, 30
# Messages of one round.
MESSAGES = 200
COMMAND = '{"do": "seek", "value": 1}'
# Frames that end a process whose Meshcat reads them, and others that are none.
FRAMES = (b"\x82\x81\0\0\0\0\xc1", b"\x82\x81\0\0\0\0\x81", b"\x81\x81\0\0\0\0x")
FRAMES += (b"\x83\x80\0\0\0\0", b"\x82\xff" + b"\xff" * 8, b"\x82\x01x")


class Stranger:
    """Somebody who attacks a server.

    Attributes:
        port: of the server, on this machine.
        token: of the page; what an attack makes of it is its own affair.
        sent: attacks so far.
    """

    def __init__(self, port: int, token: str = "") -> None:
        """Attacks nothing yet; arguments as above."""
        self.port, self.token, self.sent = port, token, 0
        self._random = random.Random(1)
        self._held: list[socket.socket] = []

    def close(self) -> None:
        """Lets go of what is held."""
        for own in self._held:
            own.close()
        self._held.clear()

    def _say(self, *words: bytes, waits: bool = True) -> bytes:
        """What is answered to some words; nothing if they are not even heard."""
        self.sent += 1
        with suppress(OSError):
            place = (HOST, self.port)
            with socket.create_connection(place, PATIENCE) as own:
                for word in words:
                    own.sendall(word)
                return own.recv(4096) if waits else b""
        return b""

    def _ask(
        self, path: str, method: str = "GET", body: str = "", **more: str
    ) -> bytes:
        """A request, with headers of its own."""
        headers = {"Host": f"{HOST}:{self.port}"} | more
        if body:
            headers |= {"Content-Type": "application/json"}
            headers |= {"Content-Length": str(len(body))}
        lines = "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in headers.items())
        return f"{method} {path} HTTP/1.1\r\n{lines}\r\n{body}".encode()

    def greeting(self, **more: str) -> bytes:
        """The request of a page for the drawing."""
        usual = {"Upgrade": "websocket", "Connection": "Upgrade"}
        usual |= {"Origin": f"http://{HOST}:{self.port}"}
        usual |= {"Sec_WebSocket_Key": base64.b64encode(os.urandom(16)).decode()}
        usual |= {"Sec_WebSocket_Version": "13"} | more
        return self._ask(f"{DRAWING}?{self.token}", **usual)

    def another_origin(self) -> None:
        """A page of another site opens a WebSocket and sends commands."""
        for origin in (EVIL, "null", f"http://localhost:{self.port}"):
            self._say(self.greeting(Origin=origin), FRAMES[0])
            self._say(self._ask("/command", "POST", COMMAND, Origin=origin))

    def rebinding(self) -> None:
        """A name of another site has come to mean this machine."""
        for name in ("evil.example", f"evil.example:{self.port}", "127.0.0.1.evil.tk"):
            more = {"Host": name, "Origin": f"http://{name}"}
            self._say(self.greeting(**more), FRAMES[0])
            self._say(self._ask("/", **more))
            self._say(self._ask("/command", "POST", COMMAND, **more))

    def connections(self) -> None:
        """More connections than are served, all at once."""
        for _ in range(FLOOD):
            self.sent += 1
            with suppress(OSError):
                own = socket.create_connection((HOST, self.port), PATIENCE)
                self._held.append(own)
                own.sendall(b"GET / HTTP/1.1\r\n")
        self.close()

    def messages(self) -> None:
        """Commands of the page's own kind and frames of its own kind, without end."""
        for _ in range(MESSAGES // 10):
            self._say(self._ask("/command", "POST", COMMAND))
        frame = b"\x82\xff" + struct.pack(">Q", 900) + bytes(904)
        self._say(self.greeting(), *[frame] * MESSAGES)
        self._say(*[struct.pack("<I", 900) + bytes(900)] * MESSAGES)

    def garbage(self) -> None:
        """Bytes of any kind: at once, after a greeting, and as frames."""
        for size in (1, 7, 100, 5000, 60_000):
            noise = self._random.randbytes(size)
            self._say(noise)
            self._say(b"POST /command HTTP/1.1\r\n" + noise)
            self._say(struct.pack("<I", size) + noise)
        for frame in FRAMES:
            self._say(self.greeting(), frame, waits=False)
        for word in (b"GET " + b"a" * 70_000, b"GET / HTTP/1.1\r\n" + b"a:b\r\n" * 200):
            self._say(word)

    def half_open(self) -> None:
        """Connections that say nothing, or half of what they have to, and stay."""
        half = (b"", b"GET / HT", b"\x10", struct.pack("<I", 500) + b"x")
        with suppress(OSError):
            for k in range(MORE):
                own = socket.create_connection((HOST, self.port), PATIENCE)
                own.sendall(half[k % len(half)])
                self._held.append(own)
                self.sent += 1
        while len(self._held) > HALF_OPEN:
            self._held.pop(0).close()


Attack = Callable[[Stranger], None]
ATTACKS: dict[str, Attack] = {
    "other origin": Stranger.another_origin,
    "rebinding": Stranger.rebinding,
    "connections": Stranger.connections,
    "messages": Stranger.messages,
    "garbage": Stranger.garbage,
    "half-open": Stranger.half_open,
}
# Browsers say where a page is from in HTTP, which `backbeat serve` does not speak.
TO_CONTROLLERS = ("connections", "messages", "garbage", "half-open")
