"""Crocoddyl's own MPC of a standing robot; runs in Crocoddyl's own environment.

Reads one JSON request a line on stdin and writes one JSON answer a line. A plan is one
iteration of Crocoddyl on the whole robot with both feet on the ground, warm from the
plan before; between plans its Riccati gains act at every request,

    u = u_k - K_k (x - x_k),

as in Dantec, Naveau, Fernbach et al., "Whole-Body Model Predictive Control for Biped
Locomotion on a Torque-Controlled Humanoid Robot", 2022. Nothing of Backbeat is
imported.
"""

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import crocoddyl
import numpy as np
import pinocchio as pin

sys.path.append(str(Path(__file__).parent))  # isolated, Python leaves it out
from solve import Robot, sole_of

# Step of the prediction over a delay [s].
PREDICTION_STEP = 0.005
# Iterations of the first plan, in which the robot stands still.
FIRST_ITERATIONS = 50
# More than a sole ever carries [N].
MOST_FORCE = 1e5


class StandingRobot(Robot):
    """The robot with its limits and soles, and states as Backbeat writes them."""

    def __init__(self, motion: dict[str, Any]) -> None:
        super().__init__(motion)
        self.joints = [self._joint(name) for name in motion["joints"]]
        self.order = np.array([joint.idx_v - 6 for joint in self.joints])
        self.limits = np.empty(len(self.order))
        self.limits[self.order] = motion["limits"]
        self.halves = {n: np.array(h) for n, h in motion["halves"].items()}

    def read(self, q: list[float], v: list[float]) -> np.ndarray:
        """A state in Pinocchio's order.

        Args:
            q: quaternion with w first, position [m], joints [rad].
            v: angular and linear velocity of the base in world axes, joints.
        """
        x, nq = np.empty(self.model.nq + self.model.nv), self.model.nq
        w, *xyz = q[:4]
        x[:7] = [*q[4:7], *xyz, w]
        R = pin.XYZQUATToSE3(x[:7]).rotation
        x[nq : nq + 3], x[nq + 3 : nq + 6] = R.T @ v[3:6], R.T @ v[:3]
        x[7 + self.order], x[nq + 6 + self.order] = q[7:], v[6:]
        return x

    def momentum(self, x: np.ndarray) -> list[float]:
        """Linear and angular momentum about the center of mass, world axes."""
        q, v = np.split(x, [self.model.nq])
        data = self.model.createData()
        return pin.computeCentroidalMomentum(self.model, data, q, v).vector.tolist()

    def standing_torques(self) -> np.ndarray:
        """Torques that hold it where it starts, by the smallest wrenches that do."""
        model, data, q = self.model, self.model.createData(), self.q
        gravity = pin.computeGeneralizedGravity(model, data, q)
        frames = [model.getFrameId(sole_of(name)) for name in self.names]
        J = np.vstack([pin.computeFrameJacobian(model, data, q, f) for f in frames])
        wrenches = np.linalg.lstsq(J[:, :6].T, gravity[:6])[0]
        return (gravity - J.T @ wrenches)[6:]


