"""Survey of the bytes of a MIDI file before a library reads it.

"Standard MIDI Files 1.0" (MIDI Manufacturers Association, 1996) has numbers of at most
four bytes; longer ones would take too long to read.
"""

from backbeat.models.common.bounds import MIDI_EVENTS

_META, _SYSEX = 0xFF, (0xF0, 0xF7)
# Data bytes after a status byte, by its upper half and, where that is 0xF, as a whole.
_LENGTHS = {0x8: 2, 0x9: 2, 0xA: 2, 0xB: 2, 0xC: 1, 0xD: 1, 0xE: 2}
_SYSTEM = {0xF1: 1, 0xF2: 2, 0xF3: 1, 0xF6: 0, 0xF8: 0, 0xFA: 0, 0xFB: 0, 0xFC: 0}
_SYSTEM |= {0xFE: 0}
_MOST_BYTES = 4


def survey(data: bytes) -> None:
    """Goes through all events of a file.

    Raises:
        EOFError: it is cut off.
        ValueError: it is no MIDI file, or has more events than any.
    """
    found = _Bytes(data)
    if found.take(4) != b"MThd":
        raise ValueError("it does not begin with MThd")
    head = found.take(int.from_bytes(found.take(4)))
    if len(head) < 6:
        raise EOFError
    events = 0
    for _ in range(int.from_bytes(head[2:4], signed=True)):
        if found.take(4) != b"MTrk":
            raise ValueError("a track does not begin with MTrk")
        size = int.from_bytes(found.take(4))
        end, status = found.at + size, 0
        while found.at != end:
            status = _event(found, status)
            events += 1
            if events > MIDI_EVENTS:
                raise ValueError(f"it has more than {MIDI_EVENTS} events")


class _Bytes:
    """Bytes that are taken one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        """So many bytes."""
        if count > len(self.data) - self.at:
            raise EOFError
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self) -> int:
        """A number that says itself how long it is."""
        value = 0
        for _ in range(_MOST_BYTES):
            byte = self.take(1)[0]
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value
        raise ValueError(f"a number has more than {_MOST_BYTES} bytes")


def _event(found: _Bytes, status: int) -> int:
    """Passes over an event; the status that goes on for the next."""
    found.number()
    first = found.take(1)[0]
    taken = 0
    if first < 0x80:
        if not status:
            raise ValueError("a message has no status")
        first, taken = status, 1
    elif first != _META:
        status = first
    if first == _META:
        found.take(1)
        found.take(found.number())
    elif first in _SYSEX:
        found.take(found.number())
    else:
        length = _SYSTEM.get(first, _LENGTHS.get(first >> 4))
        if length is None:
            raise ValueError(f"0x{first:02x} is no status")
        found.take(max(length - taken, 0))
    return status
