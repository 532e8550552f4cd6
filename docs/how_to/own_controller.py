"""A controller of your own in Backbeat's loop: an LQR on the centroidal model.

    backbeat track stand --controller docs/how_to/own_controller.py:make

It takes the place of the predictive controller. Everything else of a run is as it was:
whole-body controller, sensors with noise and delay, motors, pushes, run file, metrics
and report. From the root of the checkout, this compares both after pushes:

    .venv/bin/python docs/how_to/own_controller.py
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.linalg import solve_continuous_are

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.control.controllers import ControllerSettings
from backbeat.mpc.control.own_controllers import ControllerInput, OwnControllers
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.horizon.near_plan import PlanNear
from backbeat.mpc.plans.measurement import measure_deviation
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

# Weights on the deviation of CoM, velocity, angular momentum per mass and rotation, and
# on force and moment per mass.
STATE = np.repeat([100.0, 10.0, 10.0, 100.0], 3)
INPUT = np.repeat([0.1, 0.5], 3)


class Lqr:
    """Plans the contact forces that an LQR asks for, about the behavior's.

    The state is that of a plan's deviation, [dc, dv, dk, dphi]; inputs are force and
    moment about the CoM, per mass.
    """

    def __init__(self, reference: Reference) -> None:
        """Solves the Riccati equation about the start of the behavior."""
        self.near, self.reference = PlanNear(reference, knots=4), reference
        self.robot, table = reference.robot, reference.table
        self.state = Configuration(self.robot, table.q[0])
        inertia = self.state.centroidal_inertia / self.robot.total_mass
        one, A, B = np.eye(3), np.zeros((12, 12)), np.zeros((12, 6))
        A[:3, 3:6], A[9:, 6:9] = one, np.linalg.inv(inertia)
        # The behavior's forces turn a body whose center of mass is elsewhere.
        A[6:9, :3] = skew(np.array([0.0, 0.0, self.robot.gravity]))
        B[3:6, :3], B[6:9, 3:] = one, one
        P = solve_continuous_are(A, B, np.diag(STATE), np.diag(INPUT))
        self.K = (B / INPUT).T @ P

    def __call__(self, now: ControllerInput) -> Plan:
        """The plan from what is sensed."""
        s = now.plan.phase_at(now.t)
        sample = self.reference.sample(s)
        x = measure_deviation(self.state.update(now.q, now.v), sample)
        wrench = self.shared(-self.K @ x / self.robot.gravity, sample)
        return self.near(now.t, s, x, wrench)

    def shared(self, total, sample) -> np.ndarray:
        """(C, 6) least wrenches of the standing patches with a sum about the CoM."""
        C, com = len(sample.standing), self.state.center_of_mass
        G = np.zeros((6, 6 * C))
        for c in np.flatnonzero(sample.standing):
            R = sample.R_contact[c]
            arm = skew(sample.p_contact[c] - com) @ R
            G[:3, 6 * c + 3 : 6 * c + 6] = R
            G[3:, 6 * c : 6 * c + 3], G[3:, 6 * c + 3 : 6 * c + 6] = R, arm
        return (np.linalg.pinv(G) @ total).reshape(C, 6)


def skew(r: np.ndarray) -> np.ndarray:
    """(3, 3) of the cross product with r."""
    return np.cross(r, np.eye(3)).T


def make(reference: Reference, settings: ControllerSettings) -> OwnControllers:
    """What `--controller docs/how_to/own_controller.py:make` calls."""
    return OwnControllers(plan=Lqr(reference))


def largest_error(behavior: Behavior, push: list[float], controller) -> float | None:
    """Largest CoM error [mm] after a push [N s] without steps; None after a fall."""
    scenario = Scenario.of(
        behavior=behavior.name,
        state="estimated",
        actuator_lag=0.005,
        duration=4.0,
        pushes=[Push(1.0, 0.1, push)],
        steps=False,
    )
    run = run_scenario(scenario, behavior, controller=controller)
    return None if run.fell else run_metrics(run)["com_error_mm"]["max"]


def table(behavior: Behavior, impulses: list[float]) -> pd.DataFrame:
    """Largest CoM error [mm] by push [N s], of our controller and of the LQR."""
    rows = []
    for impulse in impulses:
        for direction, x, y in (("forward", impulse, 0.0), ("left", 0.0, impulse)):
            ours, lqr = (
                largest_error(behavior, [x, y, 0.0], own) for own in (None, make)
            )
            rows.append((direction, impulse, ours, lqr))
    return pd.DataFrame(rows, columns=["push", "N s", "ours [mm]", "LQR [mm]"])


def main() -> None:
    """Builds `stand` and prints the table."""
    parser = argparse.ArgumentParser(description="An LQR beside our controller.")
    parser.add_argument("--library", type=Path, default=Path("library"))
    parser.add_argument("--impulses", type=float, nargs="+", default=[40, 80, 100])
    given = parser.parse_args()
    behavior = build("stand", Library(given.library))
    pushes = table(behavior, given.impulses)
    print(pushes.round(1).to_string(index=False, na_rep="falls"))


if __name__ == "__main__":
    main()
