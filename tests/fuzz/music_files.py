"""Music from outside: scores in YAML, tablature and MIDI, and sound to play along."""

import io
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from scipy.io import wavfile

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.music.files.note_maps import (
    HIGHEST,
    NoteMap,
    read_map,
    spelled_out,
)
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.music.notation.backing import LONGEST, read_recording
from backbeat.behaviors.music.notation.percussion import CHOICES, PIECES
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import Score
from backbeat.behaviors.music.notation.score_description import (
    HitDescription,
    PartDescription,
    ScoreDescription,
)
from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER
from backbeat.cli.author.build import adaptation
from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.kit.looks import look_of
from backbeat.sound.mix import read_backing
from backbeat.sound.voices import character
from tests.behaviors.midi_files import bpm, hit, many_hits, midi_bytes
from tests.fuzz.noise import HOSTILE, HOSTILE_YAML, damaged, yaml_like
from tests.fuzz.reader import Reader

KIT = DrumKit()
MEMBERS = kit_members(KIT)
PLAYER = HandModel({m: KIT.strike_pose(m).translation() for m in KIT.members})
SCORE = """\
title: Beat
bpm: 120
parts:
  - {name: ready, hold: 4, rest: {left: snare, right: floor_tom}}
  - name: beat
    steps_per_beat: 2
    left:  "1 1 1 1 1 1 1 1"
    right: "- - 3! - - - 3! -"
  - {bars: 2, hits: [{bar: 2, beat: 1.5, member: "3", velocity: 77, hand: right}]}
  - {tab: "SN|o---o---|", meter: 4/4, end_bpm: 90, repeat: 2}
  - {name: go, goto: 2, to: {right: ride}, place: {left: [0.3, 0.2, 1.0]}, meter: 7/8}
  - {name: hit, goto: 1.5, to: {left: snare}, velocity: 90}
  - {name: end, hold: 4, rest: {left: snare, right: floor_tom}, sway: 0.1}
"""
TAB = "bpm: 120\n[beat]\nHH|xxxxxxxx|\nSN|--O---O-|\nBD|o---o---|\n"
_CYMBAL = [(240 * k, hit(42)) for k in range(8)]
_DRUMS = [(480, hit(38, 115)), (1440, hit(38, 115)), (0, hit(36)), (960, hit(36))]
MIDI = midi_bytes([[(0, bpm(120))], _CYMBAL, _DRUMS])
NOTE_MAP = """\
title: An old kit
notes: {22: hi_hat, 26: crash, 36: drop, 38: snare, 40: refuse, 43: floor_tom}
"""
GOOD_OPTIONS = (
    *("22=hi_hat", "22=drop", "hi_hat=crash", "26 = refuse", "36=kick"),
    *("general-midi", "roland", "alesis", "yamaha"),
)
OPTION_WORDS = st.sampled_from(
    [
        *("999=snare", "-1=snare", "22=map", "=", "==", "22=", "=snare", "x.yaml"),
        *("\u0663=snare", "../x.yaml", "/dev/zero.yaml", "nan", "1e400", "0x10"),
        *("drop", "refuse", "-3", "1.0", "0", "16", "127"),
    ]
) | st.text(max_size=12)
OWN_KIT = """\
name: mine
remove: [mid_tom]
members:
  crash: {place: [0.80, 0.56, 1.25], tilt_deg: 20, stiffness: 9.0e+4, restitution: 0.3}
  gong: {kind: cymbal, place: [1.0, 0.2, 1.1], radius: 0.4, depth: 0.02, notes: [52],
         sound: crash, number: 9, mesh: ""}
  kick: {place: [0.8, -0.14, 0.3], tilt_deg: 90, notes: [36],
         pedal: {foot: right, heel: [0.324, -0.14, 0.0], rest_deg: 18, arm: 0.2}}
chair: {place: [-0.02, 0.0, 0.0], radius: 0.17, height: 0.5}
"""
WORDS = (
    *(
        k
        for s in (HitDescription, PartDescription, ScoreDescription)
        for k in s.__dataclass_fields__
    ),
    *("3 - 1", "HH|x-x-|", "7/8", "drop", "map", "refuse", "snare", "crash", "- 3! 7?"),
)


