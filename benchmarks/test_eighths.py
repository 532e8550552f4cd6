"""The song is eighths with a backbeat, and the table has the worst of all runs."""

import pytest

from backbeat.behaviors.specification.kinds import read_specification
from benchmarks.eighths import EighthsRow, table, write_song


@pytest.mark.parametrize("bpm", [60, 160])
def test_the_song_is_eighths_with_a_backbeat(tmp_path, bpm):
    specification, _ = read_specification(write_song(bpm, tmp_path))
    plan = specification.plan(tmp_path)
    beats = {"hi_hat": [], "snare": []}
    for event in plan.events:
        if event.kind == "strike":
            beats[event.what].append(event.time * bpm / 60)
    hat, snare = beats["hi_hat"], beats["snare"]
    assert hat == pytest.approx([6 + k / 2 for k in range(32)])
    assert snare == pytest.approx([7 + 2 * k for k in range(8)])


def test_the_table_has_the_worst_run():
    good = EighthsRow(60, 0.0, 0, 40, 40, 0, 0.1, 0.2, 0.3, 1.0, False)
    bad = EighthsRow(60, 0.0, 1, 40, 39, 2, 0.5, 0.6, 4.0, 3.0, True)
    last = table([good, bad]).splitlines()[-1]
    assert last == "| 60 | 0 | 2 | 1 | 80 | 79 | 2 | 0.5 | 0.6 | 4 | 3 |"
