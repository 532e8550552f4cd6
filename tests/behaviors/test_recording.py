"""Recordings in a dance: feet stay, limits hold, and what was changed is said."""

import re

import numpy as np
import pytest

from backbeat.behaviors.building.build import solve
from backbeat.behaviors.building.build_key import build_key
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.library.table import to_frame
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.behaviors.recording.dance_offsets import dance_offsets
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.specification.checking import check_specification
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.behaviors.takes.take import Conventions
from backbeat.behaviors.takes.writers.text import joint_table
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from tests.behaviors.drake_robot import DrakeRobot
from tests.behaviors.recordings import careless_sway, table, write
from tests.behaviors.test_dance_builds import QUIET

# How far a foot that stands may be from its place [m].
SKATING = 1e-3
# How near the places of steps are to those that were recorded [m].
SAME_STEP = 0.02
# A mirrored turn, whose places are of three digits [rad].
SAME_TURN = 2e-3
# How much later a foot is off the ground than it is free of it [s].
ROLLED = 0.13


@pytest.fixture(scope="module")
def folder(tmp_path_factory, robot, built):
    folder = tmp_path_factory.mktemp("recordings")
    write(careless_sway(robot), folder / "sway.csv")
    turn = to_frame(built("quarter-turn"))
    write(joint_table(turn), folder / "turn.csv")
    write(joint_table(turn, with_base=True), folder / "turn-base.csv")
    return folder


def dance(file, length=24.0, at=1, track="legs", moves=None, **options):
    made = Choreography("mine", beats=length)
    made.recording("take", file, "radians", **options)
    return made.add(track, "take", at, **(moves or {}))


def recorded(made, folder):
    return made.dance.recorded(folder, ["take"])["take"]


@pytest.fixture(scope="module")
def swaying(folder):
    made = dance("sway.csv", length=10)
    return solve(made.dance, made.text(), folder / "mine.yaml", "", QUIET)


def soles(robot, q):
    """(n, 2, 3) places of the soles."""
    drake = DrakeRobot(robot)
    places = np.zeros((len(q), 2, 3))
    for i, row in enumerate(q):
        drake.set(row, np.zeros(robot.num_velocities))
        for k, name in enumerate(("l_foot", "r_foot")):
            places[i, k] = drake.pose(name).translation()
    return places


def skating(places):
    """How far the soles get from each other's first place [m]."""
    apart = places[:, 0] - places[:, 1]
    return np.linalg.norm(apart - apart[0], axis=1).max()


def test_a_careless_sway_becomes_a_motion_that_can_be(swaying, robot, folder):
    assert swaying.certificate.passed
    planned = soles(robot, swaying.motion.q[::5])
    assert np.abs(planned - planned[0]).max() < SKATING
    assert skating(planned) < SKATING
    joints = swaying.motion.q[:, robot.base_positions :]
    assert (joints >= robot.position_lower).all()
    assert (joints <= robot.position_upper).all()


def test_the_same_measures_find_the_recording_impossible(robot, folder):
    """Its feet slide by centimeters, an elbow is out of range, and it would tip."""
    recording = read_take(folder / "sway.csv", robot, Conventions(unit="radians"))
    q = np.tile(robot.posture("stand"), (len(recording.t), 1))
    q[:, robot.base_positions :] = recording.q
    assert skating(soles(robot, q)) > 40 * SKATING
    assert (recording.q > robot.position_upper).any()
    move = recorded(dance("sway.csv"), folder)
    t, y = move.times * recording.t[-1], move.samples["com.y"]
    # Zero moment point of a body at one height (Vukobratovic, Borovac, 2004).
    height = Configuration(robot, robot.posture("stand")).center_of_mass[2]
    acceleration = np.gradient(np.gradient(y, t), t)[10:-10]
    moment_point = y[10:-10] - height / robot.gravity * acceleration
    edge = soles(robot, q[:1])[0, 0, 1] + 0.0643
    assert np.abs(moment_point).max() > 1.2 * edge


def test_it_still_sways_with_the_recording(swaying, folder):
    move = recorded(dance("sway.csv"), folder)
    t = 60 / 98 * 2 + move.times * 2.99
    planned = np.interp(t, swaying.motion.t, swaying.com[:, 1])
    assert np.corrcoef(planned, move.samples["com.y"])[0, 1] > 0.8


def test_what_was_changed_is_said(swaying):
    said = "\n".join(swaying.provenance["remarks"])
    assert "l_arm_elx goes to 2.80 rad at 0.50 s and is held at 2.31" in said
    assert "the left foot stands from 0.00 to 2.99 s, as found" in said
    (moved,) = re.findall(r"left foot slides and is up to (\d+) mm", said)
    assert 10 < int(moved) < 50
    assert "the motion found has" in said


