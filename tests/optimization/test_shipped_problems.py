"""What ships as specifications, as programs: derivatives along random directions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.behaviors.specification.kinds import (
    find_specification,
    read_specification,
)
from backbeat.models.dynamics.rotations import box_plus
from backbeat.optimization.transcription.transcribe import Transcription
from tests.optimization.points import Point
from tests.tolerances import FINITE_DIFFERENCE

NAMES = ["posture-tour", "groove", "outstanding", "outstanding-standing"]


def scattered(name):
    """A point near the guess of a shipped behavior."""
    path = find_specification(name)
    specification, _ = read_specification(path)
    problem = specification.plan(path.parent).problem
    point = Point(Transcription(problem), seed=3)
    if problem.guess is not None:
        rng = np.random.default_rng(4)
        for k, q in enumerate(problem.guess):
            d = 0.02 * rng.normal(size=point.nv)
            box_plus(q, d, 1.0, point.floating, point.q[k])
    return point


def along(point, d):
    """Fourth-order differences of all values along a direction."""
    step = 1e-4
    parts = [point.evaluate(s * step * d)[1]._asdict() for s in (1, -1, 2, -2)]
    return {
        name: (8 * (parts[0][name] - parts[1][name]) - parts[2][name] + parts[3][name])
        / (12 * step)
        for name in parts[0]
    }


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_along_a_random_direction(name):
    point = scattered(name)
    program, nb, nv = point.program, point.nb, point.nv
    _, derivatives = point.linearize()
    d = np.random.default_rng(5).normal(size=point.size)
    expected = along(point, d)
    turned = np.linalg.norm(point.evaluate(0 * d)[1].frame[..., :3], axis=-1)
    N, rows = len(program.dt), program.rows
    nf, nj = (6 if point.floating else 0), len(program.effort)
    F = len(program.collisions.body)
    blocks = d[: N * nb].reshape(N, nb)
    wrenches = np.zeros((N, program.num_wrench.max(initial=0)))
    for (k, c, i), x in zip(point.slots, d[N * nb :], strict=True):
        wrenches[k, program.wrench_start[k, c] + i - program.wrench_first[c]] = x
    near = kinks = 0
    for k in range(1, N - 1):
        D, nw = derivatives.dynamics[k], program.num_wrench[k]
        w = wrenches[k, :nw]
        found = D[:, : 3 * nb + nw] @ np.r_[blocks[k - 1 : k + 2].ravel(), w]
        rates = expected["equality"][k], expected["rows"][k]
        change = np.r_[rates[0][:nf], rates[1][:nj], rates[0][nf:]]
        scale = max(1.0, np.abs(D).max() * np.abs(d).max())
        assert_allclose(found, change, rtol=0, atol=FINITE_DIFFERENCE * scale)
        for p in np.where(program.frame_used[k])[0]:
            found = derivatives.frame[k, p] @ blocks[k, :nv]
            change = expected["frame"][k, p]
            # Half a turn away the rotation vector jumps to the other side.
            part = slice(3 if turned[k, p] > 3.0 else 0, 6)
            atol = 10 * FINITE_DIFFERENCE
            assert_allclose(found[part], change[part], rtol=0, atol=atol)
        found = derivatives.collision[k] @ blocks[k, :nv]
        change = expected["rows"][k, rows.collision : rows.collision + F]
        near += int((found != 0).sum())
        kinks += int((np.abs(found - change) > 10 * FINITE_DIFFERENCE).sum())
    # Where the nearest solid changes there is a kink; few spheres are at one.
    assert kinks <= 0.03 * near
    assert F == 0 or near > 100
