"""Straight limbs: knees close to straight, and the bend that they keep.

Where a limb is straight, no velocity of its joints moves its ends apart (Siciliano,
Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control", 2009, section
3.3). Knots may have a knee on either side of that while its foot stands; what is
between them is on neither, for the base would have to be at the limit of the leg's
reach just then. A knee that stays bent by 0.2 rad costs half a percent of that reach.
"""

import itertools
from typing import NamedTuple

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem

# Time over which a limb that is straighter than allowed at an end gets bent [s].
EASE = 0.4
# Links shorter than this on either side make no knee [m].
LINK = 0.05


class Knee(NamedTuple):
    """The joint of a limb that changes how far its ends are apart.

    Attributes:
        joint: its index.
        straight: angle at which they are farthest apart [rad].
    """

    joint: int
    straight: float


def find_knee(robot: RobotModel, contact: str) -> Knee | None:
    """The knee of the limb of a contact; None if it has none.

    The distance d between the joints beside one follows from its angle q alone, d^2 =
    a + 2 b cos(q - straight); a knee is the joint with the largest b.
    """
    tree, best, found = robot.tree, LINK**2, None
    limb = sorted(robot.contacts[contact].limb, key=lambda j: tree.num_ancestors[j])
    for joint, after in itertools.pairwise(limb):
        if not tree.revolute[joint] or joint == limb[0]:
            continue
        axis = tree.axis[joint]
        p, r = tree.R_PJ[joint].T @ tree.p_PJ[joint], tree.p_PJ[after]
        c = p @ r - (p @ axis) * (r @ axis)
        s = p @ np.cross(axis, r)
        if np.hypot(c, s) > best:
            best = float(np.hypot(c, s))
            found = Knee(int(joint), float(np.arctan2(s, c)))
    return found


def bent_range(
    problem: TrajectoryProblem, contact: str, bend: float
) -> tuple[int, np.ndarray, np.ndarray] | None:
    """How far the knee of a standing contact may go, knot by knot.

    Args:
        problem: whose motion it is.
        contact: the contact.
        bend: what a knee stays away from straight, on its side of it [rad].

    Returns:
        Its joint, and (N,) least and most angles [rad]; None if it has no knee.
    """
    robot, t = problem.robot, problem.times
    knee = find_knee(robot, contact)
    if knee is None:
        return None
    column = robot.base_positions + knee.joint
    side = 1.0 if problem.q_start[column] >= knee.straight else -1.0
    least = np.full(len(t), bend)
    for q, since in ((problem.q_start, t), (problem.q_end, t[-1] - t)):
        if q is not None:
            own = max(side * (q[column] - knee.straight), 0.0)
            least = np.minimum(least, own + bend * since / EASE)
    limit, other = knee.straight + side * least, np.full(len(t), side * np.inf)
    low, high = (limit, other) if side > 0 else (other, limit)
    return knee.joint, low, high


def gets_straight(robot: RobotModel, motion: DenseTrajectory, bend: float) -> bool:
    """Whether a knee gets nearer to straight than that where its contact stands [rad].

    Args:
        robot: the robot.
        motion: its motion.
        bend: what counts as near [rad].
    """
    for i, contact in enumerate(motion.contacts):
        knee = find_knee(robot, contact)
        if knee is not None:
            q = motion.q[motion.standing[:, i], robot.base_positions + knee.joint]
            if (np.abs(q - knee.straight) < bend).any():
                return True
    return False
