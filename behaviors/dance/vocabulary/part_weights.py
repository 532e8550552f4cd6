"""Weights of parts of the body: what of a recording a motion stays nearest to."""

from collections.abc import Collection, Mapping

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.model import RobotModel

# Parts of the body whose nearness has a weight; and that of joints of legs, which have
# what feet that stand and the trunk leave them.
PARTS, LEGS = ("hands", "feet", "trunk"), 0.1
LEAST_WEIGHT, MOST_WEIGHT = 0.01, 100.0


def check_weights(weights: Mapping[str, float], where: str) -> None:
    """Refuses weights of what is no part, and of no size.

    Raises:
        BackbeatError: there is one.
    """
    for part, weight in weights.items():
        if part not in PARTS:
            raise unknown_name(f"part in the weights of {where}", part, PARTS)
        if not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
            raise BackbeatError(
                f"{where}: the weight of {part} is {weight:g}; it goes from "
                f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}"
            )


def shares(
    robot: RobotModel, channels: Collection[str], weights: Mapping[str, float]
) -> dict[str, float]:
    """Factors on the costs of channels, by the part of the body that each moves.

    Args:
        robot: whose motion it is.
        channels: of a recording.
        weights: factors by part; one where there is none.
    """
    arms = {
        name
        for role in ("left arm", "right arm")
        if role in robot.roles
        for name in robot.roles.names(role)
    }
    legs = {robot.joint_names[j] for j in robot.leg_joints}
    found = {}
    for channel in channels:
        part = "hands" if channel in arms else "feet" if channel in legs else "trunk"
        found[channel] = weights.get(part, 1.0) * (LEGS if part == "feet" else 1.0)
    return {n: x for n, x in found.items() if x != 1.0}
