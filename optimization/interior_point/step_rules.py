"""Rules of an interior point: acceptance of steps, updates of damping and barrier.

Sources
    Fletcher, Leyffer, "Nonlinear Programming without a Penalty Function", 2002.
    Waechter, Biegler, "On the Implementation of an Interior-Point Filter Line-Search
    Algorithm for Large-Scale Nonlinear Programming", 2006.
"""

import numpy as np

# Levenberg damping of a step that needs none.
LEAST_DAMPING = 1e-5


def refinement_damping(refinement_steps: int) -> float:
    """Damping of the n-th step of the final refinement.

    Ever shorter steps leave only the constraints to improve, and those converge
    quadratically.
    """
    return 0.1 * 10 ** min(refinement_steps - 1, 3) * 4 ** max(0, refinement_steps - 5)


def accepts(
    filter_: list[tuple[float, float]],
    theta: float,
    merit: float,
    theta0: float,
    merit0: float,
    alpha: float,
) -> bool:
    """Whether a trial point improves on the current one and on the filter."""
    if not (np.isfinite(theta) and np.isfinite(merit)):
        return False
    if theta < 1e-5 and merit <= merit0 + 1e-6 * abs(merit0):
        return True
    if theta > (1 - 1e-3 * alpha) * theta0 and merit > merit0 - 1e-4 * theta0:
        return False
    return all(theta <= (1 - 1e-4) * a or merit <= b - 1e-4 * a for a, b in filter_)


def changed_damping(
    damping: float, bad: bool, ratio: float, theta: float, iteration: int
) -> float:
    """Levenberg damping: up when steps fail or hardly help, down otherwise."""
    if bad:
        return max(10 * damping, 3e-2)
    if ratio > 0.5 and theta > 0.5 and iteration > 1:
        return min(max(4 * damping, 3e-2), 1.0)
    return 0.25 * damping if damping > 3e-2 else LEAST_DAMPING


def next_barrier(
    mu: float,
    least: float,
    accepted: bool,
    alpha: float,
    dual: float,
    ratio: float,
    theta: float,
) -> float:
    """The barrier falls fast after long steps and waits for feasibility."""
    if ratio > 0.7 and theta > 0.1 and mu < 1e-2:
        return mu
    if accepted and alpha > 0.5 and dual > 0.3:
        return max(least, min(0.1 * mu, mu**1.3) if alpha > 0.9 else 0.5 * mu)
    if accepted and alpha > 0.2:
        return max(least, 0.7 * mu)
    return mu
