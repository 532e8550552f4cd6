"""ControlOptions: where plans are made, what they may change, and the tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import key
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask
from backbeat.mpc.walking.walk import STOP
from backbeat.mpc.weights.changes import RecoveryChanges, WeightChanges
from backbeat.mpc.weights.controller_weights import AnyWeights, ControllerWeights
from backbeat.mpc.weights.files import load_weights, shipped_weights
from backbeat.optimization.terms.changes import given

PLANNERS = ("inside", "process")
PARTS = fields(WeightChanges)


@dataclass(frozen=True)
class ControlOptions:
    """What the controllers are asked for."""

    planner: str = key("inside", choices=PLANNERS)
    """Process that makes plans: inside the simulation, or a second process, which needs
    a planning time."""
    preset: str = key("")
    """Name of a [weights file that ships](presets.md); the `weights` given here count
    before it."""
    upper_body: UpperBodyTask = key(UpperBodyTask)
    """A hand that follows a target by [task space](task_space.md#above-legs-that-walk)
    while the legs follow the behavior, see below."""
    task_space: TaskSpaceTask | None = key(None)
    """A hand that follows a target by [task space](task_space.md#runs) in place of a
    behavior, see below."""
    drive: list[list[float]] | None = key(None)
    """Velocities that a robot is [commanded to walk at](drive.md), each with its time:
    `[[t, forward, to the left, turning], ...]` in s, m/s and rad/s; `[]` stands until a
    command is given by hand. The behavior has to step in place."""
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
        drive = None if self.drive is None else STOP
        return PlanSettings(
            self.timing, self.forces, self.posture, self.steps, priority, drive=drive
        )

    def given_weights(self) -> dict[str, Any]:
        """Weights that are given, by section and key."""
        recovery = given(self.recovery)
        return given(self.weights) | ({"recovery": recovery} if recovery else {})

    def on_weights(self, base: AnyWeights) -> ControllerWeights:
        """Weights of the controllers: some base, those of the preset, and these.

        Args:
            base: None for those that ship.

        Raises:
            BackbeatError: a value makes no sense, or there is no such preset.
        """
        told = load_weights(self.preset) if self.preset else {}
        weights = ControllerWeights.of(base).changed(told, f"preset {self.preset}")
        return weights.changed(self.given_weights(), "scenario")

    def with_weights(self, told: Mapping[str, Any]) -> "ControlOptions":
        """The same with weights by section and key where none are given."""
        if not told:
            return self
        own = self.given_weights()

        def both(section: str) -> dict[str, Any]:
            return {**told.get(section, {}), **own.get(section, {})}

        kinds = {item.name: type(getattr(self.weights, item.name)) for item in PARTS}
        weights = WeightChanges(**{n: kind(**both(n)) for n, kind in kinds.items()})
        recovery = RecoveryChanges(**both("recovery"))
        return replace(self, weights=weights, recovery=recovery)

    def _check_weights(self) -> None:
        """Raises a BackbeatError about weights without sense or without effect."""
        if of_motion := given(self.weights).get("trajectory"):
            raise BackbeatError(
                f"scenario: weights.trajectory has {', '.join(of_motion)}, but a run "
                f"follows a motion as it was built: build it with them by "
                "`backbeat build NAME --weights FILE.yaml` or the specification's key "
                "weights, or vary them in a sweep, which builds it for each value",
                path=("weights", "trajectory"),
            )
        # Which terms are the user's own is known with their file.
        ours = replace(self, weights=replace(self.weights, own={}))
        weights, usual = ours.on_weights(None), ControllerWeights()
        if self.upper_body.hand and not weights.whole_body.eliminate_limbs:
            raise BackbeatError(
                "scenario: upper_body takes the joints above the legs, which then "
                "have to follow their contacts: weights with eliminate_limbs: false, "
                "as those of the preset momentum, do not; leave one of the two out"
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
            "drive": self.drive is not None,
        }
        for setting, is_given in others.items():
            if is_given:
                raise BackbeatError(
                    f"scenario: {setting} is of controllers of behaviors, and "
                    "task_space takes their place; leave one of them out"
                )

    def _check_drive(self, commands: list[list[float]]) -> None:
        """Raises a BackbeatError about commands that make no sense."""
        if not all(len(row) == 4 for row in commands):
            raise BackbeatError(
                "scenario: each command of drive is four numbers, [time in s, forward "
                "and to the left in m/s, turning to the left in rad/s]"
            )
        times = [row[0] for row in commands]
        if times != sorted(set(times)):
            raise BackbeatError("scenario: commands of drive are in order of time")
        if not self.steps:
            raise BackbeatError(
                "scenario: drive moves footholds, which steps: false forbids; leave "
                "one of the two out"
            )

    def check(self) -> None:
        """Raises a BackbeatError when its values make no sense."""
        if self.drive is not None:
            self._check_drive(self.drive)
        if self.preset and self.preset not in shipped_weights():
            raise unknown_name("preset of weights", self.preset, shipped_weights())
        if self.task_space is not None:
            self._check_task_space(self.task_space)
        self._check_weights()
