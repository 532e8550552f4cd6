"""Takes in the manner of drummers are played, or refused with what would do."""

import io
import re
import shlex
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import mido
import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.drumming.tempo.tried_options import tried_options
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.music.notation.left_out import left_out_in_words
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import (
    BUZZ,
    DRAG,
    DROPPED,
    FLAM,
    GRACE,
    Hit,
    Remark,
)
from backbeat.behaviors.music.notation.score_description import Adaptation
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.music.playing.losses import BESIDE
from backbeat.behaviors.music.playing.ornaments import ALTERNATING, two_sticks
from backbeat.behaviors.music.playing.sticking import find_hands
from backbeat.behaviors.specification.kinds import Variant
from backbeat.cli.author.build import adaptation
from backbeat.models.common.errors import BackbeatError, NoMotionError
from backbeat.models.kit.drum_kit import DrumKit
from tests.behaviors.played_takes import TAKES

KIT = DrumKit()
MEMBERS = kit_members(KIT)
PLAYER = HandModel({m: KIT.strike_pose(m).translation() for m in KIT.members})
ROLAND = Adaptation(map=["roland"])
REFUSED = ("linear", "three-at-once", "unisons")


def write(name, folder):
    path = folder / f"{name}.mid"
    path.write_bytes(TAKES[name]().midi())
    return path


def offered(sentence):
    """Choices of the command that a refusal offers, as the command line reads them."""
    words = shlex.split(re.search(r"`(backbeat build .*?)`", sentence)[1])[3:]
    options = list(zip(words[::2], words[1::2], strict=True))
    given = dict(options)
    return adaptation(
        [value for option, value in options if option == "--map"],
        given.get("--unplayable", "refuse"),
        float(given.get("--tempo-factor", 1)),
        int(given.get("--grid", 0)),
        int(given.get("--least-velocity", 1)),
    )


def sounding_within(score, most):
    """Whether each hand has so many seconds between its strokes."""
    for hand in ("left", "right"):
        times = [score.tempo.time(h.beat) for h in score.of_hand(hand)]
        if np.diff(times).min(initial=np.inf) < most - 1e-6:
            return False
    return True


def test_takes_are_as_drummers_play_them():
    for make in TAKES.values():
        file = mido.MidiFile(file=io.BytesIO(make().midi()))
        hits = [m for m in file if m.type == "note_on"]
        assert len(hits) >= 14
        assert len({m.velocity for m in hits}) > 5


@pytest.mark.parametrize("name", TAKES)
def test_a_take_is_played_or_the_command_that_is_offered_plays_it(name, tmp_path):
    path = write(name, tmp_path)
    try:
        score = load_score(path, MEMBERS, PLAYER, ROLAND)
        assert name not in REFUSED
    except BackbeatError as error:
        assert name in REFUSED
        score = load_score(path, MEMBERS, PLAYER, offered(str(error)))
    assert score.hits
    assert sounding_within(score, PLAYER.pair)


def test_what_an_offer_leaves_out_is_what_it_says(tmp_path):
    path = write("unisons", tmp_path)
    with pytest.raises(BackbeatError) as caught:
        load_score(path, MEMBERS, PLAYER, ROLAND)
    lost, whole = re.search(
        r"leaves out (\d+) of (\d+) hits", str(caught.value)
    ).groups()
    score = load_score(path, MEMBERS, PLAYER, offered(str(caught.value)))
    assert len(score.hits) == int(whole) - int(lost)


def test_a_score_is_offered_keys(tmp_path):
    score = tmp_path / "song.yaml"
    score.write_text(
        "parts:\n"
        "  - {name: ready, hold: 4, rest: {left: snare, right: floor_tom}}\n"
        '  - {tab: "SN|o---o---|\\nCC|o-------|\\nHH|o-o-o-o-|"}\n'
    )
    with pytest.raises(BackbeatError, match="unplayable: drop, which leaves out 1"):
        load_score(score, MEMBERS, PLAYER)


def test_other_choices_stay_in_the_command(tmp_path):
    path = write("linear", tmp_path)
    with pytest.raises(BackbeatError) as caught:
        load_score(path, MEMBERS, PLAYER, Adaptation(map=["roland", "45=ride"]))
    assert offered(str(caught.value)).map[:2] == ["roland", "45=ride"]


def snares(*hits):
    """Open hits of a snare at so many seconds, with velocities."""
    return [Hit(t, "snare", "", v) for t, v in hits]


def test_flams_stay_and_drags_are_three_strokes():
    tempo = Tempo(60)
    flam, said = two_sticks(snares((1.0, 40), (1.03, 100)), tempo)
    assert [h.beat for h in flam] == [1.0, 1.03]
    assert said == ["flams for both sticks: 1"]
    drag, said = two_sticks(snares((1.0, 30), (1.03, 30), (1.06, 100)), tempo)
    assert [h.beat for h in drag] == pytest.approx([0.96, 1.01, 1.06])
    assert [h.velocity for h in drag] == [30, 30, 100]
    assert said == ["drags as three alternating strokes, 50 ms apart: 1"]


