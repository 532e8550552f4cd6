"""A posture of Atlas's arms that does not change when those that ship do."""

import numpy as np

from backbeat.models.robot.model import RobotModel

# Arms ahead, forearms turned in: a robot that carries something, its weight forward.
AHEAD = {
    **{"l_arm_shz": -0.3, "l_arm_shx": 0.0, "l_arm_ely": 2.0, "l_arm_elx": 1.7},
    **{"l_arm_uwy": 0.4, "l_arm_mwx": 0.6, "l_arm_lwy": 0.0},
    **{"r_arm_shz": 0.3, "r_arm_shx": 0.0, "r_arm_ely": 2.0, "r_arm_elx": -1.7},
    **{"r_arm_uwy": 0.4, "r_arm_mwx": -0.6, "r_arm_lwy": 0.0},
}


def put_arms_ahead(robot: RobotModel, q: np.ndarray) -> None:
    """Puts the arms of a configuration (nq,) ahead, in place."""
    for name, angle in AHEAD.items():
        q[robot.base_positions + robot.joint_index(name)] = angle
