"""The wrench cone of a patch against forces at its corners."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import nnls

from backbeat.models.contact.cones import wrench_cone
from backbeat.models.robot.model import RobotModel
from tests.tolerances import CONE, RECURSION

sizes = st.floats(0.01, 0.5)
frictions = st.floats(0.05, 1.5)


def edges(X: float, Y: float, mu: float) -> np.ndarray:
    """(6, 16) wrenches of unit forces on the edges of the four friction pyramids.

    The pyramid is the square inside the friction circle.
    """
    columns = []
    for x, y in ((X, Y), (X, -Y), (-X, -Y), (-X, Y)):
        for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            f = np.array([s, t, np.sqrt(2) / mu]) * mu / np.sqrt(2)
            columns.append(np.r_[np.cross([x, y, 0.0], f), f])
    return np.array(columns).T


def corner_forces(w: np.ndarray, X: float, Y: float, mu: float) -> float:
    """How far w is from a nonnegative combination of edges, relative to w."""
    return nnls(edges(X, Y, mu), w)[1] / np.linalg.norm(w)


@given(sizes, sizes, frictions, arrays(float, 16, elements=st.floats(0, 1e3)))
def test_what_corner_forces_make_is_inside(X, Y, mu, share):
    w = edges(X, Y, mu) @ share
    assert (wrench_cone(X, Y, mu) @ w).max() <= RECURSION * (1 + np.abs(w).max())


@given(sizes, sizes, frictions, st.integers(0, 2**32 - 1), st.floats(1e-4, 10.0))
def test_inside_is_what_corner_forces_can_make_and_nothing_else(X, Y, mu, seed, far):
    """Along a random ray from the axis both descriptions end at the same place."""
    w = np.random.default_rng(seed).normal(size=6) * [Y, X, X + Y, 1, 1, 0] * mu
    axis = np.array([0, 0, 0, 0, 0, 1.0])
    A = wrench_cone(X, Y, mu)
    # Rows are linear: A (axis + s w) <= 0 up to the first s at which one vanishes.
    rising = A @ w > 0
    edge = np.min(-(A @ axis)[rising] / (A @ w)[rising])
    assert corner_forces(axis + 0.999 * edge * w, X, Y, mu) < CONE
    outside = axis + (1 + far) * edge * w
    assert (A @ outside).max() > 0
    assert corner_forces(outside, X, Y, mu) > CONE


@pytest.mark.parametrize(
    ("what", "w"),
    [
        ("sliding along x", [0, 0, 0, 0.36, 0, 1]),
        ("sliding along y", [0, 0, 0, 0, -0.36, 1]),
        ("tipping over the toes", [0, 0.131, 0, 0, 0, 1]),
        ("tipping to the side", [-0.066, 0, 0, 0, 0, 1]),
        ("twisting", [0, 0, 0.07, 0, 0, 1]),
        ("twisting at the edge", [0.06, 0.12, 0.012, 0, 0, 1]),
        ("pulling", [0, 0, 0, 0, 0, -1]),
    ],
)
def test_a_foot_cannot(what, w):
    foot = RobotModel("atlas").contacts["l_foot"]
    A = wrench_cone(foot.half_length, foot.half_width, 0.5)
    assert (A @ w).max() > 0, what
    smaller = np.array(w) * [0.9, 0.9, 0.9, 0.9, 0.9, 1.0]
    if w[5] > 0 and what != "twisting at the edge":
        assert (A @ smaller).max() < 0, what


def test_a_point_carries_forces_in_its_pyramid():
    A = wrench_cone(0.0, 0.0, 0.5)
    assert A.shape == (4, 6)
    limit = 0.5 / np.sqrt(2)
    for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        inside = [0, 0, 0, 0.99 * s * limit, 0.99 * t * limit, 1]
        assert (A @ inside).max() < 0
        # The corners of the pyramid are on the friction circle.
        assert np.hypot(inside[3], inside[4]) < 0.5
        assert (A @ [0, 0, 0, 1.01 * s * limit, 0, 1]).max() > 0
        assert (A @ [0, 0, 0, 0, 1.01 * t * limit, 1]).max() > 0
