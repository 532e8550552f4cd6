"""Choreography: layered tracks of moves on the beat become a trajectory problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from behaviors.authored import BEND, CLOSER, Specification, check_bend
from behaviors.behavior import Event, Mount, make_robot
from behaviors.dance.arrangement import (
    MeterDescription,
    MoveDescription,
    PlacedMove,
    mean_timing,
    place_moves,
)
from behaviors.dance.carried import clear_of_each_other
from behaviors.dance.dance_tasks import DanceTasks
from behaviors.dance.knots import KNOTS_PER_BEAT, STEPPING, knots_per_beat
from behaviors.dance.markers import marker_events
from behaviors.dance.move import Move
from behaviors.dance.move_file import move_files, vocabulary
from behaviors.dance.recorded_move import (
    RecordedMove,
    RecordedMoves,
    RecordingDescription,
    departures,
)
from behaviors.dance.rules import Finding, findings
from behaviors.dance.stepping import Swing, footsteps, swing_name, swings
from behaviors.footsteps import Walker
from behaviors.motion_plan import MotionPlan, check_length
from behaviors.music.meter import MeterMap, first_meter, meter_map, read_meter
from behaviors.music.tempo import Tempo
from behaviors.stance import start_configuration, support_poses
from behaviors.stride_reach import check_strides
from models.collision_making import make_self_collision_model
from models.errors import BackbeatError
from models.robot import RobotModel
from optimization.contact_schedule import constant_stance
from optimization.dense_trajectory import DenseTrajectory
from optimization.trajectory_problem import Limits, TrajectoryProblem, Weights

LEAST_FADE = 0.1
# Cost of accelerations [s^4/rad^2], low enough for what is done once a beat: legs move
# by radians for every meter of the body.
ACCELERATION = 0.002
BASE_SHARE, LEG_SHARE = 4.0, 0.1


@dataclass
class DanceSpecification(Specification):
    """Schema of `kind: dance`."""

    kind: str = "dance"
    bpm: float = 98.0
    beats_per_bar: int = 4
    # Meter such as "7/8"; empty for that of `beats_per_bar`.
    meter: str = ""
    # Changes of meter, in order of bars.
    meters: list[MeterDescription] = field(default_factory=list)
    # Length in beats, with a beat or two of rest at the end.
    beats: float = 16.0
    # Posture that everything is added to.
    start: str = "stand"
    # Beats over which a move grows at its start and dies at its end.
    fade: float = 1.0
    # Moves by track: legs, body, arms, head.
    tracks: dict[str, list[MoveDescription]] = field(default_factory=dict)
    # Joint trajectories from elsewhere, by the name of the move that they are.
    recordings: dict[str, RecordingDescription] = field(default_factory=dict)
    # Most time between knots [s]; 0 for what its moves take.
    knot_spacing: float = 0.0
    # How far knees of feet that stand stay from straight [rad]; 0 for any.
    bend: float = 0.0

    def with_closer_knots(self) -> "DanceSpecification | None":
        """As of `Specification`, by the key `knot_spacing`."""
        beat = 60.0 / self.bpm
        now = min(self.knot_spacing or STEPPING, beat / KNOTS_PER_BEAT[0])
        spacing = CLOSER * now
        if spacing < beat / KNOTS_PER_BEAT[-1]:
            return None
        return replace(self, knot_spacing=spacing)

    def with_bent_knees(self) -> "DanceSpecification | None":
        """As of `Specification`, by the key `bend`."""
        return replace(self, bend=BEND) if self.bend < BEND else None

    def meter_map(self) -> MeterMap:
        """Its bars.

        Raises:
            BackbeatError: no meter, or bars in disorder.
        """
        first = first_meter(self.beats_per_bar, self.meter, self.name)
        where = f"{self.name}, meters"
        changes = [
            (m.bar, read_meter(m.meter, f"{where}, bar {m.bar}")) for m in self.meters
        ]
        try:
            return meter_map(first, changes)
        except BackbeatError as error:
            raise BackbeatError(f"{where}: {error}") from None

    def sources(self, folder: str | Path) -> list[Path]:
        """Moves of the user's own, and recordings."""
        folder = Path(folder)
        files = [folder / d.file for d in self.recordings.values()]
        return [*move_files(folder), *files]

    def recorded(
        self, folder: str | Path, names: Sequence[str]
    ) -> dict[str, RecordedMove]:
        """Recordings as moves.

        Raises:
            BackbeatError: one cannot be read, or makes no sense.
        """
        folder = Path(folder)
        if not names:
            return {}
        robot = make_robot(self.robot, tuple(self.equipment), Mount())
        q_start = start_configuration(robot, self.start)
        maker = RecordedMoves(vocabulary(folder), folder, robot, q_start, self.bpm)
        return {name: maker.move(name, self.recordings[name]) for name in names}

    def carried_findings(self, moves: Mapping[str, Move]) -> list[Finding]:
        """What becomes of moves with what the dancer carries.

        Args:
            moves: the vocabulary, with recordings; `rules.findings` has no failure.
        """
        if not self.equipment or not self.tracks.get("arms"):
            return []
        placed = place_moves(self.tracks, moves, self.meter_map(), self.fade, self.name)
        robot = make_robot(self.robot, tuple(self.equipment), Mount())
        q_start = start_configuration(robot, self.start)
        return clear_of_each_other(robot, q_start, placed, self.name)[1]

    def plan(self, folder: str | Path) -> MotionPlan:
        """Compiles the choreography into a trajectory problem.

        Raises:
            BackbeatError: a move, parameter or track does not exist or fit.
        """
        self.check_grid()
        meter = self.meter_map()
        tempo = Tempo(self.bpm, meter)
        moves = vocabulary(folder) | self.recorded(folder, list(self.recordings))
        for found in findings(self, moves):
            if found.fails:
                raise BackbeatError(found.sentence)
        placed = place_moves(self.tracks, moves, meter, self.fade, self.name)
        robot = make_robot(self.robot, tuple(self.equipment), Mount())
        q_start = start_configuration(robot, self.start)
        placed, kept = clear_of_each_other(robot, q_start, placed, self.name)
        problem = self._problem(robot, q_start, placed, tempo)
        used = {p.move.name: p.move for p in placed if isinstance(p.move, RecordedMove)}

        def review(motion: DenseTrajectory, com: np.ndarray) -> list[str]:
            return departures(problem, motion, com, placed, self.bpm)

        return MotionPlan(
            problem=problem,
            mount=Mount(),
            events=_events(placed, tempo, robot),
            bpm=self.bpm,
            meter=meter,
            beat_priority=mean_timing(placed, self.beat_priority),
            remarks=(
                *(x for m in used.values() for x in (*m.notes, *m.changes)),
                *(f.sentence for f in kept),
            ),
            review=review if used else None,
        )

    def check_grid(self) -> None:
        """Refuses a beat grid that makes no sense.

        Raises:
            BackbeatError: too few beats, too short a fade, a tempo or meter that is
                none, no moves, or too long a dance.
        """
        if not self.beats >= 2:
            raise BackbeatError(f"{self.name}: a dance needs at least 2 beats")
        if not self.fade >= LEAST_FADE:
            raise BackbeatError(
                f"{self.name}: fade is {self.fade:g} beats; it must be at least "
                f"{LEAST_FADE:g}"
            )
        if not any(self.tracks.values()):
            raise BackbeatError(f"{self.name}: there is no move on any track")
        check_bend(self.name, self.bend)
        tempo = Tempo(self.bpm, self.meter_map())
        finest = tempo.beat_length / KNOTS_PER_BEAT[-1]
        if self.knot_spacing and not self.knot_spacing >= finest:
            raise BackbeatError(
                f"{self.name}: knot_spacing is {self.knot_spacing:g} s; at this tempo "
                f"it is at least {finest:.3g} s, or 0 for what the moves take"
            )
        check_length(self.name, tempo.time(self.beats))

    def _problem(
        self,
        robot: RobotModel,
        q_start: np.ndarray,
        placed: Sequence[PlacedMove],
        tempo: Tempo,
    ) -> TrajectoryProblem:
        per_beat = knots_per_beat(placed, tempo.beat_length, self.knot_spacing)
        found = swings(placed, per_beat)
        N = round(self.beats * per_beat) + 1
        beats = np.arange(N) / per_beat
        tasks = DanceTasks(robot, q_start, placed, beats)
        # Between knots a motion takes a little more of everything than at them.
        limits = Limits(
            torque=0.88,
            bend=self.bend,
            friction_share=0.8,
            patch_share=0.6,
            least_force=0.03,
        )
        guess = None
        if found:
            steps = footsteps(found, N - 1, per_beat, self.bpm, self.name)
            walker = Walker(steps, robot, q_start)
            # Both feet stand before and after every swing.
            names = [swing_name(s, per_beat, self.name) for s in found for _ in "ab"]
            check_strides(robot, q_start, walker.prints, names)
            schedule, times = walker.prints.schedule(), walker.prints.times
            chosen = [*walker.swing_tasks(), *tasks.stepping(walker, _flights(found))]
            limits = Limits(bend=self.bend, friction_share=0.8, patch_share=0.7)
            guess = tasks.guess(walker)
        else:
            times = np.array([tempo.time(k / per_beat) for k in range(N)])
            feet = support_poses(robot, q_start)
            schedule = constant_stance(times[-1], feet)
            chosen = tasks.standing(feet)
        return TrajectoryProblem(
            robot=robot,
            times=times,
            schedule=schedule,
            q_start=q_start,
            posture=q_start,
            tasks=chosen,
            collisions=make_self_collision_model(robot),
            limits=limits,
            weights=self.objectives.weights(
                Weights(acceleration=ACCELERATION, smoothness_share=_shares(robot))
            ),
            guess=guess,
        )


def _shares(robot: RobotModel) -> dict[str, float]:
    """Factors on costs of velocity and acceleration: legs serve the base."""
    legs = {robot.joint_names[j]: LEG_SHARE for j in robot.leg_joints}
    return {"base": BASE_SHARE, **legs}


def _flights(found: Sequence[Swing]) -> list[tuple[int, int]]:
    """First and last knot of every jump."""
    return [(s.start, s.end) for s in found if s.step.feet == "none"]


def _events(
    placed: Sequence[PlacedMove], tempo: Tempo, robot: RobotModel
) -> tuple[Event, ...]:
    events = marker_events(placed, tempo, robot)
    for p in placed:
        start, end = tempo.time(p.start), tempo.time(p.end)
        events.append(
            Event(start, "segment", p.move.name, who=p.track, duration=end - start)
        )
    return tuple(sorted(events, key=lambda e: e.time))
