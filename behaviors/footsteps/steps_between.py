"""Steps between two stances that no specification gives."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.footsteps.step import Step
from backbeat.behaviors.motion.placement import Placement
from backbeat.behaviors.posture.stance import support_poses
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# Steps shorter or turning less than this are none [m, rad].
NOTHING = 1e-5
# Longest way forward, to the side [m] and turn [rad] of a step beside the other foot;
# more steps than this are a walk that should be written as one.
STRIDE, SIDE, TURN, MOST_STEPS = 0.2, 0.15, 0.45, 16
# A way that goes no farther to the side [m] and turns no more [rad] is walked, one foot
# past the other.
STRAIGHT = (0.05, 0.1)
# Time on both feet before, between and after steps, and of a step [s].
BEFORE, BETWEEN, AFTER, SWING = 0.6, 0.3, 0.9, 0.7


def steps_between(
    robot: RobotModel, names: tuple[str, str], a: np.ndarray, b: np.ndarray
) -> list[Step]:
    """Steps that bring the feet from one configuration to where another has them.

    On a straight way each foot goes past the other; else it closes up, for feet
    that cross would touch.

    Args:
        robot: model of the robot.
        names: behaviors before and after, for errors.
        a: (nq,) configuration that the steps start from.
        b: (nq,) configuration that they lead to.

    Raises:
        BackbeatError: it would be a long walk.
    """
    start, end = (support_poses(robot, q) for q in (a, b))
    here, there = Placement.between(start.values()), Placement.between(end.values())
    way = here.inverse() @ there
    most = [abs(way.x) / STRIDE, abs(way.y) / SIDE, abs(way.yaw) / TURN]
    num = max(1, int(np.ceil(max(most) - 1e-6)))
    order = ("left", "right") if way.y + way.yaw >= 0 else ("right", "left")
    walks = abs(way.y) <= STRAIGHT[0] and abs(way.yaw) <= STRAIGHT[1]
    shares = [i / num for i in range(1, num + 1)]
    shares = [*shares, 1.0] if walks else [u for u in shares for _ in order]
    if len(shares) > MOST_STEPS:
        raise BackbeatError(
            f"from the end of {names[0]} to the start of {names[1]} it is "
            f"{np.hypot(way.x, way.y):.1f} m and {np.degrees(way.yaw):.0f} "
            "degrees; put a walk between them"
        )
    sides = {f: _Foot.of(here, start[robot.feet[f]]) for f in order}
    goals = {f: _Foot.of(there, end[robot.feet[f]]) for f in order}
    now = {f: sides[f].at(here) for f in order}
    com = [Configuration(robot, q).center_of_mass[2] for q in (a, b)]
    steps = [Step(feet="both", time=BEFORE, lower=float(com[0] - com[1]))]
    for i, u in enumerate(shares):
        foot, other = order if i % 2 == 0 else order[::-1]
        part = here @ Placement(u * way.x, u * way.y, u * way.yaw)
        goal = sides[foot].mixed(goals[foot], u).at(part)
        move = _step(now, foot, goal)
        if not np.allclose([*move.to, move.turn], 0.0, atol=NOTHING):
            steps += [
                replace(move, feet=other, time=SWING),
                Step(feet="both", time=BETWEEN),
            ]
        now[foot] = goal
    steps[-1].time = AFTER
    return steps


@dataclass(frozen=True)
class _Foot:
    """A foot seen from the middle of the feet: place [m] and heading [rad]."""

    x: float
    y: float
    yaw: float

    @staticmethod
    def of(middle: Placement, X_WC: RigidTransform) -> "_Foot":
        seen = middle.inverse() @ Placement.between([X_WC])
        return _Foot(seen.x, seen.y, seen.yaw)

    def mixed(self, other: "_Foot", u: float) -> "_Foot":
        a, b = (np.array([f.x, f.y, f.yaw]) for f in (self, other))
        return _Foot(*((1 - u) * a + u * b))

    def at(self, middle: Placement) -> Placement:
        return middle @ Placement(self.x, self.y, self.yaw)


def _step(now: Mapping[str, Placement], foot: str, goal: Placement) -> Step:
    """The step of a foot from where both are to a goal."""
    heading = float(np.mean([p.yaw for p in now.values()]))
    back = Placement(yaw=heading).rotation.inverse().matrix()[:2, :2]
    to = back @ [goal.x - now[foot].x, goal.y - now[foot].y]
    turn = goal.yaw - now[foot].yaw
    return Step(to=[float(x) for x in to], turn=float(turn))
