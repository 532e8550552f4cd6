"""Solves motions with Crocoddyl; runs in Crocoddyl's own environment.

Reads one JSON request a line on stdin and writes one JSON answer a line. The costs,
weights and node types are those of the gait that ships with Crocoddyl, and a walk is
a chain of problems of two steps as in its examples; model, start, footsteps and
times are given. Nothing of Backbeat is imported.
"""

import json
import os
import sys
import time
from typing import Any

import crocoddyl
import numpy as np
import pinocchio as pin
from crocoddyl.utils.biped import SimpleBipedGaitProblem

# What Crocoddyl's examples use: stopping criterion and first regularization.
STOP, REGULARIZATION = 1e-7, 0.1
# More than a problem of these takes.
MAX_ITERATIONS = 200
# Cost above the one at which it stops, by which the answer would do as well.
NEAR = 1.01
GRAVITY = 9.81


class Robot:
    """The robot with a frame in the middle of each sole, and where it starts."""

    def __init__(self, motion: dict[str, Any]) -> None:
        self.model = pin.buildModelFromXML(motion["urdf"], pin.JointModelFreeFlyer())
        self.names = list(motion["soles"])
        for name, sole in motion["soles"].items():
            link = self.model.getFrameId(sole["link"])
            frame = self.model.frames[link]
            X = frame.placement * pin.SE3(np.eye(3), np.array(sole["position"]))
            kind = pin.FrameType.OP_FRAME
            self.model.addFrame(
                pin.Frame(sole_of(name), frame.parentJoint, link, X, kind)
            )
        w, *xyz = motion["quaternion"]
        self.q = pin.neutral(self.model)
        self.q[:7] = [*motion["position"], *xyz, w]
        for joint, angle in motion["joints"].items():
            self.q[self._joint(joint).idx_q] = angle
        self.model.referenceConfigurations["half_sitting"] = self.q
        self.state = np.r_[self.q, np.zeros(self.model.nv)]

    def _joint(self, name: str) -> Any:
        return self.model.joints[self.model.getJointId(name)]

    def facts(self, spin: list[float], speeds: dict[str, float]) -> dict[str, Any]:
        """What tells whether this is the robot that was meant.

        Args:
            spin: angular velocity of the base, whose axes are the world's.
            speeds: joint velocities by name.
        """
        data, v = self.model.createData(), np.zeros(self.model.nv)
        v[3:6] = spin
        for joint, speed in speeds.items():
            v[self._joint(joint).idx_v] = speed
        return {
            "mass": pin.computeTotalMass(self.model),
            "center_of_mass": pin.centerOfMass(self.model, data, self.q).tolist(),
            "kinetic_energy": pin.computeKineticEnergy(self.model, data, self.q, v),
        }

    def feet(self, state: np.ndarray) -> dict[str, list[float]]:
        """Where the soles are in a state, by foot."""
        data = self.model.createData()
        pin.framesForwardKinematics(self.model, data, state[: self.model.nq])
        places = {n: data.oMf[self.model.getFrameId(sole_of(n))] for n in self.names}
        return {name: X.translation.tolist() for name, X in places.items()}


def sole_of(foot: str) -> str:
    """Name of the frame in the middle of a foot's sole."""
    return f"{foot}_sole"


