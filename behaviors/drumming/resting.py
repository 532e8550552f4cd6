"""Resting: how both arms have their sticks on drums at once, clear of each other.

Each arm alone reaches its drum among what does not move. Together they may cross, or
their tips be on one member: they are side by side there, as in strokes, and one arm
goes around the other.
"""

from collections.abc import Callable, Mapping

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.drumming.drummer import stick_tip
from backbeat.behaviors.drumming.kit_at_size import SEAT
from backbeat.behaviors.drumming.robot_at_kit import RobotAtKit
from backbeat.behaviors.drumming.strike_postures import StrikePostures
from backbeat.behaviors.music.notation.score import HANDS, Score
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)

# What a posture may lack in clearance [m].
SLACK = 5e-4
# Weight of the back beside the arms', which is 1: they reach, it stays.
BACK = 100.0


def shared_members(score: Score) -> set[str]:
    """Members that both hands strike, or are at together while one of them rests."""
    played = {hand: {h.member for h in score.of_hand(hand)} for hand in HANDS}
    found = played["left"] & played["right"]
    for hold in score.holds:
        end = hold.beat + hold.beats
        for hand, other in (HANDS, HANDS[::-1]):
            theirs = [
                h.member for h in score.of_hand(other) if hold.beat <= h.beat <= end
            ]
            member = hold.rest.get(hand)
            if member in theirs or member == hold.rest.get(other):
                found |= {member} if member else set()
    return found


class RestingPostures:
    """Finds configurations of a robot at its kit with sticks on drums."""

    def __init__(
        self,
        at_kit: RobotAtKit,
        postures: StrikePostures,
        touch: Callable[[str, str], RigidTransform],
    ) -> None:
        """Prepares the search.

        Args:
            at_kit: robot and kit.
            postures: how each arm alone reaches drums.
            touch: where a tip touches a head, by member and hand; axes of the head.
        """
        self._at_kit, self._postures, self._touch = at_kit, postures, touch

    def find(
        self, rest: Mapping[str, str], q_near: np.ndarray
    ) -> tuple[np.ndarray, str]:
        """A configuration with tips at rest, and what is wrong with it if anything is.

        Args:
            rest: member by hand.
            q_near: (nq,) what it is to be near to.
        """
        q, targets = self._apart(rest, q_near), self._targets()
        for hand, member in rest.items():
            targets[stick_tip(hand)] = IKTarget(self._touch(member, hand), "x y z")
        robot, supports = self._at_kit.robot, self._at_kit.supports
        middle = None
        if SEAT not in supports:
            places = [X.translation() for X in supports.values()]
            middle = np.mean(places, axis=0)[:2]
        weights = np.ones(robot.num_velocities)
        weights[robot.base_velocities + robot.roles.joints("waist")] = BACK
        found = InverseKinematics(robot, joint_weights=weights).solve(
            q, targets, middle
        )
        if found.is_reached and self._near_at(found.q) is None:
            return found.q, ""
        # Nearest to the posture, something is in the way: around it.
        kinematics = InverseKinematics(robot, self._at_kit.behind_tips, weights)
        found = kinematics.solve(q, targets, middle, found.q)
        if not found.is_reached:
            worst, away = found.worst, found.away
            return found.q, f"{worst} cannot reach its drum, but ends {away} away"
        return found.q, self._near_at(found.q) or ""

    def _apart(self, rest: Mapping[str, str], q_near: np.ndarray) -> np.ndarray:
        """(nq,) each arm as it would rest alone."""
        q = q_near.copy()
        for hand, member in rest.items():
            at = self._at_kit.robot.base_positions + self._postures.arm(hand)
            q[at] = self._postures.reach(hand, member, self._touch(member, hand))
        return q

    def _targets(self) -> dict[str, IKTarget]:
        """Where feet and seat are."""
        feet = self._at_kit.feet.values()
        heels = {foot.heel for foot in feet}
        supports = self._at_kit.supports.items()
        targets = {n: IKTarget(X) for n, X in supports if n not in heels}
        for foot in feet:
            targets[foot.sole] = IKTarget(foot.sole_pose(foot.pedal.rest))
        return targets

    def _near_at(self, q: np.ndarray) -> str | None:
        """What is too near to what at a configuration; None if nothing is.

        Tips are at heads, whose margins they have to themselves.
        """
        model = self._at_kit.behind_tips
        distances, _ = Configuration(self._at_kit.robot, q).distances(model.arrays())
        i = int(np.argmin(distances))
        lacking = model.margin - float(distances[i])
        if lacking <= SLACK:
            return None
        sphere = model.spheres[i]
        return (
            f"{sphere.link} ({sphere.part}) lacks {1e3 * lacking:.1f} mm of the "
            f"{1e3 * model.margin:.0f} mm that it keeps from kit and body"
        )
