"""MotionPlan: what authoring hands to the build."""

from dataclasses import dataclass, field

from behaviors.behavior import Event, Mount
from models.scene import Scene
from optimization.trajectory_problem import TrajectoryProblem


@dataclass(frozen=True)
class MotionPlan:
    """A trajectory problem and what a Behavior says beyond its trajectory.

    Attributes:
        problem: the problem to solve.
        mount: how the robot is held.
        events: strikes, segments and markers in order of time.
        scene: what stands around the robot.
        bpm: tempo [beats/min], 0 without music.
        beats_per_bar: meter.
    """

    problem: TrajectoryProblem
    mount: Mount
    events: tuple[Event, ...] = ()
    scene: Scene = field(default_factory=Scene)
    bpm: float = 0.0
    beats_per_bar: int = 4
