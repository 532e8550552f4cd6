"""What feet play: read from every format, planned with the heel on the floor."""

from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.solving.solved_behavior import describe, make_behavior
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.transcription.transcribe import Transcription
from tests.behaviors.midi_files import hit, midi_bytes

KIT = DrumKit(text=kit_text("full-kit", Path()))
MEMBERS = kit_members(KIT)
PLAYER = HandModel({m: KIT.strike_pose(m).translation() for m in KIT.members})
HOLD = "{hold: 2, rest: {left: snare, right: floor_tom}}"


def score(folder, part, name="song.yaml"):
    path = folder / name
    text = f"bpm: 98\nparts:\n  - {HOLD}\n  - {part}\n  - {HOLD}\n"
    path.write_text(text)
    return load_score(path, MEMBERS, PLAYER)


def told(found):
    return [(h.member, h.hand) for h in found.hits if h.hand.endswith("foot")]


def test_tablature_has_feet(tmp_path):
    found = score(tmp_path, '{tab: "HH|x-x-x-x-|\\nBD|o---o---|\\nHF|--x---x-|"}')
    assert found.feet == ["left foot", "right foot"]
    kick, hat = ("kick", "right foot"), ("pedal_hi_hat", "left foot")
    assert told(found) == [kick, hat, kick, hat]
    assert not found.remarks


def test_a_full_sets_midi_is_played_whole(tmp_path):
    """Every note of General MIDI that a rock set has, kick and pedal among them."""
    notes = [36, 42, 38, 44, 35, 46, 49, 51, 43, 47, 50]
    data = midi_bytes([[(480 * k, hit(n)) for k, n in enumerate(notes)]])
    (tmp_path / "song.mid").write_bytes(data)
    found = load_score(tmp_path / "song.mid", MEMBERS, PLAYER)
    assert len(found.hits) == len(notes)
    assert not any("dropped" in remark for remark in found.remarks)
    assert sorted(told(found)) == [
        ("kick", "right foot"),
        ("kick", "right foot"),
        ("pedal_hi_hat", "left foot"),
    ]
    # The usual kit has no pedals, and says so.
    usual = kit_members(DrumKit())
    dropped = load_score(tmp_path / "song.mid", usual, PLAYER)
    assert any("kick, dropped" in remark for remark in dropped.remarks)


def test_hands_do_not_play_pedals_nor_feet_drums(tmp_path):
    kick = "{hits: [{member: kick, hand: left}]}"
    with pytest.raises(BackbeatError, match="the right foot plays the kick, not the"):
        score(tmp_path, kick)
    with pytest.raises(BackbeatError, match="the right foot plays the kick"):
        score(tmp_path, '{right: "8 - - - - - - -"}')


def test_a_kick_pad_is_played_by_hand(tmp_path):
    """A member that is there for the note needs no pedal."""
    (tmp_path / "k.yaml").write_text(
        "members: {kick: {kind: pad, place: [0.5, 0, 0.8], notes: [36]}}\n"
    )
    members = kit_members(DrumKit(text=kit_text("k.yaml", tmp_path)))
    assert members.of_note(36) == members.of_piece("kick") == "kick"
    assert not members.feet
    # The hi-hat of sticks is not struck for the note of its pedal.
    assert members.of_note(44) == "pedal_hi_hat"


def song(folder, seat="chair", extra=""):
    (folder / "scores").mkdir()
    (folder / "scores" / "feet.yaml").write_text(
        f"bpm: 98\n{extra}\nparts:\n  - {HOLD}\n"
        '  - {tab: "SN|----O---|\\nBD|o--o----|\\nHF|--x-----|"}\n'
        f"  - {HOLD}\n"
    )
    return DrummingSpecification(name="feet", score="feet", kit="full-kit", seat=seat)


def test_who_stands_plays_no_pedals(tmp_path):
    standing = song(tmp_path, "none")
    said = r"kick and pedal_hi_hat .* needs both feet to stand on; write seat: chair"
    with pytest.raises(BackbeatError, match=said):
        standing.plan(tmp_path)


def test_who_stands_may_leave_them_out(tmp_path):
    mapping = "mapping: {kick: drop, pedal_hi_hat: drop}"
    plan = song(tmp_path, "none", mapping).plan(tmp_path)
    assert "2 hits of kick dropped" in plan.remarks
    assert {e.what for e in plan.events if e.kind == "strike"} == {"snare"}


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("feet")
    specification = song(folder)
    plan = specification.plan(folder)
    solution = InteriorPoint(Transcription(plan.problem)).solve()
    assert solution.is_solved
    about = describe(specification, plan, "")
    return plan, make_behavior("feet", plan, solution, **about)


def test_the_motion_is_verified(solved):
    _, behavior = solved
    assert behavior.certificate.passed, behavior.certificate.failures()
    assert behavior.equipment == ("sticks", "seat", "left_pedal", "right_pedal")
    strikers = {e.who for e in behavior.strikes() if "stick" not in e.who}
    assert strikers == {"kick_beater", "pedal_hi_hat_beater"}


def test_heels_stay_and_toes_press_when_the_score_says(solved):
    """At a hit the sole has the angle of a board whose beater touches."""
    plan, behavior = solved
    motion, robot = behavior.motion, behavior.robot_model
    state = Configuration(robot, motion.q[0])
    pedals = {p.member: p for p in plan.scene.drum_kit().pedals()}
    for event in behavior.strikes():
        pedal = pedals.get(event.what)
        if pedal is None:
            continue
        i = int(np.abs(motion.t - event.time).argmin())
        state.update(motion.q[i], motion.v[i])
        side = pedal.foot[0]
        heel, toe = (state.pose(f"{side}_{n}").translation() for n in ("heel", "toe"))
        np.testing.assert_allclose(heel, pedal.X_WH.translation(), atol=1e-4)
        along = toe - heel
        angle = np.arctan2(along[2], np.hypot(*along[:2]))
        assert angle == pytest.approx(pedal.hit, abs=np.radians(0.2))
        # Ahead: within a degree of the pedal's line.
        assert abs(np.arctan2(along[1], along[0])) < np.radians(1.0)


def test_heels_carry_their_legs(solved):
    _, behavior = solved
    motion = behavior.motion
    for heel in ("l_heel", "r_heel"):
        force = motion.wrench[:, motion.contacts.index(heel), 5]
        assert motion.standing[:, motion.contacts.index(heel)].all()
        assert force.min() > 60.0  # felt, see ContactThresholds
        assert force.max() < 0.3 * behavior.robot_model.weight
