"""Dynamics of a knot: contact wrenches in its inverse dynamics, and the derivative."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.dynamics.derivatives import add_wrench_derivative
from backbeat.models.dynamics.edges import move_to_edge
from backbeat.models.dynamics.recursion import apply_wrench
from backbeat.models.dynamics.rolling import pivot_slope
from backbeat.models.dynamics.rotations import add_cross


@compiled
def _world_wrench(program, w, k, c, out):
    """Contact wrench c of knot k where it acts, in world axes, in N and N m."""
    T, here = program.R_WG[k, c], w[k, c].copy()
    move_to_edge(here, program.frame_edge[k, c])
    for i in range(3):
        s = 0.0
        t = 0.0
        for m in range(3):
            s += T[i, m] * here[m]
            t += T[i, m] * here[3 + m]
        out[i] = s * program.weight
        out[3 + i] = t * program.weight


@compiled
def apply_wrenches(program, w, k, scratch):
    """Applies the contact wrenches of knot k; returns their cost.

    Args:
        program: Program.
        w: (N, C, 6) contact wrenches in contact axes [weights, weights m].
        k: the knot.
        scratch: Scratch after the forward pass and `body_forces`.
    """
    W = np.empty(6)
    cost = 0.0
    for c in range(program.wrench_first.shape[0]):
        if program.wrench_start[k, c] < 0:
            continue
        _world_wrench(program, w, k, c, W)
        apply_wrench(scratch.ws, program.frame_body[c], scratch.r[c], W)
        for i in range(6):
            cost += 0.5 * program.dt[k] * program.wrench_weight[i] * w[k, c, i] ** 2
    return cost


@compiled
def _add_pivot_derivative(program, w, k, c, scratch):
    """Adds what a sole that rolls does by moving its pivot: dtau = -J' (dp x f)."""
    nv, T, J = scratch.tau.shape[0], program.R_WG[k, c], scratch.J[c]
    y, f, turning = np.zeros(3), np.empty(3), np.zeros(3)
    for i in range(3):
        f[i] = program.weight * w[k, c, 3 + i]
        for m in range(3):
            y[i] += T[m, i] * scratch.R[c, m, 1]
    add_cross(y, f, turning)
    moving = pivot_slope(y[2], program.frame_rolls[c])
    for j in range(nv):
        tilting = J[0, j] * y[1] - J[1, j] * y[0]
        for i in range(nv):
            torque = J[0, i] * turning[0] + J[1, i] * turning[1] + J[2, i] * turning[2]
            scratch.Dq[i, j] -= moving * tilting * torque


@compiled
def dynamics_jacobian(program, w, k, scratch, derivatives):
    """Base rows and torque rows of knot k against its three blocks and wrenches.

    dtau = Dq dq_k + Dv dv_k + M da_k - sum_c J_c' dw_c, with v_k and a_k linear in
    the mean velocities of the two neighboring intervals.

    Args:
        program: Program.
        w: (N, C, 6) contact wrenches in contact axes [weights, weights m].
        k: the knot.
        scratch: Scratch with Dq, Dv, M and J of the knot; the wrenches are added to Dq.
        derivatives: Linearization whose `dynamics` of the knot is written.
    """
    tree = program.tree
    nf = 6 if tree.floating else 0
    nv, n_phi = scratch.tau.shape[0], program.rated.shape[0]
    nb = nv + n_phi
    before, after = program.h[k - 1], program.h[k]
    dt = program.dt[k]
    W = np.empty(6)
    for c in range(program.wrench_first.shape[0]):
        if program.wrench_start[k, c] >= 0:
            _world_wrench(program, w, k, c, W)
            add_wrench_derivative(
                tree, scratch.ws, program.frame_body[c], scratch.r[c], W, scratch.Dq
            )
            if program.frame_rolls[c] > 0.0:
                _add_pivot_derivative(program, w, k, c, scratch)
    D, M, Dq, Dv = derivatives.dynamics[k], scratch.M, scratch.Dq, scratch.Dv
    share_next = before / (before + after)
    share_last = after / (before + after)
    span_last, span_next = program.span[k - 1], program.span[k]
    for i in range(nv):
        scale = 1 / program.weight if i < nf else 1 / program.effort[i - nf]
        for j in range(nv):
            # tau against mean velocity of the next and of the last interval
            up = scale * (M[i, j] / dt + share_next * Dv[i, j]) / span_next
            down = scale * (-M[i, j] / dt + share_last * Dv[i, j]) / span_last
            D[i, j] = -down
            D[i, nb + j] = scale * Dq[i, j] - up + down
            D[i, 2 * nb + j] = up
        if nf:
            _rotation_columns(program, k, i, scale, scratch, derivatives)
        for c in range(program.wrench_first.shape[0]):
            start, first = program.wrench_start[k, c], program.wrench_first[c]
            if start < 0:
                continue
            for m in range(first, 6):
                D[i, 3 * nb + start + m - first] = (
                    -scale * program.weight * scratch.J[c, m, i]
                )
    _motor_columns(program, k, derivatives)
    if 1 < k < program.dt.shape[0] - 1:
        for n in range(n_phi):
            c = program.rated[n]
            D[nv + n, nb + nv + n] = -1.0
            if program.wrench_start[k, c] >= 0:
                D[nv + n, 3 * nb + program.wrench_start[k, c] + 5] = 1.0


@compiled
def _motor_columns(program, k, derivatives):
    """Rows of motors, from those of the torques, which are written."""
    D, nj = derivatives.dynamics[k], program.effort.shape[0]
    nb = D.shape[0] - program.motor_torque.shape[0]
    nf, n_phi = 6 if program.tree.floating else 0, program.rated.shape[0]
    before, after = program.h[k - 1], program.h[k]
    last = after / (before + after) / program.span[k - 1]
    following = before / (before + after) / program.span[k]
    for r in range(program.motor_torque.shape[0]):
        row = D[nf + nj + n_phi + r]
        for i in range(D.shape[1]):
            row[i] = 0.0
        for j in range(nj):
            share, speed = program.motor_torque[r, j], program.motor_speed[r, j]
            if share != 0.0:
                for i in range(D.shape[1]):
                    row[i] += share * D[nf + j, i]
            # The speed at a knot is a mean of those of the intervals beside it.
            row[nf + j] -= speed * last
            row[nb + nf + j] += speed * (last - following)
            row[2 * nb + nf + j] += speed * following


@compiled
def _rotation_columns(program, k, i, scale, scratch, derivatives):
    """Columns of the base rotation, through the Jacobians of SO(3)."""
    nb = scratch.tau.shape[0] + program.rated.shape[0]
    before, after, dt = program.h[k - 1], program.h[k], program.dt[k]
    share_next = before / (before + after)
    share_last = after / (before + after)
    span_last, span_next = program.span[k - 1], program.span[k]
    D, M, Dv = derivatives.dynamics[k], scratch.M, scratch.Dv
    left, right = derivatives.left, derivatives.right
    for j in range(3):
        up_next = 0.0
        up_here = 0.0
        down_here = 0.0
        down_last = 0.0
        for m in range(3):
            up = scale * (M[i, m] / dt + share_next * Dv[i, m]) / span_next
            down = scale * (-M[i, m] / dt + share_last * Dv[i, m]) / span_last
            up_next += up * left[k + 1, m, j]
            up_here += up * right[k + 1, m, j]
            down_here += down * left[k, m, j]
            down_last += down * right[k, m, j]
        D[i, j] = -down_last
        D[i, nb + j] = scale * scratch.Dq[i, j] - up_here + down_here
        D[i, 2 * nb + j] = up_next
