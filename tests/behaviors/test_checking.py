"""Checking a choreography: what is wrong, on which line, and what corrects it."""

from pathlib import Path

import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.motion.finding import without_slip
from backbeat.behaviors.specification.checking import (
    autofixed,
    check_file,
    check_specification,
    refuse_failures,
)
from backbeat.behaviors.specification.kinds import (
    SHIPPED_FOLDER,
    parse_specification,
    shipped_names,
)
from backbeat.models.common.errors import BackbeatError

DOCS = Path(__file__).parents[2] / "docs/how_to"
DANCE = """\
kind: dance   # 1
name: mine
bpm: 98
beats: 40
tracks:
  legs:
    - {move: sway, at: 2, beats: 8}    # 7
    - {move: sink, at: 12}
    - {move: rise, at: 20}             # 9
    - {move: march, at: 24, beats: 8}
  arms:
    - {move: point, at: 2, beats: 6, values: {lift: 1.5}}   # 12
    - move: wave
      at: 10
      beats: 8                         # 15
"""


def check(text, tmp_path):
    return check_specification(text, tmp_path / "mine.yaml")


def refuse(text, path):
    refuse_failures(parse_specification(text, path.name), text, path)


def test_a_good_dance_has_no_finding(tmp_path):
    assert check(DANCE, tmp_path) == []


def test_a_robot_beside_a_dance_is_found_from_anywhere(tmp_path, monkeypatch):
    """By `check` as by `build`, whatever folder the command is called in."""
    robot = (DOCS / "own_robot.yaml").read_text().replace("urdf: ", f"urdf: {DOCS}/")
    (tmp_path / "own.yaml").write_text(robot)
    sway = "kind: dance\nname: own-sway\nrobot: own.yaml\nstart: ready\nbpm: 90\n"
    sway += "beats: 8\ntracks:\n  legs:\n    - {move: sway, at: 1, beats: 4}\n"
    (tmp_path / "sway.yaml").write_text(sway)
    monkeypatch.chdir(SHIPPED_FOLDER)
    assert check_file(tmp_path / "sway.yaml") == []
    (tmp_path / "own.yaml").unlink()
    (found,) = check_file(tmp_path / "sway.yaml")
    assert "own.yaml" in found.finding.sentence


@pytest.mark.parametrize("name", shipped_names())
def test_nothing_that_ships_fails(name):
    if "kind: dance" in (SHIPPED_FOLDER / f"{name}.yaml").read_text():
        found = check_file(SHIPPED_FOLDER / f"{name}.yaml")
        assert not [f.finding.sentence for f in found if f.finding.fails]


CASES = [
    ("beats: 40", "baets: 40", 4, "did you mean beats", True),
    ("bpm: 98", "bpm: fast", 3, "bpm", False),
    ("bpm: 98", "bpm: 0", 3, "bpm is 0", False),
    ("beats: 40", "beats: 1", 4, "at least 2 beats", False),
    ("  legs:", "  lgs:", 6, "did you mean legs", True),
    ("move: sway", "move: swya", 7, "did you mean sway", True),
    ("move: sway", "mvoe: sway", 7, "did you mean move", True),
    ("move: sway", "move: wave", 7, "belongs on the track 'arms'", False),
    ("at: 2, beats: 8}", "at: 2, beats: 80}", 7, "the dance has 40 beats", True),
    ("at: 2, beats: 8}", "at: 2, bar: 2}", 7, "leave one out", False),
    ("at: 2, beats: 8}", "bar: 1, beat: 5}", 7, "beat 5 of a bar of 4", False),
    ("at: 2, beats: 8}", "repeat: 0}", 7, "repeat of sway is 0", False),
    ("{move: rise, at: 20}", "{move: nod, at: 20}", 9, "on the track 'head'", False),
    ("{move: rise, at: 20} ", "{move: sway, at: 20} ", 10, "are in squat", False),
    ("beats: 8}\n  arms", "beats: 2}\n  arms", 10, "cannot be cut to 2", True),
    ("at: 24", "at: 21", 10, "while rise still does", True),
    ("lift: 1.5", "lfit: 1.5", 12, "did you mean lift", True),
    ("lift: 1.5", "lift: 4", 12, "it goes from 0.4 to 2.2", False),
    ("beats: 8                         # 15", "beats: 90", 15, "from beat 10", True),
    ("at: 10\n", "at: 10\n      tracking: 3\n", 15, "tracking of wave is 3", False),
]


