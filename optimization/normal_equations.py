"""The Newton step of a Program: assembly, elimination of wrenches, recovery.

The augmented-Lagrangian Gauss-Newton matrix

    H + Jg' S Jg + Jc' Jc / delta

couples block k with k-1 and k+1 through the dynamics, so it is block
pentadiagonal once the wrenches of every knot are eliminated by a small Cholesky
factorization. It is stored as LAPACK's lower band: band[column, row - column].
Blocks 0 and 1 are given and left out.
"""

from typing import NamedTuple

import numpy as np

from models.collision import FAR
from models.rotations import compiled
from optimization.program import CONE_ROWS, Program


class Step(NamedTuple):
    """Memory of the Newton step."""

    band: np.ndarray  # (n, bandwidth + 1) lower band, one row a column
    rhs: np.ndarray  # (n,)
    factor: np.ndarray  # (N, nw, nw) Cholesky factors of the wrench blocks
    coupling: np.ndarray  # (N, nw, 3 nb) their eliminated couplings
    load: np.ndarray  # (N, nw) their eliminated right-hand sides
    dx: np.ndarray  # (N, nb) step of the blocks
    dw: np.ndarray  # (N, C, 6) step of the wrenches
    d_rows: np.ndarray  # (N, rows) change of the inequality rows
    d_equality: np.ndarray  # (N, nf + n_phi) change of the equalities
    d_frame: np.ndarray  # (N, P, 6) change of the frame residuals


class Multipliers(NamedTuple):
    """Multipliers of the equalities."""

    equality: np.ndarray  # (N, nf + n_phi)
    frame: np.ndarray  # (N, P, 6)
    rest: np.ndarray  # (nv,)


def make_step(program: Program) -> Step:
    """Allocates the memory of the Newton step."""
    N, nv = len(program.dt), len(program.velocity_weight)
    n_phi, C = len(program.rated), len(program.wrench_first)
    nb, P = nv + n_phi, len(program.frame_body)
    nw = max(1, int(program.num_wrench.max(initial=0)))
    nf = 6 if program.tree.floating else 0
    n = nb * (N - 2)
    z = np.zeros
    return Step(
        band=z((n, 3 * nb)),
        rhs=z(n),
        factor=z((N, nw, nw)),
        coupling=z((N, nw, 3 * nb)),
        load=z((N, nw)),
        dx=z((N, nb)),
        dw=z((N, C, 6)),
        d_rows=z((N, program.rows.num_rows)),
        d_equality=z((N, nf + n_phi)),
        d_frame=z((N, P, 6)),
    )


def make_multipliers(program: Program) -> Multipliers:
    """Zero multipliers."""
    N, nv = len(program.dt), len(program.velocity_weight)
    nf = 6 if program.tree.floating else 0
    return Multipliers(
        np.zeros((N, nf + len(program.rated))),
        np.zeros((N, len(program.frame_body), 6)),
        np.zeros(nv),
    )


@compiled
def assemble(
    program, w, values, derivatives, multipliers, stiffness, pull, delta, damping, step
):
    """Assembles the band matrix and right-hand side of the Newton step.

    Args:
        program: Program.
        w: (N, C, 6) wrenches.
        values, derivatives: Evaluation and Linearization at the point.
        multipliers: Multipliers.
        stiffness: (N, rows) diagonal S of the inequality rows.
        pull: (N, rows) gradient of the barrier and slack terms in the rows.
        delta: regularization of the equalities.
        damping: Levenberg damping of the blocks.
        step: Step to write.
    """
    N, nv = values.velocity.shape
    nb = nv + program.rated.shape[0]
    nw_max = step.factor.shape[1]
    step.band[:] = 0.0
    step.rhs[:] = 0.0
    size = derivatives.dynamics.shape[2]
    H = np.empty((size, size))
    scaled = np.empty((nb, size))
    gradient = np.empty(size)
    rows = 6 * program.frame_body.shape[0] + 3 + program.collisions.body.shape[0]
    B = np.empty((rows, nv))
    WB = np.empty((rows, nv))
    Hl = np.empty((nv, nv))
    assert nw_max >= size - 3 * nb
    for k in range(N):
        if 0 < k < N - 1:
            _dynamics_block(
                program,
                values,
                derivatives,
                multipliers,
                stiffness,
                pull,
                delta,
                k,
                scaled,
                H,
                gradient,
            )
            _wrench_block(program, w, stiffness, pull, k, H, gradient)
            _eliminate(program, k, nb, H, gradient, step)
            _acceleration_cost(program, values, derivatives, k, nb, step)
        if k < 2:
            continue
        _interval_terms(
            program,
            values,
            derivatives,
            multipliers,
            stiffness,
            pull,
            delta,
            damping,
            k,
            nb,
            step,
        )
        _sweep_terms(
            program, values, derivatives, stiffness, pull, k, nb, B, WB, Hl, step
        )
        _local_terms(
            program,
            values,
            derivatives,
            multipliers,
            stiffness,
            pull,
            delta,
            k,
            nb,
            B,
            WB,
            Hl,
            step,
        )


