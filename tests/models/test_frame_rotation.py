"""The rotation of a frame alone is that of the whole configuration."""

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.frame_rotation import FrameRotation
from tests.tolerances import EXACT


def test_a_frame_is_turned_as_in_the_configuration():
    robot, rng = RobotModel(), np.random.default_rng(0)
    rotation = FrameRotation(robot, robot.trunk)
    for _ in range(5):
        q = rng.normal(size=robot.num_positions)
        q[:4] /= np.linalg.norm(q[:4])
        wanted = Configuration(robot, q).rotation(robot.trunk)
        np.testing.assert_allclose(rotation.at(q), wanted, atol=EXACT)
