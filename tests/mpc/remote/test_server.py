"""A server lives on whatever comes to it, and refuses in words."""

import gc
import socket
import threading
import time
from contextlib import suppress
from dataclasses import asdict, replace

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes.frames import FrameSocket
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.remote.address import Address, read_address
from backbeat.mpc.remote.contents import ControlSettings, read_record
from backbeat.mpc.remote.exchange import Answer, Request, request_message
from backbeat.mpc.remote.handshake import Handshake, handshake_message, plain
from backbeat.mpc.remote.link import RemoteLink, motion_fingerprint
from backbeat.mpc.remote.messages import read, to_bytes
from backbeat.mpc.remote.schema import make_schema
from backbeat.mpc.safety.fail_safe import Cause, Mode
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.serving import server as server_module
from backbeat.mpc.serving.server import ControllerServer
from backbeat.mpc.serving.session import ControllerSession

SCENARIO = Scenario.of(behavior="stand")


@pytest.fixture(scope="module")
def remarks():
    return []


@pytest.fixture(scope="module")
def server(reference, remarks):
    """A server in a thread of its own."""

    def find(name, robot):
        assert name == "stand"
        return reference.behavior

    with ControllerServer(find, "stand", Address(port=0), remarks.append) as running:
        stop = threading.Event()
        thread = threading.Thread(target=running.serve, args=[stop.is_set])
        thread.start()
        yield running
        stop.set()
        thread.join()


@pytest.fixture
def handshake(reference):
    return Handshake(
        make_schema(reference.robot),
        "stand",
        motion_fingerprint(reference.behavior),
        plain(SCENARIO.to_dict()),
    )


@pytest.fixture
def connect(server):
    """`connect()` is a connection on which nothing was said yet."""
    made = []

    def make():
        made.append(
            socket.create_connection((server.address.host, server.address.port))
        )
        return made[-1]

    yield make
    for own in made:
        own.close()


def ask(own, content):
    """What the server says to some content."""
    frames = FrameSocket(own)
    frames.send(content, 1.0)
    return read(frames.receive(30.0))


def request(reference, number=0, t=0.0, start=True):
    x = np.r_[reference.table.q[0], reference.table.v[0]]
    asked = ControlSettings(PlanSettings(), (), 0.0)
    return Request(number, t, start, x, np.full(2, 800.0), asked)


def opened(link):
    """The link, as soon as whoever was there before is found to be gone."""
    until = time.monotonic() + 5.0
    while time.monotonic() < until:
        with suppress(BackbeatError):
            link.open()
            return link
    raise AssertionError("the server lets nobody in")


def assert_serves(server, reference):
    """Somebody else is served as if nothing had been."""
    link = opened(RemoteLink(server.address, reference.behavior, SCENARIO))
    ask = request(reference)
    found = link.ask(0, 0.0, True, ask.x, ask.force, ask.changes, ask.task)
    link.close()
    assert isinstance(found, Answer)
    assert found.command.any()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"behavior": "groove"}, "it serves 'stand', not 'groove'"),
        ({"motion": "0"}, "the behavior 'stand' is another one here"),
        ({"scenario": {"tick_perod": 1.0}}, "did you mean tick_period"),
        (
            {"scenario": {"behavior": "stand", "tick_period": -1.0}},
            "must be from 0.0001",
        ),
        (
            {"scenario": {"behavior": "stand", "tick_period": 0.003}},
            "multiple of tick_period",
        ),
        ({"weights": {"comm": 1.0}}, "unknown key of predictive in the weights"),
        ({"weights": {"knots": 10**9}}, "knots is from 4 to 200"),
        ({"weights": {"com": -1.0}}, "with numbers from 0"),
        ({"weights": {"reach": [0.1]}}, "max_step_length is"),
        ({"scenario": {"behavior": "stand", "tick_period": 1e-9}}, "tick_period is"),
        ({"scenario": {"behavior": "stand", "plan_period": 1e9}}, "plan_period is"),
        ({"scenario": {"behavior": "stand", "lead_in": 1e300}}, "lead_in is"),
    ],
)
def test_a_greeting_that_asks_for_something_else(
    server, connect, handshake, reference, change, sentence
):
    message = ask(connect(), to_bytes(handshake_message(replace(handshake, **change))))
    assert sentence in message["refused"]
    assert_serves(server, reference)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 99}, "messages have version 99"),
        ({"joints": ("elbow",)}, "joints elbow are unknown here"),
        ({"model": "0"}, "other masses, limits or lengths"),
    ],
)
def test_a_robot_of_another_kind(connect, handshake, change, sentence):
    other = replace(handshake, schema=replace(handshake.schema, **change))
    message = ask(connect(), to_bytes(handshake_message(other)))
    assert sentence in message["refused"]


