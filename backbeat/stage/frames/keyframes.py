"""Keyframes: a recorded motion reduced to what interpolation does not give back.

Meshcat plays vectors by linear interpolation, rotations by slerp and switches by
holding. A sample that comes back from its neighbors within a tolerance is not worth
its bytes.
"""

from dataclasses import dataclass

import numpy as np

# Invisible differences, by property: position [m], rotation [rad], and shares.
TOLERANCES = {
    "position": 0.2e-3,
    "quaternion": np.radians(0.08),
    "scale": 2e-3,
    "opacity": 0.02,
    "visible": 0.0,
}


@dataclass(frozen=True)
class Track:
    """Keyframes of one property of one path.

    Attributes:
        path: path in Meshcat's tree.
        key: "position", "quaternion" (x, y, z, w), "scale", "opacity" or "visible".
        frames: (n,) indices into the times of the recording, ascending.
        values: (n, width) values.
    """

    path: str
    key: str
    frames: np.ndarray
    values: np.ndarray

    @property
    def is_constant(self) -> bool:
        """Whether nothing ever changes."""
        return len(self.frames) == 1


def thinned(track: Track, times: np.ndarray, tolerance: float | None = None) -> Track:
    """The track with as few keyframes as its tolerance allows.

    Args:
        track: all samples.
        times: times of the recording's frames [s].
        tolerance: largest error of a sample that is left out, in the unit of
            `TOLERANCES`, which is the default.
    """
    if tolerance is None:
        tolerance = TOLERANCES[track.key]
    values = track.values
    if track.key == "quaternion":
        values = _continued(values)
    if track.key == "visible":
        kept = np.flatnonzero(np.r_[True, np.any(np.diff(values, axis=0), axis=1)])
    else:
        kept = _kept(track.key, times[track.frames], values, tolerance)
    return Track(track.path, track.key, track.frames[kept], values[kept])


def _kept(kind: str, t: np.ndarray, values: np.ndarray, tolerance: float) -> np.ndarray:
    """Indices to keep: between two of them, all samples are within tolerance.

    Douglas and Peucker's refinement, with every interval split at once: the sample
    farthest from its interpolation becomes a keyframe until none is too far.
    """
    n = len(t)
    first = np.zeros(n, int)
    if _errors(kind, t, values, first, first).max() <= tolerance:
        return np.array([0])
    kept = np.array([0, n - 1])
    while True:
        left = kept[np.searchsorted(kept, np.arange(n), side="right") - 1]
        right = kept[np.searchsorted(kept, np.arange(n), side="left")]
        errors = _errors(kind, t, values, left, right)
        worst = np.maximum.reduceat(errors, kept[:-1])
        if worst.max() <= tolerance:
            return kept
        interval = np.searchsorted(kept, np.arange(n), side="right") - 1
        interval = np.minimum(interval, len(kept) - 2)
        far = (errors > tolerance) & (errors >= worst[interval])
        kept = np.union1d(kept, np.flatnonzero(far))


def _errors(
    kind: str, t: np.ndarray, values: np.ndarray, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Error of every sample when interpolated between samples left and right of it."""
    length = t[right] - t[left]
    u = np.where(length > 0, (t - t[left]) / np.where(length > 0, length, 1.0), 0.0)
    a, b = values[left], values[right]
    if kind != "quaternion":
        back = a + u[:, None] * (b - a)
        return np.asarray(np.linalg.norm(values - back, axis=1))
    # The player takes the short way round.
    cosine = np.sum(a * b, axis=1)
    b = np.where(cosine[:, None] < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    # For a small angle slerp is the straight line.
    small = sine < 1e-9
    safe = np.where(small, 1.0, sine)
    wa = np.where(small, 1.0 - u, np.sin((1.0 - u) * angle) / safe)
    wb = np.where(small, u, np.sin(u * angle) / safe)
    back = wa[:, None] * a + wb[:, None] * b
    # Unit quaternions of rotations by an angle apart are 2 sin(angle / 4) apart.
    apart = np.minimum(
        np.linalg.norm(values - back, axis=1), np.linalg.norm(values + back, axis=1)
    )
    return np.asarray(4.0 * np.arcsin(np.clip(0.5 * apart, 0.0, 1.0)))


def _continued(q: np.ndarray) -> np.ndarray:
    """The same rotations with signs chosen so that neighbors are close."""
    turns = np.sum(q[1:] * q[:-1], axis=1) < 0
    signs = np.where(np.r_[0, np.cumsum(turns)] % 2, -1.0, 1.0)
    return np.asarray(q * signs[:, None])
