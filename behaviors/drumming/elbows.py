"""Elbows of a drummer: how far they hang below, by forward kinematics alone.

The joints of an arm are where its links begin: the shoulder where the arm is raised,
the elbow where it bends, the hand where the wrist turns. An elbow is down when it is
lower than its shoulder. It sags when it is below the straight line from shoulder to
hand, as the elbow of a two-link arm in its "elbow down" posture is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.drumming.drummer import elbow, shoulder, stick_tip, wrist
from backbeat.behaviors.library.behavior import Event
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration


@dataclass(frozen=True)
class Elbows:
    """Both elbows along a motion; columns are left and right.

    Attributes:
        t: (N,) times [s].
        depth: (N, 2) height of the shoulder above its elbow [m].
        sag: (N, 2) height of the line from shoulder to hand above the elbow, along the
            shortest way from the elbow to the line [m].
    """

    t: np.ndarray
    depth: np.ndarray
    sag: np.ndarray

    def share_down(self) -> np.ndarray:
        """(2,) share of the samples in which each elbow is lower than its shoulder."""
        return np.asarray((self.depth > 0).mean(axis=0))

    def share_sagging(self) -> np.ndarray:
        """(2,) share of the samples in which each elbow is below its arm's line."""
        return np.asarray((self.sag > 0).mean(axis=0))

    def least_depth(self) -> np.ndarray:
        """(2,) least depth [m]; negative for an elbow that is above its shoulder."""
        return np.asarray(self.depth.min(axis=0))

    def at(self, hand: str, time: float) -> float:
        """Depth of a hand's elbow at a time [m]."""
        return float(np.interp(time, self.t, self.depth[:, HANDS.index(hand)]))


def find_elbows(robot: RobotModel, t: np.ndarray, q: np.ndarray) -> Elbows:
    """Measures both elbows at every sample of any motion: a plan's, a run's.

    Args:
        robot: a robot whose YAML has the roles of its arms.
        t: (N,) times [s].
        q: (N, nq) configurations.
    """
    state = Configuration(robot, q[0])
    depth, sag = np.zeros((len(q), 2)), np.zeros((len(q), 2))
    for k, now in enumerate(q):
        state.update(now)
        for i, hand in enumerate(HANDS):
            depth[k, i], sag[k, i] = _heights(state, hand)
    return Elbows(t, depth, sag)


def _heights(state: Configuration, hand: str) -> tuple[float, float]:
    """Depth and sag of one elbow [m]."""
    p_S, p_E, p_H = (
        state.place(link(state.robot, hand)) for link in (shoulder, elbow, wrist)
    )
    along = (p_H - p_S) / np.linalg.norm(p_H - p_S)
    away = (p_E - p_S) - ((p_E - p_S) @ along) * along
    return float(p_S[2] - p_E[2]), float(-away[2])


def raised_at_hits(elbows: Elbows, events: Sequence[Event]) -> list[str]:
    """A sentence for every hit of a stick at which its hand's elbow is not down."""
    hand_of = {stick_tip(hand): hand for hand in HANDS}
    raised = [
        (event, hand_of[event.who], elbows.at(hand_of[event.who], event.time))
        for event in events
        if event.kind == "strike" and event.who in hand_of
    ]
    return [
        f"the {hand} elbow is {-1e3 * depth:.0f} mm above its shoulder when the "
        f"{hand} stick hits the {event.what.replace('_', ' ')} at {event.time:.2f} s: "
        "no posture with the elbow down was found there"
        for event, hand, depth in raised
        if depth <= 0
    ]
