"""What MuJoCo's arrays say of a step, by the order of the robot model."""

from typing import Any, NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import (
    IndexMatrix32View,
    Indices,
    Indices32,
    Indices32View,
    MatrixView,
    Vector,
)
from backbeat.models.compiled.bound import Bound
from backbeat.models.dynamics.rotations import quaternion_to_matrix
from backbeat.models.state.point_motion import PointArrays, write_motions
from backbeat.mpc.engines.contact_rows import ContactSums, ContactTable, add_contact
from backbeat.mpc.world.stick_contacts import PLACE

# Faster than anything that is simulated with sense [m/s, rad/s].
_RUNAWAY = 1e6


class MujocoArrays(NamedTuple):
    """Arrays of MuJoCo's data, which stay where they are, and what is where in them.

    Attributes:
        qpos, qvel: MuJoCo's state.
        ctrl: efforts of its motors [N m].
        passed: (nv of MuJoCo,) what they come to at its velocities [N m].
        q, v: (nj,) entries of the model's joints in `qpos` and `qvel`.
        joint: (nv of MuJoCo,) joint of each velocity; -1 for none.
        motors: joint of each motor.
        free: (2,) first entries of the base in `qpos` and `qvel`; -1 where it is fixed.
        table: what contacts count as.
        points: of the robot that strike.
    """

    qpos: Vector
    qvel: Vector
    ctrl: Vector
    passed: Vector
    q: Indices
    v: Indices
    joint: Indices
    motors: Indices
    free: Indices
    table: ContactTable
    points: PointArrays


class RawContacts(NamedTuple):
    """Contacts and forces of constraints of one step, as MuJoCo has them.

    Attributes:
        pos: (n, 3) where [m].
        frame: (n, 9) axes of each, the first the normal from the first shape.
        geom: (n, 2) numbers of the shapes that touch.
        first: (n,) first of three forces of each, elliptic cones; -1 for none.
        force: forces of constraints [N or N m].
        rubbing: (2,) first and last but one of those that are friction in joints.
        joint: what each constraint is of, there a velocity.
    """

    pos: MatrixView
    frame: MatrixView
    geom: IndexMatrix32View
    first: Indices32View
    force: Vector
    rubbing: Indices
    joint: Indices32


_NO_FRICTION, _NO_JOINTS = np.zeros(2, int), np.zeros(0, np.int32)


def raw_contacts(data: Any, rubs: bool) -> RawContacts:
    """Contacts of the step that has just ended, valid until the next one.

    Args:
        data: `MjData`.
        rubs: whether there is friction in joints.
    """
    found, force = data.contact, data.efc_force
    rubbing, of = _NO_FRICTION, _NO_JOINTS
    if rubs:
        # Constraints are sorted: equalities, friction, limits, contacts.
        rubbing, of = np.array([data.ne, data.ne + data.nf]), data.efc_id
    at = found.efc_address
    return RawContacts(found.pos, found.frame, found.geom, at, force, rubbing, of)


@compiled
def command(bound: Bound[MujocoArrays], v: Vector, effort: Vector) -> bool:
    """Passes (nj,) efforts to motors; whether they and velocities are within bounds."""
    of, bounded = bound.content, True
    for i in range(of.motors.shape[0]):
        of.ctrl[i] = effort[of.motors[i]]
        # MuJoCo takes no effort at all in place of what is no number.
        bounded &= np.isfinite(of.ctrl[i])
    for i in range(v.shape[0]):
        # A comparison with what is no number is false.
        bounded &= abs(v[i]) < _RUNAWAY
    return bounded


@compiled
def read(
    bound: Bound[MujocoArrays],
    contacts: RawContacts,
    q: Vector,
    v: Vector,
    effort: Vector,
    sums: ContactSums,
) -> None:
    """Writes what there is to know at the end of a step.

    Args:
        bound: MuJoCo's arrays.
        contacts: of the step.
        q, v: (nq,), (nv,) of the model.
        effort: (nj,) what came through to the joints over the step [N m or N].
        sums: of `no_contacts`; places and velocities in them are written too.
    """
    of = bound.content
    base_q, base_v = q.shape[0] - of.q.shape[0], v.shape[0] - of.v.shape[0]
    for j in range(of.q.shape[0]):
        q[base_q + j] = of.qpos[of.q[j]]
        v[base_v + j] = of.qvel[of.v[j]]
        effort[j] = of.passed[of.v[j]]
    if of.free[0] >= 0:
        _read_base(of, q, v)
    for k in range(contacts.rubbing[0], contacts.rubbing[1]):
        j = of.joint[contacts.joint[k]]
        if j >= 0:
            effort[j] += contacts.force[k]
    f = np.empty(3)
    for n in range(contacts.first.shape[0]):
        k = contacts.first[n]
        if k >= 0:
            frame = contacts.frame[n]
            for i in range(3):
                f[i] = 0.0
                for a in range(3):
                    f[i] += contacts.force[k + a] * frame[3 * a + i]
            a, b = contacts.geom[n, 0], contacts.geom[n, 1]
            add_contact(of.table, a, b, contacts.pos[n], frame, f, sums)
    at = np.empty((of.points.body.shape[0], 6))
    if at.shape[0] > 0:
        write_motions(of.points, q, v, at)
        for n in range(at.shape[0]):
            for i in range(6):
                sums.strikes[n, PLACE + i] = at[n, i]


@compiled
def _read_base(of, q, v):
    """Place and velocity of a floating base; MuJoCo has it turn in its own axes."""
    at, going = of.free[0], of.free[1]
    for i in range(4):
        q[i] = of.qpos[at + 3 + i]
    R = np.empty((3, 3))
    quaternion_to_matrix(q, R)
    for i in range(3):
        q[4 + i] = of.qpos[at + i]
        v[3 + i] = of.qvel[going + i]
        v[i] = 0.0
        for a in range(3):
            v[i] += R[i, a] * of.qvel[going + 3 + a]
