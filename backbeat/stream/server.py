"""JointStream: sends samples to whatever reads them, and waits for none of it.

Readers connect to a port of this machine. What is published goes into a queue of each;
a thread sends as much as each takes. The queue of a reader that is too slow loses its
oldest samples, which are counted and told to it.
"""

import contextlib
import math
import selectors
import socket
import threading
import time
from collections import deque

from backbeat.models.common.closing import Closing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.world.joint_sample import JointSample, Listener
from backbeat.stream.wire import (
    StreamSettings,
    encoder,
    header,
    sample_message,
)

HOST = "127.0.0.1"
# Readers at a time; a further one is hung up on.
MOST_READERS = 16
# Samples that wait for a reader: those of this time [s], and at least so many.
BACKLOG, LEAST_BACKLOG = 1.0, 32
# Bytes that the system keeps for a reader besides: enough for a sample or two, so that
# what a slow reader gets is of now.
KEPT = 1 << 14
# How long the last samples may take when the stream ends [s].
LAST = 1.0
# Room for rounding in numbers of samples.
ROUNDING = 1e-6


class _Reader:
    """A connection and what waits for it."""

    def __init__(self, own: socket.socket, backlog: int) -> None:
        own.setblocking(False)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KEPT)
        self.socket, self._backlog = own, backlog
        # What is under way must be sent whole; news comes before samples.
        self._rest = b""
        self._news: deque[bytes] = deque()
        self._samples: deque[bytes] = deque()
        self.dropped = self._told = 0

    @property
    def waits(self) -> bool:
        """Whether there is something to send."""
        return bool(self._rest or self._news or self._samples)

    def tell(self, message: bytes) -> None:
        """Queues what is not a sample: nothing of before comes after it."""
        self._news.extend(self._samples)
        self._samples.clear()
        self._news.append(message)

    def offer(self, sample: bytes) -> None:
        """Queues a sample, in place of the oldest if there are too many."""
        if len(self._samples) + len(self._news) >= self._backlog:
            self.dropped += 1
            if not self._samples:
                return
            self._samples.popleft()
        self._samples.append(sample)

    def send(self, dropped: bytes) -> None:
        """Sends what it takes; `dropped` counts losses.

        Raises:
            OSError: it is gone.
        """
        while self.waits:
            if not self._rest:
                self._rest = self._next(dropped)
            try:
                sent = self.socket.send(self._rest)
            except BlockingIOError:
                return
            self._rest = self._rest[sent:]

    def _next(self, dropped: bytes) -> bytes:
        if self._news:
            return self._news.popleft()
        if self._told != self.dropped:
            self._told = self.dropped
            return dropped
        return self._samples.popleft()


