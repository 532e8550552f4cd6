"""What counts: asked as generated, missed when not there, false when not asked."""

import pytest

from benchmarks.grooves import SEEDS, make_groove
from benchmarks.grooves_played import GrooveRow, asked, f1, table


@pytest.mark.parametrize("seed", SEEDS)
def test_all_hits_that_were_generated_are_asked(seed):
    groove = make_groove(seed)
    hands, feet = asked(groove)
    tabs = "".join(p.tab for p in groove.score.parts)
    marks = sum(tabs.count(mark) for mark in "xXoOg")
    assert hands + feet == marks
    assert feet > 0


def test_refused_hits_are_missed_and_false_ones_count():
    good = GrooveRow(0, "good", "none", 10, 2, planned=10, made=9, false=1)
    refused = GrooveRow(1, "refused", "none", 10, 2, why="no motion")
    assert good.f1 == pytest.approx(0.9)
    assert refused.f1 == 0.0
    assert f1([good, refused]) == pytest.approx(18 / (18 + 1 + 1 + 10))
    assert "no motion" in table([good, refused])
    assert f1([]) == 0.0
