"""Messages arrive bit for bit, and what is none is refused in words."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.models.common.processes.frames import ProtocolError
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.predictive.settings import PlanSettings, TempoRamp
from backbeat.mpc.remote.contents import (
    ControlSettings,
    Record,
    read_record,
    record_message,
)
from backbeat.mpc.remote.exchange import (
    Answer,
    Request,
    answer_message,
    read_answer,
    read_request,
    request_message,
)
from backbeat.mpc.remote.handshake import Handshake, handshake_message, read_handshake
from backbeat.mpc.remote.messages import read, to_bytes
from backbeat.mpc.remote.schema import Schema
from backbeat.mpc.safety.fail_safe import Cause, FailureCount, Mode, Safety
from tests.mpc.remote.peer import PLAN

SCHEMA = Schema(1, "two", "abc", ("q.a", "q.b"), ("v.a", "v.b"), ("foot",), ("a", "b"))
HAND = HandOffset("left hand", 1 / 3, (0.0, 0.0, 0.1), (0.1, -0.2, 1 / 7))
ASKED = ControlSettings(
    PlanSettings(beat_priority=1 / 3, tempo=TempoRamp(0.1)), (HAND,), 0.002
)
STATE = np.array([np.nan, -0.0, np.inf, 1 / 3])


def sent(message):
    return read(to_bytes(message))


@pytest.mark.parametrize("asked", [None, ASKED])
def test_a_question_arrives_bit_for_bit(asked):
    request = Request(7, 1 / 3, False, STATE, np.array([2 / 3]), asked)
    found = read_request(sent(request_message(request)), 4, 1)
    assert found.x.tobytes() == STATE.tobytes()
    assert found.force.tobytes() == request.force.tobytes()
    rest = (found.number, found.time, found.start, found.changes)
    assert rest == (7, 1 / 3, False, asked)


def test_an_answer_arrives_bit_for_bit():
    answer = Answer(np.arange(12) / 7, np.array([-0.0, 1e-300]), True)
    found = read_answer(sent(answer_message(3, answer)), 3, 6, 2)
    assert found.command.tobytes() == answer.command.tobytes()
    assert found.acceleration.tobytes() == answer.acceleration.tobytes()
    assert found.fallen is True


def test_a_record_arrives_whole():
    failures = {Cause.LOST: FailureCount(2, 1 / 3, "why")}
    record = Record(PLAN, Safety(Mode.CARRYING, failures=failures), Safety())
    found = read_record(sent(record_message(record)))
    assert (found.tick_safety, found.plan_safety) == (record.tick_safety, Safety())
    assert found.plan.deviation.tobytes() == PLAN.deviation.tobytes()


@pytest.mark.parametrize("weights", [None, {"com": 1.5}])
def test_a_greeting_arrives_whole(weights):
    handshake = Handshake(SCHEMA, "stand", "def", {"lead_in": 0.5}, weights)
    assert read_handshake(sent(handshake_message(handshake))) == handshake


QUESTION = request_message(Request(1, 0.1, True, STATE, np.ones(1), ASKED))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("n", "one"),
        ("n", True),
        ("t", np.nan),
        ("t", -1.0),
        ("t", None),
        ("start", 1),
        ("sensed", STATE.tobytes()),
        ("sensed", [1.0, 2.0, 3.0, 4.0, 5.0]),
        ("changes", b"nothing"),
        ("changes", record_message(Record(PLAN, Safety(), Safety()))["record"]),
    ],
)
def test_a_question_with_something_wrong_is_refused(key, value):
    with pytest.raises(ProtocolError, match=r"'|not a"):
        read_request(sent(QUESTION | {key: value}), 4, 1)


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (4, {}),
        (3, {"command": np.full(12, np.nan)}),
        (3, {"acceleration": np.array([np.inf, 0.0])}),
        (3, {"command": np.zeros(11)}),
        (3, {"fallen": "no"}),
    ],
)
def test_an_answer_with_something_wrong_is_refused(number, change):
    answer = Answer(np.zeros(12), np.zeros(2), False)._replace(**change)
    with pytest.raises(ProtocolError):
        read_answer(sent(answer_message(3, answer)), number, 6, 2)


@pytest.mark.parametrize(
    "asked",
    [
        replace(ASKED, settings=replace(ASKED.settings, timing=1.0)),
        replace(ASKED, settings=replace(ASKED.settings, beat_priority="high")),
        replace(ASKED, settings=replace(ASKED.settings, beat_priority=1e6)),
        replace(ASKED, settings=replace(ASKED.settings, tempo=TempoRamp(after=-1.0))),
        replace(ASKED, settings=replace(ASKED.settings, tempo=TempoRamp(after=2.0))),
        replace(ASKED, settings=replace(ASKED.settings, tempo=TempoRamp(np.nan))),
        replace(ASKED, hands=(replace(HAND, after=(0.0, 0.1)),)),
        replace(ASKED, hands=("left hand",)),
        replace(ASKED, plan_delay=-1.0),
    ],
)
def test_settings_of_another_kind_are_refused(asked):
    request = Request(7, 1 / 3, False, STATE, np.array([2 / 3]), asked)
    with pytest.raises(ProtocolError, match="not ControlSettings"):
        read_request(sent(request_message(request)), 4, 1)
