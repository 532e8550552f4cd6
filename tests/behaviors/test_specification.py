"""Specifications: a motion plan, or one sentence that says what to fix."""

import pytest

from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves
from backbeat.behaviors.specification.kinds import (
    SHIPPED_FOLDER,
    kinds,
    parse_specification,
    read_specification,
    shipped_names,
)
from backbeat.models.common.errors import BackbeatError

POSTURE = "kind: posture\nname: mine\nstations:\n- {posture: stand}\n"
DANCE = "kind: dance\nname: mine\nbeats: 4\ntracks:\n  legs:\n  - {move: bounce}\n"
DRUMMING = "kind: drumming\nname: mine\nscore: song\nseat: chair\n"
STEPS = """\
kind: footsteps
name: mine
steps:
- {feet: both, time: 0.5}
- {feet: left, time: 0.6, to: [0.1, 0]}
- {feet: both, time: 0.5}
"""
SCORE = """\
steps_per_beat: 2
parts:
- {hold: 5, rest: {left: snare, right: floor_tom}}
- {left: "- 3 - 1", right: "7 - 7 -"}
"""


@pytest.fixture
def plan(tmp_path):
    """`plan(text, score)` compiles a specification, as a build does first."""

    def compiled(text, score=SCORE):
        (tmp_path / "scores").mkdir(exist_ok=True)
        (tmp_path / "scores" / "song.yaml").write_text(score)
        return parse_specification(text, "mine.yaml").plan(tmp_path)

    return compiled


def swap(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize("name", shipped_names())
def test_what_ships_reads_and_is_named_as_its_file(name):
    specification, text = read_specification(SHIPPED_FOLDER / f"{name}.yaml")
    assert specification.name == name
    assert specification.summary.endswith(".")
    assert text.startswith("#")


@pytest.mark.parametrize("text", [POSTURE, DANCE, DRUMMING, STEPS])
def test_the_least_that_works(plan, text):
    assert plan(text).problem.num_knots > 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # What is not a specification at all.
        ("", "expected keys"),
        ("- kind: posture", "expected keys"),
        ("posture", "expected keys"),
        ("42", "expected keys"),
        ("kind: [posture", "not valid YAML"),
        ("kind: posture\n\tname: x", "line 2: not valid YAML"),
        ("a: " + "[" * 2000, "mine.yaml"),
        ("a: &a 1\nb: [" + "*a, " * 300 + "]", "aliases"),
        ("name: mine", "'kind' is missing; it is one of dance, .*, setlist"),
        ("kind: dnace\nname: mine", "did you mean dance"),
        ("kind: 7\nname: mine", "unknown kind"),
        ("kind: [posture]\nname: mine", "unknown kind"),
        # Names and keys.
        (swap(POSTURE, "mine", "../mine"), "not a behavior name"),
        (swap(POSTURE, "name: mine\n", ""), "not a behavior name"),
        (swap(POSTURE, "stations", "statoins"), "'statoins'; did you mean stations"),
        # Postures.
        (POSTURE.split("stations")[0], "needs stations"),
        (
            swap(POSTURE, "stand", "stnad"),
            "unknown posture 'stnad'; did you mean stand",
        ),
        (POSTURE + "start: sitting\n", "unknown posture 'sitting'"),
        (POSTURE + "start: cruciform\nrobot: nao\n", "unknown robot 'nao'"),
        (POSTURE + "equipment: [stick]\n", "did you mean sticks"),
        (POSTURE + "equipment: [sticks, sticks]\n", "carries 'sticks' twice"),
        (swap(POSTURE, "stand}", "stand, move: 0}"), "move must be >= 0.01"),
        (swap(POSTURE, "stand}", "stand, hold: -1}"), "hold >= 0"),
        (swap(POSTURE, "stand}", "stand, hold: 1e9}"), r"takes 1e\+09 s"),
        (
            swap(POSTURE, "stand}", "stand, joints: [l_leg_knee]}"),
            "'l_leg_knee'; did you mean l_leg_kny",
        ),
        (
            swap(POSTURE, "stand}", "stand, reach: {l_hnd: [1, 0, 1]}}"),
            "unknown frame 'l_hnd'; did you mean",
        ),
        (
            swap(POSTURE, "stand}", "stand, reach: {l_hand_face: [5, 0, 1]}}"),
            r"l_hand_face cannot reach \[5, 0, 1\]; the nearest place is \d",
        ),
        (
            swap(POSTURE, "stand}", "stand, reach: {l_hand_face: [5, 0]}}"),
            "needs a place x, y, z",
        ),
        (
            swap(POSTURE, "stand}", "crouch, pelvis: 1.1}"),
            r"with the pelvis 1\.1 m high, pelvis ends [0-9.]+ m from its place, at "
            "the limits of joints",
        ),
        (
            swap(POSTURE, "stand}", "stand, angles: {l_arm_elb: 1}}"),
            "unknown joint 'l_arm_elb'; did you mean",
        ),
        # Dances.
        (DANCE.split("tracks")[0], "no move on any track"),
        (
            swap(DANCE, "bounce", "bonce"),
            "unknown move .* 'bonce'; did you mean bounce",
        ),
        (swap(DANCE, "legs", "leg"), "unknown track .* did you mean legs"),
        (swap(DANCE, "bounce", "twist"), "belongs on the track 'body', not on 'legs'"),
        (swap(DANCE, "bounce}", "bounce, at: 3}"), "from beat 3 to 7; .* has 4 beats"),
        (swap(DANCE, "bounce}", "bounce, at: -1}"), "from beat -1"),
        (swap(DANCE, "bounce}", "bounce, beats: 0}"), "from beat 0 to 0"),
        (
            swap(DANCE, "bounce}", "bounce, values: {dept: 0.1}}"),
            "unknown parameter of bounce .* did you mean depth",
        ),
        (
            swap(DANCE, "bounce}", "bounce, values: {depth: 0.9}}"),
            "depth of bounce is 0.9 m; it goes from 0 to 0.2",
        ),
        (swap(DANCE, "beats: 4", "beats: 1"), "at least 2 beats"),
        (swap(DANCE, "beats: 4", "beats: 1e7"), "may take up to 660 s"),
        (DANCE + "bpm: 0\n", "bpm is 0"),
        (DANCE + "beats_per_bar: 0\n", "beats_per_bar is 0"),
        (DANCE + "fade: 0\n", "fade is 0 beats"),
        (DANCE + "start: stnad\n", "did you mean stand"),
        # Footsteps.
        ("kind: footsteps\nname: mine\n", "there are no steps"),
        (swap(STEPS, "feet: both", "feet: left"), "first and the last step"),
        (swap(STEPS, "left, time: 0.6", "left"), "step 2: give it a time"),
        (swap(STEPS, "left, time: 0.6", "left, beats: 1"), "bpm is 0"),
        (swap(STEPS, "to: [0.1, 0]", "between: [0.7, 0.9]"), "around its time"),
        (swap(STEPS, "time: 0.5}", "time: 0.5, turn: 1}"), "none can move"),
        (swap(DRUMMING, "song", "../song"), "not a behavior name"),
        (swap(DRUMMING, "song", "songs"), "cannot read .*songs.yaml"),
        (DRUMMING + "equipment: []\n", "unknown frame 'l_stick'"),
    ],
)
def test_a_mistake_is_one_sentence(plan, text, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        plan(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("hold: 5, rest: {left: snare,", "hold: 5, rest: {", "both hands rest"),
        ("- {hold: 5, rest: {left: snare, right: floor_tom}}\n", "", "both hands rest"),
        ("steps_per_beat: 2", "bpm: 20\nsteps_per_beat: 2", None),
        ('{left: "', '{repeat: 2000, left: "', "more than 4000 beats"),
        ('{left: "', '{repeat: 1900, left: "', "may take up to 600 s"),
        ("steps_per_beat: 2", "steps: 2", "unknown key .* 'steps'"),
    ],
)
def test_a_mistake_in_a_score_is_one_sentence(plan, old, new, sentence):
    score = swap(SCORE, old, new)
    if sentence is None:
        assert plan(DRUMMING, score).bpm == 20
        return
    with pytest.raises(BackbeatError, match=sentence) as caught:
        plan(DRUMMING, score)
    assert "\n" not in str(caught.value)


