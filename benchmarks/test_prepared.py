"""Builds beside plans and ticks: parts every day, the table with `make bench`."""

import pytest

from benchmarks.prepared import GOAL, Prepared, built, measure, table

# From this length on [s] an optimization takes as long as GOAL plans.
LONG = 20.0
# A motion of a few seconds is optimized in 0.2 s, which is not a hundred plans. Least
# that optimization and build are worth in plans; a third below what was measured.
SOLVE_TO_PLAN, BUILD_TO_PLAN = 18.0, 42.0


def test_the_table_has_the_three_ratios_and_the_whole_show():
    row = Prepared("sway", 10.0, 0.4, 1.0, 4e-3, 1e-4, plans=500, ticks=10_000)
    assert row.show == pytest.approx(3.0)
    line = next(x for x in table([row]).splitlines() if "sway" in x)
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells == [
        "sway",
        "10.0",
        "0.40",
        "1.00",
        "4.00",
        "0.100",
        "100",
        "250",
        "4000",
        "3.0",
    ]


def test_an_optimization_is_a_part_of_its_build(tmp_path):
    behavior, solve, whole = built("bow", tmp_path)
    assert behavior.certificate.passed
    assert 0.0 < solve < whole


@pytest.mark.benchmark
def test_a_step_of_the_show_is_cheaper_than_what_was_prepared(capsys):
    rows = measure()
    with capsys.disabled():
        print("\n" + table(rows))
    assert all(row.solve >= GOAL * row.tick for row in rows)
    long = [row for row in rows if row.duration >= LONG]
    assert long
    assert all(row.solve >= GOAL * row.plan for row in long)
    assert all(row.solve >= SOLVE_TO_PLAN * row.plan for row in rows)
    assert all(row.build >= BUILD_TO_PLAN * row.plan for row in rows)
