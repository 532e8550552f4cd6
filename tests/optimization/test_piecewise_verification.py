"""Piecewise verification: all that is new, and nothing is taken for what it is not."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification import piecewise as piecewise_verification
from backbeat.optimization.verification.piecewise import SAMPLES, PiecewiseVerifier
from backbeat.optimization.verification.verify import Verifier, knot_check, verify
from tests.optimization.problems import jump, squat


def verifier_of(problem):
    friction = problem.limits.friction
    return PiecewiseVerifier(Verifier(problem.robot, problem.collisions, friction))


@pytest.fixture(scope="module", params=[squat, lambda: jump(34)])
def case(request):
    """A solution, its motion over and over, and a verifier that has seen it."""
    solution = InteriorPoint(Transcription(request.param())).solve()
    motion = reconstruct(solution, dt_max=0.002)
    assert len(motion.t) > 2 * SAMPLES
    pieces = verifier_of(solution.transcription.problem)
    pieces.verify(motion, knot_check(solution))
    return solution, motion, pieces


def test_pieces_find_what_the_whole_finds(case):
    solution, motion, pieces = case
    found = pieces.verify(motion, knot_check(solution))
    assert found.passed
    for a, b in zip(found.checks, verify(solution, motion).checks, strict=True):
        assert a.name == b.name
        assert a.value == pytest.approx(b.value, rel=1e-9, abs=1e-12)


def test_what_is_known_is_not_verified_again(case):
    solution, motion, pieces = case
    asked = []
    pieces.verify(motion, knot_check(solution), lambda: asked.append(1))
    assert (pieces.verified, asked) == (0, [])
    again = replace(motion, q=motion.q.copy())
    pieces.verify(again, knot_check(solution))
    assert pieces.verified == 0


@pytest.mark.parametrize("name", ["q", "v", "vdot", "wrench", "tau", "p_WC", "R_WC"])
@pytest.mark.parametrize("i", [SAMPLES // 2, SAMPLES])
def test_no_certificate_is_taken_for_a_changed_piece(case, name, i):
    """One number of one sample by a hair, and by so much that it must fail."""
    solution, motion, pieces = case
    stands = int(np.argmax(motion.standing[i]))
    at = {"wrench": (i, stands, 5), "p_WC": (i, stands, 0), "R_WC": (i, stands, 0, 1)}
    where = at.get(name, (i, -1))
    for change, fails in ((1e-13, False), (0.5, True)):
        values = getattr(motion, name).copy()
        values[where] += change * (1e4 if name in ("wrench", "tau") else 1.0)
        spoiled = replace(motion, **{name: values})
        found = pieces.verify(spoiled, knot_check(solution))
        # A sample between two pieces belongs to both.
        assert pieces.verified == (2 if i == SAMPLES else 1)
        assert found.passed != fails
    assert pieces.verify(motion, knot_check(solution)).passed


def test_the_knots_of_each_motion_count(case):
    solution, motion, pieces = case
    bad = replace(knot_check(solution), value=1e-3)
    assert [c.name for c in pieces.verify(motion, bad).failures()] == ["knot_violation"]


def test_supports_beside_a_swing_belong_to_it(monkeypatch):
    """A foot in the air for all of a piece: it may stand on higher ground after it."""
    size = 40
    monkeypatch.setattr(piecewise_verification, "SAMPLES", size)
    solution = InteriorPoint(Transcription(jump(34))).solve()
    motion = reconstruct(solution, dt_max=0.0025)
    pieces = verifier_of(solution.transcription.problem)
    assert pieces.verify(motion, knot_check(solution)).passed
    starts = range(0, len(motion.t) - size, size)
    inside = [not motion.standing[k : k + size + 1].any() for k in starts]
    flight = size * inside.index(True)
    p = motion.p_WC.copy()
    p[flight + size + 1 :, :, 2] += 0.5
    found = pieces.verify(replace(motion, p_WC=p), knot_check(solution))
    later = len(motion.t) - 1 - flight - size
    # Those after it, whose own numbers changed, and it itself.
    assert pieces.verified >= -(-later // size) + 1
    assert not found.passed
