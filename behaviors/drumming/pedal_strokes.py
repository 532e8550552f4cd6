"""Strokes of a foot on a pedal, as tasks of a trajectory problem.

The heel stays on the floor and carries its leg, and the ankle turns the foot about it:
the toes press the board of the pedal down, which swings the beater. Toes have the
heights of a stroke as the tips of sticks have theirs, so many times slower than the
beater as the board's lever and chain make them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.strokes import (
    RISING,
    STILL,
    PlannedHit,
    Stroke,
    fall,
    planned_rebound,
)
from backbeat.behaviors.motion.knot_grid import KnotGrid
from backbeat.behaviors.music.notation.score import Hit
from backbeat.models.kit.pedals import Pedal
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.tasks import FrameTask
from backbeat.optimization.problem.trajectory_problem import Impact, Task

# Weight of the heights of the toes.
HEIGHTS = 3e5
# What foot, board and beater weigh at the toes, at most [kg].
TOE_MASS = 0.9
# Least and most of what a heel carries [N]: it is to be felt, and the leg is light.
HEEL_FORCE = (90.0, 400.0)


@dataclass(frozen=True)
class PlayingFoot:
    """A foot on a pedal.

    Attributes:
        robot: the robot, with the pedal's equipment.
        pedal: where it is.
    """

    robot: RobotModel
    pedal: Pedal

    @property
    def sole(self) -> str:
        """Contact of the foot."""
        heel = self.robot.rests.index(self.heel)
        return self.robot.soles[heel]

    @property
    def heel(self) -> str:
        """Contact that carries."""
        return f"{self.pedal.foot[0]}_heel"

    @property
    def toe(self) -> str:
        """Contact that presses."""
        return f"{self.pedal.foot[0]}_toe"

    @property
    def limb(self) -> np.ndarray:
        """Joints of the leg."""
        return self.robot.contacts[self.heel].limb

    @cached_property
    def lever(self) -> float:
        """From heel to toe [m]."""
        heel, toe = (self.robot.contacts[n].frame for n in (self.heel, self.toe))
        return float(np.linalg.norm(toe.p_PF - heel.p_PF))

    def sole_pose(self, angle: float) -> RigidTransform:
        """X_WC of the sole on the board at an angle [rad]."""
        half = self.robot.contacts[self.sole].half_length
        return self.pedal.board_pose(angle) @ RigidTransform([half, 0.0, 0.0])

    def toe_place(self, angle: float) -> np.ndarray:
        """(3,) place of the toes on the board at an angle [rad]."""
        return self.pedal.board_pose(angle).multiply(np.array([self.lever, 0.0, 0.0]))


class PedalTasks:
    """Tasks of one foot."""

    def __init__(
        self,
        foot: PlayingFoot,
        hits: Sequence[Hit],
        grid: KnotGrid,
        stroke: Stroke,
        restitution: float,
    ) -> None:
        """Lays out the strokes.

        Args:
            foot: the foot.
            hits: what it plays, in order.
            grid: the knots.
            stroke: how drums are struck: a beater is as fast as a stick.
            restitution: share of its speed that a free stick keeps on the member.
        """
        self.foot, self.grid, pedal = foot, grid, foot.pedal
        low, high = (float(foot.toe_place(a)[2]) for a in (pedal.hit, pedal.rest))
        speed = stroke.speed * foot.lever / pedal.ratio
        self.stroke = replace(stroke, apex=high - low, speed=speed)
        self._touch = RigidTransform(foot.toe_place(pedal.hit))
        self._rebound = planned_rebound(restitution)
        self._hits = [self._planned(hits, i) for i in range(len(hits))]

    def _planned(self, hits: Sequence[Hit], i: int) -> PlannedHit:
        times = [float(self.grid.times[self.grid.knot(h.beat)]) for h in hits]
        since = times[i] - times[i - 1] if i > 0 else np.inf
        until = times[i + 1] - times[i] if i + 1 < len(hits) else np.inf
        return PlannedHit(
            hits[i],
            (since, until),
            self.foot.toe,
            self._touch,
            self._rebound,
            self.stroke,
            self.grid,
        )

    def _swing(self, planned: PlannedHit) -> list[Task]:
        """Heights of the toes from their way down to their way up."""
        grid, (last, first) = self.grid, planned.beside
        down = min(self.stroke.fall_time, 0.5 * planned.gaps[0])
        before = grid.within(planned.time - down, grid.times[last] - 1e-3)
        up = planned.time + RISING * planned.rise
        after = np.union1d(
            np.arange(planned.knot + 1, first + 1), grid.within(planned.time, up)
        )
        heights = {i: planned.falling(i) for i in before}
        heights |= {i: planned.rising(i) for i in after if i > planned.knot}
        return [
            FrameTask(
                self.foot.toe,
                np.array([i]),
                self._touch @ RigidTransform([0.0, 0.0, height]),
                "z",
                weight=HEIGHTS,
            )
            for i, height in heights.items()
        ]

    def impacts(self) -> list[Impact]:
        """Impulses of the hits on the toes, through board and beater."""
        normal = self.foot.pedal.board_pose(self.foot.pedal.hit).rotation().matrix()
        x, y, z = normal[:, 2].tolist()
        found = []
        for planned in self._hits:
            speed = self.stroke.strike_speed(planned.hit.velocity)
            impulse = TOE_MASS * (1 + self._rebound) * speed
            found.append(Impact(planned.knot, self.foot.toe, impulse, (x, y, z)))
        return found

    def tasks(self) -> list[Task]:
        """The strokes, rest between them, and a foot that points ahead."""
        knots = np.arange(len(self.grid.times))
        straight = self.foot.sole_pose(self.foot.pedal.hit)
        found: list[Task] = [
            FrameTask(self.foot.sole, knots, straight, "rx rz", weight=STILL)
        ]
        is_moving = np.zeros(len(knots), bool)
        for planned in self._hits:
            k, (last, first) = planned.knot, planned.beside
            at = np.array([k])
            found.append(FrameTask(self.foot.toe, at, self._touch, "z"))
            found += [fall(planned, i, i == last) for i in range(last, k)]
            found += self._swing(planned)
            down = min(planned.stroke.fall_time, 0.5 * planned.gaps[0])
            up = RISING * planned.rise
            is_moving[self.grid.within(planned.time - down, planned.time + up)] = True
            is_moving[last : first + 1] = True
        still = knots[~is_moving]
        rest = RigidTransform(self.foot.toe_place(self.foot.pedal.rest))
        if len(still):
            found.append(FrameTask(self.foot.toe, still, rest, "z", weight=HEIGHTS))
        return found
