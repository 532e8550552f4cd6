"""StateSampler: samples of joints and of a hand, with noise and delay, unfiltered."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from pydrake.systems.framework import Context

from backbeat.models.common.collectable_system import PromptSystem, weak
from backbeat.models.common.numbered_draws import NumberedDraws
from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import SensorNoise
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.estimation.hand_observer import HandMotion, observe


@dataclass(frozen=True)
class StateSamples:
    """Samples as far back as the delay requires, newest last.

    Attributes:
        samples: each sensed [q, v] of the robot model, and place and rate of the hand.
        count: samples taken.
        last: number of the period in which the newest was taken; -1 before the first.
        motion: what is known of the hand by its places so far; None before the first.
    """

    samples: tuple[np.ndarray, ...] = ()
    count: int = 0
    last: int = -1
    motion: HandMotion | None = None

    def __deepcopy__(self, memo: object) -> "StateSamples":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class StateSampler(PromptSystem):
    """Samples a robot by its encoders, and holds the samples.

    .. pydrake_system::

        name: StateSampler
        input_ports:
        - state
        - noise
        - noise_scale
        output_ports:
        - state
        - hand
        - hand_rate

    Input `state` is the true [q, v] of the robot model (nq + nv). `noise` (2) are the
    standard deviations of joint angles and rates; unconnected, those of the start.
    `noise_scale` (1) multiplies all errors; it may be left unconnected. Outputs are the
    sample taken `delay` ago, in the first moments the very first one: `state` with
    errors of joint angles and rates, `hand` (3) the place of the hand's frame [m] with
    its own, `hand_rate` (3) what is observed of its rate from these places [m/s];
    without a hand both are zero. The base is sampled without errors. Errors depend on
    seed and number of the sample only.
    """

    def __init__(
        self,
        robot: RobotModel,
        hand: str = "",
        noise: SensorNoise | None = None,
        period: float = 1e-3,
        delay: float = 0.0,
        seed: int = 0,
    ) -> None:
        """Makes the sampler.

        Args:
            robot: model whose state is sensed.
            hand: name of the frame that is the hand; "" for none.
            noise: errors of encoders and hand; None for none.
            period: time between samples [s].
            delay: from the sample to the output [s]; whole periods.
            seed: of all errors.
        """
        super().__init__()
        self._robot, self._frame = robot, robot.frame(hand) if hand else None
        self._state = Configuration(robot, _somewhere(robot))
        self._delay = round(delay / period)
        self._draws = NumberedDraws(seed)
        n, nq, nv = noise, robot.num_positions, robot.num_velocities
        self._noise = (n.position, n.velocity, n.hand) if n else (0.0, 0.0, 0.0)
        self._x = self.DeclareVectorInputPort("state", nq + nv)
        self._told = self.DeclareVectorInputPort("noise", 2)
        self._scale = self.DeclareVectorInputPort("noise_scale", 1)
        self._declare_memory(StateSamples(), period)
        due = weak(self._due)
        ends = np.cumsum([0, nq + nv, 3, 3]).tolist()
        names = ("state", "hand", "hand_rate")
        for name, part in zip(names, pairwise(ends), strict=True):
            self.DeclareVectorOutputPort(
                name,
                part[1] - part[0],
                lambda c, out, part=part: out.SetFromVector(due(c)[slice(*part)]),
            )

    def _deviations(self, context: Context) -> np.ndarray:
        """(nq + nv + 3) standard deviations of [q, v, hand]."""
        robot, (angle, rate, hand) = self._robot, self._noise
        nq, nv = robot.num_positions, robot.num_velocities
        if self._told.HasValue(context):
            angle, rate = self._told.Eval(context)
        out = np.zeros(nq + nv + 3)
        out[robot.base_positions : nq] = angle
        out[nq + robot.base_velocities : nq + nv] = rate
        out[nq + nv :] = hand
        if self._scale.HasValue(context):
            out *= self._scale.Eval(context)[0]
        return out

    def _due(self, context: Context) -> np.ndarray:
        """The sample that is due."""
        memory: StateSamples = self._now(context)
        return memory.samples[0]

    def renewed(
        self, context: Context, memory: StateSamples, number: int
    ) -> StateSamples:
        """Memory with the sample of this period, if it is missing."""
        if number <= memory.last:
            return memory
        x, nq = self._x.Eval(context), self._robot.num_positions
        hand = np.zeros(3)
        if self._frame is not None:
            hand = self._state.update(x[:nq]).pose(self._frame).translation()
        sensed, deviation = np.r_[x, hand], self._deviations(context)
        if deviation.any():
            drawn = self._draws.normal(memory.count, len(deviation))
            sensed = sensed + deviation * drawn
        motion = HandMotion.at_rest(sensed[-3:])
        if memory.motion is not None:
            elapsed = (number - memory.last) * self._period
            motion = observe(memory.motion, sensed[-3:], elapsed)
        sample = np.r_[sensed, motion.rate]
        kept = memory.samples[-self._delay :] if self._delay else ()
        return StateSamples((*kept, sample), memory.count + 1, number, motion)


def _somewhere(robot: RobotModel) -> np.ndarray:
    """(nq,) any configuration."""
    q = np.zeros(robot.num_positions)
    q[: robot.base_positions][:1] = 1.0
    return q
