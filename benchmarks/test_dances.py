"""A dance of a minute: at most ten seconds of one core, and one for a changed value."""

import numpy as np
import pytest

from benchmarks.dances import RECIPES, SECONDS, measure

pytestmark = pytest.mark.benchmark

FULL, CHANGED, SHOWN = 10.0, 1.0, 0.25


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_minute_of_dance(recipe, tmp_path):
    found = measure(recipe, tmp_path)
    assert found.seconds == pytest.approx(SECONDS, abs=1.0)
    assert found.refused == 0
    assert found.full.cpu < FULL
    assert np.median([took.cpu for took in found.shown]) < SHOWN
    assert np.median([took.cpu for took in found.changed]) < CHANGED
