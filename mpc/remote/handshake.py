"""Handshake: the first message, with the client's schema and what it controls."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from backbeat.models.common.processes.frames import ProtocolError
from backbeat.mpc.remote.messages import value
from backbeat.mpc.remote.schema import Schema


@dataclass(frozen=True)
class Handshake:
    """The first message of a client.

    Attributes:
        schema: the order of its numbers.
        behavior: name of the behavior.
        motion: fingerprint of what that behavior is.
        scenario: a `Scenario` as plain data: periods, delays and switches.
        weights: `ControllerWeights` as plain data; None for those that ship.
    """

    schema: Schema
    behavior: str
    motion: str
    scenario: dict[str, Any]
    weights: dict[str, Any] | None = None


def handshake_message(handshake: Handshake) -> dict[str, Any]:
    """A handshake as a message."""
    return asdict(handshake)


def read_handshake(message: dict[str, Any]) -> Handshake:
    """The inverse of `handshake_message`.

    Raises:
        ProtocolError: something is missing.
    """
    weights = message.get("weights")
    if weights is not None:
        weights = value(message, "weights", dict)
    return Handshake(
        read_schema(message),
        value(message, "behavior", str),
        value(message, "motion", str),
        value(message, "scenario", dict),
        weights,
    )


def read_schema(message: dict[str, Any]) -> Schema:
    """The schema in a handshake.

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


def plain(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as data that msgpack and YAML share."""
    data: dict[str, Any] = json.loads(json.dumps(settings))
    return data
