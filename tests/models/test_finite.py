"""One entry that is not finite is seen, wherever it is."""

import numpy as np
import pytest

from backbeat.models.dynamics.finite import all_finite


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_entry_that_is_not_finite_is_seen(bad):
    for size in (1, 7, 73):
        x = np.linspace(-1e300, 1e300, size)
        assert all_finite(x)
        for i in range(size):
            y = x.copy()
            y[i] = bad
            assert not all_finite(y)


def test_nothing_is_finite():
    assert all_finite(np.zeros(0))
