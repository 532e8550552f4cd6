"""Ticks of TSID; runs in TSID's own environment.

Reads one JSON request a line on stdin and writes one JSON answer a line. Nothing of
Backbeat is imported. A request describes the robot and the tasks; the answer has the
wall and processor times of the ticks, state to torque.
"""

import json
import os
import sys
import tempfile
import time
from typing import Any

import numpy as np
import pinocchio as pin
from tsid import tsid_pywrap as tsid  # the wheel has no __init__

MAX_FORCE = 3.0  # weights of the robot, on one foot


class Standing:
    """Atlas on its feet, in closed loop with its own ideal dynamics."""

    def __init__(self, case: dict[str, Any]) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".urdf") as file:
            file.write(case["urdf"])
            file.flush()
            root = pin.JointModelFreeFlyer()
            self.robot = tsid.RobotWrapper(file.name, [], root, False)
        self.case, self.model = case, self.robot.model()
        self.q, self.v = pin.neutral(self.model), np.zeros(self.robot.nv)
        w, *xyz = case["quaternion"]
        self.q[:7] = [*case["position"], *xyz, w]
        for joint, angle in case["joints"].items():
            self.q[self.model.joints[self.model.getJointId(joint)].idx_q] = angle
        self.form = tsid.InverseDynamicsFormulationAccForce("tsid", self.robot, False)
        self.form.computeProblemData(0.0, self.q, self.v)
        self.kept: list[Any] = []
        self._add_contacts()
        self._add_momentum()
        for link in case["turned"]:
            self._add_pose(link, [0, 0, 0, 1, 1, 1], case["orientation"])
        for link in case["hands"]:
            self._add_pose(link, [1, 1, 1, 0, 0, 0], case["point"])
        for link in case["swinging"]:
            self._add_pose(link, [1] * 6, case["swing"])
        self._add_joints()
        self.solver = tsid.SolverHQuadProgFast("qp")
        self.solver.resize(self.form.nVar, self.form.nEq, self.form.nIn)
        self.time = 0.0

    def _place(self, link: str) -> Any:
        return self.robot.framePosition(self.form.data(), self.model.getFrameId(link))

    def _add_contacts(self) -> None:
        case = self.case
        weight = 9.81 * sum(i.mass for i in self.model.inertias)
        for link, corners in case["soles"].items():
            contact = tsid.Contact6d(
                f"contact {link}",
                self.robot,
                link,
                np.asfortranarray(np.array(corners).T),
                np.array([0.0, 0.0, 1.0]),
                case["friction"],
                0.0,
                MAX_FORCE * weight,
            )
            contact.setKp(case["contact"][1] * np.ones(6))
            contact.setKd(case["contact"][2] * np.ones(6))
            contact.setReference(self._place(link))
            self.form.addRigidContact(contact, case["contact"][0])
            self.kept.append(contact)

    def _add_momentum(self) -> None:
        weight, kp, kd = self.case["com"]
        self.com = tsid.TaskComEquality("com", self.robot)
        self.com.setKp(kp * np.ones(3))
        self.com.setKd(kd * np.ones(3))
        self.form.addMotionTask(self.com, weight, 1, 0.0)
        self.middle = self.robot.com(self.form.data()).copy()
        if "momentum" not in self.case:
            return
        weight, kp, _ = self.case["momentum"]
        momentum = tsid.TaskAMEquality("momentum", self.robot)
        momentum.setKp(kp * np.ones(3))
        momentum.setKd(np.zeros(3))
        still = tsid.TrajectoryEuclidianConstant("k", np.zeros(3))
        momentum.setReference(still.computeNext())
        self.form.addMotionTask(momentum, weight, 1, 0.0)
        self.kept += [momentum, still]

    def _add_pose(self, link: str, mask: list[int], gains: list[float]) -> None:
        weight, kp, kd = gains
        task = tsid.TaskSE3Equality(f"pose {link}", self.robot, link)
        task.setKp(kp * np.ones(6))
        task.setKd(kd * np.ones(6))
        task.setMask(np.array(mask, float))
        still = tsid.TrajectorySE3Constant(f"place {link}", self._place(link))
        task.setReference(still.computeNext())
        self.form.addMotionTask(task, weight, 1, 0.0)
        self.kept += [task, still]

    def _add_joints(self) -> None:
        weight, kp, kd = self.case["posture"]
        posture = tsid.TaskJointPosture("posture", self.robot)
        posture.setKp(kp * np.ones(self.robot.na))
        posture.setKd(kd * np.ones(self.robot.na))
        still = tsid.TrajectoryEuclidianConstant("joints", self.q[7:])
        posture.setReference(still.computeNext())
        self.form.addMotionTask(posture, weight, 1, 0.0)
        self.kept += [posture, still]
        if not self.case.get("bounded", True):
            return
        bounds = tsid.TaskActuationBounds("torques", self.robot)
        limit = np.asarray(self.model.effortLimit)[6:]
        bounds.setBounds(-limit, limit)
        self.form.addActuationTask(bounds, 1.0, 0, 0.0)
        stops = tsid.TaskJointBounds("accelerations", self.robot, self.case["dt"])
        most = self.case["acceleration"] * np.ones(self.robot.na)
        stops.setAccelerationBounds(-most, most)
        self.form.addMotionTask(stops, 1.0, 0, 0.0)
        self.kept += [bounds, stops]

    def ticks(self, count: int) -> dict[str, Any]:
        """Times of ticks [s], and how near the CoM stays to its path [m]."""
        dt, seconds, processor, worst = self.case["dt"], [], [], 0.0
        sample = tsid.TrajectorySample(3)
        for _ in range(count):
            w = 2 * np.pi * self.case["frequency"]
            sway, wt = np.array(self.case["sway"]), w * self.time
            sample.value(self.middle + sway * np.sin(wt))
            sample.derivative(sway * w * np.cos(wt))
            sample.second_derivative(-sway * w * w * np.sin(wt))
            self.com.setReference(sample)
            started, busy = time.perf_counter(), time.process_time()
            problem = self.form.computeProblemData(self.time, self.q, self.v)
            solution = self.solver.solve(problem)
            self.form.getActuatorForces(solution)
            seconds.append(time.perf_counter() - started)
            processor.append(time.process_time() - busy)
            if solution.status != 0:
                raise RuntimeError(f"TSID ends with status {solution.status}")
            a = self.form.getAccelerations(solution)
            self.v = self.v + dt * a
            step = dt * (self.v - 0.5 * dt * a)
            self.q = pin.integrate(self.model, self.q, step)
            self.time += dt
            off = self.robot.com(self.form.data()) - sample.value()
            worst = max(worst, float(np.abs(off).max()))
        size = [self.form.nVar, self.form.nEq, self.form.nIn]
        mass = sum(i.mass for i in self.model.inertias)
        return {
            "seconds": seconds,
            "processor": processor,
            "com": worst,
            "size": size,
            "mass": mass,
        }


def main() -> None:
    """Answers requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    running: dict[str, Standing] = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["name"]
        if name not in running:
            running[name] = Standing(request["case"])
        print(json.dumps(running[name].ticks(request["ticks"])), file=answers)


if __name__ == "__main__":
    main()
