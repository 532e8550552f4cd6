"""The joint command of a whole-body tick whose program is solved, compiled."""

from typing import NamedTuple

from backbeat.models.actuation.joint_command import (
    COMING,
    DAMPING,
    EFFORT,
    EFFORT_FEEDBACK,
    FEEDFORWARD,
    INTEGRAL,
    POSITION,
    STIFFNESS,
    VELOCITY,
)
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.compiled.bound import Bound

# Time after which the planned velocity has forgotten what it was [s].
FORGETTING = 0.1


class JointTarget(NamedTuple):
    """What the servos of the joints are to follow."""

    joints: Matrix  # (3, nj) positions, velocities and accelerations of the target
    # (nj,) velocity of the behavior when the motors have followed, per phase.
    ahead: Vector
    gains: Matrix  # (2, nj) stiffness and damping [N m/rad, N m s/rad]


@compiled
def write_command(
    tau: Vector,
    acceleration: Vector,
    sensed: Vector,
    bound: Bound[JointTarget],
    rate: float,
    period: float,
    planned: Vector,
    command: Vector,
) -> None:
    """Writes a joint command and the velocity that it plans.

    Where no servo helps, the velocity is the solution's own: it says which way friction
    has to be overcome, and does nothing else.

    Args:
        tau, acceleration: (nj,) of the solution [N m, rad/s^2].
        sensed: (nj,) velocity [rad/s].
        bound: what the servos follow.
        rate: phase rate [-].
        period: time between ticks [s].
        planned: (nj,) planned velocity before the tick, then after it [rad/s].
        command: (9 nj,) written.
    """
    target, nj = bound.content, tau.shape[0]
    joints, ahead, gains = target.joints, target.ahead, target.gains
    for j in range(nj):
        velocity = planned[j] + period * acceleration[j]
        velocity += period / FORGETTING * (sensed[j] - velocity)
        planned[j] = velocity
        has_servo = gains[0, j] > 0.0
        command[EFFORT * nj + j] = tau[j]
        command[POSITION * nj + j] = joints[0, j]
        command[VELOCITY * nj + j] = joints[1, j] if has_servo else velocity
        command[STIFFNESS * nj + j] = gains[0, j]
        command[DAMPING * nj + j] = gains[1, j]
        command[COMING * nj + j] = rate * ahead[j] if has_servo else velocity
        command[INTEGRAL * nj + j] = 0.0
        command[FEEDFORWARD * nj + j] = 1.0
        command[EFFORT_FEEDBACK * nj + j] = 0.0
