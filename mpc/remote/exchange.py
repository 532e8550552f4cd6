"""Exchange: the request of a tick and its answer."""

from typing import Any, NamedTuple

import numpy as np

from backbeat.models.common.processes.frames import ProtocolError
from backbeat.mpc.remote.contents import ControlSettings, packed, unpacked
from backbeat.mpc.remote.messages import value, vector

# Latest time of a request [s]: beyond, a tick is lost among the digits of a clock that
# counts from 1970.
LATEST = 2e9


class Request(NamedTuple):
    """What is sensed at a tick.

    Attributes:
        number: of the tick; the answer has the same.
        time: [s].
        start: whether the controllers are to begin anew at this time.
        x: (nq + nv,) state.
        force: (S,) normal forces on the soles [N].
        changes: settings that have changed; None for none.
    """

    number: int
    time: float
    start: bool
    x: np.ndarray
    force: np.ndarray
    changes: ControlSettings | None = None


class Answer(NamedTuple):
    """What the joints shall do.

    Attributes:
        command: (9 nj,) a `backbeat.models.actuation.joint_command`.
        acceleration: (nj,) what it makes the joints do [rad/s^2].
        fallen: whether the controller has declared a fall.
    """

    command: np.ndarray
    acceleration: np.ndarray
    fallen: bool


def request_message(request: Request) -> dict[str, Any]:
    """What is sensed, as a message; what is not said has not changed."""
    numbers = request.x.tobytes() + request.force.tobytes()
    message = {"n": request.number, "t": request.time, "sensed": numbers}
    if request.start:
        message["start"] = True
    if request.changes is not None:
        message["changes"] = packed(request.changes)
    return message


def read_request(message: dict[str, Any], num_states: int, num_soles: int) -> Request:
    """The inverse of `request_message`.

    Raises:
        ProtocolError: something is missing or has another size.
    """
    number, t = message.get("n"), message.get("t")
    if type(number) is not int or type(t) is not float or not 0 <= t <= LATEST:
        raise ProtocolError(f"'n' and 't' are {number!r} and {t!r}: no tick and time")
    numbers = vector(message, "sensed", num_states + num_soles)
    x, force = numbers[:num_states], numbers[num_states:]
    if len(message) == 3:
        return Request(number, t, False, x, force)
    start = "start" in message and value(message, "start", bool)
    changes = None
    if "changes" in message:
        changes = unpacked(ControlSettings, value(message, "changes", bytes))
    return Request(number, t, start, x, force, changes)


def answer_message(number: int, answer: Answer) -> dict[str, Any]:
    """What the joints shall do, as a message."""
    numbers = answer.command.tobytes() + answer.acceleration.tobytes()
    return {"n": number, "joints": numbers, "fallen": answer.fallen}


def read_answer(
    message: dict[str, Any], number: int, blocks: int, num_joints: int
) -> Answer:
    """The inverse of `answer_message`.

    Raises:
        ProtocolError: it is no answer to this request, or not of finite numbers.
    """
    if message.get("n") != number:
        raise ProtocolError(f"an answer to {message.get('n')} in place of {number}")
    size = blocks * num_joints
    numbers = vector(message, "joints", size + num_joints)
    # Each is tested: a sum of squares, which would be faster, may overflow.
    if not np.isfinite(numbers).all():
        raise ProtocolError("the command is not of finite numbers")
    fallen = message.get("fallen")
    if fallen is not True and fallen is not False:
        raise ProtocolError("'fallen' should be a bool")
    return Answer(numbers[:size], numbers[size:], fallen)
