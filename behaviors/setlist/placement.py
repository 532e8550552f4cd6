"""Placement of a show's behaviors on the ground, and the path from one to the next.

Behaviors move to where the robot stands when their turn comes: the ground looks the
same everywhere. Drums do not move, so all that happens is placed around the first
behavior that has things about it. The robot comes up to them ready to play, and steps
back before it does anything else.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.motion.placement import Placement
from backbeat.behaviors.setlist.touchdown import touching
from backbeat.behaviors.setlist.transition import Leg, TransitionPlanner
from backbeat.models.collision.shapes import WORLD, CollisionModel
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# Farthest that anything is put behind drums, steps on the way there [m], and time
# between two samples of a motion that is looked at [s].
FARTHEST, FARTHER, SAMPLE = 2.0, 0.1, 0.05


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


def clear_step_back(
    parts: Sequence[Behavior], planner: TransitionPlanner, least: float
) -> float:
    """How far behind drums all that has none is clear of them [m].

    Args:
        parts: behaviors in order.
        planner: of their robot, among the drums.
        least: where the search starts [m]; more is taken in steps of 10 cm.

    Raises:
        BackbeatError: nothing up to the farthest is clear: which behavior is not.
    """
    model = planner.collisions
    fixed = np.array([s.body == WORLD for s in model.solids], bool)
    if not fixed.any():
        return least
    scene = replace(model, pairs=model.pairs & fixed)
    near: Behavior | None = None
    tries = round(max(0.0, FARTHEST - least) / FARTHER)
    for farther in (FARTHER * k for k in range(tries + 1)):
        back = round(least + farther, 3)
        placed = places(parts, planner, back)
        near = _reaching(parts, placed, planner.robot, scene)
        if near is None:
            return back
    assert near is not None
    raise BackbeatError(
        f"{near.name} reaches the drums even {back:g} m behind them; put it before or "
        "after a behavior that leads away, or leave out what reaches so far"
    )


def _reaching(
    parts: Sequence[Behavior],
    placed: Sequence[Placement],
    robot: RobotModel,
    scene: CollisionModel,
) -> Behavior | None:
    """The first behavior without drums that touches them where it is placed."""
    arrays = scene.arrays()
    for part, place in zip(parts, placed, strict=True):
        if part.scene.name:
            continue
        motion = part.motion
        times = np.arange(0.0, motion.t[-1] + SAMPLE, SAMPLE)
        rows = np.unique(np.searchsorted(motion.t, times).clip(0, len(motion.t) - 1))
        state = Configuration(robot, place.configuration(motion.q[0]))
        for q in place.configuration(motion.q[rows]):
            distances, _ = state.update(q).distances(arrays)
            if distances.min() < scene.margin:
                return part
    return None


def plan_transition(
    planner: TransitionPlanner,
    a: Behavior,
    place_a: Placement,
    b: Behavior,
    place_b: Placement,
) -> list[Leg]:
    """Plans the transition from a behavior to the next.

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
    """Configurations through which the transition between two behaviors goes."""
    leave = [place_a.configuration(a.motion.q[-1])]
    come = [place_b.configuration(b.motion.q[0])]
    here, there = planner.place(leave[0]), planner.place(come[0])
    if touched := [*touching(planner.robot, a.motion, -1)]:
        leave.append(planner.lifted(leave[0], touched))
    if a.scene.name and a.motion.v[-1].any():
        # In the middle of things: back to where it is known to be clear of them.
        start = place_a.configuration(a.motion.q[0])
        touched = [*touching(planner.robot, a.motion, 0)]
        leave.append(planner.lifted(start, touched) if touched else start)
    if touched := [*touching(planner.robot, b.motion, 0)]:
        come.insert(0, planner.lifted(come[0], touched))
    if a.scene.name and not b.scene.name:
        leave.append((there @ here.inverse()).configuration(leave[-1]))
    if b.scene.name and not a.scene.name:
        come.insert(0, (here @ there.inverse()).configuration(come[0]))
    return [*leave, *come]
