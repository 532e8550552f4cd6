"""Share of the soles that steps may use for where the pressure is.

Sources
    Koolen, de Boer, Rebula, Goswami, Pratt, "Capturability-based analysis and control
    of legged locomotion, Part 1", 2012: what can be recovered goes with the distance of
    the pressure to the edge.
"""

from backbeat.models.robot.model import RobotModel

# Distance of the center of pressure from the edges of a sole, as a share of the legs:
# a robot on one foot falls over its edge with the time constant of a pendulum as long
# as the leg, and only the pressure that is left brings it back (Koolen et al., 2012,
# equation 18).
EDGE = 0.025
# Least share, for soles so narrow that little more than a line is left.
LEAST = 0.3


def sole_share(robot: RobotModel, most: float) -> float:
    """Share of each sole, about its middle, in which steps have their pressure.

    Soles that are narrow for the legs above them keep as far from their edges as wide
    ones do.

    Args:
        robot: the robot.
        most: share that is used of wide soles.
    """
    widths = [robot.contacts[name].half_width for name in robot.soles]
    narrow = min(widths, default=0.0)
    if narrow <= 0.0:
        return most
    return min(most, max(LEAST, 1.0 - EDGE * robot.leg_length / narrow))
