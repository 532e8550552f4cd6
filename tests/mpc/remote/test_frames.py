"""Frames come out as they went in, and nothing else does any harm."""

import itertools
import socket
import struct
import threading
import time
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.models.common.processes.frames import (
    MOST,
    FrameReader,
    FrameSocket,
    ProtocolError,
    frame,
)

LONGEST = 50


def pieces(data, cuts):
    """The data cut at some places."""
    places = sorted({0, len(data), *(c % (len(data) + 1) for c in cuts)})
    return [data[a:b] for a, b in itertools.pairwise(places)]


@given(
    st.lists(st.binary(min_size=1, max_size=300), max_size=8),
    st.lists(st.integers(0, 10**6), max_size=30),
)
def test_frames_arrive_however_they_are_cut(contents, cuts):
    reader, found = FrameReader(), []
    for piece in pieces(b"".join(map(frame, contents)), cuts):
        content = reader.take(piece)
        while content is not None:
            found.append(content)
            content = reader.next()
    assert found == contents


@pytest.mark.parametrize("content", [b"", bytes(MOST + 1)])
def test_nothing_and_too_much_are_not_sent(content):
    with pytest.raises(ProtocolError, match="bytes"):
        frame(content)


@pytest.fixture
def ends():
    """Two connected sockets, one of them with frames."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        near = socket.create_connection(door.getsockname())
        far, _ = door.accept()
    with closing(near), closing(far):
        yield FrameSocket(near), far


def test_a_message_that_does_not_come_is_not_waited_for(ends):
    near, _ = ends
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        near.receive(0.05)
    assert 0.04 < time.monotonic() - began < 2.0


def test_a_trickle_does_not_prolong_the_time(ends):
    near, far = ends
    done = threading.Event()

    def trickle():
        far.sendall(struct.pack("<I", 1000))
        while not done.wait(0.01):
            far.sendall(b"x")

    thread = threading.Thread(target=trickle)
    thread.start()
    try:
        with pytest.raises(TimeoutError):
            near.receive(0.1)
    finally:
        done.set()
        thread.join()


def test_somebody_who_does_not_read_is_not_waited_for(ends):
    near, _ = ends

    def fill():
        for _ in range(50):
            near.send(bytes(MOST), 0.05)

    with pytest.raises(TimeoutError, match="does not read"):
        fill()


def test_the_other_end_going_away_is_seen(ends):
    near, far = ends
    far.sendall(frame(b"whole") + frame(b"cut off")[:-2])
    far.close()
    assert near.receive(1.0) == b"whole"
    with pytest.raises(ConnectionError, match="closed"):
        near.receive(1.0)