@pytest.mark.parametrize(
    "content", [b"GET / HTTP/1.1", b"\xff" * 30, b"\x80", to_bytes({"schema": 1})]
)
def test_a_greeting_that_is_none(server, connect, reference, content):
    assert "no greeting" in ask(connect(), content)["refused"]
    assert_serves(server, reference)


def test_a_stranger_who_says_nothing_is_sent_away(
    server, connect, reference, monkeypatch, remarks
):
    monkeypatch.setattr(server_module, "GREETING", 0.1)
    connect()
    assert_serves(server, reference)
    assert any("no greeting" in text for text in remarks)


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", b"\0\0\0\0", b"GET / HTTP/1.1"])
def test_bytes_that_are_no_frame(server, connect, reference, data):
    own = connect()
    own.sendall(data)
    message = read(FrameSocket(own).receive(5.0))
    assert "a frame of" in message["refused"]
    assert_serves(server, reference)


@pytest.mark.parametrize(
    "change",
    [{"sensed": b""}, {"sensed": None}, {"t": "now"}, {"changes": b"?"}, {"n": None}],
)
def test_a_question_that_is_none(server, connect, handshake, reference, change):
    own = connect()
    assert "schema" in ask(own, to_bytes(handshake_message(handshake)))
    wrong = request_message(request(reference)) | change
    assert "error" in ask(own, to_bytes(wrong))
    assert_serves(server, reference)


def test_weights_of_ones_own_are_taken(server, connect, handshake, reference):
    weights = plain(asdict(PredictiveWeights())) | {"com": 120}
    own = connect()
    greeting = handshake_message(replace(handshake, weights=weights))
    assert "schema" in ask(own, to_bytes(greeting))
    assert ask(own, to_bytes(request_message(request(reference))))["n"] == 0


NOTHING = np.zeros(4)
STATES = {
    "a quaternion of zeros": (slice(0, 4), NOTHING),
    "all zeros": (slice(None), 0.0),
    "no number": (slice(10, 11), np.nan),
    "no numbers": (slice(None), np.nan),
    "infinity": (slice(-1, None), np.inf),
    "squares that overflow": (slice(0, 4), 1e200),
    "the largest numbers": (slice(None), -1.7e308),
    "the smallest numbers": (slice(None), 5e-324),
    "a long quaternion": (slice(0, 4), 3.0),
    "a far place": (slice(4, 7), 1e300),
    "a fast joint": (slice(-3, None), 1e12),
}


@pytest.mark.parametrize("change", STATES.values(), ids=STATES)
def test_a_state_that_is_none_is_a_failure_and_no_end(
    server, connect, handshake, reference, change
):
    """A session goes on: estimators say anything before they have begun."""
    own = connect()
    ask(own, to_bytes(handshake_message(handshake)))
    for k in range(30):
        asked = request(reference, k, 0.002 * k, start=k == 0)
        if k < 12:
            x = asked.x.copy()
            at, value = change
            x[at] = value
            asked = asked._replace(x=x, force=np.full(2, x[0]))
        answer = ask(own, to_bytes(request_message(asked)))
        assert answer["n"] == k
        assert np.isfinite(np.frombuffer(answer["joints"])).all()
        assert answer["fallen"] is False
    record = read_record(ask(own, to_bytes({"record": 0})))
    assert record.tick_safety.failures[Cause.STATE].count == 12
    assert set(record.tick_safety.failures) == {Cause.STATE}
    assert record.tick_safety.mode is Mode.TRACKING
    own.close()
    assert_serves(server, reference)


@pytest.mark.parametrize("force", [np.nan, np.inf, -np.inf, -1e308, 1e308])
def test_forces_that_are_none_end_nothing(server, connect, handshake, reference, force):
    own = connect()
    ask(own, to_bytes(handshake_message(handshake)))
    for k in range(30):
        asked = request(reference, k, 0.002 * k, start=k == 0)
        asked = asked._replace(force=np.full(2, force))
        answer = ask(own, to_bytes(request_message(asked)))
        assert np.isfinite(np.frombuffer(answer["joints"])).all()


