"""TaskSensing: samples of joints, of the hand and of a moved base, held in between."""

from dataclasses import dataclass

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import Context, LeafSystem, State

from models.configuration import Configuration
from models.robot import RobotModel


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
    """Samples as far back as the delay asks, newest last.

    Attributes:
        samples: each sensed [q, v] of the robot model, hand (3) and target (9).
        count: samples taken.
    """

    samples: tuple[np.ndarray, ...]
    count: int

    def __deepcopy__(self, memo: object) -> "TaskSamples":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class TaskSensing(LeafSystem):
    """Samples a robot and what it shall do, and holds the samples.

    .. pydrake_system::

        name: TaskSensing
        input_ports:
        - state
        - target
        output_ports:
        - state
        - hand
        - target

    Input `state` is the true [q, v] of the robot model (nq + nv), `target` (9) that of
    the hand. Outputs are the sample taken `delay` ago, in the first moments the very
    first one: `state` with errors of joint angles and rates, `hand` (3) the place of
    the hand frame [m] with its own, `target` (9) as it was then. A moved base is
    sampled without errors. Errors depend on seed and number of the sample only.
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
        self._deviation = np.zeros(nq + nv + 3)
        self._deviation[robot.base_positions : nq] = n.angle
        self._deviation[nq + robot.base_velocities : nq + nv] = n.rate
        self._deviation[nq + nv :] = n.hand
        self._x = self.DeclareVectorInputPort("state", nq + nv)
        self._target = self.DeclareVectorInputPort("target", 9)
        self._memory = self.DeclareAbstractState(AbstractValue.Make(TaskSamples((), 0)))
        size, split = nq + nv + 12, [nq + nv, nq + nv + 3]
        parts = ((0, split[0]), (split[0], split[1]), (split[1], size))
        for name, part in zip(("state", "hand", "target"), parts, strict=True):
            self.DeclareVectorOutputPort(
                name,
                part[1] - part[0],
                lambda c, out, part=part: out.SetFromVector(self._now(c)[slice(*part)]),
            )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, self._update)

    def _read(self, context: Context) -> TaskSamples:
        memory: TaskSamples = context.get_abstract_state(int(self._memory)).get_value()
        return memory

    def _now(self, context: Context) -> np.ndarray:
        """The sample that is due."""
        memory = self._read(context)
        now = int(np.floor(context.get_time() / self._period + 1e-6))
        index = max(0, now - self._delay)
        if index >= memory.count:
            # Asked at the moment of a sample, before it has been stored.
            memory = self._sampled(context, memory)
        return memory.samples[index - memory.count]

    def _update(self, context: Context, state: State) -> None:
        memory = self._sampled(context, self._read(context))
        state.get_mutable_abstract_state(int(self._memory)).set_value(memory)

    def _sampled(self, context: Context, memory: TaskSamples) -> TaskSamples:
        x, nq = self._x.Eval(context), self._robot.num_positions
        hand = self._state.update(x[:nq]).pose(self._frame).translation()
        bits = np.random.Philox(key=[self._seed, 0], counter=[0, memory.count, 0, 0])
        drawn = np.random.Generator(bits).standard_normal(len(self._deviation))
        sensed = np.r_[x, hand] + self._deviation * drawn
        sample = np.r_[sensed, self._target.Eval(context)]
        kept = memory.samples[-self._delay :] if self._delay else ()
        return TaskSamples((*kept, sample), memory.count + 1)


def _somewhere(robot: RobotModel) -> np.ndarray:
    """(nq,) any configuration."""
    q = np.zeros(robot.num_positions)
    q[: robot.base_positions][:1] = 1.0
    return q