@compiled
def _dynamics_block(
    program,
    values,
    derivatives,
    multipliers,
    stiffness,
    pull,
    delta,
    k,
    scaled,
    H,
    gradient,
):
    """H = D' S D and its gradient for base, torque and load rows of knot k."""
    nv = values.velocity.shape[1]
    nf = 6 if program.tree.floating else 0
    D, torque = derivatives.dynamics[k], program.rows.torque
    effort = program.dt[k] * program.effort_weight
    n, size = D.shape
    for j in range(size):
        gradient[j] = 0.0
    for i in range(n):
        if nf <= i < nv:
            row = torque + i - nf
            s = stiffness[k, row] + effort
            y = pull[k, row] + effort * values.rows[k, row]
        else:
            e = i if i < nf else i - nv + nf
            s = 1 / delta
            y = multipliers.equality[k, e] + values.equality[k, e] * s
        for j in range(size):
            scaled[i, j] = s * D[i, j]
            gradient[j] += D[i, j] * y
    np.dot(D.T, scaled, H)


@compiled
def _wrench_block(program, w, stiffness, pull, k, H, gradient):
    """Adds cone, normal force and cost terms of the wrenches of knot k."""
    first_column = _block_columns(program)
    for c in range(program.wrench_first.shape[0]):
        start, first = program.wrench_start[k, c], program.wrench_first[c]
        if start < 0:
            continue
        o = first_column + start - first
        for r in range(CONE_ROWS):
            row = program.rows.cone + c * CONE_ROWS + r
            s, y = stiffness[k, row], pull[k, row]
            for i in range(first, 6):
                x = program.cone[c, r, i]
                if x != 0.0:
                    gradient[o + i] += x * y
                    for j in range(first, 6):
                        H[o + i, o + j] += s * x * program.cone[c, r, j]
        row = program.rows.normal + c
        H[o + 5, o + 5] += stiffness[k, row]
        gradient[o + 5] += pull[k, row]
        for i in range(first, 6):
            x = program.dt[k] * program.wrench_weight[i]
            H[o + i, o + i] += x
            gradient[o + i] += x * w[k, c, i]


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
        for i in range(nw):
            x, row = Y[i, c], Y[i, c:n]
            for r in range(n - c):
                left[r] -= x * row[r]
        for r in range(n - c):
            to[r] += left[r]
        step.rhs[o + c] -= gradient[c]


@compiled
def _acceleration_cost(program, values, derivatives, k, nb, step):
    """Adds the acceleration cost of knot k, exact in the base rotation."""
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


@compiled
def _interval_terms(
    program,
    values,
    derivatives,
    multipliers,
    stiffness,
    pull,
    delta,
    damping,
    k,
    nb,
    step,
):
    """Adds what depends on the step from knot k-1 to k: velocity, rest, loads.

    The base rotation takes the identity for its Jacobian here: its velocity has
    no limit, and at rest the Jacobian is the identity.
    """
    N, nv = values.velocity.shape
    nf = 6 if program.tree.floating else 0
    o, ih = nb * (k - 2), 1 / program.span[k - 1]
    for c in range(nv):
        y = program.velocity_weight[c] * values.velocity[k, c]
        x = program.velocity_weight[c] * ih
        if c >= nf:
            row = program.rows.velocity + c - nf
            x += stiffness[k, row] * ih * ih
            y += pull[k, row] * ih
        if k == N - 1 and program.rest_scale > 0:
            e = multipliers.rest[c] + values.rest[c] / delta
            s = program.rest_scale * ih
            x += s * s / delta
            y += s * e
        step.band[o + c, 0] += x + damping
        step.rhs[o + c] -= y
        if k > 2:
            step.band[o - nb + c, 0] += x
            step.band[o - nb + c, nb] -= x
            step.rhs[o - nb + c] += y
    n_phi = nb - nv
    total = program.rows.total
    for n in range(n_phi):
        c = o + nv + n
        row = program.rows.rate + n
        x, y = stiffness[k, row], pull[k, row]
        # A floor keeps loads of feet in the air, which nothing holds, regular.
        step.band[c, 0] += x + stiffness[k, total] + 1e-4
        step.rhs[c] -= y + pull[k, total]
        if k > 2:
            step.band[c - nb, 0] += x
            step.band[c - nb, nb] -= x
            step.rhs[c - nb] += y
        for m in range(n + 1, n_phi):
            step.band[c, m - n] += stiffness[k, total]


