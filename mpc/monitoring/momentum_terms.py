"""Terms of the momentum observer at a sample, compiled.

`backbeat.mpc.monitoring.momentum_observer` has the equations.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound
from backbeat.models.dynamics.composites import mass_matrix
from backbeat.models.dynamics.frame_arrays import FrameArrays
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace
from backbeat.models.dynamics.kinematics import frame_jacobian, frame_pose
from backbeat.models.dynamics.recursion import backward_pass, body_forces, forward_pass


class ObservedRobot(NamedTuple):
    """A robot as the observer reads it."""

    tree: KinematicTree
    ws: Workspace
    damping: Vector  # (nj,)
    gravity: float  # that h has [m/s^2]
    rows: Indices  # (n,) velocities that are observed
    motors: Indices  # (n,) joints of the rows; negative for those of the base
    inertia: Matrix  # (nv, nv) written: mass matrix
    soles: FrameArrays


class ObservedSample(NamedTuple):
    """What is sensed."""

    q: Vector  # (nq,)
    v: Vector  # (nv,)
    wrenches: Matrix  # (C, 6) that soles feel [N m, N]
    specific_force: Vector  # (3,) that an accelerometer feels; (0,) without one


class SampleTerms(NamedTuple):
    """What a sample is made of, in the rows."""

    M: Matrix  # (n, nv) of the mass matrix
    passive: Vector  # (n,) all torques but those of the motors [N m]


class SampleBefore(NamedTuple):
    """The sample before a step."""

    v: Vector  # (nv,) velocity that is remembered
    terms: SampleTerms
    effort: Vector  # (nj,) torques of the motors from then on [N m]
    residual: Vector  # (n,) [N m]


@compiled
def write_terms(
    bound: Bound[ObservedRobot],
    q: Vector,
    v: Vector,
    wrenches: Matrix,
    terms: SampleTerms,
    felt: Vector,
) -> None:
    """Writes rows of the mass matrix, what motors would balance, what soles feel."""
    of, nv = bound.content, v.shape[0]
    tree, ws, damping, rows, soles = of.tree, of.ws, of.damping, of.rows, of.soles
    h, sensed = np.zeros(nv), np.zeros(nv)
    forward_pass(tree, q, v, np.zeros(nv), of.gravity, ws, False)
    body_forces(tree, ws, False)
    backward_pass(tree, ws, h, False)
    first = nv - damping.shape[0]
    for j in range(damping.shape[0]):
        h[first + j] += damping[j] * v[first + j]
    J, R, r = np.empty((6, nv)), np.empty((3, 3)), np.empty(3)
    for c in range(wrenches.shape[0]):
        body = soles.body[c]
        frame_pose(tree, ws, q, body, soles.R_PF[c], soles.p_PF[c], R, r)
        frame_jacobian(tree, ws, body, r, J)
        for i in range(3):
            moment, force = 0.0, 0.0
            for k in range(3):
                moment += R[i, k] * wrenches[c, k]
                force += R[i, k] * wrenches[c, 3 + k]
            for j in range(nv):
                sensed[j] += J[i, j] * moment + J[3 + i, j] * force
    mass_matrix(tree, ws, of.inertia)
    for i in range(rows.shape[0]):
        terms.passive[i], felt[i] = h[rows[i]], sensed[rows[i]]
        for k in range(nv):
            terms.M[i, k] = of.inertia[rows[i], k]


@compiled
def _follow(
    elapsed: float,
    share: float,
    v: Vector,
    before: SampleBefore,
    motors: Indices,
    terms: SampleTerms,
    felt: Vector,
    residual: Vector,
) -> None:
    """Writes the residual after a step.

    Args:
        elapsed: length of the step [s].
        share: of the way to its cause that the residual goes.
        v: (nv,) velocity after the step.
        before: the sample before it.
        motors: (n,) which motors act on the rows, negative where none does.
        terms: rows and torques after it.
        felt: (n,) what the soles felt.
        residual: (n,) written.
    """
    v0, old, effort, last = before
    for i in range(residual.shape[0]):
        change = 0.0
        for k in range(v.shape[0]):
            change += 0.5 * (old.M[i, k] + terms.M[i, k]) * (v[k] - v0[k])
        # Motors hold their torque until the next sample; the rest changes evenly.
        motor = effort[motors[i]] if motors[i] >= 0 else 0.0
        forces = 0.5 * (old.passive[i] + terms.passive[i]) - motor - felt[i]
        residual[i] = last[i] + share * (change / elapsed + forces - last[i])


@compiled
def observe(
    bound: Bound[ObservedRobot],
    sample: ObservedSample,
    elapsed: float,
    share: float,
    before: SampleBefore,
    kept: Vector,
    terms: SampleTerms,
    residual: Vector,
) -> None:
    """Writes what a sample comes to.

    Args:
        bound: the robot.
        sample: what is sensed.
        elapsed, share, before: as of `_follow`.
        kept: (nv,) written: the velocity to remember.
        terms, residual: written, as of `_follow`.
    """
    q, v, wrenches, specific_force = sample
    has_accelerometer, felt = specific_force.shape[0] > 0, np.empty(residual.shape[0])
    kept[:] = v
    if has_accelerometer:
        kept[3:6] = 0.0
    write_terms(bound, q, kept, wrenches, terms, felt)
    after = kept.copy()
    if has_accelerometer:
        for i in range(3):
            after[3 + i] = elapsed * specific_force[i]
    motors = bound.content.motors
    _follow(elapsed, share, after, before, motors, terms, felt, residual)
