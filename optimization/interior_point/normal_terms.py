"""Terms of the normal equations that have no part in the dynamics, knot by knot.

`backbeat.optimization.interior_point.normal_equations` says how the band matrix is
stored. Each takes the Program, the NewtonSystem, knot k, the size nb of a block and the
Step to add to; B, WB and H are memory for Jacobians of rows, their weighted form and a
product of the two.
"""

from backbeat.models.collision.shapes import FAR
from backbeat.models.compiled import compiled


@compiled
def weighted_square(B, WB, H):
    """H = B' W B of a diagonal W.

    Args:
        B: (m, n).
        WB: (m, n) W B.
        H: (n, n) written, symmetric.
    """
    m, n = B.shape
    for i in range(n):
        row = H[i]
        for j in range(i, n):
            row[j] = 0.0
        # Four at a time, so that a sum is loaded and stored a quarter as often.
        for k in range(0, m - 3, 4):
            b0, b1, b2, b3 = B[k, i], B[k + 1, i], B[k + 2, i], B[k + 3, i]
            w0, w1, w2, w3 = WB[k], WB[k + 1], WB[k + 2], WB[k + 3]
            for j in range(i, n):
                row[j] += b0 * w0[j] + b1 * w1[j] + b2 * w2[j] + b3 * w3[j]
        for k in range(m - m % 4, m):
            b, w = B[k, i], WB[k]
            for j in range(i, n):
                row[j] += b * w[j]
        for j in range(i):
            row[j] = H[j, i]


@compiled
def interval_terms(program, system, damping, k, nb, step):
    """Adds what depends on the step from knot k-1 to k: velocity, rest, loads.

    The base rotation takes the identity for its Jacobian here: its velocity has
    no limit, and at rest the Jacobian is the identity.
    """
    values, multipliers, delta = system.values, system.multipliers, system.delta
    stiffness, pull = system.stiffness, system.pull
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
def midpoint_terms(program, system, k, nb, B, WB, H, step):
    """Adds the distances half way between knots k-1 and k.

    A step of either end moves the middle by half of it.
    """
    values, derivatives = system.values, system.derivatives
    stiffness, pull = system.stiffness, system.pull
    nv = values.velocity.shape[1]
    o = nb * (k - 2)
    count = 0
    for f in range(program.collisions.body.shape[0]):
        row = program.rows.midpoint + f
        if not program.midpoint_on[k, f] or values.rows[k, row] >= FAR:
            continue
        D = derivatives.midpoint[k, f]
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
    weighted_square(B[:count], WB[:count], H)
    for c in range(nv):
        for r in range(c, nv):
            step.band[o + c, r - c] += H[c, r]
        if k > 2:
            for r in range(c, nv):
                step.band[o - nb + c, r - c] += H[c, r]
            for r in range(nv):
                step.band[o - nb + c, nb + r - c] += H[c, r]


@compiled
def local_terms(program, system, k, nb, B, WB, Hl, step):
    """Adds what depends on knot k alone: frames, center of mass, posture."""
    values, derivatives = system.values, system.derivatives
    multipliers, delta = system.multipliers, system.delta
    stiffness, pull = system.stiffness, system.pull
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
        # A sphere far from everything has no derivative.
        if not program.sphere_on[k, f] or values.rows[k, row] >= FAR:
            continue
        D = derivatives.collision[k, f]
        for j in range(nv):
            B[count, j] = D[j]
            WB[count, j] = stiffness[k, row] * D[j]
            step.rhs[o + j] -= pull[k, row] * D[j]
        count += 1
    weighted_square(B[:count], WB[:count], Hl)
    for j in range(program.effort.shape[0]):
        row = program.rows.position + j
        x = dt * program.posture_weight[k, j]
        q = values.rows[k, row]
        Hl[nf + j, nf + j] += x + stiffness[k, row]
        step.rhs[o + nf + j] -= x * (q - program.posture[k, j]) + pull[k, row]
    for c in range(nv):
        for r in range(c, nv):
            step.band[o + c, r - c] += Hl[c, r]