def test_an_unreachable_drum_names_hand_and_drum(plan):
    score = swap(SCORE, 'left: "- 3 - 1"', 'left: "- - - 7"')
    with pytest.raises(BackbeatError, match="left hand cannot reach the ride") as e:
        plan(DRUMMING, score)
    assert "other hand" in str(e.value)
    assert "\n" not in str(e.value)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 6, 12])
def test_every_hit_is_a_knot(plan, steps):
    """The time of a hit and that of its knot are one, to the last bits."""
    score = swap(SCORE, "steps_per_beat: 2", f"steps_per_beat: {steps}")
    score = swap(score, '"- 3 - 1"', '"' + "- " * steps + '3"')
    score = swap(score, '"7 - 7 -"', '"' + "- " * steps + '-"')
    compiled = plan(DRUMMING, score)
    times = compiled.problem.times
    strikes = [e for e in compiled.events if e.kind == "strike"]
    for event, impact in zip(strikes, compiled.problem.impacts, strict=True):
        assert times[impact.knot] == pytest.approx(event.time, abs=1e-12)


def test_what_a_choreography_may_say_is_in_the_moves():
    for move in shipped_moves().values():
        assert move.summary
        for parameter in move.parameters.values():
            assert parameter.least <= parameter.default <= parameter.most


OWN_KIND = """
from dataclasses import dataclass
from backbeat.behaviors.posture.specification import PostureSpecification
from backbeat.models.common.schema import key

@dataclass
class LeanSpecification(PostureSpecification):
    kind: str = "lean"
    angle: float = key(0.1, "rad", ge=0, le=0.5)
"""


def test_another_package_has_a_kind_of_its_own(tmp_path, monkeypatch):
    """As an entry point: its files are read and refused as those of kinds that ship."""
    (tmp_path / "leaning.py").write_text(OWN_KIND)
    told = tmp_path / "leaning-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Name: leaning\nVersion: 1.0\n")
    place = "[backbeat.kinds]\nlean = leaning:LeanSpecification\n"
    (told / "entry_points.txt").write_text(place)
    monkeypatch.syspath_prepend(tmp_path)
    kinds.cache_clear()
    try:
        made = parse_specification("kind: lean\nname: over\nangle: 0.2\n", "mine")
        assert (type(made).__name__, made.angle) == ("LeanSpecification", 0.2)
        with pytest.raises(BackbeatError, match="angle"):
            parse_specification("kind: lean\nname: over\nangle: 2\n", "mine")
        with pytest.raises(BackbeatError, match="did you mean lean"):
            parse_specification("kind: lena\nname: over\n", "mine")
    finally:
        kinds.cache_clear()
