"""Motions for another robot than the one that they were written for."""

from dataclasses import replace

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.motion.authored import Specification
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import find_description

# Kinds whose motion is that of roles, postures and lengths alone.
TRANSFERRED = ("dance", "footsteps", "posture")
# Digits of a factor on lengths that are kept.
DIGITS = 4


def transferred(specification: Specification, robot: str) -> Specification:
    """The same motion for another robot, its lengths as this one's legs are long.

    What a motion says by role, posture or part of the body it says for each robot;
    times stay. Lengths go with the legs as in Froude's similarity of ships (William
    Froude, "On Experiments with H.M.S. Greyhound", 1874), without its times, for music
    has its own.

    Args:
        specification: the motion.
        robot: shipped name, or path of a robot YAML.

    Raises:
        BackbeatError: it is no motion of legs, or one of the robots has none.
    """
    if specification.kind not in TRANSFERRED:
        raise BackbeatError(
            f"{specification.name} is of kind {specification.kind}, whose sticks, kit "
            "and seat are those of one robot; --robot takes dances, footsteps and "
            "postures"
        )
    if find_description(specification.robot) == find_description(robot):
        return specification
    # These are the models that the plan takes, of which none is loaded twice.
    equipment = tuple(specification.equipment)
    own = make_robot(specification.robot, equipment, Mount())
    other = make_robot(robot, equipment, Mount())
    for model in (own, other):
        if model.leg_length == 0.0:
            raise BackbeatError(
                f"{model.name} has no legs with a sole, by which lengths could go; "
                "describe them under `contacts` in its YAML"
            )
    scale = specification.scale * other.leg_length / own.leg_length
    return replace(
        specification,
        robot=robot,
        scale=round(scale, DIGITS),
    )
