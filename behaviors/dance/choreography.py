"""Choreography: layered tracks of moves on the beat become a trajectory problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from backbeat.behaviors.dance.arrangement import (
    PlacedMove,
    mean_timing,
)
from backbeat.behaviors.dance.carried import clear_of_each_other
from backbeat.behaviors.dance.knots import KNOTS_PER_BEAT, STEPPING, knots_per_beat
from backbeat.behaviors.dance.layers import DanceLayers
from backbeat.behaviors.dance.markers import marker_events
from backbeat.behaviors.dance.recorded_move import RecordedMove, RecordedMoves
from backbeat.behaviors.dance.recorded_parts import departures, recorded_entries
from backbeat.behaviors.dance.rules import findings
from backbeat.behaviors.dance.stepping import (
    DanceSwing,
    footsteps,
    rolls,
    swing_name,
    swings,
)
from backbeat.behaviors.dance.tasks import DanceTasks
from backbeat.behaviors.dance.vocabulary.channels import missing_turns
from backbeat.behaviors.dance.vocabulary.move_file import move_files, vocabulary
from backbeat.behaviors.footsteps.sole_share import sole_share
from backbeat.behaviors.footsteps.specification import Walker
from backbeat.behaviors.footsteps.step_rolls import lay_rolls
from backbeat.behaviors.footsteps.stride_reach import check_strides
from backbeat.behaviors.footsteps.swings import swing_tasks
from backbeat.behaviors.library.behavior import (
    Event,
    Mount,
    beat_events,
    count_in_events,
    make_robot,
    music_events,
)
from backbeat.behaviors.motion.authored import BEND, CLOSER
from backbeat.behaviors.motion.finding import RuleFinding
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.music.notation.backing import check_recording, find_backing
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.contact_schedule import constant_stance
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.trajectory_problem import Limits, TrajectoryProblem
from backbeat.optimization.problem.weights import TrajectoryWeights

# Cost of accelerations [s^4/rad^2], low enough for what is done once a beat: legs move
# by radians for every meter of the body.
ACCELERATION = 0.002
BASE_SHARE, LEG_SHARE = 4.0, 0.1
NONE: Mapping[str, RecordedMove] = {}


@dataclass
class DanceSpecification(DanceLayers):
    """Schema of `kind: dance`."""

    sized_by: ClassVar[str] = "legs"
    tasks_lead: ClassVar[bool] = True

    def findings(self, folder: str | Path, plans: bool = True) -> list[RuleFinding]:
        """All findings of the rules; failures of recordings hide those of moves."""
        try:
            moves = vocabulary(folder)
            self.check_grid()
        except BackbeatError as error:
            return [RuleFinding(True, error.path, str(error))]
        found, recorded = self._recordings(folder)
        if self.backing:
            try:
                check_recording(find_backing(folder, self.backing, self.name))
            except BackbeatError as error:
                # It is not heard then, and the motion is the same.
                found.append(RuleFinding(False, ("backing",), str(error)))
        if any(f.fails for f in found):
            return found
        found += findings(self, moves | recorded)
        if plans and not any(f.fails for f in found):
            try:
                found += self.compiled(folder)[1]
            except BackbeatError as error:
                found.append(RuleFinding(True, ("tracks",), str(error)))
        return found

    def _recordings(
        self, folder: str | Path
    ) -> tuple[list[RuleFinding], dict[str, RecordedMove]]:
        """What is wrong with recordings, or was changed; and those that are moves."""
        found: list[RuleFinding] = []
        moves: dict[str, RecordedMove] = {}
        for name in self.recordings:
            place = ("recordings", name)
            try:
                moves |= self.recorded(folder, [name])
            except BackbeatError as error:
                found.append(RuleFinding(True, place, str(error)))
            else:
                found += [RuleFinding(False, place, x) for x in moves[name].changes]
        return found, moves

    def tempo(self, folder: str | Path) -> float:
        """As of `Specification`."""
        return self.bpm

    def num_beats(self, folder: str | Path) -> float:
        """As of `Specification`."""
        return self.beats

    def at_tempo(self, bpm: float) -> Self:
        """As of `Specification`."""
        factor = bpm / self.bpm
        tempos = [replace(d, bpm=factor * d.bpm) for d in self.tempos]
        return replace(self, bpm=bpm, tempos=tempos)

    def with_closer_knots(self) -> "DanceSpecification | None":
        """As of `Specification`, by the key `knot_spacing`."""
        beat = self.tempo_map().longest_beat(self.beats)
        now = min(self.knot_spacing or STEPPING, beat / KNOTS_PER_BEAT[0])
        spacing = CLOSER * now
        if spacing < beat / KNOTS_PER_BEAT[-1]:
            return None
        return replace(self, knot_spacing=spacing)

    def sources(self, folder: str | Path) -> list[Path]:
        """Moves of the user's own, and recordings."""
        folder = Path(folder)
        read = [(d.file, d.skeleton) for d in self.recordings.values()]
        files = [folder / name for names in read for name in names if name]
        return [*move_files(folder), *files]

    def recorded(
        self,
        folder: str | Path,
        names: Sequence[str],
        before: Mapping[str, RecordedMove] = NONE,
    ) -> dict[str, RecordedMove]:
        """Recordings as moves.

        Args:
            folder: where files are found from.
            names: of the recordings.
            before: moves of earlier versions of the files, near which those of today
                stay; see `backbeat.behaviors.dance.recorded_move.RecordedMoves.move`.

        Raises:
            BackbeatError: one cannot be read, or makes no sense.
        """
        folder = Path(folder)
        if not names:
            return {}
        robot = make_robot(self.robot, tuple(self.equipment), Mount())
        q_start = start_configuration(robot, self.start)
        maker = RecordedMoves(vocabulary(folder), folder, robot, q_start, self.bpm)
        return {
            name: maker.move(name, self.recordings[name], before.get(name))
            for name in names
        }

    def carrying_remarks(self, folder: str | Path) -> list[str]:
        """As of `Specification`; nothing where the dance itself has a failure."""
        if not self.equipment or not self.tracks.get("arms"):
            return []
        moves = vocabulary(folder) | self.recorded(folder, list(self.recordings))
        if any(f.fails for f in findings(self, moves)):
            return []
        placed = self.placed_moves(moves)
        robot = make_robot(self.robot, tuple(self.equipment), Mount())
        q_start = start_configuration(robot, self.start)
        kept = clear_of_each_other(robot, q_start, placed, self.name)[1]
        return [found.sentence for found in kept]

    def plan(self, folder: str | Path) -> MotionPlan:
        """Compiles the choreography into a trajectory problem.

        Raises:
            BackbeatError: a move, parameter or track does not exist or fit.
        """
        return self.compiled(folder)[0]

    def plan_near(self, folder: str | Path, before: MotionPlan) -> MotionPlan:
        """As of `Specification`, where a take of the dance was edited."""
        return self.compiled(folder, before.recorded)[0]

    def compiled(
        self, folder: str | Path, before: Mapping[str, RecordedMove] = NONE
    ) -> tuple[MotionPlan, list[RuleFinding]]:
        """The plan, and what becomes of its moves with what the dancer carries.

        Args:
            folder: where files are found from.
            before: see `recorded`.

        Raises:
            BackbeatError: a move, parameter or track does not exist or fit.
        """
        self.check_grid()
        tempo = self.tempo_map()
        recorded = self.recorded(folder, list(self.recordings), before)
        moves = vocabulary(folder) | recorded
        for found in findings(self, moves):
            if found.fails:
                raise BackbeatError(found.sentence, path=found.path)
        placed = self.placed_moves(moves)
        robot = make_robot(self.robot, tuple(self.equipment), Mount())
        q_start = start_configuration(robot, self.start)
        placed, kept = clear_of_each_other(robot, q_start, placed, self.name)
        problem = self._problem(robot, q_start, placed, tempo)
        events = _events(placed, tempo, robot)
        used = {p.move.name: p.move for p in placed if isinstance(p.move, RecordedMove)}

        def review(motion: DenseTrajectory, com: np.ndarray) -> list[str]:
            return departures(problem, motion, com, placed, tempo)

        def recordings(motion: DenseTrajectory) -> list[dict[str, Any]]:
            return recorded_entries(placed, tempo, robot, motion)

        def in_words(time: float) -> str:
            return _in_words(placed, tempo, time)

        plan = MotionPlan(
            problem=problem,
            mount=Mount(),
            events=(
                *music_events(self.backing, -self.offset),
                *count_in_events(map(tempo.time, self.count_in_beats())),
                *beat_events(tempo.marked_beats(self.beats)),
                *events,
            ),
            bpm=self.bpm,
            meter=tempo.meter,
            beat_priority=mean_timing(placed, self.beat_priority),
            remarks=(
                *(x for m in used.values() for x in (*m.notes, *m.changes)),
                *missing_turns((p.move for p in placed), robot),
                *(f.sentence for f in kept),
            ),
            review=review if used else None,
            recordings=recordings if used else None,
            recorded=recorded,
            in_words=in_words,
        )
        return plan, kept

    def with_bent_knees(self) -> "DanceSpecification | None":
        """As of `Specification`, by the key `bend`."""
        return replace(self, bend=BEND) if self.bend < BEND else None

    def _problem(
        self,
        robot: RobotModel,
        q_start: np.ndarray,
        placed: Sequence[PlacedMove],
        tempo: Tempo,
    ) -> TrajectoryProblem:
        slowest = tempo.longest_beat(self.beats)
        per_beat = knots_per_beat(placed, slowest, self.knot_spacing)
        found = swings(placed, per_beat)
        N = round(self.beats * per_beat) + 1
        beats = np.arange(N) / per_beat
        times = np.array([tempo.time(b) for b in beats])
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
            if not tempo.is_constant:
                walker.prints.retime(times)
            lay_rolls(walker.prints, rolls(found, tempo, per_beat))
            # Both feet stand before and after every swing.
            names = [swing_name(s, per_beat, self.name) for s in found for _ in "ab"]
            check_strides(robot, q_start, walker.prints, names)
            schedule, times = walker.prints.schedule(), walker.prints.times
            chosen = [
                *swing_tasks(robot, walker.prints),
                *tasks.stepping(walker, _flights(found)),
            ]
            share = sole_share(robot, 0.7)
            limits = Limits(bend=self.bend, friction_share=0.8, patch_share=share)
            guess = tasks.guess(walker)
        else:
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
            collisions=make_self_collision_model(robot, apart=self.apart),
            limits=limits,
            weights=self.trajectory_weights(
                TrajectoryWeights(
                    acceleration=ACCELERATION, smoothness_share=_shares(robot)
                )
            ),
            guess=guess,
        )


def _shares(robot: RobotModel) -> dict[str, float]:
    """Factors on costs of velocity and acceleration: legs serve the base."""
    legs = {robot.joint_names[j]: LEG_SHARE for j in robot.leg_joints}
    return {"base": BASE_SHARE, **legs}


def _flights(found: Sequence[DanceSwing]) -> list[tuple[int, int]]:
    """First and last knot of every jump."""
    return [(s.start, s.end) for s in found if s.step.feet == "none"]


def _in_words(placed: Sequence[PlacedMove], tempo: Tempo, time: float) -> str:
    """Bar and beat of a time [s], and the moves that are danced then."""
    beat = tempo.beat(time)
    names = [p.move.name for p in placed if p.rise[0] <= beat <= p.fall[1]]
    danced = f", in {' and '.join(dict.fromkeys(names))}" if names else ""
    return f"{tempo.in_words(beat, 2)}{danced}"


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
