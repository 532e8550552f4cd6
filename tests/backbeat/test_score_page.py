"""The score on a behavior's page: every hit in its bar, what is left out, by hand."""

import re
from dataclasses import replace

import pytest

from backbeat.behaviors.drumming.drummer import kit_members, score_events
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.music.files.score_compiler import compile_score
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score_description import (
    PartDescription,
    ScoreDescription,
)
from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.report.pages.behavior import behavior_page
from backbeat.report.pages.score import score_bars, score_section, strokes_by_limb
from tests.backbeat.performances import drumming, swaying

REST = {"left": "snare", "right": "floor_tom"}


def played(tmp_path, *parts, kit="drum-kit"):
    """A behavior with the events of a score of an opening rest and some parts."""
    drums = DrumKit(text=kit_text(kit, tmp_path))
    places = {m: drums.strike_pose(m).translation() - drums.p_WK for m in drums.members}
    opening = PartDescription("ready", hold=4, rest=REST)
    score = compile_score(
        ScoreDescription(parts=[opening, *parts], bpm=120, unplayable="drop"),
        kit_members(drums),
        "song",
        HandModel(places),
    )
    events = score_events(score, lambda member, hand: (0.0, 0.0))
    behavior = drumming(duration=score.tempo.time(score.beats))
    scene = replace(behavior.scene, kit=kit_text(kit, tmp_path))
    return replace(
        behavior,
        bpm=120.0,
        meter=score.tempo.meter,
        events=events,
        scene=scene,
        provenance={"remarks": list(score.remarks), "duration_s": 1.0},
    )


@pytest.fixture
def verse(tmp_path):
    """Three bars that are the same, then three hits at once in 7/8."""
    tab = "HH|x---x-|\nSD|x-----|\nRD|x-----|\nFT|----x-|"
    return played(
        tmp_path,
        PartDescription(
            "v", left="- - 3! - - - - -", right="1 1? 1 - - - - -", repeat=3
        ),
        PartDescription("odd", meter="3/4", tab=tab),
    )


def test_every_hit_is_in_its_bar_with_its_hand_and_loudness(verse):
    rest, bars, odd = score_bars(verse)
    assert (rest.first, rest.marks, len(rest.rests)) == (1, (), 2)
    assert (bars.first, bars.last, bars.meter) == (2, 4, "4/4")
    found = [(m.member, m.limb, m.at, m.is_accent, m.is_ghost) for m in bars.marks]
    assert sorted(found) == [
        ("hi_hat", "right", 0.0, False, False),
        ("hi_hat", "right", 0.5, False, True),
        ("hi_hat", "right", 1.0, False, False),
        ("snare", "left", 1.0, True, False),
    ]
    assert (odd.meter, odd.tells_tempo, odd.pulses) == ("3/4", True, (0.0, 1.0, 2.0))


def test_hits_left_out_are_in_the_grid_and_listed_with_their_cause(verse):
    (out,) = verse.events_of("left out")
    marks = score_bars(verse)[-1].marks
    assert [(m.member, m.at) for m in marks if not m.limb] == [(out.what, 0.0)]
    page = score_section(verse)
    assert page.count('class="out"') == 1
    row = rf"<td>{out.what}</td><td>bar 5, beat 1</td>\s*<td[^>]*>8.00</td>"
    assert re.search(row, page)
    assert "<td>too fast for two hands</td>" in page
    for remark in verse.provenance["remarks"]:
        assert remark in page


def test_strokes_are_counted_by_hand_and_foot(tmp_path):
    tab = "RD|x-x-x-x-|\nSD|--X---X-|\nBD|x---x---|\nHF|--x---x-|"
    behavior = played(tmp_path, PartDescription("v", tab=tab), kit="full-kit")
    members = list(DrumKit(text=behavior.scene.kit).members)
    table = {n: dict(c) for n, c in strokes_by_limb(behavior, members)}
    assert table["kick"] == {"right foot": 2}
    assert table["pedal hi hat"] == {"left foot": 2}
    assert sum(table["all"].values()) == len(behavior.strikes()) == 10
    page = score_section(behavior)
    # Feet are squares, hands circles: color is not all that tells them apart.
    assert (page.count("<rect"), page.count("<circle")) == (4, 6)


def test_the_page_of_a_drummer_has_its_score_and_others_have_none(verse):
    assert '<h2 id="score">Score</h2>' in behavior_page(with_certificate(verse))
    assert score_section(swaying(2.0)) == ""


def with_certificate(behavior):
    made = {"knots": 1, "iterations": 1, "seconds": 1.0, "backbeat": "0", "drake": "0"}
    keys = ("cost", "violation", "step", "barrier")
    made["log"] = [dict.fromkeys(keys, 0.1**k) for k in range(3)]
    return replace(behavior, provenance={**behavior.provenance, **made})


def test_hits_left_out_stay_with_a_behavior_that_is_stored(verse, tmp_path):
    library = Library(tmp_path / "library")
    library.save(verse)
    stored = library.load(verse.name)
    assert stored.events_of("left out") == verse.events_of("left out")
