"""Desired and achieved values of a whole-body tick, from dynamics and program."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from backbeat.models.contact.cones import CONE, CONE_ROWS
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.dynamics.rotations import quaternion_to_matrix, relative_log
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.plans.explanation import LimitReport, TaskReport, TickExplanation
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.memory import WholeBodyMemory
from backbeat.mpc.whole_body.programs.arguments import Target
from backbeat.mpc.whole_body.programs.gains import WholeBodyGains
from backbeat.mpc.whole_body.programs.momentum import (
    WholeBodyProgram,
    WholeBodySolution,
)
from backbeat.mpc.whole_body.programs.preset import PresetProgram
from backbeat.optimization.terms.declared import declarations

# Accelerations of joints before their stops are of this size [rad/s^2].
BRAKING = 100.0
# Time that a hand takes at most to get where it shall be held [s].
ARRIVED = 1.0


def explain_tick(
    core: WholeBodyCore,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    plan: Plan,
    memory: WholeBodyMemory | None = None,
    hands: Mapping[str, np.ndarray] | None = None,
    target: np.ndarray | None = None,
) -> TickExplanation:
    """Solves the program of a tick again and reports its tasks and limits.

    Args:
        core: the fast loop.
        t, q, v, plan, hands, target: as of `WholeBodyCore`.
        memory: what the tick before returned. Without it hands are taken to be as far
            from where the behavior has them as they shall be; nothing else that is said
            depends on it.
    """
    sample = _aim(core, t, plan, memory, hands or {})
    middle = core.middle(q, v)
    core.direct(middle, v, sample, target, memory)
    dual = None if memory is None else memory.dual
    solution = core.program.solve(middle, v, core.target, dual)
    names = core.program.contacts
    on = core.target.standing
    if isinstance(core.program, PresetProgram):
        tasks, limits = core.program.report(solution), list[LimitReport]()
    else:
        tasks = report_tasks(core.program, core.target, middle, v, solution)
        limits = list(_limits(core.program, core.target, v, solution))
    return TickExplanation(
        time=t,
        phase=plan.phase_at(t + 0.5 * core.period),
        status=solution.status,
        standing=tuple(n for n, s in zip(names, on, strict=True) if s),
        tasks=tasks,
        limits=tuple(limits),
        torques=solution.tau,
    )


def _aim(
    core: WholeBodyCore,
    t: float,
    plan: Plan,
    memory: WholeBodyMemory | None,
    hands: Mapping[str, np.ndarray],
) -> ReferenceSample:
    """Writes the target of a tick, hands included; returns the behavior there."""
    sample = core.aim(t, plan)
    if memory is None and hands:
        memory = core.start()
        for _ in range(round(ARRIVED / core.period)):
            memory = replace(memory, reach=core.reach(sample, hands, memory))
        sample = core.aim(t, plan)
    if memory is not None and (hands or memory.reach):
        core.reach(sample, hands, memory)
    return sample


def report_tasks(
    program: WholeBodyProgram,
    target: Target,
    q: np.ndarray,
    v: np.ndarray,
    solution: WholeBodySolution,
) -> tuple[TaskReport, ...]:
    """Desired and achieved values of each task."""
    state = Configuration(program.robot, q, v)
    tasks = list(_body_tasks(program, target, state, solution))
    tasks += _orientation_tasks(program, target, state, solution)
    gains = program.gains_for(target)
    for p, name in enumerate(program.points):
        if target.point_on[p] == 0:
            continue
        J, Jdv = state.jacobian(name), state.bias_acceleration(name)
        wanted = target.point[2, p] + gains.point_stiffness * (
            target.point[0, p] - state.pose(name).translation()
        )
        wanted += gains.point_damping * (target.point[1, p] - J[3:] @ v)
        got, share = (J @ solution.vdot + Jdv)[3:], float(target.point_on[p])
        tasks.append(_report(gains, "point_weight", wanted, got, name, share))
    tasks += _path_tasks(program, target, state, solution)
    tasks += _contact_tasks(program, target, v, solution)
    robot, free = program.robot, program.model.free
    nq, nf = robot.base_positions, robot.base_velocities
    wanted = target.joints[2] + gains.posture_stiffness * (target.joints[0] - q[nq:])
    wanted += gains.posture_damping * (target.joints[1] - v[nf:])
    got = solution.vdot[nf:][free]
    tasks.append(_report(gains, "posture_weight", wanted[free], got))
    on = target.standing
    if on.any():
        planned, made = target.wrench[on].ravel(), solution.wrench[on].ravel()
        tasks.append(_report(gains, "wrench_weight", planned, made))
    return tuple(tasks)


def _report(
    gains: WholeBodyGains,
    weight: str,
    wanted: np.ndarray,
    achieved: np.ndarray,
    of: str = "",
    share: float = 1.0,
) -> TaskReport:
    """The report of a declared task.

    Args:
        gains: of the program.
        weight: the field of its weight.
        wanted, achieved: (n,) its values.
        of: what it moves.
        share: of the weight.
    """
    cost = declarations(gains)[weight].cost
    assert cost is not None, weight
    value = share * getattr(gains, weight)
    return TaskReport(cost.name.format(of), value, wanted, achieved, cost.unit)


def _body_tasks(
    program: WholeBodyProgram,
    target: Target,
    state: Configuration,
    solution: WholeBodySolution,
) -> Iterator[TaskReport]:
    """Linear and angular momentum, per mass."""
    robot, gains = program.robot, program.gains_for(target)
    if not robot.floating:
        return
    m, com, momentum = robot.total_mass, state.center_of_mass, state.momentum
    force, moment = np.array([0.0, 0.0, -robot.gravity]), np.zeros(3)
    for c, name in enumerate(program.contacts):
        X = state.pose(name)
        w = robot.gravity * solution.wrench[c]
        f = X.rotation().matrix() @ w[3:]
        force += f
        moment += X.rotation().matrix() @ w[:3] + np.cross(X.translation() - com, f)
    wanted = target.com[2] + gains.com_stiffness * (target.com[0] - com)
    wanted += gains.com_damping * (target.com[1] - momentum[3:] / m)
    yield _report(gains, "linear_weight", wanted, force)
    rate = target.momentum[1] + gains.momentum_gain * (
        target.momentum[0] - momentum[:3]
    )
    yield _report(gains, "momentum_weight", rate / m, moment)


def _orientation_tasks(
    program: WholeBodyProgram,
    target: Target,
    state: Configuration,
    solution: WholeBodySolution,
) -> Iterator[TaskReport]:
    """Orientation of base and trunk."""
    robot, gains = program.robot, program.gains_for(target)
    phi, R_base = np.zeros(3), np.zeros((3, 3))
    tasks = [(robot.trunk.name, robot.trunk, target.R_trunk, target.trunk)]
    if robot.floating:
        base = robot.frame(robot.base_name)
        tasks.insert(0, (robot.base_name, base, target.R_base, target.base))
    for name, frame, wanted_R, motion in tasks:
        if robot.floating and name == robot.base_name:
            quaternion_to_matrix(state.q, R_base)
            relative_log(wanted_R, R_base, phi)
        else:
            relative_log(wanted_R, state.pose(frame).rotation().matrix(), phi)
        J, Jdv = state.jacobian(frame), state.bias_acceleration(frame)
        wanted = motion[1] + gains.orientation_stiffness * phi
        wanted += gains.orientation_damping * (motion[0] - J[:3] @ state.v)
        got = (J @ solution.vdot + Jdv)[:3]
        yield _report(gains, "orientation_weight", wanted, got, name)


def _path_tasks(
    program: WholeBodyProgram,
    target: Target,
    state: Configuration,
    solution: WholeBodySolution,
) -> Iterator[TaskReport]:
    """Paths of limbs in the air, turning and moving, in the axes of their patch."""
    gains = program.gains_for(target)
    for c in range(len(program.model.limb)):
        if target.standing[c]:
            continue
        name, off = program.contacts[c], solution.swing_slack[c]
        J, Jdv = state.jacobian(name), state.bias_acceleration(name)
        R = state.pose(name).rotation().matrix()
        got = ((J @ solution.vdot + Jdv).reshape(2, 3) @ R).ravel()
        moved = _report(gains, "swing_weight", (got - off)[3:], got[3:], name)
        label = moved.name.replace("path", "turn", 1)
        weight, turn = moved.weight, slice(3)
        yield TaskReport(label, weight, (got - off)[turn], got[turn], "rad/s^2")
        yield moved


def _contact_tasks(
    program: WholeBodyProgram,
    target: Target,
    v: np.ndarray,
    solution: WholeBodySolution,
) -> Iterator[TaskReport]:
    """Rest of standing contacts that no limb holds, as a seat, in patch axes."""
    work, model = program.workspace, program.model
    gains = program.gains_for(target)
    for c, name in enumerate(program.contacts):
        # A limb of six joints follows its contact, as does one whose sole rolls.
        rolls = model.contact_rolls[c] > 0.0
        held = c < len(model.limb) and (model.limb[c, 5] >= 0 or rolls)
        if held or not target.standing[c]:
            continue
        wanted = program.contact_acceleration(v, c)
        got = work.J[c] @ solution.vdot + work.Jdv[c]
        yield _report(gains, "contact_weight", wanted, got, name)


def _limits(
    program: WholeBodyProgram,
    target: Target,
    v: np.ndarray,
    solution: WholeBodySolution,
) -> Iterator[LimitReport]:
    """Lower and upper bounds that are finite."""
    work, robot = program.workspace, program.robot
    na, C = len(program.model.free), len(program.contacts)
    n, nj = len(work.g), robot.num_joints
    free = solution.vdot[robot.base_velocities :][program.model.free]
    x = np.concatenate([free, (solution.wrench + solution.swing_slack).ravel()])
    values = np.concatenate([x, work.A @ x])
    first = n + C * CONE_ROWS
    most, pair_most = _most_torques(robot, v)

    def describe(i: int, side: str) -> tuple[str, float, float, str] | None:
        """Name, what to add to value and bound, scale and unit of bound i."""
        if i < na:
            joint = robot.joint_names[program.model.free[i]]
            return f"{joint} braking before its {side} stop", 0.0, BRAKING, "rad/s^2"
        if i < n:
            name = program.contacts[(i - na) // 6]
            return f"normal force of {name} at its {side} limit", 0.0, 1.0, "weights"
        if i < first:
            c, row = divmod(i - n, CONE_ROWS)
            if not target.standing[c]:
                return None
            return CONE[row].format(program.contacts[c]), 0.0, 1.0, "weights"
        if i < first + nj:
            j = i - first
            effort = float(robot.effort_limits[j])
            shift = float(most[j] - work.upper[i])
            name = robot.joint_names[j]
            return f"torque of {name} at its {side} limit", shift, effort, "N m"
        i -= first + nj
        if i < len(pair_most):
            shift = float(pair_most[i] - work.upper[first + nj + i])
            name = f"{_motor(robot, i)} at its {side} limit"
            return name, shift, float(robot.motors.pairs.effort[i // 2]), "N m"
        c, k = divmod(i - len(pair_most), 6)
        j = program.model.limb[c, k]
        shift = float(work.z0[robot.base_velocities + j])
        name = robot.joint_names[j]
        return f"{name} braking before its {side} end", shift, BRAKING, "rad/s^2"

    for i in range(len(values)):
        lower, upper = float(work.lower[i]), float(work.upper[i])
        if lower == upper:
            continue
        for side, bound, sign in (("upper", upper, 1.0), ("lower", lower, -1.0)):
            if abs(bound) > UNBOUNDED / 2:
                continue
            found = describe(i, side)
            if found is None:
                continue
            name, shift, scale, unit = found
            multiplier = max(sign * float(solution.dual[i]), 0.0)
            value = float(values[i]) + shift
            yield LimitReport(name, value, bound + shift, multiplier, scale, unit)


def _most_torques(robot: RobotModel, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(nj,) most torques of joints at v (nv,), and those of motors of pairs [N m]."""
    u = v[robot.base_velocities :]
    return robot.motors.at(u)[1], robot.motors.pair_limits(u)[2]


def _motor(robot: RobotModel, i: int) -> str:
    """Name of one of the motors that drive two joints."""
    joints = [robot.joint_names[j] for j in robot.motors.pairs.joints[i // 2]]
    return f"motor {i % 2 + 1} of {' and '.join(joints)}"
