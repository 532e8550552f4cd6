"""Drum tasks: a score's tasks of hands and torso in a trajectory problem.

Strokes at the hits, soft rests in holds while the torso turns to the beat, and
postures that keep the rest of the body still.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.drummer import elbow, stick, stick_tip
from backbeat.behaviors.drumming.kit_at_size import stick_length
from backbeat.behaviors.drumming.strokes import (
    PLAIN,
    PlannedHit,
    Stroke,
    clear,
    land,
    lift,
    planned_rebound,
    strike,
    swing,
    wait,
)
from backbeat.behaviors.motion.knot_grid import SPACING, KnotGrid
from backbeat.behaviors.music.notation.score import HANDS, HandTarget, Hold, Score
from backbeat.models.collision.shapes import CollisionModel
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.tasks import CenterOfMassTask, FrameTask, PostureTask
from backbeat.optimization.problem.trajectory_problem import Impact, Task

# How long before and after a stop a tip may be near its head [s], and most of it as a
# share of a way to another drum, for strokes without a shape.
BESIDE, NEAR_SHARE = 1.2 * SPACING, 0.25
# Weight of the torso's turn in a hold. It outweighs all that keeps the torso still: a
# fifth of a swing is no dance.
DANCE = 1e4
# What a stick and the hand behind it weigh at the tip, at most [kg].
TIP_MASS = 0.18
# Weight of the place of a tip that waits in the air [1/m^2 s].
STAY = 4000.0


@dataclass(frozen=True)
class DrumTasks:
    """Tasks of one score.

    Attributes:
        robot: the robot with sticks.
        kit: where the drums are.
        score: what is played, with hands for all hits.
        grid: the knots.
        touch: where a tip touches a head, by member and hand; axes of the head.
        stroke: how drums are struck.
    """

    robot: RobotModel
    kit: DrumKit
    score: Score
    grid: KnotGrid
    touch: Callable[[str, str], RigidTransform]
    stroke: Stroke

    @cached_property
    def _stops(self) -> dict[str, list[tuple[float, str, Hold | HandTarget | None]]]:
        """(time, drum, hold that begins) where each hand is at a head, in order."""
        time = self.score.tempo.time
        return {
            hand: [(time(beat), m, hold) for beat, m, hold in self.score.stops(hand)]
            for hand in HANDS
        }

    @cached_property
    def _stop_times(self) -> dict[str, np.ndarray]:
        """Times at which each hand is at a head, in order [s]."""
        return {h: np.array([s[0] for s in stops]) for h, stops in self._stops.items()}

    def postures(self, q_start: np.ndarray, path: np.ndarray) -> list[Task]:
        """Keeps the body still, and the arms near their way.

        Args:
            q_start: (nq,) configuration at the start.
            path: (N, nq) way through the strike postures.
        """
        robot, knots = self.robot, np.arange(len(self.grid.times))
        nq = robot.base_positions
        back = robot.roles.joints("waist")
        tasks: list[Task] = [PostureTask(back, knots, np.zeros(len(back)), 8.0)]
        arms = np.concatenate([robot.roles.joints(f"{h} arm") for h in HANDS])
        tasks.append(PostureTask(arms, knots, path[:, nq + arms], 2.0))
        if robot.floating:
            legs = np.concatenate([robot.roles.joints(f"{s} leg") for s in HANDS])
            tasks.append(PostureTask(legs, knots, q_start[nq + legs], 4.0))
            level, base = RigidTransform(), robot.base_name
            tasks.append(FrameTask(base, knots, level, "rx ry rz", weight=20.0))
        return tasks

    def balance(self, supports: Mapping[str, RigidTransform]) -> Task:
        """Keeps the center of mass over the middle of the supports."""
        places = [X.translation() for X in supports.values()]
        knots = np.arange(len(self.grid.times))
        middle = np.tile(np.mean(places, axis=0), (len(knots), 1))
        return CenterOfMassTask(knots, middle, np.array([400.0, 400.0, 0.0]))

    def elbows(
        self, heights: Mapping[str, float], is_free: Callable[[str, str], bool]
    ) -> list[Task]:
        """Elbows are down, except on ways to and from heads where they cannot be.

        Args:
            heights: in the world that each elbow shall not exceed, by hand [m].
            is_free: whether a hand's elbow cannot be down at a member.
        """
        tasks: list[Task] = []
        for hand in HANDS:
            X = RigidTransform([0.0, 0.0, heights[hand]])
            down = np.ones(len(self.grid.times), bool)
            for start, end in self.free_elbows(hand, is_free):
                down[self.grid.within(start, end)] = False
            low = elbow(self.robot, hand)
            tasks.append(FrameTask(low, np.flatnonzero(down), X, "z", upper=0))
        return tasks

    def free_elbows(
        self, hand: str, is_free: Callable[[str, str], bool]
    ) -> list[tuple[float, float]]:
        """Stretches in which an elbow may be up, from stop to stop [s]."""
        stops, ends = self._stops[hand], self.grid.times[-1]
        times = [0.0, *(t for t, *_ in stops), float(ends)]
        return [
            (times[i], times[i + 2])
            for i, (_, member, _) in enumerate(stops)
            if is_free(hand, member)
        ]

    def holds(self) -> list[Task]:
        """In holds the torso dances, and the hands come to rest softly."""
        tasks: list[Task] = []
        for hold in self.score.holds:
            tasks.append(self._dance(hold))
            start, end = self._span(hold)
            for hand, member in hold.rest.items():
                gaps = (self._gaps(hand, start)[0], self._gaps(hand, end)[1])
                X_WT, tip = self.touch(member, hand), stick_tip(hand)
                tasks += land(tip, (start, end), gaps, X_WT, self.stroke, self.grid)
        return tasks

    def targets(self) -> list[Task]:
        """Tips are where hands are sent when they are to be there, and stay there."""
        tasks: list[Task] = []
        for target in self.score.targets:
            X_WT, tip = self.touch(target.name, target.hand), stick_tip(target.hand)
            first = self.grid.knot(target.beat)
            last = self.grid.knot(target.beat + target.beats)
            tasks.append(FrameTask(tip, np.array([first]), X_WT, "x y z"))
            if last > first:
                knots = np.arange(first, last + 1)
                tasks.append(FrameTask(tip, knots, X_WT, "x y z", weight=STAY))
        return tasks

    def strokes(self, hand: str) -> list[Task]:
        """A hand's strokes, and its ways from one head to the next."""
        tasks: list[Task] = []
        hits, tip = self.score.of_hand(hand), stick_tip(hand)
        for hit, next_hit in zip_longest(hits, hits[1:]):
            planned = PlannedHit(
                hit,
                self._gaps(hand, self.score.tempo.time(hit.beat)),
                tip,
                self.touch(hit.member, hand),
                planned_rebound(self.kit.member(hit.member).restitution),
                self.stroke,
                self.grid,
                stick_length(self.robot, hand),
                next_hit.velocity if next_hit else PLAIN,
            )
            tasks += strike(planned)
            tasks += swing(planned) if self.stroke.shaped else clear(planned)
        velocity = {self.score.tempo.time(h.beat): h.velocity for h in hits}
        for (a, member_a, hold), (b, member_b, _) in pairwise(self._stops[hand]):
            rests = not {a, b} <= set(velocity)
            in_air = not {member_a, member_b} <= set(self.kit.members)
            if hold is not None or in_air or not (rests or self.stroke.shaped):
                continue
            heads = (self.touch(member_a, hand), self.touch(member_b, hand))
            loud = velocity.get(b, PLAIN)
            tasks.append(lift(tip, (a, b), heads, loud, rests, self.stroke, self.grid))
            if member_a == member_b and not rests:
                tasks += wait(tip, (a, b), heads[1], loud, self.stroke, self.grid)
        return tasks

    def impacts(self) -> list[Impact]:
        """Impacts of the sticks; an impulse turns a tip's speed around, no more.

        With more, the plan would let drums move arms and body, which they do not.
        """
        found = []
        for hit in (h for h in self.score.hits if h.hand in HANDS):
            rebound = planned_rebound(self.kit.member(hit.member).restitution)
            speed = self.stroke.strike_speed(hit.velocity)
            impulse = TIP_MASS * (1 + rebound) * speed
            normal = self.kit.strike_pose(hit.member).rotation().matrix()[:, 2]
            x, y, z = normal.tolist()
            knot, tip = self.grid.knot(hit.beat), stick_tip(hit.hand)
            found.append(Impact(knot, tip, impulse, (x, y, z)))
        return found

    def near(self, collisions: CollisionModel) -> list[tuple[int, np.ndarray]]:
        """Spheres of tips, and the knots at which they may be at heads."""
        near = []
        for hand in HANDS:
            spans = [self._span(h) for h in self.score.holds if hand in h.rest]
            around = [self.grid.within(a - BESIDE, b + BESIDE) for a, b in spans]
            at = np.unique(np.concatenate([*around, *self._at_heads(hand)]))
            tips = collisions.spheres_of(stick(hand), "tip")
            near += [(i, at) for i in tips]
        return near

    def _at_heads(self, hand: str) -> list[np.ndarray]:
        """Knots about stops; on short ways to another drum, not those far from both."""
        stops, found = self._stops[hand], []
        for i, (t, member, _) in enumerate(stops):
            sides = [BESIDE, BESIDE]
            for side, j in enumerate((i - 1, i + 1)):
                if self.stroke.shaped or not 0 <= j < len(stops):
                    continue
                if stops[j][1] != member:
                    sides[side] = min(BESIDE, NEAR_SHARE * abs(stops[j][0] - t))
            found.append(self.grid.within(t - sides[0], t + sides[1]))
        return found

    def _dance(self, hold: Hold) -> Task:
        """The torso turns to the beat."""
        start, end = hold.contact_start, hold.contact_end
        knots = np.arange(self.grid.knot(start), self.grid.knot(end) + 1)
        beats = self.grid.beats[knots] - start
        # Grows over the first beat and dies over the last, so nothing jerks.
        ends = np.minimum(beats, end - start - beats)
        window = np.clip(ends, 0, 1) ** 2 * (3 - 2 * np.clip(ends, 0, 1))
        angle = hold.sway * window * np.sin(2 * np.pi * beats / hold.sway_beats)
        turn = self.robot.roles.joints("waist yaw")
        return PostureTask(turn, knots, angle[:, None], DANCE)

    def _span(self, hold: Hold) -> tuple[float, float]:
        """When hands come to rest and when they leave [s]."""
        time = self.score.tempo.time
        return time(hold.contact_start), time(hold.contact_end)

    def _gaps(self, hand: str, time: float) -> tuple[float, float]:
        """Time since a hand was last at a drum, and until it is again [s]."""
        stops = self._stop_times[hand]
        before = np.searchsorted(stops, time - 1e-9) - 1
        after = np.searchsorted(stops, time + 1e-9, side="right")
        since = time - stops[before] if before >= 0 else np.inf
        return since, stops[after] - time if after < len(stops) else np.inf
