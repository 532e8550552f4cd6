"""Limits of the whole-body program: hard rows and bounds, compiled."""

from backbeat.models.actuation.drives import highest_effort
from backbeat.models.compiled import compiled
from backbeat.models.contact.cones import CONE_ROWS
from backbeat.models.dynamics.finite import UNBOUNDED

# Most normal force on one contact [weights of the robot].
MAX_FORCE = 3.0
# Joints of limbs may go so far beyond where the behavior goes [rad], if that is beyond
# their range; they may not leave it within this time [s], braking at most so hard
# [rad/s^2].
LIMB_ROOM, LIMB_TIME, LIMB_MOST = 0.02, 0.05, 500.0


@compiled
def limits(model, target, q, v, work):
    """Joint acceleration bounds, wrench cones, normal forces, torque rows."""
    nv, n = work.Z.shape
    nj, na = model.effort.shape[0], model.free.shape[0]
    C = model.contact_body.shape[0]
    nf, nq = nv - nj, q.shape[0] - nj
    weight = model.mass * model.gravity
    A, lower, upper = work.A, work.lower, work.upper
    # A joint may not reach its stop within this time [s].
    T = 0.05
    for i in range(na):
        j = model.free[i]
        x, u = q[nq + j], v[nf + j]
        up = 2 * (model.position_upper[j] - x - u * T) / T**2
        down = 2 * (model.position_lower[j] - x - u * T) / T**2
        upper[i] = max(min(up, 2000.0), -500.0)
        lower[i] = min(max(down, -2000.0), 500.0)
    for c in range(C):
        o = na + 6 * c
        # In the air a limb may leave its path; a contact without a limb has no wrench.
        standing = target.standing[c]
        free = UNBOUNDED if standing or c < model.limb.shape[0] else 0.0
        for i in range(6):
            upper[o + i] = free
            lower[o + i] = -free
        if standing:
            lower[o + 5] = 0.0
            upper[o + 5] = MAX_FORCE
        for r in range(CONE_ROWS):
            row = c * CONE_ROWS + r
            for i in range(6):
                A[row, o + i] = model.cone[c, r, i]
            lower[n + row] = -UNBOUNDED
            upper[n + row] = 0.0 if standing else UNBOUNDED
    first = C * CONE_ROWS
    for j in range(nj):
        row = first + j
        for i in range(n):
            A[row, i] = 0.0
        for m in range(nv):
            for i in range(n):
                A[row, i] += work.M[nf + j, m] * work.Z[m, i]
        s = work.bias[nf + j]
        for m in range(nv):
            s += work.M[nf + j, m] * work.z0[m]
        for c in range(C):
            if not target.standing[c]:
                continue
            o = na + 6 * c
            for i in range(6):
                A[row, o + i] -= weight * work.J[c, i, nf + j]
        effort, u = model.effort[j], v[nf + j]
        stall, slope = model.stall[j], model.slope[j]
        upper[n + row] = highest_effort(effort, stall, slope, u) - s
        lower[n + row] = -highest_effort(effort, stall, slope, -u) - s
    _limb_limits(model, target, q, v, work, first + nj)


@compiled
def _limb_limits(model, target, q, v, work, first):
    """Keeps the joints of limbs where a leg can yield: bent, and off the stops."""
    nv, n = work.Z.shape
    nj = model.effort.shape[0]
    nf, nq = nv - nj, q.shape[0] - nj
    for c in range(model.limb.shape[0]):
        for i in range(6):
            j, row = model.limb[c, i], first + 6 * c + i
            if j < 0:
                for m in range(n):
                    work.A[row, m] = 0.0
                work.lower[n + row], work.upper[n + row] = -1e30, 1e30
                continue
            x, u = q[nq + j], v[nf + j]
            # Never nearer than the behavior itself goes.
            low = model.limb_range[0, c, i]
            low = min(low, target.joints[0, j] - LIMB_ROOM)
            high = model.limb_range[1, c, i]
            high = max(high, target.joints[0, j] + LIMB_ROOM)
            up = 2 * (high - x - u * LIMB_TIME) / LIMB_TIME**2
            down = 2 * (low - x - u * LIMB_TIME) / LIMB_TIME**2
            for m in range(n):
                work.A[row, m] = work.Z[nf + j, m]
            work.upper[n + row] = max(up, -LIMB_MOST) - work.z0[nf + j]
            work.lower[n + row] = min(down, LIMB_MOST) - work.z0[nf + j]
