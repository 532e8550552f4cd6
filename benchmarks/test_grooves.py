"""The grooves are what their module says, whoever makes them."""

import pytest

from benchmarks.grooves import (
    BARS,
    DENSITY,
    FEELS,
    FEET,
    SEEDS,
    TEMPO,
    make_groove,
)


def rows(tab):
    """Marks by row of a bar of tablature."""
    return {line.split("|")[0]: line.split("|")[1] for line in tab.splitlines()}


def test_there_are_twenty_of_all_feels_and_changes():
    grooves = [make_groove(s) for s in SEEDS]
    assert len(SEEDS) == 20
    assert {g.feel for g in grooves} == set(FEELS)
    assert {g.change for g in grooves} == {"none", "step", "ramp"}
    assert len({g.score.parts[1].tab for g in grooves}) > 10


@pytest.mark.parametrize("seed", SEEDS)
def test_a_groove_keeps_what_its_module_says(seed):
    groove = make_groove(seed)
    assert groove == make_groove(seed)
    assert TEMPO[0] <= groove.score.bpm <= TEMPO[1]
    assert DENSITY[0] <= groove.hits_per_second <= DENSITY[1] + 0.05
    bars = [rows(p.tab) for p in groove.score.parts if p.tab]
    assert len(bars) == BARS
    for bar in bars:
        assert len({len(marks) for marks in bar.values()}) == 1
        hands = [marks for row, marks in bar.items() if row not in FEET]
        for step in zip(*hands, strict=True):
            assert sum(mark != "-" for mark in step) <= 2
    toms = {row for bar in bars for row in bar} & {"HT", "MT", "FT"}
    assert toms, "no fill"
    assert any("BD" in bar for bar in bars)
