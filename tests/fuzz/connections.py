"""What comes over a connection: frames, messages of controllers, commands of a page."""

import contextlib
import io
import socket
import struct
import threading
from functools import cache
from pathlib import Path

import msgpack
import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes.frames import (
    FrameReader,
    FrameSocket,
    ProtocolError,
    frame,
)
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.predictive.settings import PlanSettings, TempoRamp
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.contents import (
    ControlSettings,
    Record,
    read_record,
    record_message,
)
from backbeat.mpc.remote.exchange import (
    NUM_TASK,
    Answer,
    Request,
    answer_message,
    read_answer,
    read_request,
    request_message,
)
from backbeat.mpc.remote.handshake import Handshake, handshake_message, read_handshake
from backbeat.mpc.remote.messages import read
from backbeat.mpc.remote.schema import Schema
from backbeat.mpc.safety.fail_safe import Safety
from backbeat.mpc.serving.server import ControllerServer
from backbeat.mpc.task_space.settings import TaskSettings
from backbeat.stage.live.show import LiveShow
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.web.commands import PLAYING, read_command
from backbeat.stage.web.panel import SIMULATING
from tests.backbeat.performances import swaying
from tests.fuzz.noise import (
    HOSTILE,
    HOSTILE_JSON,
    damaged,
    edited,
    json_like,
    mostly,
    values,
)
from tests.fuzz.reader import Reader
from tests.mpc.remote.peer import PLAN

LONGEST = 50
# How long a test waits for a server of ours [s].
WAIT = 20.0
HAND = HandOffset("left hand", 1 / 3, (0.0, 0.0, 0.1), (0.1, -0.2, 1 / 7))
ASKED = ControlSettings(
    PlanSettings(beat_priority=1 / 3, tempo=TempoRamp(0.1)), (HAND,), 0.002
)
SCHEMA = Schema(1, "two", "abc", ("q.a", "q.b"), ("v.a", "v.b"), ("foot",), ("a", "b"))
HELLO = handshake_message(
    Handshake(SCHEMA, "stand", "def", {"behavior": "stand", "lead_in": 0.5})
)
QUESTION = request_message(Request(1, 0.1, True, np.arange(4.0), np.ones(1), ASKED))
ANSWER = answer_message(3, Answer(np.arange(12.0), np.zeros(2), False))
RECORD = record_message(Record(PLAN, Safety(), Safety()))
TASK = ControlSettings(PlanSettings(), (), 0.0, TaskSettings(period=0.002))
TASK_QUESTION = request_message(
    Request(1, 0.1, True, np.arange(4.0), np.ones(1), TASK, np.ones(NUM_TASK))
)
KEYS = sorted({*HELLO, *QUESTION, *ANSWER, *RECORD})


def _read_frames(path: Path) -> None:
    """What comes out is what a reading by hand of the same bytes gives."""
    data = path.read_bytes()
    expected, wrong, rest = list[bytes](), False, data
    while len(rest) >= 4 and not wrong:
        (size,) = struct.unpack("<I", rest[:4])
        wrong = not 0 < size <= LONGEST
        if wrong or len(rest) < 4 + size:
            break
        expected.append(rest[4 : 4 + size])
        rest = rest[4 + size :]
    for step in (1, 7, max(len(data), 1)):
        reader, found = FrameReader(LONGEST), list[bytes]()
        try:
            for start in range(0, min(len(data), 5000), step):
                reader.feed(data[start : start + step])
                while (content := reader.next()) is not None:
                    found.append(content)
        except ProtocolError:
            assert wrong
        assert found == expected[: len(found)]
        assert len(found) == len(expected) or len(data) > 5000
    if wrong:
        raise ProtocolError("refused, as it should be")


def _read_hello(path: Path) -> None:
    handshake = read_handshake(read(path.read_bytes()))
    assert all(isinstance(name, str) for name in handshake.schema.joints)


def _read_question(path: Path) -> None:
    request = read_request(read(path.read_bytes()), 4, 1)
    assert (len(request.x), len(request.force)) == (4, 1)
    assert np.isfinite(request.time)


def _read_answer(path: Path) -> None:
    answer = read_answer(read(path.read_bytes()), 3, 6, 2)
    assert np.isfinite([*answer.command, *answer.acceleration]).all()


def _read_task_question(path: Path) -> None:
    request = read_request(read(path.read_bytes()), 4, 1, True)
    assert np.isfinite([*request.x, *request.task]).all()
    task = request.changes.task if request.changes else None
    assert task is None or np.isfinite([*task.target, task.period]).all()


def _read_record(path: Path) -> None:
    record = read_record(read(path.read_bytes()))
    assert isinstance(record.tick_safety, Safety)


def _packed(*wholes: dict[str, object]) -> SearchStrategy[bytes]:
    """Messages as msgpack: edited, damaged, or nothing like them."""
    anything = values(KEYS).map(_fitting)
    others = st.one_of(
        damaged(*map(msgpack.packb, wholes)),
        anything.map(msgpack.packb),
        st.binary(max_size=200),
    )
    return mostly(
        edited(*wholes, words=KEYS).map(_fitting).map(msgpack.packb), others, 2
    )


