"""Asks Crocoddyl, in a process of its own, for the motions that Backbeat solves."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from benchmarks.worker import Worker, bare_urdf

WORKER = Path(__file__).with_name("solve.py")
# Height of a foot on its way [m], the one of our footsteps.
CLEARANCE = 0.05


def motion_of(problem: TrajectoryProblem) -> dict[str, Any]:
    """What Crocoddyl needs to know: robot, start, and feet over time."""
    robot, q = problem.robot, problem.q_start
    soles = {
        name: {
            "link": robot.contact_link(name),
            "position": robot.contact_in_link(name).translation().tolist(),
        }
        for name in problem.schedule.contact_names
    }
    times = problem.schedule.switch_times
    phases = []
    for phase, start, end in zip(
        problem.schedule.phases, times[:-1], times[1:], strict=True
    ):
        intervals = len(problem.knots(start, end)) - 1
        feet = {n: X.translation().tolist() for n, X in phase.contacts.items()}
        dt = phase.duration / intervals
        phases.append({"intervals": intervals, "dt": dt, "feet": feet})
    joints = q[robot.base_positions :]
    return {
        "urdf": bare_urdf(robot),
        "quaternion": q[:4].tolist(),
        "position": q[4:7].tolist(),
        "joints": dict(zip(robot.joint_names, joints.tolist(), strict=True)),
        "soles": soles,
        "phases": phases,
        "knots": problem.num_knots,
        "clearance": CLEARANCE,
    }


class Crocoddyl(Worker):
    """A running Crocoddyl."""

    def __init__(self, python: Path) -> None:
        super().__init__("Crocoddyl", python, WORKER)

    def solve(self, problem: TrajectoryProblem) -> dict[str, Any]:
        """Seconds, iterations and cost of one solve; see `solve.py`."""
        return self.ask({"motion": motion_of(problem)})

    def facts(
        self, problem: TrajectoryProblem, spin: np.ndarray, speeds: Mapping[str, float]
    ) -> dict[str, Any]:
        """Mass, center of mass at the start, and kinetic energy at given speeds."""
        facts = {"spin": spin.tolist(), "speeds": dict(speeds)}
        return self.ask({"motion": motion_of(problem), "facts": facts})
