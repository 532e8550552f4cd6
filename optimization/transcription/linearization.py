"""Values and first derivatives of a Program, compiled; one recursion a knot."""

import numpy as np

from backbeat.models.collision.distances import distances
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Matrix
from backbeat.models.contact.cones import CONE_ROWS
from backbeat.models.dynamics.derivatives import inverse_dynamics_derivatives
from backbeat.models.dynamics.kinematics import (
    base_position,
    center_of_mass_jacobian,
    frame_jacobian,
    frame_pose,
)
from backbeat.models.dynamics.recursion import backward_pass, body_forces, forward_pass
from backbeat.models.dynamics.rolling import roll
from backbeat.models.dynamics.rotations import (
    box_minus,
    box_plus,
    left_jacobian_inverse,
    relative_log,
)
from backbeat.optimization.transcription.knot_dynamics import (
    apply_wrenches,
    dynamics_jacobian,
)
from backbeat.optimization.transcription.linearization_arrays import (
    Evaluation,
    Linearization,
    ProgramPoint,
    Scratch,
    make_evaluation,
    make_linearization,
    make_scratch,
)
from backbeat.optimization.transcription.program import Program


def evaluate_once(
    program: Program, q: np.ndarray, w: np.ndarray, phi: np.ndarray
) -> tuple[float, Evaluation]:
    """Cost and values of a program at a point, without derivatives; see `evaluate`."""
    values, derivatives = make_evaluation(program), make_linearization(program)
    scratch = make_scratch(program)
    cost = evaluate(program, q, w, phi, scratch, values, derivatives, False)
    return float(cost), values


@compiled
def evaluate(
    program: Program,
    q: Matrix,
    w: Array3,
    phi: Matrix,
    scratch: Scratch,
    values: Evaluation,
    derivatives: Linearization,
    linearize: bool,
) -> float:
    """Evaluates a program, with first derivatives if requested.

    Args:
        program: Program.
        q: (N, nq) configurations.
        w: (N, C, 6) contact wrenches in contact axes [weights, weights m].
        phi: (N, n_phi) loads [weights].
        scratch: Scratch.
        values: Evaluation to write.
        derivatives: Linearization to write when `linearize`.
        linearize: whether to write derivatives.

    Returns:
        The cost.
    """
    N, at = q.shape[0], ProgramPoint(q, w, phi)
    cost = 0.0
    for k in range(1, N):
        _interval(program, q, k, values, derivatives)
    if program.collisions.body.shape[0] > 0:
        for k in range(2, N):
            if not program.midpoint_on[k].any():
                continue
            _midpoint(program, q, k, scratch, values, derivatives, linearize)
    for k in range(N):
        cost += _knot(program, at, k, scratch, values, derivatives, linearize)
    if program.rest_scale > 0:
        for i in range(values.rest.shape[0]):
            values.rest[i] = program.rest_scale * values.velocity[N - 1, i]
    return cost


@compiled
def _interval(program, q, k, values, derivatives):
    """Mean velocity of the interval before knot k and its exact derivative."""
    d = values.velocity[k]
    box_minus(q[k], q[k - 1], program.tree.floating, d)
    if program.tree.floating:
        left_jacobian_inverse(d, 1.0, derivatives.left[k])
        left_jacobian_inverse(d, -1.0, derivatives.right[k])
    ih = 1 / program.span[k - 1]
    for i in range(d.shape[0]):
        d[i] *= ih


@compiled
def _knot(program, at, k, scratch, values, derivatives, linearize):
    """Everything that belongs to knot k; returns its share of the cost."""
    tree, ws, tau = program.tree, scratch.ws, scratch.tau
    q, w, phi = at.q, at.w, at.phi
    N, nv = q.shape[0], values.velocity.shape[1]
    interior = 0 < k < N - 1
    v = np.zeros(nv)
    a = np.zeros(nv)
    cost = 0.0
    dt = program.dt[k]
    if interior:
        before, after = program.h[k - 1], program.h[k]
        for i in range(nv):
            d0, d1 = values.velocity[k, i], values.velocity[k + 1, i]
            v[i] = (after * d0 + before * d1) / (after + before)
            a[i] = (d1 - d0) / dt
            cost += 0.5 * dt * program.acceleration_weight[i] * a[i] ** 2
    if k > 0:
        for i in range(nv):
            d0 = values.velocity[k, i]
            cost += 0.5 * program.span[k - 1] * program.velocity_weight[i] * d0 * d0
    forward_pass(tree, q[k], v, a, program.gravity, ws, linearize)
    body_forces(tree, ws, linearize)
    cost += _frames(program, q[k], k, scratch, values, derivatives, linearize)
    _collisions(program, q[k], k, scratch, values, derivatives, linearize)
    if interior:
        cost += apply_wrenches(program, w, k, scratch)
    backward_pass(tree, ws, tau, linearize)
    cost += _center_of_mass(program, q[k], k, scratch, values)
    cost += _rows(program, q[k], w, phi, k, tau, values)
    _motor_rows(program, k, v, values)
    if linearize:
        center_of_mass_jacobian(tree, ws, derivatives.com[k])
        if interior:
            inverse_dynamics_derivatives(tree, ws, scratch.Dq, scratch.Dv, scratch.M)
            dynamics_jacobian(program, w, k, scratch, derivatives)
    return cost


