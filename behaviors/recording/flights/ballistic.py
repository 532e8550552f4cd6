"""Ballistic bases: in the air, a recorded base moves as physics has it.

The joints are as recorded. The center of mass falls with gravity from where it leaves
to where it lands, and the angular momentum about it stays what it is: it leads from one
orientation of the base to the other. Source: see `optimization.reconstruction.flight`.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from backbeat.behaviors.motion.concatenation import make_continuous
from backbeat.behaviors.recording.flights.jumps import Flight
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.reconstruction.flight import free_flight

# Time between places at which a flight is worked out [s].
STEP = 0.01
# Samples beside a flight that its ends are taken from.
BESIDE = 4


def ballistic(
    robot: RobotModel, t: np.ndarray, q: np.ndarray, jumps: Sequence[Flight]
) -> np.ndarray:
    """Configurations whose base conserves its momentum in the air.

    Args:
        robot: whose motion it is.
        t: (n,) times, evenly spaced [s].
        q: (n, nq) configurations.
        jumps: when nothing touches the ground.
    """
    out, nv = q.copy(), robot.num_velocities
    make_continuous(out, robot.num_joints)
    for jump in jumps:
        air = np.flatnonzero((t > jump.start) & (t < jump.end))
        if not len(air):
            continue
        rows = slice(max(0, air[0] - BESIDE), air[-1] + BESIDE + 1)
        path = scipy.interpolate.CubicSpline(t[rows], out[rows])
        n = max(2, round(jump.duration / STEP))
        grid = np.linspace(jump.start, jump.end, 2 * n + 1)
        here, v = path(grid), np.zeros((len(grid), nv))
        here[:, :4] /= np.linalg.norm(here[:, :4], axis=1)[:, None]
        v[:, robot.base_velocities :] = path(grid, 1)[:, robot.base_positions :]
        found = free_flight(robot, grid, here, v, np.zeros_like(v)).q
        flips = np.sign((found[:, :4] * here[::2, :4]).sum(axis=1))
        found[:, :4] *= flips[:, None]
        out[air, :7] = scipy.interpolate.CubicSpline(grid[::2], found)(t[air])
        out[air, :4] /= np.linalg.norm(out[air, :4], axis=1)[:, None]
    return out
