"""The normal equations of a Program's Newton step: assembly, elimination of wrenches.

The augmented-Lagrangian Gauss-Newton matrix

    H + Jg' S Jg + Jc' Jc / delta

couples block k with k-1 and k+1 through the dynamics, so it is block
pentadiagonal once the wrenches of every knot are eliminated by a small Cholesky
factorization. It is stored as LAPACK's lower band: band[column, row - column].
Blocks 0 and 1 are given and left out.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3
from backbeat.models.contact.cones import CONE_ROWS
from backbeat.optimization.interior_point.newton_arrays import (
    NewtonArrays,
    NewtonSystem,
)
from backbeat.optimization.interior_point.normal_terms import (
    interval_terms,
    local_terms,
    midpoint_terms,
    weighted_square,
)
from backbeat.optimization.transcription.program import Program


@compiled
def assemble(
    program: Program,
    w: Array3,
    system: NewtonSystem,
    damping: float,
    step: NewtonArrays,
) -> None:
    """Assembles the band matrix and right-hand side of the Newton step.

    Args:
        program: Program.
        w: (N, C, 6) wrenches.
        system: NewtonSystem at the point.
        damping: Levenberg damping of the blocks.
        step: Step to write.
    """
    derivatives = system.derivatives
    N, nv = system.values.velocity.shape
    nb = nv + program.rated.shape[0]
    nw_max = step.factor.shape[1]
    step.band[:] = 0.0
    step.rhs[:] = 0.0
    size = derivatives.dynamics.shape[2]
    H = np.empty((size, size))
    scaled = np.empty((derivatives.dynamics.shape[1], size))
    gradient = np.empty(size)
    rows = 6 * program.frame_body.shape[0] + 3 + program.collisions.body.shape[0]
    B = np.empty((rows, nv))
    WB = np.empty((rows, nv))
    Hl = np.empty((nv, nv))
    assert nw_max >= size - 3 * nb
    for k in range(N):
        if 0 < k < N - 1:
            _dynamics_block(program, system, k, scaled, H, gradient)
            _wrench_block(program, w, system, k, H, gradient)
            if step.added_matrix.shape[0] > 0:
                _add_block(step.added_matrix[k], step.added_gradient[k], H, gradient)
            _eliminate(program, k, nb, H, gradient, step)
            _acceleration_cost(program, system, k, nb, step)
        if k < 2:
            continue
        interval_terms(program, system, damping, k, nb, step)
        midpoint_terms(program, system, k, nb, B, WB, Hl, step)
        local_terms(program, system, k, nb, B, WB, Hl, step)


@compiled
def _dynamics_block(program, system, k, scaled, H, gradient):
    """H = D' S D and its gradient for the rows of dynamics of knot k."""
    values, multipliers, delta = system.values, system.multipliers, system.delta
    stiffness, pull = system.stiffness, system.pull
    nv = values.velocity.shape[1]
    nf = 6 if program.tree.floating else 0
    D, torque = system.derivatives.dynamics[k], program.rows.torque
    first_motor = nv + program.rated.shape[0]
    effort = program.dt[k] * program.effort_weight
    n, size = D.shape
    for j in range(size):
        gradient[j] = 0.0
    s, y = 0.0, 0.0
    for i in range(n):
        if nf <= i < nv:
            row = torque + i - nf
            s = stiffness[k, row] + effort
            y = pull[k, row] + effort * values.rows[k, row]
        elif i >= first_motor:
            row = program.rows.motor + i - first_motor
            s = stiffness[k, row]
            y = pull[k, row]
        else:
            e = i if i < nf else i - nv + nf
            s = 1 / delta
            y = multipliers.equality[k, e] + values.equality[k, e] * s
        for j in range(size):
            scaled[i, j] = s * D[i, j]
            gradient[j] += D[i, j] * y
    weighted_square(D, scaled, H)


@compiled
def _wrench_block(program, w, system, k, H, gradient):
    """Adds cone, normal force and cost terms of the wrenches of knot k."""
    stiffness, pull = system.stiffness, system.pull
    first_column = _block_columns(program)
    for c in range(program.wrench_first.shape[0]):
        start, first = program.wrench_start[k, c], program.wrench_first[c]
        if start < 0:
            continue
        o, cone = first_column + start - first, program.cone[program.cone_of[k, c], c]
        for r in range(CONE_ROWS):
            row = program.rows.cone + c * CONE_ROWS + r
            s, y = stiffness[k, row], pull[k, row]
            for i in range(first, 6):
                x = cone[r, i]
                if x != 0.0:
                    gradient[o + i] += x * y
                    for j in range(first, 6):
                        H[o + i, o + j] += s * x * cone[r, j]
        row = program.rows.normal + c
        H[o + 5, o + 5] += stiffness[k, row]
        gradient[o + 5] += pull[k, row]
        for i in range(first, 6):
            x = program.dt[k] * program.wrench_weight[i]
            H[o + i, o + i] += x
            gradient[o + i] += x * w[k, c, i]


