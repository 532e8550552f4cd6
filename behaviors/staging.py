"""Staging: where each behavior of a show happens, and the way from one to the next.

Behaviors move to where the robot stands when their turn comes: the ground looks the
same everywhere. Drums do not move, so all that happens is placed around the first
behavior that has things about it. The robot comes up to them ready to play, and steps
back before it does anything else.
"""

from collections.abc import Sequence

import numpy as np

from behaviors.behavior import Behavior
from behaviors.placement import Placement
from behaviors.transition import Leg, TransitionPlanner
from models.robot import RobotModel
from optimization.dense_trajectory import DenseTrajectory


def places(
    parts: Sequence[Behavior], planner: TransitionPlanner, step_back: float
) -> list[Placement]:
    """Where each behavior happens: by its drums, or where the one beside it leaves it.

    Args:
        parts: behaviors in order.
        planner: of their robot.
        step_back: how far behind drums what comes before and after them happens [m].
    """
    starts = [planner.place(p.motion.q[0]) for p in parts]
    ends = [planner.place(p.motion.q[-1]) for p in parts]
    fixed = [bool(p.scene.name) for p in parts]
    anchor = fixed.index(True) if any(fixed) else 0
    found = [Placement()] * len(parts)
    back = Placement(-step_back)
    for i in range(anchor + 1, len(parts)):
        if not fixed[i]:
            here = found[i - 1] @ ends[i - 1] @ (back if fixed[i - 1] else Placement())
            found[i] = here @ starts[i].inverse()
    for i in range(anchor - 1, -1, -1):
        here = found[i + 1] @ starts[i + 1] @ (back if fixed[i + 1] else Placement())
        found[i] = here @ ends[i].inverse()
    return found


def way(
    planner: TransitionPlanner,
    a: Behavior,
    place_a: Placement,
    b: Behavior,
    place_b: Placement,
) -> list[Leg]:
    """Plans the way from a behavior to the next.

    Raises:
        BackbeatError: none was found.
    """
    stations = _stations(planner, a, place_a, b, place_b)
    before, after = place_a.motion(a.motion), place_b.motion(b.motion)
    return planner.solve((a.name, b.name), stations, before, after)


def _stations(
    planner: TransitionPlanner,
    a: Behavior,
    place_a: Placement,
    b: Behavior,
    place_b: Placement,
) -> list[np.ndarray]:
    """Configurations that the way from one behavior to the next goes through."""
    leave = [place_a.configuration(a.motion.q[-1])]
    come = [place_b.configuration(b.motion.q[0])]
    here, there = planner.place(leave[0]), planner.place(come[0])
    if touching := _touching(planner.robot, a.motion, -1):
        leave.append(planner.lifted(leave[0], touching))
    if a.scene.name and a.motion.v[-1].any():
        # In the middle of things: back to where it is known to be clear of them.
        start = place_a.configuration(a.motion.q[0])
        touched = _touching(planner.robot, a.motion, 0)
        leave.append(planner.lifted(start, touched) if touched else start)
    if touching := _touching(planner.robot, b.motion, 0):
        come.insert(0, planner.lifted(come[0], touching))
    if a.scene.name and not b.scene.name:
        leave.append((there @ here.inverse()).configuration(leave[-1]))
    if b.scene.name and not a.scene.name:
        come.insert(0, (here @ there.inverse()).configuration(come[0]))
    return [*leave, *come]


def _touching(robot: RobotModel, motion: DenseTrajectory, i: int) -> list[str]:
    """Points that rest on something."""
    return [
        n
        for n, s in zip(motion.contacts, motion.standing[i], strict=True)
        if s and robot.contacts[n].is_point
    ]