@compiled
def _frames(program, q, k, scratch, values, derivatives, linearize):
    """Frame residuals in target axes and their Jacobians; returns their cost."""
    tree, ws = program.tree, scratch.ws
    nv = values.velocity.shape[1]
    p_WB = np.empty(3)
    base_position(tree, q, p_WB)
    phi = np.empty(3)
    Jw = np.empty((6, nv))
    up, to_pivot, to_place = np.empty(3), np.empty(3), np.empty(3)
    cost = 0.0
    for p in range(program.frame_body.shape[0]):
        if not program.frame_used[k, p]:
            for i in range(6):
                values.frame[k, p, i] = 0.0
            continue
        body, T = program.frame_body[p], program.R_WG[k, p]
        r, e = scratch.r[p], values.frame[k, p]
        frame_pose(
            tree, ws, q, body, program.frame_R[p], program.frame_p[p], scratch.R[p], r
        )
        relative_log(scratch.R[p], T, phi)
        edge = program.frame_edge[k, p]
        if edge != 0.0:
            for i in range(3):
                r[i] += edge * scratch.R[p, i, 0]
        half_width = program.frame_rolls[p]
        if half_width > 0.0:
            for i in range(3):
                up[i] = T[i, 2]
            roll(scratch.R[p], up, half_width, to_pivot, to_place)
            for i in range(3):
                r[i] += to_place[i]
        for i in range(3):
            s = 0.0
            t = 0.0
            for m in range(3):
                s += T[m, i] * phi[m]
                t += T[m, i] * (p_WB[m] + r[m] - program.p_WG[k, p, m])
            e[i] = s
            e[3 + i] = t
        if half_width > 0.0:
            # The place moves as the pivot does, and there the ground acts.
            for i in range(3):
                r[i] += to_pivot[i] - to_place[i]
        e[3] -= edge
        for i in range(6):
            cost += 0.5 * program.dt[k] * program.frame_weight[k, p, i] * e[i] ** 2
        if linearize:
            frame_jacobian(tree, ws, body, r, Jw)
            _turn_jacobian(T, e, Jw, scratch.J[p], derivatives.frame[k, p])
            if half_width > 0.0:
                D = derivatives.frame[k, p]
                _leave_out_turns(T, to_pivot, to_place, scratch.J[p], D)
            # Wrenches of a sole on an edge are about where it would be flat.
            for j in range(nv if edge != 0.0 else 0):
                scratch.J[p, 4, j] -= edge * scratch.J[p, 2, j]
                scratch.J[p, 5, j] += edge * scratch.J[p, 1, j]
    return cost


@compiled
def _turn_jacobian(T, e, Jw, J, D):
    """Writes a Jacobian in axes of its target, J, and that of the residuals e, D."""
    nv, E = J.shape[1], np.empty((3, 3))
    for i in range(3):
        for j in range(nv):
            s = 0.0
            t = 0.0
            for m in range(3):
                s += T[m, i] * Jw[m, j]
                t += T[m, i] * Jw[3 + m, j]
            J[i, j] = s
            J[3 + i, j] = t
    left_jacobian_inverse(e[:3], 1.0, E)
    for j in range(nv):
        for i in range(3):
            D[i, j] = E[i, 0] * J[0, j] + E[i, 1] * J[1, j] + E[i, 2] * J[2, j]
            D[3 + i, j] = J[3 + i, j]


@compiled
def _leave_out_turns(T, to_pivot, to_place, J, D):
    """Takes off D what turns do to a pivot and not to the place: all but the roll."""
    d, o = np.zeros(3), np.zeros(3)
    for i in range(3):
        for m in range(3):
            d[i] += T[m, i] * to_pivot[m]
            o[i] += T[m, i] * to_place[m]
    for j in range(D.shape[1]):
        D[3, j] -= J[1, j] * d[2] - J[2, j] * (d[1] - o[1])
        D[4, j] -= J[2, j] * (d[0] - o[0])


