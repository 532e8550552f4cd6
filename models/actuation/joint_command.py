"""The joint command: the inputs of the joint servo, as one vector."""

from typing import NamedTuple

import numpy as np

# Blocks of a command vector, each num_joints long and in joint order.
EFFORT, POSITION, VELOCITY, STIFFNESS, DAMPING, COMING = range(6)
INTEGRAL, FEEDFORWARD, EFFORT_FEEDBACK = range(6, 9)
BLOCKS = 9


class CommandModes(NamedTuple):
    """What joints do besides the servo's law, None where they do as usual.

    Attributes:
        integral: (nj,) gain on the integral of the error [N m/rad/s]; None for zero.
        feedforward: (nj,) share of the effort that counts; None for one.
        effort_feedback: (nj,) share of measured friction to make up for; None for
            zero.
    """

    integral: np.ndarray | None = None
    feedforward: np.ndarray | None = None
    effort_feedback: np.ndarray | None = None


USUAL = CommandModes()


def joint_command(
    effort: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    coming: np.ndarray | None = None,
    modes: CommandModes = USUAL,
) -> np.ndarray:
    """(9 nj,) command: effort [N m], set points [rad, rad/s], gains, what comes.

    Args:
        effort, position, velocity, stiffness, damping: (nj,) of the servo's law.
        coming: (nj,) velocity that is wanted when the motors have followed, which
            says which way friction will have to be overcome [rad/s]; None for
            `velocity`. They differ where a stick bounces.
        modes: what joints do besides.
    """
    integral, feedforward, effort_feedback = modes
    coming = velocity if coming is None else coming
    integral = np.zeros(len(effort)) if integral is None else integral
    feedforward = np.ones(len(effort)) if feedforward is None else feedforward
    if effort_feedback is None:
        effort_feedback = np.zeros(len(effort))
    return np.concatenate(
        [
            *(effort, position, velocity, stiffness, damping, coming),
            *(integral, feedforward, effort_feedback),
        ]
    )
