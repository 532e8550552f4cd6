"""A behavior as a folder for users of MuJoCo: scene with keyframes, and reference."""

from pathlib import Path

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.mjcf.contact import FIRM
from backbeat.models.mjcf.export import WrittenModel, write_mjcf
from backbeat.mpc.engines.behavior_engine import mujoco_for

# Time between keyframes [s], and the most of them.
KEY_PERIOD, MOST_KEYS = 0.5, 200


def write_scene(
    behavior: Behavior, folder: str | Path, law: str = FIRM
) -> WrittenModel:
    """Writes robot and scene of a behavior as MJCF, with keyframes of its motion.

    Args:
        behavior: a keyframe every half second of it, or less often in a long one.
        folder: where.
        law: name of how contact yields.

    Raises:
        BackbeatError: MuJoCo is not installed, or it cannot be written.
    """
    robot, engine = behavior.robot_model, mujoco_for(behavior, law)
    t, still = behavior.motion.t, np.zeros(robot.num_velocities)
    length = t[-1] - t[0]
    count = min(MOST_KEYS, int(length / KEY_PERIOD) + 1)
    period = max(KEY_PERIOD, length / MOST_KEYS)
    keys = {}
    for time in t[0] + period * np.arange(count):
        q = behavior.motion.q[int(np.searchsorted(t, time - 1e-9))]
        keys[f"t={time:.2f}"] = engine.positions(engine.reset(q, still))
    return write_mjcf(engine.made, folder, keys)
