"""An engine of your own under Backbeat's sensors, motors and controllers.

An engine moves the robot and says what touches it. Here it is a toy, in which feet are
glued to the ground, in the fifty lines of `GluedFeet`; in its place may be a simulator
of yours. Everything else of a run is as with Drake or MuJoCo: noise and delay of the
sensors, lag of the motors, pushes, run file, metrics and report. From the root of the
checkout:

    .venv/bin/python docs/how_to/own_engine.py
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.engines.engine import AppliedForce, EngineMoment
from backbeat.mpc.engines.engine_setup import EngineSetup
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.world.stick_contacts import ROW

# How fast glue takes back what feet have drifted by [1/s].
GLUE = 50.0


class GluedFeet:
    """An engine: Newton, Euler and glue, in steps of the plant."""

    def __init__(self, setup: EngineSetup) -> None:
        """Takes robot and step of the run; the world is flat and bare."""
        self.robot, self.time_step = setup.world.robot, setup.time_step
        self.feet = self.robot.patches

    def reset(self, q: np.ndarray, v: np.ndarray) -> EngineMoment:
        """The robot at (q, v); no force is known yet."""
        nothing = np.zeros((len(self.feet), 6))
        return self.moment(q, v, nothing, np.zeros(self.robot.num_joints))

    def step(
        self,
        now: EngineMoment,
        effort: np.ndarray,
        pushes: Sequence[AppliedForce] = (),
    ) -> EngineMoment:
        """One step of M vdot + h = S' tau + J' f, with the feet where they are."""
        state = Configuration(self.robot, now.q, now.v)
        J = np.vstack([state.jacobian(name) for name in self.feet])
        Jdv = np.hstack([state.bias_acceleration(name) for name in self.feet])
        n, m = len(now.v), len(J)
        force = np.r_[np.zeros(6), effort - self.robot.damping * now.v[6:]] - state.bias
        for push in pushes:  # of this toy, at the origin of the base
            force[3:6] += push.f_W
        K = np.block([[state.mass_matrix, -J.T], [J, np.zeros((m, m))]])
        found = np.linalg.solve(K, np.r_[force, -Jdv - GLUE * J @ now.v])
        v = now.v + self.time_step * found[:n]
        q = np.empty_like(now.q)
        box_plus(now.q, v, self.time_step, True, q)
        return self.moment(q, v, found[n:].reshape(-1, 6), effort)

    def moment(
        self, q: np.ndarray, v: np.ndarray, felt: np.ndarray, effort: np.ndarray
    ) -> EngineMoment:
        """All that there is to know; `felt` are wrenches about the feet, (C, 6)."""
        state = Configuration(self.robot, q, v)
        contact = np.zeros((len(felt) + 1, 6))
        for row, wrench, name in zip(contact, felt, self.feet, strict=False):
            p_WC = state.pose(name).translation()
            row[:] = np.r_[wrench[:3] + np.cross(p_WC, wrench[3:]), wrench[3:]]
        return EngineMoment(None, q, v, contact, felt[:, 5], effort, np.zeros((0, ROW)))


def run(behavior: Behavior, **settings: object) -> SimulationRun:
    """Follows the behavior on noisy sensors; 40 N s push the pelvis at one second."""
    scenario = Scenario.of(
        behavior=behavior.name,
        engine="own",
        state="estimated",
        actuator_lag=0.005,
        lead_in=0.2,
        duration=2.5,
        pushes=[Push(1.0, 0.1, [40.0, 0.0, 0.0])],
        steps=False,  # Feet that are glued cannot step.
    ).changed(**settings)
    return run_scenario(scenario, behavior, engine=GluedFeet)


def main() -> None:
    """Builds the behavior, runs it and says how it went."""
    parser = argparse.ArgumentParser(description="Atlas crouches on glued feet.")
    parser.add_argument("--library", type=Path, default=Path("library"))
    made = run(build("posture-tour", Library(parser.parse_args().library)))
    error = run_metrics(made)["com_error_mm"]
    print(f"center of mass {error['rms']:.1f} mm (RMS) from the plan", end=", ")
    print(f"{error['max']:.1f} mm at most, after the push")


if __name__ == "__main__":
    main()
