"""Takes of known truth: states of behaviors, spoiled as recordings are.

What retargeting leaves: feet skate, the body floats and is tilted, joints are noisy,
and frames are missing. All of it is drawn from a seed, so that the true motion is known
and a take repeats.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from backbeat.behaviors.takes.writers.states import MotionStates

# Times of a period of skating [s].
PERIOD = (3.0, 6.0)


@dataclass(frozen=True)
class Spoiling:
    """What is wrong with a take.

    Attributes:
        skate: how far feet slide with the base, either way [m].
        lift: how far it floats [m].
        tilt: of the base, about a level axis of its own [rad].
        noise: standard deviation of joint angles [rad].
        dropped: share of frames that are missing, or held where a format has no times.
    """

    skate: float = 0.03
    lift: float = 0.03
    tilt: float = np.radians(3.0)
    noise: float = 0.005
    dropped: float = 0.03


USUAL = Spoiling()


def spoiled(
    states: MotionStates, seed: int, has_times: bool, how: Spoiling = USUAL
) -> MotionStates:
    """States of a motion with the errors of a recording.

    Args:
        states: the true motion, at an even rate.
        seed: of what is drawn.
        has_times: whether its format has times, so that frames may be missing;
            otherwise the frame before is held.
        how: what is wrong.
    """
    rng = np.random.default_rng([seed, 55])
    robot, q, n = states.robot, states.q.copy(), len(states.t)
    along, start = rng.uniform(0, 2 * np.pi, 2)
    slides = np.sin(2 * np.pi * states.t / rng.uniform(*PERIOD) + start)
    axis = rng.uniform(0, 2 * np.pi)
    turn = Rotation.from_rotvec(how.tilt * np.array([np.cos(axis), np.sin(axis), 0.0]))
    base = Rotation.from_quat(q[:, :4], scalar_first=True) * turn
    q[:, :4] = base.as_quat(scalar_first=True)
    q[:, 4:6] += how.skate * slides[:, None] * [np.cos(along), np.sin(along)]
    q[:, 6] += how.lift
    q[:, robot.base_positions :] += rng.normal(0, how.noise, (n, robot.num_joints))
    kept = np.flatnonzero(np.r_[True, rng.random(n - 2) >= how.dropped, True])
    if has_times:
        return replace(states, t=states.t[kept], q=q[kept], rate=None)
    held = kept[np.searchsorted(kept, np.arange(n), "right") - 1]
    return replace(states, q=q[held])
