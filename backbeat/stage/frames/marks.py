"""Marks of disturbances: arrows at links, and lines from them to places."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.disturbances.disturbance import Arrow, Disturbance
from backbeat.stage.frames.frame import ContactForce, MarkedLine

# An impulse that is none [N s].
LEAST = 1e-3


@dataclass(frozen=True)
class Marks:
    """What the stage shows of disturbances.

    Attributes:
        pushes: for each link its origin and the impulse on it, of all arrows [N s].
        lines: from links to places.
    """

    pushes: dict[str, ContactForce]
    lines: tuple[MarkedLine, ...]


def marks_at(items: Iterable[Disturbance], t: float, state: Configuration) -> Marks:
    """Marks of disturbances that act, or have just done so.

    Args:
        items: all there are.
        t: time of the behavior [s].
        state: where the robot is.
    """
    arrows: dict[str, ContactForce] = {}
    lines = []
    for mark in (mark for item in items for mark in item.marks(t, state)):
        point = state.pose(state.robot.link_frame(mark.link)).translation()
        if not isinstance(mark, Arrow):
            lines.append(MarkedLine(point, mark.place, mark.is_taut))
            continue
        impulse = mark.impulse
        if mark.link in arrows:
            impulse = impulse + arrows[mark.link].force
        arrows[mark.link] = ContactForce(point, impulse)
    # Those that make up for each other have no direction.
    pushes = {n: f for n, f in arrows.items() if np.linalg.norm(f.force) > LEAST}
    return Marks(pushes, tuple(lines))
