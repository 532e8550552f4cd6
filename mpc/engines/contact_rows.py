"""Sums of contact forces by name, from arrays of contacts of any engine."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import (
    Array3,
    IndexArray3,
    IndexMatrix,
    Matrix,
    Vector,
)
from backbeat.models.compiled.bound import Bound, bind
from backbeat.mpc.world.contact_roles import ContactRoles
from backbeat.mpc.world.stick_contacts import FORCE, MEMBER, ROW, SHAFT_FORCE

# Entries of a pair of shapes: row of the wrenches, sole, stick, member, whether it is
# the tip of the stick; -1 for none.
_WRENCH, _SOLE, _STICK, _OF, _TIP, _ENTRIES = range(6)


class Contacts(NamedTuple):
    """Contacts of one step.

    Attributes:
        shapes: (n, 2) numbers of the shapes that touch.
        points: (n, 3) where [m].
        normals: (n, 3) from the first shape to the second.
        forces: (n, 3) on the second shape, world axes [N].
    """

    shapes: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    forces: np.ndarray


NONE = Contacts(np.empty((0, 2), int), *(np.empty((0, 3)) for _ in range(3)))


class ContactRows:
    """Adds up contacts as `backbeat.mpc.world.contact_log.ContactLog` does."""

    def __init__(self, roles: ContactRoles, shapes: Sequence[int]) -> None:
        """Looks up what every pair of shapes counts as.

        Args:
            roles: what contacts count as.
            shapes: number of the geometry id of each shape, in the engine's order.
        """
        n = len(shapes)
        kinds = np.full((n, n, _ENTRIES), -1)
        signs, heads = np.zeros((n, n, 2)), np.zeros((n, n, 3))
        for i, a in enumerate(shapes):
            for j, b in enumerate(shapes):
                carried = roles.carry(roles.bodies[a], roles.bodies[b])
                signs[i, j, 0] = carried.sign
                kinds[i, j, _WRENCH] = carried.row
                if carried.sole is not None:
                    kinds[i, j, _SOLE] = carried.sole
                strike = roles.sticks.strike(a, b)
                if strike is not None:
                    kinds[i, j, _STICK:] = strike.stick, strike.member, strike.is_tip
                    signs[i, j, 1], heads[i, j] = strike.sign, strike.normal
        self._bound = bind((kinds, signs, heads))
        self._size, self._tips = len(roles.patches) + 1, len(roles.sticks.tips)

    def add(self, contacts: Contacts, soles: int) -> tuple[np.ndarray, ...]:
        """Sums of a step.

        Args:
            contacts: of the step.
            soles: how many soles there are.

        Returns:
            (C + 1, 6) wrenches, (S,) normal forces and (T, ROW) strikes, places and
            velocities aside.
        """
        wrenches, normal = np.zeros((self._size, 6)), np.zeros(soles)
        strikes = np.zeros((self._tips, ROW))
        strikes[:, MEMBER] = -1.0
        _add(self._bound, *contacts, wrenches, normal, strikes)
        return wrenches, normal, strikes


@compiled
def _add(
    bound: Bound[tuple[IndexArray3, Array3, Array3]],
    shapes: IndexMatrix,
    points: Matrix,
    normals: Matrix,
    forces: Matrix,
    wrenches: Matrix,
    normal: Vector,
    strikes: Matrix,
) -> None:
    kinds, signs, heads = bound.content
    for n in range(shapes.shape[0]):
        a, b = shapes[n, 0], shapes[n, 1]
        f = forces[n]
        sign = signs[a, b, 0]
        if sign != 0.0:
            row, p = wrenches[kinds[a, b, 0]], points[n]
            row[0] += sign * (p[1] * f[2] - p[2] * f[1])
            row[1] += sign * (p[2] * f[0] - p[0] * f[2])
            row[2] += sign * (p[0] * f[1] - p[1] * f[0])
            for i in range(3):
                row[3 + i] += sign * f[i]
            sole = kinds[a, b, 1]
            if sole >= 0:
                m = normals[n]
                normal[sole] += abs(m[0] * f[0] + m[1] * f[1] + m[2] * f[2])
        stick = kinds[a, b, 2]
        if stick >= 0:
            h = heads[a, b]
            if kinds[a, b, 4] == 1:
                along = h[0] * f[0] + h[1] * f[1] + h[2] * f[2]
                strikes[stick, FORCE] += signs[a, b, 1] * along
                # A tip that parts from a head overlaps it for a step without a force.
                if along != 0.0:
                    strikes[stick, MEMBER] = kinds[a, b, 3]
            else:
                size = f[0] * f[0] + f[1] * f[1] + f[2] * f[2]
                strikes[stick, SHAFT_FORCE] += np.sqrt(size)
