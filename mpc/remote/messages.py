"""Messages: what both ends say, as msgpack maps; nothing that arrives is believed.

    to the controller                      from it
    {schema, behavior, motion,             {schema} or {refused: a sentence}
     scenario, weights}
    {n, t, sensed, start, asked}           {n, joints, fallen}
    {record: n}                            {record: bytes}
                                           {error: a sentence}, the last one

Numbers are bytes of doubles, little-endian, in the order of the schema, so that they
arrive bit for bit: `sensed` is positions, velocities and soles, `joints` the blocks of
the command and then the accelerations that it makes. `start` and `asked` are there when
they say something new; `asked` and `record` are messages of `mpc.plan_message`.
"""

import json
import math
import struct
import threading
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, NamedTuple

import msgpack
import numpy as np

from mpc.fail_safe import Safety
from mpc.hand_offset import HandOffset
from mpc.plan import Plan
from mpc.plan_message import pack, unpack
from mpc.plan_settings import PlanSettings
from mpc.remote.frames import ProtocolError
from mpc.remote.schema import Schema

# More than any tempo that may be asked for, as a share of the authored one.
FASTEST = 100.0


@dataclass(frozen=True)
class Hello:
    """Who connects, and what it wants to be controlled.

    Attributes:
        schema: the order of its numbers.
        behavior: name of the behavior.
        motion: fingerprint of what that behavior is.
        scenario: a `Scenario` as plain data: periods, delays and switches.
        weights: a `PredictiveWeights` as plain data; None for those that ship.
    """

    schema: Schema
    behavior: str
    motion: str
    scenario: dict[str, Any]
    weights: dict[str, Any] | None = None


@dataclass(frozen=True)
class Asked:
    """What somebody asks of the controllers, sent when it changes.

    Attributes:
        settings: of plans.
        hands: where hands shall be.
        plan_delay: how long plans take [s].
    """

    settings: PlanSettings
    hands: tuple[HandOffset, ...]
    plan_delay: float


class Question(NamedTuple):
    """What is sensed at a tick.

    Attributes:
        number: of the tick; the answer has the same.
        time: [s].
        start: whether the controllers are to begin anew at this time.
        x: (nq + nv,) state.
        force: (S,) normal forces on the soles [N].
        asked: what has changed; None for nothing.
    """

    number: int
    time: float
    start: bool
    x: np.ndarray
    force: np.ndarray
    asked: Asked | None = None


class Answer(NamedTuple):
    """What the joints shall do.

    Attributes:
        command: (9 nj,) a `models.joint_command`.
        acceleration: (nj,) what it makes the joints do [rad/s^2].
        fallen: whether the controller has declared a fall.
    """

    command: np.ndarray
    acceleration: np.ndarray
    fallen: bool


@dataclass(frozen=True)
class Record:
    """What the controllers remember, for whoever keeps a log.

    Attributes:
        plan: the latest plan.
        tick_safety, plan_safety: what either did about unsolved programs.
    """

    plan: Plan
    tick_safety: Safety
    plan_safety: Safety


class _Packers(threading.local):
    """A packer for each thread: making one takes longer than packing."""

    def __init__(self) -> None:
        self.own = msgpack.Packer()


