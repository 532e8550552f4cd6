"""A recorded base put right by the feet: level, at its height, and not carried along.

Soles on the ground are flat, on the floor, and stay where they are. What all of them
are tilted by, the base is; where they float or skate with it, it does. The base
moves as little and as slowly from where it was recorded as that takes: a least-squares
problem of the places of feet and the path of the base (Eilers, "A Perfect Smoother",
2003, of the latter).
"""

from collections.abc import Mapping

import numpy as np
import scipy

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.library.runs import runs
from backbeat.behaviors.recording.smoothing import roughness
from backbeat.behaviors.recording.soles import find_soles
from backbeat.models.robot.model import RobotModel

# Landing and leaving, in which a foot rolls [s].
ROLLING = 0.1
# Tilts of soles that are flat, as a standard deviation [rad]: others roll or hang.
FLAT = 0.06
# Rounds in which the usual tilt of flat soles is found.
ROUNDS = 5
# How far from its recorded place a base may be, and how a foot that stands shakes, as
# standard deviations [m].
AWAY, SHAKES = 0.05, 0.003
# Quicker errors are noise of joints, and are left in the feet [Hz].
SLOW, SLOW_TILT = 1.0, 0.3


def planted_base(
    robot: RobotModel, dt: float, q: np.ndarray, on: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Configurations whose base is level and stays with the feet that stand.

    Args:
        robot: whose motion it is.
        dt: time between samples [s].
        q: (n, nq) configurations, with a recorded base.
        on: (n,) whether a foot stands, by foot.
    """
    q = leveled(robot, dt, q, on)
    soles, firm = find_soles(robot, dt, q), {f: _firm(on[f], dt) for f in FEET}
    flat = {f: soles.flat(f) for f in FEET}
    q = q.copy()
    for axis in range(3):
        heights = {f: flat[f][:, axis] for f in FEET}
        q[:, 4 + axis] += _shifts(dt, heights, firm, fixed=axis == 2)
    return q


def _firm(on: np.ndarray, dt: float) -> np.ndarray:
    """(n,) whether a foot stands and neither lands nor leaves."""
    out, rolling = np.zeros(len(on), bool), round(ROLLING / dt)
    for a, b in runs(on):
        first, last = a + rolling * (a > 0), b - rolling * (b < len(on))
        out[first : max(first, last)] = True
    return out


def leveled(
    robot: RobotModel, dt: float, q: np.ndarray, on: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Configurations turned so that soles on the ground are flat.

    A base that is not where it was taken to be on its body is tilted the same in its
    own axes, whichever way it faces.

    Args:
        robot: whose motion it is.
        dt: time between samples [s].
        q: (n, nq) configurations, with a recorded base.
        on: (n,) whether a foot stands, by foot.
    """
    from scipy.spatial.transform import Rotation

    n, soles = len(q), find_soles(robot, dt, q)
    firm = {f: _firm(on[f], dt) for f in FEET}
    base = Rotation.from_quat(q[:, :4], scalar_first=True)
    turns = {}
    for foot in FEET:
        up = soles.R[foot][:, :, 2]
        level = np.stack([up[:, 1], -up[:, 0], np.zeros(n)], axis=1)
        turns[foot] = base.inv().apply(level)
    if any(robot.contacts[name].rolls for name in robot.feet.values()):
        # Soles without an ankle for it roll with their legs, to either side alike.
        rolls = np.concatenate([turns[f][firm[f], 0] for f in FEET])
        for foot in FEET:
            turns[foot][:, 0] = rolls.mean() if len(rolls) else 0.0
    found = np.zeros((n, 3))
    smooth = roughness(n, dt, SLOW_TILT)
    for k in range(ROUNDS):
        weights, total = np.zeros(n), np.zeros((n, 3))
        for foot in FEET:
            # At first, whichever are flat enough at all; then those like the usual.
            away = np.linalg.norm(turns[foot] - found, axis=1)
            wide = FLAT * (2.0 if k == 0 else 1.0)
            w = firm[foot] * np.exp(-0.5 * (away / wide) ** 2)
            weights += w
            total += w[:, None] * turns[foot]
        # Where nothing is flat, the recording is taken at its word, in the end.
        A = scipy.sparse.diags(weights + 1e-3) + smooth
        found = np.asarray(scipy.sparse.linalg.spsolve(A.tocsc(), total)).reshape(n, 3)
    out = q.copy()
    level_base = base * Rotation.from_rotvec(found)
    wxyz = level_base.as_quat(scalar_first=True)
    signs = np.where((wxyz * q[:, :4]).sum(axis=1) < 0, -1.0, 1.0)
    out[:, :4] = signs[:, None] * wxyz
    return out


def _shifts(
    dt: float,
    places: Mapping[str, np.ndarray],
    firm: Mapping[str, np.ndarray],
    fixed: bool,
) -> np.ndarray:
    """(n,) how far the base has to move along an axis for feet to stay.

    Args:
        dt: time between samples [s].
        places: (n,) of soles along the axis [m].
        firm: (n,) whether a foot stands.
        fixed: whether they stand at zero, rather than anywhere.
    """
    n = len(places["left"])
    stances = [(f, a, b) for f in FEET for a, b in runs(firm[f])]
    free = 0 if fixed else len(stances)
    prior = 1e-4 if fixed else (SHAKES / AWAY) ** 2
    diagonal, right = np.full(n, prior), np.zeros(n + free)
    corner = np.zeros(free)
    rows, columns, values = list[int](), list[int](), list[float]()
    for k, (foot, a, b) in enumerate(stances):
        diagonal[a:b] += 1.0
        right[a:b] -= places[foot][a:b]
        if not fixed:
            corner[k] += b - a
            right[n + k] += places[foot][a:b].sum()
            rows += range(a, b)
            columns += [k] * (b - a)
            values += [-1.0] * (b - a)
    H = scipy.sparse.diags(diagonal) + roughness(n, dt, SLOW)
    if free:
        B = scipy.sparse.csc_matrix((values, (rows, columns)), shape=(n, free))
        H = scipy.sparse.bmat([[H, B], [B.T, scipy.sparse.diags(corner)]])
    return np.asarray(scipy.sparse.linalg.spsolve(H.tocsc(), right))[:n]