@pytest.mark.parametrize("file", ["turn.csv", "turn-base.csv"])
def test_steps_come_back_from_joint_angles(file, folder, built):
    """With and without the base: as many steps, to the same places, in their time."""
    motion = built("quarter-turn").motion
    move = recorded(dance(file), folder)
    schedule = dance(file).dance.plan(folder).problem.schedule
    assert len(move.steps) == 6
    on = motion.standing[:, [motion.contacts.index(n) for n in ("l_foot", "r_foot")]]
    for k, foot in enumerate(("left", "right")):
        edges = motion.t[np.flatnonzero(np.diff(on[:, k].astype(int)))]
        found = np.ravel(move.planted[foot])[1:-1]
        np.testing.assert_allclose(found, edges, atol=ROLLED)
    first, last = schedule.standing(0.0), schedule.standing(schedule.duration)
    for name in ("l_foot", "r_foot"):
        was = motion.p_WC[[0, -1], motion.contacts.index(name)]
        way = last[name].translation() - first[name].translation()
        np.testing.assert_allclose(way, was[1] - was[0], atol=SAME_STEP)


def test_a_mirrored_recording_turns_the_other_way(folder):
    ends = []
    for mirror in (False, True):
        made = dance("turn-base.csv", moves={"mirror": mirror})
        schedule = made.dance.plan(folder).problem.schedule
        turn = schedule.standing(schedule.duration)["l_foot"].rotation().matrix()
        ends.append(np.arctan2(turn[1, 0], turn[0, 0]))
    assert ends[0] == pytest.approx(np.pi / 2, abs=SAME_STEP)
    assert ends[1] == pytest.approx(-ends[0], abs=SAME_TURN)


def test_a_recording_is_stretched_to_the_beat(folder):
    own = recorded(dance("turn.csv"), folder)
    long = recorded(dance("turn.csv", lead=2.0), folder)
    assert own.length({}) == pytest.approx(7.3 * 98 / 60 + 2)
    assert long.length({}) == pytest.approx(7.3 * 98 / 60 + 4)
    stretched = recorded(dance("turn.csv", beats=20.0), folder)
    assert stretched.length({}) == 22
    assert any("0.596 times as fast" in note for note in stretched.notes)
    for a, b in zip(own.steps, stretched.steps, strict=True):
        middle = [0.5 * (s.start + s.end) for s in (a, b)]
        beat = [
            m * move.length({}) - 1
            for m, move in zip(middle, (own, stretched), strict=False)
        ]
        assert beat[1] / beat[0] == pytest.approx(20 / (7.3 * 98 / 60))


def test_arms_alone_leave_the_feet_where_they_are(folder):
    made = dance("sway.csv", track="arms", joints=["l_arm", "r_arm"])
    move = recorded(made, folder)
    assert move.track == "arms"
    assert not move.steps
    assert not [n for n in move.samples if n.startswith(("com", "pelvis"))]
    problem = made.dance.plan(folder).problem
    assert len(problem.schedule.phases) == 1


def test_it_begins_and_ends_in_the_posture_of_the_dance(folder):
    move = recorded(dance("sway.csv"), folder)
    length = move.length({})
    shape = move.shape(np.array([0.0, 1.0, length - 1, length]), length, {})
    for name, offset in shape.items():
        np.testing.assert_allclose(offset[[0, -1]], 0.0, atol=1e-12)
        assert offset[1] == pytest.approx(move.samples[name][0])
        assert offset[2] == pytest.approx(move.samples[name][-1])