class JointStream(Closing):
    """Joint states of a robot on a port of this machine.

    Attributes:
        port: where it is served.
        published: samples so far, whether anything read them or not.
        dropped: samples that readers were too slow for, of all readers together.
    """

    def __init__(self, settings: StreamSettings) -> None:
        """Begins to listen; readers wait for `describe`.

        Raises:
            BackbeatError: the port is taken, or the settings make no sense.
        """
        self._settings = settings.check()
        self._encode = encoder(settings.form)
        try:
            self._door = socket.create_server((HOST, settings.port))
        except (OSError, OverflowError):
            raise BackbeatError(
                f"port {settings.port} of {HOST} is taken; choose another one for "
                "--stream, or 0 for any that is free"
            ) from None
        self.port = int(self._door.getsockname()[1])
        self.published, self._gone = 0, 0
        self._last: int | None = None
        self._robot: RobotModel | None = None
        self._header = b""
        self._readers: list[_Reader] = []
        self._lock, self._is_closed = threading.Lock(), False
        self._door.setblocking(False)
        self._bell, self._ear = socket.socketpair()
        self._bell.setblocking(False)
        self._ear.setblocking(False)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def where(self) -> str:
        """In words, for the console."""
        settings = self._settings
        return (
            f"Joint states at {HOST}:{self.port} ({settings.form}, "
            f"{settings.rate:g} a second)"
        )

    @property
    def dropped(self) -> int:
        """See the class."""
        with self._lock:
            return self._gone + sum(reader.dropped for reader in self._readers)

    @property
    def readers(self) -> int:
        """How many read now."""
        return len(self._readers)

    def describe(self, robot: RobotModel, name: str, source: str) -> None:
        """Says what follows; see `wire.header`."""
        self._robot, self._last = robot, None
        message = header(robot, name, source, self._settings.rate)
        with self._lock:
            self._header = self._encode(message)
            for reader in self._readers:
                reader.tell(self._header)
        self._ring()

    @property
    def listener(self) -> Listener:
        """The listener to which a simulated loop gives its samples."""
        return Listener(self.is_due, self.publish)

    def is_due(self, t: float) -> bool:
        """Whether a sample at time t [s] would be sent."""
        return self._number(t) != self._last

    def due(self, start: float, end: float) -> list[float]:
        """Times from `start` to `end` at which samples are due [s]."""
        first, last = self._number(start), self._number(end)
        grid = [k / self._settings.rate for k in range(first + 1, last + 1)]
        return [start, *grid] if first != self._last else grid

    def publish(self, sample: JointSample) -> None:
        """Sends a sample, unless one of the same period was sent before.

        Before `describe` nothing is sent.
        """
        if self._robot is None or not self.is_due(sample.t):
            return
        self._last = self._number(sample.t)
        self.published += 1
        if not self._readers:
            return
        joints = self._robot.num_joints
        text = self._encode(sample_message(self.published, sample, joints))
        with self._lock:
            for reader in self._readers:
                reader.offer(text)
        self._ring()

    def close(self) -> None:
        """Tells readers that it is over, and hangs up."""
        if self._is_closed:
            return
        until = time.monotonic() + LAST
        with self._lock:
            for reader in self._readers:
                total = {"end": True, "published": self.published}
                reader.tell(self._encode(total | {"dropped": reader.dropped}))
        while time.monotonic() < until and any(r.waits for r in list(self._readers)):
            self._ring()
            time.sleep(0.005)
        self._is_closed = True
        self._ring()
        self._thread.join()
        for reader in self._readers:
            reader.socket.close()
        for end in (self._door, self._bell, self._ear):
            end.close()

    def _number(self, t: float) -> int:
        """Number of the period that a time lies in."""
        return math.floor(t * self._settings.rate + ROUNDING)

    def _ring(self) -> None:
        """Wakes the thread that sends; a bell that is ringing already is enough."""
        with contextlib.suppress(BlockingIOError):
            self._bell.send(b"\0")

    # --- the thread that sends ---------------------------------------------------

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._door, selectors.EVENT_READ)
            selector.register(self._ear, selectors.EVENT_READ)
            while not self._is_closed:
                for key, _ in selector.select(0.5):
                    if key.fileobj is self._door:
                        self._welcome(selector)
                    elif key.fileobj is self._ear:
                        with contextlib.suppress(BlockingIOError):
                            self._ear.recv(4096)
                    elif self._has_left(key.data):
                        self._forget(key.data, selector)
                self._send(selector)

    def _welcome(self, selector: selectors.BaseSelector) -> None:
        try:
            own, _ = self._door.accept()
        except OSError:
            return
        if len(self._readers) >= MOST_READERS:
            own.close()
            return
        backlog = max(LEAST_BACKLOG, round(BACKLOG * self._settings.rate))
        with self._lock:
            reader = _Reader(own, backlog)
            if self._header:
                reader.tell(self._header)
            self._readers.append(reader)
        selector.register(own, selectors.EVENT_READ, reader)

    def _has_left(self, reader: _Reader) -> bool:
        """Whether a reader has hung up; what it says is not looked at."""
        try:
            return not reader.socket.recv(4096)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _send(self, selector: selectors.BaseSelector) -> None:
        for reader in list(self._readers):
            dropped = self._encode({"dropped": reader.dropped})
            try:
                with self._lock:
                    reader.send(dropped)
                events = selectors.EVENT_READ
                if reader.waits:
                    events |= selectors.EVENT_WRITE
                selector.modify(reader.socket, events, reader)
            except OSError:
                self._forget(reader, selector)

    def _forget(self, reader: _Reader, selector: selectors.BaseSelector) -> None:
        if reader not in self._readers:
            return
        selector.unregister(reader.socket)
        reader.socket.close()
        with self._lock:
            self._readers.remove(reader)
            self._gone += reader.dropped
