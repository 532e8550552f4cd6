"""What the kit lacks is mapped, dropped or refused, and said."""

import pytest

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.music.notation.percussion import (
    NOTES,
    PIECES,
    SUBSTITUTES,
    Members,
    place_on_kit,
)
from backbeat.behaviors.music.notation.score import Hit
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit

MEMBERS = kit_members(DrumKit())
HITS = [
    Hit(0, "kick", "", 100),
    Hit(0, "hi_hat", "", 90),
    Hit(1, "snare", "", 90),
    Hit(2, "kick", "", 100),
    Hit(3, "cowbell", "", 80),
]


def place(absent="drop", **mapping):
    hits, remarks = place_on_kit(HITS, MEMBERS, absent, mapping, "song")
    return [(h.beat, h.member) for h in hits], remarks


PLAYED = [(0, "hi_hat"), (1, "snare")]


def test_dropped_with_counts():
    assert place() == (PLAYED, ["1 hit of cowbell dropped", "2 hits of kick dropped"])


def test_mapped_to_a_drum_nearby():
    hits, remarks = place("map")
    assert (3, "ride") in hits
    assert [m for b, m in hits].count("floor_tom") == 2
    assert remarks == [
        "1 hit of cowbell given to ride",
        "2 hits of kick given to floor_tom",
    ]


def test_refused_with_what_to_write_instead():
    with pytest.raises(BackbeatError, match=r"no kick, which has 2 hits; set mapping"):
        place("refuse")
    with pytest.raises(BackbeatError, match="no cowbell, which has 1 hit"):
        place("drop", cowbell="refuse")


def test_a_choice_by_name_goes_first():
    hits, remarks = place("refuse", kick="drop", cowbell="crash")
    assert hits == [*PLAYED, (3, "crash")]
    assert "1 hit of cowbell given to crash" in remarks


def test_a_member_may_be_sent_elsewhere_too():
    hits, _ = place("drop", hi_hat="ride")
    assert hits[0] == (0, "ride")


@pytest.mark.parametrize(
    ("absent", "mapping", "sentence"),
    [
        ("keep", {}, "absent in song 'keep'; known: drop, map, refuse"),
        ("drop", {"gong": "ride"}, "unknown drum in mapping of song 'gong'"),
        ("drop", {"kick": "gong"}, "unknown drum in mapping of song 'gong'"),
        ("drop", {"kick": "cowbell"}, "to cowbell, which the kit lacks; it has hi_hat"),
    ],
)
def test_choices_that_do_not_exist(absent, mapping, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        place(absent, **mapping)


def test_every_note_of_the_kit_is_played_by_its_member():
    for name, notes in MEMBERS.notes.items():
        assert MEMBERS.of_note(notes[0]) == name
    assert MEMBERS.of_note(36) == "kick"
    assert MEMBERS.of_note(44) == "pedal_hi_hat"


# What is not the own stroke of a member of the usual kit, and what plays it.
STRUCK_OTHERWISE = {
    **{37: ("side_stick", "snare"), 46: ("open_hi_hat", "hi_hat")},
    **{53: ("ride_bell", "ride"), 55: ("splash", "crash")},
    **{57: ("second_crash", "crash"), 59: ("second_ride", "ride")},
}


@pytest.mark.parametrize("note", STRUCK_OTHERWISE)
def test_what_a_kit_strikes_otherwise_is_played_and_said(note):
    piece, member = STRUCK_OTHERWISE[note]
    assert MEMBERS.of_note(note) == piece
    assert MEMBERS.playing(piece) == member
    for absent in ("drop", "refuse"):
        hit = Hit(0, MEMBERS.of_note(note), "", 90)
        placed, said = place_on_kit([hit], MEMBERS, absent, {}, "song")
        assert [h.member for h in placed] == [member]
        assert said == [f"1 hit of {piece} given to {member}"]
    # A choice for the piece is not one for the member, and one for the member is both.
    _, said = place_on_kit([hit], MEMBERS, "drop", {piece: "drop"}, "song")
    assert said == [f"1 hit of {piece} dropped"]
    placed, _ = place_on_kit([hit], MEMBERS, "drop", {member: "floor_tom"}, "song")
    assert [h.member for h in placed] == ["floor_tom"]


def test_a_member_that_is_a_piece_plays_it():
    names = {1: "hats", 2: "half_open", 3: "crash_b"}
    notes = {"hats": [42, 46], "half_open": [46, 42], "crash_b": [57]}
    members = Members(names, notes)
    played = [members.of_note(note) for note in (42, 46, 57)]
    assert played == ["hats", "half_open", "crash_b"]
    assert members.of_piece("open_hi_hat") == "half_open"


def test_substitutes_are_pieces_and_members():
    assert set(SUBSTITUTES) <= set(PIECES)
    for options in SUBSTITUTES.values():
        assert set(options) <= set(MEMBERS.names)
    assert all(27 <= note <= 87 for note in NOTES)