@pytest.mark.parametrize(("old", "new", "line", "sentence", "fixes"), CASES)
def test_a_failure_has_its_line_and_its_fix(tmp_path, old, new, line, sentence, fixes):
    assert old in DANCE
    text = DANCE.replace(old, new, 1)
    fails = [f for f in check(text, tmp_path) if f.finding.fails]
    named = [f for f in fails if sentence in f.finding.sentence]
    assert named, [f.finding.sentence for f in fails]
    assert named[0].line == line
    assert (named[0].span is not None) == fixes
    with pytest.raises(BackbeatError) as refused:
        refuse(text, tmp_path / "mine.yaml")
    assert fails[0].finding.sentence in str(refused.value)
    if fixes:
        fixed, done = autofixed(text, tmp_path / "mine.yaml")
        assert done
        assert "# 1" in fixed
        assert not [f for f in check(fixed, tmp_path) if f.finding.fails]


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("at: 24, beats: 8", "at: 24, beats: 9", 10, "the last 1 stand still"),
        ("beats: 6, values", "beats: 3, values", 12, "is cut to 3"),
        ("at: 10\n", "at: 10\n      timing: 1\n", 15, "a dance has one"),
    ],
)
def test_a_warning_lets_the_dance_be(tmp_path, old, new, line, sentence):
    text = DANCE.replace(old, new, 1)
    (found,) = check(text, tmp_path)
    assert not found.finding.fails
    assert sentence in found.finding.sentence
    assert found.line == line
    refuse(text, tmp_path / "mine.yaml")


def test_steps_that_are_too_quick_fail_and_quick_ones_are_told(tmp_path):
    for bpm, fails in ((200, False), (320, True)):
        text = DANCE.replace("bpm: 98", f"bpm: {bpm}")
        found = [f for f in check(text, tmp_path) if "a step of" in f.finding.sentence]
        assert [f.finding.fails for f in found][:1] == [fails]


@pytest.mark.parametrize(("values", "warns"), [("0.06", False), ("0.2", True)])
def test_what_goes_down_faster_than_it_can_fall_is_told(tmp_path, values, warns):
    bounce = f"move: bounce, values: {{depth: {values}}}"
    text = DANCE.replace("move: sway", bounce)
    found = [f.finding for f in check(text, tmp_path)]
    assert [(f.fails, "a body falls" in f.sentence) for f in found] == (
        [(False, True)] if warns else []
    )
    assert not check(text.replace("bpm: 98", "bpm: 66"), tmp_path)


def test_all_failures_are_told_at_once(tmp_path):
    text = DANCE.replace("sway", "swya").replace("lift: 1.5", "lift: 4")
    assert [f.line for f in check(text, tmp_path)] == [7, 12]


def test_moves_beside_a_dance_are_its_own(tmp_path):
    (tmp_path / "moves").mkdir()
    (tmp_path / "moves" / "salute.yaml").write_text(
        "name: salute\ntrack: arms\nsummary: salutes\nrepeats: false\nkeyframes:\n"
        "- {at: 0, r_arm_elx: 0}\n- {at: 0.5, r_arm_elx: -1}\n- {at: 1, r_arm_elx: 0}\n"
    )
    text = DANCE.replace("move: wave", "move: salute").replace(
        "beats: 8   ", "beats: 4"
    )
    assert check(text, tmp_path) == []
    (tmp_path / "moves" / "salute.yaml").write_text("name: wave\ntrack: arms\n")
    (found,) = check(text, tmp_path)
    assert "salute.yaml" in found.finding.sentence


POSTURE = """\
kind: posture      # 1
name: mine
feet: {left foot: out 0.1}   # 3
stations:
  - {posture: stand, move: 0.5}
  - posture: stand           # 6
    targets: {left hand: up}
    move: 1.0
"""
SONG = """\
# A comment, 1
title: Mine
bpm: 98            # 3
steps_per_beat: 2
parts:
  - name: ready    # 6
    hold: 4
    rest: {left: snare, right: floor_tom}   # 8
  - name: verse    # 9
    left:  "- 3 - 3"
    hits:
      - {bar: 1, beat: 2, member: ride}     # 12
"""
DRUMMING = """\
kind: drumming     # 1
name: mine
score: mine
seat: chair        # 4
"""


def first(path):
    """Line and sentence of what is found first, with the file."""
    found = check_file(path)[0]
    return found.sentence(path)


