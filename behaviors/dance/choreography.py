"""Choreography: layered tracks of moves on the beat become a trajectory problem."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pydrake.math import RigidTransform

from behaviors.authored import Specification
from behaviors.behavior import Event, Mount, make_robot
from behaviors.dance.moves import MOVES, Offsets
from behaviors.motion_plan import MotionPlan, check_length
from behaviors.music.tempo import Tempo
from behaviors.stance import start_configuration, support_poses
from behaviors.time_law import minimum_jerk
from models.collision import make_self_collision_model
from models.configuration import Configuration
from models.errors import BackbeatError, unknown_name
from models.robot import RobotModel
from optimization.contact_schedule import constant_stance
from optimization.tasks import CenterOfMassTask, FrameTask, PostureTask
from optimization.trajectory_problem import (
    Limits,
    Task,
    TrajectoryProblem,
    Weights,
)

# Knots of a beat: about 0.05 s at 100 BPM.
KNOTS_PER_BEAT = 12
TRACKS = ("legs", "body", "arms", "head")
# A move that began in less would be a jerk [beats].
LEAST_FADE = 0.1


@dataclass
class MoveDescription:
    """A move in a choreography."""

    # Name of the move; see `backbeat moves`.
    move: str = ""
    # Beat on which it starts, counted from zero, and how many beats it takes.
    at: float = 0.0
    beats: float = 4.0
    # Values of its parameters.
    values: dict[str, float] = field(default_factory=dict)


@dataclass
class DanceSpecification(Specification):
    """Schema of `kind: dance`."""

    kind: str = "dance"
    bpm: float = 98.0
    beats_per_bar: int = 4
    # Length in beats, with a beat or two of rest at the end.
    beats: float = 16.0
    # Posture that everything is added to.
    start: str = "stand"
    # Beats over which a move grows at its start and dies at its end.
    fade: float = 1.0
    # Moves by track: legs, body, arms, head.
    tracks: dict[str, list[MoveDescription]] = field(default_factory=dict)

    def plan(self, folder: Path) -> MotionPlan:
        """Compiles the choreography into a trajectory problem.

        Raises:
            BackbeatError: a move, parameter or track does not exist or fit.
        """
        tempo = Tempo(self.bpm, self.beats_per_bar)
        self._check()
        check_length(self.name, tempo.time(self.beats))
        robot = make_robot(self.robot, tuple(self.equipment), Mount())
        q_start = start_configuration(robot, self.start)
        feet = support_poses(robot, q_start)
        N = round(self.beats * KNOTS_PER_BEAT) + 1
        times = np.array([tempo.time(k / KNOTS_PER_BEAT) for k in range(N)])
        offsets = self._offsets(robot, np.arange(N) / KNOTS_PER_BEAT)
        problem = TrajectoryProblem(
            robot=robot,
            times=times,
            schedule=constant_stance(times[-1], feet),
            q_start=q_start,
            posture=q_start,
            tasks=_tasks(robot, q_start, feet, offsets, N),
            collisions=make_self_collision_model(robot),
            limits=Limits(friction_share=0.8, patch_share=0.6, least_force=0.03),
            weights=self.objectives.weights(
                Weights(acceleration=0.02, smoothness_share={"base": 4.0})
            ),
        )
        return MotionPlan(
            problem=problem,
            mount=Mount(),
            events=self._events(tempo),
            bpm=self.bpm,
            beats_per_bar=self.beats_per_bar,
        )

    def _check(self) -> None:
        if not self.beats >= 2:
            raise BackbeatError(f"{self.name}: a dance needs at least 2 beats")
        if not self.fade >= LEAST_FADE:
            raise BackbeatError(
                f"{self.name}: fade is {self.fade:g} beats; it must be at least "
                f"{LEAST_FADE:g}"
            )
        if not any(self.tracks.values()):
            raise BackbeatError(f"{self.name}: there is no move on any track")
        for track, moves in self.tracks.items():
            if track not in TRACKS:
                raise unknown_name(f"track in {self.name}", track, TRACKS)
            for m in moves:
                where = f"{self.name}, beat {m.at:g}"
                if m.move not in MOVES:
                    raise unknown_name(f"move in {where}", m.move, MOVES)
                if MOVES[m.move].track != track:
                    raise BackbeatError(
                        f"{where}: {m.move} belongs on the track "
                        f"{MOVES[m.move].track!r}, not on {track!r}"
                    )
                end = m.at + m.beats
                if not (m.at >= 0 and m.beats > 0 and end <= self.beats + 1e-9):
                    raise BackbeatError(
                        f"{where}: {m.move} runs from beat {m.at:g} to "
                        f"{end:g}; the dance has {self.beats:g} beats"
                    )

    def _offsets(self, robot: RobotModel, beats: np.ndarray) -> Offsets:
        """Sum of all moves by channel over the knots."""
        total: Offsets = {}
        for moves in self.tracks.values():
            for m in moves:
                where = f"{self.name}, beat {m.at:g}"
                values = MOVES[m.move].values(m.values, where)
                since = beats - m.at
                window = self._window(since, m.beats)
                shape = MOVES[m.move].shape(since, values)
                for channel, offset in shape.items():
                    if not channel.startswith("com."):
                        robot.joint_index(channel)
                    total[channel] = total.get(channel, 0.0) + window * offset
        return total

    def _window(self, since: np.ndarray, beats: float) -> np.ndarray:
        """One inside a move, fading smoothly at its ends."""
        fade = min(self.fade, 0.5 * beats)
        u = np.clip(np.minimum(since, beats - since) / fade, 0, 1)
        return minimum_jerk(u)

    def _events(self, tempo: Tempo) -> tuple[Event, ...]:
        events = [
            Event(
                tempo.time(m.at),
                "segment",
                m.move,
                who=track,
                duration=tempo.time(m.at + m.beats) - tempo.time(m.at),
            )
            for track, moves in self.tracks.items()
            for m in moves
        ]
        return tuple(sorted(events, key=lambda e: e.time))


def _tasks(
    robot: RobotModel,
    q_start: np.ndarray,
    feet: dict[str, RigidTransform],
    offsets: Offsets,
    N: int,
) -> list[Task]:
    """CoM and posture follow the start posture plus the moves' offsets."""
    knots, nq = np.arange(N), robot.base_positions
    path = np.tile(q_start[nq:], (N, 1))
    middle = np.mean([X.translation() for X in feet.values()], axis=0)
    com = np.tile(Configuration(robot, q_start).center_of_mass, (N, 1))
    com[:, :2] = middle[:2]
    for channel, offset in offsets.items():
        if channel.startswith("com."):
            com[:, "xyz".index(channel[-1])] += offset
        else:
            j = robot.joint_index(channel)
            low, high = robot.position_lower[j] + 0.05, robot.position_upper[j] - 0.05
            path[:, j] = np.clip(path[:, j] + offset, low, high)
    legs = np.r_[robot.groups["l_leg"], robot.groups["r_leg"]]
    others = np.setdiff1d(np.arange(robot.num_joints), legs)
    level = RigidTransform()
    return [
        CenterOfMassTask(knots, com, np.array([400.0, 1000.0, 1000.0])),
        PostureTask(others, knots, path[:, others], 20.0),
        PostureTask(legs, knots, path[:, legs], 0.2),
        FrameTask(robot.base_name, knots, level, "rx ry rz", weight=40.0),
    ]