_PACKERS = _Packers()
_DOUBLE = np.dtype("<f8")
_HAND = HandOffset("", 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


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
        why = " ".join(str(error).split())[:100] or type(error).__name__
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


def hello_message(hello: Hello) -> dict[str, Any]:
    """What is said first."""
    return asdict(hello)


def read_hello(message: dict[str, Any]) -> Hello:
    """The inverse of `hello_message`.

    Raises:
        ProtocolError: something is missing.
    """
    weights = message.get("weights")
    if weights is not None:
        weights = value(message, "weights", dict)
    return Hello(
        read_schema(message),
        value(message, "behavior", str),
        value(message, "motion", str),
        value(message, "scenario", dict),
        weights,
    )


def read_schema(message: dict[str, Any]) -> Schema:
    """The schema in a greeting.

    Raises:
        ProtocolError: there is none.
    """
    own = value(message, "schema", dict)
    found: dict[str, Any] = {}
    for field in fields(Schema):
        if field.type in ("int", int):
            found[field.name] = value(own, field.name, int)
        elif field.type in ("str", str):
            found[field.name] = value(own, field.name, str)
        else:
            names = value(own, field.name, list)
            if not all(isinstance(name, str) for name in names):
                raise ProtocolError(f"{field.name!r} should be words")
            found[field.name] = tuple(names)
    return Schema(**found)


def question_message(question: Question) -> dict[str, Any]:
    """What is sensed, as a message; what is not said has not changed."""
    numbers = question.x.tobytes() + question.force.tobytes()
    message = {"n": question.number, "t": question.time, "sensed": numbers}
    if question.start:
        message["start"] = True
    if question.asked is not None:
        message["asked"] = _packed(question.asked)
    return message


def read_question(message: dict[str, Any], num_states: int, num_soles: int) -> Question:
    """The inverse of `question_message`.

    Raises:
        ProtocolError: something is missing or has another size.
    """
    number, t = message.get("n"), message.get("t")
    if type(number) is not int or type(t) is not float or not 0 <= t < math.inf:
        raise ProtocolError(f"'n' and 't' are {number!r} and {t!r}: no tick and time")
    numbers = vector(message, "sensed", num_states + num_soles)
    x, force = numbers[:num_states], numbers[num_states:]
    if len(message) == 3:
        return Question(number, t, False, x, force)
    start = "start" in message and value(message, "start", bool)
    asked = None
    if "asked" in message:
        asked = _unpacked(Asked, value(message, "asked", bytes))
    return Question(number, t, start, x, force, asked)


def answer_message(number: int, answer: Answer) -> dict[str, Any]:
    """What the joints shall do, as a message."""
    numbers = answer.command.tobytes() + answer.acceleration.tobytes()
    return {"n": number, "joints": numbers, "fallen": answer.fallen}


def read_answer(
    message: dict[str, Any], number: int, blocks: int, num_joints: int
) -> Answer:
    """The inverse of `answer_message`.

    Raises:
        ProtocolError: it is no answer to this question, or not of finite numbers.
    """
    if message.get("n") != number:
        raise ProtocolError(f"an answer to {message.get('n')} in place of {number}")
    size = blocks * num_joints
    numbers = vector(message, "joints", size + num_joints)
    # A look at each, for a sum of squares, which would be sooner, may overflow.
    if not np.isfinite(numbers).all():
        raise ProtocolError("the command is not of finite numbers")
    fallen = message.get("fallen")
    if fallen is not True and fallen is not False:
        raise ProtocolError("'fallen' should be a bool")
    return Answer(numbers[:size], numbers[size:], fallen)


def record_message(record: Record) -> dict[str, Any]:
    """What the controllers remember, as a message."""
    return {"record": _packed(record)}


def read_record(message: dict[str, Any]) -> Record:
    """The inverse of `record_message`.

    Raises:
        ProtocolError: it is none.
    """
    record: Record = _unpacked(Record, value(message, "record", bytes))
    return record


def _packed(content: Asked | Record) -> bytes:
    return pack(tuple(getattr(content, f.name) for f in fields(content)))


def _unpacked(kind: type, content: bytes) -> Any:
    """An `Asked` or a `Record` whose parts are of the kinds that they should be."""
    try:
        found = kind(*unpack(content))
    except (
        ValueError, TypeError, KeyError, IndexError, AttributeError,
        struct.error, OverflowError, RecursionError, MemoryError,
    ) as error:  # fmt: skip
        why = " ".join(str(error).split())[:100]
        raise ProtocolError(f"not a {kind.__name__}: {why}") from None
    parts = {"plan": Plan, "tick_safety": Safety, "plan_safety": Safety}
    parts |= {"settings": PlanSettings, "hands": tuple, "plan_delay": float}
    for field in fields(kind):
        part = getattr(found, field.name)
        if not isinstance(part, parts[field.name]):
            raise ProtocolError(f"not a {kind.__name__}: {field.name} is none")
    if isinstance(found, Asked) and not _is_sound(found):
        raise ProtocolError("not an Asked: a setting is of another kind")
    return found


def _is_sound(asked: Asked) -> bool:
    """Whether settings are of the kinds of those that hold by default, and may be."""
    settings = asked.settings
    return (
        _is_like(settings, PlanSettings())
        and 0 <= settings.beat_priority <= 1
        and 0 < settings.tempo.before <= FASTEST
        and 0 < settings.tempo.after <= FASTEST
        and _is_like(asked.plan_delay, 0.0)
        and asked.plan_delay >= 0
        and all(_is_like(hand, _HAND) for hand in asked.hands)
    )


def _is_like(value_: Any, example: Any) -> bool:
    """Whether a value is of the kind of an example, with finite numbers."""
    if isinstance(example, float) and not isinstance(value_, bool):
        return isinstance(value_, int | float) and math.isfinite(value_)
    if type(value_) is not type(example):
        return False
    if isinstance(example, tuple):
        pairs = zip(value_, example, strict=False)
        return len(value_) == len(example) and all(_is_like(*pair) for pair in pairs)
    if is_dataclass(example):
        names = [f.name for f in fields(example)]
        return all(_is_like(getattr(value_, n), getattr(example, n)) for n in names)
    return True


def plain(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as data that msgpack and YAML share."""
    data: dict[str, Any] = json.loads(json.dumps(settings))
    return data
