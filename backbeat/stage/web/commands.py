"""Commands: what a page may ask of a live show, read from small JSON."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from backbeat.models.common.errors import BackbeatError, unknown_name

# Slowest and fastest that a show is played.
SPEEDS = (0.05, 4.0)
# With the robot of a behavior before its name.
LONGEST_NAME = 129
# Gives the value of a command as it is used, or raises BackbeatError.
Reader = Callable[[Any], Any]


@dataclass(frozen=True)
class Command:
    """A command from a page.

    Attributes:
        name: what to do.
        value: with what; None where nothing is needed.
    """

    name: str
    value: Any = None


def number(low: float, high: float) -> Reader:
    """Reads a number between two others."""

    def read(value: Any) -> float:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not fits or not math.isfinite(value) or not low <= value <= high:
            raise BackbeatError(f"a number from {low:g} to {high:g}, not {value!r:.40}")
        return float(value)

    return read


def switch(value: Any) -> bool:
    """Reads on or off."""
    if not isinstance(value, bool):
        raise BackbeatError(f"true or false, not {value!r:.40}")
    return value


def one_of(names: Iterable[str]) -> Reader:
    """Reads one of some words."""
    choices = tuple(names)

    def read(value: Any) -> str:
        if value not in choices:
            raise BackbeatError(f"one of {', '.join(choices)}, not {value!r:.40}")
        return str(value)

    return read


def name(value: Any) -> str:
    """Reads the name of something that is looked up later."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME:
        raise BackbeatError(f"a name of up to {LONGEST_NAME} letters")
    return value


def nothing(value: Any) -> None:
    """Reads the value of a command that has none."""
    if value is not None:
        raise BackbeatError(f"no value, not {value!r:.40}")


# What moves through a performance. Times are those of the behavior [s]; beats count
# from 1, and steps and leaps go either way.
PLAYING: dict[str, Reader] = {
    "play": switch,
    "seek": number(-60.0, 36_000.0),
    "beat": number(1, 100_000),
    "leap": number(-64, 64),
    "step": number(-1000, 1000),
    "speed": number(*SPEEDS),
    "loop": switch,
    "choose": name,
    "mode": one_of(("planned", "simulated", "driven")),
    "edit": nothing,
}


def read_command(text: bytes | str, readers: dict[str, Reader]) -> Command:
    """Reads a command as a page sends it: {"do": NAME, "value": VALUE}.

    Args:
        text: what came.
        readers: what may be asked for, and how its value is read.

    Raises:
        BackbeatError: it is none, with a sentence for the page.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not set(found) <= {"do", "value"}:
        raise BackbeatError('a command is {"do": NAME, "value": VALUE}')
    asked = found.get("do")
    if not isinstance(asked, str) or asked not in readers:
        raise unknown_name("command", str(asked)[:LONGEST_NAME], list(readers))
    try:
        return Command(asked, readers[asked](found.get("value")))
    except BackbeatError as error:
        raise BackbeatError(f"{asked} takes {error}") from None
