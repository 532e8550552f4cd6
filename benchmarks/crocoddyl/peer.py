"""Asks Crocoddyl, in a process of its own, for the motions that Backbeat solves."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from models.errors import BackbeatError
from models.robot_description import find_description, load_description
from optimization.trajectory_problem import TrajectoryProblem

WORKER = Path(__file__).with_name("solve.py")
# Height of a foot on its way [m], the one of our footsteps.
CLEARANCE = 0.05


def motion_of(problem: TrajectoryProblem) -> dict[str, Any]:
    """What Crocoddyl needs to know: robot, start, and feet over time."""
    robot, q = problem.robot, problem.q_start
    description = find_description(robot.name)
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
        "urdf": str(description.parent / load_description(description).urdf),
        "quaternion": q[:4].tolist(),
        "position": q[4:7].tolist(),
        "joints": dict(zip(robot.joint_names, joints.tolist(), strict=True)),
        "soles": soles,
        "phases": phases,
        "knots": problem.num_knots,
        "clearance": CLEARANCE,
    }


class Crocoddyl:
    """A running Crocoddyl; it inherits the cores that this process may use."""

    def __init__(self, python: Path) -> None:
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [python, "-I", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | threads,
            text=True,
        )

    def __enter__(self) -> "Crocoddyl":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def solve(self, problem: TrajectoryProblem) -> dict[str, Any]:
        """Seconds, iterations and cost of one solve; see `solve.py`."""
        return self._ask({"motion": motion_of(problem)})

    def facts(
        self, problem: TrajectoryProblem, spin: np.ndarray, speeds: Mapping[str, float]
    ) -> dict[str, Any]:
        """Mass, center of mass at the start, and kinetic energy at given speeds."""
        facts = {"spin": spin.tolist(), "speeds": dict(speeds)}
        return self._ask({"motion": motion_of(problem), "facts": facts})

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise BackbeatError("Crocoddyl ended without an answer; see above")
        found: dict[str, Any] = json.loads(answer)
        return found
