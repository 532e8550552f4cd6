"""Samples of a stream for a plan that is played."""

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.world.joint_sample import JointSample
from backbeat.stage.sources.kinds import planned_configuration
from backbeat.stage.sources.measured_motion import locate
from backbeat.stream.server import JointStream


def planned_sample(behavior: Behavior, t: float) -> JointSample:
    """State and torques of a behavior at a time [s], as it was planned.

    What the kinematic player plays has no torques.
    """
    motion = behavior.motion
    i, u = locate(motion.t, t)
    tau = None
    if behavior.kind != KINEMATIC:
        tau = (1 - u) * motion.tau[i] + u * motion.tau[i + 1]
    v = (1 - u) * motion.v[i] + u * motion.v[i + 1]
    return JointSample(t, planned_configuration(behavior, t), v, tau)


def stream_plan(
    stream: JointStream, behavior: Behavior, start: float, end: float
) -> None:
    """Publishes what is due of a plan between two times [s]."""
    for t in stream.due(start, end):
        stream.publish(planned_sample(behavior, t))
