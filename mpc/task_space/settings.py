"""TaskSettings: what of a hand's task may change while a run is under way."""

from dataclasses import dataclass, fields, replace

from backbeat.mpc.task_space.law import TaskSpaceSettings


@dataclass(frozen=True)
class TaskSettings:
    """What holds at a moment of a run; the keys of an event are the fields.

    Attributes:
        target: where the target is moved besides its own motion, world axes [m].
        noise_angle, noise_rate: standard deviations of sampled angles [rad] and rates
            [rad/s] of the joints.
        period: time between samples that the controller acts on [s].
        hand_sensing: whether the hand is sensed, or modeled from the angles.
        task, posture, gravity_compensation: parts of the law.
        pelvis_amplitude, pelvis_rate: of a sway of the base besides its own motion
            [m, rad/s].
        pelvis_feedforward: whether the controller gets the acceleration of the base.
    """

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    noise_angle: float = 0.0
    noise_rate: float = 0.0
    period: float = 0.001
    hand_sensing: bool = False
    task: bool = True
    posture: bool = True
    gravity_compensation: bool = True
    pelvis_amplitude: float = 0.0
    pelvis_rate: float = 2.0
    pelvis_feedforward: bool = True

    def __deepcopy__(self, memo: object) -> "TaskSettings":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self

    def law(self, given: TaskSpaceSettings) -> TaskSpaceSettings:
        """Gains and switches of the law, from those that were given at the start."""
        return replace(
            given,
            task=self.task,
            posture=self.posture,
            gravity_compensation=self.gravity_compensation,
            sensed_hand=given.sensed_hand and self.hand_sensing,
            base_feedforward=given.base_feedforward and self.pelvis_feedforward,
        )


TASK_SETTINGS = tuple(field.name for field in fields(TaskSettings))
