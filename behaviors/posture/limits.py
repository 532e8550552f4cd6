"""Posture limits: whether a robot can hold a posture, and which limit prevents it."""

from collections.abc import Mapping, Sequence

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.library.balance import LEAST_BALANCE, balance_margin
from backbeat.behaviors.posture.words import CENTER, Wish
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import IKSolution

# Share of a joint's torque that holding still may take [-]; moving takes the rest.
STRONGEST = 0.8
# Height above the floor that hand faces keep: the hands reach lower [m].
FLOOR = 0.12
# How near is there where an arm is nearly straight, and searches come to no end [m].
NEARLY = 0.01


class PostureLimits:
    """What postures on the same feet must keep."""

    def __init__(
        self, robot: RobotModel, feet: Mapping[str, RigidTransform], corners: np.ndarray
    ) -> None:
        """Prepares.

        Args:
            robot: the robot.
            feet: poses of its soles.
            corners: (n, 3) edges of their support polygon, see `support_polygon`.
        """
        self.robot, self.feet, self.corners = robot, feet, corners

    def is_good(self, reached: IKSolution, off: float) -> bool:
        """Whether targets are reached, nothing touches and the robot stands.

        `off` is how far places on the body are from where they were looked up [m].
        """
        state = Configuration(self.robot, reached.q)
        center = state.center_of_mass[:2]
        return (
            max(reached.residual, off) < NEARLY
            and self._lowest(state)[0] >= FLOOR
            and static_load(self.robot, state)[0] <= STRONGEST
            and reached.clearance > -1e-3
            and balance_margin(self.corners, center) >= LEAST_BALANCE
        )

    def _lowest(self, state: Configuration) -> tuple[float, str]:
        """Height of the lowest part of the body but feet [m], and which it is."""
        heights = [
            (float(state.pose(part.frame).translation()[2]), name)
            for name, part in self.robot.parts.items()
            if part.frame not in self.feet
        ]
        return min(heights, default=(np.inf, ""))

    def check(
        self, reached: IKSolution, off: float, wishes: Sequence[Wish], where: str
    ) -> None:
        """Refuses a posture that cannot be held.

        Args:
            reached: the posture.
            off: how far places on the body are from where they were looked up [m].
            wishes: what was said of parts of the body.
            where: names the source in errors.

        Raises:
            BackbeatError: what keeps the robot from it, and by how much.
        """
        parts = {
            self.robot.parts[w.part].frame: w.part for w in wishes if w.part != CENTER
        }
        worst = parts.get(reached.worst, reached.worst)
        if reached.residual > NEARLY:
            raise BackbeatError(
                f"{where}: the {worst} cannot get there; the nearest place is "
                f"{reached.residual:.2f} m or rad away (say 'as far as you can', or "
                "less)"
            )
        if off > NEARLY:
            raise BackbeatError(
                f"{where}: the place on the body keeps moving away from the part that "
                f"shall be there, by {off:.2f} m; say another place, or a direction"
            )
        if reached.clearance < -1e-3:
            raise BackbeatError(
                f"{where}: parts of the body would be {-1000 * reached.clearance:.0f} "
                "mm too near to each other; say a place that is farther away"
            )
        state = Configuration(self.robot, reached.q)
        height, low = self._lowest(state)
        if height < FLOOR:
            raise BackbeatError(
                f"{where}: the {low} would be at a height of {100 * height:.0f} cm; it "
                f"stays {100 * FLOOR:.0f} cm above the floor"
            )
        load, joint = static_load(self.robot, state)
        if load > STRONGEST:
            raise BackbeatError(
                f"{where}: holding still would take {100 * load:.0f} % of the torque "
                f"of {joint}, and {100 * STRONGEST:.0f} % are used; reach less far"
            )
        margin = balance_margin(self.corners, state.center_of_mass[:2])
        if margin < LEAST_BALANCE:
            raise BackbeatError(
                f"{where}: the center of mass would be {1000 * margin:.0f} mm inside "
                f"the edge of the feet, and {1000 * LEAST_BALANCE:.0f} mm are kept; "
                "reach less far"
            )


def static_load(robot: RobotModel, state: Configuration) -> tuple[float, str]:
    """Largest share of a joint's torque that holding still takes, and the joint.

    Of joints above the hips; those of legs depend on how the feet share the weight.
    """
    tau = state.bias[robot.base_velocities :]
    share = robot.motors.shares(tau)
    share[robot.leg_joints] = 0.0
    j = int(share.argmax())
    return float(share[j]), robot.joint_names[j]
