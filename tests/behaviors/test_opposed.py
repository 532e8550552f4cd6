"""Signs of turns, found in the model, against what the robot YAML says."""

import pytest

from backbeat.behaviors.adoption.opposed import opposed_joints
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.robot.description import load_description
from backbeat.models.robot.model import RobotModel


@pytest.mark.parametrize(
    "name", ["atlas", "atlas_v4", "atlas_v5_drcsim", "g1", "h1", "t1"]
)
def test_signs_that_are_found_are_those_of_the_yaml(name):
    robot = RobotModel(name)
    found = opposed_joints(robot, start_configuration(robot, "stand"))
    said = load_description(robot.description).opposed_joints()
    # Wrists hang turned about the forearm, where roll and pitch are what one calls so.
    wrists = {
        n
        for side in ("left", "right")
        if f"{side} wrist" in robot.roles
        for n in robot.roles.names(f"{side} wrist")
    }
    assert found - wrists == said - wrists
    assert found - wrists
