"""Weights and bounds of the predictive program, and the priority of the beat."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.friction import PREDICTED_FRICTION
from backbeat.mpc.reference.scale import LEG
from backbeat.optimization.terms.checks import check_numbers
from backbeat.optimization.terms.declared import (
    On,
    Term,
    cost,
    declarations,
    multiplied,
    number,
    scaled,
)

# Largest number of intervals of a horizon, which is ten seconds.
MOST_KNOTS = 200
# Factor on the weights of quantities that a plan must not change.
HELD = 1e3


@dataclass(frozen=True)
class PredictiveWeights:
    """Costs, bounds and thresholds of the predictive program, each declared once.

    `docs/reference/weights.md` has them as a table. A term of one's own is a class that
    inherits from this one and has another field, see `docs/how_to/own_cost.py`.
    """

    knots: int = number(26, "", "Intervals of the horizon.")
    spacing: float = number(
        0.05,
        "s",
        "Phase of an interval; knots times spacing is the horizon.",
        in_runs=False,
    )
    end: float = number(
        2.0,
        "s",
        "Time for which the last state counts: it stands for what comes after it.",
    )
    com: float = cost(
        100.0,
        Term(
            "center of mass away from the soles",
            "dc - mean dp, in the plane",
            "m",
            lambda z: (z.com - z.middle)[:2],
        ),
        without_steps=2.5,
    )
    height: float = cost(
        1000.0,
        Term("height of the center of mass", "dc, vertical", "m", lambda z: z.com[2:]),
        help="The length of the legs bounds it, so it weighs more than the place.",
        without_steps=0.12,
    )
    velocity: float = cost(
        10.0,
        Term(
            "velocity", "dv + (theta / h) v_ref", "m/s", lambda z: z.velocity, On.PACED
        ),
        without_steps=0.09,
    )
    momentum: float = cost(
        10.0,
        Term("angular momentum", "dk", "m^2/s", lambda z: z.momentum, switch="posture"),
        help="It is per mass.",
        without_steps=4.3,
    )
    rotation: float = cost(
        100.0,
        Term(
            "rotation of the body",
            "dphi",
            "rad",
            lambda z: z.rotation,
            switch="posture",
        ),
        without_steps=0.034,
    )
    beat: float = cost(
        20.0,
        Term("time off the beat", "dT", "s", lambda z: z.time, On.BEAT),
        help="The weight at a large DCM error; see `beat_priority`.",
    )
    balanced_beat: float = number(
        20.0,
        "1/(s^2 s)",
        "Weight on the time off the beat at a small DCM error.",
        divides=True,
    )
    time_dilation: float = cost(
        1000.0,
        Term("time dilation", "theta", "s", lambda z: z.dilation, On.DILATION),
    )
    time_dilation_change: float = cost(
        200.0,
        Term(
            "change of the time dilation",
            "theta_k - theta_k-1",
            "s",
            lambda z: z.dilation,
            On.CHANGE,
        ),
    )
    shift: float = cost(
        15.0,
        Term("soles elsewhere", "dp", "m", lambda z: z.soles),
    )
    footstep_adjustment: float = cost(
        1.0,
        Term("moving soles", "j", "m", lambda z: z.moves, On.INPUT),
    )
    force: float = cost(
        0.5,
        Term(
            "horizontal forces",
            "dw, forces along the patch",
            "weights",
            lambda z: z.force,
            On.INPUT,
            switch="forces",
        ),
        without_steps=0.4,
    )
    vertical: float = cost(
        0.2,
        Term(
            "vertical forces",
            "dw, normal forces",
            "weights",
            lambda z: z.vertical,
            On.INPUT,
            switch="forces",
        ),
    )
    moment: float = cost(
        5.0,
        Term(
            "moments",
            "dw, moments",
            "weights m",
            lambda z: z.moment,
            On.INPUT,
            switch="forces",
        ),
    )
    terminal: float = cost(
        300.0,
        Term(
            "divergent component at the end",
            "dc - mean dp + dv / omega",
            "m",
            lambda z: z.capture,
            On.END,
        ),
        without_steps=0.87,
    )
    min_phase_rate: float = number(
        0.6, "", "Least phase rate.", limit="phase rate at its minimum"
    )
    max_phase_rate: float = number(
        1.6, "", "Largest phase rate.", limit="phase rate at its maximum"
    )
    max_phase_rate_change: float = number(
        40.0,
        "1/s",
        "Largest change of the phase rate per time.",
        divides=True,
        limit="{way} of the phase rate at its limit",
    )
    rate_change_intervals: int = number(
        4,
        "",
        "Intervals over which that holds. Rows across intervals cost time, and later "
        "ones are planned ten times again before they are in force.",
    )
    max_step_rate: float = number(
        1.05,
        "",
        "Largest phase rate in an added step, which takes about the least time of a "
        "swing.",
        limit="phase rate of an added step at its maximum",
    )
    friction: float = number(
        PREDICTED_FRICTION, "", "Coefficient of friction that plans assume."
    )
    yaw_moment: float = number(
        0.05, "m", "Largest yaw moment of a patch per normal force."
    )
    max_force: float = number(
        2.2,
        "weights",
        "Largest normal force of a patch.",
        limit="normal force of {patch} at its {side} limit",
    )
    stepping: bool = number(True, "", "Whether soles in the air may land elsewhere.")
    max_step_length: tuple[float, float] = number(
        (0.55, 0.75),
        "m",
        "Largest distance of the soles, forward and sideways.",
        limit="distance of the soles {way} at its {side} limit",
    )
    min_step_width: float = number(0.17, "m", "Least distance of the soles sideways.")
    foot_speed: float = number(
        3.0,
        "m/s",
        "Speed of a sole in the air, which bounds how far it may be moved.",
        limit="move of {patch} {way} in the air",
    )
    commit_time: float = number(
        0.05, "s", "Time before landing in which a sole keeps its landing place."
    )
    com_lowering: float = number(
        0.05,
        "m",
        "How far below the behavior's height the CoM is held during steps that the "
        "behavior does not make, and at a large DCM error, so that legs stay bent.",
        without_steps=0.0,
    )
    rise_time: float = number(
        0.4, "s", "Time in which all of that lowering is taken back."
    )
    max_com_rise: float = number(
        0.04,
        "m",
        "Bound on the CoM's height above the behavior's: legs that are extended to "
        "their full length leave the ground and carry no load.",
        limit="height of the center of mass at its upper limit",
    )
    rise_margin: float = number(
        0.015,
        "m",
        "Margin of that bound above the ballistic height, for the error of the "
        "linearization.",
    )
    dcm_error_low: float = number(
        0.03,
        "m",
        "Error of the divergent component of motion below which `balanced_beat` holds "
        "and nothing is lowered.",
    )
    dcm_error_high: float = number(
        0.1, "m", "Error above which `beat` and all of `com_lowering` hold."
    )
    leg: float = number(
        LEG,
        "m",
        "Length of the legs that all of these are for; see `for_leg`.",
        in_files=False,
    )

    def for_leg(self, leg: float) -> "PredictiveWeights":
        """These weights for another length of the legs [m], times scaled likewise.

        Motions of robots of one shape then have the same optimum at their size, see
        `backbeat.mpc.reference.scale`.
        """
        x = leg / self.leg
        return self if x == 1.0 else scaled(self, x, leg=leg)

    def check(self) -> "PredictiveWeights":
        """Returns the weights if they describe a valid program.

        Raises:
            BackbeatError: a value is not a number, negative or out of range.
        """
        check_numbers(self, "weights")
        if not (4 <= self.knots <= MOST_KNOTS and 0.005 <= self.spacing <= 0.5):
            raise BackbeatError(
                f"weights: knots is from 4 to {MOST_KNOTS} and spacing from 0.005 to "
                f"0.5 s, not {self.knots} and {self.spacing:g}"
            )
        if not 0 < self.min_phase_rate <= 1 <= self.max_phase_rate:
            raise BackbeatError("weights: 0 < min_phase_rate <= 1 <= max_phase_rate")
        if not self.dcm_error_low < self.dcm_error_high:
            raise BackbeatError(
                f"weights: dcm_error_low, {self.dcm_error_low:g}, must be below "
                f"dcm_error_high, {self.dcm_error_high:g}"
            )
        if not self.rise_time > 0 or not self.max_step_rate > 0:
            raise BackbeatError("weights: rise_time and max_step_rate are above 0")
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
        factors = {n: d.without_steps for n, d in declarations(self).items()}
        changed = {n: x for n, x in factors.items() if x != 1.0}
        return multiplied(self, changed, stepping=False)

    def held(self, switches: Collection[str]) -> "PredictiveWeights":
        """These weights where plans must not change what these switches are of."""
        found = declarations(self).items()
        names = [n for n, d in found if d.cost and d.cost.switch in switches]
        return multiplied(self, dict.fromkeys(names, HELD))

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
