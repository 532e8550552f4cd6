"""The motions that are timed: as they ship, with given numbers of knots."""

from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.footsteps.specification import FootstepSpecification
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.behaviors.specification.kinds import (
    find_specification,
    read_specification,
)
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.contact_schedule import constant_stance
from backbeat.optimization.problem.tasks import CenterOfMassTask
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem


@dataclass(frozen=True)
class FootstepMotion:
    """A behavior that ships, resampled, at the times of its specification.

    Attributes:
        behavior: its name.
        num_knots: how many knots the problem has.
        knot_spacing: their distance [s].
        last_stance: length of the last stance, which makes up the number [s].
    """

    behavior: str
    num_knots: int
    knot_spacing: float
    last_stance: float

    def specification(self) -> FootstepSpecification:
        """The specification with our knots."""
        specification, _ = read_specification(find_specification(self.behavior))
        assert isinstance(specification, FootstepSpecification)
        specification.knot_spacing = self.knot_spacing
        specification.steps[-1].time = self.last_stance
        return specification

    def problem(self, longer: float = 0.0) -> TrajectoryProblem:
        """The problem, with steps that are `longer` [m] than they ship."""
        specification = self.specification()
        for step in specification.steps:
            if step.to[0]:
                step.to[0] += longer
        return specification.plan(find_specification(self.behavior).parent).problem


WALK_2 = FootstepMotion("walk-2", 71, 0.05, 1.2)
WALK_6 = FootstepMotion("walk-6", 213, 0.0354, 35 * 0.0354)
FORWARD_JUMP = FootstepMotion("forward-jump", 42, 0.05, 0.75)


def squats(num_knots: int, spacing: float = 0.05) -> TrajectoryProblem:
    """As many squats of about two seconds as fit into so many knots."""
    robot = RobotModel()
    q = start_configuration(robot, "stand")
    times = spacing * np.arange(num_knots)
    repeats = max(1, round(times[-1] / 2.0))
    path = np.tile(Configuration(robot, q).center_of_mass, (num_knots, 1))
    path[:, 2] -= 0.1 * np.sin(np.pi * repeats * times / times[-1]) ** 2
    return TrajectoryProblem(
        robot=robot,
        times=times,
        schedule=constant_stance(times[-1], support_poses(robot, q)),
        q_start=q,
        posture=q,
        tasks=[CenterOfMassTask(np.arange(num_knots), path, np.full(3, 400.0))],
        collisions=make_self_collision_model(robot),
    )


def drumming() -> TrajectoryProblem:
    """A whole song on two feet with two sticks: four contacts."""
    path = find_specification("outstanding-standing")
    specification, _ = read_specification(path)
    return specification.plan(path.parent).problem