@pytest.mark.parametrize("t", [1e9, 1.7e9, 1.9e9])
def test_a_clock_may_count_from_anywhere(connect, handshake, reference, t):
    own = connect()
    ask(own, to_bytes(handshake_message(handshake)))
    for k in range(3):
        asked = request(reference, k, t + 0.002 * k, start=k == 0)
        assert ask(own, to_bytes(request_message(asked)))["n"] == k


@pytest.mark.parametrize("t", [2.1e9, 1e300, np.inf, np.nan, -1.0])
def test_a_time_that_is_none(server, connect, handshake, reference, t):
    own = connect()
    ask(own, to_bytes(handshake_message(handshake)))
    asked = request(reference, 0, t)
    assert "no tick and time" in ask(own, to_bytes(request_message(asked)))["error"]
    assert_serves(server, reference)


def test_a_fault_of_the_controllers_ends_one_connection(
    server, connect, handshake, reference, monkeypatch, capsys
):
    own = connect()
    ask(own, to_bytes(handshake_message(handshake)))

    def fail(session, request):
        raise ZeroDivisionError("nobody thought of this")

    with monkeypatch.context() as changed:
        changed.setattr(ControllerSession, "__call__", fail)
        message = ask(own, to_bytes(request_message(request(reference))))
    assert "nobody thought of this" in message["error"]
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert_serves(server, reference)


def test_a_hand_that_the_robot_does_not_have(server, connect, handshake, reference):
    own = connect()
    ask(own, to_bytes(handshake_message(handshake)))
    hand = HandOffset("third hand", 0.0, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0))
    asked = replace(request(reference).changes, hands=(hand,))
    wrong = request(reference)._replace(changes=asked)
    assert "third hand" in ask(own, to_bytes(request_message(wrong)))["error"]
    assert_serves(server, reference)


def test_time_does_not_go_back_without_a_start(server, connect, handshake, reference):
    own = connect()
    ask(own, to_bytes(handshake_message(handshake)))
    for number, t in enumerate((0.0, 0.002)):
        asked = request(reference, number, t, start=number == 0)
        assert ask(own, to_bytes(request_message(asked)))["n"] == number
    again = request(reference, 2, 0.002, start=False)
    assert "without a start" in ask(own, to_bytes(request_message(again)))["error"]


def test_nobody_waits_for_a_question_far_ahead(server, connect, handshake, reference):
    own = connect()
    ask(own, to_bytes(handshake_message(handshake)))
    ask(own, to_bytes(request_message(request(reference))))
    late = request(reference, 1, 1e9, start=False)
    began = time.monotonic()
    assert "begin again" in ask(own, to_bytes(request_message(late)))["error"]
    assert time.monotonic() - began < 1.0
    assert_serves(server, reference)


def test_a_second_simulation_is_sent_away(server, connect, handshake, reference):
    first = connect()
    assert "schema" in ask(first, to_bytes(handshake_message(handshake)))
    link = RemoteLink(server.address, reference.behavior, SCENARIO)
    with pytest.raises(BackbeatError, match="one simulation at a time"):
        link.open()
    asked = to_bytes(request_message(request(reference)))
    assert ask(first, asked)["n"] == 0


def test_a_client_that_goes_silent_is_let_go(
    server, connect, handshake, reference, monkeypatch
):
    monkeypatch.setattr(server_module, "SILENCE", 0.1)
    first = connect()
    assert "schema" in ask(first, to_bytes(handshake_message(handshake)))
    assert_serves(server, reference)


def test_what_is_there_to_stay_is_not_looked_through_while_it_serves(
    connect, handshake
):
    ask(connect(), to_bytes(handshake_message(handshake)))
    assert gc.get_freeze_count() > 10_000


def test_a_record_is_told_at_any_time(connect, handshake):
    own = connect()
    ask(own, to_bytes(handshake_message(handshake)))
    record = read_record(ask(own, to_bytes({"record": 0})))
    assert record.plan.phase == -SCENARIO.timing.lead_in


def test_a_place_that_is_taken(server):
    with pytest.raises(BackbeatError, match="cannot listen at"):
        ControllerServer(lambda name, robot: None, address=server.address)


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("127.0.0.1:7420", True),
        ("localhost:80", True),
        ("127.9.9.9:1", True),
        ("192.168.1.4:7420", False),
        ("robot:7420", False),
    ],
)
def test_addresses(text, local):
    assert read_address(text).is_local == local
    assert str(read_address(text)) == text


@pytest.mark.parametrize("text", ["", "host", ":1", "host:", "h:0", "h:65536", "h:-1"])
def test_what_is_no_address(text):
    with pytest.raises(BackbeatError, match="is not HOST:PORT"):
        read_address(text)
