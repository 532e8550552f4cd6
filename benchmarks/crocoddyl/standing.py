"""Asks Crocoddyl, in a process of its own, to keep a robot standing."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.contact.cones import PATCH_MARGIN
from benchmarks.worker import Worker, bare_urdf

WORKER = Path(__file__).with_name("control.py")


@dataclass(frozen=True)
class StandingSettings:
    """Crocoddyl's program: costs a second of squared SI units, tuned on pushes.

    Attributes:
        knots, knot: their number, and the time between them [s].
        solver: FDDP, or BoxFDDP with torque limits.
        friction: coefficient of friction that is relied on.
        sole: share of our sole, margin included, that is relied on.
        least_force: of the ground on each sole [N].
        com, com_speed, spin: center of mass, its speed, and angular momentum by mass.
        rotation, joints, base_speed, joint_speed: the state against that at rest.
        effort: torques against those at rest, by their limits.
        cone, joint_limits: what lies outside of wrench cones and joint limits.
        terminal: seconds for which the last state counts.
        contact_gains: stiffness and damping of the contact constraints.
        regularization: the first one of each iteration.
    """

    knots: int = 50
    knot: float = 0.02
    solver: str = "BoxFDDP"
    friction: float = 0.6
    sole: float = 0.7
    least_force: float = 0.0
    com: float = 1e3
    com_speed: float = 74.0
    spin: float = 0.1
    rotation: float = 20.0
    joints: float = 10.0
    base_speed: float = 1.0
    joint_speed: float = 1.0
    effort: float = 100.0
    cone: float = 0.1
    joint_limits: float = 1e3
    terminal: float = 1.0
    contact_gains: tuple[float, float] = (0.0, 30.0)
    regularization: float = 1e-3


def standing_of(behavior: Behavior) -> dict[str, Any]:
    """What Crocoddyl needs to know: robot, start, limits and soles."""
    robot, q = behavior.robot_model, behavior.motion.q[0]
    joints = q[robot.base_positions :].tolist()
    soles, halves = {}, {}
    for name in robot.soles:
        place = robot.contact_in_link(name).translation().tolist()
        soles[name] = {"link": robot.contact_link(name), "position": place}
        patch = robot.contacts[name]
        halves[name] = [
            PATCH_MARGIN * half for half in (patch.half_length, patch.half_width)
        ]
    return {
        "urdf": bare_urdf(robot),
        "quaternion": q[:4].tolist(),
        "position": q[4:7].tolist(),
        "joints": dict(zip(robot.joint_names, joints, strict=True)),
        "limits": robot.effort_limits.tolist(),
        "soles": soles,
        "halves": halves,
    }


class CrocoddylStanding(Worker):
    """A running MPC; it remembers its plans, so that each run begins anew."""

    def __init__(self, python: Path) -> None:
        super().__init__("Crocoddyl", python, WORKER)

    def begin(self, behavior: Behavior, settings: StandingSettings) -> None:
        """Takes robot and settings, and plans at rest."""
        self.ask({"motion": standing_of(behavior), "settings": asdict(settings)})

    def tick(
        self, t: float, q: np.ndarray, v: np.ndarray, delay: float | None = None
    ) -> tuple[np.ndarray, float]:
        """Torques now, planning before if there is a delay.

        Args:
            t: time [s].
            q, v: state of the robot model.
            delay: how much later the new plan comes into force [s].

        Returns:
            (nj,) torques [N m], and the processor time of the plan [s], or 0.
        """
        request = {"t": t, "q": q.tolist(), "v": v.tolist()}
        if delay is not None:
            request["delay"] = delay
        answer = self.ask(request)
        return np.array(answer["torque"]), answer.get("seconds", 0.0)

    def momentum(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(6,) linear and angular momentum about the center of mass, world axes."""
        request = {"t": 0.0, "q": q.tolist(), "v": v.tolist(), "momentum": True}
        return np.array(self.ask(request)["momentum"])
