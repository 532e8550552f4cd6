"""Segments of a kinematic drummer: Hold, and Goto along a parabola.

The drummer of G. Bahati, S. Esteban, "Atlas The Drummer", 2021 (California Institute of
Technology) moves a tip straight in x and y, along a parabola in z, and turns it by
Rz(theta_z) Rx(theta_x), with a path variable s from 0 to 1. Three details differ here:
the matrix for the parabola is 2 x 2; the parabola passes z_max at half time, which is
its apex between drums of one height only; and theta_z, which is a function of s, is not
divided by T again.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from backbeat.behaviors.music.notation.score import Score
from backbeat.models.common.errors import BackbeatError

Kind = Literal["Hold", "Goto"]
# Arrival at a drum and departure from it [s], and which it is.
Stop = tuple[float, float, str]


def parabola(z_0: float, z_f: float, h: float, T: float) -> tuple[float, float, float]:
    """Coefficients of z(t) = a t^2 + b t + c through both ends and z_max at T / 2.

    The conditions are [[T^2, T], [T^2 / 4, T / 2]] [a, b] = [z_f - z_0, z_max - z_0],
    a matrix with determinant T^3 / 4, hence regular for every T > 0.

    Args:
        z_0, z_f: heights of the ends [m].
        h: height factor: z_max is so much above the higher end [m].
        T: duration [s].
    """
    z_max = max(z_0, z_f) + h
    a = 2.0 * (z_0 + z_f - 2.0 * z_max) / T**2
    b = (4.0 * z_max - 3.0 * z_0 - z_f) / T
    return a, b, z_0


def apex(z_0: float, z_f: float, h: float, T: float) -> tuple[float, float]:
    """Time [s] and height [m] of the parabola's highest point, for h > 0."""
    a, b, c = parabola(z_0, z_f, h, T)
    return -b / (2.0 * a), c - b**2 / (4.0 * a)


@dataclass(frozen=True)
class Segment:
    """A stretch of a tip's way.

    Attributes:
        kind: "Hold" stays, "Goto" moves.
        start, end: [s]; a Goto takes time.
        p_0, p_f: (3,) tip at both ends [m]; the same for a Hold.
        turn_0, turn_f: theta_z at both ends: azimuth of the stick from +y [rad].
        height: height factor of the parabola [m].
        lift: greatest theta_x, at s = 1/2 [rad].
    """

    kind: Kind
    start: float
    end: float
    p_0: np.ndarray
    p_f: np.ndarray
    turn_0: float
    turn_f: float
    height: float = 0.0
    lift: float = 0.0

    def path_variable(self, t: float) -> float:
        """Path variable s, 0 to 1."""
        length = self.end - self.start
        return float(np.clip((t - self.start) / length, 0, 1)) if length > 0 else 1.0

    def place(self, t: float) -> np.ndarray:
        """(3,) tip at a time [m]."""
        if self.kind == "Hold":
            return self.p_f
        s, T = self.path_variable(t), self.end - self.start
        p = (1.0 - s) * self.p_0 + s * self.p_f
        a, b, c = parabola(float(self.p_0[2]), float(self.p_f[2]), self.height, T)
        p[2] = (a * s * T + b) * s * T + c
        return np.asarray(p)

    def angles(self, t: float) -> tuple[float, float]:
        """theta_z, linear in s, and theta_x = A sin(pi s) [rad]."""
        s = self.path_variable(t)
        turn = (self.turn_f - self.turn_0) * s + self.turn_0
        lift = self.lift * float(np.sin(np.pi * s)) if self.kind == "Goto" else 0.0
        return turn, lift

    def rotation(self, t: float) -> np.ndarray:
        """(3, 3) R = Rz(theta_z) Rx(theta_x)."""
        turn, lift = self.angles(t)
        cz, sz, cx, sx = np.cos(turn), np.sin(turn), np.cos(lift), np.sin(lift)
        Rz = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
        Rx = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
        return np.asarray(Rz @ Rx)


def stops_of_hand(score: Score, hand: str) -> list[Stop]:
    """Every time a hand is at a drum, in order.

    Raises:
        BackbeatError: it is to be at two drums at once.
    """
    time = score.tempo.time
    stops = [(time(h.beat), time(h.beat), h.member) for h in score.of_hand(hand)]
    for hold in score.holds:
        if hand in hold.rest:
            ends = time(hold.contact_start), time(hold.contact_end)
            stops.append((*ends, hold.rest[hand]))
    for target in score.targets:
        if target.hand == hand:
            ends = time(target.beat), time(target.beat + target.beats)
            stops.append((*ends, target.name))
    stops.sort()
    for (_, left, a), (arrival, _, b) in itertools.pairwise(stops):
        if arrival <= left:
            raise BackbeatError(
                f"the {hand} hand is at the {a} and at the {b} at {arrival:.2f} s"
            )
    return stops


def segments_between(
    stops: Sequence[Stop],
    aims: Mapping[str, tuple[np.ndarray, float]],
    start: tuple[np.ndarray, float],
    end: float,
    height: float,
    lift: float,
) -> list[Segment]:
    """Holds at drums, and the ways between them.

    Args:
        stops: of one hand, in order.
        aims: where a tip touches each drum [m], and azimuth of the stick there [rad].
        start: the same at the start.
        end: of the last segment [s].
        height, lift: of every Goto [m, rad].
    """
    segments = list[Segment]()
    before, (place, turn) = 0.0, start
    for arrival, departure, member in stops:
        p, azimuth = aims[member]
        if arrival > before:
            ends = (place, p, turn, azimuth)
            segments.append(Segment("Goto", before, arrival, *ends, height, lift))
        if departure > arrival:
            segments.append(Segment("Hold", arrival, departure, p, p, azimuth, azimuth))
        before, place, turn = departure, p, azimuth
    if before < end:
        segments.append(Segment("Hold", before, end, place, place, turn, turn))
    return segments
