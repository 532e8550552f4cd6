"""The table of a run: one row a sample, columns by joint and contact name.

What was measured is stored as it was, in double precision. What follows from it, what
the controller planned, and what it expected are columns too, in single precision, so
that a table of this kind explains a run without any other tool than pandas.
`docs/how_to/runs.md` lists all columns with their units and frames.
"""

import numpy as np
import pandas as pd

from backbeat.behaviors.library.table import WRENCH
from backbeat.models.dynamics.pendulum import capture_point
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.names import position_names, velocity_names
from backbeat.mpc.control.plan_channel import PlanDelivery, plans_in_force
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.walking.writer import reference_on

# How far ahead predictions are compared with what came [s].
AHEAD = 0.3
# Columns that say how fast this machine was, and differ from run to run.
WALL_TIMES = ("plan.wall_ms", "tick.wall_ms")
# Late in a show single precision does not resolve microseconds.
TIMES = ("phase", "plan.time")

Columns = dict[str, np.ndarray]


def run_frame(run: SimulationRun) -> pd.DataFrame:
    """The samples of a run as a table, columns by joint and contact name."""
    robot = run.behavior.robot_model
    columns: Columns = {"t": run.t} | _state("", robot, run.x)
    for i, joint in enumerate(robot.joint_names):
        columns[f"tau.{joint}"] = run.effort[:, i]
    for i, joint in enumerate(run.legs):
        columns[f"tau.{joint}"] = run.leg_effort[:, i]
    for c, name in enumerate([*robot.patches, "elsewhere"]):
        for i, axis in enumerate(WRENCH):
            columns[f"{name}.{axis}"] = run.contact[:, c, i]
    if len(run.target):
        columns |= _vector("target", run.target)
    for i, axis in enumerate("xyz"):
        columns[f"push.f{axis}"] = run.push[:, i]
    derived = _balance(run) | _controller(run)
    if run.scenario.monitoring.log_dynamics:
        derived |= _dynamics(run)
    if run.scenario.sensing.is_sensed:
        derived |= _state("sensed.", robot, run.sensed)
    for name, values in derived.items():
        is_double = values.dtype == np.float64 and name not in TIMES
        columns[name] = values.astype(np.float32) if is_double else values
    return pd.DataFrame(columns)


def _state(prefix: str, robot: RobotModel, x: np.ndarray) -> Columns:
    names = position_names(robot) + velocity_names(robot)
    return {f"{prefix}{name}": x[:, i] for i, name in enumerate(names)}


def _dynamics(run: SimulationRun) -> Columns:
    """Gravity's torques and the diagonal of the mass matrix, as the model has them."""
    robot = run.behavior.robot_model
    first = robot.base_velocities
    state = Configuration(robot, run.x[0, : robot.num_positions])
    gravity = np.full((len(run.t), robot.num_joints), np.nan)
    inertia = gravity.copy()
    for k, x in enumerate(run.x):
        if not np.isfinite(x).all():
            # After a fall numbers may grow beyond all bounds.
            break
        state.update(x[: robot.num_positions])
        gravity[k] = state.gravity_forces[first:]
        inertia[k] = np.diag(state.mass_matrix)[first:]
    columns: Columns = {}
    for name, values in (("gravity", gravity), ("inertia", inertia)):
        for i, joint in enumerate(robot.joint_names):
            columns[f"{name}.{joint}"] = values[:, i]
    return columns


def _balance(run: SimulationRun) -> Columns:
    """Center of mass, and the capture point on the ground that carries it."""
    robot = run.behavior.robot_model
    patches = robot.patches
    state = Configuration(robot, run.x[0, : robot.num_positions])
    com, velocity = np.zeros((len(run.t), 3)), np.zeros((len(run.t), 3))
    height = np.zeros(len(run.t))
    for k, x in enumerate(run.x):
        if not np.isfinite(x).all():
            # After a fall numbers may grow beyond all bounds.
            com[k:] = velocity[k:] = np.nan
            break
        state.update(x[: robot.num_positions], x[robot.num_positions :])
        com[k] = state.center_of_mass
        velocity[k] = state.momentum[3:] / robot.total_mass
        if robot.floating:
            under = [p for p, w in zip(patches, run.contact[k], strict=False) if w[5]]
            low = min(
                (state.pose(p).translation()[2] for p in under or patches),
                default=0.0,
            )
            height[k] = max(com[k, 2] - low, 0.0)
    columns = _vector("com", com) | _vector("com.v", velocity)
    if robot.floating:
        capture = capture_point(com, velocity, height, robot.gravity)
        columns |= _vector("capture", capture)
    return columns


