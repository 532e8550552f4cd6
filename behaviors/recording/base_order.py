"""Whether a recorded base fits its feet, and a quaternion in the other order.

People stand on soles that are level and still, on one foot or the other, most of the
time. With the four numbers of the base's quaternion in another order they do not.
"""

import numpy as np

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.recording.soles import Soles, find_soles, slopes
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

# Tilt and speed of a sole that stands, as standard deviations [rad, m/s].
TILT, SPEED = 0.2, 0.3
# Squared deviations: where more than this, no foot stands most of the time; and which
# share of that another order may have to be the one that is meant.
MOST, CLEARLY = 4.0, 0.25
# Orders in which a quaternion may have been written, by how it is rolled.
ORDERS = {1: "x, y, z, w", -1: "z, w, x, y"}


def put_right(
    robot: RobotModel, dt: float, q: np.ndarray, stands: bool, where: str
) -> tuple[np.ndarray, list[str]]:
    """Configurations with the base as it was meant, and what was put right.

    Args:
        robot: whose motion it is.
        dt: time between samples [s].
        q: (n, nq) configurations.
        stands: whether to refuse a robot that does not stand.
        where: names the recording.

    Raises:
        BackbeatError: no foot stands most of the time, in any order.
    """
    found = _misfits(robot, dt, q)
    best = _best(found)
    if best:
        return _rolled(q, best), [
            f"{where}: the base is turned so that no foot stands, unless base.qw, "
            f"base.qx, base.qy and base.qz are {ORDERS[best]}; they are taken so"
        ]
    if stands and found[0] > MOST:
        raise BackbeatError(
            f"{where}: most of the time no sole is level and stays where it is, so "
            "the motion has no stance; if it has one, the base is not as "
            "its columns say (place in meters, quaternion w, x, y, z, angles in the "
            "unit of the joints), or leave it out with 'ignore'"
        )
    return q, []


def best_roll(robot: RobotModel, dt: float, q: np.ndarray) -> int:
    """By how much quaternions have to be rolled for feet to stand; 0 where they do.

    Args:
        robot: whose motion it is.
        dt: time between samples [s].
        q: (n, nq) configurations.
    """
    return _best(_misfits(robot, dt, q)) if robot.soles else 0


def _misfits(robot: RobotModel, dt: float, q: np.ndarray) -> dict[int, float]:
    """How little feet stand, with quaternions as they are and rolled if need be."""
    found = {0: misfit(find_soles(robot, dt, q))}
    if found[0] > CLEARLY:
        found |= {k: misfit(find_soles(robot, dt, _rolled(q, k))) for k in ORDERS}
    return found


def _best(found: dict[int, float]) -> int:
    """The roll that clearly is the one that is meant; 0 if none is."""
    best = min(found, key=lambda k: found[k])
    return best if found[best] < CLEARLY * min(found[0], MOST) else 0


def misfit(soles: Soles) -> float:
    """How little a motion is like that of a standing robot, in squared deviations."""
    found = []
    for foot in FEET:
        speed = np.linalg.norm(slopes(soles.corners[foot], soles.dt), axis=2)
        # The corner about which it rolls, and a tilt that rolling has as well.
        still = (speed.min(axis=1) / SPEED) ** 2
        found.append(still + (soles.tilt(foot) / TILT) ** 2)
    return float(np.median(np.minimum(*found)))


def _rolled(q: np.ndarray, shift: int) -> np.ndarray:
    out = q.copy()
    out[:, :4] = np.roll(q[:, :4], shift, axis=1)
    return out
