"""The rank-adjusted inverse of a compliance matrix, without jumps.

The compliance A = G M^-1 N G' of tasks has an eigenvalue for every direction they can
move in: the inverse of the mass that the robot shows there. Near a singularity one of
them goes to zero and A^-1 to infinity. Two things can be the cause, and each has its
measure:

    the robot    s, eigenvalues of A_0 = V diag(s) V', the compliance with no level
                 above: directions heavier than some mass are given up
    the levels   mu, eigenvalues Y diag(mu) Y' of T' A T with T = V diag(s)^-1/2: what
    above        they have left of the mobility, from 0 to 1

Both are given up little by little,

    L = T diag(share(s heaviest))^1/2 Y diag(share(mu / LEAST) / mu) Y' (...)'
    share(t) = 3 t^2 - 2 t^3 up to t = 1, and then 1

so L is the inverse to the last digit away from singularities, bounded everywhere, and
continuous, where cutting at a rank would jump. What a level cannot have because of
those above is missed by the least kinetic energy, not by the least sum of squares of
radians and meters.

Mostly there is nothing to give up. Then L is A^-1, or for tasks that decide all
accelerations there are the pseudo-inverse, and no eigenvalues are needed: Cholesky's
factorization shows whether one of them is below a bound.

Khatib, Sentis, Park, Warren, "Whole-Body Dynamic Behavior and Control of Human-like
Robots", 2004, cut at a rank; Dariush et al., "Whole Body Humanoid Control from Human
Motion Descriptors", 2008, compare other ways.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri

# Mobility that levels above have to leave for a direction to be wanted at all, and
# compliances that are zero but for rounding, relative to those given up.
LEAST, ROUNDING = 0.1, 1e-9


@dataclass(frozen=True)
class RankAdjusted:
    """A compliance matrix and its rank-adjusted inverse.

    Attributes:
        share: (d,) of each direction that is kept, 1 away from singularities.
        inverse: (d, d) the rank-adjusted inverse.
        metric: (k, d) matrix R with R' R the inverse with no level above: what is
            missed is measured by |R x|^2, a kinetic energy.
        is_partial: whether a direction is neither kept nor given up as a whole.
        D: (d, d) directions of acceleration, as columns, that the shares belong to;
            None where all are kept.
    """

    share: np.ndarray
    inverse: np.ndarray
    metric: np.ndarray
    is_partial: bool = False
    D: np.ndarray | None = None

    @property
    def is_full(self) -> bool:
        """Whether nothing is given up."""
        return bool(self.share.min(initial=1.0) == 1.0)

    def resolve(self, change: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """(d,) accelerations nearest to the desired ones that are not in conflict.

        Weighted least squares over the directions that are kept: with equal weights,
        or without a conflict, the inverse does it by itself.

        Args:
            change: (d,) desired.
            weight: (d,) weights, of which ratios count.
        """
        if self.D is None or self.is_full or weight.min() == weight.max():
            return change
        D, W = self.D, weight / weight.max()
        K = D.T @ (W[:, None] * D)
        # A direction that is given up takes no part: its column vanishes.
        soft = K * self.share + np.diag((1.0 - self.share) * np.trace(K))
        return np.asarray(D @ np.linalg.solve(soft, D.T @ (W * change)))


def _share(t: np.ndarray) -> np.ndarray:
    t = np.minimum(np.maximum(t, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


def _is_partial(share: np.ndarray) -> bool:
    return bool(((share > ROUNDING) & (share < 1.0 - ROUNDING)).any())


def is_light(A: np.ndarray, heaviest: float) -> bool:
    """Whether no direction of a compliance matrix is heavier than a mass [kg]."""
    return bool(dpotrf(A - np.eye(len(A)) / heaviest)[1] == 0)


def _inverse(A: np.ndarray) -> np.ndarray:
    """Inverse of a positive definite matrix."""
    return np.asarray(dpotrs(dpotrf(A)[0], np.eye(len(A)))[0])


def _metric(A: np.ndarray) -> np.ndarray:
    """R with R' R the inverse of a positive definite A."""
    return np.asarray(dtrtri(dpotrf(A, lower=1)[0], lower=1)[0])


def rank_adjusted(
    A: np.ndarray, heaviest: float, alone: np.ndarray | None = None
) -> RankAdjusted:
    """Inverts a compliance matrix where the robot is light enough.

    Args:
        A: (d, d) symmetric positive semidefinite compliance [1/kg, 1/(kg m^2)].
        heaviest: mass or inertia from which on a direction is given up [kg, kg m^2].
        alone: (d, d) compliance with no level above; None where there is none.
    """
    if alone is None:
        if is_light(A, heaviest):
            return RankAdjusted(np.ones(len(A)), _inverse(A), _metric(A))
    elif is_light(alone, heaviest) and dpotrf(A - LEAST * alone)[1] == 0:
        return RankAdjusted(np.ones(len(A)), _inverse(A), _metric(alone))
    return by_eigenvalues(A, heaviest, alone)


def deciding(E: np.ndarray, S: np.ndarray, heaviest: float) -> RankAdjusted | None:
    """The same for tasks that decide all accelerations there are.

    With A = E S E' and A_0 = E E', E being of full column rank, all that levels above
    leave is had: L = E+' S E+.

    Args:
        E: (d, r) Jacobian in coordinates of all accelerations there are, weighted.
        S: (r, r) projector onto what the levels above leave of them.
        heaviest: as of `rank_adjusted` [kg].

    Returns:
        None where E has not that rank, or is too heavy.
    """
    d, r = E.shape
    if d < r:
        return None
    A = E.T @ E
    if not is_light(A, heaviest):
        return None
    metric, _ = dpotrs(dpotrf(A)[0], E.T)
    share = np.zeros(d)
    share[: round(float(np.trace(S)))] = 1.0
    return RankAdjusted(share, metric.T @ S @ metric, metric)


def by_eigenvalues(
    A: np.ndarray, heaviest: float, alone: np.ndarray | None = None
) -> RankAdjusted:
    """What `rank_adjusted` is, anywhere."""
    s, V = np.linalg.eigh(A if alone is None else alone)
    share = _share(s * heaviest)
    if alone is None:
        inverse = np.divide(share, s, out=np.zeros_like(s), where=share > 0.0)
        D = V * np.sqrt(np.maximum(s, 0.0))
        root = V * np.sqrt(inverse)
        return RankAdjusted(share, root @ root.T, root.T, _is_partial(share), D)
    moves = s * heaviest > ROUNDING
    root = np.sqrt(np.where(moves, s, 0.0))
    T = V * np.divide(1.0, root, out=np.zeros_like(s), where=moves)
    mu, Y = np.linalg.eigh(T.T @ A @ T)
    left = _share(mu / LEAST)
    over = np.divide(left, mu, out=np.zeros_like(mu), where=left > 0.0)
    root_L = (T * np.sqrt(share)) @ Y
    kept = left * (Y * Y).T @ share
    # Rounding must not make what is kept whole look as if it were not.
    kept[kept > 1.0 - ROUNDING] = 1.0
    inverse = (root_L * over) @ root_L.T
    partial = _is_partial(share) or _is_partial(left)
    metric = (T * np.sqrt(share)).T
    return RankAdjusted(kept, inverse, metric, partial, (V * root) @ Y)
