"""HandOffset: a hand at an offset from its place in the behavior.

The arm follows by damped least squares in closed loop on the behavior's own posture:
with the offset r of the joints so far and the error e of the hand, each tick adds

    d = argmin |J d - e|^2 + lambda^2 |r + d|^2,

bounded by a joint speed. An offset that is taken back takes r back to zero. Source
    Wampler, "Manipulator Inverse Kinematic Solutions Based on Vector Formulations and
    Damped Least-Squares Methods", 1986.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.kinematic_tree import make_workspace
from backbeat.models.dynamics.kinematics import frame_jacobian, frame_pose
from backbeat.models.dynamics.recursion import forward_pass
from backbeat.models.robot.model import RobotModel

# A new offset is reached after so long [s].
REACH_TIME = 0.8
# Damping of the least squares [m/rad], most speed of a joint [rad/s], and what joints
# keep off their stops [rad].
DAMPING, MOST_SPEED, MARGIN = 0.03, 3.0, 0.03
# Offsets of joints that are as good as none [rad].
NOTHING = 1e-6


@dataclass(frozen=True)
class HandOffset:
    """Where a hand shall be against the behavior, over time.

    Attributes:
        part: the hand, one of the robot's parts.
        since: from when on it moves, in time of the behavior [s].
        before, after: offsets until then and from `REACH_TIME` later, in world
            axes [m].
    """

    part: str
    since: float
    before: tuple[float, ...]
    after: tuple[float, ...]

    def at(self, t: float) -> np.ndarray:
        """(3,) offset at time t of the behavior [m], at rest at both ends."""
        u = min(1.0, max(0.0, (t - self.since) / REACH_TIME))
        share = u**3 * (10 - 15 * u + 6 * u**2)
        start = np.array(self.before)
        return start + share * (np.array(self.after) - start)

    def changed(self, t: float, offset: Sequence[float]) -> "HandOffset":
        """This offset until t, and another from then on."""
        before = tuple(self.at(t).tolist())
        return HandOffset(self.part, t, before, tuple(float(x) for x in offset))


def check_hand(robot: RobotModel, part: str) -> None:
    """Checks that a part of a robot has joints to be held elsewhere with.

    Raises:
        BackbeatError: it has not.
    """
    limbs = [n for n, p in robot.parts.items() if p.limb]
    if part not in limbs:
        raise BackbeatError(
            f"this robot has no {part} to hold elsewhere; it has "
            f"{', '.join(limbs) or 'none'}"
        )


class ArmReach:
    """What the joints of an arm add to a posture so that a hand is elsewhere."""

    def __init__(self, robot: RobotModel, part: str, points: Sequence[str]) -> None:
        """Finds the arm.

        Args:
            robot: the robot.
            part: the hand.
            points: points with targets of their own, of which some ride on the hand.

        Raises:
            BackbeatError: the robot has no such part.
        """
        check_hand(robot, part)
        word = robot.parts[part]
        self._robot, self._frame = robot, robot.frame(word.frame)
        self.joints = robot.groups[word.limb]
        on = [set(robot.contacts[n].limb) >= set(self.joints) for n in points]
        self.points = np.flatnonzero(on)
        self._workspace = make_workspace(robot.tree)
        self._zero = np.zeros(robot.num_velocities)

    def step(
        self, q: np.ndarray, offset: np.ndarray, reach: np.ndarray, most: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One step of the joints.

        Args:
            q: (nq,) the behavior's configuration.
            offset: (3,) of the hand [m].
            reach: (n,) what the joints add so far [rad].
            most: most change of a joint [rad].

        Returns:
            What they add now, and how far the hand is moved by that (3,) [m] and by
            the change (3,) [m].
        """
        robot = self._robot
        columns = robot.base_velocities + self.joints
        planned, _ = self._place(q)
        bent = q.copy()
        angles = robot.base_positions + self.joints
        bent[angles] += reach
        place, J = self._place(bent)
        J = J[3:, columns]
        error = planned + offset - place
        damping = DAMPING**2
        d = np.linalg.solve(
            J.T @ J + damping * np.eye(len(reach)), J.T @ error - damping * reach
        )
        wanted = reach + np.clip(d, -most, most)
        low = np.minimum(robot.position_lower[self.joints] + MARGIN - q[angles], 0.0)
        high = np.maximum(robot.position_upper[self.joints] - MARGIN - q[angles], 0.0)
        wanted = np.clip(wanted, low, high)
        moved = J @ (wanted - reach)
        return wanted, place + moved - planned, moved

    def _place(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the hand is from the base [m], and its Jacobian (6, nv)."""
        robot, ws, frame = self._robot, self._workspace, self._frame
        forward_pass(robot.tree, q, self._zero, self._zero, robot.gravity, ws, False)
        R, r = np.zeros((3, 3)), np.zeros(3)
        frame_pose(robot.tree, ws, q, frame.body, frame.R_PF, frame.p_PF, R, r)
        J = np.zeros((6, robot.num_velocities))
        frame_jacobian(robot.tree, ws, frame.body, r, J)
        return r, J
