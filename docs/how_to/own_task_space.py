"""Atlas stands on its own feet and reaches: four levels of tasks within limits.

    contacts     both feet stand; their forces stay inside friction and soles
    2            center of mass above the feet, trunk upright
    3            the right hand reaches a target
    4            the posture, with the remaining freedom

Every tick solves a program for each level. From the root of the checkout:

    .venv/bin/python docs/how_to/own_task_space.py
"""

import numpy as np
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import ContactSettings, add_world
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.program import LimitedProgram
from backbeat.optimization.task_space.tasks.motion_tasks import (
    ContactTask,
    JointTask,
    MassCenterTask,
    OrientationTask,
    PointTask,
)

TICK = 0.002  # s
REACH = np.array([0.15, 0.0, 0.10])  # m, from where the hand begins
FEET = ("l_foot", "r_foot")


class Reacher:
    """The tasks and their targets."""

    def __init__(self, robot: RobotModel) -> None:
        """Adds tasks that hold the standing posture."""
        self.robot, self.q = robot, robot.posture("stand")
        self.space = TaskSpace(robot)
        self.feet = [ContactTask(robot, foot) for foot in FEET]
        for foot in self.feet:
            self.space.add(foot)
        self.com, self.trunk = MassCenterTask(), OrientationTask(robot, "utorso")
        self.hand, self.posture = PointTask(robot, "r_hand"), JointTask(robot)
        self.space.add(self.com, 1.0, 2)
        self.space.add(self.trunk, 1.0, 2)
        self.space.add(self.hand, 1.0, 3)
        self.space.add(self.posture, 1.0, 4)
        self.program = LimitedProgram(self.space)
        start = Configuration(robot, self.q)
        self.middle, self.place = start.center_of_mass, self.hand.position(start)
        soles = [start.pose(foot).translation() for foot in FEET]
        self.middle[:2] = np.mean(soles, axis=0)[:2]
        self.upright = start.pose("utorso").rotation()
        self.goal, self.failures = self.place.copy(), 0

    def torques(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(nj,) torques at time t [s] and state (q, v) [N m]."""
        self.space.update(q, v)
        now = self.space.state
        self.goal = self.place + REACH * min(1.0, t / 0.7)
        for foot in self.feet:
            foot.set_desired(-20.0 * foot.velocity(now))
        self.com.set_desired(
            -20.0 * (now.center_of_mass - self.middle) - 9.0 * self.com.velocity(now)
        )
        self.trunk.set_desired(
            100.0 * self.trunk.error(now, self.upright) - 20 * self.trunk.velocity(now)
        )
        self.hand.set_desired(
            -225.0 * (self.hand.position(now) - self.goal)
            - 30.0 * self.hand.velocity(now)
        )
        self.posture.set_desired(-100.0 * (q[7:] - self.q[7:]) - 20.0 * v[6:])
        found = self.program.solve()
        self.failures += not found.is_solved
        return found.tau


def run(duration: float = 1.5) -> tuple[Reacher, np.ndarray]:
    """Simulates [s]; returns the tasks and where the robot is at the end, (nq,)."""
    robot = RobotModel("atlas")
    builder = DiagramBuilder()
    world = add_world(builder, robot, 0.001, ContactSettings("sap"))
    plant, simulator = world.plant, Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    selection, reacher = world.state_places, Reacher(robot)
    x = plant.GetPositionsAndVelocities(context)
    x[selection] = np.r_[reacher.q, np.zeros(robot.num_velocities)]
    plant.SetPositionsAndVelocities(context, x)
    order = [robot.joint_index(name) for name in world.actuator_joints()]
    motors = plant.get_actuation_input_port(world.instance)
    for i in range(round(duration / TICK)):
        q, v = np.split(plant.GetPositionsAndVelocities(context)[selection], [37])
        motors.FixValue(context, reacher.torques(i * TICK, q, v)[order])
        simulator.AdvanceTo((i + 1) * TICK)
    return reacher, q


def main() -> None:
    """Prints the result."""
    reacher, q = run()
    place = reacher.hand.position(Configuration(reacher.robot, q))
    error = 1e3 * np.linalg.norm(place - reacher.goal)
    print(f"hand {error:.2f} mm from its goal, pelvis at {q[6]:.3f} m")
    print(f"{reacher.failures} programs not solved")


if __name__ == "__main__":
    main()