@compiled
def _sweep_terms(program, values, derivatives, stiffness, pull, k, nb, B, WB, H, step):
    """Adds the distances half way between knots k-1 and k.

    A step of either end moves the middle by half of it.
    """
    nv = values.velocity.shape[1]
    o = nb * (k - 2)
    count = 0
    for f in range(program.collisions.body.shape[0]):
        row = program.rows.sweep + f
        if not program.sweep_on[k, f] or values.rows[k, row] >= FAR:
            continue
        D = derivatives.sweep[k, f]
        s, y = 0.25 * stiffness[k, row], 0.5 * pull[k, row]
        for c in range(nv):
            B[count, c] = D[c]
            WB[count, c] = s * D[c]
            step.rhs[o + c] -= y * D[c]
        if k > 2:
            for c in range(nv):
                step.rhs[o - nb + c] -= y * D[c]
        count += 1
    if count == 0:
        return
    np.dot(B[:count].T, WB[:count], H)
    for c in range(nv):
        for r in range(c, nv):
            step.band[o + c, r - c] += H[c, r]
        if k > 2:
            for r in range(c, nv):
                step.band[o - nb + c, r - c] += H[c, r]
            for r in range(nv):
                step.band[o - nb + c, nb + r - c] += H[c, r]


@compiled
def _local_terms(
    program,
    values,
    derivatives,
    multipliers,
    stiffness,
    pull,
    delta,
    k,
    nb,
    B,
    WB,
    Hl,
    step,
):
    """Adds what depends on knot k alone: frames, center of mass, posture."""
    nv = values.velocity.shape[1]
    nf = 6 if program.tree.floating else 0
    o, dt = nb * (k - 2), program.dt[k]
    count = 0
    for p in range(program.frame_body.shape[0]):
        if not program.frame_used[k, p]:
            continue
        for i in range(6):
            row = program.rows.frame + 6 * p + i
            x = dt * program.frame_weight[k, p, i] + stiffness[k, row]
            y = dt * program.frame_weight[k, p, i] * values.frame[k, p, i]
            y += pull[k, row]
            if program.frame_equal[k, p, i] > 0:
                x += 1 / delta
                y += multipliers.frame[k, p, i] + values.frame[k, p, i] / delta
            if x == 0.0:
                continue
            D = derivatives.frame[k, p, i]
            for j in range(nv):
                B[count, j] = D[j]
                WB[count, j] = x * D[j]
                step.rhs[o + j] -= y * D[j]
            count += 1
    for i in range(3):
        x = dt * program.com_weight[k, i]
        if x == 0.0:
            continue
        y = x * (values.com[k, i] - program.com_target[k, i])
        D = derivatives.com[k, i]
        for j in range(nv):
            B[count, j] = D[j]
            WB[count, j] = x * D[j]
            step.rhs[o + j] -= y * D[j]
        count += 1
    for f in range(program.collisions.body.shape[0]):
        row = program.rows.collision + f
        # A feeler far from everything has no derivative.
        if not program.feeler_on[k, f] or values.rows[k, row] >= FAR:
            continue
        D = derivatives.collision[k, f]
        for j in range(nv):
            B[count, j] = D[j]
            WB[count, j] = stiffness[k, row] * D[j]
            step.rhs[o + j] -= pull[k, row] * D[j]
        count += 1
    np.dot(B[:count].T, WB[:count], Hl)
    for j in range(program.effort.shape[0]):
        row = program.rows.position + j
        x = dt * program.posture_weight[k, j]
        q = values.rows[k, row]
        Hl[nf + j, nf + j] += x + stiffness[k, row]
        step.rhs[o + nf + j] -= x * (q - program.posture[k, j]) + pull[k, row]
    for c in range(nv):
        for r in range(c, nv):
            step.band[o + c, r - c] += Hl[c, r]


