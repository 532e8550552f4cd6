"""Limits of the whole-body program: hard rows and bounds, compiled, and their names.

`limit_blocks` declares them in their order, which is that of `limits`: the size of the
program and the names of limits in explanations follow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.models.actuation.effort_limits import highest_effort
from backbeat.models.compiled import compiled
from backbeat.models.contact.cones import CONE, CONE_ROWS
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.whole_body.programs.arguments import ModelData, ProgramWorkspace

# Most normal force on one contact [weights of the robot].
MAX_FORCE = 3.0
# A joint may not reach its stop within this time [s]; it brakes at most so hard before
# it, and accelerates at most so hard [rad/s^2].
STOP_TIME, STOP_MOST, MOST = 0.05, 500.0, 2000.0
# Joints of limbs may go so far beyond where the behavior goes [rad], if that is beyond
# their range; they may not leave it within this time [s], braking at most so hard
# [rad/s^2].
LIMB_ROOM, LIMB_TIME, LIMB_MOST = 0.02, 0.05, 500.0
# Accelerations of joints before their stops are of this size [rad/s^2].
BRAKING = 100.0

# (k,) what a bound is in its own unit more than in the program, from the workspace,
# the block's upper bounds there, and v (nv,).
Offset = Callable[[ProgramWorkspace, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class LimitBlock:
    """Bounds of one kind, one after the other.

    Attributes:
        names: of each, in words; {side} stands for lower or upper.
        unit: of the bounds.
        sizes: (k,) to compare what is left with, in that unit.
        offset: see `Offset`; None for zero.
        gives_way: whether they are left out where the program has no solution.
    """

    names: Sequence[str]
    unit: str
    sizes: np.ndarray
    offset: Offset | None = None
    gives_way: bool = False


def limit_blocks(
    robot: RobotModel, contacts: Sequence[str], model: ModelData
) -> tuple[LimitBlock, ...]:
    """All limits of a program: those of its unknowns, then those of its rows."""
    joints, motors = robot.joint_names, robot.motors
    nf, limb = robot.base_velocities, model.limb.ravel()
    pairs = [" and ".join(joints[j] for j in pair) for pair in motors.pairs.joints]

    def braking(chosen: np.ndarray, end: str) -> list[str]:
        return [f"{joints[j]} braking before its {{side}} {end}" for j in chosen]

    def of_joints(work: ProgramWorkspace, up: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.asarray(motors.at(v[nf:])[1] - up)

    def of_pairs(work: ProgramWorkspace, up: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.asarray(motors.pair_limits(v[nf:])[2] - up)

    def of_limbs(work: ProgramWorkspace, up: np.ndarray, v: np.ndarray) -> np.ndarray:
        return work.z0[nf + limb]

    ones, limit = np.ones, "at its {side} limit"
    return (
        LimitBlock(
            braking(model.free, "stop"), "rad/s^2", BRAKING * ones(len(model.free))
        ),
        LimitBlock(
            [f"normal force of {name} {limit}" for name in contacts for _ in range(6)],
            "weights",
            ones(6 * len(contacts)),
        ),
        LimitBlock(
            [row.format(name) for name in contacts for row in CONE],
            "weights",
            ones(CONE_ROWS * len(contacts)),
        ),
        LimitBlock(
            [f"torque of {name} {limit}" for name in joints],
            "N m",
            robot.effort_limits,
            of_joints,
        ),
        LimitBlock(
            [f"motor {m} of {pair} {limit}" for pair in pairs for m in (1, 2)],
            "N m",
            np.repeat(motors.pairs.effort, 2),
            of_pairs,
        ),
        LimitBlock(
            braking(limb, "end"), "rad/s^2", BRAKING * ones(len(limb)), of_limbs, True
        ),
    )


@compiled
def limits(model, target, q, v, work):
    """Joint acceleration bounds, wrench cones, normal forces, torque rows."""
    nv, n = work.Z.shape
    nj, na = model.effort.shape[0], model.free.shape[0]
    C = model.contact_body.shape[0]
    nf, nq = nv - nj, q.shape[0] - nj
    A, lower, upper = work.A, work.lower, work.upper
    for i in range(na):
        j = model.free[i]
        x, u = q[nq + j], v[nf + j]
        up = 2 * (model.position_upper[j] - x - u * STOP_TIME) / STOP_TIME**2
        down = 2 * (model.position_lower[j] - x - u * STOP_TIME) / STOP_TIME**2
        upper[i] = max(min(up, MOST), -STOP_MOST)
        lower[i] = min(max(down, -MOST), STOP_MOST)
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
        cone = model.cone[c] if work.edge[c] == 0.0 else model.edge_cone[c]
        for r in range(CONE_ROWS):
            row = c * CONE_ROWS + r
            for i in range(6):
                A[row, o + i] = cone[r, i]
            lower[n + row] = -UNBOUNDED
            upper[n + row] = 0.0 if standing else UNBOUNDED
    _torque_limits(model, target, v, work)
    motors = 2 * model.pairs.joints.shape[0]
    _limb_limits(model, target, q, v, work, C * CONE_ROWS + nj + motors)


@compiled
def _torque_limits(model, target, v, work):
    """Torque rows of joints, and of motors that drive two of them."""
    nv, n = work.Z.shape
    nj, na = model.effort.shape[0], model.free.shape[0]
    C, nf = model.contact_body.shape[0], nv - nj
    weight = model.mass * model.gravity
    A, lower, upper = work.A, work.lower, work.upper
    first = C * CONE_ROWS
    pairs, motors = model.pairs, first + nj
    # Torques of the motors of pairs without accelerations and wrenches.
    rest = np.zeros(2 * pairs.joints.shape[0])
    for r in range(rest.shape[0]):
        for i in range(n):
            A[motors + r, i] = 0.0
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
        for p in range(pairs.joints.shape[0]):
            for side in range(2):
                if pairs.joints[p, side] == j:
                    for m in range(2):
                        share = pairs.torque[p, m, side]
                        rest[2 * p + m] += share * s
                        for i in range(n):
                            A[motors + 2 * p + m, i] += share * A[row, i]
    _pair_limits(pairs, v[nf:nv], rest, motors + n, lower, upper)


@compiled
def _pair_limits(pairs, u, rest, first, lower, upper):
    """Bounds of the motors that drive two joints at joint speeds u."""
    for p in range(pairs.joints.shape[0]):
        a, b = pairs.joints[p, 0], pairs.joints[p, 1]
        effort, stall, slope = pairs.effort[p], pairs.stall[p], pairs.slope[p]
        for m in range(2):
            speed = pairs.speed[p, m, 0] * u[a] + pairs.speed[p, m, 1] * u[b]
            most = highest_effort(effort, stall, slope, speed)
            least = -highest_effort(effort, stall, slope, -speed)
            upper[first + 2 * p + m] = most - rest[2 * p + m]
            lower[first + 2 * p + m] = least - rest[2 * p + m]


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
                work.lower[n + row], work.upper[n + row] = -UNBOUNDED, UNBOUNDED
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
