"""Soles: where the feet of a motion are, sample by sample, and how their edges move."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from backbeat.behaviors.footsteps.step import FEET
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.motion_poses import motion_poses

# Samples on either side of one over which its speed is taken: a line through five.
BESIDE = 2
# Samples of a cubic that paths are smoothed by.
SMOOTH = 7


@dataclass(frozen=True)
class Soles:
    """Soles of a motion, and the body's center.

    Attributes:
        dt: time between samples [s].
        R, p: (n, 3, 3) and (n, 3) poses of the soles, by foot [m].
        corners: (n, 4, 3) corners of the soles, by foot [m].
        p_CK: (4, 2) corners on their sole, by foot [m].
        com: (n, 3) center of mass [m].
    """

    dt: float
    R: Mapping[str, np.ndarray]
    p: Mapping[str, np.ndarray]
    corners: Mapping[str, np.ndarray]
    p_CK: Mapping[str, np.ndarray]
    com: np.ndarray

    def heading(self, foot: str) -> np.ndarray:
        """(n,) where a foot points, first within half a turn of the left one [rad]."""
        own, left = (
            np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
            for R in (self.R[foot], self.R[FEET[0]])
        )
        turns = np.round((own[0] - left[0]) / (2 * np.pi))
        return np.asarray(own - 2 * np.pi * turns)

    def pitch(self, foot: str) -> np.ndarray:
        """(n,) pitch of a sole, toe down positive [rad]."""
        return np.arcsin(np.clip(-self.R[foot][:, 2, 0], -1.0, 1.0))

    def tilt(self, foot: str) -> np.ndarray:
        """(n,) angle between a sole and the ground [rad]."""
        return np.arccos(np.clip(self.R[foot][:, 2, 2], -1.0, 1.0))

    def lowest(self, foot: str) -> np.ndarray:
        """(n,) height of a sole's lowest corner [m]."""
        return np.asarray(self.corners[foot][:, :, 2].min(axis=1))

    def flat(self, foot: str) -> np.ndarray:
        """(n, 3) middle of a sole laid flat about its lowest corner, at its height."""
        corners, yaw = self.corners[foot], self.heading(foot)
        k = corners[:, :, 2].argmin(axis=1)
        out = corners[np.arange(len(k)), k].copy()
        c, s, (x, y) = np.cos(yaw), np.sin(yaw), self.p_CK[foot][k].T
        out[:, 0] -= c * x - s * y
        out[:, 1] -= s * x + c * y
        return out


def find_soles(robot: RobotModel, dt: float, q: np.ndarray) -> Soles:
    """Soles at (n, nq) configurations, dt apart [s]."""
    poses = motion_poses(robot, q, list(robot.feet.values()))
    R = {foot: poses.R[:, i] for i, foot in enumerate(robot.feet)}
    p = {foot: poses.p[:, i] for i, foot in enumerate(robot.feet)}
    corners, p_CK = {}, {}
    for foot, name in robot.feet.items():
        patch = robot.contacts[name]
        x, y = patch.half_length, patch.half_width
        p_CK[foot] = np.array([[x, y], [x, -y], [-x, y], [-x, -y]])
        arms = np.einsum("nij,kj->nki", R[foot][:, :, :2], p_CK[foot])
        corners[foot] = p[foot][:, None] + arms
    return Soles(dt, R, p, corners, p_CK, poses.com)


def slopes(values: np.ndarray, dt: float) -> np.ndarray:
    """Derivatives of samples (n, ...): of lines through each and those beside it."""
    padded = np.pad(
        values,
        [(BESIDE, BESIDE)] + [(0, 0)] * (values.ndim - 1),
        mode="reflect",
        reflect_type="odd",
    )
    k = np.arange(-BESIDE, BESIDE + 1)
    parts = [w * padded[BESIDE + w : BESIDE + w + len(values)] for w in k]
    return np.asarray(np.sum(parts, axis=0) / (dt * (k**2).sum()))


def smoothed(values: np.ndarray) -> np.ndarray:
    """Samples (n, ...) on cubics through their neighbors (Savitzky, Golay, 1964)."""
    window = min(SMOOTH, len(values) - 1 + len(values) % 2)
    return np.asarray(
        scipy.signal.savgol_filter(values, window, min(3, window - 1), axis=0)
    )


def noise(values: np.ndarray) -> float:
    """Standard deviation of what is random from sample to sample.

    From third differences, in which a smooth motion is small; robust against the few
    samples where it is not (Rousseeuw and Croux, "Alternatives to the Median Absolute
    Deviation", 1993: 1.4826 MAD).
    """
    third = np.diff(values, 3, axis=0)
    return float(1.4826 * np.median(np.abs(third)) / np.sqrt(20.0))


def leg_height(robot: RobotModel, soles: Soles, base_height: np.ndarray) -> float:
    """How far the soles get below the base [m]."""
    low = np.minimum(soles.lowest("left"), soles.lowest("right"))
    return float(np.quantile(base_height - low, 0.9))