def test_declared_feet_are_taken_at_their_word(folder):
    made = dance("turn-base.csv", planted={"left": [[0, 0.6], [1.3, 7.3]]})
    said = "".join(recorded(made, folder).changes)
    (moved,) = re.findall(r"left foot slides and is up to (\d+) mm", said)
    assert int(moved) > 50
    made = dance("sway.csv", planted={"left": [[0, 1.2], [1.6, 2.99]]})
    assert len(recorded(made, folder).steps) == 1
    made = dance("sway.csv", feet="stay")
    assert not recorded(made, folder).steps


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"planted": {"left": [[0, 1]]}}, "left foot is in the air at the end"),
        (
            {"planted": {"left": [[0, 1], [2, 3]], "right": [[0, 1.2], [1.8, 3]]}},
            "no foot stands from 1.22 to 1.77 s, and the body does not fall",
        ),
        ({"planted": {"hand": [[0, 1]]}}, "unknown foot"),
        ({"planted": {"left": [[1, 0]]}}, "from times to times in order"),
        ({"feet": "left"}, "feet is 'stay', not 'left'"),
        ({"feet": "stay", "planted": {"left": []}}, "not both"),
        ({"joints": ["l_arm", "l_ankle"]}, "unknown joint 'l_ankle'"),
        ({"joints": ["neck"], "feet": "stay"}, "no joint of a leg"),
        ({"start": 2.0, "end": 9.0}, "the file goes from 0 to 2.99 s"),
        ({"start": float("nan")}, "the file goes from"),
        ({"lead": -1.0}, "lead is -1 beats"),
        ({"weights": {"hand": 2.0}}, "unknown part"),
        ({"weights": {"hands": 0.0}}, r"weight of hands is 0; it goes from 0\.01"),
        ({"beats": 0.5}, "may be played 0.1 to 4 times as fast"),
        ({"beats": float("nan")}, "may be played"),
    ],
)
def test_recordings_that_make_no_sense(folder, options, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        recorded(dance("sway.csv", **options), folder)


def test_a_swing_too_quick_is_refused_before_it_is_solved(folder):
    """Must fail: no foot gets anywhere in a tenth of a second."""
    made = dance("sway.csv", planted={"left": [[0, 1.2], [1.35, 2.99]]})
    with pytest.raises(BackbeatError, match=r"takes 0\.1\d s; .* 0\.2 s is the least"):
        made.dance.plan(folder)


def test_feet_that_cannot_be_where_they_are_declared(folder, robot):
    """Must fail: the base is carried half a meter while both feet are said to stand."""
    t = np.arange(300) / 100
    q = np.tile(robot.posture("stand"), (300, 1))
    frame = table(robot, t, q[:, robot.base_positions :])
    for i, name in enumerate(("qw", "qx", "qy", "qz", "x", "y", "z")):
        frame[f"base.{name}"] = q[:, i]
    frame["base.x"] += 0.5 * np.clip((t - 1.0) / 0.5, 0, 1)
    write(frame, folder / "carried.csv")
    with pytest.raises(BackbeatError, match=r"stands from 0\.00 to 2\.99 s, and gets"):
        recorded(dance("carried.csv", feet="stay"), folder)


def test_findings_stand_on_the_line_of_the_recording(folder):
    made = dance("sway.csv")
    found = check_specification(made.text(), folder / "mine.yaml", plans=False)
    line = 1 + made.text().splitlines().index("  take: {file: sway.csv, unit: radians}")
    assert [f.line for f in found] == [line] * 3
    assert not any(f.finding.fails for f in found)
    wrong = made.text().replace("sway.csv", "swaying.csv")
    (failure,) = check_specification(wrong, folder / "mine.yaml", plans=False)
    assert failure.finding.fails
    assert "there is no recording" in failure.finding.sentence
    (failure,) = check_specification(
        made.text().replace("unit:", "units:"), folder / "mine.yaml", plans=False
    )
    assert failure.finding.fix == "unit"


def test_a_changed_recording_changes_the_key(folder, tmp_path, robot):
    made, keys = dance("sway.csv"), []
    for rate in (100.0, 50.0):
        write(careless_sway(robot, rate=rate), tmp_path / "sway.csv")
        keys.append(build_key(made.dance, made.text(), tmp_path))
    assert keys[0] != keys[1]


def test_any_rate_gives_the_same_motion(robot, tmp_path):
    """From 20 Hz to 1 kHz, and at uneven times."""
    q_start = start_configuration(robot, "stand")
    found = []
    for rate in (20.0, 100.0, 1000.0):
        frame = careless_sway(robot, rate=rate)
        if rate == 1000.0:
            frame = frame.drop(index=frame.index[5:-5][::7])
        path = write(frame, tmp_path / "take.csv")
        recording = read_take(path, robot, Conventions(unit="radians"))
        span = (0.0, 2.9)
        found.append(dance_offsets(recording, robot, q_start, "take", span=span))
    for other in (found[0], found[2]):
        for name, offset in found[1].offsets.items():
            atol = 0.03 if other is found[0] else 0.005
            np.testing.assert_allclose(other.offsets[name], offset, atol=atol)


def test_python_and_yaml_say_the_same(folder):
    made = dance("sway.csv", joints=["l_arm"], lead=2.0, track="arms")
    assert parse_specification(made.text(), "mine.yaml") == made.dance
    with pytest.raises(BackbeatError, match="did you mean joints"):
        Choreography("mine", beats=9).recording("take", "x.csv", "radians", joint=[])
