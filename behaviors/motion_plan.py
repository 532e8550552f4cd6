"""MotionPlan: what authoring hands to the build."""

from dataclasses import dataclass

from behaviors.behavior import Event, Mount
from optimization.trajectory_problem import TrajectoryProblem


@dataclass(frozen=True)
class MotionPlan:
    """A trajectory problem and what a Behavior says beyond its trajectory.

    Attributes:
        problem: the problem to solve.
        mount: how the robot is held.
        events: strikes, segments and markers in order of time.
        scene: name of the scene, "" for bare ground.
        scene_height: how far the kit is raised [m].
        bpm: tempo [beats/min], 0 without music.
        beats_per_bar: meter.
    """

    problem: TrajectoryProblem
    mount: Mount
    events: tuple[Event, ...] = ()
    scene: str = ""
    scene_height: float = 0.0
    bpm: float = 0.0
    beats_per_bar: int = 4
