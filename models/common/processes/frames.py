"""Frames: messages of known length on a stream of bytes, whatever pieces it comes in.

A frame is the length of its content as four bytes, little-endian, and the content.
None is longer than `MOST`, so that a wrong length cannot fill the memory; and each is
there within a stated time of its first byte, or the other end is given up.
"""

import math
import socket
import struct
import time

# Most bytes of one content.
MOST = 1 << 20
_LENGTH = struct.Struct("<I")
_CHUNK = 1 << 13
# Format of a time limit for the kernel: seconds and microseconds.
_TIME = struct.Struct("@ll")


class ProtocolError(Exception):
    """What came over the wire makes no sense; the message says why."""


class FrameReader:
    """Puts pieces of a stream together to frames; is independent of sockets."""

    def __init__(self, most: int = MOST) -> None:
        """Makes a reader that has read nothing.

        Args:
            most: bytes of the longest content.
        """
        self._most, self._buffer = most, bytearray()

    def feed(self, data: bytes) -> None:
        """Takes the next bytes of the stream."""
        self._buffer += data

    def take(self, data: bytes) -> bytes | None:
        """`feed` and `next` in one; quick where the data is one whole frame."""
        size = len(data) - _LENGTH.size
        is_alone = not self._buffer and 0 < size <= self._most
        if is_alone and _LENGTH.unpack_from(data)[0] == size:
            return data[_LENGTH.size :]
        self.feed(data)
        return self.next()

    def next(self) -> bytes | None:
        """The next whole content; None when more bytes are needed.

        Raises:
            ProtocolError: the stream announces none, or one that is too long.
        """
        buffer = self._buffer
        if len(buffer) < _LENGTH.size:
            return None
        (size,) = _LENGTH.unpack_from(buffer)
        if not 0 < size <= self._most:
            raise ProtocolError(
                f"a frame of {size} bytes was announced, where 1 to {self._most} go"
            )
        end = _LENGTH.size + size
        if len(buffer) < end:
            return None
        content = bytes(memoryview(buffer)[_LENGTH.size : end])
        del buffer[:end]
        return content


def frame(content: bytes, most: int = MOST) -> bytes:
    """The frame of a content of at most so many bytes."""
    if not 0 < len(content) <= most:
        raise ProtocolError(f"a message has {len(content)} bytes, at most {most} go")
    return _LENGTH.pack(len(content)) + content


class FrameSocket:
    """Frames over a connected socket, within time limits."""

    def __init__(self, own: socket.socket) -> None:
        """Takes over a connected socket."""
        own.setblocking(True)
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket, self._reader, self._limit = own, FrameReader(), 0.0

    def fileno(self) -> int:
        """For `select`."""
        return self._socket.fileno()

    def send(self, content: bytes, seconds: float) -> None:
        """Sends a message.

        Raises:
            TimeoutError: the other end does not read.
            OSError: it is gone.
        """
        if seconds != self._limit:
            self._set_limit(seconds)
        try:
            self._socket.sendall(frame(content))
        except BlockingIOError:
            raise TimeoutError("the other end does not read") from None

    def waiting(self) -> bytes | None:
        """A message that has already been received whole; see `FrameReader.next`."""
        return self._reader.next()

    def receive(self, seconds: float) -> bytes:
        """Waits for a message.

        As long for the first byte, and again from the first to the last.

        Raises:
            TimeoutError: it is not there in time.
            ProtocolError: what comes is no frame.
            OSError: the other end is gone.
        """
        if seconds != self._limit:
            self._set_limit(seconds)
        until, content = math.inf, self._reader.next()
        while content is None:
            try:
                data = self._socket.recv(_CHUNK)
            except BlockingIOError:
                raise TimeoutError(f"no message within {seconds:g} s") from None
            if not data:
                raise ConnectionError("the other end has closed the connection")
            content = self._reader.take(data)
            if content is None:
                now = time.monotonic()
                until = min(until, now + seconds)
                if now > until:
                    raise TimeoutError(f"no whole message within {seconds:g} s")
        return content

    def close(self) -> None:
        """Closes the connection."""
        self._socket.close()

    def _set_limit(self, seconds: float) -> None:
        """The kernel keeps time, which spares a system call at every message."""
        whole = int(seconds)
        limit = _TIME.pack(whole, max(1, int((seconds - whole) * 1e6)))
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self._socket.setsockopt(socket.SOL_SOCKET, option, limit)
        self._limit = seconds
