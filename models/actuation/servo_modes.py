"""The usual modes of a joint, as commands of the joint servo.

A mode is nothing but a choice of gains, and gains are in every command: one command
after the other may be in another mode, and every joint in its own.
"""

from collections.abc import Sequence

import numpy as np

from backbeat.models.actuation.joint_command import CommandModes, joint_command
from backbeat.models.common.errors import unknown_name

# Share of measured friction that a soft joint makes up for, by default: with all of it,
# the last of the friction would be gone, and so would the room for errors of sensors.
COMPENSATION = 0.97


def torque_command(effort: np.ndarray) -> np.ndarray:
    """Command by which joints give an effort and nothing else.

    Args:
        effort: (nj,) [N m].
    """
    zero = np.zeros(len(effort))
    return joint_command(effort, zero, zero, zero, zero)


def position_command(
    position: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    integral: np.ndarray | None = None,
    velocity: np.ndarray | None = None,
    effort: np.ndarray | None = None,
) -> np.ndarray:
    """Command by which joints go to a position.

    Args:
        position: (nj,) where to [rad].
        stiffness, damping, integral: (nj,) gains [N m/rad, N m s/rad, N m/rad/s].
        velocity: (nj,) how fast the position goes on [rad/s]; None for zero.
        effort: (nj,) feedforward [N m]; None for zero.
    """
    zero = np.zeros(len(position))
    return joint_command(
        zero if effort is None else effort,
        position,
        zero if velocity is None else velocity,
        stiffness,
        damping,
        modes=CommandModes(integral=integral),
    )


def velocity_command(
    velocity: np.ndarray, damping: np.ndarray, effort: np.ndarray | None = None
) -> np.ndarray:
    """Command by which joints move at a velocity.

    Args:
        velocity: (nj,) how fast [rad/s].
        damping: (nj,) gain on its error [N m s/rad].
        effort: (nj,) feedforward [N m]; None for zero.
    """
    zero = np.zeros(len(velocity))
    return joint_command(
        zero if effort is None else effort, zero, velocity, zero, damping
    )


def compliant_command(
    attractor: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    effort: np.ndarray | None = None,
    compensation: float = COMPENSATION,
) -> np.ndarray:
    """Command by which joints are soft springs with little friction.

    A torque tau from outside turns a joint by tau / stiffness away from its attractor,
    so that a hand can push on a door, a knob or a valve with a known force.

    Args:
        attractor: (nj,) where the springs are at rest [rad].
        stiffness, damping: (nj,) of the springs [N m/rad, N m s/rad].
        effort: (nj,) what carries the weight of the limb [N m]; None for zero, see
            `backbeat.models.state.gravity_compensation`.
        compensation: share of measured friction that motors make up for.
    """
    zero = np.zeros(len(attractor))
    return joint_command(
        zero if effort is None else effort,
        attractor,
        zero,
        stiffness,
        damping,
        modes=CommandModes(effort_feedback=np.full(len(attractor), compensation)),
    )


def interface_command(
    modes: Sequence[str],
    values: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
) -> np.ndarray:
    """Command by which each joint takes a value as its hardware interface does.

    Args:
        modes: (nj,) "torque", "position" or "velocity" of each joint, see
            `backbeat.models.actuation.transmission.joint_modes`.
        values: (nj,) efforts [N m], positions [rad] or velocities [rad/s].
        stiffness, damping: (nj,) gains of joints that take a position; of those that
            take a velocity, the damping counts.

    Raises:
        BackbeatError: an unknown mode.
    """
    known = ("torque", "position", "velocity")
    for mode in modes:
        if mode not in known:
            raise unknown_name("mode of a joint", mode, known)
    torque, position, velocity = (
        np.array([mode == name for mode in modes], float) for name in known
    )
    return joint_command(
        torque * values,
        position * values,
        velocity * values,
        position * stiffness,
        (position + velocity) * damping,
    )
