"""Contents: settings and state of the controllers, as bytes.

They are messages of `backbeat.mpc.predictive.plan_message`, which encodes plans,
settings and little else.
"""

import math
import struct
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.processes.frames import ProtocolError
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.predictive.plan_message import pack, unpack
from backbeat.mpc.predictive.settings import TEMPO_RANGE, PlanSettings
from backbeat.mpc.remote.messages import value
from backbeat.mpc.safety.fail_safe import Safety
from backbeat.mpc.task_space.settings import TaskSettings
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.weights.in_runs import changed_in_run

_HAND = HandOffset("", 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class ControlSettings:
    """Settings of the controllers, sent when they change.

    Attributes:
        settings: of plans.
        hands: where hands shall be.
        plan_delay: how long plans take [s].
        task: what holds in task space; None elsewhere.
    """

    settings: PlanSettings
    hands: tuple[HandOffset, ...]
    plan_delay: float
    task: TaskSettings | None = None


@dataclass(frozen=True)
class Record:
    """State of the controllers, for logs.

    Attributes:
        plan: the latest plan.
        tick_safety, plan_safety: fail-safe states of both.
    """

    plan: Plan
    tick_safety: Safety
    plan_safety: Safety


def record_message(record: Record) -> dict[str, Any]:
    """State of the controllers, as a message."""
    return {"record": packed(record)}


def read_record(message: dict[str, Any]) -> Record:
    """The inverse of `record_message`.

    Raises:
        ProtocolError: it is none.
    """
    record: Record = unpacked(Record, value(message, "record", bytes))
    return record


def packed(content: ControlSettings | Record) -> bytes:
    """A `ControlSettings` or a `Record` as bytes."""
    return pack(tuple(getattr(content, f.name) for f in fields(content)))


def unpacked(kind: type, content: bytes) -> Any:
    """A `ControlSettings` or a `Record` whose fields have the right types.

    Raises:
        ProtocolError: it is none.
    """
    try:
        found = kind(*unpack(content))
    except (
        ValueError, TypeError, KeyError, IndexError, AttributeError,
        struct.error, OverflowError, RecursionError, MemoryError,
    ) as error:  # fmt: skip
        why = gist(error, 100)
        raise ProtocolError(f"not a {kind.__name__}: {why}") from None
    parts: dict[str, Any]
    parts = {"plan": Plan, "tick_safety": Safety, "plan_safety": Safety}
    parts["task"] = TaskSettings | None
    parts |= {"settings": PlanSettings, "hands": tuple, "plan_delay": float}
    for field in fields(kind):
        part = getattr(found, field.name)
        if not isinstance(part, parts[field.name]):
            raise ProtocolError(f"not a {kind.__name__}: {field.name} is none")
    if isinstance(found, ControlSettings) and not _is_sound(found):
        raise ProtocolError("not ControlSettings: a setting is of another kind or size")
    return found


def _is_sound(changes: ControlSettings) -> bool:
    """Whether settings are of the kinds of those that hold by default, and may be."""
    settings = changes.settings
    factors = settings.tempo.before, settings.tempo.after
    least, most = TEMPO_RANGE
    return (
        _is_like(replace(settings, weights=()), PlanSettings())
        and _are_weights(settings.weights)
        and 0 <= settings.beat_priority <= 1
        and all(least <= factor <= most for factor in factors)
        and _is_like(changes.plan_delay, 0.0)
        and changes.plan_delay >= 0
        and all(_is_like(hand, _HAND) for hand in changes.hands)
        and (changes.task is None or _is_like(changes.task, TaskSettings()))
    )


def _are_weights(changes: Any) -> bool:
    """Whether something is changes of weights that a run may make."""
    pair = "", 0.0
    if type(changes) is not tuple or not all(_is_like(x, pair) for x in changes):
        return False
    try:
        changed_in_run(ControllerWeights(), dict(changes), "the settings")
    except BackbeatError:
        return False
    return True


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