@pytest.mark.parametrize(
    ("ornament", "beats", "times"),
    [
        (FLAM, 0.5, [-0.03, 0]),
        (DRAG, 0.5, [-0.1, -0.05, 0]),
        (BUZZ, 0.5, [0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375]),
        (BUZZ, 0.1, [0, 0.0625, 0.125]),
    ],
)
def test_written_ornaments_are_strokes_of_two_sticks(ornament, beats, times):
    tempo = Tempo(60)
    hit = Hit(2.0, "snare", "", 100, ornament, beats)
    strokes, said = two_sticks([hit], tempo)
    assert [h.beat - 2.0 for h in strokes] == pytest.approx(times)
    assert len(said) == 1
    graces = [h for h in strokes if h.ornament == GRACE]
    assert len(graces) == len(times) - 1
    assert {h.velocity for h in graces} == {55}
    played, left = find_hands(strokes, [], tempo, PLAYER, "refuse", "song")
    hands = [h.hand for h in played]
    assert all(a != b for a, b in pairwise(hands))
    assert not left


def test_a_stroke_of_an_ornament_goes_where_the_other_stick_plays():
    """A flam loses its grace note; of a buzz one hand plays every other stroke."""
    tempo, ride = Tempo(60), Hit(2.0, "ride", "right", 80)
    flam, _ = two_sticks([ride, Hit(2.0, "snare", "", 100, FLAM)], tempo)
    played, said = find_hands(flam, [], tempo, PLAYER, "refuse", "song")
    hands = {h.member: h.hand for h in played}
    assert hands == {"ride": "right", "snare": "left"}
    assert len(played) == 2
    assert left_out_in_words(said) == (
        "1 hit dropped, of flams, drags, buzzes and rolls where the other stick plays "
        "elsewhere: snare in bar 1, beat 2.97"
    )
    rides = [replace(ride, beat=2 + 0.25 * k) for k in range(4)]
    buzz, _ = two_sticks([*rides, Hit(2.25, "snare", "", 100, BUZZ, 0.5)], tempo)
    played, said = find_hands(buzz, [], tempo, PLAYER, "refuse", "song")
    strokes = [h.beat for h in played if h.member == "snare"]
    assert {h.hand for h in played if h.member == "snare"} == {"left"}
    assert np.diff(strokes).min() >= PLAYER.repeat
    assert len(strokes) == 4
    assert [(lost.hit.member, lost.cause) for lost in said] == [("snare", BESIDE)] * 4


def test_a_roll_is_played_as_fast_as_sticks_alternate():
    roll = snares(*[(1 + 0.03 * k, 60) for k in range(21)])
    played, said = two_sticks(roll, Tempo(60))
    times = [h.beat for h in played]
    assert (times[0], times[-1]) == (roll[0].beat, roll[-1].beat)
    assert np.diff(times).min() >= ALTERNATING - 1e-9
    assert len(times) == 13
    assert "rolls of 21 hits played as 13 alternating strokes" in said[0]


def test_what_an_author_gives_to_hands_stays():
    given = [Hit(1 + 0.03 * k, "snare", "left", 60) for k in range(5)]
    assert two_sticks(given, Tempo(60)) == (given, [])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"tempo_factor": 0.0}, "tempo_factor is 0.0; it must be from 0.1 to 4"),
        ({"tempo_factor": 4.0}, "a tempo is 20 to 400 beats per minute"),
        ({"grid": 3}, "grid is 3; it is steps of a whole note, 4 to 192"),
        ({"least_velocity": 0}, "least_velocity is 0; it must be from 1 to 127"),
        ({"least_velocity": 127}, "the loudest has"),
        ({"unplayable": "keep"}, "unknown unplayable in"),
    ],
)
def test_choices_that_make_no_sense(changes, sentence, tmp_path):
    with pytest.raises(BackbeatError, match=sentence):
        load_score(write("rock", tmp_path), MEMBERS, PLAYER, Adaptation(**changes))


def test_a_grid_takes_jitter_out_and_says_how_far(tmp_path):
    score = load_score(write("rock", tmp_path), MEMBERS, PLAYER, Adaptation(grid=8))
    assert all((2 * h.beat) % 1 == 0 for h in score.hits)
    assert any("moved to a grid of 1/8 notes, by up to" in r for r in score.remarks)


@pytest.mark.parametrize("name", ["funk", "hat-foot"])
def test_what_no_motion_is_found_for_is_tried_on_a_grid_and_with_less(name, tmp_path):
    """The least change first; what is chosen already is not tried again."""
    path, tried = write(name, tmp_path), []

    def fails(other):
        tried.append(other.adapt)
        raise NoMotionError("none")

    played = DrummingSpecification(name=name, score=path.name, adapt=ROLAND)
    said = tried_options(played, path, fails)
    assert said.startswith("; grid: 16 and unplayable: drop did not help")
    assert [(a.grid, a.unplayable) for a in tried] == [(16, "refuse"), (0, "drop")]
    assert all(a.map == ["roland"] for a in tried)
    gridded = replace(played, adapt=replace(ROLAND, grid=8))
    assert tried_options(gridded, path, fails).startswith("; unplayable: drop did not")


def test_what_was_built_is_offered_as_a_command(tmp_path):
    path = write("funk", tmp_path)

    def attempt(other):
        if other.adapt.unplayable == "refuse":
            raise NoMotionError("none")
        remarks = [Remark("2 hits dropped", DROPPED, 2), "seated"]
        return SimpleNamespace(provenance={"remarks": remarks})

    played = DrummingSpecification(name="funk", score=path.name, adapt=ROLAND)
    said = tried_options(played, path, attempt)
    assert said.endswith("--unplayable drop` builds it (2 hits dropped)")
    assert offered(said) == replace(ROLAND, unplayable="drop")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flams", "roll", "blast", "funk", "hat-foot"])
def test_takes_are_built(name, tmp_path):
    path = write(name, tmp_path)
    adapt = Adaptation(map=["roland"], unplayable="drop")
    made = build(path, Library(tmp_path / "library"), variant=Variant(adapt))
    assert made.certificate.passed
