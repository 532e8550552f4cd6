"""What a page on the web can do to a show: nothing.

Browsers let any page open a WebSocket to any port of this machine, and say which page
it was. Meshcat reads whatever comes over one, and ends the process at what it cannot
read; it is therefore behind the server of our own page.
"""

import base64
import logging
import os
import socket
import struct
import time
from http.client import HTTPConnection

import pytest

from backbeat.stage.drawing.backdrop import place_of
from backbeat.stage.frames.frame import StageFrame
from backbeat.stage.live.server import DRAWING, MOST_CONNECTIONS
from backbeat.stage.live.show import LiveShow
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.web.commands import PLAYING
from tests.backbeat.performances import swaying

HOST = "127.0.0.1"


@pytest.fixture(scope="module")
def take():
    return PlannedSource(swaying(1.0))


@pytest.fixture(scope="module")
def show(take):
    show = LiveShow(take, None, PLAYING)
    yield show
    show.close()


def greet(show, token=None, port=None, **headers):
    """A connection that asks for the drawing, and what it is answered."""
    port = show.port if port is None else port
    token = show._server.token if token is None else token
    own = socket.create_connection((HOST, port), timeout=10)
    key = base64.b64encode(os.urandom(16)).decode()
    usual = {
        "Host": f"{HOST}:{port}",
        "Origin": f"http://{HOST}:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Version": "13",
    } | {k.replace("_", "-"): v for k, v in headers.items()}
    lines = [f"{k}: {v}\r\n" for k, v in usual.items() if v is not None]
    own.sendall(f"GET {DRAWING}?{token} HTTP/1.1\r\n{''.join(lines)}\r\n".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        piece = own.recv(1)
        if not piece:
            break
        answer += piece
    return own, answer.decode("latin-1")


def frame(kind, content=b"", masked=True):
    """A frame as a page sends it."""
    bit = 0x80 if masked else 0
    if len(content) < 126:
        head = bytes([0x80 | kind, bit | len(content)])
    else:
        head = bytes([0x80 | kind, bit | 127]) + struct.pack(">Q", len(content))
    return head + (bytes(4) if masked else b"") + content


def goes_on(show, take):
    """Whether the show is drawn, and a page of its own sees it."""
    for k in range(5):
        show.draw(take.frame_at(take.start + 0.02 * k), 1.0)
    own, answer = greet(show)
    try:
        return answer.startswith("HTTP/1.1 101") and len(own.recv(1000)) > 0
    finally:
        own.close()


def test_its_own_page_is_connected(show, take):
    assert goes_on(show, take)
    connection = HTTPConnection(HOST, show.port)
    connection.request("GET", "/")
    page = connection.getresponse().read().decode()
    connection.close()
    assert f'"{DRAWING}?{show._server.token}"' in page
    # Where Meshcat listens is told to nobody.
    assert place_of(show._stage.meshcat).host not in page


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": None},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Host": "127.0.0.1.evil.example:80"},
        {"Host": "[::1"},
        {"token": "wrong"},
        {"token": ""},
        {"token": "a" * 4000},
        {"Upgrade": "h2c"},
        {"Sec-WebSocket-Key": None},
        {"Sec-WebSocket-Key": "a" * 100},
    ],
    ids=str,
)
def test_other_pages_are_refused(show, take, headers):
    own, answer = greet(show, **headers)
    own.close()
    status = answer.split()[1]
    assert status in ("400", "403")
    assert goes_on(show, take)


GARBAGE = [
    # What ends a process that has a Meshcat, if it reaches that.
    frame(2, b"\xc1"),
    frame(2, b"\x81"),
    frame(2, b"\x00"),
    frame(1, b"x"),
    frame(2, b"\xff" * 1000),
    frame(2, b"\x81\xa4type\xa6button"),
    frame(2, b"\x82\xa4type\xabcamera_pose\xabcamera_pose\xc0"),
    frame(2, bytes(900_000)),
    frame(9, b"ping"),
    frame(10, b"pong" * 30),
    frame(10, b"pong" * 32),
    frame(3, b"?"),
    frame(15),
    frame(2, b"x", masked=False),
    b"\x82\xff" + b"\xff" * 8,
    b"\x82\xfe\x00\x01",
    b"\x00" * 50,
    os.urandom(5000),
]


@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
def test_whatever_a_page_says_reaches_no_meshcat(show, take, data):
    own, answer = greet(show)
    assert "101" in answer
    own.sendall(data)
    own.sendall(frame(8))
    time.sleep(0.05)
    own.close()
    assert goes_on(show, take)


def test_one_byte_to_any_known_port_ends_nothing(show, take):
    """What ended a show: a page that tries the ports where Meshcat used to be."""
    for port in (*range(7000, 7020), show.port):
        try:
            own, _ = greet(show, "", port, Origin="http://evil.example")
        except OSError:
            continue
        with own:
            own.sendall(frame(2, b"\xc1"))
    assert goes_on(show, take)


def test_a_flood_of_connections_passes(show, take):
    held = []
    for _ in range(2 * MOST_CONNECTIONS):
        own = socket.create_connection((HOST, show.port), timeout=10)
        own.sendall(b"GET / HTTP/1.1\r\n")
        held.append(own)
    for own in held:
        own.close()
    until = time.monotonic() + 20.0
    while time.monotonic() < until:
        try:
            if goes_on(show, take):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nobody is let in any more")


def test_a_show_goes_on_without_its_drawing(take, caplog, monkeypatch):
    show = LiveShow(take, None, PLAYING)

    def fail(canvas, frame: StageFrame):
        raise RuntimeError("Meshcat's websocket thread exited")

    monkeypatch.setattr(show._stage, "draw", fail)
    with caplog.at_level(logging.WARNING):
        for k in range(3):
            show.draw(take.frame_at(0.1 * k), 1.0)
    (record,) = caplog.records
    assert "the drawing has ended" in record.getMessage()
    assert show._state["time"] == pytest.approx(0.2)
    assert not show.is_watched
    monkeypatch.undo()
    show.close()
