"""Strike postures: how an arm reaches each drum without touching another.

A trajectory optimizer bends a motion, it does not find a path around a cymbal.
So every drum a hand plays gets a posture by inverse kinematics among all
obstacles, one at the head and one above it, and the path through these postures
is where the optimizer starts.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.behaviors.drumming.arm_paths import ArmPath, ArmPathSearch, Clearance
from backbeat.models.collision.shapes import CollisionModel
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKSolution,
    IKTarget,
    InverseKinematics,
)

# Random starts tried before a drum counts as out of reach, and their spread [rad].
STARTS, SPREAD = 40, 0.8
# What an arm may lack in clearance [m]: the optimizer pushes it out again.
SLACK = 2e-3
# Weight of the back beside the arm's, which is 1: it stays where it is, so that the
# path of an arm alone keeps clear, or it helps a little where a drum is far.
BACK = (1e4, 20.0)
# Clearance that may lack on the path between two heads, where it need not be exact [m].
PATH_SLACK = 5e-3
# How much lower than its apex a tip may be half way, as a share of that.
LOWER = 0.3


# Looks down from a height: a bound from below on its z is one from above on a height.
DOWN = RotationMatrix.MakeXRotation(np.pi)


@dataclass(frozen=True)
class ArmFrames:
    """Frames of an arm with a stick.

    Attributes:
        joints: (n,) indices of the joints of the arm.
        tip, stick: frames of the stick's tip and of the stick.
        elbow: frame at the elbow.
        elbow_height: height that the elbow shall not exceed in the world [m].
        stick_length: from grip to tip [m].
    """

    joints: np.ndarray
    tip: str
    stick: str
    elbow: str
    elbow_height: float
    stick_length: float


class StrikePostures:
    """Finds the postures of one robot at one kit; results are kept.

    Elbows are down: where no posture has its elbow below the height it shall not
    exceed, one without is taken, and `elbow_is_free` says so.
    """

    def __init__(
        self,
        robot: RobotModel,
        posture: np.ndarray,
        collisions: Mapping[str, CollisionModel],
        arms: Mapping[str, ArmFrames],
        slope: float,
        stays_up: bool = False,
    ) -> None:
        """Prepares the search.

        Args:
            robot: the robot with sticks.
            posture: (nq,) nominal configuration.
            collisions: what keeps away from what while a hand moves, by hand.
            arms: frames of each arm, by hand.
            slope: least slope of the stick down to the head [rad].
            stays_up: whether a tip is over both heads half way from one to the other
                from the beginning; else an optimizer raises it.
        """
        self._stays_up = stays_up
        self.robot, self.posture = robot, posture
        self._arms = arms
        self._slope = slope
        self._collisions = collisions
        self._found: dict[tuple[str, str, float], np.ndarray] = {}
        # Weight of the back, and whether the elbow is free, by hand and member.
        self._reaches: dict[tuple[str, str], tuple[float, bool]] = {}
        self._paths: dict[tuple[str, str, str], ArmPath] = {}
        self._solvers: dict[tuple[str, float], InverseKinematics] = {}

    def arm(self, hand: str) -> np.ndarray:
        """Joint indices of a hand's arm."""
        return self._arms[hand].joints

    def elbow_is_free(self, hand: str, member: str) -> bool:
        """Whether the elbow cannot be down at a member that was reached."""
        return self._reaches[hand, member][1]

    def reach(
        self, hand: str, member: str, X_WT: RigidTransform, height: float = 0.0
    ) -> np.ndarray:
        """(n,) arm joints with the tip at a height above a drum.

        Args:
            hand: "left" or "right".
            member: drum, for errors and to remember the result.
            X_WT: where the tip touches the head, in axes of the head.
            height: of the tip above that place, straight up [m].

        Raises:
            BackbeatError: no posture without collision was found.
        """
        key = (hand, member, round(height, 3))
        if key not in self._found:
            if height == 0:
                found = self._search(hand, member, X_WT)
            else:
                at = self.robot.base_positions + self.arm(hand)
                start = self.posture.copy()
                start[at] = self.reach(hand, member, X_WT)
                up = RigidTransform([0.0, 0.0, height]) @ X_WT
                found = self._solve(hand, member, up, start, start)
            at = self.robot.base_positions + self.arm(hand)
            self._found[key] = found.q[at]
        return self._found[key]

    def path(self, hand: str, a: "Stop", b: "Stop", apex: float) -> ArmPath:
        """Postures on the path from one stop to the next, clear where there are any.

        Args:
            hand: left or right.
            a, b: where it is from and to.
            apex: height above the higher of the two drums [m].
        """
        key = (hand, a.member, b.member)
        if key not in self._paths:
            top = max(a.X_WT.translation()[2], b.X_WT.translation()[2]) + apex

            def over(stop: Stop, low: bool) -> np.ndarray:
                height = apex if low else top - stop.X_WT.translation()[2]
                return self.reach(hand, stop.member, stop.X_WT, height)

            # Straight up beside a higher cymbal there is not always clearance.
            kinds = ((False, False), (True, True), (True, False), (False, True))
            lifts = [(over(a, x), over(b, y)) for x, y in kinds]
            ends = [self.reach(hand, s.member, s.X_WT) for s in (a, b)]
            is_up = self._is_up(hand, top - LOWER * apex) if self._stays_up else None
            search = ArmPathSearch(self._clearance(hand), PATH_SLACK, is_up)
            self._paths[key] = search.find(ends[0], ends[1], lifts)
        return self._paths[key]

    def _is_up(self, hand: str, height: float) -> Callable[[np.ndarray], bool]:
        """Whether a tip is above a height [m] at a posture of its arm."""
        q, at = self.posture.copy(), self.robot.base_positions + self.arm(hand)
        state = Configuration(self.robot, q)

        def is_up(joints: np.ndarray) -> bool:
            q[at] = joints
            return bool(state.update(q).place(self._arms[hand].tip)[2] > height)

        return is_up

    def _clearance(self, hand: str) -> Clearance:
        """Clearance of an arm while the rest of the robot is as in the posture."""
        model = self._collisions[hand]
        state, arrays = Configuration(self.robot, self.posture), model.arrays()
        q, at = self.posture.copy(), self.robot.base_positions + self.arm(hand)
        behind = np.array([f.part != "tip" for f in model.spheres])

        def clearance(joints: np.ndarray, with_tip: bool) -> float:
            q[at] = joints
            d, _ = state.update(q).distances(arrays)
            return float((d if with_tip else d[behind]).min()) - model.margin

        return clearance

    def _search(self, hand: str, member: str, X_WT: RigidTransform) -> IKSolution:
        """The nearest of the reachable postures, by the arm alone if it can be.

        With the elbow down if any of them has it there.
        """
        for elbow_is_free, stiffness in itertools.product((False, True), BACK):
            self._reaches[hand, member] = stiffness, elbow_is_free
            best = self._nearest(hand, member, X_WT)
            if best is not None:
                return best
        raise BackbeatError(
            f"the {hand} hand cannot reach the {member} without touching "
            "something; give it to the other hand or move the drum"
        )

    def _nearest(
        self, hand: str, member: str, X_WT: RigidTransform
    ) -> IKSolution | None:
        """The nearest of the postures found from the nominal one and others."""
        rng = np.random.default_rng(0)
        at = self.robot.base_positions + self.arm(hand)
        best: IKSolution | None = None
        for k in range(STARTS):
            start = self.posture.copy()
            if k > 0:
                start[at] += SPREAD * rng.normal(size=len(at))
            found = self._solve(hand, member, X_WT, self.posture, start)
            if found.is_reached and found.clearance > -SLACK:
                if best is None or found.distance < best.distance:
                    best = found
                if k >= 3:
                    break
        return best

    def _solve(
        self,
        hand: str,
        member: str,
        X_WT: RigidTransform,
        q_near: np.ndarray,
        start: np.ndarray,
    ) -> IKSolution:
        arm = self._arms[hand]
        grip = arm.stick_length * np.sin(self._slope)
        targets = {
            arm.tip: IKTarget(X_WT, "x y z"),
            arm.stick: IKTarget(X_WT, "z", lower=grip),
        }
        back, elbow_is_free = self._reaches[hand, member]
        if not elbow_is_free:
            X = RigidTransform(DOWN, [0.0, 0.0, arm.elbow_height])
            targets[arm.elbow] = IKTarget(X, "z", lower=0.0)
        return self._kinematics(hand, back).solve(q_near, targets, q_start=start)

    def _kinematics(self, hand: str, back: float) -> InverseKinematics:
        """Only this arm moves, and the back a little where it has to."""
        if (hand, back) not in self._solvers:
            self._solvers[hand, back] = self._make_kinematics(hand, back)
        return self._solvers[hand, back]

    def _make_kinematics(self, hand: str, back: float) -> InverseKinematics:
        weights = np.full(self.robot.num_velocities, 1e4)
        nf = self.robot.base_velocities
        weights[nf + self.robot.roles.joints("waist")] = back
        weights[nf + self.arm(hand)] = 1.0
        return InverseKinematics(self.robot, self._collisions[hand], weights)


