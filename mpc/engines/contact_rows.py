"""Sums of contact forces by name, contact by contact, for any engine."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, IndexArray3, Matrix, Vector
from backbeat.mpc.world.contact_roles import ContactRoles
from backbeat.mpc.world.stick_contacts import (
    FORCE,
    LEAST_FORCE,
    MEMBER,
    ROW,
    SHAFT_FORCE,
)

# Entries of a pair of shapes: row of the wrenches, sole, stick, member, whether it is
# the tip of the stick; -1 for none.
_WRENCH, _SOLE, _STICK, _OF, _TIP, _ENTRIES = range(6)


class ContactTable(NamedTuple):
    """What every pair of shapes counts as.

    Attributes:
        kinds: (n, n, 5) entries of each pair.
        signs: (n, n, 2) of the force on the second shape, on what carries the robot
            and on a stick; 0 for what does not count.
        heads: (n, n, 3) normals of struck members.
    """

    kinds: IndexArray3
    signs: Array3
    heads: Array3


class ContactSums(NamedTuple):
    """Sums of a step.

    Attributes:
        wrenches: (C + 1, 6) as `backbeat.mpc.world.contact_log.ContactLog.wrenches`.
        normal_forces: (S,) on soles [N].
        strikes: (T, ROW) rows of strikes, places and velocities aside.
    """

    wrenches: Matrix
    normal_forces: Vector
    strikes: Matrix


def contact_table(roles: ContactRoles, shapes: Sequence[int]) -> ContactTable:
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
    return ContactTable(kinds, signs, heads)


def no_contacts(roles: ContactRoles, soles: int) -> ContactSums:
    """Sums of nothing, for `add_contact` to add to.

    Args:
        roles: what contacts count as.
        soles: how many soles there are.
    """
    strikes = np.zeros((len(roles.sticks.tips), ROW))
    strikes[:, MEMBER] = -1.0
    return ContactSums(np.zeros((len(roles.patches) + 1, 6)), np.zeros(soles), strikes)


@compiled
def add_contact(table, a, b, p, m, f, sums):
    """Adds a contact to `ContactSums` as `ContactLog` does.

    Args:
        table: what pairs count as.
        a, b: numbers of the shapes.
        p: (3,) where they touch, world axes [m].
        m: (3,) normal there, either way.
        f: (3,) force on the second shape, world axes [N].
        sums: what is added to.
    """
    wrenches, normal, strikes = sums
    sign = table.signs[a, b, 0]
    if sign != 0.0:
        row = wrenches[table.kinds[a, b, 0]]
        row[0] += sign * (p[1] * f[2] - p[2] * f[1])
        row[1] += sign * (p[2] * f[0] - p[0] * f[2])
        row[2] += sign * (p[0] * f[1] - p[1] * f[0])
        for i in range(3):
            row[3 + i] += sign * f[i]
        sole = table.kinds[a, b, 1]
        if sole >= 0:
            normal[sole] += abs(m[0] * f[0] + m[1] * f[1] + m[2] * f[2])
    stick = table.kinds[a, b, 2]
    if stick >= 0:
        h = table.heads[a, b]
        if table.kinds[a, b, 4] == 1:
            along = h[0] * f[0] + h[1] * f[1] + h[2] * f[2]
            strikes[stick, FORCE] += table.signs[a, b, 1] * along
            if abs(along) > LEAST_FORCE:
                strikes[stick, MEMBER] = table.kinds[a, b, 3]
        else:
            size = f[0] * f[0] + f[1] * f[1] + f[2] * f[2]
            strikes[stick, SHAFT_FORCE] += np.sqrt(size)
