"""The table beside other tools, of made-up times; for real: `make bench-peers`."""

import numpy as np
import pytest

from benchmarks import peers, standing_peers
from benchmarks.standing_peers import AT_LIMITS, LevelRow


@pytest.fixture
def levels(monkeypatch):
    """Ticks of 0.8 ms, of 2.4 ms at a limit, and of 0.1 and 0.2 ms of others."""
    seconds = {"Backbeat": 8e-4, AT_LIMITS: 24e-4, "TSID": 1e-4, "PlaCo": 2e-4}

    def compare(bounded, cache):
        ways = [w for w in seconds if bounded or w != AT_LIMITS]
        return [LevelRow(bounded, w, np.full(9, seconds[w]), 0.0) for w in ways]

    monkeypatch.setattr(standing_peers, "compare", compare)
    return peers.level_ratios()


def test_all_lines_are_beside_another_tool(levels):
    assert {row.peer for row in levels} == {"TSID", "PlaCo"}
    ratios = {(row.what.split(", ")[1], row.peer): row.ratio for row in levels}
    assert ratios["no limits", "TSID"] == pytest.approx(8.0)
    assert ratios["a joint at its torque limit", "PlaCo"] == pytest.approx(12.0)
    assert len(ratios) == len(levels) == 6


def test_the_table_has_ratios_goals_versions_and_differences(levels):
    plans = peers.timed("plan", "Crocoddyl", 1e-3 * np.arange(1, 101), [0.1], 0.12)
    assert plans.ratio == pytest.approx(0.505)
    assert plans.spread == pytest.approx(99.01 / 50.5)
    text = peers.table([plans, *levels])
    assert "| plan | Crocoddyl | 0.505 | <= 0.12 | 50.5 | 100 | 1.96 |" in text
    assert "tsid==1.7.1, placo==0.10.2" in text
    assert "different problems" in text
