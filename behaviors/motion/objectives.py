"""Objectives and weights of a motion: how much each of its costs counts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.changes import changed, changes_of, check_own, given
from backbeat.optimization.terms.checks import check_numbers
from backbeat.optimization.terms.declared import declarations
from backbeat.optimization.terms.user_file import load_terms


@dataclass
class Objectives:
    """What a motion should be good at; each value says how much it counts."""

    effort: float = key(0.0, ge=0)
    """Weight per second on the squares of joint torques, relative to their limits."""
    smoothness: float = key(1.0, gt=0)
    """Factor on the costs of velocities and accelerations."""
    posture: float = key(1.0, gt=0)
    """Factor on the cost of deviating from the nominal posture."""
    time: float = key(1.0, ge=0)
    """Cost per second, where steps may choose their duration (`between`); no effect
    elsewhere."""

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


TrajectoryChanges = changes_of(TrajectoryWeights, "TrajectoryChanges", __name__)


@dataclass
class MotionWeights:
    """Weights of a motion that are not those of its kind and objectives."""

    trajectory: TrajectoryChanges = key(TrajectoryChanges)  # type: ignore[valid-type]
    """Of [the trajectory's costs](weights.md#trajectory)."""
    own: dict[str, float] = key(dict)
    """Of [terms of your own](weights.md#a-term-of-your-own), which the command line
    names."""
    # That file, "" for none; no key of files, which are data and run no code.
    terms = ""

    def changed(self, told: Mapping[str, float]) -> "MotionWeights":
        """The same with other weights of the trajectory, by key."""
        trajectory = TrajectoryChanges(**(given(self.trajectory) | dict(told)))
        return replace(self, trajectory=trajectory)

    def on(self, weights: TrajectoryWeights) -> TrajectoryWeights:
        """Weights with these in place of some, and the terms of the user's file.

        Raises:
            BackbeatError: the file does not load, or has no term of a name.
        """
        kind = TrajectoryWeights
        if self.terms:
            kind = load_terms(self.terms, (kind,)).kind(kind)
        known = [n for n in declarations(kind) if n not in declarations(weights)]
        check_own(self.own, known if self.terms else None, "the specification")
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
