"""Motions for another robot than the one that they were written for."""

from dataclasses import replace

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import find_description
from backbeat.models.robot.link_frames import ALIKE

# Digits of a factor on lengths that are kept.
DIGITS = 4


def is_of_other_size(robot: str, other: str) -> bool:
    """Whether motions of a robot have to be transferred to go at the size of another.

    Args:
        robot, other: shipped names, or paths of robot YAMLs.
    """
    if find_description(robot) == find_description(other):
        return False
    own, found = (make_robot(n, (), Mount()).leg_length for n in (robot, other))
    return bool(own and found and abs(found / own - 1.0) > ALIKE)


def setlist_on(setlist: SetlistSpecification, robot: str) -> SetlistSpecification:
    """A setlist for another robot; its behaviors are transferred one by one.

    Args:
        setlist: the setlist.
        robot: shipped name, or path of a robot YAML.

    Raises:
        BackbeatError: there is no such robot.
    """
    if find_description(robot) == find_description(setlist.robot):
        return setlist
    return replace(setlist, robot=robot)


def transferred(specification: Specification, robot: str) -> Specification:
    """The same motion for another robot, its lengths as this one's legs are long.

    Those of drumming are as the reach of its arms with sticks.

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
    if not specification.sized_by:
        raise BackbeatError(
            f"{specification.name} is of kind {specification.kind}, which is of one "
            "robot; --robot takes dances, footsteps, postures and drumming"
        )
    if find_description(specification.robot) == find_description(robot):
        return specification
    if specification.sized_by == "reach":
        from backbeat.behaviors.drumming.kit_at_size import reach

        ratio = reach(robot) / reach(specification.robot)
        return _at_size(specification, robot, ratio)
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
    return _at_size(specification, robot, other.leg_length / own.leg_length)


def _at_size(specification: Specification, robot: str, ratio: float) -> Specification:
    """The motion for another robot, lengths times a ratio."""
    scale = round(specification.scale * ratio, DIGITS)
    return replace(specification, robot=robot, scale=scale)
