"""ControlOptions: where plans are made, what they may change, and the tasks."""

from dataclasses import dataclass, field

from backbeat.behaviors.library.behavior import Behavior, check_beat_priority
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask
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
    # How much the beat counts against balance, 0 to 1; the behavior's own if not given.
    beat_priority: float | None = None
    # What the plan may change: the tempo, contact forces, the body's lean and turn,
    # and where feet land (with steps that the behavior does not make).
    timing: bool = True
    forces: bool = True
    posture: bool = True
    steps: bool = True

    def plan_settings(self, behavior: Behavior) -> PlanSettings:
        """What is asked of plans at the start of a run of a behavior."""
        priority = self.beat_priority
        if priority is None:
            priority = behavior.beat_priority
        return PlanSettings(
            self.timing, self.forces, self.posture, self.steps, priority
        )

    def check(self) -> None:
        """Raises a BackbeatError when its values make no sense."""
        if self.planner not in PLANNERS:
            raise unknown_name("planner", self.planner, PLANNERS)
        if self.preset and self.preset not in preset_names():
            raise unknown_name("preset of tasks", self.preset, preset_names())
        self.upper_body.check()
        if self.upper_body.hand and self.preset:
            raise BackbeatError(
                "scenario: a preset of tasks has the whole body, and upper_body takes "
                "half of it; leave one of them out"
            )
        if self.beat_priority is not None:
            check_beat_priority("scenario", self.beat_priority)