class StandingProblem:
    """The shooting problem: two rigid contacts, and what a knot costs a second."""

    def __init__(self, robot: StandingRobot, settings: dict[str, Any]) -> None:
        self.robot, self.settings, self.model = robot, settings, robot.model
        self.state = crocoddyl.StateMultibody(self.model)
        self.actuation = crocoddyl.ActuationModelFloatingBase(self.state)
        self.nu = self.actuation.nu
        running, last = self._dynamics(1.0), self._dynamics(settings["terminal"])
        node = crocoddyl.IntegratedActionModelEuler(running, settings["knot"])
        node.u_lb, node.u_ub = -robot.limits, robot.limits
        end = crocoddyl.IntegratedActionModelEuler(last, 0.0)
        nodes = [node] * settings["knots"]
        self.shooting = crocoddyl.ShootingProblem(robot.state, nodes, end)
        self.shooting.nthreads = 1
        self.short = crocoddyl.IntegratedActionModelEuler(running, PREDICTION_STEP)

    def _dynamics(self, factor: float) -> Any:
        """Forward dynamics; the factor is on state, center of mass and momentum."""
        contacts = crocoddyl.ContactModelMultiple(self.state, self.nu)
        data = self.model.createData()
        pin.framesForwardKinematics(self.model, data, self.robot.q)
        gains = np.array(self.settings["contact_gains"])
        for name in self.robot.names:
            frame = self.model.getFrameId(sole_of(name))
            place = data.oMf[frame]
            contact = crocoddyl.ContactModel6D(
                self.state, frame, place, pin.LOCAL, self.nu, gains
            )
            contacts.addContact(name, contact)
        costs = crocoddyl.CostModelSum(self.state, self.nu)
        for name, cost, weight in (*self._tracking(factor), *self._limits()):
            costs.addCost(name, cost, weight)
        return crocoddyl.DifferentialActionModelContactFwdDynamics(
            self.state, self.actuation, contacts, costs, 0.0, True
        )

    def _tracking(self, factor: float) -> list[tuple[str, Any, float]]:
        """State, center of mass, momentum and effort."""
        s, nu, robot, model = self.settings, self.nu, self.robot, self.model
        mass = pin.computeTotalMass(model)
        posture = [0.0] * 3 + [s["rotation"]] * 3 + [s["joints"]] * nu
        speed = [s["base_speed"]] * 6 + [s["joint_speed"]] * nu
        momentum = np.array([s["com_speed"]] * 3 + [s["spin"]] * 3) / mass**2
        com = pin.centerOfMass(model, model.createData(), robot.q)
        state, standing = self.state, robot.standing_torques()
        residuals = {
            "state": (
                crocoddyl.ResidualModelState(state, robot.state, nu),
                posture + speed,
                factor,
            ),
            "center of mass": (
                crocoddyl.ResidualModelCoMPosition(state, com, nu),
                [s["com"]] * 3,
                factor,
            ),
            "momentum": (
                crocoddyl.ResidualModelCentroidalMomentum(state, np.zeros(6), nu),
                momentum,
                factor,
            ),
            "effort": (
                crocoddyl.ResidualModelControl(state, standing),
                s["effort"] / robot.limits**2,
                1.0,
            ),
        }
        costs = []
        for name, (residual, weights, scale) in residuals.items():
            kind = crocoddyl.ActivationModelWeightedQuad(np.array(weights))
            costs.append((name, self._cost(kind, residual), scale))
        return costs

    def _limits(self) -> list[tuple[str, Any, float]]:
        """Wrench cones of the soles and limits of the joints, as soft costs."""
        s, robot, costs = self.settings, self.robot, []
        for name in robot.names:
            cone = crocoddyl.WrenchCone(
                np.eye(3),
                s["friction"],
                2 * s["sole"] * robot.halves[name],
                4,
                True,
                s["least_force"],
                MOST_FORCE,
            )
            residual = crocoddyl.ResidualModelContactWrenchCone(
                self.state, self.model.getFrameId(sole_of(name)), cone, self.nu, True
            )
            barrier = _barrier(cone.lb, cone.ub)
            costs.append((f"cone {name}", self._cost(barrier, residual), s["cone"]))
        low = np.full(2 * self.model.nv, -np.inf)
        high = -low
        for joint in robot.joints:
            i, angle = joint.idx_q, robot.q[joint.idx_q]
            low[joint.idx_v] = self.model.lowerPositionLimit[i] - angle
            high[joint.idx_v] = self.model.upperPositionLimit[i] - angle
        residual = crocoddyl.ResidualModelState(self.state, robot.state, self.nu)
        barrier = _barrier(low, high)
        costs.append(("limits", self._cost(barrier, residual), s["joint_limits"]))
        return costs

    def _cost(self, kind: Any, residual: Any) -> Any:
        return crocoddyl.CostModelResidual(self.state, kind, residual)


