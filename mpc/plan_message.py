"""Plans as bytes: what two processes say to each other.

A message is the length of its head, the head in JSON, and the numbers of all arrays one
after the other as they are in memory: what arrives is the same bit for bit.
"""

import json
import struct
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from mpc.plan import Plan
from mpc.stepping import Step, Swing

_LENGTH = struct.Struct("<Q")


def pack(head: dict[str, Any], arrays: list[np.ndarray]) -> bytes:
    """A message of plain data and arrays of float64."""
    head = head | {"shapes": [a.shape for a in arrays]}
    text = json.dumps(head).encode()
    numbers = [np.ascontiguousarray(a, float).tobytes() for a in arrays]
    return b"".join([_LENGTH.pack(len(text)), text, *numbers])


def unpack(message: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Plain data and arrays of a message."""
    start = _LENGTH.size + _LENGTH.unpack_from(message)[0]
    head: dict[str, Any] = json.loads(message[_LENGTH.size : start])
    arrays = []
    for shape in head.pop("shapes"):
        size = int(np.prod(shape))
        numbers = np.frombuffer(message, float, size, start)
        arrays.append(numbers.reshape(shape).copy())
        start += 8 * size
    return head, arrays


def pack_plan(plan: Plan) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Head and arrays of a plan."""
    values = {f.name: getattr(plan, f.name) for f in fields(Plan)}
    arrays = [v for v in values.values() if isinstance(v, np.ndarray)]
    head = {
        name: value
        for name, value in values.items()
        if not isinstance(value, np.ndarray | tuple)
    }
    head["steps"] = [asdict(step) for step in plan.steps]
    head["swings"] = []
    for swing in plan.swings:
        own = {f.name: getattr(swing, f.name) for f in fields(Swing)}
        arrays += [v for v in own.values() if isinstance(v, np.ndarray)]
        head["swings"].append(
            {k: v for k, v in own.items() if not isinstance(v, np.ndarray)}
        )
    return head, arrays


def unpack_plan(head: dict[str, Any], arrays: list[np.ndarray]) -> Plan:
    """The plan of a head and its arrays, in the order of `pack_plan`."""
    head, left = dict(head), iter(arrays)
    values: dict[str, Any] = {name: next(left) for name in _arrays_of(Plan)}
    values["steps"] = tuple(Step(**own) for own in head.pop("steps"))
    swings: list[dict[str, Any]] = head.pop("swings")
    for own in swings:
        own |= {name: next(left) for name in _arrays_of(Swing)}
    values["swings"] = tuple(Swing(**own) for own in swings)
    return Plan(**head, **values)


def _arrays_of(kind: type[Plan] | type[Swing]) -> list[str]:
    """Names of the fields that are arrays."""
    return [f.name for f in fields(kind) if f.type is np.ndarray]
