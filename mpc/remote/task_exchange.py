"""Messages of a task-space controller in another process: requests and answers.

    to the controller                      from it
    {schema, task_space}                   {schema} or {refused: a sentence}
    {n, sensed, given, settings}           {n, torques}

`task_space` is a `TaskSpaceScenario` as plain data. `sensed` is positions, velocities,
target (9), hand (3), its rate (3) and the base's acceleration (6); `given` says in bits
which of the last three count. `torques` is torques, where a limit took something away,
and the modeled hand (3). `settings` is there when they change. The controller has no
other state.
"""

import json
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.processes.frames import ProtocolError
from backbeat.models.common.yaml_file import parse_yaml
from backbeat.mpc.remote.handshake import read_schema
from backbeat.mpc.remote.messages import value, vector
from backbeat.mpc.remote.schema import Schema
from backbeat.mpc.task_space.law import TaskSpaceCommand, TaskSpaceSettings

TARGET, HAND, BASE = 9, 3, 6
# Numbers behind the state, and the parts of them that may be missing.
EXTRA = TARGET + 2 * HAND + BASE
PARTS = (slice(9, 12), slice(12, 15), slice(15, 21))


class TaskHandshake(NamedTuple):
    """The first message of a client.

    Attributes:
        schema: the order of its numbers.
        scenario: a `TaskSpaceScenario` as plain data.
    """

    schema: Schema
    scenario: dict[str, Any]


class TaskRequest(NamedTuple):
    """What is sensed at a sample.

    Attributes:
        number: of the tick; the answer has the same.
        x: (nq + nv,) sensed state.
        target: (9,) place, velocity and acceleration of the target.
        hand, hand_rate: (3,) where and how fast the hand is sensed; None for what the
            model says.
        base_acceleration: (6,) of a moved base; None for zero.
        settings: of the law, where they have changed; None for nothing new.
    """

    number: int
    x: np.ndarray
    target: np.ndarray
    hand: np.ndarray | None = None
    hand_rate: np.ndarray | None = None
    base_acceleration: np.ndarray | None = None
    settings: TaskSpaceSettings | None = None


def task_handshake_message(handshake: TaskHandshake) -> dict[str, Any]:
    """A handshake as a message."""
    return {"schema": asdict(handshake.schema), "task_space": handshake.scenario}


def read_task_handshake(message: dict[str, Any]) -> TaskHandshake:
    """The inverse of `task_handshake_message`.

    Raises:
        ProtocolError: something is missing.
    """
    return TaskHandshake(read_schema(message), value(message, "task_space", dict))


def task_request_message(request: TaskRequest) -> dict[str, Any]:
    """What is sensed, as a message."""
    extra, given = np.zeros(EXTRA), 0
    extra[:TARGET] = request.target
    parts = request.hand, request.hand_rate, request.base_acceleration
    for k, (part, where) in enumerate(zip(parts, PARTS, strict=True)):
        if part is not None:
            extra[where], given = part, given | 1 << k
    message = {
        "n": request.number,
        "sensed": request.x.tobytes() + extra.tobytes(),
        "given": given,
    }
    if request.settings is not None:
        message["settings"] = asdict(request.settings)
    return message


def read_task_request(message: dict[str, Any], num_states: int) -> TaskRequest:
    """The inverse of `task_request_message`.

    Raises:
        ProtocolError: something is missing, has another size or is no number.
    """
    number, given = value(message, "n", int), value(message, "given", int)
    if not 0 <= given < 1 << len(PARTS):
        raise ProtocolError(f"'given' is {given}, and there are {len(PARTS)} bits")
    # What arrives is read-only, for which compiled code would be compiled anew.
    numbers = vector(message, "sensed", num_states + EXTRA).copy()
    if not np.isfinite(numbers).all():
        raise ProtocolError("what is sensed is not of finite numbers")
    x, extra = numbers[:num_states], numbers[num_states:]
    hand, hand_rate, base = (
        extra[p] if given >> k & 1 else None for k, p in enumerate(PARTS)
    )
    settings = None
    if "settings" in message:
        settings = _read_settings(value(message, "settings", dict))
    return TaskRequest(number, x, extra[:TARGET], hand, hand_rate, base, settings)


def _read_settings(told: dict[str, Any]) -> TaskSpaceSettings:
    try:
        text = json.dumps(told)
        return parse_yaml(TaskSpaceSettings, text, "the settings").check()
    except (BackbeatError, TypeError, ValueError, RecursionError) as error:
        why = gist(error)
        raise ProtocolError(f"not the settings of a law: {why}") from None


def task_answer_message(number: int, command: TaskSpaceCommand) -> dict[str, Any]:
    """What the joints shall do, as a message."""
    numbers = np.concatenate([command.tau, command.at_limit, command.hand])
    return {"n": number, "torques": numbers.tobytes()}


def read_task_answer(
    message: dict[str, Any], number: int, num_joints: int
) -> TaskSpaceCommand:
    """The inverse of `task_answer_message`.

    Raises:
        ProtocolError: it is no answer to this request, or not of finite numbers.
    """
    if message.get("n") != number:
        raise ProtocolError(f"an answer to {message.get('n')} in place of {number}")
    numbers = vector(message, "torques", 2 * num_joints + HAND).copy()
    if not np.isfinite(numbers).all():
        raise ProtocolError("the torques are not of finite numbers")
    tau, cut, hand = np.split(numbers, [num_joints, 2 * num_joints])
    return TaskSpaceCommand(tau, cut > 0.5, hand)
