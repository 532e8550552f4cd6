"""Drumming: a score becomes a trajectory problem for two arms and a torso.

Every hit is a knot on which a stick tip is at its drum, an impact that turns the
tip's speed around, and a stroke: high before and after, fast at the head. Holds
are stretches in which tips stand on heads with a bounded force while the torso
turns to the beat.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix

from behaviors.authored import Specification
from behaviors.behavior import Event, Mount, make_robot
from behaviors.drummer import kit_members, make_player
from behaviors.knot_grid import SPACING, KnotGrid
from behaviors.library import check_name
from behaviors.motion_plan import MotionPlan, check_length
from behaviors.music.haste import hastened
from behaviors.music.player import Advice
from behaviors.music.score import HANDS, Score
from behaviors.music.score_reader import find_notes, load_score, score_files
from behaviors.second_thoughts import ROUNDS, think_again
from behaviors.stance import start_configuration, support_poses
from behaviors.strike_postures import Stop, StrikePostures, arm_path
from behaviors.strokes import (
    PLAIN,
    Stroke,
    clear,
    land,
    lift,
    planned_rebound,
    strike,
    swing,
)
from models.collision import CollisionModel, make_collision_model
from models.errors import BackbeatError
from models.kit.drum_kit import DrumKit
from models.robot import RobotModel
from models.scene import Scene
from optimization.contact_schedule import ContactSchedule, Phase
from optimization.inverse_kinematics import IKTarget, InverseKinematics
from optimization.tasks import CenterOfMassTask, FrameTask, PostureTask
from optimization.trajectory_problem import (
    Impact,
    Limits,
    Task,
    TrajectoryProblem,
    Weights,
)
from optimization.trajectory_solution import Trouble

NO_ADVICE = Advice()
TIP_RADIUS = 0.007  # m
# Beats from knot to knot, at most, in a rest beside what is hastened.
REST_ANCHORS = 0.5
ASIDE = 0.04  # of a strike from that of the other hand, half of it [m]
SEAT_HEIGHT = 0.65  # of the pelvis origin, seated [m]
# The contact to sit with, and the equipment that it comes with.
SEAT = "seat"
ARM_LINKS = ("larm", "ufarm", "lfarm", "hand", "stick")
# Least and most force of a tip that rests on a head [N].
REST_FORCE = (1.0, 15.0)
# Most impulse of a stick on a head [N s], and how long before and after it a tip may
# be near [s].
MOST_IMPULSE, BESIDE = 1.5, 1.2 * SPACING
# And most of it as a share of a way to another drum, for strokes without a shape.
NEAR_SHARE = 0.25
# Wrists whip, arms carry, the torso hardly moves for a hit.
WEIGHTS = Weights(
    acceleration=0.06,
    moment=40.0,
    smoothness_share={
        "base": 150.0,
        "back": 20.0,
        "l_leg": 4.0,
        "r_leg": 4.0,
        "l_wrist": 0.1,
        "r_wrist": 0.1,
    },
)


@dataclass
class DrummingSpecification(Specification):
    """Schema of `kind: drumming`."""

    kind: str = "drumming"
    equipment: list[str] = field(default_factory=lambda: ["sticks"])
    # Score in the folder `scores` beside this file, without its ending; or a
    # tablature or MIDI file there or beside this one, with its ending.
    score: str = ""
    # "chair": sits freely on the kit's chair; "none": stands.
    seat: str = "none"
    stroke: Stroke = field(default_factory=Stroke)
    # Factor on the tempo of what is played; rests keep the time they have.
    haste: float = 1.0

    def score_path(self, folder: Path) -> Path:
        """Path of the score."""
        if Path(self.score).suffix:
            return find_notes(folder, self.score)
        return folder / "scores" / f"{check_name(self.score)}.yaml"

    def sources(self, folder: Path) -> list[Path]:
        """Files besides the specification that decide the motion."""
        return score_files(self.score_path(folder))

    def written_score(self, folder: Path) -> Score:
        """The score at the tempo that it is written in, with hands for all hits."""
        return _Drummer(replace(self, haste=1.0), folder).score

    def plan(self, folder: Path, shaped: bool = True) -> MotionPlan:
        """Compiles score and strokes into a trajectory problem.

        Args:
            folder: where the specification was found.
            shaped: whether strokes have heights between hits and a rebound like those
                of drummers; without, tips may go from hit to hit as they like.

        Raises:
            BackbeatError: the score or a value makes no sense.
        """
        if self.seat not in ("chair", "none"):
            raise BackbeatError(
                f"{self.name}: seat is chair or none, not {self.seat!r}"
            )
        self.stroke.check(self.name)
        return _Drummer(self, folder, shaped=shaped).plan()


class _Drummer:
    """Compiles one specification."""

    def __init__(
        self,
        specification: DrummingSpecification,
        folder: Path,
        advice: Advice = NO_ADVICE,
        rounds: int = ROUNDS,
        shaped: bool = True,
    ) -> None:
        self.specification, self.folder = specification, folder
        self.advice, self.rounds, self.shaped = advice, rounds, shaped
        seated = specification.seat == "chair"
        posture = "drum-ready-seated" if seated else "drum-ready"
        self.mount = Mount()
        equipment = dict.fromkeys([*specification.equipment, *[SEAT] * seated])
        self.robot: RobotModel = make_robot(
            specification.robot, tuple(equipment), self.mount
        )
        self.posture = start_configuration(self.robot, posture)
        place = (float(self.posture[4]), 0.0, float(self.posture[6]) - SEAT_HEIGHT)
        self.scene = Scene("drum-kit", place)
        self.kit = DrumKit(place)
        self.collisions = self._collisions()
        self.postures = self._strike_postures()
        path = specification.score_path(folder)
        self.shared: set[str] = set()
        player = make_player(self.kit, self._strike_postures(), self.touch, advice)
        score = load_score(path, kit_members(self.kit), player)
        self.score: Score = hastened(score, specification.haste)
        self.tempo = self.score.tempo
        played = {hand: {h.member for h in self.score.of_hand(hand)} for hand in HANDS}
        self.shared = played["left"] & played["right"]
        check_length(specification.name, self.tempo.time(self.score.beats))
        beats = [h.beat for h in self.score.hits]
        beats += [b for h in self.score.holds for b in (h.beat, h.contact_end)]
        ways = [
            (a, b)
            for hand in HANDS
            for (a, _), (b, _) in itertools.pairwise(self._stops(hand))
        ]
        if specification.haste != 1.0:
            # Knots grow apart from one of these to the next.
            for h in self.score.holds:
                beats += list(np.arange(h.beat, h.contact_end, REST_ANCHORS))
        self.grid = KnotGrid(self.tempo, self.score.beats, beats, ways)
        self.times = self.grid.times
        self.supports = support_poses(self.robot, self.posture)
        if seated:
            self.supports = self._sit(self.supports)

    def _strike_postures(self) -> StrikePostures:
        return StrikePostures(
            self.robot,
            self.posture,
            {h: self._alone(h) for h in HANDS},
            {h: (f"{h[0]}_arm", self.tip(h), f"{h[0]}_stick") for h in HANDS},
            self.specification.stroke.slope,
        )

    def _sit(self, feet: dict[str, RigidTransform]) -> dict[str, RigidTransform]:
        """The chair under the pelvis, and the feet flat on the floor."""
        poses = {}
        for name, X in feet.items():
            yaw = X.rotation().ToRollPitchYaw().yaw_angle()
            place = [*X.translation()[:2], 0.0]
            poses[name] = RigidTransform(RotationMatrix.MakeZRotation(yaw), place)
        poses[SEAT] = RigidTransform([*self.posture[4:6], self.kit.seat_height])
        return poses

    @staticmethod
    def tip(hand: str) -> str:
        return f"{hand[0]}_stick_tip"

    def aim(self, member: str, hand: str) -> tuple[float, float]:
        """Where a hand strikes a head, from its strike point, in its axes [m].

        Hands that share a member strike it side by side, or sticks would meet.
        """
        if member not in self.shared:
            return (0.0, 0.0)
        turn = self.kit.strike_pose(member).rotation().matrix()[:2, :2]
        x, y = turn.T @ [0.0, ASIDE if hand == "left" else -ASIDE]
        return (float(x), float(y))

    def touch(self, member: str, hand: str) -> RigidTransform:
        """Where a tip is when it touches a head; axes of the head."""
        place = [*self.aim(member, hand), TIP_RADIUS]
        return self.kit.strike_pose(member) @ RigidTransform(place)

    def plan(self) -> MotionPlan:
        q_start = self._start()
        path = self._path(q_start)
        tasks: list[Task] = [
            *self._posture_tasks(q_start, path),
            *self._hold_tasks(),
        ]
        for hand in HANDS:
            tasks += self._stroke_tasks(hand)
        if self.specification.seat == "none":
            tasks.append(self._balance())
        problem = TrajectoryProblem(
            robot=self.robot,
            times=self.times,
            schedule=self._schedule(),
            q_start=q_start,
            posture=q_start,
            guess=path,
            guess_is_clear=True,
            tasks=tasks,
            impacts=[
                Impact(self.grid.knot(h.beat), self.tip(h.hand), MOST_IMPULSE)
                for h in self.score.hits
            ],
            collisions=self.collisions,
            near=self._near(),
            limits=Limits(point_force=REST_FORCE, friction_share=0.8, patch_share=0.3),
            weights=self.specification.objectives.weights(WEIGHTS),
        )
        return MotionPlan(
            problem=problem,
            mount=self.mount,
            events=self._events(),
            scene=self.scene,
            bpm=self.tempo.bpm,
            beats_per_bar=round(self.tempo.beats_per_bar),
            remarks=self.score.remarks,
            otherwise=self._otherwise if self.rounds else None,
        )

    def _otherwise(self, troubles: Sequence[Trouble]) -> MotionPlan | None:
        """A plan with other hands where no motion was found, if there is one."""
        advice, rounds = self.advice, self.rounds
        may_drop = self.score.may_drop
        while rounds:
            rounds -= 1
            thought = think_again(advice, self.score, troubles, may_drop)
            if thought is None:
                return None
            advice = thought
            other = _Drummer(
                self.specification, self.folder, advice, rounds, self.shaped
            )
            if other.score.hits != self.score.hits:
                return other.plan()
        return None

    def _collisions(self) -> CollisionModel:
        """Arms and sticks keep away from kit and body."""
        links = [f"{hand[0]}_{link}" for hand in HANDS for link in ARM_LINKS]
        return make_collision_model(self.robot, links, self.kit.solids())

    def _alone(self, hand: str) -> CollisionModel:
        """What one arm keeps away from while the other is out of its way."""
        other = "r" if hand == "left" else "l"
        mine = [
            i
            for i, f in enumerate(self.collisions.feelers)
            if f.link.startswith(f"{hand[0]}_") and f.part != "tip"
        ]
        theirs = [f"{other}_{link}" for link in ARM_LINKS]
        return self.collisions.restricted(mine, theirs)

    def _near(self) -> list[tuple[int, np.ndarray]]:
        """Where tips and the sticks behind them may be at heads."""
        near = []
        for hand in HANDS:
            spans = []
            for hold in self.score.holds:
                if hand in hold.rest:
                    ends = (hold.beat, hold.contact_end)
                    spans.append((self.tempo.time(ends[0]), self.tempo.time(ends[1])))
            around = [self.grid.within(a - BESIDE, b + BESIDE) for a, b in spans]
            around += self._at_heads(hand)
            at = np.unique(np.concatenate(around))
            stick = f"{hand[0]}_stick"
            tips = self.collisions.feelers_of(stick, "tip")
            near += [(i, at) for i in tips]
        return near

    def _at_heads(self, hand: str) -> list[np.ndarray]:
        """Knots about stops; on short ways to another drum, not those far from both."""
        stops = [(self.tempo.time(beat), member) for beat, member in self._stops(hand)]
        found = []
        for i, (t, member) in enumerate(stops):
            sides = [BESIDE, BESIDE]
            for side, j in enumerate((i - 1, i + 1)):
                if self.shaped or not 0 <= j < len(stops):
                    continue
                if stops[j][1] != member:
                    sides[side] = min(BESIDE, NEAR_SHARE * abs(stops[j][0] - t))
            found.append(self.grid.within(t - sides[0], t + sides[1]))
        return found

    def _start(self) -> np.ndarray:
        """Start configuration: tips on the heads of the first hold."""
        first = self.score.holds[0] if self.score.holds else None
        if first is None or first.beat > 0 or set(first.rest) != set(HANDS):
            raise BackbeatError(
                f"{self.specification.name}: a score starts with a hold in which both "
                "hands rest"
            )
        q = self.posture.copy()
        targets = {n: IKTarget(X) for n, X in self.supports.items()}
        for hand, member in first.rest.items():
            at = self.robot.base_positions + self.postures.arm(hand)
            q[at] = self.postures.reach(hand, member, self.touch(member, hand))
            targets[self.tip(hand)] = IKTarget(self.touch(member, hand), "x y z")
        middle = None
        if SEAT not in self.supports:
            places = [X.translation() for X in self.supports.values()]
            middle = np.mean(places, axis=0)[:2]
        weights = np.ones(self.robot.num_velocities)
        back = self.robot.base_velocities + self.robot.groups["back"]
        weights[back] = 100.0  # reach with the arms
        found = InverseKinematics(self.robot, joint_weights=weights).solve(
            q, targets, middle
        )
        if not found.is_reached:
            raise BackbeatError(
                f"{self.specification.name}: {found.worst} cannot reach its drum at "
                f"the start; it ends {found.residual:.2f} m away"
            )
        return found.q

    def _path(self, q_start: np.ndarray) -> np.ndarray:
        """(N, nq) the path through strike postures, where the optimizer starts."""
        path = np.tile(q_start, (len(self.times), 1))
        nq = self.robot.base_positions
        for hand in HANDS:
            stops = [
                Stop(
                    self.tempo.time(beat),
                    m,
                    self.touch(m, hand),
                    self._stays(hand, beat),
                )
                for beat, m in self._stops(hand)
            ]
            apex = self.specification.stroke.apex
            path[:, nq + self.postures.arm(hand)] = arm_path(
                self.postures, hand, self.times, stops, apex
            )
        path[:2] = q_start
        return path

    def _schedule(self) -> ContactSchedule:
        """Feet, and the seat, all the time; tips during holds."""
        phases, beat = [], 0.0
        for hold in [*self.score.holds, None]:
            start = self.score.beats if hold is None else hold.beat
            if start > beat:
                length = self.tempo.time(start) - self.tempo.time(beat)
                phases.append(Phase(length, self.supports, "play"))
            if hold is None:
                break
            end = hold.contact_end
            tips = {self.tip(h): self.touch(m, h) for h, m in hold.rest.items()}
            length = self.tempo.time(end) - self.tempo.time(start)
            phases.append(Phase(length, {**self.supports, **tips}, hold.name))
            beat = end
        return ContactSchedule(tuple(phases))

    def _posture_tasks(self, q_start: np.ndarray, path: np.ndarray) -> list[Task]:
        robot, knots = self.robot, np.arange(len(self.times))
        nq = robot.base_positions
        back = robot.groups["back"]
        tasks: list[Task] = [
            PostureTask(back, knots, np.zeros(len(back)), 8.0),
        ]
        arms = np.r_[robot.groups["l_arm"], robot.groups["r_arm"]]
        tasks.append(PostureTask(arms, knots, path[:, nq + arms], 2.0))
        if robot.floating:
            legs = np.r_[robot.groups["l_leg"], robot.groups["r_leg"]]
            tasks.append(PostureTask(legs, knots, q_start[nq + legs], 4.0))
            pelvis = RigidTransform()
            tasks.append(FrameTask("pelvis", knots, pelvis, "rx ry rz", weight=20.0))
        return tasks

    def _balance(self) -> Task:
        places = [X.translation() for X in self.supports.values()]
        middle = np.tile(np.mean(places, axis=0), (len(self.times), 1))
        knots = np.arange(len(self.times))
        return CenterOfMassTask(knots, middle, np.array([400.0, 400.0, 0.0]))

    def _hold_tasks(self) -> list[Task]:
        """The torso dances, the hands come to rest softly."""
        tasks: list[Task] = []
        turn = self.robot.joint_indices(["back_bkz"])
        for hold in self.score.holds:
            first, last = self.grid.knot(hold.beat), self.grid.knot(hold.contact_end)
            knots = np.arange(first, last + 1)
            beats = self.grid.beats[knots] - hold.beat
            # Grows over the first beat and dies over the last, so nothing jerks.
            ends = np.minimum(beats, hold.contact_end - hold.beat - beats)
            window = np.clip(ends, 0, 1) ** 2 * (3 - 2 * np.clip(ends, 0, 1))
            angle = hold.sway * window * np.sin(2 * np.pi * beats / hold.sway_beats)
            # Outweighs all that keeps the torso still: a fifth of a swing is no dance.
            tasks.append(PostureTask(turn, knots, angle[:, None], 1e4))
            start, end = (self.tempo.time(b) for b in (hold.beat, hold.contact_end))
            for hand, member in hold.rest.items():
                ways = (self._ways(hand, start)[0], self._ways(hand, end)[1])
                X_WT = self.touch(member, hand)
                times, stroke = (start, end), self.specification.stroke
                tip = self.tip(hand)
                tasks += land(tip, times, ways, X_WT, stroke, self.grid)
        return tasks

    def _stroke_tasks(self, hand: str) -> list[Task]:
        hits, tip = self.score.of_hand(hand), self.tip(hand)
        stroke, grid = self.specification.stroke, self.grid
        tasks: list[Task] = []
        for hit in hits:
            ways = self._ways(hand, self.tempo.time(hit.beat))
            X_WT = self.touch(hit.member, hand)
            tasks += strike(hit, ways, tip, X_WT, stroke, grid)
            between = swing if self.shaped else clear
            rebound = planned_rebound(self.kit.member(hit.member).restitution)
            tasks += between(hit, ways, tip, X_WT, stroke, grid, rebound)
        velocity = {h.beat: h.velocity for h in hits}
        for (a, member_a), (b, member_b) in itertools.pairwise(self._stops(hand)):
            if self._rests(tip, a, b):
                continue
            ways = (self.tempo.time(a), self.tempo.time(b))
            heads = (self.touch(member_a, hand), self.touch(member_b, hand))
            loud, rests = velocity.get(b, PLAIN), not {a, b} <= set(velocity)
            if not (rests or self.shaped):
                continue
            tasks.append(lift(tip, ways, heads, loud, rests, stroke, grid))
        return tasks

    def _ways(self, hand: str, time: float) -> tuple[float, float]:
        """Time since a hand was last at a drum, and until it is again [s]."""
        stops = np.array([self.tempo.time(beat) for beat, _ in self._stops(hand)])
        before, after = stops[stops < time - 1e-9], stops[stops > time + 1e-9]
        since = time - before[-1] if len(before) else np.inf
        return since, after[0] - time if len(after) else np.inf

    def _stays(self, hand: str, beat: float) -> bool:
        """Whether a hand comes to rest at a beat."""
        return any(h.beat == beat and hand in h.rest for h in self.score.holds)

    def _stops(self, hand: str) -> list[tuple[float, str]]:
        """(beat, drum) where a hand is at a head, in order; holds twice."""
        stops = [(h.beat, h.member) for h in self.score.of_hand(hand)]
        for hold in self.score.holds:
            if hand in hold.rest:
                stops.append((hold.beat, hold.rest[hand]))
                stops.append((hold.contact_end, hold.rest[hand]))
        return sorted(stops)

    def _rests(self, tip: str, a: float, b: float) -> bool:
        return any(
            hold.beat == a and hold.contact_end == b and tip[0] == hand[0]
            for hold in self.score.holds
            for hand in hold.rest
        )

    def _events(self) -> tuple[Event, ...]:
        time = self.tempo.time
        events = [
            Event(
                time(h.beat),
                "strike",
                h.member,
                self.tip(h.hand),
                h.velocity,
                aim=self.aim(h.member, h.hand),
            )
            for h in self.score.hits
        ]
        if not self.tempo.is_constant:
            whole = range(int(self.score.beats + 1e-9) + 1)
            events += [Event(time(beat), "beat", "") for beat in whole]
        for hold in self.score.holds:
            length = time(hold.contact_end) - time(hold.beat)
            for hand, member in hold.rest.items():
                events.append(
                    Event(time(hold.beat), "rest", member, self.tip(hand), 0, length)
                )
            events.append(Event(time(hold.beat), "segment", hold.name, duration=length))
        return tuple(sorted(events, key=lambda e: e.time))
