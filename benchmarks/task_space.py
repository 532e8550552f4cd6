"""Task-space control: a tick of Atlas, and operators against matrices by joints.

python -m benchmarks.task_space
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.operators import DynamicsOperators
from backbeat.optimization.task_space.levels.matrix_free import MatrixFreePoint
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.program import LimitedProgram
from backbeat.optimization.task_space.tasks.force_tasks import JointForceTask
from backbeat.optimization.task_space.tasks.motion_tasks import (
    ContactTask,
    JointTask,
    MassCenterTask,
    PointTask,
)
from benchmarks.measurement import fitted_exponent, one_core

SIZES = (6, 12, 24, 48, 96)
LINK = """<link name="l{i}"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>
"""
JOINT = """<joint name="j{i}" type="revolute"><origin xyz="0 0 0.2"/>
<parent link="l{a}"/><child link="l{i}"/><axis xyz="{axis}"/>
<limit lower="-3" upper="3" effort="100" velocity="5"/></joint>
"""
AXES = ("1 0 0", "0 1 0", "0 0 1")


def chain(joints: int) -> RobotModel:
    """A snake of equal links, its axes in turns."""
    with TemporaryDirectory() as folder:
        text = '<robot name="chain">' + LINK.format(i=0)
        for i in range(1, joints + 1):
            text += LINK.format(i=i) + JOINT.format(i=i, a=i - 1, axis=AXES[i % 3])
        (Path(folder) / "chain.urdf").write_text(text + "</robot>")
        path = Path(folder) / "chain.yaml"
        path.write_text("name: chain\nurdf: chain.urdf\nbase: l0\nfixed: true\n")
        return RobotModel(path)


def median_time(call: Callable[[], object], repetitions: int = 200) -> float:
    """Median wall time of a call after a first one [s]."""
    call()
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return float(np.median(times))


@dataclass(frozen=True)
class SizeRow:
    """Times at one number of joints [s].

    Attributes:
        joints: how many.
        solve, factor: M^-1 f by articulated bodies, and by forming and factoring M.
        free, dense: the torques of a point above joint torques, both ways.
    """

    joints: int
    solve: float
    factor: float
    free: float
    dense: float


def by_size(joints: int) -> SizeRow:
    """Measures a chain."""
    robot, rng = chain(joints), np.random.default_rng(joints)
    q, v = 0.5 * rng.normal(size=joints), np.zeros(joints)
    f, change = rng.normal(size=joints), np.ones(3)
    ops, state = DynamicsOperators(robot), Configuration(robot, q)

    def solve() -> None:
        ops.update(q)
        ops.inverse_mass(f)

    def factor() -> None:
        state.update(q)
        np.linalg.solve(state.mass_matrix, f)

    task, torques = PointTask(robot, f"l{joints}"), JointForceTask(robot)
    space = TaskSpace(robot)
    space.add(task, 1.0, 2)
    space.add(torques, 1.0, 3)
    torques.set_desired(f)
    point = MatrixFreePoint(robot, task)

    def dense() -> None:
        space.update(q, v)
        space.solve()

    def free() -> None:
        # What the dense way computes besides: bias and Jdot v.
        state.update(q, v)
        bias, _ = state.bias, state.bias_acceleration(task.frame)
        point.forces(q, change, f + bias)

    return SizeRow(joints, *(median_time(c) for c in (solve, factor, free, dense)))


def atlas(limited: bool = False) -> Callable[[], object]:
    """A tick of Atlas on two feet: center of mass, hands, posture."""
    robot = RobotModel("atlas")
    space = TaskSpace(robot)
    for foot in ("l_foot", "r_foot"):
        space.add(ContactTask(robot, foot))
    space.add(MassCenterTask(), 1.0, 2)
    for hand in ("l_hand", "r_hand"):
        space.add(PointTask(robot, hand), 1.0, 3)
    space.add(JointTask(robot), 1.0, 4)
    q, v = robot.posture("stand"), np.full(robot.num_velocities, 0.01)
    program = LimitedProgram(space)

    def tick() -> object:
        space.update(q, v)
        return program.solve() if limited else space.solve()

    return tick


def main() -> None:
    """Prints what was measured, on one core."""
    with one_core():
        rows = [by_size(n) for n in SIZES]
        ticks = [1e3 * median_time(atlas(limited)) for limited in (False, True)]
    print("joints   M^-1 f [us]          point above torques [us]")
    print("         operator   matrix    operators  matrices")
    for r in rows:
        cells = (r.solve, r.factor, r.free, r.dense)
        print(f"{r.joints:6d}   " + "  ".join(f"{1e6 * c:8.1f}" for c in cells))
    for name in ("solve", "factor", "free", "dense"):
        p = fitted_exponent(SIZES[-2:], [getattr(r, name) for r in rows[-2:]])
        print(f"{name}: grows with the power {p:.2f} of joints at the end")
    print(f"Atlas, three levels: {ticks[0]:.2f} ms; with limits {ticks[1]:.2f} ms")


if __name__ == "__main__":
    main()