@compiled
def recover(program, values, derivatives, step):
    """Recovers wrench steps and the changes of all rows from step.dx."""
    N, nb = step.dx.shape
    nv = derivatives.com.shape[2]
    nf = 6 if program.tree.floating else 0
    rows = program.rows
    z = np.zeros(derivatives.dynamics.shape[2])
    u = np.empty(step.factor.shape[1])
    for k in range(N):
        if 0 < k < N - 1:
            nw = program.num_wrench[k]
            for b in range(3):
                for i in range(nb):
                    z[nb * b + i] = step.dx[k - 1 + b, i]
            for i in range(nw):
                s = -step.load[k, i]
                row = step.coupling[k, i]
                for j in range(3 * nb):
                    s -= row[j] * z[j]
                u[i] = s
            for i in range(nw - 1, -1, -1):
                s = u[i]
                for m in range(i + 1, nw):
                    s -= step.factor[k, m, i] * u[m]
                u[i] = s / step.factor[k, i, i]
                z[3 * nb + i] = u[i]
            _recover_wrenches(program, k, u, step)
            for i in range(nb):
                s = 0.0
                row = derivatives.dynamics[k, i]
                for j in range(3 * nb + nw):
                    s += row[j] * z[j]
                if i < nf:
                    step.d_equality[k, i] = s
                elif i < nv:
                    step.d_rows[k, rows.torque + i - nf] = s
                else:
                    step.d_equality[k, i - nv + nf] = s if k > 1 else 0.0
        _recover_local(program, values, derivatives, k, step)


@compiled
def _recover_wrenches(program, k, u, step):
    for c in range(program.wrench_first.shape[0]):
        start, first = program.wrench_start[k, c], program.wrench_first[c]
        for i in range(6):
            on = start >= 0 and i >= first
            step.dw[k, c, i] = u[start + i - first] if on else 0.0
        for r in range(CONE_ROWS):
            s = 0.0
            for i in range(6):
                s += program.cone[c, r, i] * step.dw[k, c, i]
            step.d_rows[k, program.rows.cone + c * CONE_ROWS + r] = s
        step.d_rows[k, program.rows.normal + c] = step.dw[k, c, 5]


@compiled
def _recover_local(program, values, derivatives, k, step):
    nv = derivatives.com.shape[2]
    nf = 6 if program.tree.floating else 0
    rows, n_phi = program.rows, program.rated.shape[0]
    for j in range(program.effort.shape[0]):
        step.d_rows[k, rows.position + j] = step.dx[k, nf + j]
        if k > 0:
            change = step.dx[k, nf + j] - step.dx[k - 1, nf + j]
            step.d_rows[k, rows.velocity + j] = change / program.span[k - 1]
    total = 0.0
    for n in range(n_phi):
        total += step.dx[k, nv + n]
        if k > 0:
            step.d_rows[k, rows.rate + n] = step.dx[k, nv + n] - step.dx[k - 1, nv + n]
    step.d_rows[k, rows.total] = total
    for f in range(program.collisions.body.shape[0]):
        s = 0.0
        # A feeler far from everything does not move any nearer.
        if program.feeler_on[k, f] and values.rows[k, rows.collision + f] < FAR:
            for j in range(nv):
                s += derivatives.collision[k, f, j] * step.dx[k, j]
        step.d_rows[k, rows.collision + f] = s
        s = 0.0
        if program.sweep_on[k, f] and values.rows[k, rows.sweep + f] < FAR:
            for j in range(nv):
                s += derivatives.sweep[k, f, j] * (step.dx[k, j] + step.dx[k - 1, j])
        step.d_rows[k, rows.sweep + f] = 0.5 * s
    for p in range(program.frame_body.shape[0]):
        for i in range(6):
            s = 0.0
            if program.frame_used[k, p]:
                for j in range(nv):
                    s += derivatives.frame[k, p, i, j] * step.dx[k, j]
            step.d_frame[k, p, i] = s
            step.d_rows[k, rows.frame + 6 * p + i] = s
