"""Plans and memories as bytes: messages between two processes.

A message is the length of its head, the head in JSON, and the numbers of all arrays one
after the other as they are in memory: they arrive bit for bit. Only the
classes that are named here can be made from a message; nothing is unpickled.
"""

import json
import struct
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

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

_LENGTH = struct.Struct("<Q")
_KINDS = {
    kind.__name__: kind
    for kind in (
        Plan, AddedStep, Swing, Touchdown, PredictiveMemory, Safety, FailureCount,
        Change, Mode, Cause, PlanSettings, TempoRamp, HandOffset, TaskSettings,
    )
}  # fmt: skip
_TYPES = ("<f8", "<i8", "|b1")
# A message is packed at every plan: what its kinds have is looked up once.
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(f.name for f in fields(kind))
    for kind in _KINDS.values()
    if is_dataclass(kind)
}
_AS_THEY_ARE = (float, int, bool, str, type(None))
_DTYPES = tuple(np.dtype(name) for name in _TYPES)


def pack(value: object) -> bytes:
    """A message of plain data, arrays, plans and memories."""
    arrays: list[np.ndarray] = []
    text = json.dumps(_plain(value, arrays)).encode()
    numbers = [np.ascontiguousarray(a).tobytes() for a in arrays]
    return b"".join([_LENGTH.pack(len(text)), text, *numbers])


def unpack(message: bytes) -> Any:
    """What was packed; tuples arrive as tuples, dictionaries in their order."""
    start = _LENGTH.size + _LENGTH.unpack_from(message)[0]
    return _value(json.loads(message[_LENGTH.size : start]), message, [start])


def _plain(value: Any, arrays: list[np.ndarray]) -> Any:
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": list(value.shape), "type": _TYPES.index(value.dtype.str)}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, StrEnum):
        return {"kind": kind.__name__, "value": value.value}
    if kind in _FIELDS:
        own = {n: _plain(getattr(value, n), arrays) for n in _FIELDS[kind]}
        return {"kind": kind.__name__, "fields": own}
    if isinstance(value, tuple | list):
        return {"tuple": [_plain(v, arrays) for v in value]}
    if isinstance(value, dict):
        items = [[_plain(k, arrays), _plain(v, arrays)] for k, v in value.items()]
        return {"items": items}
    return value


def _value(plain: Any, message: bytes, start: list[int]) -> Any:
    if not isinstance(plain, dict):
        return plain
    if "array" in plain:
        shape, dtype = plain["array"], _DTYPES[plain["type"]]
        found = np.ndarray(shape, dtype, message, start[0]).copy()
        start[0] += found.nbytes
        return found
    if "tuple" in plain:
        return tuple(_value(v, message, start) for v in plain["tuple"])
    if "items" in plain:
        return {
            _value(k, message, start): _value(v, message, start)
            for k, v in plain["items"]
        }
    make: Any = _KINDS[plain["kind"]]
    if "value" in plain:
        return make(plain["value"])
    own = plain["fields"].items()
    return make(**{name: _value(v, message, start) for name, v in own})
