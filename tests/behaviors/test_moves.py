"""Gotos as authors write them: where hands are sent, and what they do till then."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.drumming.drummer import WAITING, kit_members, score_events
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.kinematic.path_segments import PathSegment, path_segments
from backbeat.behaviors.kinematic.player import play_kinematically
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.music.files.score_compiler import compile_score
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import Goto, HandTarget, Hold
from backbeat.behaviors.music.notation.score_description import ScoreDescription
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.yaml_file import parse_yaml
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import FrameTask

SCORE = """\
bpm: 120
steps_per_beat: 1
parts:
  - {name: ready, hold: 4, rest: {left: snare, right: floor_tom}}
  - {name: play, left: "- 3 - -", right: "7 - - -"}
  - {name: over, goto: 2, to: {right: ride}, place: {left: [0.35, 0.25, 1.0]}}
  - {name: wait, bars: 1}
  - {name: strike, goto: 1.5, to: {left: snare}, velocity: 100}
  - {name: rest, hold: 4, rest: {left: snare, right: floor_tom}}
"""
KIT = DrumKit()
MEMBERS = kit_members(KIT)
PLAYER = HandModel({m: KIT.strike_pose(m).translation() for m in KIT.members})


def compiled(text=SCORE):
    description = parse_yaml(ScoreDescription, text, "song")
    return compile_score(description, MEMBERS, "song", PLAYER)


def targets(score, hand):
    found = [t for t in score.targets if t.hand == hand]
    return [(t.beat, t.beat + t.beats, t.name) for t in found]


def test_a_goto_takes_its_beats_and_the_hand_waits_until_it_begins():
    score = compiled()
    assert score.beats == 4 + 4 + 2 + 4 + 1.5 + 4
    # It rises over the snare within a beat, and is sent on beat 8.
    assert targets(score, "left") == [
        (6.0, 8.0, "place over the snare"),
        (10.0, 14.0, "place 0.350, 0.250, 1.000"),
    ]
    # Sent on beat 8 as well, and there until the way to its rest begins.
    assert targets(score, "right") == [
        (5.0, 8.0, "place over the ride"),
        (10.0, score.holds[1].contact_start - 1.0, "place over the ride"),
    ]


def test_a_goto_with_a_hit_strikes_at_its_end():
    (hit,) = [h for h in compiled().hits if h.velocity == 100]
    assert (hit.beat, hit.member, hit.hand) == (15.5, "snare", "left")


def test_holds_and_gotos_fill_a_hand_s_time():
    for hand in ("left", "right"):
        score = compiled()
        found = score.stretches(hand)
        for one, after in itertools.pairwise(found):
            end = one.contact_end if isinstance(one, Hold) else one.beat + one.beats
            start = after.contact_start if isinstance(after, Hold) else after.beat
            assert start == pytest.approx(end)
        gotos = [s for s in found if isinstance(s, Goto) and s.beat == 8.0]
        assert [g.beats for g in gotos] == [2.0]
        assert any(isinstance(s, HandTarget) for s in found)


def test_an_open_hit_right_after_a_goto_goes_to_the_other_hand():
    text = SCORE.replace("{name: wait, bars: 1}", '{name: wait, tab: "SN|o---|"}')
    one = text.replace("to: {right: ride}, ", "")
    assert [h.hand for h in compiled(one).hits if h.beat == 10.0] == ["right"]
    with pytest.raises(BackbeatError, match="both hands have been sent elsewhere"):
        compiled(text)


def test_one_hand_goes_while_the_other_plays():
    """The tablature is the right hand's, but for what comes once the left is free."""
    text = SCORE.replace(
        "{name: over, goto: 2, to: {right: ride}, place:",
        '{name: over, tab: "SN|o-o-o-o-|", goto: 2, place:',
    )
    score = compiled(text)
    assert score.beats == 4 + 4 + 4 + 4 + 1.5 + 4
    hands = {h.beat: h.hand for h in score.hits if 8 <= h.beat < 12}
    assert list(hands) == [8, 9, 10, 11]
    assert hands[9] == hands[10] == "right"
    assert hands[11] == "left"
    # It is there when its goto is over, hits, and waits for the next one.
    assert targets(score, "left")[-2:] == [
        (10.0, 10.0, "place 0.350, 0.250, 1.000"),
        (12.0, 16.0, "place over the snare"),
    ]
    with pytest.raises(BackbeatError, match="the left hand has been sent elsewhere"):
        compiled(text.replace('tab: "SN|o-o-o-o-|"', 'left: "- 3 - -"'))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("goto: 2,", "goto: 0.5,", "a goto takes 0.5 beats; it takes 0.75 to"),
        ("goto: 2, ", "", "a goto takes 0 beats"),
        ("{right: ride}", "{right: rido}", "goes to 'rido'; the kit has"),
        ("{right: ride}", "{foot: ride}", "'foot' is not a hand"),
        ("{right: ride}", "{left: ride}", "the left hand is sent to two places"),
        ("0.25, 1.0]", "0.25]", "is not x, y, z within 3 m"),
        ("0.25, 1.0]", "0.25, .nan]", r"left\[2\] is nan; it must be"),
        ("1.0]}", "1.0]}, velocity: 90", "velocity is 90; it is 1 to 127 for a hit"),
        ("1.0]}", '1.0]}, left: "3"', "goto takes 2 beats and its bars 1; hands"),
        ("1.0]}", "1.0]}, repeat: 2", "a goto is not repeated"),
        ("goto: 1.5, to: {left: snare}", "goto: 1.5", "say where hands go"),
        (
            "{name: wait, bars: 1}",
            '{name: wait, left: "3 - - -"}',
            "the left hand has been sent elsewhere, which leaves no time for the snare "
            "in bar 3, beat 3",
        ),
    ],
)
def test_a_goto_that_makes_no_sense_is_one_sentence(old, new, sentence):
    assert old in SCORE
    with pytest.raises(BackbeatError, match=sentence) as error:
        compiled(SCORE.replace(old, new, 1))
    assert str(error.value).startswith("song: ")


