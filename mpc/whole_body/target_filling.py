"""The target of a tick from the behavior and the plan, compiled.

Rates of the behavior are per phase: with phase rate r, velocities scale by r and
accelerations by r^2.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Indices, Matrix
from backbeat.models.compiled.bound import Bound
from backbeat.models.dynamics.edges import move_to_edge
from backbeat.models.dynamics.rotations import cross, quaternion_to_matrix, rotation_exp
from backbeat.mpc.plans.plan import PlanArrays, interpolate
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.whole_body.programs.arguments import Target

# A point that is slower than this stands still [m/s].
STILL = 1e-3


class TargetParts(NamedTuple):
    """A target, and what it is written from.

    Attributes:
        target: written.
        sample: the behavior at the phase of the tick.
        is_elsewhere, elsewhere: (C,), (C, 3) patches that have landed elsewhere than
            the behavior lands them, and where [m].
        soles: patches that the robot steps with.
        mass, gravity: of the robot [kg, m/s^2].
        floating: whether the base is free.
    """

    target: Target
    sample: ReferenceSample
    is_elsewhere: Flags
    elsewhere: Matrix
    soles: Indices
    mass: float
    gravity: float
    floating: bool


@compiled
def _scale(rate, values, out):
    x, y = values.ravel(), out.ravel()
    for i in range(x.shape[0]):
        y[i] = rate * x[i]


@compiled
def fill(
    bound: Bound[TargetParts],
    plan: Bound[PlanArrays],
    rate: float,
    elapsed: float,
    ground: float,
) -> None:
    """Writes a target; `whole_body_target.TargetWriter` says what.

    Args:
        bound: target, sample of the behavior and what does not change.
        plan: arrays of the plan.
        rate: its phase rate [-].
        elapsed: time since its start [s].
        ground: height of the ground, as it has it [m].
    """
    of, p = bound.content, plan.content
    fill_from(of, p, rate, elapsed, ground)


@compiled
def _place_patches(of, places, shift, ground):
    """Moves (C, 3) places of the patches to where the plan has them."""
    for c in range(places.shape[0]):
        if of.is_elsewhere[c]:
            places[c] = of.elsewhere[c]
        places[c, 2] += ground
    for i in range(shift.shape[0]):
        places[of.soles[i], 0] += shift[i, 0]
        places[of.soles[i], 1] += shift[i, 1]


@compiled
def fill_from(of, plan, rate, elapsed, ground):
    """Writes a target from a plan; arguments are those of `fill`."""
    target, sample = of.target, of.sample
    deviation, turning = np.empty(12), np.empty((2, 3))
    k = interpolate(
        plan.ends, plan.durations, plan.deviation, elapsed, deviation, turning
    )
    deviation[2] += ground
    _follow_behavior(of, rate)
    if not of.floating:
        return
    # Where the plan has the patches that carry the forces.
    places = sample.p_contact.copy()
    _place_patches(of, places, plan.shift[k + 1], ground)
    _fill_floating(of, rate, deviation, plan.wrench[k], places)
    target.base[:] += turning
    target.trunk[:] += turning


@compiled
def _follow_behavior(of, rate):
    """Writes the behavior at a phase rate."""
    target, sample = of.target, of.sample
    nq, nv = (7, 6) if of.floating else (0, 0)
    square = rate * rate
    target.joints[0] = sample.q[nq:]
    _scale(rate, sample.v[nv:], target.joints[1])
    _scale(square, sample.vdot[nv:], target.joints[2])
    target.standing[:] = sample.standing
    target.R_contact[:] = sample.R_contact
    target.contact[:] = sample.p_contact
    target.edge[:] = sample.edge
    target.pitch[:] = sample.pitch
    _scale(rate, sample.contact_motion[0], target.contact_motion[0])
    _scale(square, sample.contact_motion[1], target.contact_motion[1])
    target.point[0] = sample.point[0]
    _scale(rate, sample.point[1], target.point[1])
    _scale(square, sample.point[2], target.point[2])
    target.point_force[:] = sample.point_force
    for p in range(sample.point_force.shape[0]):
        # A point that carries a planned load and stands still rests; others, and toes
        # that move a pedal, are held to their path.
        f, v = sample.point_force[p], sample.point[1, p]
        loaded = f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0
        still = np.abs(v[0]) + np.abs(v[1]) + np.abs(v[2]) < STILL
        target.point_on[p] = 0.0 if loaded and still else 1.0
    _scale(rate, sample.trunk[0], target.trunk[0])
    _scale(square, sample.trunk[1], target.trunk[1])
    target.R_trunk[:] = sample.R_trunk


@compiled
def move_sole(
    bound: Bound[TargetParts],
    contact: int,
    offset: Matrix,
    rate: float,
) -> None:
    """Moves a sole of a target by a (3, 3) offset and its rates per phase."""
    target = bound.content.target
    for i in range(3):
        target.contact[contact, i] += offset[0, i]
        target.contact_motion[0, contact, 3 + i] += rate * offset[1, i]
        target.contact_motion[1, contact, 3 + i] += rate * rate * offset[2, i]


@compiled
def _fill_floating(of, rate, deviation, wrench, places):
    """Writes what a robot with a free base has besides."""
    target, sample, mass, gravity = of.target, of.sample, of.mass, of.gravity
    square = rate * rate
    turn, R = np.empty((3, 3)), np.empty((3, 3))
    rotation_exp(deviation[9:12], turn)
    quaternion_to_matrix(sample.q, R)
    for i in range(3):
        for j in range(3):
            s, t = 0.0, 0.0
            for k in range(3):
                s += turn[i, k] * R[k, j]
                t += turn[i, k] * sample.R_trunk[k, j]
            target.R_base[i, j] = s
            target.R_trunk[i, j] = t
    for i in range(3):
        target.base[0, i] = rate * sample.v[i]
        target.base[1, i] = square * sample.vdot[i]
        target.com[0, i] = sample.com[0, i] + deviation[i]
        target.com[1, i] = rate * sample.com[1, i] + deviation[3 + i]
        target.momentum[0, i] = rate * sample.momentum[0, i] + mass * deviation[6 + i]
    target.wrench[:] = wrench
    # The plan's forces are its accelerations.
    force, moment = np.zeros(3), np.zeros(3)
    force[2] = -gravity
    f, arm, turning = np.empty(3), np.empty(3), np.empty(3)
    for c in range(wrench.shape[0]):
        for i in range(3):
            s, t = 0.0, 0.0
            for k in range(3):
                s += sample.R_contact[c, i, k] * wrench[c, 3 + k]
                t += sample.R_contact[c, i, k] * wrench[c, k]
            f[i] = gravity * s
            force[i] += f[i]
            moment[i] += gravity * t
            arm[i] = places[c, i] - target.com[0, i]
        cross(arm, f, turning)
        for i in range(3):
            moment[i] += turning[i]
    for c in range(wrench.shape[0]):
        # From about the support to about the edge.
        move_to_edge(target.wrench[c], target.edge[c])
    for i in range(3):
        target.com[2, i] = force[i]
        target.momentum[1, i] = mass * moment[i]
