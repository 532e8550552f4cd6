"""Weights and bounds of the predictive program, and the priority of the beat."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from backbeat.models.common.errors import BackbeatError, shown, unknown_name
from backbeat.models.contact.cones import PATCH_MARGIN
from backbeat.models.contact.friction import PREDICTED_FRICTION
from backbeat.mpc.reference.scale import LEG

# Largest weight, and largest number of intervals of a horizon, which is ten seconds.
MOST_WEIGHT, MOST_KNOTS = 1e9, 200
# Names of earlier versions, as run files and other programs still have them.
OLD_NAMES = {
    "calm_beat": "balanced_beat",
    "theta": "time_dilation",
    "theta_change": "time_dilation_change",
    "jump": "footstep_adjustment",
    "slowest": "min_phase_rate",
    "fastest": "max_phase_rate",
    "hurry": "max_phase_rate_change",
    "reach": "max_step_length",
    "apart": "min_step_width",
    "crouch": "com_lowering",
    "rise": "max_com_rise",
    "calm": "dcm_error_low",
    "lost": "dcm_error_high",
}


@dataclass(frozen=True)
class PredictiveWeights:
    """Horizon, weights and bounds of the predictive program.

    Attributes:
        knots: intervals of the horizon.
        spacing: phase of an interval [s]; knots * spacing is the horizon.
        com, height, velocity, momentum, rotation: weights per second on the state;
            the length of the legs bounds the height, so it weighs more than the place.
        beat, balanced_beat: weights on time minus phase at a large and at a small DCM
            error; see `with_beat_priority`.
        time_dilation: weight on the dilation of an interval's time.
        time_dilation_change: weight on its change between intervals.
        shift, footstep_adjustment: weights on soles away from their planned places,
            and on moving them there.
        force, vertical, moment: weights on wrench deviations.
        terminal: weight on the divergent component at the end of the horizon.
        min_phase_rate, max_phase_rate: bounds on the phase rate.
        max_phase_rate_change: bound on the change of the phase rate per time [1/s].
        friction: coefficient of friction that plans assume.
        yaw_moment: largest yaw moment of a patch per normal force [m].
        max_force: largest normal force of a patch [weights].
        stepping: whether soles in the air may land elsewhere.
        max_step_length: largest distance of the soles, forward and sideways [m].
        min_step_width: least distance of the soles sideways [m].
        com_lowering: how far below the behavior's height the CoM is held during steps
            that the behavior does not make, and at a large DCM error, so that legs stay
            bent [m].
        max_com_rise: bound on the CoM's height above the behavior's [m]: legs that are
            extended to their full length leave the ground and carry no load.
        dcm_error_low, dcm_error_high: errors of the divergent component of motion
            between which `beat` and `com_lowering` are blended in, from none to all
            [m].
        leg: length of the legs that all of these are for [m]; see `for_leg`.
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
    friction: float = PREDICTED_FRICTION
    yaw_moment: float = 0.05
    max_force: float = 2.2
    stepping: bool = True
    max_step_length: tuple[float, float] = (0.55, 0.75)
    min_step_width: float = 0.17
    com_lowering: float = 0.05
    max_com_rise: float = 0.04
    dcm_error_low: float = 0.03
    dcm_error_high: float = 0.1
    leg: float = LEG

    def for_leg(self, leg: float) -> "PredictiveWeights":
        """These weights for another length of the legs [m], times scaled likewise.

        Motions of robots of one shape then have the same optimum at their size, see
        `backbeat.mpc.reference.scale`: what is dimensionless stays, as deviations of
        forces in weights, and the others go with the dimension of what they weigh.
        """
        x = leg / self.leg
        if x == 1.0:
            return self
        return replace(
            self,
            spacing=self.spacing * x**0.5,
            com=self.com / x**2,
            height=self.height / x**2,
            velocity=self.velocity / x,
            momentum=self.momentum / x**3,
            beat=self.beat / x,
            balanced_beat=self.balanced_beat / x,
            time_dilation=self.time_dilation / x,
            time_dilation_change=self.time_dilation_change / x,
            shift=self.shift / x**2,
            footstep_adjustment=self.footstep_adjustment / x**2,
            moment=self.moment / x**2,
            terminal=self.terminal / x**1.5,
            max_phase_rate_change=self.max_phase_rate_change / x**0.5,
            yaw_moment=self.yaw_moment * x,
            max_step_length=(self.max_step_length[0] * x, self.max_step_length[1] * x),
            min_step_width=self.min_step_width * x,
            com_lowering=self.com_lowering * x,
            max_com_rise=self.max_com_rise * x,
            dcm_error_low=self.dcm_error_low * x,
            dcm_error_high=self.dcm_error_high * x,
            leg=leg,
        )

    def check(self) -> "PredictiveWeights":
        """Returns the weights if they describe a valid program.

        Raises:
            BackbeatError: a value is not a number, negative or out of range.
        """
        usual = PredictiveWeights()
        for name, value in vars(self).items():
            numbers = value if isinstance(value, tuple) else (value,)
            is_like = type(value) is type(getattr(usual, name)) and len(numbers) == (
                2 if name == "max_step_length" else 1
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
            raise BackbeatError("weights: 0 < min_phase_rate <= 1 <= max_phase_rate")
        return self

    @property
    def can_wait(self) -> bool:
        """Whether feet may leave the ground later than in the behavior."""
        return self.min_phase_rate < 1

    def without_steps(self) -> "PredictiveWeights":
        """These weights for a robot that may not step.

        Its body has to rotate, and to rotate back slowly enough, to keep the divergent
        component above the feet. Height weighs less, and the CoM is not lowered.
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
        """These weights with a priority of the beat against balance.

        0.5 leaves them unchanged. Towards 0 the beat weighs up to ten times less at a
        large DCM error, and as before at a small one; towards 1 it weighs up to a
        hundred times more at any error, and the range of phase rates shrinks, to none
        at 1.

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


# Rows of the center of pressure along the length, of those of `patch_rows`.
PRESSURE_ROWS = np.array([3, 8])


def patch_rows(
    half_length: float,
    half_width: float,
    w: PredictiveWeights,
    friction_scale: float = 1.0,
) -> np.ndarray:
    """(10, 6) rows A with A w <= 0: friction, center of pressure, yaw moment.

    Args:
        half_length, half_width: of the patch [m].
        w: the friction and yaw moment that are assumed.
        friction_scale: share of the assumed friction that the floor provides.
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
    """Weights from plain data; those that are not named keep their defaults.

    Names that changed are accepted under their old ones.

    Args:
        data: values by name, as JSON has them.
        where: names the source in errors.

    Raises:
        BackbeatError: an unknown name, a name given twice, or an invalid value.
    """
    usual = PredictiveWeights()
    known = {f.name: type(getattr(usual, f.name)) for f in fields(usual)}
    values = {}
    for name, value in _under_current_names(data, where).items():
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


def _under_current_names(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Values by current names; says in one sentence which names were old.

    Raises:
        BackbeatError: a value is given under both of its names.
    """
    old = [name for name in data if name in OLD_NAMES]
    for name in old:
        if OLD_NAMES[name] in data:
            raise BackbeatError(
                f"{where}: {name} is the old name of {OLD_NAMES[name]}, which is given "
                f"too; leave {name} out"
            )
    if old:
        pairs = ", ".join(f"{name} (now {OLD_NAMES[name]})" for name in old)
        logging.getLogger(__name__).warning(
            "%s: old names are read for one more version: %s", where, pairs
        )
    return {OLD_NAMES.get(name, name): value for name, value in data.items()}
