"""Any note is given to any target, and what became of each is said."""

import pytest

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.music.files.note_maps import MAPS, read_map
from backbeat.behaviors.music.files.score_reader import load_score, score_files
from backbeat.behaviors.music.notation.percussion import NOTES, PIECES
from backbeat.behaviors.music.notation.score_description import Adaptation
from backbeat.behaviors.specification.kinds import Variant, read_any
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from tests.behaviors.midi_files import hit, midi_bytes

MEMBERS = kit_members(DrumKit())


@pytest.fixture
def edges(tmp_path):
    """A bar of hi-hat edges, the last one open, a snare and two kicks."""
    path = tmp_path / "edges.mid"
    notes = [(240 * k, hit(26 if k == 7 else 22)) for k in range(8)]
    notes += [(480, hit(38)), (0, hit(36)), (960, hit(36))]
    path.write_bytes(midi_bytes([notes]))
    return path


def members_of(path, *words):
    score = load_score(path, MEMBERS, None, Adaptation(map=list(words)))
    return [h.member for h in score.hits], score.remarks


def test_a_map_that_ships_gives_edges_to_the_hi_hat(edges):
    members, remarks = members_of(edges, "roland")
    assert members.count("hi_hat") == 8
    assert remarks == (
        "MIDI notes: 22 to hi_hat (7 hits), 38 to snare (1 hit)",
        "MIDI note 26, 1 hit: open_hi_hat, given to hi_hat",
        "MIDI note 36, 2 hits: kick, dropped",
    )


def test_a_note_without_a_map_is_told_with_the_map_that_has_it(edges):
    members, remarks = members_of(edges)
    assert members == ["snare"]
    assert any("note 22, 7 hits" in r and "--map roland" in r for r in remarks)


def test_single_notes_go_before_maps_wherever_they_stand(edges):
    members, remarks = members_of(edges, "22=ride", "roland", "26=drop", "36=3")
    assert (members.count("ride"), members.count("hi_hat")) == (7, 0)
    assert members.count("snare") == 3
    assert "MIDI note 26, 1 hit: dropped, as its map says" in remarks


def test_a_piece_may_be_given_away_too(edges):
    members, _ = members_of(edges, "roland", "kick=floor_tom", "hi_hat=crash")
    assert sorted(set(members)) == ["crash", "floor_tom", "snare"]


def test_a_score_and_a_file_say_the_same(edges):
    (edges.parent / "mine.yaml").write_text("notes: {22: ride, 26: crash}\n")
    score = edges.with_suffix(".yaml")
    score.write_text("notes: edges.mid\nmap: [mine.yaml, 36=floor_tom]\n")
    members = [h.member for h in load_score(score, MEMBERS).hits]
    assert (members.count("ride"), members.count("crash")) == (7, 1)
    assert members.count("floor_tom") == 2
    assert edges.parent / "mine.yaml" in score_files(score)


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("rolland", "map 'rolland' is none; it is NOTE=TARGET"),
        ("22=gong", "unknown drum in map of song 'gong'"),
        ("128=snare", "MIDI has notes 0 to 127"),
        ("22=map", "unknown target in map of song 'map'"),
        ("../mine.yaml", "mine.yaml"),
    ],
)
def test_what_is_no_map(word, sentence, tmp_path):
    with pytest.raises(BackbeatError, match=sentence):
        read_map([word], MEMBERS, tmp_path, "song")


@pytest.mark.parametrize("text", ["notes: 3\n", "nots: {}\n", "notes: {22: [1]}\n"])
def test_what_is_no_file_of_a_map(text, tmp_path):
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(BackbeatError, match=r"mine\.yaml"):
        read_map(["mine.yaml"], MEMBERS, tmp_path, "song")


def test_a_note_may_be_refused(edges):
    with pytest.raises(BackbeatError, match="note 22, which has 7 hits, is refused"):
        members_of(edges, "22=refuse")


def test_a_map_of_notes_needs_notes(tmp_path):
    path = tmp_path / "song.tab"
    path.write_text("SN|o-o-|\n")
    with pytest.raises(BackbeatError, match="notes of a MIDI file"):
        members_of(path, "roland")


def test_options_become_keys_of_the_specification(edges):
    adapt = Adaptation(map=["roland"], unplayable="drop", tempo_factor=0.9)
    specification, text = read_any(edges, Variant(adapt))
    assert specification.adapt == adapt
    assert "unplayable: drop" in text
    with pytest.raises(BackbeatError, match="are for MIDI and tablature files"):
        read_any(edges.with_suffix(".yaml"), Variant(adapt))


def test_maps_have_pieces_and_agree_on_the_heads():
    for notes in MAPS.values():
        assert set(notes.values()) <= set(PIECES)
        assert all(0 <= n <= 127 for n in notes)
        # Heads of snare and floor tom, bows of hi-hat and ride are as in General MIDI.
        assert all(notes[n] == NOTES[n] for n in (38, 42, 43, 46, 48, 49, 51))