def _vector(name: str, values: np.ndarray) -> Columns:
    dot = "" if name.endswith(".v") else "."
    return {
        f"{name}{dot}{a}": values[:, i] for i, a in enumerate("xyz"[: values.shape[1]])
    }


def _controller(run: SimulationRun) -> Columns:
    """Planned and predicted values at every sample."""
    reference, t = Reference(run.behavior), run.t
    robot, M = reference.robot, len(run.t)
    clock = t + run.scenario.timing.lead_in
    delivery = PlanDelivery.of(run.scenario)
    plans, now = plans_in_force(run.plans, delivery, clock)
    _, before = plans_in_force(run.plans, delivery, clock - AHEAD)
    q, com = np.zeros((M, robot.num_positions)), np.zeros((M, 3))
    wrench = np.zeros((M, len(reference.patches), 6))
    phase, expected = np.zeros(M), np.full((M, 3), np.nan)
    for k in range(M):
        plan = plans[now[k]]
        phase[k] = plan.phase_at(clock[k])
        sample = reference_on(reference, plan.walk).sample_at(phase[k])
        q[k], com[k] = sample.q, sample.com[0]
        wrench[k] = _world_wrenches(plan, clock[k], sample, reference)
        if clock[k] >= AHEAD:
            expected[k] = expected_com(plans[before[k]], clock[k])
    positions = position_names(robot, "planned.q")
    columns = {name: q[:, i] for i, name in enumerate(positions)}
    columns |= _vector("planned.com", com)
    if reference.patches:
        columns |= _vector("predicted.com", expected)
    for c, name in enumerate(reference.patches):
        for i, axis in enumerate(WRENCH):
            columns[f"planned.{name}.{axis}"] = wrench[:, c, i]
    columns["phase"] = phase
    return columns | _plan_columns(run, [plans[i] for i in now])


def _plan_columns(run: SimulationRun, plans: list[Plan]) -> Columns:
    """The plan in force at every sample, and the time that programs took."""
    start = run.scenario.timing.lead_in
    return {
        "phase_rate": np.array([p.rate for p in plans]),
        "plan.time": np.array([p.time - start for p in plans]),
        "plan.iterations": np.array([p.iterations for p in plans], np.int32),
        "plan.friction_scale": np.array([p.friction_scale for p in plans]),
        "plan.external_acceleration.x": np.array(
            [p.external_acceleration_xy[0] for p in plans]
        ),
        "plan.external_acceleration.y": np.array(
            [p.external_acceleration_xy[1] for p in plans]
        ),
        "plan.status": np.array([p.status for p in plans], object),
        "plan.wall_ms": np.array([1e3 * p.solve_time for p in plans]),
        "tick.wall_ms": _slowest_ticks(run),
    }


def _slowest_ticks(run: SimulationRun) -> np.ndarray:
    """(M,) wall time of the slowest tick since the sample before [ms]."""
    clock, found = run.t + run.scenario.timing.lead_in, np.full(len(run.t), np.nan)
    ticks = np.nan_to_num(clock / run.scenario.timing.tick_period + 1e-6, posinf=0.0)
    ends = np.floor(ticks).astype(int) + 1
    start = 0
    for k, end in enumerate(ends):
        if len(run.tick_ms[start:end]):
            found[k] = run.tick_ms[start:end].max()
        start = end
    return found


def expected_com(plan: Plan, t: float) -> np.ndarray:
    """(3,) center of mass that a plan expects at a time of its clock [m].

    NaN beyond its horizon.
    """
    ends = np.r_[0.0, np.cumsum(plan.durations)]
    since = t - plan.time
    if since > ends[-1]:
        return np.full(3, np.nan)
    place = np.array([np.interp(since, ends, c) for c in plan.com.T])
    # Heights of a plan are above its estimated ground.
    place[2] += plan.ground
    return place


def _world_wrenches(
    plan: Plan, t: float, sample: ReferenceSample, reference: Reference
) -> np.ndarray:
    """(C, 6) planned wrenches on patches about the world's origin [N m, N]."""
    _, wrench, shift, _ = plan.at(t)
    found = np.zeros((len(reference.patches), 6))
    for c in range(len(found)):
        R, p = sample.R_contact[c], sample.p_contact[c].copy()
        if c in reference.soles and len(shift):
            p[:2] += shift[reference.soles.index(c)]
        moment, force = R @ wrench[c, :3], R @ wrench[c, 3:]
        found[c] = np.r_[moment + np.cross(p, force), force]
    return found * reference.robot.weight