def _read_score(path: Path) -> None:
    """A score is whole and in order, and hands never play two things at once."""
    score = load_score(path, MEMBERS, PLAYER)
    times = [score.tempo.time(h.beat) for h in score.hits]
    assert times == sorted(times)
    assert all(0 <= h.beat < score.beats for h in score.hits)
    assert all(h.member in MEMBERS.names for h in score.hits)
    assert all(1 <= h.velocity <= 127 for h in score.hits)
    assert all(h.hand in ("left", "right") for h in score.hits)
    assert len({(h.beat, h.hand) for h in score.hits}) == len(score.hits)
    assert all(h.contact_end > h.beat for h in score.holds)
    assert score.tempo.time(score.beats) <= 600
    _check_hands(score)


def _check_hands(score: Score) -> None:
    """What a hand does is a chain without gaps, in the time of the score."""
    for target in score.targets:
        assert 0 <= target.beat <= target.beat + target.beats <= score.beats + 1e-9
        assert np.isfinite(target.place).all()
    for hand in ("left", "right"):
        beats = [beat for beat, *_ in score.stops(hand)]
        assert beats == sorted(beats)
        assert all(0 <= beat <= score.beats for beat in beats)


def _read_note_map(path: Path) -> None:
    """Every note of a file is one of MIDI, and goes to what a kit or the file names."""
    words = spelled_out([str(path)])
    _check_map(read_map(words, MEMBERS, path.parent, "song"))
    _check_map(read_map([path.name], MEMBERS, path.parent, "song"))


def _read_options(path: Path) -> None:
    """A line each of `--map`, `--unplayable`, `--tempo-factor`, `--grid`, loudness."""
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    unplayable, *numbers = (*lines[-4:], *4 * [""])[:4]
    factor, grid, least = map(_number, numbers)
    adapt = adaptation(lines[:-4], unplayable, factor, int(grid), int(least))
    _check_map(read_map(adapt.map, MEMBERS, path.parent, "song"))
    assert 0.1 <= adapt.tempo_factor <= 4
    assert adapt.unplayable in ("refuse", "drop")
    assert 0 <= adapt.grid <= 192
    assert 1 <= adapt.least_velocity <= 127


def _number(word: str) -> float:
    """What the command line makes of a word, which refuses what is no number."""
    try:
        number = float(word)
    except ValueError:
        return 1.0
    return number if abs(number) < 1e9 else 1e9


def _check_map(found: NoteMap) -> None:
    assert all(0 <= note <= HIGHEST for note in found.notes)
    targets = {*found.notes.values(), *found.pieces.values()}
    assert targets <= {*MEMBERS.names, *PIECES, *CHOICES}


def _read_kit(path: Path) -> None:
    """What is a kit can be stood somewhere, drummed on and played back."""
    kit = DrumKit(text=kit_text(path.name, path.parent))
    members = kit_members(kit)
    assert len(members.numbers) == len(members.notes) == len(kit.solids())
    for pedal in kit.pedals():
        assert 0.0 <= pedal.press(pedal.rest, 0.0, 0.0) < 1e3
        assert np.isfinite(pedal.head_motion(pedal.swing(pedal.rest), 1.0)).all()
    for name, member in kit.members.items():
        assert np.isfinite(kit.strike_pose(name).translation()).all()
        assert np.isfinite(vars(character(name, member))["pitch"])
        assert look_of(name, member).extension() in (".gltf", ".glb", ".obj")


def _read_sound(path: Path) -> None:
    found = read_recording(path)
    assert 0 < found.seconds <= LONGEST
    # Stretching a minute of sound to other rates takes as long as it takes.
    if len(found.samples) < 20_000:
        assert np.abs(read_backing(path)).max(initial=0.0) <= 1.0


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["HH", "SN", "BD", "CC", "RD", "FT", "", "Z", "count"]),
        st.text("xoXOgf-.|: q", max_size=24),
        st.sampled_from(["", "x2", "x0", "(3x)", "|", "x99999"]),
    ),
    max_size=5,
).map(lambda found: "\n".join(f"{a}|{b}|{c}" for a, b, c in found))
HEADS = st.lists(
    st.sampled_from(
        [
            "bpm: 120",
            "bpm: 1e9",
            "bpm: nan",
            "meter: 7/8",
            "time: 0/4",
            "[a] x2",
            "[b] x0",
            "swing: 0.6",
            "\n        swing: x",
            "steps_per_beat: 3",
            "absent: map",
            "steps_per_beat: 99999999",
            "repeat: 99999",
            "\n        unplayable: drop",
            "",
            "end_bpm: 200",
            "words for people",
            "\x00",
            "é",
        ]
    ),
    max_size=5,
).map("\n".join)
TABS = st.lists(HEADS | ROWS | st.text(max_size=30), max_size=4).map("\n".join)
EVENTS = st.lists(
    st.tuples(
        st.integers(0, 10**6),
        st.builds(hit, st.integers(0, 127), st.integers(0, 127), st.just(9))
        | st.builds(bpm, st.floats(5, 900)),
    ),
    max_size=40,
)