class Motion:
    """Phases laid out as the nodes of one or more shooting problems."""

    def __init__(self, robot: Robot, motion: dict[str, Any]) -> None:
        self.phases, self.num_knots = motion["phases"], motion["knots"]
        self.clearance = motion["clearance"]
        names = list(self.phases[0]["feet"])
        self.gait = SimpleBipedGaitProblem(robot.model, *map(sole_of, names))
        self.frames = {n: robot.model.getFrameId(sole_of(n)) for n in names}
        data = robot.model.createData()
        feet = [np.array(p) for p in self.phases[0]["feet"].values()]
        self.com = np.mean(feet, axis=0)
        self.com[2] = pin.centerOfMass(robot.model, data, robot.q)[2]
        self.start = robot.state

    def chain(self) -> list[list[Any]]:
        """Nodes of each problem; all together there are as many as knots.

        A touchdown is a node of its own: the last stance is shorter by as many.
        """
        parts: list[list[Any]] = [[]]
        steps = 0
        for i, phase in enumerate(self.phases[:-1]):
            part = parts[-1]
            if not phase["feet"]:
                part += self._flight(i)
            elif len(phase["feet"]) == 1:
                part += self._step(i)
                steps += 1
                if steps % 2 == 0 and i < len(self.phases) - 2:
                    parts.append([])
            else:
                part += self._stance(i, phase["intervals"])
        landed = self.com if not self.phases[-2]["feet"] else None
        left = self.num_knots - sum(len(part) for part in parts)
        parts[-1] += self._stance(-1, left, landed)
        return parts

    def _stance(self, i: int, num: int, com: np.ndarray | None = None) -> list[Any]:
        dt, feet = self.phases[i]["dt"], list(self.frames.values())
        return [
            self.gait.createSwingFootModel(dt, feet, comTask=com) for _ in range(num)
        ]

    def _step(self, i: int) -> list[Any]:
        """One foot straight ahead, then its touchdown."""
        phase, before, after = (self.phases[j] for j in (i, i - 1, i + 1))
        (foot,) = set(self.frames) - set(phase["feet"])
        place = np.array(before["feet"][foot])
        length = after["feet"][foot][0] - place[0]
        standing = [self.frames[name] for name in phase["feet"]]
        num, dt, swinging = phase["intervals"], phase["dt"], [self.frames[foot]]
        return self.gait.createFootstepModels(
            self.com, [place], length, self.clearance, dt, num, standing, swinging
        )

    def _flight(self, i: int) -> list[Any]:
        """Up along a path, down as it falls, and the touchdown."""
        phase, before, after = (self.phases[j] for j in (i, i - 1, i + 1))
        shift = np.mean(
            [np.subtract(p, before["feet"][f]) for f, p in after["feet"].items()],
            axis=0,
        )
        num, dt = phase["intervals"], phase["dt"]
        apex = 0.5 * shift + [0.0, 0.0, GRAVITY * (num * dt) ** 2 / 8]
        up = num // 2
        nodes = [
            self.gait.createSwingFootModel(dt, [], self.com + apex * (k + 1) / up)
            for k in range(up)
        ]
        nodes += [self.gait.createSwingFootModel(dt, []) for _ in range(num - up)]
        self.com = self.com + shift
        places = [
            [self.frames[f], pin.SE3(np.eye(3), np.array(p))]
            for f, p in after["feet"].items()
        ]
        feet = list(self.frames.values())
        return [*nodes, self.gait.createFootSwitchModel(feet, places, False)]


class Costs(crocoddyl.CallbackAbstract):
    """Remembers after each iteration the cost, infinite while there are gaps."""

    def __init__(self) -> None:
        super().__init__()
        self.costs: list[float] = []

    def __call__(self, solver: Any) -> None:
        self.costs.append(solver.cost if solver.isFeasible else np.inf)


def solve_chain(
    start: np.ndarray, chain: list[list[Any]], limits: list[int]
) -> tuple[dict[str, Any], np.ndarray, list[int]]:
    """Solves each problem from where the one before ends.

    Returns:
        The answer, the state at the end, and the iterations after which each cost was
        near the last.
    """
    x, near = start, []
    answer = {"seconds": 0.0, "iterations": 0, "converged": True, "cost": 0.0}
    for nodes, limit in zip(chain, limits, strict=True):
        problem = crocoddyl.ShootingProblem(x, nodes[:-1], nodes[-1])
        solver, costs = crocoddyl.SolverFDDP(problem), Costs()
        solver.th_stop = STOP
        solver.setCallbacks([costs])
        xs = [x] * (problem.T + 1)
        us = list(problem.quasiStatic([x] * problem.T))
        started = time.process_time()
        converged = solver.solve(xs, us, limit, False, REGULARIZATION)
        answer["seconds"] += time.process_time() - started
        answer["iterations"] += len(costs.costs)
        answer["converged"] &= converged
        answer["cost"] += solver.cost
        near.append(1 + int(np.argmax(np.array(costs.costs) <= NEAR * solver.cost)))
        x = solver.xs[-1].copy()
    return answer, x, near


def solve(motion: dict[str, Any]) -> dict[str, Any]:
    """Solves a motion until Crocoddyl stops, and again until the cost is near."""
    robot = Robot(motion)
    posed = Motion(robot, motion)
    chain = posed.chain()
    answer, x, near = solve_chain(robot.state, chain, [MAX_ITERATIONS] * len(chain))
    answer["near"], _, _ = solve_chain(robot.state, chain, near)
    answer["feet"] = robot.feet(x)
    answer["nodes"] = sum(len(nodes) for nodes in chain)
    return answer


def main() -> None:
    """Answers requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    for line in sys.stdin:
        request = json.loads(line)
        if "facts" in request:
            answer = Robot(request["motion"]).facts(**request["facts"])
        else:
            answer = solve(request["motion"])
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
