"""Explanation of a tick in task space: what the hand asks for, and what it gets."""

from dataclasses import dataclass

import numpy as np

from backbeat.mpc.control.task_space_setup import hand_of, set_up
from backbeat.mpc.scenario.base_motion import moved
from backbeat.mpc.scenario.settings import settings_at
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.simulation.run import SimulationRun

# Joints that are told, those with the greatest shares of their limits.
SHOWN = 5


@dataclass(frozen=True)
class TaskSpaceExplanation:
    """What the law did at a sample.

    Attributes:
        hand: frame of the hand.
        off: distance of hand and target [m].
        is_sensed: whether the law had the hand from a sensor, whose samples no run
            file has; what is told is then of the hand that joints give.
        wanted, got: (3,) acceleration of the hand that is asked for, and the one that
            the torques cause in the model [m/s^2].
        torques: joint, torque [N m], share of its limit and whether it is at a limit;
            the greatest shares first.
    """

    hand: str
    off: float
    is_sensed: bool
    wanted: np.ndarray
    got: np.ndarray
    torques: tuple[tuple[str, float, float, bool], ...]

    def __str__(self) -> str:
        """All in words."""
        missing = float(np.linalg.norm(self.got - self.wanted))
        size = float(np.linalg.norm(self.wanted))
        by = ", by its sensed joints" if self.is_sensed else ""
        rows = [
            f"tick in task space: {self.hand} is {1e3 * self.off:.3g} mm off "
            f"target{by}",
            f"  priority 2, acceleration of the hand: off by {missing:.3g} of "
            f"{size:.3g} m/s^2",
            "  priority 3, posture and damping: in what the hand leaves",
            "torques, by decreasing share of their limits:",
        ]
        for joint, tau, share, is_at in self.torques[:SHOWN]:
            limit = ", at a limit" if is_at else ""
            rows.append(f"  {joint}: {tau:.3g} N m ({100 * share:.0f} %){limit}")
        return "\n".join(rows)


def explain_task_space(
    run: SimulationRun, task: TaskSpaceTask, i: int
) -> TaskSpaceExplanation:
    """Explains the tick at a sample, made again from what was sensed there.

    Args:
        run: the run.
        task: its task.
        i: number of the sample.
    """
    law, robot, t = set_up(run.behavior, task), run.behavior.robot_model, run.t[i]
    nq = robot.num_positions
    x = run.read[i]
    now = settings_at(run.scenario, run.behavior, float(t)).task
    settings = now.law(law.settings) if now else law.settings
    target = task.target.told(float(t), run.target[i])
    target[0] = run.target[i]
    base = None
    if robot.floating:
        base = moved(task.base.at(float(t)), run.behavior.motion.q[0])[1][1]
    found = law(x[:nq], x[nq:], target, None, None, base, settings)
    space = law.space_for(settings)
    space.update(x[:nq], x[nq:])
    vdot = space.outcome(found.tau, {}).vdot
    state = law.hand_task
    place, rate = state.position(space.state), state.velocity(space.state)
    wanted = target[2] - settings.stiffness * (place - target[0])
    wanted = wanted - settings.damping * (rate - target[1])
    got = state.jacobian(space.state) @ vdot + state.bias(space.state)
    share = np.abs(found.tau) / (task.effort_share * robot.effort_limits)
    torques = tuple(
        (robot.joint_names[j], float(found.tau[j]), float(share[j]), bool(at))
        for j, at in sorted(enumerate(found.at_limit), key=lambda p: -share[p[0]])
    )
    off = float(np.linalg.norm(place - target[0]))
    hand, is_sensed = hand_of(run.behavior), bool(now and now.hand_sensing)
    return TaskSpaceExplanation(hand, off, is_sensed, wanted, got, torques)
