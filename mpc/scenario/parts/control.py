"""ControlOptions: where plans are made, what they may change, and the tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from backbeat.behaviors.library.behavior import Behavior, check_beat_priority
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask
from backbeat.mpc.weights.changes import RecoveryChanges, WeightChanges, given
from backbeat.mpc.weights.controller_weights import AnyWeights, ControllerWeights
from backbeat.mpc.whole_body.programs.task_preset import preset_names

PLANNERS = ("inside", "process")


@dataclass(frozen=True)
class ControlOptions:
    """What the controllers are asked for."""

    # Where plans are made: inside, or in a second process, which takes a planning time.
    planner: str = "inside"
    # Tasks of the whole-body controller by name, see `mpc/whole_body/presets`; the
    # usual ones if there is none.
    preset: str = ""
    # A hand that follows a target by task space while legs do as the behavior says.
    upper_body: UpperBodyTask = field(default_factory=UpperBodyTask)
    # A hand that follows a target, and no behavior; None for a behavior.
    task_space: TaskSpaceTask | None = None
    # How much the beat counts against balance, 0 to 1; the behavior's own if not given.
    beat_priority: float | None = None
    # What the plan may change: the tempo, contact forces, the body's lean and turn,
    # and where feet land (with steps that the behavior does not make).
    timing: bool = True
    forces: bool = True
    posture: bool = True
    steps: bool = True
    # Weights and gains of the programs, and thresholds of recovery steps, that are not
    # those that ship, by section and key.
    weights: WeightChanges = field(default_factory=WeightChanges)
    recovery: RecoveryChanges = field(default_factory=RecoveryChanges)  # type: ignore[valid-type]

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

    def _check_task_space(self, task: TaskSpaceTask) -> None:
        """Raises a BackbeatError about what task space cannot do, and has not."""
        task.check()
        others = {
            "planner: process": self.planner == "process",
            f"preset: {self.preset}": bool(self.preset),
            "upper_body": bool(self.upper_body.hand),
        }
        for setting, is_given in others.items():
            if is_given:
                raise BackbeatError(
                    f"scenario: {setting} is of controllers of behaviors, and "
                    "task_space takes their place; leave one of them out"
                )

    def check(self) -> None:
        """Raises a BackbeatError when its values make no sense."""
        if self.planner not in PLANNERS:
            raise unknown_name("planner", self.planner, PLANNERS)
        if self.preset and self.preset not in preset_names():
            raise unknown_name("preset of tasks", self.preset, preset_names())
        self.upper_body.check()
        if self.task_space is not None:
            self._check_task_space(self.task_space)
        if self.upper_body.hand and self.preset:
            raise BackbeatError(
                "scenario: a preset of tasks has the whole body, and upper_body takes "
                "half of it; leave one of them out"
            )
        self._check_weights()
        if self.beat_priority is not None:
            check_beat_priority("scenario", self.beat_priority)
