"""Objectives and weights of a motion: how much each of its costs counts."""

from dataclasses import dataclass, field, replace

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.changes import changed, changes_of, given
from backbeat.optimization.terms.checks import check_numbers
from backbeat.optimization.terms.declared import declarations, number
from backbeat.optimization.terms.user_file import load_terms


@dataclass
class Objectives:
    """What a motion should be good at; each value says how much it counts."""

    effort: float = number(
        0.0, "", "Cost per second on the squares of torques, in shares of their limits."
    )
    smoothness: float = number(
        1.0, "", "Factor on the costs of velocities and accelerations."
    )
    posture: float = number(1.0, "", "Factor on the pull to the nominal posture.")
    time: float = number(
        1.0, "1/s", "Cost of a second, where phases may choose their durations."
    )

    def weights(self, usual: TrajectoryWeights) -> TrajectoryWeights:
        """The weights of a kind of motion as these objectives have them."""
        return replace(
            usual,
            effort=usual.effort + self.effort,
            velocity=usual.velocity * self.smoothness,
            acceleration=usual.acceleration * self.smoothness,
            posture=usual.posture * self.posture,
            time=self.time,
        )

    def check(self, name: str) -> None:
        """Refuses values that would leave the optimizer without a best motion.

        Raises:
            BackbeatError: a negative or infinite one, or no smoothness or posture.
        """
        check_numbers(self, f"{name}: objectives")
        if min(self.smoothness, self.posture) == 0:
            raise BackbeatError(
                f"{name}: the objectives smoothness and posture must be above 0, or no "
                "motion would be the best"
            )


TrajectoryChanges = changes_of(TrajectoryWeights, "TrajectoryChanges", __name__)


@dataclass
class MotionWeights:
    """Weights of a motion that are not those of its kind and objectives."""

    # Of the trajectory's costs.
    trajectory: TrajectoryChanges = field(default_factory=TrajectoryChanges)  # type: ignore[valid-type]
    # Of terms of a file of one's own, which the command line names.
    own: dict[str, float] = field(default_factory=dict)
    # That file, "" for none; no key of files, which are data and run no code.
    terms = ""

    def on(self, weights: TrajectoryWeights) -> TrajectoryWeights:
        """Weights with these in place of some, and the terms of the user's file.

        Raises:
            BackbeatError: the file does not load, or has no term of a name.
        """
        kind = TrajectoryWeights
        if self.terms:
            kind = load_terms(self.terms, (kind,)).kind(kind)
        known = [n for n in declarations(kind) if n not in declarations(weights)]
        for key in self.own:
            if not self.terms:
                raise BackbeatError(
                    f"weights.own has {key!r}, but there are no terms of your own; "
                    "name their file, --with FILE.py"
                )
            if key not in known:
                raise unknown_name("term of your own", key, known)
        told = given(self.trajectory) | self.own
        return changed(kind(**vars(weights)), told)

    def check(self, name: str) -> None:
        """Refuses values that make no sense.

        Raises:
            BackbeatError: a negative or infinite one, or none on the posture.
        """
        weights = changed(TrajectoryWeights(), given(self.trajectory))
        check_numbers(weights, f"{name}: weights: trajectory")
        if weights.posture == 0:
            raise BackbeatError(
                f"{name}: weights: trajectory: posture must be above 0, or no motion "
                "would be the best"
            )