@dataclass(frozen=True)
class Stop:
    """A moment at which a tip is at a head.

    Attributes:
        time: when [s].
        member: drum.
        X_WT: where the tip is.
        stays: whether the tip rests there until the next stop.
    """

    time: float
    member: str
    X_WT: RigidTransform
    stays: bool = False


def arm_path(
    postures: StrikePostures,
    hand: str,
    times: np.ndarray,
    stops: Sequence[Stop],
    apex: float,
) -> np.ndarray:
    """(N, n) arm joints from stop to stop: up, across and down, around what is there.

    Args:
        postures: how the hand reaches drums.
        hand: whose arm.
        times: (N,) knot times [s].
        stops: in order of time.
        apex: height of the way above the higher of its two drums [m].
    """
    first = stops[0]
    keys = [(first.time, postures.reach(hand, first.member, first.X_WT))]
    for a, b in itertools.pairwise(stops):
        gap = b.time - a.time
        if not a.stays:
            path = postures.path(hand, a, b, apex)
            keys += [(a.time + share * gap, joints) for share, joints in path]
        keys.append((b.time, postures.reach(hand, b.member, b.X_WT)))
    grid = np.array([t for t, _ in keys])
    values = np.array([x for _, x in keys])
    columns = [np.interp(times, grid, values[:, j]) for j in range(values.shape[1])]
    return np.array(columns).T
