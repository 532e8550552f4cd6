"""Moves: what a body part does over some beats.

A move adds offsets to channels: `com.x`, `com.y`, `com.z` in meters, or joint
names in radians. Its parameters have a range, a default and a unit, so a
choreography can be checked before anything is solved.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from models.errors import BackbeatError, unknown_name

# Offsets by channel over an array of beats since the move began.
Offsets = dict[str, np.ndarray]


@dataclass(frozen=True)
class Parameter:
    """A number that a move takes.

    Attributes:
        least, default, most: range and default.
        unit: unit for people.
    """

    least: float
    default: float
    most: float
    unit: str


@dataclass(frozen=True)
class Move:
    """A named move.

    Attributes:
        name: name in choreographies.
        track: "legs", "body", "arms" or "head".
        summary: one line for people.
        parameters: by name.
        shape: offsets from (beats since the start, parameter values).
    """

    name: str
    track: str
    summary: str
    parameters: Mapping[str, Parameter]
    shape: Callable[[np.ndarray, Mapping[str, float]], Offsets]

    def values(self, given: Mapping[str, float], where: str) -> dict[str, float]:
        """Parameter values with defaults filled in.

        Raises:
            BackbeatError: an unknown parameter or one out of its range.
        """
        values = {n: p.default for n, p in self.parameters.items()}
        for name, value in given.items():
            if name not in self.parameters:
                raise unknown_name(
                    f"parameter of {self.name} in {where}", name, self.parameters
                )
            p = self.parameters[name]
            if not p.least <= value <= p.most:
                raise BackbeatError(
                    f"{where}: {name} of {self.name} is {value:g} {p.unit}; it goes "
                    f"from {p.least:g} to {p.most:g}"
                )
            values[name] = float(value)
        return values


def _cycle(beats: np.ndarray, length: float, shift: float = 0.0) -> np.ndarray:
    """Sine with a cycle of `length` beats, shifted by a share of the cycle."""
    return np.asarray(np.sin(2 * np.pi * (beats / length + shift)))


def _dip(beats: np.ndarray, length: float) -> np.ndarray:
    """Zero on the first beat of a cycle, one in its middle, smooth."""
    return np.asarray(0.5 * (1 - np.cos(2 * np.pi * beats / length)))


def _bounce(beats: np.ndarray, p: Mapping[str, float]) -> Offsets:
    return {"com.z": -p["depth"] * _dip(beats, p["cycle"])}


def _sway(beats: np.ndarray, p: Mapping[str, float]) -> Offsets:
    return {"com.y": p["width"] * _cycle(beats, p["cycle"])}


def _shift(beats: np.ndarray, p: Mapping[str, float]) -> Offsets:
    # A soft square wave: over one foot, and over the other.
    wave = np.tanh(2.5 * _cycle(beats, p["cycle"])) / np.tanh(2.5)
    return {"com.y": p["width"] * wave}


def _twist(beats: np.ndarray, p: Mapping[str, float]) -> Offsets:
    return {"back_bkz": p["angle"] * _cycle(beats, p["cycle"])}


def _lean(beats: np.ndarray, p: Mapping[str, float]) -> Offsets:
    return {"back_bkx": p["angle"] * _cycle(beats, p["cycle"])}


def _wave(beats: np.ndarray, p: Mapping[str, float]) -> Offsets:
    """A wave that runs from one hand through both arms to the other."""
    offsets = {}
    # Lift both arms sideways; hands mirror, so left and right differ in sign.
    lift = p["lift"] * np.ones_like(beats)
    offsets["l_arm_shx"], offsets["r_arm_shx"] = lift, -lift
    for i, joint in enumerate(("shx", "elx", "mwx")):
        size = p["angle"] * (0.6, 1.0, 0.8)[i]
        for side, sign, start in (("l", 1.0, 0.0), ("r", -1.0, 0.5)):
            wave = _cycle(beats, p["cycle"], start - 0.15 * i)
            name = f"{side}_arm_{joint}"
            offsets[name] = offsets.get(name, 0.0) + sign * size * wave
    return offsets


def _swing(beats: np.ndarray, p: Mapping[str, float]) -> Offsets:
    """Arms swing back and forth against each other, as in walking."""
    wave = p["angle"] * _cycle(beats, p["cycle"])
    return {"l_arm_shz": wave, "r_arm_shz": wave}


def _pump(beats: np.ndarray, p: Mapping[str, float]) -> Offsets:
    """Forearms beat up and down, left and right in turn."""
    left = p["angle"] * _dip(beats, p["cycle"])
    right = p["angle"] * _dip(beats + 0.5 * p["cycle"], p["cycle"])
    return {"l_arm_elx": left, "r_arm_elx": -right}


def _nod(beats: np.ndarray, p: Mapping[str, float]) -> Offsets:
    return {"neck_ay": p["angle"] * _dip(beats + 0.5 * p["cycle"], p["cycle"])}


def _cycle_parameter(default: float) -> Parameter:
    return Parameter(0.5, default, 16.0, "beats")


MOVES = {
    move.name: move
    for move in (
        Move(
            "bounce",
            "legs",
            "bends the knees once a cycle",
            {
                "depth": Parameter(0.0, 0.06, 0.2, "m"),
                "cycle": _cycle_parameter(1.0),
            },
            _bounce,
        ),
        Move(
            "sway",
            "legs",
            "swings the weight from side to side",
            {
                "width": Parameter(-0.12, 0.07, 0.12, "m"),
                "cycle": _cycle_parameter(4.0),
            },
            _sway,
        ),
        Move(
            "shift",
            "legs",
            "puts the weight over one foot and over the other, and stays there",
            {
                "width": Parameter(-0.12, 0.08, 0.12, "m"),
                "cycle": _cycle_parameter(8.0),
            },
            _shift,
        ),
        Move(
            "twist",
            "body",
            "turns the torso left and right",
            {
                "angle": Parameter(-0.6, 0.3, 0.6, "rad"),
                "cycle": _cycle_parameter(2.0),
            },
            _twist,
        ),
        Move(
            "lean",
            "body",
            "leans the torso to the sides",
            {
                "angle": Parameter(-0.4, 0.15, 0.4, "rad"),
                "cycle": _cycle_parameter(4.0),
            },
            _lean,
        ),
        Move(
            "wave",
            "arms",
            "lifts the arms and lets a wave run through them",
            {
                "lift": Parameter(0.0, 1.1, 1.4, "rad"),
                "angle": Parameter(0.0, 0.4, 0.7, "rad"),
                "cycle": _cycle_parameter(2.0),
            },
            _wave,
        ),
        Move(
            "swing",
            "arms",
            "swings the arms against each other",
            {
                "angle": Parameter(0.0, 0.4, 0.6, "rad"),
                "cycle": _cycle_parameter(2.0),
            },
            _swing,
        ),
        Move(
            "pump",
            "arms",
            "beats the forearms up and down in turn",
            {
                "angle": Parameter(0.0, 1.2, 1.6, "rad"),
                "cycle": _cycle_parameter(1.0),
            },
            _pump,
        ),
        Move(
            "nod",
            "head",
            "nods on the beat",
            {
                "angle": Parameter(0.0, 0.2, 0.5, "rad"),
                "cycle": _cycle_parameter(1.0),
            },
            _nod,
        ),
    )
}
