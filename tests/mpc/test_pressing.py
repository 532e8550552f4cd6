"""An arm presses on the ground: force tasks against the forces of contact."""

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import ContactSettings, add_world
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.force_tasks import ReactionTask
from backbeat.optimization.task_space.tasks.motion_tasks import (
    ContactTask,
    JointTask,
    OrientationTask,
    PointTask,
)
from tests.tolerances import PRESSED

TICK, FORCE = 1e-3, 50.0


def touching(robot: RobotModel) -> np.ndarray:
    """(nq,) the flange on the ground, pointing down."""
    q = robot.posture("ready")
    state = Configuration(robot, q)
    goal = np.array([0.8, 0.16, 0.0])
    rotation = OrientationTask(robot, "tool0")
    R = state.pose("tool0").rotation()
    for _ in range(30):
        state.update(q)
        error = np.r_[
            rotation.error(state, R), goal - state.pose("tool0").translation()
        ]
        q = q + np.linalg.lstsq(state.jacobian("tool0"), error, rcond=None)[0]
    assert np.abs(error).max() < 1e-9
    return q


class Presser:
    """Presses along z, slides along y, points down; else damps."""

    def __init__(self, robot: RobotModel, q: np.ndarray) -> None:
        self.space, start = TaskSpace(robot), Configuration(robot, q)
        self.wall = ContactTask(robot, "tool0", "z")
        self.along = PointTask(robot, "tool0", axes="x y")
        self.down, self.rest = OrientationTask(robot, "tool0"), JointTask(robot)
        self.force = ReactionTask(self.wall, "z")
        self.space.add(self.wall)
        for task, priority in ((self.along, 2), (self.down, 2), (self.rest, 3)):
            self.space.add(task, 1.0, priority)
        self.space.add(self.force, 1.0)
        self.force.set_desired([FORCE])
        self.place, self.R = self.along.position(start), start.pose("tool0").rotation()

    def torques(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        self.space.update(q, v)
        now = self.space.state
        self.wall.set_desired(-40.0 * self.wall.velocity(now))
        goal = self.place[:2] + [0.0, 0.05 * min(t, 1.0)]
        away = self.along.position(now)[:2] - goal
        self.along.set_desired(-225.0 * away - 30.0 * self.along.velocity(now))
        turn = self.down.error(now, self.R)
        self.down.set_desired(225.0 * turn - 30.0 * self.down.velocity(now))
        self.rest.set_desired(-20.0 * v)
        return self.space.solve().tau


@pytest.mark.parametrize("model", ["lagged", "sap"])
def test_the_ground_feels_the_force_that_is_commanded(model):
    """Within two percent, at rest and while the flange slides without friction."""
    robot = RobotModel("ur10")
    builder = DiagramBuilder()
    world = add_world(builder, robot, TICK, ContactSettings(model, friction=0.0))
    plant, simulator = world.plant, Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    q = touching(robot)
    plant.SetPositions(context, q)
    presser, motors = Presser(robot, q), plant.get_actuation_input_port(world.instance)
    forces = []
    for i in range(800):
        q, v = np.split(plant.GetPositionsAndVelocities(context), 2)
        motors.FixValue(context, presser.torques(i * TICK, q, v))
        simulator.AdvanceTo((i + 1) * TICK)
        results = plant.get_contact_results_output_port().Eval(context)
        found = range(results.num_point_pair_contacts())
        pairs = [results.point_pair_contact_info(k) for k in found]
        forces.append(sum(abs(float(p.contact_force()[2])) for p in pairs))
    late = np.array(forces[400:])
    assert late.mean() == pytest.approx(FORCE, rel=PRESSED)
    assert np.abs(late - FORCE).max() < 2.0 * PRESSED * FORCE
    place = presser.along.position(presser.space.state)
    assert place[1] - presser.place[1] == pytest.approx(0.04, abs=0.01)
