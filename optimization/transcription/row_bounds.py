"""Row bounds: how far the inequality rows of a program may go, knot by knot."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.contact.cones import CONE_ROWS, wrench_cone
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.optimization.kinematics.joint_units import joint_units
from backbeat.optimization.kinematics.straight_limbs import bent_range
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.transcription.frame_slots import FrameSlot
from backbeat.optimization.transcription.program import Program


def write_bounds(
    problem: TrajectoryProblem,
    program: Program,
    slots: Sequence[FrameSlot],
    on: np.ndarray,
) -> None:
    """Writes the bounds of a program's rows where there are some.

    Args:
        problem: what bounds motion and forces.
        program: whose bounds are all UNBOUNDED.
        slots: its frames.
        on: (N, C) whether a contact carries a wrench at a knot.
    """
    robot, limits = problem.robot, problem.limits
    N, nj, layout = problem.num_knots, robot.num_joints, program.rows
    lower, upper = program.lower, program.upper

    def bound(first: int, size: int, knots: slice, low: object, high: object) -> None:
        lower[knots, first : first + size] = low
        upper[knots, first : first + size] = high

    inner, free = slice(1, N - 1), slice(2, N)
    bound(layout.torque, nj, inner, -limits.torque, limits.torque)
    motors = problem.motor_rows
    size = len(motors.lower)
    bound(layout.motor, size, inner, motors.lower, motors.upper)
    margins = limits.position_margin * joint_units(robot)
    low, high = robot.position_lower + margins, robot.position_upper - margins
    for q in problem.outer_ends:
        low = np.minimum(low, q[robot.base_positions :] - 2 * margins)
        high = np.maximum(high, q[robot.base_positions :] + 2 * margins)
    bound(layout.position, nj, free, low, high)
    speed = limits.velocity * robot.velocity_limits
    bound(layout.velocity, nj, free, -speed, speed)
    for i, contact in enumerate(robot.contacts[n] for n in problem.contact_names):
        stands = np.where(on[:, i])[0]
        num = len(wrench_cone(*contact.bearing, 1.0))
        first = layout.cone + i * CONE_ROWS
        upper[stands, first : first + num] = 0.0
        _bound_normal_force(problem, program, i, stands)
        if limits.bend:
            _bound_knee(problem, program, i, stands)
    for p, slot in enumerate(slots):
        first = layout.frame + 6 * p
        lower[:, first : first + 6] = slot.lower
        upper[:, first : first + 6] = slot.upper
    margin = problem.collisions.margin
    for first, on_rows in (
        (layout.collision, program.sphere_on),
        (layout.midpoint, program.midpoint_on),
    ):
        rows = slice(first, first + on_rows.shape[1])
        lower[:, rows] = np.where(on_rows, margin, -UNBOUNDED)
    if len(program.rated):
        rate = limits.force_rate * program.h[1:-1, None]
        bound(layout.rate, len(program.rated), slice(2, N - 1), -rate, rate)
        upper[2 : N - 1, layout.total] = limits.total_force


def _bound_knee(
    problem: TrajectoryProblem, program: Program, i: int, stands: np.ndarray
) -> None:
    """Keeps the knee of a limb bent where its contact stands, lands and leaves."""
    found = bent_range(problem, problem.contact_names[i], problem.limits.bend)
    if found is None:
        return
    joint, low, high = found
    beside = np.unique(np.concatenate([stands - 1, stands, stands + 1]))
    at = beside[(beside >= 2) & (beside < problem.num_knots)]
    row = program.rows.position + joint
    program.lower[at, row] = np.maximum(program.lower[at, row], low[at])
    program.upper[at, row] = np.minimum(program.upper[at, row], high[at])


def _bound_normal_force(
    problem: TrajectoryProblem, program: Program, i: int, stands: np.ndarray
) -> None:
    limits, row = problem.limits, program.rows.normal + i
    name, weight = problem.contact_names[i], program.weight
    low, high = limits.least_force * weight, limits.contact_force * weight
    if problem.robot.contacts[name].is_point:
        low, high = limits.point_force
    low, high = limits.contact_forces.get(name, (low, high))
    program.lower[stands, row] = low / weight
    program.upper[stands, row] = high / weight
    for impact in problem.impacts:
        if name == impact.contact:
            force = impact.max_impulse / program.dt[impact.knot]
            program.lower[impact.knot, row] = 0.0
            program.upper[impact.knot, row] = force / weight
