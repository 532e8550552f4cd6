"""Tasks of the whole-body program: weights and gains, and the rows of each, compiled.

A task is a weight in `WholeBodyGains`, its gains, and a function that writes its rows,
which `write_tasks` calls. H and g of the program, explanations, the keys of weights
files, fields of sweeps and the tables of `docs/reference/weights.md` follow from both.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.dynamics.kinematics import (
    base_position,
    frame_acceleration,
    frame_jacobian,
    frame_pose,
)
from backbeat.models.dynamics.rotations import quaternion_to_matrix, relative_log
from backbeat.mpc.reference.scale import BodyScale
from backbeat.mpc.whole_body.programs.contact_motion import contact_acceleration
from backbeat.mpc.whole_body.programs.rows import (
    new_row,
    of_accelerations,
    on_axes,
    unit_row,
)
from backbeat.optimization.terms.declared import On, Term, cost, number, scaled

# Tasks in rows, in the order of their weights in `WholeBodyGains`.
MOMENTUM, LINEAR, ORIENTATION, POSTURE, WRENCH, POINT, CONTACT, SWING, FORCE = range(9)


def _task(default: float, unit: str, name: str, formula: str, key: str) -> float:
    """A field of the weight of a task, whose rows are compiled."""
    term = Term(name, formula, unit, on=On.INSTANT, compiled=True)
    found: float = cost(default, term, key=key)
    return found


@dataclass(frozen=True)
class WholeBodyGains:
    """Weights and gains of the whole-body program, each declared once.

    Every desired acceleration is feedforward + stiffness * error + damping * rate
    error; names of tasks are those of explanations.
    """

    momentum_weight: float = _task(
        10.0,
        "m^2/s^2",
        "angular momentum per mass",
        "(k' - desired) / m, about the center of mass",
        "momentum",
    )
    linear_weight: float = _task(
        10.0, "m/s^2", "center of mass", "sum f / m - g - desired", "linear"
    )
    orientation_weight: float = _task(
        1.0,
        "rad/s^2",
        "orientation of {}",
        "w' - desired, of base and trunk",
        "orientation",
    )
    posture_weight: float = _task(
        0.05,
        "rad/s^2",
        "posture",
        "vdot - desired, of joints that carry no contact",
        "posture",
    )
    wrench_weight: float = _task(
        1e-2, "weights", "wrenches as planned", "w - planned", "wrench"
    )
    point_weight: float = _task(
        3.0, "m/s^2", "path of {}", "p'' - desired, of points as stick tips", "point"
    )
    contact_weight: float = _task(
        1e3,
        "m/s^2",
        "rest of {}",
        "acceleration - desired, of standing contacts that no limb follows",
        "contact",
    )
    swing_weight: float = _task(
        10.0,
        "m/s^2",
        "path of {} in the air",
        "acceleration - desired, of limbs in the air",
        "swing",
    )
    force_weight: float = _task(
        0.0,
        "N",
        "rate of linear momentum",
        "sum f - m g - m desired, by the gains of the center of mass",
        "linear_momentum",
    )
    eliminate_limbs: bool = number(
        True,
        "",
        "Whether limbs follow their contacts exactly, so that their joints are no "
        "unknowns. Otherwise the motion of every contact is a task, and the gains are "
        "those of `whole_body` in stance too.",
    )
    com_stiffness: float = number(8.0, "1/s^2", "Stiffness of the center of mass.")
    com_damping: float = number(4.0, "1/s", "Damping of the same.")
    momentum_gain: float = number(4.0, "1/s", "Gain of the angular momentum.")
    orientation_stiffness: float = number(
        100.0, "1/s^2", "Stiffness of the orientation of base and trunk."
    )
    orientation_damping: float = number(20.0, "1/s", "Damping of the same.")
    orientation_axes: tuple[float, float, float] = number(
        (1.0, 1.0, 1.0),
        "",
        "Shares of that stiffness about the body's own axes; dampings have their "
        "square roots.",
    )
    trunk_share: float = number(
        1.0, "", "Share of the trunk in the weight of the orientation."
    )
    posture_stiffness: float = number(100.0, "1/s^2", "Stiffness of the posture.")
    posture_damping: float = number(20.0, "1/s", "Damping of the same.")
    posture_feedforward: float = number(
        1.0,
        "",
        "Share of the behavior's velocity and acceleration that joints follow; 0 for "
        "damping against any velocity.",
    )
    contact_damping: float = number(
        20.0, "1/s", "Damping by which standing feet lose speed."
    )
    contact_axes: tuple[float, float] = number(
        (1.0, 1.0), "", "Shares of that damping against turning and against moving."
    )
    contact_flatness: float = number(
        60.0, "1/s^2", "Stiffness by which standing feet lie flat again."
    )
    swing_stiffness: float = number(
        400.0, "1/s^2", "Stiffness of feet in the air on their path."
    )
    swing_damping: float = number(40.0, "1/s", "Damping of the same.")
    point_stiffness: float = number(
        400.0, "1/s^2", "Stiffness of points on their path."
    )
    point_damping: float = number(40.0, "1/s", "Damping of the same.")

    def at(self, scale: BodyScale) -> "WholeBodyGains":
        """The same for a robot of another scale.

        Accelerations of places are the same at every scale, and those of angles go with
        one over its length; stiffnesses are per second squared.
        """
        return self if scale.length == 1.0 else scaled(self, scale.length)


# On all of its feet, a robot that may not step follows the plan's momentum more
# strictly and lets the body turn for it: that catches harder pushes. One foot rocks on
# its narrow sole, and delays of sensors and motors do not allow it there; and a
# robot that may step recovers from more by a step.
STANCE_GAINS = WholeBodyGains(
    momentum_weight=30.0,
    linear_weight=12.0,
    orientation_weight=0.26,
    wrench_weight=4e-3,
    contact_weight=630.0,
    com_stiffness=145.0,
    com_damping=38.0,
    momentum_gain=42.0,
    orientation_stiffness=300.0,
    orientation_damping=40.0,
    posture_damping=28.0,
    contact_flatness=72.0,
)


@compiled
def write_tasks(model, gains, target, q, v, work):
    """Writes the rows of all tasks; limbs are eliminated before."""
    work.rows.used[0] = 0
    if model.tree.floating:
        momentum_rows(model, gains, target, work, work.rows)
    orientation_rows(model, gains, target, q, v, work, work.rows)
    point_rows(model, gains, target, q, v, work, work.rows)
    posture_rows(model, gains, target, q, v, work.rows)
    wrench_rows(model, gains, target, work, work.rows)
    contact_rows(model, gains, target, v, work, work.rows)


@compiled
def momentum_rows(model, gains, target, work, rows):
    """Tracks the rate of momentum, which the wrenches alone decide."""
    na, C = model.free.shape[0], model.contact_body.shape[0]
    m, first, T = model.mass, rows.used[0], rows.T
    weight = m * model.gravity
    for _ in range(3):
        new_row(rows, MOMENTUM, 0, gains.momentum_weight)
        new_row(rows, LINEAR, 0, gains.linear_weight)
    for c in range(C):
        if not target.standing[c]:
            continue
        R, o = work.R[c], na + 6 * c
        for i in range(3):
            for j in range(3):
                T[first + 2 * i, o + j] = model.gravity * R[i, j]
                T[first + 2 * i + 1, o + 3 + j] = model.gravity * R[i, j]
        x = work.r[c, 0] - work.ws.h[0, 0] / work.ws.m[0]
        y = work.r[c, 1] - work.ws.h[0, 1] / work.ws.m[0]
        z = work.r[c, 2] - work.ws.h[0, 2] / work.ws.m[0]
        for j in range(3):
            f0, f1, f2 = R[0, j], R[1, j], R[2, j]
            T[first, o + 3 + j] = model.gravity * (y * f2 - z * f1)
            T[first + 2, o + 3 + j] = model.gravity * (z * f0 - x * f2)
            T[first + 4, o + 3 + j] = model.gravity * (x * f1 - y * f0)
    for i in range(3):
        k = first + 2 * i
        rate = target.momentum[1, i]
        rate += gains.momentum_gain * (target.momentum[0, i] - work.momentum[i])
        rows.wanted[k] = rows.y[k] = rate / m
        a = target.com[2, i] + gains.com_stiffness * (target.com[0, i] - work.com[i])
        a += gains.com_damping * (target.com[1, i] - work.momentum[3 + i] / m)
        rows.wanted[k + 1] = a
        rows.y[k + 1] = a + weight / m if i == 2 else a
    if gains.force_weight == 0.0:
        return
    for i in range(3):
        of, k = first + 2 * i + 1, new_row(rows, FORCE, 0, gains.force_weight)
        rows.y[k], rows.wanted[k] = m * rows.y[of], m * rows.wanted[of]
        for j in range(T.shape[1]):
            T[k, j] = m * T[of, j]


@compiled
def orientation_rows(model, gains, target, q, v, work, rows):
    """Tracks the orientation of base and trunk."""
    nv = work.Z.shape[0]
    R, r, J, a = np.empty((3, 3)), np.empty(3), np.empty((6, nv)), np.empty(6)
    phi, off = np.empty(3), np.empty(3)
    kp, kd = gains.orientation_stiffness, gains.orientation_damping
    x, y, z = gains.orientation_axes
    for which in range(2):
        weight = gains.orientation_weight
        if which == 0:
            if not model.tree.floating:
                continue
            quaternion_to_matrix(q, R)
            frame_jacobian(model.tree, work.ws, 0, np.zeros(3), J)
            for i in range(3):
                a[i] = 0.0
            relative_log(target.R_base, R, phi)
            motion = target.base
        else:
            body, ws = model.trunk_body, work.ws
            frame_pose(model.tree, ws, q, body, model.trunk_R, model.trunk_p, R, r)
            frame_jacobian(model.tree, ws, body, r, J)
            frame_acceleration(ws, body, r, model.gravity, a)
            relative_log(target.R_trunk, R, phi)
            motion = target.trunk
            weight *= gains.trunk_share
        for i in range(3):
            w = 0.0
            for m in range(nv):
                w += J[i, m] * v[m]
            off[i] = motion[0, i] - w
        on_axes((x, y, z), R, phi)
        on_axes((np.sqrt(x), np.sqrt(y), np.sqrt(z)), R, off)
        for i in range(3):
            wanted = motion[1, i] + kp * phi[i]
            k = new_row(rows, ORIENTATION, which, weight)
            of_accelerations(rows, k, work, J[i], wanted - a[i])
            rows.y[k] += kd * off[i]
            rows.wanted[k] = wanted + kd * off[i]


@compiled
def point_rows(model, gains, target, q, v, work, rows):
    """Tracks points in the world."""
    nv = work.Z.shape[0]
    R, r, J, a = np.empty((3, 3)), np.empty(3), np.empty((6, nv)), np.empty(6)
    p_WB = np.empty(3)
    base_position(model.tree, q, p_WB)
    for p in range(model.point_body.shape[0]):
        if target.point_on[p] == 0.0:
            continue
        body = model.point_body[p]
        frame_pose(model.tree, work.ws, q, body, np.eye(3), model.point_p[p], R, r)
        frame_jacobian(model.tree, work.ws, body, r, J)
        frame_acceleration(work.ws, body, r, model.gravity, a)
        for i in range(3):
            k = new_row(rows, POINT, p, gains.point_weight * target.point_on[p])
            u = 0.0
            for m in range(nv):
                u += J[3 + i, m] * v[m]
            spring = gains.point_stiffness * (target.point[0, p, i] - p_WB[i] - r[i])
            off = gains.point_damping * (target.point[1, p, i] - u)
            y = target.point[2, p, i] - a[3 + i]
            of_accelerations(rows, k, work, J[3 + i], y + spring)
            rows.y[k] += off
            rows.wanted[k] = target.point[2, p, i] + spring + off


@compiled
def posture_rows(model, gains, target, q, v, rows):
    """Tracks joints that carry no contact."""
    nj, share = model.effort.shape[0], gains.posture_feedforward
    nf, nq = v.shape[0] - nj, q.shape[0] - nj
    for i in range(model.posed.shape[0]):
        z = model.posed[i]
        j = model.free[z]
        a = share * target.joints[2, j]
        a += gains.posture_stiffness * (target.joints[0, j] - q[nq + j])
        a += gains.posture_damping * (share * target.joints[1, j] - v[nf + j])
        unit_row(rows, POSTURE, 0, gains.posture_weight, z, a)


@compiled
def wrench_rows(model, gains, target, work, rows):
    """Tracks planned wrenches, and paths of eliminated limbs in the air."""
    na = model.free.shape[0]
    for c in range(model.contact_body.shape[0]):
        swings = c < model.limb.shape[0] and not target.standing[c]
        for i in range(6):
            z = na + 6 * c + i
            if swings:
                unit_row(rows, SWING, c, gains.swing_weight, z, 0.0)
                rows.wanted[rows.used[0] - 1] = work.required[c, i]
            else:
                unit_row(rows, WRENCH, c, gains.wrench_weight, z, target.wrench[c, i])


@compiled
def contact_rows(model, gains, target, v, work, rows):
    """Tracks contacts that no eliminated limb follows, or only a short one."""
    for c in range(model.contact_body.shape[0]):
        standing, rolls = target.standing[c], model.contact_rolls[c] > 0.0
        if c < model.limb.shape[0]:
            if not standing or rolls or model.limb[c, 5] >= 0:
                continue
        elif not standing and c >= model.num_limbs:
            continue
        task, weight = CONTACT, gains.contact_weight
        if not standing:
            task, weight = SWING, gains.swing_weight
        a = work.required[c]
        contact_acceleration(model, gains, target, work, v, c, a)
        # A sole that rolls is free to.
        for i in range(1 if rolls else 0, 6):
            k = new_row(rows, task, c, weight)
            of_accelerations(rows, k, work, work.J[c, i], a[i] - work.Jdv[c, i])
            rows.wanted[k] = a[i]