WALK = """\
kind: footsteps    # 1
name: mine
bpm: 60
steps:
  - {feet: both, time: 1.0}                        # 5
  - {feet: left, time: 0.8, to: [0.2, 0.0]}
  - feet: both     # 7
    time: 0.4
    between: [0.3, 0.5]                            # 9
  - {feet: right, beats: 1, to: [0.2, 0.0]}
  - {feet: both, time: 1.0}                        # 11
arm_swing: 0.2
bend: 0.1          # 13
"""
FAILURES = {
    POSTURE: [
        ("posture: stand, ", "posture: stend, ", 5, "unknown posture 'stend'"),
        ("up}", "upp}", 7, "station 2 'upp'"),
        ("out 0.1", "out wide", 3, "mine, feet"),
        ("move: 1.0", "mvoe: 1.0", 8, "unknown key"),
        ("kind: posture ", "kind: posturing ", 1, "unknown kind"),
        ("{posture: stand, ", "{", 5, "station 1: name the posture to go to"),
        ("posture: stand    ", 'posture: ""    ', 6, "station 2: name the posture"),
        ("feet: ", 'start: ""\nfeet: ', 3, "start names no posture; atlas has"),
    ],
    WALK: [
        ("feet: right", "feet: write", 10, "'write'; did you mean right?"),
        ("time: 0.4", "time: 0", 7, "step 3: give it a time or a number of beats"),
        ("[0.3, 0.5]", "[0.5, 0.6]", 9, "step 3: 'between' has a least"),
        ("time: 1.0}       ", "time: 1.0, to: [1, 0]}", 5, "both feet stand, none"),
        ("both, time: 1.0}                        # 11", "left, time: 1}", 11, "last"),
        ("bpm: 60", "bpm: 6", 3, "bpm is 6"),
    ],
    SONG: [
        ("bpm: 98", "bpm: 9000", 3, "bpm is 9000"),
        ("bpm: 98", "bpm: fast", 3, "bpm is 'fast'"),
        ("hold: 4", "hold: 0.5", 6, "hold 'ready' takes 0.5 beats"),
        ("left: snare", "left: snar", 8, "rests on 'snar'"),
        ("- 3 - 3", "- 3 - 9", 9, "part 'verse': '9' in bar 2, beat 2.5"),
        ("member: ride", "member: rido", 12, "unknown drum"),
        ("beat: 2,", "beat: 9,", 9, "part 'verse', bar 1, beat 9"),
        ("rest: ", "\trest: ", 8, "not valid YAML"),
    ],
}


@pytest.mark.parametrize(
    ("text", "failure"),
    [(text, failure) for text, rows in FAILURES.items() for failure in rows],
    ids=[f"{old}-{new}" for rows in FAILURES.values() for old, new, _, _ in rows],
)
def test_a_failure_has_its_file_and_line(tmp_path, text, failure):
    old, new, line, sentence = failure
    assert old in text
    path, score = tmp_path / "mine.yaml", tmp_path / "scores" / "mine.yaml"
    score.parent.mkdir()
    path.write_text(DRUMMING)
    fault = score if text is SONG else path
    fault.write_text(text.replace(old, new, 1))
    assert first(path).startswith(f"{fault}:{line}: failure: ")
    assert sentence in first(path)


def test_a_failure_of_who_drums_has_its_line(tmp_path):
    path, score = tmp_path / "mine.yaml", tmp_path / "scores" / "mine.yaml"
    path.write_text(DRUMMING)
    assert first(path).startswith(f"{path}:1: failure: cannot read {score}")
    score.parent.mkdir()
    score.write_text(SONG)
    path.write_text(DRUMMING.replace("chair", "sofa"))
    assert first(path).startswith(
        f"{path}:4: failure: unknown seat in mine.yaml 'sofa'"
    )


def test_drumming_without_a_score_says_so(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(DRUMMING.replace("score: mine\n", ""))
    assert first(path).startswith(f"{path}:1: failure: mine: score names no file")


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("{posture: stand, ", "{", 5, "mine, station 1: name the posture to go to"),
        ("up}", "upp}", 7, "unknown word"),
        ("out 0.1", "out wide", 3, "mine, feet"),
    ],
)
def test_a_build_says_where_its_posture_tour_fails(tmp_path, old, new, line, sentence):
    path = tmp_path / "mine.yaml"
    path.write_text(POSTURE.replace(old, new))
    with pytest.raises(BackbeatError) as error:
        build(path, Library(tmp_path / "library"))
    assert str(error.value).startswith(f"{path}:{line}: {sentence}")
    assert not list(tmp_path.rglob("*.parquet"))


LAUGHS = "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))


@pytest.mark.parametrize(
    "text",
    [
        "kind: dance\nname: mine\ntracks: &a {legs: *a}\n",
        "kind: posture\nname: mine\nstations: &a [*a]\n",
        f"kind: dance\nname: mine\na0: &a0 [1]\n{LAUGHS}",
    ],
)
def test_aliases_without_end_are_a_failure(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    assert ": failure: " in first(path)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("baets", "beats"),
        ("beat", "beats"),
        ("beatss", "beats"),
        ("bests", "beats"),
        ("end_bpm", None),
        ("spin", None),
        ("at", None),
        ("beats", None),
    ],
)
def test_a_name_is_corrected_only_where_one_letter_slipped(name, meant):
    assert without_slip(name, ["bpm", "beats", "sink", "turn", "as"]) == meant


def test_a_key_that_is_there_already_is_not_written_a_second_time(tmp_path):
    text = DANCE.replace("bpm: 98", "bpm: 98\nbpms: 4", 1)
    (found,) = check(text, tmp_path)
    assert "did you mean bpm" in found.finding.sentence
    assert found.span is None


def test_a_key_that_stands_twice_is_refused_with_its_line(tmp_path):
    text = DANCE.replace("bpm: 98", "bpm: 98\nbpm: 100", 1)
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    (found,) = check_file(path)
    assert (found.line, found.finding.fails) == (4, True)
    assert "'bpm' stands twice" in found.finding.sentence
