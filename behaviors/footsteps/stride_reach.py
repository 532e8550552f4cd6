"""Reach of strides: whether both feet can stand where the steps have them.

That is geometry, and known before anything is solved: feet that lie flat at two places
are within reach of both legs at once, with all joints inside their ranges, or nothing
that the optimizer does will help.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.behaviors.footsteps.footprints import Footprint, Footprints
from backbeat.behaviors.footsteps.step import FEET, STANDING
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKSolution,
    IKTarget,
    InverseKinematics,
)

# Feet that end further away than this are out of reach; less is the search's [m, rad].
MISSED = 2e-3
# A joint is at its limit where it is nearer than this [rad].
AT_LIMIT = 0.01
# Halvings in which the longest stride is found.
HALVINGS = 6
# Most joints that are named.
NAMED = 3


def check_strides(
    robot: RobotModel, q_start: np.ndarray, prints: Footprints, where: Sequence[str]
) -> None:
    """Refuses steps that end where the legs do not reach.

    Args:
        robot: the robot.
        q_start: (nq,) where it starts, both feet standing.
        prints: where its feet are.
        where: names each step.

    Raises:
        BackbeatError: the first that is too long, with its time, foot and limits.
    """
    reach = _Reach(robot, q_start, {f: p[0] for f, p in prints.places.items()})
    seen = set[tuple[float, ...]]()
    for i, step in enumerate(prints.steps[:-1]):
        now, then = STANDING[step.feet], STANDING[prints.steps[i + 1].feet]
        landed = [f for f in then if f not in now]
        if not landed or {*now, *then} != {*FEET}:
            continue
        feet = {f: p[i + 1] for f, p in prints.places.items()}
        # Dances do the same step over and over.
        key = _beside(feet)
        if key in seen:
            continue
        seen.add(key)
        found = reach.at(feet)
        if found.residual < MISSED:
            continue
        time = float(np.sum(prints.lengths[: i + 1]))
        raise BackbeatError(
            f"{where[i]} is too long for {robot.name}: at {time:.2f} s the "
            f"{landed[0]} foot lands {_apart(feet, landed[0])} the other one, and both "
            f"legs at once reach {reach.share(feet):.0%} of that"
            f"{_limits(robot, found, feet)}; make the step shorter",
            path=("steps", i),
        )


class _Reach:
    """Finds out whether a robot's feet get to two places at once."""

    def __init__(
        self, robot: RobotModel, q_start: np.ndarray, start: Mapping[str, Footprint]
    ) -> None:
        self._robot, self._q, self._start = robot, q_start, start
        self._X_WB = Configuration(robot, q_start).pose(robot.base_name)
        self._solver = InverseKinematics(robot, joint_margin=0.0)

    def at(self, feet: Mapping[str, Footprint]) -> IKSolution:
        """The posture in which the feet are as near to their places as they get."""
        (there, yaw), (here, before) = _middle(feet), _middle(self._start)
        turn = RollPitchYaw(0.0, 0.0, yaw - before)
        X_WB = RigidTransform(turn, there) @ RigidTransform(-here) @ self._X_WB
        q = self._q.copy()
        q[:4], q[4:7] = X_WB.rotation().ToQuaternion().wxyz(), X_WB.translation()
        robot_feet = self._robot.feet
        targets = {robot_feet[f]: IKTarget(p.pose()) for f, p in feet.items()}
        return self._solver.solve(q, targets)

    def share(self, feet: Mapping[str, Footprint]) -> float:
        """How much of the way from where they start the feet get, 0 to 1."""
        middle, start = _middle(feet)[0], _middle(self._start)[0]
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            s = 0.5 * (low + high)
            part = {}
            for f, p in feet.items():
                first = self._start[f]
                place = s * p.p + (1 - s) * (middle + first.p - start)
                part[f] = Footprint(place, s * p.yaw + (1 - s) * first.yaw, p.R)
            low, high = (s, high) if self.at(part).residual < MISSED else (low, s)
        return low


def _middle(feet: Mapping[str, Footprint]) -> tuple[np.ndarray, float]:
    """(3,) place [m] and heading [rad] between the feet."""
    place = np.mean([p.p for p in feet.values()], axis=0)
    return place, float(np.mean([p.yaw for p in feet.values()]))


def _beside(feet: Mapping[str, Footprint]) -> tuple[float, ...]:
    """Where one foot is beside the other one, to a tenth of a millimeter."""
    a, b = (feet[f] for f in FEET)
    ahead, left, _ = RotationMatrix.MakeZRotation(-a.yaw) @ (b.p - a.p)
    return tuple(round(float(x), 4) for x in (ahead, left, b.yaw - a.yaw))


def _apart(feet: Mapping[str, Footprint], foot: str) -> str:
    """Where a foot lands beside the other one."""
    (other,) = (p for f, p in feet.items() if f != foot)
    turn = feet[foot].yaw - other.yaw
    turned = f" and turned by {turn:.2f} rad" if abs(turn) > AT_LIMIT else ""
    return f"{np.linalg.norm((feet[foot].p - other.p)[:2]):.2f} m{turned} from"


def _limits(robot: RobotModel, found: IKSolution, feet: Mapping[str, Footprint]) -> str:
    """Which joints would have to go beyond their ranges to get nearer."""
    named = list(_blocked(robot, found, feet))[:NAMED]
    return f", with {', '.join(named)}" if named else ", with a straight knee"


def _blocked(
    robot: RobotModel, found: IKSolution, feet: Mapping[str, Footprint]
) -> Iterator[str]:
    """Joints that stop at a limit on the way to the feet's places, the worst first."""
    state, pushes = Configuration(robot, found.q), dict[int, float]()
    for foot, goal in feet.items():
        contact = robot.feet[foot]
        limb = np.asarray(robot.contacts[contact].limb)
        X_WF, X_WG = state.pose(contact), goal.pose()
        across = X_WG.rotation() @ X_WF.rotation().inverse()
        turn = RotationMatrix(across).ToAngleAxis()
        way = np.r_[turn.angle() * turn.axis(), X_WG.translation() - X_WF.translation()]
        J = state.jacobian(contact)[:, robot.base_velocities + limb]
        pushes |= dict(zip(limb.tolist(), J.T @ way, strict=True))
    for j in sorted(pushes, key=lambda j: -abs(pushes[j])):
        angle = found.q[robot.base_positions + j]
        limit = (robot.position_lower, robot.position_upper)[int(pushes[j] > 0)][j]
        if abs(angle - limit) < AT_LIMIT:
            yield f"{robot.joint_names[j]} at its limit of {limit:.2f} rad"