@compiled
def _collisions(program, q, k, scratch, values, derivatives, linearize):
    """Distances of the spheres of knot k."""
    first = program.rows.collision
    g = values.rows[k, first : first + program.collisions.body.shape[0]]
    D = derivatives.collision[k if linearize else 0]
    _sphere_distances(program, q, scratch, program.sphere_on[k], g, D, linearize)


@compiled
def _midpoint(program, q, k, scratch, values, derivatives, linearize):
    """Distances of the spheres half way between knots k-1 and k."""
    first = program.rows.midpoint
    g = values.rows[k, first : first + program.collisions.body.shape[0]]
    D = derivatives.midpoint[k if linearize else 0]
    middle = np.empty(q.shape[1])
    step = 0.5 * program.span[k - 1]
    zero = np.zeros(values.velocity.shape[1])
    box_plus(q[k - 1], values.velocity[k], step, program.tree.floating, middle)
    forward_pass(program.tree, middle, zero, zero, 0.0, scratch.ws, False)
    _sphere_distances(program, middle, scratch, program.midpoint_on[k], g, D, linearize)


@compiled
def _sphere_distances(program, q, scratch, on, g, D, linearize):
    """Distances g, and derivatives D, of spheres after a forward pass at q."""
    p_WB = np.empty(3)
    base_position(program.tree, q, p_WB)
    tree, ws = program.tree, scratch.ws
    distances(program.collisions, tree, ws, p_WB, on, g, D, linearize)


@compiled
def _center_of_mass(program, q, k, scratch, values):
    """Center of mass of knot k; returns its cost."""
    com = values.com[k]
    base_position(program.tree, q, com)
    cost = 0.0
    for i in range(3):
        com[i] += scratch.ws.h[0, i] / scratch.ws.m[0]
        e = com[i] - program.com_target[k, i]
        cost += 0.5 * program.dt[k] * program.com_weight[k, i] * e * e
    return cost


@compiled
def _motor_rows(program, k, v, values):
    """Rows of motors that give less at speed or drive two joints, after the torques."""
    rows, g = program.rows, values.rows[k]
    nj = program.effort.shape[0]
    nf = v.shape[0] - nj
    interior = 0 < k < program.dt.shape[0] - 1
    for r in range(program.motor_torque.shape[0]):
        s = 0.0
        if interior:
            for j in range(nj):
                s += program.motor_torque[r, j] * g[rows.torque + j]
                s += program.motor_speed[r, j] * v[nf + j]
        g[rows.motor + r] = s


@compiled
def _rows(program, q, w, phi, k, tau, values):
    """Equality residuals and inequality rows of knot k; returns posture cost."""
    N, rows, g = program.dt.shape[0], program.rows, values.rows[k]
    nf = 6 if program.tree.floating else 0
    nq = 7 if program.tree.floating else 0
    nj = program.effort.shape[0]
    interior = 0 < k < N - 1
    cost = 0.0
    for i in range(nf):
        values.equality[k, i] = tau[i] / program.weight if interior else 0.0
    for j in range(nj):
        g[rows.torque + j] = tau[nf + j] / program.effort[j] if interior else 0.0
        g[rows.position + j] = q[nq + j]
        g[rows.velocity + j] = values.velocity[k, nf + j]
        e = q[nq + j] - program.posture[k, j]
        cost += 0.5 * program.dt[k] * program.posture_weight[k, j] * e * e
        share = g[rows.torque + j]
        cost += 0.5 * program.dt[k] * program.effort_weight * share * share
    for c in range(program.wrench_first.shape[0]):
        cone = program.cone[program.cone_of[k, c], c]
        for r in range(CONE_ROWS):
            s = 0.0
            for i in range(6):
                s += cone[r, i] * w[k, c, i]
            g[rows.cone + c * CONE_ROWS + r] = s
        g[rows.normal + c] = w[k, c, 5]
    for p in range(program.frame_body.shape[0]):
        for i in range(6):
            g[rows.frame + 6 * p + i] = values.frame[k, p, i]
    total = 0.0
    for n in range(program.rated.shape[0]):
        load = w[k, program.rated[n], 5]
        values.equality[k, nf + n] = load - phi[k, n] if 1 < k < N - 1 else 0.0
        g[rows.rate + n] = phi[k, n] - phi[k - 1, n] if k > 0 else 0.0
        total += phi[k, n]
    g[rows.total] = total
    return cost