def _barrier(low: np.ndarray, high: np.ndarray) -> Any:
    bounds = crocoddyl.ActivationBounds(low, high)
    return crocoddyl.ActivationModelQuadraticBarrier(bounds)


@dataclass
class Policy:
    """Torques and gains, knot by knot, from a time on [s]."""

    time: float
    xs: list[np.ndarray]
    us: list[np.ndarray]
    gains: list[np.ndarray]


class StandingControl:
    """The receding horizon; the latest plan comes into force after its delay."""

    def __init__(self, motion: dict[str, Any], settings: dict[str, Any]) -> None:
        self.robot, self.settings = StandingRobot(motion), settings
        self.problem = StandingProblem(self.robot, settings)
        self.state, self.shooting = self.problem.state, self.problem.shooting
        kinds = {"FDDP": crocoddyl.SolverFDDP, "BoxFDDP": crocoddyl.SolverBoxFDDP}
        self.solver = kinds[settings["solver"]](self.shooting)
        xs = [self.robot.state] * (self.shooting.T + 1)
        us = list(self.shooting.quasiStatic(xs[:-1]))
        self.solver.solve(xs, us, FIRST_ITERATIONS, False)
        self.policies = [self._policy(0.0)]

    def _policy(self, t: float) -> Policy:
        s = self.solver
        return Policy(t, *([a.copy() for a in many] for many in (s.xs, s.us, s.K)))

    def _knot(self, policy: Policy, t: float) -> int:
        """Knot of a time."""
        k = int((t - policy.time) / self.settings["knot"] + 1e-9)
        return min(max(k, 0), len(policy.us) - 1)

    def torque(self, t: float, x: np.ndarray) -> np.ndarray:
        """(nu,) torques now [N m], clipped to the limits."""
        while len(self.policies) > 1 and t > self.policies[1].time - 1e-9:
            self.policies.pop(0)
        policy = self.policies[0]
        k = self._knot(policy, t)
        u = policy.us[k] - policy.gains[k] @ self.state.diff(policy.xs[k], x)
        return np.clip(u, -self.robot.limits, self.robot.limits)

    def _predict(self, t: float, x: np.ndarray, delay: float) -> np.ndarray:
        """Where the policy in force takes the robot until a plan is ready."""
        steps = int(np.ceil(delay / PREDICTION_STEP - 1e-9))
        short, data = self.problem.short, self.problem.short.createData()
        for i in range(steps):
            short.dt = delay / steps
            short.calc(data, x, self.torque(t + i * short.dt, x))
            x = data.xnext.copy()
        return x

    def _shifted(self, old: Policy, t: float) -> tuple[list[Any], list[Any]]:
        """The plan before, from a time on, its end held.

        By whole knots: states in between would not fit torques, and survived less.
        """
        k = self._knot(old, t)
        return old.xs[k:] + old.xs[-1:] * k, old.us[k:] + old.us[-1:] * k

    def plan(self, t: float, x: np.ndarray, delay: float) -> dict[str, float]:
        """One iteration, from where the robot will be after a delay [s]."""
        x = self._predict(t, x, delay)
        xs, us = self._shifted(self.policies[-1], t + delay)
        xs[0] = self.shooting.x0 = x
        started = time.process_time()
        self.solver.solve(xs, us, 1, False, self.settings["regularization"])
        seconds = time.process_time() - started
        policy = self._policy(t + delay)
        if all(np.isfinite(a).all() for a in (*policy.us, *policy.gains)):
            self.policies.append(policy)
        return {"seconds": seconds}


def main() -> None:
    """Answers requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    control: Any = None
    for line in sys.stdin:
        request, answer = json.loads(line), {}
        if "motion" in request:
            control = StandingControl(request["motion"], request["settings"])
        else:
            t, x = request["t"], control.robot.read(request["q"], request["v"])
            if "delay" in request:
                answer = control.plan(t, x, request["delay"])
            answer["torque"] = control.torque(t, x)[control.robot.order].tolist()
            if "momentum" in request:
                answer["momentum"] = control.robot.momentum(x)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