@compiled
def _add_block(matrix, added, H, gradient):
    """Adds what costs that are not compiled have around a knot."""
    n = gradient.shape[0]
    for i in range(n):
        gradient[i] += added[i]
        for j in range(n):
            H[i, j] += matrix[i, j]


@compiled
def _block_columns(program):
    """Columns of the three blocks in front of the wrench columns."""
    nf = 6 if program.tree.floating else 0
    return 3 * (nf + program.effort.shape[0] + program.rated.shape[0])


@compiled
def _eliminate(program, k, nb, H, gradient, step):
    """Eliminates the wrenches of knot k and adds what is left to the band."""
    nw = program.num_wrench[k]
    n = 3 * nb
    L, Y, y = step.factor[k], step.coupling[k], step.load[k]
    for i in range(nw):
        for j in range(i + 1):
            s = H[n + i, n + j]
            for m in range(j):
                s -= L[i, m] * L[j, m]
            if i == j:
                L[i, i] = np.sqrt(max(s, 1e-14))
            else:
                L[i, j] = s / L[j, j]
        inverse = 1 / L[i, i]
        s = gradient[n + i]
        for j in range(n):
            Y[i, j] = H[n + i, j]
        for m in range(i):
            x = L[i, m]
            s -= x * y[m]
            for j in range(n):
                Y[i, j] -= x * Y[m, j]
        y[i] = s * inverse
        for j in range(n):
            Y[i, j] *= inverse
    for i in range(nw):
        for j in range(n):
            gradient[j] -= Y[i, j] * y[i]
    o = nb * (k - 3)
    for c in range(max(0, -o), n):
        left, to = H[c, c:n], step.band[o + c]
        # Two at a time, so that a sum is loaded and stored half as often.
        for i in range(0, nw - 1, 2):
            x, row, x_next, row_next = Y[i, c], Y[i, c:n], Y[i + 1, c], Y[i + 1, c:n]
            for r in range(n - c):
                left[r] -= x * row[r] + x_next * row_next[r]
        if nw % 2 == 1:
            x, row = Y[nw - 1, c], Y[nw - 1, c:n]
            for r in range(n - c):
                left[r] -= x * row[r]
        for r in range(n - c):
            to[r] += left[r]
        step.rhs[o + c] -= gradient[c]


@compiled
def _acceleration_cost(program, system, k, nb, step):
    """Adds the acceleration cost of knot k, exact in the base rotation."""
    values, derivatives = system.values, system.derivatives
    before, after, dt = program.span[k - 1], program.span[k], program.dt[k]
    nv = values.velocity.shape[1]
    o = nb * (k - 3)
    nr = 3 if program.tree.floating else 0
    C = np.empty((3, 3, 3))
    for i in range(nr):
        for j in range(3):
            C[0, i, j] = derivatives.right[k, i, j] / (before * dt)
            C[1, i, j] = (
                -(derivatives.right[k + 1, i, j] / after)
                - derivatives.left[k, i, j] / before
            ) / dt
            C[2, i, j] = derivatives.left[k + 1, i, j] / (after * dt)
    for a in range(3):
        if k - 1 + a < 2:
            continue
        for c in range(nr):
            s = 0.0
            for i in range(nr):
                x = dt * program.acceleration_weight[i] * C[a, i, c]
                s += x * (values.velocity[k + 1, i] - values.velocity[k, i]) / dt
            step.rhs[o + nb * a + c] -= s
            for b in range(a, 3):
                for r in range(nr):
                    if b == a and r < c:
                        continue
                    s = 0.0
                    for i in range(nr):
                        x = dt * program.acceleration_weight[i]
                        s += x * C[a, i, c] * C[b, i, r]
                    step.band[o + nb * a + c, nb * (b - a) + r - c] += s
    k0, k1, k2 = 1 / (before * dt), -(1 / after + 1 / before) / dt, 1 / (after * dt)
    for c in range(nr, nv):
        x = dt * program.acceleration_weight[c]
        r = (values.velocity[k + 1, c] - values.velocity[k, c]) / dt
        if k - 1 >= 2:
            i = o + c
            step.band[i, 0] += x * k0 * k0
            step.band[i, nb] += x * k0 * k1
            step.band[i, 2 * nb] += x * k0 * k2
            step.rhs[i] -= x * k0 * r
        if k >= 2:
            i = o + nb + c
            step.band[i, 0] += x * k1 * k1
            step.band[i, nb] += x * k1 * k2
            step.rhs[i] -= x * k1 * r
        i = o + 2 * nb + c
        step.band[i, 0] += x * k2 * k2
        step.rhs[i] -= x * k2 * r
