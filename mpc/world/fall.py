"""What counts as a fall."""

import numpy as np
from pydrake.systems.framework import Context

from backbeat.mpc.world.simulated_robot import ControlledRobot

# The pelvis below this share of where it should be, or the trunk tilted by more
# than this against the behavior [rad].
FALL_HEIGHT, FALL_TILT = 0.7, np.radians(60.0)
# Faster than anything that is simulated with sense [m/s, rad/s].
RUNAWAY = 1e6
# Joints of a robot in task space that are faster have lost it [rad/s].
TASK_SPACE_RUNAWAY = 100.0


def has_fallen(loop: ControlledRobot, context: Context, phase: float) -> bool:
    """Whether a robot without a mount has fallen, or one in task space run away.

    It has when its pelvis is too low, its trunk too tilted, or anything but its
    patch contacts touches the ground.

    Args:
        loop: the robot and what controls it.
        context: of the whole diagram.
        phase: of the behavior requested for now [s].
    """
    robot = loop.reference.robot
    if loop.scenario.control.task_space is not None:
        # Nothing falls; joints may run away, and then only a reset helps.
        speeds = loop.body.true_state(context)[robot.num_positions :]
        return not bool((np.abs(speeds) < TASK_SPACE_RUNAWAY).all())
    if not robot.floating:
        return False
    q = loop.body.true_state(context)[: robot.num_positions]
    if not np.isfinite(q).all():
        return True
    sample = loop.sampler(phase)
    up, wanted = loop.trunk.at(q)[:, 2], sample.R_trunk[:, 2]
    tilt = np.arccos(np.clip(up @ wanted, -1, 1))
    if q[6] < FALL_HEIGHT * sample.q[6] or tilt > FALL_TILT:
        return True
    log = loop.contact_log
    own = log.GetMyContextFromRoot(context)
    elsewhere = log.GetOutputPort("wrenches").Eval(own)[-6:]
    return bool(elsewhere.any())


def has_run_away(loop: ControlledRobot, context: Context) -> bool:
    """Whether numbers have left all bounds, as when Drake's solver gives up."""
    robot = loop.reference.robot
    speeds = loop.body.true_state(context)[robot.num_positions :]
    return samples_before_runaway(speeds[None]) == 0


def samples_before_runaway(speeds: np.ndarray) -> int:
    """How many of (M, nv) samples come before the first that says nothing more."""
    # What is no number is not below any bound.
    away = ~(np.abs(speeds) < RUNAWAY).all(axis=1)
    return int(away.argmax()) if away.any() else len(away)
