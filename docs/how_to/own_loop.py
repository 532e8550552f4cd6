"""Backbeat's controllers as plain functions, in a loop of your own.

    plan    = step(t, q, v)            fifty times a second
    command = tick(t, q, v, plan)      five hundred times a second

What either remembers is handed in and out. There is no diagram, no context and no
simulator here: the robot is integrated by the few lines of `move`, in which its feet
are glued to the ground. In their place may be a simulator of yours, or a robot. From
the root of the checkout:

    .venv/bin/python docs/how_to/own_loop.py
"""

import argparse
from pathlib import Path

import numpy as np

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.models.actuation.joint_command import (
    DAMPING,
    EFFORT,
    POSITION,
    STIFFNESS,
    VELOCITY,
)
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.timing import TickTiming

DURATION = 3.0  # s
PLAN_PERIOD, TICK_PERIOD = 0.02, 0.002  # s
# How fast glue takes back what feet have drifted by [1/s].
GLUE = 50.0


class OwnRobot:
    """A robot with its feet glued to the ground, integrated with fixed steps."""

    def __init__(self, reference: Reference) -> None:
        """Puts it where the behavior starts, at rest."""
        self.robot, self.feet = reference.robot, reference.patches
        self.q = reference.table.q[0].copy()
        self.v = np.zeros(self.robot.num_velocities)
        self.push = np.zeros(3)  # N, on the pelvis
        self.path = [self.q]

    def torques(self, command: np.ndarray) -> np.ndarray:
        """(nj,) torques of the joint servos [N m]."""
        c, limit = command.reshape(-1, self.robot.num_joints), self.robot.effort_limits
        u = c[EFFORT] + c[STIFFNESS] * (c[POSITION] - self.q[7:])
        u += c[DAMPING] * (c[VELOCITY] - self.v[6:])
        return np.clip(u, -limit, limit)

    def move(self, tau: np.ndarray, dt: float) -> None:
        """One step [s] of Newton, Euler and glue: M vdot + h = S' tau + J' f."""
        state = Configuration(self.robot, self.q, self.v)
        J = np.vstack([state.jacobian(name) for name in self.feet])
        Jdv = np.hstack([state.bias_acceleration(name) for name in self.feet])
        n, m = len(self.v), len(J)
        force = np.r_[np.zeros(6), tau - self.robot.damping * self.v[6:]] - state.bias
        force[3:6] += self.push
        K = np.block([[state.mass_matrix, -J.T], [J, np.zeros((m, m))]])
        vdot = np.linalg.solve(K, np.r_[force, -Jdv - GLUE * J @ self.v])[:n]
        self.v = self.v + dt * vdot
        q = np.empty_like(self.q)
        box_plus(self.q, self.v, dt, True, q)
        self.q = q
        self.path.append(q)


def run(behavior: Behavior, pushes: bool = True) -> OwnRobot:
    """Follows the behavior; for 0.1 s at one second, 400 N push the pelvis."""
    reference = Reference(behavior)
    body = OwnRobot(reference)
    program = WholeBodyProgram(body.robot, reference.patches, reference.points)
    # Feet that are glued cannot step; without this argument they would be asked to.
    step = PredictiveCore(PredictiveProgram(reference), PLAN_PERIOD, recovery=None)
    tick = WholeBodyCore(program, reference, TickTiming(TICK_PERIOD))
    slow, fast = step.start(), tick.start()
    for i in range(round(DURATION / TICK_PERIOD)):
        t = i * TICK_PERIOD
        if i % round(PLAN_PERIOD / TICK_PERIOD) == 0:
            slow = step(t, body.q, body.v, slow)
        fast = tick(t, body.q, body.v, slow.plan, fast)
        body.push[0] = 400.0 if pushes and 1.0 <= t < 1.1 else 0.0
        body.move(body.torques(fast.command), TICK_PERIOD)
    print(f"{slow.plans} plans, {fast.ticks} ticks, {fast.failures} not solved")
    return body


def main() -> None:
    """Builds the behavior, runs it and says how it went."""
    parser = argparse.ArgumentParser(description="Atlas crouches in a plain loop.")
    parser.add_argument("--library", type=Path, default=Path("library"))
    behavior = build("posture-tour", Library(parser.parse_args().library))
    body = run(behavior)
    planned = Reference(behavior).sample(DURATION).q[6]
    print(f"pelvis {body.q[6]:.3f} m above the ground, {planned:.3f} m planned")


if __name__ == "__main__":
    main()
