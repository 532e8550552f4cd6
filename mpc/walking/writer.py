"""WalkWriter: the reference of a walk, from the pieces of a stepping cycle.

Feet follow the cycle's own motion, carried to where the walk has them; the body turns
with them. Shares of the feet in the load, and the centers of pressure on them, stay
those of the cycle, and the center of mass moves as these forces make it. The rest goes
with the body.
"""

from functools import partial
from weakref import WeakKeyDictionary

import numpy as np

from backbeat.mpc.reference.table import ReferenceTable
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.walking.body_path import bounded_path
from backbeat.mpc.walking.cycle import SteppingCycle
from backbeat.mpc.walking.foot_paths import (
    Timeline,
    foot_paths,
    heading_path,
    middle_of,
    timeline,
)
from backbeat.mpc.walking.leg_momentum import leg_momentum
from backbeat.mpc.walking.walk import Walk, rotation

# How many references are kept: the tick and the plan are at most one walk apart.
KEPT = 4
# Phase to which a walk that goes on is defined [s].
ENDLESS = 1e9
_UP = np.array([0.0, 0.0, 1.0])


# Writers by the behavior that they cut.
_writers: "WeakKeyDictionary[Reference, WalkWriter]" = WeakKeyDictionary()


def writer_of(reference: Reference) -> "WalkWriter":
    """The writer of the walks of a behavior, which all of its controllers share.

    Raises:
        BackbeatError: it cannot be driven.
    """
    if reference not in _writers:
        _writers[reference] = WalkWriter(SteppingCycle(reference))
    return _writers[reference]


def reference_on(reference: Reference, walk: Walk | None) -> Reference:
    """The reference of a walk over a behavior; the behavior's own without one."""
    return reference if walk is None else writer_of(reference)(walk)


class WalkWriter:
    """Makes references of walks; equal walks give the same one."""

    def __init__(self, cycle: SteppingCycle) -> None:
        """Writes walks of a stepping cycle."""
        self.cycle = cycle
        self._known: dict[Walk, Reference] = {}

    def __call__(self, walk: Walk) -> Reference:
        """The reference of a walk."""
        found = self._known.pop(walk, None)
        if found is None:
            table = write_table(self.cycle, walk)
            found = self.cycle.reference.along(table, ENDLESS)
        self._known[walk] = found
        while len(self._known) > KEPT:
            del self._known[next(iter(self._known))]
        return found


def write_table(cycle: SteppingCycle, walk: Walk) -> ReferenceTable:
    """The motion of a walk as a table."""
    line, reference = timeline(cycle, walk), cycle.reference
    of = ReferenceTable(*(column[line.row] for column in reference.table))
    of = of._replace(t=line.t)
    for row, rests in zip((0, -1), line.rests, strict=True):
        if rests:
            _stop(of, row)
    feet, heading = foot_paths(cycle, walk, line), heading_path(walk, line)
    _carry_feet(of, cycle, feet)
    # The momentum of the legs follows from the path, and the path from its rate.
    legs = np.zeros((2, len(line.t), 3))
    for _ in range(2):
        path = _body_path(of, cycle, line, (feet[0], heading[0]), legs[1])
        legs = _legs(of, cycle, line, path, heading)
    _carry_forces(of, path[2], heading[0], feet[0, :, :, 2], reference.robot.gravity)
    _carry_body(of, path, heading)
    of.momentum[:] += legs.swapaxes(0, 1)
    return of


def _stop(of: ReferenceTable, row: int) -> None:
    """Takes all rates out of a row."""
    for column in (of.v, of.vdot, of.com[:, 1:], of.momentum, of.trunk):
        column[row] = 0.0
    of.point[row, 1:], of.contact_motion[row] = 0.0, 0.0