def _wav(kind: str, rate: int) -> bytes:
    file = io.BytesIO()
    sound = np.linspace(-1, 1, 400) * (100 if kind != "<f4" else 1)
    wavfile.write(file, rate, sound.astype(kind))
    return file.getvalue()


def _riff(size: int, samples: int) -> bytes:
    """A header that promises other sizes than come."""
    head = _wav("<i2", 8000)[:44]
    return (
        head[:4]
        + size.to_bytes(4, "little")
        + head[8:40]
        + samples.to_bytes(4, "little")
    )


READERS = (
    Reader(
        "score",
        _read_score,
        yaml_like(
            SCORE,
            (SHIPPED_FOLDER / "scores" / "outstanding.yaml").read_text(),
            words=WORDS,
        ),
        "song.yaml",
        HOSTILE_YAML,
        count=60,
    ),
    Reader(
        "tablature",
        _read_score,
        TABS.map(str.encode) | damaged(TAB.encode()),
        "song.tab",
        HOSTILE
        | {
            "many bars": b"HH|" + b"x---|" * 3000 + b"\n",
            "a long bar": b"HH|" + 900_000 * b"x" + b"|",
            "repeats": b"HH|x---|x4000\n\n" * 500,
            "blanks after a row": b"HH|x---|" + b" " * 200_000 + b"y",
            "blanks after a key": b"bpm: " + b" " * 200_000 + b"y" + b" " * 200_000,
            "blanks after a section": b"[a]" + b" " * 200_000 + b"y",
            "blanks after a word": b"bpm" + b" " * 200_000 + b"y",
        },
        count=80,
    ),
    Reader(
        "MIDI",
        _read_score,
        st.one_of(
            damaged(MIDI),
            st.binary(max_size=80).map(lambda b: MIDI[:14] + b),
            st.builds(
                lambda events, division: midi_bytes([events], division),
                EVENTS,
                st.integers(1, 32767),
            ),
        ),
        "song.mid",
        HOSTILE
        | {
            "a long track": b"MThd\0\0\0\6\0\1\0\1\0\x60MTrk\x7f\xff\xff\xff"
            + b"\0" * 99,
            "many tracks": b"MThd\0\0\0\6\0\1\xff\xff\0\x60" + b"MTrk\0\0\0\0" * 65535,
            "many notes": many_hits(60_000),
        },
        count=80,
    ),
    Reader(
        "note map",
        _read_note_map,
        yaml_like(NOTE_MAP, words=("notes", "drop", "map", "kick", "ride", "128")),
        "map.yaml",
        HOSTILE_YAML
        | {
            "many notes": b"notes: {"
            + b", ".join(b"%d: snare" % k for k in range(20_000))
            + b"}",
            "a long note": b"notes: {" + 200_000 * b"9" + b": snare}",
            "a long target": b"notes: {22: " + 200_000 * b"x" + b"}",
        },
        count=120,
    ),
    Reader(
        "options of notes",
        _read_options,
        st.tuples(
            st.lists(st.sampled_from(GOOD_OPTIONS) | OPTION_WORDS, max_size=5).map(
                "\n".join
            ),
            st.sampled_from(["drop", "refuse"]) | OPTION_WORDS,
            st.sampled_from(["1.0", "0.5", "2"]) | OPTION_WORDS,
            st.sampled_from(["0", "16", "24"]) | OPTION_WORDS,
            st.sampled_from(["1", "40", "127"]) | OPTION_WORDS,
        ).map(lambda words: "\n".join(words).encode("utf-8", "replace")),
        "options.txt",
        HOSTILE,
        count=180,
    ),
    Reader(
        "kit",
        _read_kit,
        yaml_like(OWN_KIT, words=("drum-kit", "none", "kit.yaml", "pad", "snare")),
        "kit.yaml",
        HOSTILE_YAML,
        count=40,
    ),
    Reader(
        "backing",
        _read_sound,
        damaged(*(_wav(kind, 8000) for kind in ("<i2", "<i4", "u1", "<f4"))),
        "song.wav",
        HOSTILE
        | {
            "more than comes": _riff(2**32 - 1, 2**31),
            "no samples": _riff(36, 0),
            "a rate beyond all": _wav("<i2", 400_001),
            "a prime rate": _wav("<i2", 399_989),
        },
        count=80,
    ),
)
