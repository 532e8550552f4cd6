"""A motion that fails between its knots is found with closer ones, and that is said."""

from dataclasses import replace

import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.building.easier import changes, easier
from backbeat.behaviors.dance.knots import KNOTS_PER_BEAT, knots_per_beat
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.library.behavior import make_robot
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.cli.author.new import write_new
from backbeat.cli.author.new_from_recording import recorded_dance_files
from backbeat.models.common.errors import BackbeatError
from tests.behaviors.human_takes import take
from tests.behaviors.short_legs import write
from tests.behaviors.skeleton_takes import Style, write_take

BASE = [f"base.{n}" for n in ("qw", "qx", "qy", "qz", "x", "y", "z")]

STEPS = """kind: footsteps
name: strides
summary: Two long strides on short legs.
robot: short.yaml
{more}steps:
  - {{feet: both, time: 0.8}}
  - {{feet: right, time: {time}, to: [{to}, 0], clearance: {clearance}}}
  - {{feet: both, time: 0.2}}
  - {{feet: left, time: {time}, to: [{to}, 0], clearance: {clearance}}}
  - {{feet: both, time: 0.8}}
"""
DANCE = """kind: dance
name: nods
summary: Nods.
bpm: 100
beats: 8
{more}tracks: {{legs: [{{move: bounce, at: 1, beats: 4}}]}}
"""


@pytest.fixture
def strides(tmp_path):
    """`strides(bent, time, to, clearance, more)` builds two strides."""

    def make(bent, time, to, clearance, more=""):
        write(tmp_path, bent)
        path = tmp_path / "strides.yaml"
        values = {"time": time, "to": to, "clearance": clearance, "more": more}
        path.write_text(STEPS.format(**values))
        return build(path, Library(tmp_path / "library"), force=True)

    return make


@pytest.mark.parametrize(
    "asked",
    [(0.15, 0.6, 0.27, 0.06), (0.03, 0.8, 0.26, 0.03), (0.026, 0.706, 0.236, 0.067)],
)
def test_knees_that_get_straight_between_knots_stay_bent(asked, strides):
    """Half a second on either side of a stride the knee of the foot behind is straight.

    What builds with the key that the note has is the very same motion.
    """
    motion = strides(*asked)
    check = {c.name: c for c in motion.certificate.checks}["contact_position"]
    assert check.value < 1e-6
    note = motion.provenance["remarks"][0]
    assert note.startswith("the motion failed between its knots, ")
    assert "made with knees that stay bent where feet stand (bend: 0.2)" in note
    again = strides(*asked, more="bend: 0.2\n")
    assert not any("failed" in r for r in again.provenance["remarks"])
    assert (again.motion.q == motion.motion.q).all()
    # Knees of standing legs bend to one side, and in between as well.
    robot = motion.robot_model
    for i, contact in enumerate(motion.motion.contacts):
        stands = motion.motion.standing[:, i]
        knee = robot.joint_index(f"{contact[0]}_leg_kny")
        assert motion.motion.q[stands, robot.base_positions + knee].min() > 0.03


def test_where_that_is_no_help_the_message_says_what_may_be(strides, monkeypatch):
    monkeypatch.setattr("backbeat.behaviors.footsteps.specification.BEND", 1e-9)
    with pytest.raises(BackbeatError, match="fails verification: ") as e:
        strides(0.03, 0.8, 0.26, 0.03)
    assert "closer knots than asked for (knot_spacing: 0.018) did not help. A" in str(
        e.value
    )


def test_knees_bend_by_a_sensible_angle(strides):
    with pytest.raises(
        BackbeatError, match=r"bend is -0\.1; it must be from 0 to 1 rad"
    ):
        strides(0.15, 0.6, 0.1, 0.06, "bend: -0.1\n")


def dance(more=""):
    return parse_specification(DANCE.format(more=more), "nods.yaml")


def test_knots_of_a_dance_get_closer_step_by_step_and_have_an_end():
    found = [dance()]
    while (closer := found[-1].with_closer_knots()) is not None:
        found.append(closer)
    counts = [knots_per_beat([], 0.6, d.knot_spacing) for d in found]
    assert counts == sorted(set(counts))
    assert counts[0] == KNOTS_PER_BEAT[0]
    assert len(counts) > 2


def test_a_recorded_motion_gets_smoother_where_closer_knots_are_no_help(built):
    behavior = built("quarter-turn")
    plain = dance()
    assert easier(plain, behavior, closer_knots=False) is None
    recorded = replace(plain, recordings={"take-1": RecordingDescription()})
    found = [recorded]
    while (other := easier(found[-1], behavior, closer_knots=False)) is not None:
        found.append(other)
    assert [d.objectives.smoothness for d in found] == [1.0, 10.0, 100.0]
    assert changes(recorded, found[-1]) == [
        "a smoother motion (objectives: {smoothness: 100})"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["h1", "t1"])
def test_a_walk_at_the_limits_of_a_robot_is_made_smoother(name, tmp_path):
    """Of a person of the robot's own size and strides, on feet that stay flat."""
    robot = make_robot(name)
    made = take(robot, "walk", 2, spoiled=0.0)
    columns = [*BASE, *robot.joint_names]
    t, q = made.frame["t"].to_numpy(), made.frame[columns].to_numpy()
    write_take(tmp_path / "walk.bvh", robot, t, q, Style())
    told = RecordingDescription()
    write_new(recorded_dance_files("mine", tmp_path, tmp_path / "walk.bvh", told, name))
    motion = build(tmp_path / "mine.yaml", Library(tmp_path / "library"))
    assert motion.certificate.passed
    note = motion.provenance["remarks"][0]
    assert "made with a smoother motion (objectives: {smoothness: 10" in note


def test_knots_of_a_dance_that_are_too_close_are_refused(tmp_path):
    (tmp_path / "nods.yaml").write_text(DANCE.format(more="knot_spacing: 0.001\n"))
    with pytest.raises(BackbeatError, match=r"0\.001 s; .* at least 0\.015 s, or 0"):
        build(tmp_path / "nods.yaml", Library(tmp_path / "library"))
