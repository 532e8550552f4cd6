"""MotionPlan: the input of the build, made from a specification."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from backbeat.behaviors.library.beat_grid import place_in_words
from backbeat.behaviors.library.behavior import Event, Mount, beat_grid
from backbeat.behaviors.music.notation.left_out import LeftOut
from backbeat.behaviors.music.notation.meter import COMMON, MeterMap
from backbeat.behaviors.music.notation.player import NO_HINTS, Hints
from backbeat.models.common.errors import BackbeatError
from backbeat.models.world.scene import Scene
from backbeat.optimization.interior_point.solution import Violation
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem

# What is longer is a typing error, and would fill the memory [s].
LONGEST = 600.0


def check_length(name: str, seconds: float, most: float = LONGEST) -> None:
    """Refuses motions whose length must be a mistake.

    Raises:
        BackbeatError: the length [s] is not a number, or beyond the most allowed.
    """
    if not 0 < seconds <= most:
        raise BackbeatError(
            f"{name}: the motion takes {seconds:g} s; it may take up to {most:g} s"
        )


@dataclass(frozen=True)
class MotionPlan:
    """A trajectory problem and what a Behavior says beyond its trajectory.

    Attributes:
        problem: the problem to solve.
        mount: how the robot is held.
        events: strikes, segments and markers in order of time.
        scene: what stands around the robot.
        bpm: tempo [beats/min], 0 without music.
        meter: its bars.
        free_phases: least and most duration [s] of phases that may choose, by index.
        remarks: sentences on what is not done as it was asked.
        compliance: how soft joints are when they are tracked, 0 as usual to 1, by name.
        review: sentences on a motion that was found and its center of mass.
        recordings: what a motion that was found has of recorded takes, an entry for
            each time that one is in it; see `backbeat.behaviors.dance.recorded_parts`.
        recorded: moves that were made of recorded takes, by name, for the plan of a
            later version of the specification; see `Specification.plan_near`.
        beat_priority: how much the beat counts when the motion is tracked; None for
            what the specification says.
        fallback_plan: another plan of the same piece, from the violations of this one's
            solution; None when there is no other.
        hints: those that this plan follows.
        in_words: what musicians call a time [s], of pieces that say it themselves.
        left_out: hits of a score that are not played, see `LeftOut`.
        search_time: how long other plans are tried, from the first on [s].
        in_windows: whether it is solved in windows however short it is: what is tried
            again is mostly the same, and is kept.
    """

    problem: TrajectoryProblem
    mount: Mount
    events: tuple[Event, ...] = ()
    scene: Scene = field(default_factory=Scene)
    bpm: float = 0.0
    meter: MeterMap = COMMON
    free_phases: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    compliance: Mapping[str, float] = field(default_factory=dict)
    review: Callable[[DenseTrajectory, np.ndarray], Sequence[str]] | None = None
    recordings: Callable[[DenseTrajectory], list[dict[str, Any]]] | None = None
    recorded: Mapping[str, Any] = field(default_factory=dict)
    beat_priority: float | None = None
    fallback_plan: "Callable[[Sequence[Violation]], MotionPlan | None] | None" = None
    hints: Hints = NO_HINTS
    in_words: Callable[[float], str] | None = None
    left_out: tuple[LeftOut, ...] = ()
    search_time: float = np.inf
    in_windows: bool = False

    def place(self, time: float) -> str:
        """What musicians call a time [s], "bar 2, beat 1"; empty without music."""
        if self.in_words is not None:
            return self.in_words(time)
        grid = beat_grid(self.bpm, self.meter, self.events)
        return place_in_words(grid.place(time))

    def timed_as(self, problem: TrajectoryProblem) -> "MotionPlan":
        """The same plan for the same problem with other durations of its phases."""
        old = self.problem.schedule.switch_times
        new = problem.schedule.switch_times
        events = []
        for event in self.events:
            start, end = np.interp([event.time, event.time + event.duration], old, new)
            events.append(
                replace(event, time=float(start), duration=float(end - start))
            )
        return replace(self, problem=problem, events=tuple(events))
