"""Weights and bounds of the predictive program, and the musical knob."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from backbeat.models.common.errors import BackbeatError, shown, unknown_name
from backbeat.models.contact.cones import PATCH_MARGIN

# Largest weight, and most intervals of a horizon: ten seconds of it.
MOST_WEIGHT, MOST_KNOTS = 1e9, 200


@dataclass(frozen=True)
class PredictiveWeights:
    """Horizon, weights and bounds of the predictive program.

    Attributes:
        knots: intervals of the horizon.
        spacing: phase of an interval [s]; knots * spacing is the horizon.
        com, height, velocity, momentum, rotation: weights per second on the state;
            legs are not longer than they are, so height counts more than place.
        beat, balanced_beat: weights on time minus phase while balance is at stake, and when
            it is not; see `with_beat_priority`.
        time_dilation: weight on stretching an interval.
        time_dilation_change: weight on the change of the stretch between intervals.
        shift, footstep_adjustment: weights on soles that stand elsewhere and on moving them there.
        force, vertical, moment: weights on wrench deviations.
        terminal: weight on the divergent component at the end of the horizon.
        min_phase_rate, max_phase_rate: bounds on the phase rate.
        max_phase_rate_change: bound on the change of the phase rate per time [1/s].
        friction: coefficient of friction that is relied on.
        yaw_moment: most yaw moment of a patch per normal force [m].
        max_force: most normal force of a patch [weights].
        stepping: whether soles in the air may land elsewhere.
        max_step_length: most distance of the soles, forward and sideways [m].
        min_step_width: least distance sideways [m].
        com_lowering: how much lower the CoM goes for steps that the behavior does not
            make, or when it is nearly lost, so that legs stay bent [m].
        max_com_rise: most that the CoM goes above the behavior's: legs that push it up to where
            they are straight leave the ground, and carry nothing [m].
        dcm_error_low, dcm_error_high: distances of the divergent component from where it belongs at
            which nothing is at stake and nothing lowered, and all of that [m].
    """

    knots: int = 26
    spacing: float = 0.05
    com: float = 100.0
    height: float = 1000.0
    velocity: float = 10.0
    momentum: float = 10.0
    rotation: float = 100.0
    beat: float = 20.0
    balanced_beat: float = 20.0
    time_dilation: float = 1000.0
    time_dilation_change: float = 200.0
    shift: float = 15.0
    footstep_adjustment: float = 1.0
    force: float = 0.5
    vertical: float = 0.2
    moment: float = 5.0
    terminal: float = 300.0
    min_phase_rate: float = 0.6
    max_phase_rate: float = 1.6
    max_phase_rate_change: float = 40.0
    friction: float = 0.55
    yaw_moment: float = 0.05
    max_force: float = 2.2
    stepping: bool = True
    max_step_length: tuple[float, float] = (0.55, 0.75)
    min_step_width: float = 0.17
    com_lowering: float = 0.05
    max_com_rise: float = 0.04
    dcm_error_low: float = 0.03
    dcm_error_high: float = 0.1

    def check(self) -> "PredictiveWeights":
        """Returns the weights when a program can be made of them.

        Raises:
            BackbeatError: a number is none, negative or beyond use.
        """
        usual = PredictiveWeights()
        for name, value in vars(self).items():
            numbers = value if isinstance(value, tuple) else (value,)
            is_like = type(value) is type(getattr(usual, name)) and len(numbers) == (
                2 if name == "reach" else 1
            )
            if not is_like or not all(0 <= x <= MOST_WEIGHT for x in numbers):
                raise BackbeatError(
                    f"weights: {name} is {shown(value)}; it must be like "
                    f"{getattr(usual, name)}, with numbers from 0 to {MOST_WEIGHT:g}"
                )
        if not (4 <= self.knots <= MOST_KNOTS and 0.005 <= self.spacing <= 0.5):
            raise BackbeatError(
                f"weights: knots is from 4 to {MOST_KNOTS} and spacing from 0.005 to "
                f"0.5 s, not {self.knots} and {self.spacing:g}"
            )
        if not 0 < self.min_phase_rate <= 1 <= self.max_phase_rate:
            raise BackbeatError("weights: 0 < slowest <= 1 <= fastest")
        return self

    @property
    def can_wait(self) -> bool:
        """Whether feet may leave the ground later than the behavior has it."""
        return self.min_phase_rate < 1

    def without_steps(self) -> "PredictiveWeights":
        """These weights for a robot that may not step.

        Its body has to turn, and to turn back in its own time, or the balance point
        leaves the feet for good. Height counts less, and it is not lowered for steps.
        """
        return replace(
            self,
            stepping=False,
            com=2.5 * self.com,
            height=0.12 * self.height,
            velocity=0.09 * self.velocity,
            momentum=4.3 * self.momentum,
            rotation=0.034 * self.rotation,
            force=0.4 * self.force,
            terminal=0.87 * self.terminal,
            com_lowering=0.0,
        )

    def with_beat_priority(self, priority: float) -> "PredictiveWeights":
        """The musical knob: these weights for a performer with a priority.

        At 0.5 they are as they are. Towards 0 the beat costs up to ten times less
        while balance is at stake, and is taken up again as ever once it is saved;
        towards 1 it costs up to a hundred times more, always, and the tempo has less
        and less room, until at 1 it has none.

        Args:
            priority: of the beat against balance, 0 to 1.
        """
        room, base = min(1.0, 2 - 2 * priority), 10 if priority < 0.5 else 100
        beat = self.beat * base ** (2 * priority - 1)
        return replace(
            self,
            beat=beat,
            balanced_beat=max(beat, self.balanced_beat),
            min_phase_rate=1 - room * (1 - self.min_phase_rate),
            max_phase_rate=1 + room * (self.max_phase_rate - 1),
        )


def patch_rows(
    half_length: float,
    half_width: float,
    w: PredictiveWeights,
    friction_scale: float = 1.0,
) -> np.ndarray:
    """(10, 6) rows A with A w <= 0: friction, center of pressure, yaw moment.

    Args:
        half_length, half_width: of the patch [m].
        w: what is relied on.
        friction_scale: share that the floor gives of the friction.
    """
    X, Y = PATCH_MARGIN * half_length, PATCH_MARGIN * half_width
    mu = friction_scale * w.friction / np.sqrt(2)
    rows = []
    for s in (1, -1):
        rows += [
            [0, 0, 0, s, 0, -mu],
            [0, 0, 0, 0, s, -mu],
            [s, 0, 0, 0, 0, -Y],
            [0, s, 0, 0, 0, -X],
            [0, 0, s, 0, 0, -w.yaw_moment],
        ]
    return np.array(rows, float)


def read_weights(data: Mapping[str, Any], where: str) -> PredictiveWeights:
    """Weights from plain data; those that are not named are as usual.

    Args:
        data: values by name, as JSON has them.
        where: names the source in errors.

    Raises:
        BackbeatError: an unknown name, or a value that makes no sense.
    """
    usual = PredictiveWeights()
    known = {f.name: type(getattr(usual, f.name)) for f in fields(usual)}
    values = {}
    for name, value in data.items():
        if name not in known:
            raise unknown_name(f"key in {where}", name, known)
        kind = known[name]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if kind is float and is_number and abs(value) <= MOST_WEIGHT:
            value = float(value)
        if kind is tuple and isinstance(value, list):
            value = tuple(value)
            if not all(isinstance(x, float | int) for x in value):
                raise BackbeatError(f"{where}: {name} needs numbers")
        values[name] = value
    return replace(usual, **values).check()