def _turned(yaw: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(M, ..., 3) vectors turned about the vertical by (M,) angles."""
    R = np.zeros((len(yaw), 3, 3))
    R[:, :2, :2], R[:, 2, 2] = rotation(yaw), 1.0
    return np.asarray(np.einsum("mij,m...j->m...i", R, vectors))


def _about_vertical(yaw: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """(M, 3, 3) rotations turned about the vertical by (M,) angles."""
    return _turned(yaw, rotations.swapaxes(-1, -2)).swapaxes(-1, -2)


def _carry_feet(of: ReferenceTable, cycle: SteppingCycle, feet: np.ndarray) -> None:
    """Writes places and motion of the soles, from (3, M, 2, 3) poses of theirs."""
    for c in range(2):
        (x, y, yaw), rate, bend = feet[0, :, c].T, feet[1, :, c], feet[2, :, c]
        turn = partial(_turned, yaw)
        arm = turn(of.p_contact[:, c] - [*cycle.feet[c][:2], 0.0])
        V, A = of.contact_motion[:, 0, c], of.contact_motion[:, 1, c]
        V[:], A[:] = (turn(W.reshape(-1, 2, 3)).reshape(-1, 6).copy() for W in (V, A))
        spin, spun = rate[:, 2:] * _UP, bend[:, 2:] * _UP
        V[:, 3:] += np.cross(spin, arm)
        A[:, 3:] += np.cross(spun, arm) + np.cross(spin, V[:, 3:])
        V[:, 3:5] += rate[:, :2]
        A[:, 3:5] += bend[:, :2]
        V[:, :3] += spin
        A[:, :3] += spun
        of.p_contact[:, c] = arm
        of.p_contact[:, c, 0] += x
        of.p_contact[:, c, 1] += y
        of.R_contact[:, c] = _about_vertical(yaw, of.R_contact[:, c])


def _body_path(
    of: ReferenceTable,
    cycle: SteppingCycle,
    line: Timeline,
    poses: tuple[np.ndarray, np.ndarray],
    moment: np.ndarray,
) -> np.ndarray:
    """(3, M, 2) path of the center of mass over the feet, and two derivatives.

    Args:
        of: the walk's table, the soles written.
        cycle: the stepping cycle.
        line: samples of the walk.
        poses: (M, 2, 3) of the soles, and (M,) heading of the body [rad].
        moment: (M, 3) rate of angular momentum besides the cycle's [N m].
    """
    feet, heading = poses
    table, row = cycle.reference.table, line.row
    load = of.wrench[:, :, 5]
    total = load.sum(1)
    gravity = cycle.reference.robot.gravity
    a = gravity * total / of.com[:, 0, 2]
    own = _pressure(table.p_contact[row], table.R_contact[row], of.wrench)
    place = _pressure(of.p_contact, of.R_contact, of.wrench)
    # What else moves the center of mass in the cycle, such as angular momentum.
    force = np.einsum("mcij,mcj->mi", table.R_contact[row], of.wrench[:, :, 3:])
    besides = gravity * force[:, :2] - a[:, None] * (of.com[:, 0, :2] - own)
    R = rotation(heading)
    # A moment is a force at the height of the center of mass.
    lever = cycle.reference.robot.total_mass * of.com[:, 0, 2]
    tilting = np.stack([-moment[:, 1], moment[:, 0]], 1) / lever[:, None]
    z = place - (np.einsum("mij,mj->mi", R, besides) + tilting) / a[:, None]
    nominal = np.mean([foot[:2] for foot in cycle.feet], axis=0)
    ends = []
    for k in (0, -1):
        x, y, yaw = middle_of(cycle, feet[k])
        offset = table.com[row[k], 0, :2] - nominal
        ends.append(np.array([x, y]) + rotation(yaw) @ (nominal + offset))
    if len(line.t) == 2:
        path = np.zeros((3, 2, 2))
        path[0] = ends
        return path
    return bounded_path(line.t, a, z, np.array(ends))


def _pressure(p: np.ndarray, R: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """(M, 2) center of pressure of all patches, from (M, C, 6) wrenches."""
    load = np.maximum(wrench[:, :, 5], 1e-9)[:, :, None]
    offset = np.zeros((*wrench.shape[:2], 3))
    offset[:, :, 0], offset[:, :, 1] = -wrench[:, :, 1], wrench[:, :, 0]
    moment = np.einsum("mcij,mcj->mci", R, offset)
    places = load * p + np.where(load > 1e-6, moment, 0.0)
    return np.asarray((places.sum(1) / load.sum(1))[:, :2])


def _legs(
    of: ReferenceTable,
    cycle: SteppingCycle,
    line: Timeline,
    path: np.ndarray,
    heading: np.ndarray,
) -> np.ndarray:
    """(2, M, 3) momentum of the legs besides the cycle's, as of `leg_momentum`.

    Args:
        of: the walk's table, the soles written.
        cycle, line: the cycle, and samples of the walk.
        path: (3, M, 2) of the center of mass.
        heading: (3, M) of the body and two derivatives.
    """
    table, row = cycle.reference.table, line.row
    R = _turned(heading[0], np.tile(np.eye(3), (len(line.t), 1, 1))).swapaxes(1, 2)
    motion, own = of.contact_motion.copy(), table.contact_motion[row]
    own[:, :, :, 3:] -= table.com[row, 1:, None]
    motion[:, :, :, 5] -= table.com[row, 1:, None, 2]
    arm = of.p_contact - of.com[:, None, 0]
    arm[:, :, :2] -= (path[0] - of.com[:, 0, :2])[:, None]
    for k in (0, 1):
        spin = heading[k + 1, :, None] * _UP
        motion[:, k, :, :3] -= spin[:, None]
        motion[:, k, :, 3:5] -= path[k + 1][:, None]
        motion[:, k, :, 3:] -= np.cross(spin[:, None], arm)
    return leg_momentum(cycle.leg_maps, motion, own, R)


def _carry_forces(
    of: ReferenceTable,
    acceleration: np.ndarray,
    heading: np.ndarray,
    yaw: np.ndarray,
    gravity: float,
) -> None:
    """Writes horizontal forces that give (M, 2) accelerations of the center of mass.

    Those of the cycle turn with the body; feet share the rest as they share the load.
    """
    load = of.wrench[:, :, 5]
    share = load / load.sum(1, keepdims=True)
    # Soles that stand are flat: their axes differ from the world's by their headings.
    force = np.stack([_turned(heading, of.wrench[:, c, 3:]) for c in range(2)], 1)
    lacking = acceleration / gravity - force[:, :, :2].sum(1)
    force[:, :, :2] += share[:, :, None] * lacking[:, None]
    for c in range(2):
        of.wrench[:, c, 3:] = _turned(-yaw[:, c], force[:, c])


def _carry_body(of: ReferenceTable, path: np.ndarray, heading: np.ndarray) -> None:
    """Writes the rest: base, trunk, points and momenta turn and go with the body.

    Args:
        of: the walk's table, still with the cycle's motion of these.
        path: (3, M, 2) of the center of mass.
        heading: (3, M) of the body and two derivatives.
    """
    yaw, turn = heading[0], partial(_turned, heading[0])
    spin, spun = heading[1, :, None] * _UP, heading[2, :, None] * _UP
    com = of.com.copy()
    of.com[:, :, :2] = path.swapaxes(0, 1)

    def carried(place: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Place and velocity of a point of the body."""
        arm = turn(place - com[:, 0])
        return of.com[:, 0] + arm, of.com[:, 1] + turn(rate - com[:, 1]) + np.cross(
            spin, arm
        )

    of.q[:, 4:7], of.v[:, 3:6] = carried(of.q[:, 4:7], of.v[:, 3:6])
    of.vdot[:, 3:6] = turn(of.vdot[:, 3:6])
    w, x, y, z = of.q[:, :4].T.copy()
    c, s = np.cos(0.5 * yaw), np.sin(0.5 * yaw)
    of.q[:, :4] = np.stack(
        [c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w], 1
    )
    of.v[:, :3] = turn(of.v[:, :3]) + spin
    of.vdot[:, :3] = turn(of.vdot[:, :3]) + spun
    of.R_trunk[:] = _about_vertical(yaw, of.R_trunk)
    of.trunk[:] = turn(of.trunk) + np.stack([spin, spun], 1)
    of.inertia[:] = _about_vertical(yaw, of.inertia)
    of.inertia[:] = _about_vertical(yaw, of.inertia.swapaxes(1, 2))
    with_body = np.einsum("mij,mkj->mki", of.inertia, np.stack([spin, spun], 1))
    of.momentum[:] = turn(of.momentum) + with_body
    for p in range(of.point.shape[2]):
        of.point[:, 0, p], of.point[:, 1, p] = carried(
            of.point[:, 0, p], of.point[:, 1, p]
        )
        of.point[:, 2, p] = turn(of.point[:, 2, p])
    of.point_force[:] = turn(of.point_force)
