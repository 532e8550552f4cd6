"""Checks of the contacts of a motion, sample by sample, against a fresh plant."""

import numpy as np

from backbeat.models.dynamics.edges import EDGES, WHOLE, edge_cone
from backbeat.models.dynamics.frames import ContactFrame
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.reconstruction.ground import GroundProfile
from backbeat.optimization.verification.certificate import Worst
from backbeat.optimization.verification.replay import Replayed


class ContactChecks:
    """Whether contacts stand where and as they should, and others are in the air."""

    def __init__(self, robot: RobotModel, friction: float) -> None:
        """Makes the cones of the contacts of a robot for a coefficient of friction."""
        self._robot = robot
        self._cones = {
            name: np.array([edge_cone(contact, edge, friction) for edge in EDGES])
            for name, contact in robot.contacts.items()
        }

    def __call__(
        self,
        motion: DenseTrajectory,
        samples: np.ndarray,
        replayed: Replayed,
        worst: Worst,
    ) -> None:
        """Notes the worst of each check.

        Args:
            motion: the motion.
            samples: (S,) which of its samples.
            replayed: what Drake says of these.
            worst: written.
        """
        ground = GroundProfile(motion)
        for c, name in enumerate(motion.contacts):
            contact = self._robot.contacts[name]
            stands = motion.standing[samples, c]
            arms = contact.corners() @ replayed.R_WC[:, c].transpose(0, 2, 1)
            corners = arms + replayed.p_WC[:, c, None]
            for i in np.flatnonzero(~stands & (not contact.is_point)):
                at = samples[i]
                depth = ground.depth(at, c, contact, corners[i])
                worst.see("penetration", depth, motion.t[at], name)
            on = samples[stands]
            touching = _touching_corners(
                contact, arms[stands], motion.R_WC[on, c], motion.edge[on, c]
            )
            self._check_places(motion, on, c, corners[stands], touching, worst)
            speeds = _speeds(contact, replayed, c, stands, corners[stands])
            slip = np.where(touching, speeds, 0.0).max(1, initial=0.0)
            worst.see_all("contact_slip", slip[:, None], motion.t[on], [name])
            self._check_forces(motion, on, c, replayed, stands, worst)

    def _check_places(
        self,
        motion: DenseTrajectory,
        on: np.ndarray,
        c: int,
        corners: np.ndarray,
        touching: np.ndarray,
        worst: Worst,
    ) -> None:
        """What touches is where the support is, and the rest of an edge above it."""
        name, t, R = motion.contacts[c], motion.t[on], motion.R_WC[on, c]
        flat = self._robot.contacts[name].corners() @ R.transpose(0, 2, 1)
        away = corners - flat - motion.p_WC[on, c][:, None]
        apart = np.where(touching, np.linalg.norm(away, axis=2), 0.0)
        apart = apart.max(1, initial=0.0)
        worst.see_all("contact_position", apart[:, None], t, [name])
        up = np.einsum("ski,si->sk", away, R[:, :, 2]).min(1, initial=0.0)
        depth = np.where(motion.edge[on, c] != WHOLE, -up, 0.0)
        worst.see_all("penetration", depth[:, None], t, [name])

    def _check_forces(
        self,
        motion: DenseTrajectory,
        on: np.ndarray,
        c: int,
        replayed: Replayed,
        stands: np.ndarray,
        worst: Worst,
    ) -> None:
        """Wrenches are in their cones."""
        name, w = motion.contacts[c], motion.wrench[on, c]
        contact = self._robot.contacts[name]
        if contact.rolls:
            moved = replayed.p_WT[stands, c] - replayed.p_WC[stands, c]
            w = _of_line(contact, w, np.linalg.norm(moved, axis=1))
        cones = self._cones[name][motion.edge[on, c] % len(EDGES)]
        rows = np.c_[np.einsum("sri,si->sr", cones, w), -w[:, 5]]
        excess = rows.max(1, initial=-np.inf) / self._robot.weight
        worst.see_all("friction", excess[:, None], motion.t[on], [name])


def _speeds(
    contact: ContactFrame,
    replayed: Replayed,
    c: int,
    stands: np.ndarray,
    corners: np.ndarray,
) -> np.ndarray:
    """(S, n) speeds of the corners of contact c where it stands [m/s].

    One that rolls touches along its length, about which it turns: those of its ends.
    """
    V, arms = replayed.V_WT[stands, c], corners - replayed.p_WT[stands, c][:, None]
    if contact.rolls:
        ahead = contact.half_length * replayed.R_WC[stands, c][:, None, :, 0]
        arms = ahead * np.sign(contact.corners()[:, :1])
    speeds = V[:, None, 3:] + np.cross(V[:, None, :3], arms)
    return np.asarray(np.linalg.norm(speeds, axis=2))


def _touching_corners(
    contact: ContactFrame, arms: np.ndarray, R_WS: np.ndarray, edge: np.ndarray
) -> np.ndarray:
    """(S, 4) which corners touch where a contact stands: the lower two, if it rolls.

    Those of its edge, if it is on one.

    Args:
        contact: the contact.
        arms: (S, 4, 3) its corners from its middle, world axes [m].
        R_WS: (S, 3, 3) rotation of its support.
        edge: (S,) the edge that it is on.
    """
    if not contact.rolls:
        ahead = np.sign(contact.corners()[:, 0])
        return np.asarray((edge == WHOLE)[:, None] | (edge[:, None] == ahead))
    heights = np.einsum("ski,si->sk", arms, R_WS[:, :, 2])
    return np.asarray(heights <= heights.mean(axis=1, keepdims=True))


def _of_line(contact: ContactFrame, w: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """(S, 6) wrenches of a sole that rolls without what all of its width bears.

    Flat it bears a roll moment as any rectangle; on an edge it does not.

    Args:
        contact: the contact.
        w: (S, 6) its wrenches where it touches [N m, N].
        moved: (S,) how far that is from its middle [m].
    """
    out, bears = w.copy(), (contact.half_width - moved) * np.maximum(w[:, 5], 0.0)
    out[:, 0] = np.sign(w[:, 0]) * np.maximum(np.abs(w[:, 0]) - bears, 0.0)
    return out
