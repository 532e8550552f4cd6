"""Choreographies: moves are laid out, faded, blended, mirrored and cut as said."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backbeat.behaviors.dance.arrangement import (
    channel_offsets,
    mean_timing,
    mirrored,
    place_moves,
)
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.dance.vocabulary.descriptions import MoveDescription
from backbeat.behaviors.dance.vocabulary.move_file import parse_move, shipped_moves
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.music.notation.meter import MeterMap
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.roles import TURNING
from tests.behaviors.moves import MOVE

ROBOT = make_robot("atlas", (), Mount())
MOVES = shipped_moves()
BEATS = np.arange(0.0, 24.0, 1 / 24)


def place(track, *rows, fade=1.0):
    return place_moves({track: rows}, MOVES, MeterMap(), fade, "mine")


def offsets(placed, beats=BEATS):
    total = {}
    for p in placed:
        for n, o in channel_offsets(p, beats, ROBOT).items():
            total[n] = total.get(n, 0.0) + o
    return total


@pytest.mark.parametrize("name", sorted(MOVES))
def test_mirroring_twice_is_not_mirroring(name):
    move = MOVES[name]
    (plain,) = place(move.track, MoveDescription(name, 2.0))
    once = offsets([plain])
    twice = mirrored(mirrored(once, ROBOT), ROBOT)
    assert set(twice) == set(once)
    for channel, offset in once.items():
        np.testing.assert_array_equal(twice[channel], offset)


def test_a_mirrored_move_is_the_mirror_image():
    plain = offsets(place("arms", MoveDescription("point", 2.0)))
    other = offsets(place("arms", MoveDescription("point", 2.0, mirror=True)))
    assert np.abs(plain["l_arm_shx"]).max() > 1
    # The shoulder's roll changes sign from side to side.
    np.testing.assert_array_equal(other["r_arm_shx"], -plain["l_arm_shx"])
    assert "l_arm_shx" not in other


def test_alternating_repeats_are_mirrored_in_turn():
    row = MoveDescription("side-step", 2.0, repeat=3, alternate=True)
    assert [p.mirror for p in place("legs", row)] == [False, True, False]
    assert [p.start for p in place("legs", row)] == [2.0, 6.0, 10.0]


@given(st.floats(0.5, 4), st.floats(0.5, 4))
@settings(max_examples=30)
def test_a_move_is_nothing_outside_and_all_inside(fade, beats):
    (p,) = place("legs", MoveDescription("sway", 4.0, beats=4 + beats), fade=fade)
    window = p.window(BEATS)
    assert (window[(p.start >= BEATS) | (p.end <= BEATS)] == 0).all()
    inside = (p.rise[1] <= BEATS) & (p.fall[0] >= BEATS)
    np.testing.assert_allclose(window[inside], 1.0, atol=1e-12)


def test_a_blend_goes_all_the_way_from_one_move_to_the_next():
    before, after = place(
        "arms",
        MoveDescription("swing", 2.0, beats=8.0),
        MoveDescription("wave", 10.0, beats=8.0, blend=2.0),
    )
    shares = before.window(BEATS), after.window(BEATS)
    about = (BEATS >= 4) & (BEATS <= 15)
    np.testing.assert_allclose((shares[0] + shares[1])[about], 1.0, atol=1e-12)
    for beat, share in ((9.0, 0.0), (10.0, 0.5), (11.0, 1.0)):
        at = np.array([beat])
        assert after.window(at) == pytest.approx(share, abs=1e-12)
        assert before.window(at) == pytest.approx(1 - share, abs=1e-12)


def test_an_extended_move_waits_and_a_short_one_is_cut():
    depth = MOVES["squat"].parameters["depth"].default
    for beats in (4.0, 7.0):
        (p,) = place("legs", MoveDescription("squat", 2.0, beats=beats))
        low = offsets([p])["com.z"]
        # Lowest on the beat; then it settles a little higher and waits there.
        assert BEATS[low.argmin()] == p.markers()[0] == 4.0
        waits = BEATS[np.isclose(low, -0.9375 * depth, atol=1e-9)]
        assert np.ptp(waits[waits > 4.0]) == pytest.approx(beats - 4.0, abs=1e-9)
        assert low[p.end <= BEATS].max() == low[p.end <= BEATS].min() == 0
    (cut,) = place("legs", MoveDescription("squat", 2.0, beats=2.0))
    low = offsets([cut])["com.z"]
    assert (low[BEATS >= 4.0] == 0).all()
    assert low.min() < -0.05


@pytest.mark.parametrize("name", sorted(n for n, m in MOVES.items() if m.curves))
def test_moves_are_smooth(name):
    """No offset jumps: halving the step halves the largest change."""
    move = MOVES[name]
    (p,) = place(move.track, MoveDescription(name, 2.0))
    changes = []
    for step in (0.02, 0.01):
        found = offsets([p], np.arange(0.0, 14.0, step))
        changes.append(max(np.abs(np.diff(o)).max() for o in found.values()))
    assert changes[1] <= 0.6 * changes[0] + 1e-9


@pytest.mark.parametrize("name", sorted(MOVES))
def test_a_marker_is_the_extreme_of_its_channel(name):
    move = MOVES[name]
    marker = move.marker
    if marker is None or marker.channel not in move.curves:
        return
    beats = 2 * move.length(move.defaults()) + 4 if move.repeats else None
    (p,) = place(move.track, MoveDescription(name, 2.0, beats=beats))
    best = {"least": min, "most": max}[marker.extreme]
    full = (p.rise[1] <= BEATS) & (p.fall[0] >= BEATS)
    channel, sign = marker.channel, 1.0
    if channel in TURNING:
        channel, sign = ROBOT.roles.turning(channel)
    found = sign * channel_offsets(p, BEATS[full], ROBOT)[channel]
    assert p.markers()
    for beat in p.markers():
        value = sign * channel_offsets(p, np.array([beat]), ROBOT)[channel][0]
        assert value == pytest.approx(best(found), abs=1e-3)


def test_bars_and_beats_are_counted_from_one():
    row = MoveDescription("bounce", bar=3, beat=2)
    assert place("legs", row)[0].start == 9.0


def test_there_are_moves_on_every_track():
    tracks = [m.track for m in MOVES.values()]
    assert len(tracks) >= 24
    assert {t: tracks.count(t) >= 3 for t in tracks} == dict.fromkeys(tracks, True)


def test_a_dance_has_the_mean_of_its_timings():
    rows = [
        MoveDescription("swing", 0.0, beats=6.0, timing=1.0),
        MoveDescription("wave", 6.0, beats=2.0),
    ]
    assert mean_timing(place("arms", *rows), 0.2) == pytest.approx(0.8)


def test_code_and_yaml_are_one():
    dance = Choreography("mine", beats=24)
    dance.legs("sway", 2, beats=8, width=0.05).arms("wave", 2, beats=8, mirror=True)
    read = parse_specification(dance.text(), "mine.yaml")
    assert read == dance.dance
    assert "sway" in str(dance)
    assert "bar   1 beat 3" in repr(dance)
    with pytest.raises(BackbeatError, match="did you mean arms"):
        dance.add("arm", "wave")


def test_a_move_is_read():
    move = parse_move(MOVE, "mine.yaml")
    found = move.shape(np.array([0.0, 1.0, 2.0, 6.0]), 8.0, {"size": 2, "cycle": 4})
    np.testing.assert_allclose(found["l_arm_shx"], [0, 0.55, 1.1, 1.1], atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("track: arms", "track: arm", "did you mean arms"),
        ("length: cycle", "length: cycel", "did you mean cycle"),
        ("length: cycle", "length: 0", "length can get 0 beats"),
        ("summary: mine", "summary: ''", "has a summary"),
        ("min: 0,", "min: 3,", "min <= default <= max"),
        ("0.1 + 0.5 size", "0.1 ** size", "not a sum"),
        ("0.1 + 0.5 size", "size(1)", "not a sum"),
        ("at: 0.5", "at: 1.5", "a share of the move's length"),
        ("at: 0.5", "at: 0.0", "not in order"),
        ("length: cycle", "repeats: false", "not 0 at its first and last"),
        ("length: cycle", "exit: squat", "only a move of the legs"),
        ("length: cycle", "entry: [sit]", "unknown state"),
        ("length: cycle", "marker: {at: 0, channel: l_foot, extreme: lands}", "lands"),
        ("length: cycle", "marker: {at: 0, channel: com.q, extreme: most}", "'com.q'"),
        ("length: cycle", "marker: {at: 0, extreme: least}", "'least' of ''"),
    ],
)
def test_a_mistake_in_a_move_is_one_sentence(old, new, sentence):
    assert old in MOVE
    with pytest.raises(BackbeatError, match=sentence) as caught:
        parse_move(MOVE.replace(old, new, 1), "mine.yaml")
    assert "\n" not in str(caught.value)
