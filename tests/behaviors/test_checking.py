"""Checking a choreography: what is wrong, on which line, and what mends it."""

import pytest

from behaviors.checking import check_dance, check_file, mended, refuse_failures
from behaviors.specification import SHIPPED_FOLDER, shipped_names
from models.errors import BackbeatError

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
    return check_dance(text, tmp_path / "mine.yaml")


def test_a_good_dance_has_no_finding(tmp_path):
    assert check(DANCE, tmp_path) == []


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
    ("move: sway, at: 2", "move: sway, at: two", 7, "at", False),
    ("at: 2, beats: 8}", "at: 2, beats: 80}", 7, "the dance has 40 beats", True),
    ("at: 2, beats: 8}", "at: 2, bar: 2}", 7, "leave one out", False),
    ("at: 2, beats: 8}", "repeat: 0}", 7, "repeat of sway is 0", True),
    ("{move: rise, at: 20}", "{move: nod, at: 20}", 9, "on the track 'head'", False),
    ("{move: rise, at: 20} ", "{move: sway, at: 20} ", 10, "are in squat", False),
    ("beats: 8}\n  arms", "beats: 2}\n  arms", 10, "cannot be cut to 2", True),
    ("at: 24", "at: 21", 10, "while rise still does", True),
    ("lift: 1.5", "lfit: 1.5", 12, "did you mean lift", True),
    ("lift: 1.5", "lift: 4", 12, "it goes from 0.4 to 2.2", True),
    ("lift: 1.5", "lift: .nan", 12, "lift of point is nan", False),
    ("beats: 8                         # 15", "beats: 90", 15, "from beat 10", True),
    ("at: 10\n", "at: 10\n      tracking: 3\n", 15, "tracking of wave is 3", True),
]


@pytest.mark.parametrize(("old", "new", "line", "sentence", "mends"), CASES)
def test_a_failure_has_its_line_and_its_mend(tmp_path, old, new, line, sentence, mends):
    assert old in DANCE
    text = DANCE.replace(old, new, 1)
    fails = [f for f in check(text, tmp_path) if f.finding.fails]
    named = [f for f in fails if sentence in f.finding.sentence]
    assert named, [f.finding.sentence for f in fails]
    assert named[0].line == line
    assert (named[0].span is not None) == mends
    with pytest.raises(BackbeatError, match=rf"mine.yaml:{fails[0].line}: "):
        refuse_failures(text, tmp_path / "mine.yaml")
    if mends:
        fixed, done = mended(text, tmp_path / "mine.yaml")
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
    refuse_failures(text, tmp_path / "mine.yaml")


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
