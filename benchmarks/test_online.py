"""Goals of the online controller, measured (`make bench`)."""

import pytest

from benchmarks.online import measure, print_table

pytestmark = [pytest.mark.benchmark, pytest.mark.peers]


def test_goals_are_met(tmp_path, capsys):
    rows = measure(tmp_path)
    with capsys.disabled():
        print()
        print_table(rows)
    missed = [
        f"{row.what}: {row.value:.3g} {row.unit}" for row in rows if not row.is_met
    ]
    assert not missed
