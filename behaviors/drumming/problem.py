"""Drumming: a score becomes a trajectory problem for two arms and a torso.

Every hit is a knot on which a stick tip is at its drum, an impact that turns the
tip's speed around, and a stroke: high before and after, fast at the head. Holds
are stretches in which tips stand on heads with a bounded force while the torso
turns to the beat.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.drum_tasks import DrumTasks
from backbeat.behaviors.drumming.drummer import (
    kit_members,
    make_player,
    played_feet,
    score_events,
    target_pose,
)
from backbeat.behaviors.drumming.elbows import find_elbows, raised_at_hits
from backbeat.behaviors.drumming.keys import DrummingKeys
from backbeat.behaviors.drumming.pedal_strokes import HEEL_FORCE, PedalTasks
from backbeat.behaviors.drumming.resting import RestingPostures, shared_members
from backbeat.behaviors.drumming.robot_at_kit import RobotAtKit
from backbeat.behaviors.drumming.starting_path import (
    contact_schedule,
    start_at_rest,
    strike_path,
)
from backbeat.behaviors.drumming.strike_postures import StrikePostures
from backbeat.behaviors.motion.knot_grid import KnotGrid
from backbeat.behaviors.motion.plan import MotionPlan, check_length
from backbeat.behaviors.motion.retry_strategy import FIRMEST, ROUNDS, next_hints
from backbeat.behaviors.music.notation.player import NO_HINTS, Hints
from backbeat.behaviors.music.notation.score import FEET, HANDS, Score
from backbeat.behaviors.music.playing.easing import eased, is_uneven
from backbeat.behaviors.music.playing.tempo_scale import with_tempo_scale
from backbeat.models.common.errors import located
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.optimization.interior_point.solution import Violation
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.trajectory_problem import (
    EXCESS_COST,
    Limits,
    TrajectoryProblem,
)
from backbeat.optimization.problem.weights import TrajectoryWeights

TIP_RADIUS = 0.007  # m
# Songs from this length on whose hands are found are solved in windows [s].
IN_WINDOWS = 15.0
# Songs from this length on have windows that closer knots elsewhere do not change [s].
MANY_WINDOWS = 45.0
# Beats from knot to knot, at most, in a rest beside what is played faster.
REST_ANCHORS = 0.5
ASIDE = 0.04  # of a strike from that of the other hand, half of it [m]
# Least and most force of a tip that rests on a head [N].
REST_FORCE = (1.0, 15.0)
# What knots may use; and where a motion failed before, with more left to what happens
# between them.
FIRST = Limits(point_force=REST_FORCE, friction_share=0.8, patch_share=0.3)
CAREFUL = replace(FIRST, torque=0.6, friction_share=0.55, patch_share=0.2)
# Hits of hands in a second, over a whole song, from which on knots leave more to what
# is between them from the start.
DENSE = 6.0
# Factor on the share of friction each time that feet slipped between knots.
FIRMER = 0.6
# Most share of friction where feet kick.
HEEL_FRICTION = 0.65
# Share of the smoothness of a leg whose foot plays.
PLAYING = 0.5
# Heights of fast strokes are dear, so that bounds have to be dearer in dense songs.
DENSE_EXCESS_COST = 3e4
# Wrists whip, arms carry, the torso hardly moves for a hit.
WEIGHTS = TrajectoryWeights(
    acceleration=0.06,
    moment=40.0,
    smoothness_share={
        "base": 150.0,
        "waist": 20.0,
        "left leg": 4.0,
        "right leg": 4.0,
        "left wrist": 0.1,
        "right wrist": 0.1,
    },
)


class DrummingProblem:
    """A specification as a trajectory problem, with the hands that play it."""

    def __init__(
        self,
        specification: DrummingKeys,
        folder: str | Path,
        hints: Hints = NO_HINTS,
        rounds: int = ROUNDS,
        before: "DrummingProblem | None" = None,
    ) -> None:
        """Finds hands for the score, and knots for what they play.

        Args:
            specification: what is to be played.
            folder: where it was found.
            hints: which choices to avoid.
            rounds: how often other choices may be tried where no motion is found.
            before: the same with other hints, whose robot and postures are taken.

        Raises:
            BackbeatError: the score, kit or robot makes no sense.
        """
        self.specification, self.folder = specification, Path(folder)
        self.hints, self.rounds = hints, rounds
        kit = specification.kit_text(folder)
        written = specification.load(folder, kit_members(DrumKit(text=kit)))
        self.is_open = not all(h.hand for h in written.hits)
        feet = played_feet(written, specification.seat == "chair", specification.name)
        known = None if before is None else before.at_kit
        self.at_kit: RobotAtKit = known or self._at_kit(kit, feet)
        self.robot, self.kit = self.at_kit.robot, self.at_kit.kit
        self.stroke = specification.stroke.at_size(specification.scale)
        self.shared: set[str] = set()
        # Of its own: before it is known which members are shared, tips aim elsewhere.
        reach = None if before is None else before.reach
        self.reach: StrikePostures = reach or self._strike_postures()
        player = make_player(self.kit, self.reach, self.touch, hints)
        score = specification.load(folder, kit_members(self.kit), player)
        # Hits by their places here are what hints are about.
        self._written = with_tempo_scale(score, specification.tempo_scale)
        self.tempo = self._written.tempo
        self.score: Score = eased(self._written, self._eased_beats(), player.travel)
        self.shared = shared_members(self.score)
        same = before if before and before.shared == self.shared else None
        postures = None if same is None else same.postures
        self.postures: StrikePostures = postures or self._strike_postures()
        self.resting = RestingPostures(self.at_kit, self.postures, self.touch)
        check_length(specification.name, self.tempo.time(self.score.beats))
        self.grid = self._knots()
        self.times = self.grid.times

    def _at_kit(self, kit: str, feet: Sequence[str]) -> RobotAtKit:
        """The robot in its place at the kit, with the feet that play."""
        specification = self.specification
        with located("robot"):
            return RobotAtKit(
                specification.robot,
                specification.equipment,
                specification.seat == "chair",
                kit,
                feet,
                specification.scale,
            )

    def _strike_postures(self) -> StrikePostures:
        """How arms reach heads; nothing is found yet."""
        return self.at_kit.strike_postures(self.stroke.slope)

    def _knots(self) -> KnotGrid:
        """Knots at all that happens, and evenly between."""
        beats = [h.beat for h in self.score.hits]
        beats += [b for h in self.score.holds for b in (h.contact_start, h.contact_end)]
        beats += [b for t in self.score.targets for b in (t.beat, t.beat + t.beats)]
        spans = [
            (a, b)
            for hand in (*HANDS, *self.at_kit.feet)
            for (a, *_), (b, *_) in itertools.pairwise(self.score.stops(hand))
        ]
        if self.specification.tempo_scale != 1.0:
            # Knots grow apart from one of these to the next.
            for h in self.score.holds:
                beats += list(np.arange(h.contact_start, h.contact_end, REST_ANCHORS))
        # An ankle is at the hit in a third of the time that a wrist takes.
        steps = frozenset(h.beat for h in self.score.hits if h.hand in FEET)
        busy = frozenset(h.beat for h in self.score.hits) if self._is_dense else steps
        finer = (*(s for s in (steps, busy - steps) if s), *self.hints.finer)
        return KnotGrid(self.tempo, self.score.beats, beats, spans, finer)

    def _eased_beats(self) -> frozenset[float]:
        """Beats of hits that may be moved: all of a dense take, and those of hints."""
        if not (self._is_dense and is_uneven(self._written)):
            return self.hints.eased
        return frozenset(h.beat for h in self._written.hits)

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
        """Where a tip is when it touches a head; axes of the head.

        The same of a target by its name, which is in the air.
        """
        if member not in self.kit.members:
            size = self.at_kit.size
            return target_pose(self.score, self.kit, member, hand, self.touch, size)
        place = [*self.aim(member, hand), TIP_RADIUS]
        return self.kit.strike_pose(member) @ RigidTransform(place)

    def plan(self) -> MotionPlan:
        """The problem with strokes, holds and impacts of all hits."""
        specification, stroke = self.specification, self.stroke
        q_start = start_at_rest(
            self.score, self.resting, self.at_kit.posture, specification.name
        )
        path = strike_path(
            self.score, self.times, self.postures, self.touch, stroke.apex, q_start
        )
        drumming = DrumTasks(
            self.robot, self.kit, self.score, self.grid, self.touch, stroke
        )
        tasks = [*drumming.postures(q_start, path), *drumming.holds()]
        heights = {hand: self.at_kit.elbow_height(hand) for hand in HANDS}
        tasks += drumming.elbows(heights, self.postures.elbow_is_free)
        tasks += drumming.targets()
        for hand in HANDS:
            tasks += drumming.strokes(hand)
        impacts = drumming.impacts()
        for pedal in self._pedals():
            tasks += pedal.tasks()
            impacts += pedal.impacts()
        if specification.seat == "none":
            tasks.append(drumming.balance(self.at_kit.supports))
        problem = TrajectoryProblem(
            robot=self.robot,
            times=self.times,
            schedule=contact_schedule(self.score, self.at_kit.supports, self.touch),
            q_start=q_start,
            posture=q_start,
            guess=path,
            guess_is_clear=True,
            tasks=tasks,
            impacts=impacts,
            collisions=self.at_kit.collisions,
            near=drumming.near(self.at_kit.collisions),
            limits=self._limits(),
            excess_cost=DENSE_EXCESS_COST if self._is_dense else EXCESS_COST,
            weights=specification.trajectory_weights(self._weights()),
        )
        return MotionPlan(
            problem=problem,
            mount=self.at_kit.mount,
            events=score_events(self.score, self.aim),
            scene=self.at_kit.scene,
            bpm=self.tempo.bpm,
            meter=self.tempo.meter,
            remarks=self.score.remarks,
            review=self._review,
            fallback_plan=self._fallback_plan if self.rounds else None,
            hints=self.hints,
            in_words=self._in_words if self.tempo.songs else None,
            left_out=self.score.left_out,
            search_time=specification.search_time,
            in_windows=self.is_open and self.times[-1] >= IN_WINDOWS,
        )

    def _in_words(self, time: float) -> str:
        """Song, bar and beat of a time [s]."""
        return self.tempo.in_words(self.tempo.beat(time), 2)

    def _review(self, motion: DenseTrajectory, com: np.ndarray) -> list[str]:
        """Hits at which an elbow is not down, measured on the motion."""
        elbows = find_elbows(self.robot, motion.t, motion.q)
        return raised_at_hits(elbows, score_events(self.score, self.aim))

    def _pedals(self) -> list[PedalTasks]:
        """What feet do."""
        stroke = self.stroke
        return [
            PedalTasks(
                foot,
                self.score.of_hand(name),
                self.grid,
                stroke,
                self.kit.member(foot.pedal.member).restitution,
            )
            for name, foot in self.at_kit.feet.items()
        ]

    def _limits(self) -> Limits:
        """Limits of the motion; heels of feet on pedals carry their legs."""
        limits = CAREFUL if self._is_careful else FIRST
        friction = (
            FIRMER ** (self.hints.firmer + FIRMEST * self._is_dense)
            * limits.friction_share
        )
        # Legs weigh as lengths cubed.
        low, high = (self.at_kit.scale**3 * force for force in HEEL_FORCE)
        heels = {foot.heel: (low, high) for foot in self.at_kit.feet.values()}
        if heels:
            friction = min(friction, HEEL_FRICTION)
        return replace(limits, contact_forces=heels, friction_share=friction)

    def _weights(self) -> TrajectoryWeights:
        """Weights of the motion; a leg that plays may move."""
        sides = (name.partition(" ")[0] for name in self.at_kit.feet)
        legs = {f"{side} leg": PLAYING for side in sides}
        return replace(WEIGHTS, smoothness_share={**WEIGHTS.smoothness_share, **legs})

    @property
    def _is_careful(self) -> bool:
        """Whether knots leave more to what is between, after a motion failed.

        Closer knots alone are tried first where most windows remain as they are.
        """
        hints, spared = self.hints, self.times[-1] >= MANY_WINDOWS
        changed = bool(hints.prices or hints.dropped)
        return changed or self._is_dense or len(hints.finer) > spared

    @property
    def _is_dense(self) -> bool:
        """Whether hands play so much that the first knots have never been enough."""
        hits = (h for h in self._written.hits if h.hand in HANDS)
        times = [self.tempo.time(h.beat) for h in hits]
        played = times[-1] - times[0] if times else 0.0
        return len(times) > DENSE * played > 0

    def _fallback_plan(self, violations: Sequence[Violation]) -> MotionPlan | None:
        """A plan with other hands where no motion was found, if there is one."""
        hints, rounds = self.hints, self.rounds
        may_drop = self.score.may_drop
        while rounds:
            rounds -= 1
            arms = self.at_kit.arms
            thought = next_hints(hints, self._written, violations, arms, may_drop)
            if thought is None:
                return None
            hints = thought
            other = DrummingProblem(
                self.specification, self.folder, hints, rounds, self
            )
            is_finer = not np.array_equal(other.times, self.times)
            is_firmer = hints.firmer != self.hints.firmer
            if is_finer or is_firmer or other.score.hits != self.score.hits:
                return other.plan()
        return None
