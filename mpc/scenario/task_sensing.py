"""TaskSensing: samples of joints, of the hand and of a moved base, held in between."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import (
    BasicVector,
    Context,
    State,
    ValueProducer,
)

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.estimation.hand_observer import HandMotion, observe


@dataclass
class TaskNoise:
    """Standard deviations of the errors of one sample."""

    # Joint angle [rad] and rate [rad/s].
    angle: float = 0.0
    rate: float = 0.0
    # Place of the hand, where that is sensed [m].
    hand: float = 0.0


@dataclass(frozen=True)
class TaskSamples:
    """Samples as far back as the delay requires, newest last.

    Attributes:
        samples: each sensed [q, v] of the robot model, hand (6) and target (9).
        motion: what is known of the hand by its places so far; None before the first.
        count: samples taken.
        last: number of the period in which the newest was taken; -1 before the first.
    """

    samples: tuple[np.ndarray, ...]
    count: int
    last: int = -1
    motion: HandMotion | None = None

    def __deepcopy__(self, memo: object) -> "TaskSamples":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class TaskSensing(CollectableSystem):
    """Samples a robot and what it shall do, and holds the samples.

    .. pydrake_system::

        name: TaskSensing
        input_ports:
        - state
        - target
        output_ports:
        - state
        - hand
        - hand_rate
        - target

    Input `state` is the true [q, v] of the robot model (nq + nv), `target` (9) that of
    the hand. Outputs are the sample taken `delay` ago, in the first moments the very
    first one: `state` with errors of joint angles and rates, `hand` (3) the place of
    the hand frame [m] with its own, `hand_rate` (3) what is observed of its rate from
    these places [m/s], `target` (9) as it was then. A moved base is
    sampled without errors. Errors depend on seed and number of the sample only.

    Standard deviations (nq + nv + 3), and the number of periods between two samples,
    are parameters in the Context, so that they may be changed in a run.
    """

    def __init__(
        self,
        robot: RobotModel,
        hand: str,
        noise: TaskNoise | None = None,
        period: float = 1e-3,
        delay: float = 0.0,
        seed: int = 0,
    ) -> None:
        """Makes the sensing.

        Args:
            robot: model whose state is sensed.
            hand: name of the frame that is the hand.
            noise: errors.
            period: time between samples [s].
            delay: from the sample to the output [s]; whole periods.
            seed: of all errors.
        """
        super().__init__()
        self._state = Configuration(robot, _somewhere(robot))
        self._robot, self._frame = robot, robot.frame(hand)
        self._period, self._delay, self._seed = period, round(delay / period), seed
        n, nq, nv = noise or TaskNoise(), robot.num_positions, robot.num_velocities
        deviation = self._deviations(n)
        self._deviation = self.DeclareNumericParameter(BasicVector(deviation))
        self._every = self.DeclareNumericParameter(BasicVector([1.0]))
        self._x = self.DeclareVectorInputPort("state", nq + nv)
        self._target = self.DeclareVectorInputPort("target", 9)
        self._memory = self.DeclareAbstractState(AbstractValue.Make(TaskSamples((), 0)))
        # The memory with the sample of this moment, which several ports need.
        self._fresh = self.DeclareCacheEntry(
            "fresh",
            ValueProducer(
                lambda: AbstractValue.Make(TaskSamples((), 0)), weak(self._calc)
            ),
            {self.all_sources_ticket()},
        ).cache_index()
        now = weak(self._now)
        ends = np.cumsum([0, nq + nv, 3, 3, 9]).tolist()
        names = ("state", "hand", "hand_rate", "target")
        for name, part in zip(names, pairwise(ends), strict=True):
            self.DeclareVectorOutputPort(
                name,
                part[1] - part[0],
                lambda c, out, part=part: out.SetFromVector(now(c)[slice(*part)]),
            )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))

    def set_noise(self, context: Context, noise: TaskNoise) -> None:
        """Changes the errors of samples to come."""
        deviation = context.get_mutable_numeric_parameter(int(self._deviation))
        deviation.SetFromVector(self._deviations(noise))

    def set_every(self, context: Context, periods: int) -> None:
        """Has samples taken every so many periods only, and held longer."""
        every = context.get_mutable_numeric_parameter(int(self._every))
        every.SetFromVector([float(periods)])

    def _deviations(self, noise: TaskNoise) -> np.ndarray:
        """(nq + nv + 3) standard deviations of [q, v, hand]."""
        robot = self._robot
        nq, nv = robot.num_positions, robot.num_velocities
        out = np.zeros(nq + nv + 3)
        out[robot.base_positions : nq] = noise.angle
        out[nq + robot.base_velocities : nq + nv] = noise.rate
        out[nq + nv :] = noise.hand
        return out

    def _calc(self, context: Context, output: AbstractValue) -> None:
        memory: TaskSamples = context.get_abstract_state(int(self._memory)).get_value()
        output.set_value(self._sampled(context, memory))

    def _now(self, context: Context) -> np.ndarray:
        """The sample that is due."""
        # Evaluated at the moment of a sample, it may not have been stored yet.
        fresh: TaskSamples = self.get_cache_entry(self._fresh).Eval(context)
        return fresh.samples[0]

    def _update(self, context: Context, state: State) -> None:
        memory: TaskSamples = self.get_cache_entry(self._fresh).Eval(context)
        state.get_mutable_abstract_state(int(self._memory)).set_value(memory)

    def _sampled(self, context: Context, memory: TaskSamples) -> TaskSamples:
        """Memory with the sample of this period, if one is due and missing."""
        now = int(np.floor(context.get_time() / self._period + 1e-6))
        every = context.get_numeric_parameter(int(self._every)).value()[0]
        is_due = memory.last < 0 or now % round(every) == 0
        if now <= memory.last or not is_due:
            return memory
        x, nq = self._x.Eval(context), self._robot.num_positions
        hand = self._state.update(x[:nq]).pose(self._frame).translation()
        bits = np.random.Philox(key=[self._seed, 0], counter=[0, memory.count, 0, 0])
        deviation = context.get_numeric_parameter(int(self._deviation)).value()
        drawn = np.random.Generator(bits).standard_normal(len(deviation))
        sensed = np.r_[x, hand] + deviation * drawn
        motion = HandMotion.at_rest(sensed[-3:])
        if memory.motion is not None:
            elapsed = (now - memory.last) * self._period
            motion = observe(memory.motion, sensed[-3:], elapsed)
        sample = np.r_[sensed, motion.rate, self._target.Eval(context)]
        kept = memory.samples[-self._delay :] if self._delay else ()
        return TaskSamples((*kept, sample), memory.count + 1, now, motion)


def _somewhere(robot: RobotModel) -> np.ndarray:
    """(nq,) any configuration."""
    q = np.zeros(robot.num_positions)
    q[: robot.base_positions][:1] = 1.0
    return q