# --- motions ----------------------------------------------------------------------


def places(kit, name):
    """Where a tip is at a target, without its own radius."""
    if name in ("place over the snare", "place over the ride"):
        member = name.rpartition(" ")[2]
        return kit.strike_pose(member).translation() + [0.0, 0.0, WAITING]
    return kit.p_WK + [0.35, 0.25, 1.0]


def test_the_kinematic_player_goes_there_and_holds():
    score = compiled()
    played = play_kinematically(score, KIT)
    state = Configuration(played.robot, np.zeros(played.robot.num_positions))
    order = played.robot.joint_indices(played.names)
    for target in score.targets:
        for beat in (target.beat, target.beat + target.beats):
            t = score.tempo.time(beat)
            q = np.zeros(played.robot.num_positions)
            q[order] = played.q[np.abs(played.times - t).argmin()]
            tip = state.update(q).pose(f"{target.hand[0]}_stick_tip").translation()
            assert np.linalg.norm(tip - places(KIT, target.name)) < 0.03


def test_hold_and_goto_have_their_path_variable():
    score = compiled()
    events = score_events(score, lambda member, hand: (0.0, 0.0))
    found = path_segments("drumming", events, score.tempo.time(score.beats))
    left = [s for s in found if s.part == "left"]
    assert left[0].kind == "Hold"
    assert [s.start for s in left[1:]] == [s.end for s in left[:-1]]
    (sent,) = [s for s in left if s.start == 4.0]
    assert (sent.kind, sent.end, sent.where) == (
        "Goto",
        5.0,
        "place 0.350, 0.250, 1.000",
    )
    assert [sent.path_variable(t) for t in (3.0, 4.0, 4.25, 5.0, 9.0)] == [
        0,
        0,
        0.25,
        1,
        1,
    ]
    assert left[left.index(sent) + 1] == PathSegment(
        "left", "Hold", 5.0, 7.0, sent.where
    )
    assert path_segments("dance", (), 4.0) == []


def test_a_plan_has_the_tip_where_it_is_sent(tmp_path):
    specification = written(tmp_path)
    plan = specification.plan(tmp_path)
    kit = DrumKit(plan.scene.place)
    score = specification.written_score(tmp_path)
    exact = [
        t
        for t in plan.problem.tasks
        if isinstance(t, FrameTask) and len(t.knots) == 1 and t.axes == "x y z"
    ]
    for target in score.targets:
        knot = np.abs(plan.problem.times - score.tempo.time(target.beat)).argmin()
        (task,) = [
            t
            for t in exact
            if t.knots[0] == knot and t.frame == f"{target.hand[0]}_stick_tip"
        ]
        X = task.X_WG[0] if isinstance(task.X_WG, list) else task.X_WG
        assert np.linalg.norm(X.translation() - places(kit, target.name)) < 0.01


@pytest.mark.slow
def test_a_built_motion_goes_where_it_is_sent(tmp_path):
    written(tmp_path)
    behavior = build(tmp_path / "sent.yaml", Library(tmp_path / "library"))
    kit, motion = DrumKit(behavior.scene.place), behavior.motion
    state = Configuration(behavior.robot_model, motion.q[0])
    sent = [e for e in behavior.events if e.kind == "target"]
    assert len(sent) == 4
    for event in sent:
        for t in (event.time, event.time + 0.5 * event.duration):
            state.update(motion.q[np.searchsorted(motion.t, t)])
            tip = state.pose(event.who).translation()
            assert np.linalg.norm(tip - places(kit, event.what)) < 0.012


def written(folder: Path) -> DrummingSpecification:
    (folder / "scores").mkdir()
    (folder / "scores" / "sent.yaml").write_text(SCORE)
    text = "kind: drumming\nname: sent\nseat: chair\nscore: sent\n"
    (folder / "sent.yaml").write_text(text)
    return parse_yaml(DrummingSpecification, text, "sent.yaml")
