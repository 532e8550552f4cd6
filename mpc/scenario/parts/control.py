"""ControlOptions: where plans are made, what they may change, and the tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import key
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask
from backbeat.mpc.weights.changes import RecoveryChanges, WeightChanges, given
from backbeat.mpc.weights.controller_weights import AnyWeights, ControllerWeights
from backbeat.mpc.whole_body.programs.task_preset import preset_names

PLANNERS = ("inside", "process")


@dataclass(frozen=True)
class ControlOptions:
    """What the controllers are asked for."""

    planner: str = key("inside", choices=PLANNERS)
    """Process that makes plans: inside the simulation, or a second process, which needs
    a planning time."""
    preset: str = key("")
    """[Tasks of the whole-body controller](presets.md) by name; empty for its own."""
    upper_body: UpperBodyTask = key(UpperBodyTask)
    """A hand that follows a target by [task space](task_space.md#above-legs-that-walk)
    while the legs follow the behavior, see below."""
    beat_priority: float | None = key(None, ge=0, le=1)
    """Priority of the beat over balance; the behavior's own if not given."""
    timing: bool = key(True)
    """Whether the plan may change the tempo."""
    forces: bool = key(True)
    """Whether it may change contact forces."""
    posture: bool = key(True)
    """Whether it may change the body's lean and turn."""
    steps: bool = key(True)
    """Whether it may change where feet land, and add steps."""
    weights: WeightChanges = key(WeightChanges)
    """[Weights and gains of the controllers](weights.md) that are not those that ship:
    `predictive`, `whole_body` and `stance`, each with keys of its own."""
    recovery: RecoveryChanges = key(RecoveryChanges)  # type: ignore[valid-type]
    """[When and how to step](weights.md#recovery-steps), where not as it ships."""

    def plan_settings(self, behavior: Behavior) -> PlanSettings:
        """What is asked of plans at the start of a run of a behavior."""
        priority = self.beat_priority
        if priority is None:
            priority = behavior.beat_priority
        return PlanSettings(
            self.timing, self.forces, self.posture, self.steps, priority
        )

    def given_weights(self) -> dict[str, Any]:
        """Weights that are given, by section and key."""
        recovery = given(self.recovery)
        return given(self.weights) | ({"recovery": recovery} if recovery else {})

    def on_weights(self, base: AnyWeights) -> ControllerWeights:
        """Weights of the controllers: some base, None for those that ship, and these.

        Raises:
            BackbeatError: a value makes no sense.
        """
        return ControllerWeights.of(base).changed(self.given_weights(), "scenario")

    def with_weights(self, told: Mapping[str, Any]) -> "ControlOptions":
        """The same with weights by section and key where none are given."""
        if not told:
            return self
        own = self.given_weights()

        def both(section: str) -> dict[str, Any]:
            return {**told.get(section, {}), **own.get(section, {})}

        sections = {item: both(item) for item in ("predictive", "whole_body", "stance")}
        weights = WeightChanges(
            **{n: type(getattr(self.weights, n))(**x) for n, x in sections.items()}
        )
        recovery = RecoveryChanges(**both("recovery"))
        return replace(self, weights=weights, recovery=recovery)

    def _check_weights(self) -> None:
        """Raises a BackbeatError about weights without sense or without effect."""
        weights, usual = self.on_weights(None), ControllerWeights()
        ours = weights.whole_body == usual.whole_body and weights.stance == usual.stance
        if self.preset and not ours:
            raise BackbeatError(
                f"scenario: preset {self.preset} has weights and gains of its own; "
                "leave it out, or whole_body and stance of the weights"
            )
        if self.upper_body.hand and weights.stance != usual.stance:
            raise BackbeatError(
                "scenario: with upper_body the gains are those of whole_body in stance "
                "too; leave stance of the weights out"
            )

    def check(self) -> None:
        """Raises a BackbeatError when its values make no sense."""
        if self.preset and self.preset not in preset_names():
            raise unknown_name("preset of tasks", self.preset, preset_names())
        if self.upper_body.hand and self.preset:
            raise BackbeatError(
                "scenario: a preset of tasks has the whole body, and upper_body takes "
                "half of it; leave one of them out"
            )
        self._check_weights()
