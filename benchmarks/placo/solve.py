"""Ticks of PlaCo; runs in PlaCo's own environment.

Reads one JSON request a line on stdin and writes one JSON answer a line. Nothing of
Backbeat is imported. A request describes the robot and the tasks, as for TSID; the
answer has the processor times of the ticks, state to torque.
"""

import json
import os
import sys
import time
from typing import Any

import numpy as np
import pinocchio as pin
import placo

SOLE = """<link name="{link} sole"/><joint name="{link} sole joint" type="fixed">
<parent link="{link}"/><child link="{link} sole"/><origin xyz="{x} {y} {z}"/></joint>
"""


class Standing:
    """Atlas on its feet, in closed loop with its own ideal dynamics."""

    def __init__(self, case: dict[str, Any]) -> None:
        flags = int(placo.Flags.ignore_collisions)
        self.robot = placo.RobotWrapper("", flags, _with_soles(case))
        self.case, self.model = case, self.robot.model
        self.q, self.v = np.array(self.robot.state.q), np.zeros(self.model.nv)
        w, *xyz = case["quaternion"]
        self.q[:7] = [*case["position"], *xyz, w]
        for joint, angle in case["joints"].items():
            self.q[self.robot.get_joint_offset(joint)] = angle
        self._move()
        self.solver = placo.DynamicsSolver(self.robot)
        self.solver.dt = case["dt"]
        # By default torques would outweigh the tasks.
        self.solver.torque_cost = case["contact"][0]
        self._add_contacts()
        weight, kp, kd = case["com"]
        self.middle = np.array(self.robot.com_world())
        self.com = self.solver.add_com_task(self.middle)
        self.com.configure("com", "soft", weight)
        self.com.kp, self.com.kd = kp, kd
        for link in case["hands"]:
            weight, kp, kd = case["point"]
            place = self.robot.get_T_world_frame(link)[:3, 3]
            task = self.solver.add_position_task(link, place)
            task.configure(link, "soft", weight)
            task.kp, task.kd = kp, kd
        weight, kp, kd = case["posture"]
        posture = self.solver.add_joints_task()
        posture.set_joints(case["joints"])
        posture.configure("posture", "soft", weight)
        posture.kp, posture.kd = kp, kd
        self.solver.enable_torque_limits(case["bounded"])
        self.time = 0.0

    def _move(self) -> None:
        self.robot.state.q, self.robot.state.qd = self.q, self.v
        self.robot.update_kinematics()

    def _add_contacts(self) -> None:
        weight, kp, kd = self.case["contact"]
        for link, corners in self.case["soles"].items():
            frame = f"{link} sole"
            task = self.solver.add_frame_task(
                frame, self.robot.get_T_world_frame(frame)
            )
            task.configure(frame, "hard")
            for part in (task.position(), task.orientation()):
                part.kp, part.kd = kp, kd
            contact = self.solver.add_planar_contact(task)
            contact.length, contact.width = np.ptp(corners, axis=0)[:2]
            contact.mu = self.case["friction"]
            contact.weight_forces = contact.weight_moments = weight

    def ticks(self, count: int) -> dict[str, Any]:
        """Processor times of ticks [s], and how near the CoM stays to its path [m]."""
        dt, seconds, worst = self.case["dt"], [], 0.0
        for _ in range(count):
            w = 2 * np.pi * self.case["frequency"]
            sway, wt = np.array(self.case["sway"]), w * self.time
            self.com.target_world = self.middle + sway * np.sin(wt)
            self.com.dtarget_world = sway * w * np.cos(wt)
            self.com.ddtarget_world = -sway * w * w * np.sin(wt)
            started = time.process_time()
            self._move()
            result = self.solver.solve(False)
            np.array(result.tau)
            seconds.append(time.process_time() - started)
            if not result.success:
                raise RuntimeError("PlaCo found no torques")
            a = np.array(result.qdd)
            self.v = self.v + dt * a
            self.q = pin.integrate(self.model, self.q, dt * (self.v - 0.5 * dt * a))
            self.time += dt
            off = self.robot.com_world() - self.com.target_world
            worst = max(worst, float(np.abs(off).max()))
        mass = self.robot.total_mass()
        return {"processor": seconds, "com": worst, "mass": mass}


def _with_soles(case: dict[str, Any]) -> str:
    """The URDF with frames in the middles of the soles, where contacts want them."""
    text = ""
    for link, corners in case["soles"].items():
        x, y, z = np.mean(corners, axis=0)
        text += SOLE.format(link=link, x=x, y=y, z=z)
    return str(case["urdf"].replace("</robot>", text + "</robot>"))


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
