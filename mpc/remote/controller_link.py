"""ControllerLink: the connection of a simulation to a controller process.

One request is sent at a time, and its answer awaited. Any error is a `Failure`, never
an exception: the connection is closed, as its next bytes are undefined, and a new one
is tried periodically. It opens without blocking: until the handshake is complete, every
request fails.
"""

import select
import socket
from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np

from backbeat.models.common.closing import Closing
from backbeat.models.common.errors import BackbeatError, clipped
from backbeat.models.common.processes.frames import FrameSocket, ProtocolError
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.handshake import read_schema
from backbeat.mpc.remote.messages import read, to_bytes
from backbeat.mpc.remote.schema import Schema, differences
from backbeat.mpc.safety.fail_safe import Cause, Failure

T = TypeVar("T")
# How long a controller may take to answer [s], to accept a connection [s], and, where
# a call blocks for that, to get ready: the first time ever it compiles code [s].
ANSWER, CONNECT, READY = 1.0, 0.2, 300.0
# Simulated time between attempts to connect again [s].
RETRY = 0.1


class ControllerLink(Closing):
    """A connection to a controller process, made anew when it breaks.

    Attributes:
        address: where the controller listens.
        sessions: number of starts of the controller.
    """

    def __init__(
        self,
        address: Address,
        schema: Schema,
        handshake: dict[str, Any],
        answer: float | None = None,
    ) -> None:
        """Prepares a connection; `open` makes it.

        Args:
            address: where the controller listens.
            schema: the order of our numbers.
            handshake: the first message.
            answer: longest that an answer may take [s]; None for `ANSWER`.
        """
        self.address, self.sessions = address, 0
        self._limit = ANSWER if answer is None else answer
        self._schema, self._handshake = schema, to_bytes(handshake)
        self._frames: FrameSocket | None = None
        self._welcomed, self._begun, self._why = False, False, ""
        self._retry_at = -np.inf

    def __enter__(self) -> Self:
        self.open()
        return self

    def open(self) -> None:
        """Connects and waits until the controller is ready.

        Raises:
            BackbeatError: no controller listens, gets ready in time, or accepts.
        """
        frames = self._connect()
        try:
            frames.send(self._handshake, CONNECT)
            self._finish_handshake(frames.receive(READY))
        except (OSError, ProtocolError) as error:
            self.close()
            raise BackbeatError(
                f"what listens at {self.address} is no controller of this Backbeat: "
                f"{error}"
            ) from None
        if not self._welcomed:
            self.close()
            raise BackbeatError(f"the controller at {self.address} {self._why}")

    def close(self) -> None:
        """Hangs up."""
        if self._frames is not None:
            self._frames.close()
        self._frames, self._welcomed, self._begun = None, False, False

    @property
    def has_begun(self) -> bool:
        """Whether the controller remembers anything since the connection was made."""
        return self._begun

    def _exchange(self, content: bytes) -> dict[str, object]:
        """Sends a message and waits for the answer."""
        assert self._frames is not None
        self._frames.send(content, self._limit)
        message = read(self._frames.receive(self._limit))
        if "error" in message:
            raise ProtocolError(f"it said: {clipped(message['error'])}")
        return message

    def _try(self, exchange: Callable[[], T], t: float) -> T | Failure:
        """The result of an exchange; hangs up when there is none."""
        try:
            return exchange()
        except TimeoutError as error:
            failure = Failure(Cause.SILENT, str(error))
        except ProtocolError as error:
            failure = Failure(Cause.GARBLED, str(error))
        except OSError as error:
            failure = Failure(Cause.LOST, _words(error))
        self.close()
        self._retry_at = t + RETRY
        return failure

    def _prepare(self, t: float) -> Failure | None:
        """Gets nearer to a connection without waiting; None when there is one."""
        if self._welcomed:
            return None
        if self._frames is None:
            # A simulation may have begun anew, and its time with it.
            if t < self._retry_at <= t + RETRY:
                return Failure(Cause.LOST, "not connected")
            self._retry_at = t + RETRY
            try:
                self._connect().send(self._handshake, CONNECT)
            except (OSError, BackbeatError) as error:
                self.close()
                return Failure(Cause.LOST, _words(error))
        assert self._frames is not None
        if not select.select([self._frames], [], [], 0.0)[0]:
            return Failure(Cause.SILENT, "the controller is getting ready")
        try:
            self._finish_handshake(self._frames.receive(self._limit))
        except (OSError, ProtocolError) as error:
            self._why = _words(error)
        if not self._welcomed:
            self.close()
            return Failure(Cause.LOST, f"the controller {self._why}")
        return None

    def _connect(self) -> FrameSocket:
        place = (self.address.host, self.address.port)
        try:
            own = socket.create_connection(place, CONNECT)
        except (OSError, UnicodeError) as error:
            raise BackbeatError(
                f"no controller answers at {self.address} ({_words(error)}); start "
                "`backbeat serve` and give the address that it prints"
            ) from None
        self._frames = FrameSocket(own)
        return self._frames

    def _finish_handshake(self, content: bytes) -> None:
        """Reads what the controller says to the greeting."""
        message = read(content)
        if "refused" in message:
            self._why = f"refuses: {clipped(message['refused'], 500)}"
            return
        found = differences(self._schema, read_schema(message))
        if found:
            raise ProtocolError("; ".join(found))
        self._welcomed = True


def _words(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return clipped(text)
