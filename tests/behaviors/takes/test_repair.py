"""Spoiled takes are repaired: two every day, all with the slow tests."""

import numpy as np
import pytest

from backbeat.behaviors.library.store import Library
from benchmarks.spoiled_takes import PAIRS, Repair, measured, repaired, truth_of
from benchmarks.spoiling import USUAL, spoiled

# What a take has at most after repair: slide of feet that stand, and depth below the
# floor [m]; and processor time of a second of motion [s].
SLIDE, BELOW, COST = 3e-3, 1e-3, 0.5


def check(row: Repair) -> None:
    assert not row.refused
    assert row.nearer
    assert row.slide[0] > 0.01  # the take's own
    assert row.slide[1] <= SLIDE
    assert row.below[1] <= BELOW


def test_what_is_spoiled_is_what_is_said(built):
    """Known errors: the means of what was added, and the same for the same seed."""
    truth = truth_of(built("quarter-turn"))
    take = spoiled(truth, 1, has_times=False)
    away = take.q - truth.q
    assert np.mean(away[:, 6]) == pytest.approx(USUAL.lift, rel=0.1)
    cosine = np.abs((take.q[:, :4] * truth.q[:, :4]).sum(axis=1)).mean()
    assert 2 * np.arccos(cosine) == pytest.approx(USUAL.tilt, rel=0.05)
    assert np.abs(away[:, 4:6]).max() < 0.05
    np.testing.assert_array_equal(take.q, spoiled(truth, 1, has_times=False).q)
    fewer = spoiled(truth, 1, has_times=True)
    assert 0.9 < len(fewer.t) / len(truth.t) < 1.0


@pytest.mark.parametrize("form", ["csv", "csv-robot"])
def test_a_spoiled_turn_is_repaired(form, built, tmp_path):
    truth = truth_of(built("quarter-turn"))
    row, made = repaired(truth, tmp_path, 3, form, "atlas")
    check(row)
    assert made is not None
    assert made.certificate.passed
    assert not made.motion.edge.any()  # a tilt of 3 degrees is no strike


@pytest.mark.slow
def test_twenty_takes_of_two_robots(tmp_path):
    rows = [measured(*pair, Library(tmp_path)) for pair in PAIRS]
    done = [r for r in rows if not r.refused]
    assert len(rows) == 20
    assert len(done) >= 19
    for row in done:
        check(row)
    assert sum(r.cpu["whole"] for r in done) <= COST * sum(r.seconds[1] for r in done)
