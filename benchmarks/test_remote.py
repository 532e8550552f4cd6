"""Goals of the remote controller, measured (`make bench`)."""

import pytest

from benchmarks.remote import measure

pytestmark = pytest.mark.benchmark


def test_goals_are_met(tmp_path):
    # Plans made between ticks keep some of them waiting: that is for the table.
    rows = [row for row in measure(tmp_path) if not row.what.endswith("beside")]
    missed = [f"{row.what}: {row.value:.3g} {row.details}" for row in rows]
    assert all(row.is_met for row in rows), missed
