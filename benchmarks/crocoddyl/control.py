"""Crocoddyl's own MPC of a standing robot; runs in Crocoddyl's own environment.

Reads one JSON request a line on stdin and writes one JSON answer a line. A plan is one
iteration of Crocoddyl on the full robot with both feet on the ground, warm from the
plan before; between plans its Riccati gains act, u = u_k - K_k (x - x_k), as in
Mastalli et al., "Agile maneuvers in legged robots: a predictive control approach",
2022. Nothing of Backbeat is imported.
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

# Step of its prediction over a delay [s].
PREDICTION_STEP = 0.005


@dataclass
class Policy:
    """Torques and gains from a time on, knot by knot."""

    time: float
    xs: list[np.ndarray]
    us: list[np.ndarray]
    gains: list[np.ndarray]


class StandingControl:
    """The receding horizon of a robot that stands where it starts."""

    def __init__(self, motion: dict[str, Any], settings: dict[str, Any]) -> None:
        self.robot, self.settings = Robot(motion), settings
        self.model, self.dt = self.robot.model, settings["knot"]
        self.joints = [self.robot._joint(name) for name in motion["joints"]]
        self.state = crocoddyl.StateMultibody(self.model)
        self.actuation = crocoddyl.ActuationModelFloatingBase(self.state)
        order = [joint.idx_v - 6 for joint in self.joints]
        self.limits = np.empty(self.actuation.nu)
        self.limits[order] = motion["limits"]
        self.order, self.motion = order, motion
        self.standing = self._standing_torques()
        running, last = self._dynamics(1.0), self._dynamics(settings["terminal"])
        node = crocoddyl.IntegratedActionModelEuler(running, self.dt)
        node.u_lb, node.u_ub = -self.limits, self.limits
        end = crocoddyl.IntegratedActionModelEuler(last, 0.0)
        self.short = crocoddyl.IntegratedActionModelEuler(running, PREDICTION_STEP)
        x = self.robot.state
        self.problem = crocoddyl.ShootingProblem(x, [node] * settings["knots"], end)
        self.problem.nthreads = settings["threads"]
        kinds = {"FDDP": crocoddyl.SolverFDDP, "BoxFDDP": crocoddyl.SolverBoxFDDP}
        self.solver = kinds[settings["solver"]](self.problem)
        xs = [x] * (self.problem.T + 1)
        us = list(self.problem.quasiStatic([x] * self.problem.T))
        self.solver.solve(xs, us, settings["first_iterations"], False)
        self.solver.th_acceptStep = settings["accept"]
        self.solver.th_acceptNegStep = settings["accept_neg"]
        self.policies = [self._policy(0.0)]

    def _standing_torques(self) -> np.ndarray:
        """Torques that hold the robot where it starts, both feet loaded alike."""
        model, data, q = self.model, self.model.createData(), self.robot.q
        gravity = pin.computeGeneralizedGravity(model, data, q)
        frames = [model.getFrameId(sole_of(name)) for name in self.robot.names]
        J = np.vstack([pin.computeFrameJacobian(model, data, q, f) for f in frames])
        wrenches = np.linalg.lstsq(J[:, :6].T, gravity[:6])[0]
        return (gravity - J.T @ wrenches)[6:]

    def _dynamics(self, factor: float) -> Any:
        """Rigid contacts of both feet, with the costs of a knot."""
        contacts = crocoddyl.ContactModelMultiple(self.state, self.actuation.nu)
        data = self.model.createData()
        pin.framesForwardKinematics(self.model, data, self.robot.q)
        self.data = data
        for name in self.robot.names:
            frame = self.model.getFrameId(sole_of(name))
            contact = crocoddyl.ContactModel6D(
                self.state,
                frame,
                data.oMf[frame],
                pin.LOCAL,
                self.actuation.nu,
                np.array(self.settings["contact_gains"]),
            )
            contacts.addContact(name, contact)
        costs = self._costs(factor)
        return crocoddyl.DifferentialActionModelContactFwdDynamics(
            self.state, self.actuation, contacts, costs, 0.0, True
        )

    def _costs(self, factor: float) -> Any:
        s, nu, nv = self.settings, self.actuation.nu, self.model.nv
        costs = crocoddyl.CostModelSum(self.state, nu)

        def add(name: str, residual: Any, weights: Any, factor: float = 1.0) -> None:
            if not np.any(weights):
                return
            kind = crocoddyl.ActivationModelWeightedQuad(np.array(weights, float))
            cost = crocoddyl.CostModelResidual(self.state, kind, residual)
            costs.addCost(name, cost, factor)

        posture = np.r_[np.zeros(3), [s["rotation"]] * 3, [s["joints"]] * nu]
        speed = np.r_[[s["base_speed"]] * 6, [s["joint_speed"]] * nu]
        x = self.robot.state
        state = crocoddyl.ResidualModelState(self.state, x, nu)
        add("state", state, np.r_[posture, speed], factor)
        com = pin.centerOfMass(self.model, self.model.createData(), self.robot.q)
        place = crocoddyl.ResidualModelCoMPosition(self.state, com, nu)
        add("com", place, [s["com"]] * 3, factor)
        still = crocoddyl.ResidualModelCentroidalMomentum(self.state, np.zeros(6), nu)
        mass = pin.computeTotalMass(self.model)
        momentum = [s["com_speed"] / mass**2] * 3 + [s["spin"] / mass**2] * 3
        add("momentum", still, momentum, factor)
        effort = crocoddyl.ResidualModelControl(self.state, self.standing)
        add("effort", effort, s["effort"] / self.limits**2)
        for name in self.robot.names:
            residual = self._cone(name)
            kind = crocoddyl.ActivationModelQuadraticBarrier(
                crocoddyl.ActivationBounds(self.cone.lb, self.cone.ub)
            )
            cost = crocoddyl.CostModelResidual(self.state, kind, residual)
            costs.addCost(f"cone {name}", cost, s["cone"])
        low, high = -np.inf * np.ones(2 * nv), np.inf * np.ones(2 * nv)
        for joint in self.joints:
            center = self.robot.q[joint.idx_q]
            low[joint.idx_v] = self.model.lowerPositionLimit[joint.idx_q] - center
            high[joint.idx_v] = self.model.upperPositionLimit[joint.idx_q] - center
        kind = crocoddyl.ActivationModelQuadraticBarrier(
            crocoddyl.ActivationBounds(low, high)
        )
        bounds = crocoddyl.ResidualModelState(self.state, x, nu)
        cost = crocoddyl.CostModelResidual(self.state, kind, bounds)
        costs.addCost("joint limits", cost, s["joint_limits"])
        return costs

    def _cone(self, name: str) -> Any:
        box = 2 * self.settings["box"] * np.array(self.motion["halves"][name])
        s = self.settings
        self.cone = crocoddyl.WrenchCone(
            np.eye(3), s["friction"], box, 4, True, s["least_force"], 1e5
        )
        frame = self.model.getFrameId(sole_of(name))
        return crocoddyl.ResidualModelContactWrenchCone(
            self.state, frame, self.cone, self.actuation.nu, True
        )

    def _policy(self, t: float) -> Policy:
        solver = self.solver
        return Policy(
            t,
            [x.copy() for x in solver.xs],
            [u.copy() for u in solver.us],
            [K.copy() for K in solver.K],
        )

    def read(self, q: list[float], v: list[float]) -> np.ndarray:
        """The state in Pinocchio's order; the base's velocity is given in the world."""
        x = self.robot.state.copy()
        nq = self.model.nq
        w, *xyz = q[:4]
        x[:7] = [*q[4:7], *xyz, w]
        R = pin.XYZQUATToSE3(x[:7]).rotation
        x[nq : nq + 3], x[nq + 3 : nq + 6] = R.T @ v[3:6], R.T @ v[:3]
        x[7 + np.array(self.order)] = q[7:]
        x[nq + 6 + np.array(self.order)] = v[6:]
        return x

    def _located(self, policy: Policy, t: float) -> tuple[int, np.ndarray]:
        """Knot of a time, and the state that the policy has there."""
        s = max(0.0, (t - policy.time) / self.dt + 1e-9)
        k = min(int(s), len(policy.us) - 1)
        a, b = policy.xs[k], policy.xs[k + 1]
        if not self.settings["moving"]:
            return k, a
        share = min(s - k, 1.0)
        return k, self.state.integrate(a, share * self.state.diff(a, b))

    def _torque(self, t: float, x: np.ndarray) -> np.ndarray:
        while len(self.policies) > 1 and t > self.policies[1].time - 1e-9:
            self.policies.pop(0)
        policy = self.policies[0]
        k, wanted = self._located(policy, t)
        u = policy.us[k] - policy.gains[k] @ self.state.diff(wanted, x)
        return np.clip(u, -self.limits, self.limits)

    def torque(self, t: float, x: np.ndarray) -> list[float]:
        """Torques now [N m], in the order in which joints were given."""
        return self._torque(t, x)[self.order].tolist()

    def plan(self, t: float, x: np.ndarray, delay: float) -> dict[str, float]:
        """One iteration, from where the robot will be after a delay [s]."""
        steps = int(np.ceil(delay / PREDICTION_STEP - 1e-9))
        if steps:
            self.short.dt = delay / steps
            data = self.short.createData()
            for i in range(steps):
                self.short.calc(data, x, self._torque(t + i * self.short.dt, x))
                x = data.xnext.copy()
        old, when = self.policies[-1], t + delay
        knots = when + self.dt * np.arange(self.problem.T + 1)
        xs = [self._located(old, s)[1] for s in knots]
        us = [old.us[self._located(old, s)[0]] for s in knots[:-1]]
        xs[0] = x
        if self.settings["rollout"]:
            node = self.problem.runningModels[0]
            data = self.problem.runningDatas[0]
            for k in range(self.problem.T):
                i = self._located(old, knots[k])[0]
                u = us[k] - old.gains[i] @ self.state.diff(xs[k], xs_k := xs[k] if k == 0 else y)
                us[k] = np.clip(u, -self.limits, self.limits)
                node.calc(data, xs_k, us[k])
                xs[k] = xs_k
                y = data.xnext.copy()
            xs[-1] = y
        started, clock = time.perf_counter(), time.process_time()
        self.problem.x0 = x
        feasible = bool(self.settings["rollout"])
        self.solver.solve(xs, us, 1, feasible, self.settings["regularization"])
        seconds, processor = time.perf_counter() - started, time.process_time() - clock
        policy = self._policy(when)
        if all(np.isfinite(u).all() for u in (*policy.us, *policy.gains)):
            self.policies.append(policy)
        return {"seconds": seconds, "processor": processor, "cost": self.solver.cost,
                "length": self.solver.stepLength, "reg": self.solver.preg}


def main() -> None:
    """Answers requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    control = None
    for line in sys.stdin:
        request = json.loads(line)
        if "motion" in request:
            control = StandingControl(request["motion"], request["settings"])
            answer: Any = {"cost": control.solver.cost}
        else:
            x, t = control.read(request["q"], request["v"]), request["t"]
            answer = {}
            if "delay" in request:
                answer = control.plan(t, x, request["delay"])
            if not np.isfinite(x).all():
                answer["torque"] = [0.0] * len(control.limits)
            else:
                answer["torque"] = control.torque(t, x)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
