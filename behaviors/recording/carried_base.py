"""A base that was not recorded: where the feet on the ground carry it.

Soles that are flat say how the body is tilted. The lower foot is on the ground, and its
lowest corner stays where it is; two feet that do not agree on where the base gets have
it between them.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.library.runs import runs
from backbeat.behaviors.recording.soles import Soles, find_soles
from backbeat.models.robot.model import RobotModel

# How far a body is tilted from what is usual for it, and soles that are flat from each
# other, as standard deviations [rad]; samples that are usual for one [s].
TILT, ALIKE, USUAL = 0.12, 0.08, 1.0
# Rounds in which what is usual is found, and the time that a tilt is the mean over [s].
ROUNDS, SMOOTH = 4, 0.1
# How much lower the foot is that carries, of two feet that both may [m].
LOWER = 0.01
# Landing and leaving, in which the other foot carries, if it is firm [s].
ROLLING = 0.1
# The least that what is usual counts.
LEAST = 1e-3


def carried(
    robot: RobotModel,
    dt: float,
    q: np.ndarray,
    on: Mapping[str, np.ndarray] | None = None,
) -> np.ndarray:
    """Configurations with the base where the feet carry it.

    Args:
        robot: whose motion it is.
        dt: time between samples [s].
        q: (n, nq) configurations; their base says what upright is, and does not move.
        on: (n,) whether a foot stands, by foot; None where that is to be found out,
            and the lower one carries.
    """
    soles, q = find_soles(robot, dt, q), q.copy()
    level = [_from(u) for u in _up(soles)]
    corners = {f: _turned(level, soles.corners[f]) for f in FEET}
    R = {f: np.einsum("nij,njk->nik", level, soles.R[f]) for f in FEET}
    low = {f: corners[f][:, :, 2].min(axis=1) for f in FEET}
    share = _shares(dt, low, on)
    yaw, place = np.zeros(len(q)), np.zeros((len(q), 2))
    for i in range(1, len(q)):
        turns, shift = 0.0, np.zeros(2)
        for foot in FEET:
            w = 0.5 * (share[foot][i - 1] + share[foot][i])
            across = R[foot][i] @ R[foot][i - 1].T
            sine, cosine = across[1, 0] - across[0, 1], across[0, 0] + across[1, 1]
            turns -= w * np.arctan2(sine, cosine)
        yaw[i] = yaw[i - 1] + turns
        for foot in FEET:
            w = 0.5 * (share[foot][i - 1] + share[foot][i])
            both = corners[foot][i - 1] + corners[foot][i]
            k = int(both[:, 2].argmin())
            now, then = (_planar(yaw[j]) @ corners[foot][j, k, :2] for j in (i, i - 1))
            shift -= w * (now - then)
        place[i] = place[i - 1] + shift
    for i in range(len(q)):
        X = RigidTransform(
            RotationMatrix(RollPitchYaw(0.0, 0.0, yaw[i])),
            [*place[i], -min(low[f][i] for f in FEET)],
        )
        base = X @ RigidTransform(RotationMatrix(level[i]), np.zeros(3)) @ _pose(q[i])
        q[i, :4], q[i, 4:7] = base.rotation().ToQuaternion().wxyz(), base.translation()
    return q


def _shares(
    dt: float, low: Mapping[str, np.ndarray], on: Mapping[str, np.ndarray] | None
) -> dict[str, np.ndarray]:
    """(n,) how much each foot carries."""
    # Where none is on the ground, the lower one.
    left = 1 / (1 + np.exp((low["left"] - low["right"]) / LOWER))
    if on is not None:
        firm = {f: _inner(flags, round(ROLLING / dt)) for f, flags in on.items()}
        for flags in (on, firm):
            left = np.where(flags["left"] | flags["right"], flags["left"], left)
            left = np.where(flags["left"] & flags["right"], 0.5, left)
    return {"left": left, "right": 1 - left}


def _inner(flags: np.ndarray, width: int) -> np.ndarray:
    """Flags without the ends of each row of them."""
    out = flags.copy()
    for a, b in runs(flags):
        out[a : a + width if a > 0 else a] = False
        out[b - width if b < len(flags) else b : b] = False
    return out


def _planar(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def _turned(R: Sequence[np.ndarray], p: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("nij,nkj->nki", R, p))


def _from(up: np.ndarray) -> np.ndarray:
    """The smallest rotation that turns a direction up."""
    x, y, z = up
    # Rodrigues' formula about the axis (y, -x, 0), the sine of the angle as its length.
    K = np.array([[0, 0, -x], [0, 0, -y], [x, y, 0]])
    return np.asarray(np.eye(3) + K + K @ K / (1 + max(z, -0.9)))


def _up(soles: Soles) -> np.ndarray:
    """(n, 3) where up is: at right angles to whichever soles are flat."""
    normal = {f: soles.R[f][:, :, 2] for f in FEET}
    apart = np.linalg.norm(normal["left"] - normal["right"], axis=1)
    alike = np.exp(-((apart / ALIKE) ** 2))
    usual = np.tile([0.0, 0.0, 1.0], (len(apart), 1))
    for _ in range(ROUNDS):
        weights = {
            f: np.maximum(
                np.exp(-((np.linalg.norm(normal[f] - usual, axis=1) / TILT) ** 2)),
                alike,
            )
            for f in FEET
        }
        total = sum(weights[f][:, None] * normal[f] for f in FEET) + LEAST * usual
        up = _unit(_mean(total, soles.dt, SMOOTH))
        usual = _unit(_mean(up, soles.dt, USUAL))
    return up


def _unit(v: np.ndarray) -> np.ndarray:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=1), 1e-9)[:, None])


def _mean(values: np.ndarray, dt: float, width: float) -> np.ndarray:
    """Means over some time about each sample [s]."""
    half = min(max(1, round(0.5 * width / dt)), len(values) - 1)
    padded = np.pad(values, [(half, half), (0, 0)], mode="edge")
    kernel = np.ones(2 * half + 1) / (2 * half + 1)
    return np.stack([np.convolve(x, kernel, mode="valid") for x in padded.T], axis=1)


def _pose(q: np.ndarray) -> RigidTransform:
    return RigidTransform(Quaternion(q[:4] / np.linalg.norm(q[:4])), q[4:7])
