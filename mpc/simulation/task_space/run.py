"""A run of a hand that follows its target: samples and errors."""

from contextlib import closing
from dataclasses import dataclass

import numpy as np
from pydrake.systems.analysis import Simulator

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.control.outside import ConnectTaskSpace
from backbeat.mpc.control.task_space_setup import set_up
from backbeat.mpc.safety.fail_safe import Safety
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.simulation.task_space.loop import TaskSpaceLoop, build_task_space_loop

# What happens before, while things come under way, does not count [s].
SETTLED = 2.0
# Joints that are faster than this have lost it [rad/s].
RUNAWAY = 100.0


@dataclass(frozen=True)
class TaskSpaceRun:
    """What happened.

    Attributes:
        scenario: settings of the run.
        t: (n,) times [s].
        q, v: (n, nq), (n, nv) true states.
        hand, target: (n, 3) places [m].
        effort: (n, nj) [N m].
        at_limit: (n, nj) whether a limit took something from a joint.
        leg_share: (n,) of its effort limit that the busiest joint of legs with welded
            feet gives; zeros where legs are held.
        tick: median wall time of the controller [s].
        ended: whether it had to end before its time.
        link_safety: what was done about answers of a remote controller that did not
            come; None without one.
    """

    scenario: TaskSpaceScenario
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    hand: np.ndarray
    target: np.ndarray
    effort: np.ndarray
    at_limit: np.ndarray
    leg_share: np.ndarray
    tick: float
    ended: bool
    link_safety: Safety | None = None

    @property
    def error(self) -> np.ndarray:
        """(n,) distance of the hand from the target [m]."""
        return np.linalg.norm(self.hand - self.target, axis=1)

    def metrics(self, after: float = SETTLED) -> dict[str, float]:
        """How far off the hand was after some time [s], and what joints had to give."""
        late = self.t >= min(after, 0.5 * self.t[-1])
        error = self.error[late]
        return {
            "error_rms_mm": 1e3 * float(np.sqrt(np.mean(error**2))),
            "error_max_mm": 1e3 * float(error.max()),
            "at_limit_share": float(self.at_limit[late].any(1).mean()),
            "leg_share_max": float(self.leg_share[late].max()),
            "fastest_joint": float(np.abs(self.v[late]).max()),
            "tick_ms": 1e3 * self.tick,
        }

    @property
    def ran_away(self) -> bool:
        """Whether joints went beyond any useful speed, or the run had to end."""
        return self.ended or not bool((np.abs(self.v[-1]) < RUNAWAY).all())


def run_task_space(
    scenario: TaskSpaceScenario, remote: ConnectTaskSpace | None = None
) -> TaskSpaceRun:
    """Simulates a scenario, until its end or until joints run away.

    Args:
        scenario: what to simulate.
        remote: connects to a controller that is elsewhere, for instance
            `backbeat.mpc.remote.task_space.remote_task_space`; None for inside.

    Raises:
        BackbeatError: the scenario makes no sense, or no controller answers.
    """
    if remote is None:
        return simulate(build_task_space_loop(scenario))
    outside = remote(set_up(scenario).robot, scenario)
    with closing(outside):
        outside.open()
        return simulate(build_task_space_loop(scenario, outside=outside))


def simulate(loop: TaskSpaceLoop) -> TaskSpaceRun:
    """Simulates a loop from its start."""
    scenario, context = loop.scenario, loop.make_context()
    simulator = Simulator(loop.diagram, context)
    state = loop.logs["state"]
    nq, t, ended = loop.robot.num_positions, 0.0, False
    while t < scenario.duration - 1e-9:
        t = min(scenario.duration, t + 0.1)
        try:
            simulator.AdvanceTo(t)
        except RuntimeError:
            # Drake's solver gives up where numbers have left all bounds.
            ended = True
            break
        v = state.FindLog(context).data()[nq:, -1]
        if not (np.abs(v) < RUNAWAY).all():
            break
    logs = {n: sink.FindLog(context) for n, sink in loop.logs.items()}
    times, x = logs["state"].sample_times(), logs["state"].data().T
    place = Configuration(loop.robot, loop.q_start)
    hand = [place.update(q).pose(loop.hand).translation() for q in x[:, :nq]]
    target = [scenario.target.at(s, loop.hand_start)[0] for s in times]
    return TaskSpaceRun(
        scenario=scenario,
        t=times.copy(),
        q=x[:, :nq].copy(),
        v=x[:, nq:].copy(),
        hand=np.array(hand),
        target=np.array(target),
        effort=logs["effort"].data().T.copy(),
        at_limit=logs["at_limit"].data().T > 0.5,
        leg_share=_leg_share(loop, logs["leg_effort"].data().T)
        if loop.legs
        else np.zeros(len(times)),
        tick=float(np.median(loop.controller.tick_times)),
        ended=ended,
        link_safety=None if loop.outside is None else loop.outside.safety(context),
    )


def _leg_share(loop: TaskSpaceLoop, effort: np.ndarray) -> np.ndarray:
    """(n,) largest share of effort limits in legs that give (n, L) [N m]."""
    assert loop.legs is not None
    limits = loop.legs.robot.effort_limits[loop.legs.joints]
    return np.asarray((np.abs(effort) / limits).max(axis=1))
