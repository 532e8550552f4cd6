"""Flown: a recorded motion with jumps that its robot can make, as physics has them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from backbeat.behaviors.footsteps.jump import LONG_FLIGHT, SHORT_FLIGHT
from backbeat.behaviors.recording.flights.ballistic import ballistic
from backbeat.behaviors.recording.flights.lowering import (
    check_heights,
    flights_said,
    lowered,
)
from backbeat.behaviors.recording.planted_feet import PlantedMotion
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# How long a jump lasts that is made lower [s]: its push and its landing were for a
# higher one. Legs so long have these times [m]; those of shorter ones are as the roots.
LOWERED, LEG = 0.4, 0.97


def flown(
    motion: PlantedMotion,
    robot: RobotModel,
    t: np.ndarray,
    offsets: Mapping[str, np.ndarray],
    is_lower: bool,
    where: str,
) -> tuple[PlantedMotion, dict[str, np.ndarray]]:
    """A recording with its jumps, and offsets of its joints in their time.

    Args:
        motion: the recording with its feet on the ground.
        robot: model of the robot.
        t: (n,) times of the whole recording [s].
        offsets: (n,) of joints, by name.
        is_lower: whether jumps that are too high become lower.
        where: names the recording.

    Raises:
        BackbeatError: the robot cannot make a jump.
    """
    g, scale = robot.gravity, min(1.0, float(np.sqrt(robot.leg_length / LEG)))
    longest = np.inf if is_lower else scale * LONG_FLIGHT
    check_heights(motion.jumps, longest, g, robot.name, where)
    change, jumps = lowered(
        motion.t, motion.jumps, scale * LONG_FLIGHT, scale * LOWERED, SHORT_FLIGHT
    )
    source = change.source(motion.t)
    q = np.stack([np.interp(source, motion.t, x) for x in motion.q.T], axis=1)
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    q = ballistic(robot, motion.t, q, jumps)
    feet = {
        foot: replace(
            path,
            planted=tuple((change.moved(a), change.moved(b)) for a, b in path.planted),
        )
        for foot, path in motion.feet.items()
    }
    said = f"{where}: {flights_said(jumps, motion.jumps, g)}"
    state = Configuration(robot, q[0])
    made = replace(
        motion,
        q=q,
        com=np.stack([state.update(row).center_of_mass for row in q]),
        feet=feet,
        jumps=tuple(jumps),
        notes=(*motion.notes, said),
    )
    inside = np.clip(t, motion.t[0], motion.t[-1])
    at = change.source(inside) + (t - inside)
    return made, {name: np.interp(at, t, o) for name, o in offsets.items()}
