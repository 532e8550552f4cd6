"""Times of task-space control (`make bench`)."""

import pytest

from benchmarks.measurement import one_core
from benchmarks.task_space import atlas, by_size, main, median_time

pytestmark = pytest.mark.benchmark
# A tick of Atlas with three levels [s].
TICK = 1e-3


def test_goals_are_met(capsys):
    with one_core():
        tick, row = median_time(atlas()), by_size(96)
    with capsys.disabled():
        print()
        main()
    assert tick <= TICK
    assert row.solve < 0.5 * row.factor
    assert row.free < row.dense
