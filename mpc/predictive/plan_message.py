"""Plans and memories as bytes: messages between two processes.

A message is msgpack, with arrays and classes as its extensions. Numbers arrive bit for
bit. Only the classes that are named here can be made from a message; nothing is
unpickled.
"""

from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

import msgpack
import numpy as np

from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.stepping import AddedStep
from backbeat.mpc.plans.swing import Swing
from backbeat.mpc.plans.touchdown import Touchdown
from backbeat.mpc.predictive.memory import PredictiveMemory
from backbeat.mpc.predictive.settings import PlanSettings, TempoRamp
from backbeat.mpc.safety.fail_safe import Cause, Change, FailureCount, Mode, Safety
from backbeat.mpc.task_space.settings import TaskSettings
from backbeat.mpc.walking.walk import Walk, WalkStep

_KINDS = {
    kind.__name__: kind
    for kind in (
        Plan, AddedStep, Swing, Touchdown, PredictiveMemory, Safety, FailureCount,
        Change, Mode, Cause, PlanSettings, TempoRamp, HandOffset, TaskSettings,
        Walk, WalkStep,
    )
}  # fmt: skip
_TYPES = ("<f8", "<i8", "|b1")
# A message is packed at every plan: what its kinds have is looked up once.
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(f.name for f in fields(kind))
    for kind in _KINDS.values()
    if is_dataclass(kind)
}
_DTYPES = tuple(np.dtype(name) for name in _TYPES)
# Codes of the extensions: an array, a member of an enumeration, an object of a class.
_ARRAY, _MEMBER, _OBJECT = 1, 2, 3


def pack(value: object) -> bytes:
    """A message of plain data, arrays, plans and memories."""
    message: bytes = msgpack.packb(value, default=_extended, strict_types=True)
    return message


def unpack(message: bytes) -> Any:
    """What was packed; tuples and lists arrive as tuples, dictionaries in order."""
    return msgpack.unpackb(
        message, ext_hook=_value, use_list=False, strict_map_key=False
    )


def _extended(value: Any) -> Any:
    """What msgpack packs in place of a value that it does not know."""
    kind = type(value)
    if kind is tuple:
        return list(value)
    if kind is np.ndarray:
        content = value.shape, _TYPES.index(value.dtype.str), value.tobytes()
        return msgpack.ExtType(_ARRAY, pack(content))
    if kind in _FIELDS:
        content = kind.__name__, *(getattr(value, n) for n in _FIELDS[kind])
        return msgpack.ExtType(_OBJECT, pack(content))
    if isinstance(value, StrEnum):
        return msgpack.ExtType(_MEMBER, pack((kind.__name__, value.value)))
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"no message can hold a {kind.__name__}")


def _value(code: int, content: bytes) -> Any:
    """What an extension stands for."""
    first, *rest = unpack(content)
    if code == _ARRAY:
        number, raw = rest
        return np.frombuffer(raw, _DTYPES[number]).reshape(first).copy()
    make: Any = _KINDS[first]
    if code == _MEMBER:
        return make(*rest)
    return make(**dict(zip(_FIELDS[make], rest, strict=True)))
