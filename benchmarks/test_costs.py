"""Costs by size: the table every day on made-up times, figures with `make bench`."""

import pytest

from benchmarks.costs import EXPONENT, Cost, exponents, measure, table


def test_the_table_has_exponents_of_iterations():
    knots = [Cost("optimization, knots", n, 0.1 * n * 10, 1.0, 10) for n in (41, 81)]
    plans = [Cost("plan, intervals of its horizon", n, 1e-3 * n**2, 1.0, 9)
             for n in (13, 26)]  # fmt: skip
    found = exponents([*knots, *plans])
    assert list(found.values()) == pytest.approx([1.0, 2.0])
    text = table([*knots, *plans])
    assert "| optimization, knots | 81 | 81 | 1 | 10 |" in text
    assert "knots: 1.00; plan, intervals of its horizon: 2.00" in text


@pytest.mark.benchmark
def test_goals_are_met(tmp_path, capsys):
    costs = measure(tmp_path)
    with capsys.disabled():
        print("\n" + table(costs))
    assert exponents(costs)["optimization, knots"] <= EXPONENT
