"""Messages: what both ends send, as msgpack maps; everything received is validated.

    to the controller                      from it
    {schema, behavior, motion,             {schema} or {refused: a sentence}
     scenario, weights}
    {n, t, sensed, start, changes}         {n, joints, fallen}
    {record: n}                            {record: bytes}
                                           {error: a sentence}, the last one

Numbers are bytes of doubles, little-endian, in the order of the schema, so that they
arrive bit for bit: `sensed` is positions, velocities and soles, `joints` the blocks of
the command and then the accelerations that it makes. `start` and `changes` are there
when they change; `changes` and `record` are messages of
`backbeat.mpc.predictive.plan_message`.
"""

import threading
from typing import Any

import msgpack
import numpy as np

from backbeat.models.common.errors import gist
from backbeat.models.common.processes.frames import ProtocolError


class _Packers(threading.local):
    """A packer for each thread: making one takes longer than packing."""

    def __init__(self) -> None:
        self.own = msgpack.Packer()


_PACKERS = _Packers()
_DOUBLE = np.dtype("<f8")


def to_bytes(message: dict[str, Any]) -> bytes:
    """A message as bytes."""
    content: bytes = _PACKERS.own.pack(message)
    return content


def read(content: bytes) -> dict[str, Any]:
    """A message from bytes.

    Raises:
        ProtocolError: it is not a map.
    """
    try:
        message = msgpack.unpackb(content)
    except (ValueError, RecursionError) as error:
        why = gist(error, 100)
        raise ProtocolError(f"not a message: {why}") from None
    if not isinstance(message, dict):
        raise ProtocolError("not a message: no map")
    return message


def vector(message: dict[str, Any], key: str, size: int) -> np.ndarray:
    """(size,) numbers of a message, read-only.

    Raises:
        ProtocolError: they are not there, or not so many.
    """
    value = message.get(key)
    if not isinstance(value, bytes) or len(value) != 8 * size:
        raise ProtocolError(f"{key!r} should be {size} doubles")
    return np.frombuffer(value, _DOUBLE)


def value(message: dict[str, Any], key: str, kind: type) -> Any:
    """A value of a message that is of the kind it should be.

    Raises:
        ProtocolError: it is not.
    """
    found = message.get(key)
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise ProtocolError(f"{key!r} should be a {kind.__name__}")
    return found