def _fitting(tree: object) -> object:
    """Integers that msgpack has; a peer cannot send larger ones."""
    if isinstance(tree, dict):
        return {key: _fitting(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_fitting(value) for value in tree]
    return tree % 2**60 if isinstance(tree, int) and abs(tree) > 2**60 else tree


COMMANDS = PLAYING | SIMULATING
SAID = [
    {"do": "seek", "value": 2.5},
    {"do": "play", "value": True},
    {"do": "set", "value": {"name": "timing", "to": 0.5}},
    {"do": "push", "value": {"body": "pelvis", "impulse": [1.0, 0.0, 0.0]}},
    {"do": "mode", "value": "planned"},
    {"do": "reset"},
]


def _read_command(path: Path) -> None:
    assert read_command(path.read_bytes(), COMMANDS).name in COMMANDS


@cache
def _show() -> LiveShow:
    """A live page, served until the tests end."""
    return LiveShow(PlannedSource(swaying(1.0)), None, PLAYING, is_both=True)


@cache
def _controller() -> ControllerServer:
    """A server of controllers that has no behavior, until the tests end."""

    def find(name: str, robot: str) -> None:
        raise BackbeatError(f"there is no behavior {name[:40]!r}")

    server = ControllerServer(find, "", Address(port=0), lambda remark: None)
    threading.Thread(target=server.serve, daemon=True).start()
    return server


def _said(port: int, data: bytes) -> bytes:
    """All that a server says to some bytes, until it hangs up."""
    with socket.create_connection(("127.0.0.1", port), WAIT) as own:
        answer = b""
        # Who is refused early is hung up on while still sending.
        with contextlib.suppress(OSError):
            own.sendall(data)
            own.shutdown(socket.SHUT_WR)
            while piece := own.recv(1 << 16):
                answer += piece
        return answer


def _read_request(path: Path) -> None:
    """No fault of ours, no page of errors, and the next one is served."""
    port, complaints = _show().port, io.StringIO()
    with contextlib.redirect_stderr(complaints):
        answer = _said(port, path.read_bytes())
        again = b"GET /info HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        assert _said(port, again).startswith(b"HTTP/1.1 200")
    assert complaints.getvalue() == ""
    status = answer[9:12] if answer.startswith(b"HTTP/1.") else b""
    assert status != b"500"
    _show().commands()
    if status != b"200":
        raise BackbeatError(f"answered {status!r}")


def _read_greeting(path: Path) -> None:
    """Whoever says anything is refused in words, and so is the next one."""
    assert "\n" not in _refused(path.read_bytes())
    assert "stand" in _refused(frame(msgpack.packb(HELLO)))
    raise BackbeatError("refused, as it should be")


def _refused(data: bytes) -> str:
    """What the server of controllers says to some bytes, and nothing after them."""
    port = _controller().address.port
    with socket.create_connection(("127.0.0.1", port), WAIT) as own:
        with contextlib.suppress(ConnectionError):
            own.sendall(data)
            own.shutdown(socket.SHUT_WR)
        said = read(FrameSocket(own).receive(WAIT))["refused"]
        assert isinstance(said, str)
        return said


REQUEST = (
    b"POST /command HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b'Content-Length: 29\r\n\r\n{"do": "play", "value": true}'
)
GET = b"GET /state HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n"
PATHS = st.text(st.characters(max_codepoint=255), max_size=20).map(
    lambda path: GET.replace(b"state", path.encode("latin-1"))
)
FRAMES = st.lists(st.binary(max_size=40), max_size=20).map(b"".join) | st.lists(
    st.binary(min_size=1, max_size=LONGEST), max_size=5
).map(lambda contents: b"".join(map(frame, contents)))
HOSTILE_MESSAGE = HOSTILE | {
    "deep lists": b"\x91" * 1_000_000,
    "deep maps": b"\x81\xa1a" * 100_000,
    "a list beyond all": b"\xdd\xff\xff\xff\xff",
    "a map beyond all": b"\xdf\xff\xff\xff\xff",
    "bytes beyond all": b"\xc6\xff\xff\xff\xff",
    "an extension": b"\xc7\x04\x2aabcd",
    "a time": b"\xd6\xff\x00\x00\x00\x00",
    "numbers as keys": msgpack.packb({1: 2, 3.5: 4}),
}

READERS = (
    Reader("frames", _read_frames, FRAMES, "frames.bin", HOSTILE, count=80),
    Reader("greeting", _read_hello, _packed(HELLO), "hello.bin", HOSTILE_MESSAGE),
    Reader(
        "question", _read_question, _packed(QUESTION), "question.bin", HOSTILE_MESSAGE
    ),
    Reader("answer", _read_answer, _packed(ANSWER), "answer.bin", HOSTILE_MESSAGE),
    Reader(
        "question in task space",
        _read_task_question,
        _packed(TASK_QUESTION),
        "task_question.bin",
        HOSTILE_MESSAGE,
    ),
    Reader(
        "record",
        _read_record,
        _packed(RECORD)
        | damaged(RECORD["record"]).map(lambda data: msgpack.packb({"record": data})),
        "record.bin",
        HOSTILE_MESSAGE,
        count=100,
    ),
    Reader(
        "controller's door",
        _read_greeting,
        damaged(frame(msgpack.packb(HELLO)))
        | _packed(HELLO).map(lambda content: frame(content or b"x")),
        "door.bin",
        {},
        count=30,
        always_refuses=True,
    ),
    Reader(
        "command",
        _read_command,
        json_like(*SAID, words=list(COMMANDS)),
        "command.json",
        HOSTILE_JSON,
        count=100,
    ),
    Reader(
        "request",
        _read_request,
        damaged(REQUEST, GET) | PATHS,
        "request.txt",
        HOSTILE,
        count=60,
    ),
)
