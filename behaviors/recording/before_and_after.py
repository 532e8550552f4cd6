"""What a take exceeds and the behavior made of it does not: both measured alike."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from backbeat.behaviors.recording.feasibility import TakeReport, examine
from backbeat.behaviors.recording.take_changes import RecordedPart
from backbeat.behaviors.takes.take import Take
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.verification.certificate import Check


class TakeMeasure(NamedTuple):
    """How a check of a take is put into words.

    Attributes:
        words: what is measured.
        unit: that it is printed in.
        scale: of what is measured, in that unit.
    """

    words: str
    unit: str
    scale: float


MEASURES = {
    "foot_slide": TakeMeasure("a foot that stands slides", "mm", 1e3),
    "penetration": TakeMeasure("a foot is below the floor", "mm", 1e3),
    "floating": TakeMeasure("a foot that stands floats", "mm", 1e3),
    "collision": TakeMeasure("parts of the robot are in each other", "mm", 1e3),
    "joint_position": TakeMeasure("joint beyond its range", "rad", 1.0),
    "joint_velocity": TakeMeasure("joint speed", "% of its limit", 1e2),
    "joint_torque": TakeMeasure("joint torque", "% of its limit", 1e2),
    "force_balance": TakeMeasure("ground force missing", "% of weight", 1e2),
    "moment_balance": TakeMeasure("ground moment missing", "weights x mm", 1e3),
}


@dataclass(frozen=True)
class BeforeAndAfter:
    """What a take and the behavior made of it exceed.

    Attributes:
        before: of the part of the take.
        after: of the part of the behavior, by the same measures.
    """

    before: TakeReport
    after: TakeReport

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each check, in the order of `MEASURES` and in their units.

        Yields:
            `check`, `words`, `unit`, `most` (what is allowed), `before`, `at` [s of the
            take], `where`, `others` (the worst of what else is beyond, at times when
            that is the worst: dictionaries with `where`, `value` and `at`), `share` (of
            the time beyond), `exceeds` and `after`.
        """
        after = {c.name: c.value for c in self.after.checks.checks}
        before = {c.name: c for c in self.before.checks.checks}
        for name, (words, unit, scale) in MEASURES.items():
            check = before[name]
            yield {
                "check": name,
                "words": words,
                "unit": unit,
                "most": scale * check.bound,
                "before": scale * check.value,
                "at": check.time,
                "where": "" if check.where == "ground" else check.where,
                "others": [
                    {"where": c.where, "value": scale * c.value, "at": c.time}
                    for c in self._others(check)
                ],
                "share": self.before.shares[name],
                "exceeds": not check.passed,
                "after": scale * after[name],
            }

    def _others(self, check: Check) -> list[Check]:
        """The worst of each other subject that is beyond, largest first."""
        worst: dict[str, Check] = {}
        for place in self.before.checks.places:
            if place.name == check.name and place.where != check.where:
                known = worst.setdefault(place.where, place)
                if place.value > known.value:
                    worst[place.where] = place
        return sorted(worst.values(), key=lambda c: -c.value)


def before_and_after(
    take: Take,
    robot: RobotModel,
    motion: DenseTrajectory,
    part: RecordedPart,
    where: str,
) -> BeforeAndAfter:
    """Measures a take and a behavior against what their robot can do.

    Args:
        take: the take, with its base.
        robot: whose motion both are.
        motion: that of the behavior.
        part: which part of each.
        where: names the take in errors.

    Raises:
        BackbeatError: the take has no base, or the robot no two soles.
    """
    if take.base is None:
        raise BackbeatError(
            f"{where}: the take has no floating base, so that its feet, balance and "
            "torques cannot be judged"
        )
    made = made_take(motion, robot, part.start, part.end)
    return BeforeAndAfter(
        before=examine(take.part(part.first, part.last, where), robot, where),
        after=examine(made, robot, where),
    )


def made_take(
    motion: DenseTrajectory, robot: RobotModel, start: float, end: float
) -> Take:
    """Samples of a behavior as a take, so that both are measured alike.

    Args:
        motion: that of the behavior.
        robot: whose motion it is, with a floating base.
        start, end: times of the behavior [s].
    """
    inside = (motion.t >= start) & (motion.t <= end)
    # Where velocities jump, a time is there twice.
    inside[1:] &= np.diff(motion.t) > 0
    q = motion.q[inside]
    return Take(motion.t[inside], tuple(robot.joint_names), q[:, 7:], q[:, :7])
