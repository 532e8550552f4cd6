"""Balance of a run: places of contacts, and distances to their edges."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from backbeat.behaviors.library.balance import balance_margin
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.runs.record import RunRecord

# A patch with less force than this does not carry the robot [N].
CARRIES = 25.0
# Of the samples, every so many are worked out: 50 a second.
EVERY = 4


@dataclass(frozen=True)
class Balance:
    """Center of mass and capture point over the support polygon.

    The support polygon is the hull of the corners of what carries weight, seen from
    above. Margins are distances to its nearest edge, negative outside of it, and NaN
    where nothing carries, as in flight.

    Attributes:
        t: (N,) times [s].
        com, capture: (N, 2) seen from above [m].
        com_margin, capture_margin: (N,) [m].
        footprints: (4, 2) corners of what carried, once for every stretch of time in
            which it did, with the name of the patch [m].
    """

    t: np.ndarray
    com: np.ndarray
    capture: np.ndarray
    com_margin: np.ndarray
    capture_margin: np.ndarray
    footprints: tuple[tuple[str, np.ndarray], ...]


def find_balance(record: RunRecord) -> Balance | None:
    """The balance of a run; None of a robot that is fixed to the world."""
    if "capture.x" not in record.samples:
        return None
    samples = record.samples.iloc[::EVERY]
    samples = samples[np.isfinite(samples["com.x"])]
    robot, q = record.robot, record.positions(samples)
    patches = robot.patches
    load = np.stack([samples[f"{n}.fz"].to_numpy() > CARRIES for n in patches], axis=1)
    corners = np.zeros((len(q), len(patches), 4, 2))
    state = Configuration(robot, q[0])
    for k in range(len(q)):
        state.update(q[k])
        for c, name in enumerate(patches):
            outline = robot.contacts[name].corners().T
            corners[k, c] = state.pose(name).multiply(outline).T[:, :2]
    com = samples[["com.x", "com.y"]].to_numpy(float)
    capture = samples[["capture.x", "capture.y"]].to_numpy(float)
    margins = np.full((2, len(q)), np.nan)
    for i in np.flatnonzero(load.any(axis=1)):
        try:
            edges = scipy.spatial.ConvexHull(
                corners[i, load[i]].reshape(-1, 2)
            ).equations
        except scipy.spatial.QhullError:
            # After a fall a sole may stand upright, and support no area.
            continue
        margins[:, i] = [balance_margin(edges, p[i]) for p in (com, capture)]
    return Balance(
        samples["t"].to_numpy(),
        com,
        capture,
        margins[0],
        margins[1],
        tuple(_footprints(patches, load, corners)),
    )


def _footprints(
    patches: Sequence[str], load: np.ndarray, corners: np.ndarray
) -> list[tuple[str, np.ndarray]]:
    """Outlines in the middle of every stretch of time in which a patch carried."""
    found = []
    for c, name in enumerate(patches):
        on = np.r_[False, load[:, c], False].astype(int)
        starts, ends = (np.flatnonzero(np.diff(on) == sign) for sign in (1, -1))
        found += [
            (name, corners[(a + b) // 2, c]) for a, b in zip(starts, ends, strict=True)
        ]
    return found
