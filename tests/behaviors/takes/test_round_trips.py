"""Every format that is written reads back as what it was, to its precision."""

import io

import numpy as np
import pytest

from backbeat.behaviors.library.table import to_frame, to_header
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.takes.joint_orders import breadth_first, depth_first
from backbeat.behaviors.takes.readers.formats import FORMATS, find_format
from backbeat.behaviors.takes.readers.joints_of_file import joints_of_file
from backbeat.behaviors.takes.take import Conventions
from backbeat.behaviors.takes.writers.formats import WRITTEN, written_format
from backbeat.behaviors.takes.writers.states import motion_states
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from tests.behaviors.takes.conftest import robot_named, states_of
from tests.behaviors.takes.standing import standing_frame

# What a file is exact to: nine digits as text, single or double precision.
DIGITS, SINGLE, DOUBLE = 5e-9, 2e-7, 1e-15
PRECISION = {"csv": DIGITS, "csv-robot": DIGITS, "npz": DOUBLE}
# MCAP is to be watched: what a viewer gets of it, `test_mcap.py` reads.
READABLE = [form for form in WRITTEN if form != "mcap"]
ROBOTS = ("g1", "t1", "h1")


@pytest.mark.parametrize("form", READABLE)
@pytest.mark.parametrize("name", ROBOTS)
def test_a_file_reads_back_as_what_was_written(name, form, write):
    robot, rate = robot_named(name), WRITTEN[form].rate or 100.0
    states = states_of(name, rate)
    take = read_take(write(states, form), robot)
    exact = PRECISION.get(form, SINGLE)
    columns = [robot.joint_index(j) for j in take.joints]
    assert sorted(columns) == list(range(robot.num_joints))
    np.testing.assert_allclose(take.t, states.t, rtol=0, atol=1e-12)
    np.testing.assert_allclose(take.q, states.joints[:, columns], rtol=0, atol=exact)
    np.testing.assert_allclose(take.base, states.q[:, :7], rtol=0, atol=exact)
    assert take.notes == ()
    for word in (robot.name, "radians", "meters", "z up", f"{rate:g} samples/s"):
        assert word in take.said


@pytest.mark.parametrize("form", READABLE)
@pytest.mark.parametrize("name", ROBOTS)
def test_the_robot_of_a_file_is_told_by_its_joints_alone(name, form, write):
    path = write(states_of(name, WRITTEN[form].rate or 100.0), form)
    raw = path.read_bytes()
    found = joints_of_file(raw, path, find_format(raw, path))
    shared = {n: found.shared(robot_named(n).joint_names) for n in (*ROBOTS, "atlas")}
    assert shared.pop(name) == robot_named(name).num_joints
    if form != "csv-robot":  # A base and joints may be as many as another's joints.
        assert max(shared.values()) < robot_named(name).num_joints


@pytest.mark.parametrize("form", READABLE)
def test_a_behavior_of_the_library_reads_back(form, built, write):
    behavior = built("quarter-turn")
    robot, rate = behavior.robot_model, WRITTEN[form].rate
    story = to_header(behavior)
    states = motion_states(to_frame(behavior), story, robot, behavior.name, rate)
    take = read_take(write(states, form), robot)
    columns = [robot.joint_index(j) for j in take.joints]
    exact = PRECISION.get(form, SINGLE)
    np.testing.assert_allclose(take.q, states.joints[:, columns], rtol=0, atol=exact)
    np.testing.assert_allclose(take.base, states.q[:, :7], rtol=0, atol=exact)
    np.testing.assert_allclose(take.t[-1], behavior.motion.t[-1], atol=1.0 / 30)


def test_all_that_is_written_can_be_read():
    assert set(READABLE) <= set(FORMATS)


def test_states_are_those_of_the_behavior_at_any_rate(built):
    """A rate between samples: the cubic is that of the dense motion, twice as dense."""
    behavior = built("quarter-turn")
    robot, m = behavior.robot_model, behavior.motion
    frame = to_frame(behavior)
    every = motion_states(frame, {}, robot, "a", None)
    odd = motion_states(frame.iloc[::4], {}, robot, "a", 200.0)
    n = min(len(every.t), len(odd.t))
    once = np.r_[np.diff(m.t) > 0, True]
    np.testing.assert_array_equal(every.q, m.q[once])
    away = np.abs(
        odd.q[:n] - np.stack([np.interp(odd.t[:n], m.t, x) for x in m.q.T], 1)
    )
    assert away.max() < 2e-4


def test_bodies_move_as_their_places_do():
    """Velocities against differences of places, and rotations against Drake's."""
    states = states_of("g1", 200.0)
    bodies, dt = states.bodies, 1 / 200.0
    moved = np.gradient(bodies.place, dt, axis=0)[2:-2]
    np.testing.assert_allclose(bodies.velocity[2:-2], moved, atol=0.02)
    robot = states.robot
    context = robot.plant.CreateDefaultContext()
    robot.plant.SetPositions(context, states.q[50])
    for b, name in enumerate(states.body_names):
        X = robot.plant.EvalBodyPoseInWorld(context, robot.plant.GetBodyByName(name))
        np.testing.assert_allclose(bodies.place[50, b], X.translation(), atol=1e-9)
        w = X.rotation().ToQuaternion().wxyz()
        assert abs(bodies.turn[50, b] @ w) > 1 - 1e-9


def test_wrenches_are_in_the_world_at_the_contact():
    states = states_of("g1", 100.0)
    state = Configuration(states.robot, states.q[30])
    for c, name in enumerate(states.contacts):
        R = state.rotation(name)
        expected = np.r_[R @ [0.0, 1.0, 2.0], R @ [3.0, 4.0, 5.0]]
        np.testing.assert_allclose(states.wrench[30, c], expected, atol=1e-3)
        np.testing.assert_allclose(states.contact_places[30, c], state.place(name))


def test_trainers_get_their_own_order_and_all_names(g1, write):
    """The first joints of the G1, as its trainers list them."""
    states = states_of("g1", 50.0)
    first = {
        "mjlab": ["left_hip_pitch", "left_hip_roll", "left_hip_yaw", "left_knee"],
        "beyondmimic": [
            "left_hip_pitch",
            "right_hip_pitch",
            "waist_yaw",
            "left_hip_roll",
        ],
    }
    for form, names in first.items():
        with np.load(write(states, form), allow_pickle=False) as file:
            told = [n.removesuffix("_joint") for n in file["joint_names"][:4]]
            assert told == names
            assert list(file["body_names"][:2]) == ["pelvis", "left_hip_pitch_link"]
            assert file["fps"].shape == (1,)
            assert file["joint_pos"].dtype == np.float32
            order = [g1.joint_index(n) for n in file["joint_names"]]
            np.testing.assert_allclose(
                file["joint_torque"], states.tau[:, order], atol=1e-6
            )
            assert file["contact_wrench_w"].shape == (len(states.t), 2, 6)
    assert depth_first(g1) == list(range(29))
    assert breadth_first(g1)[:3] == [0, 6, 12]


def test_holosoma_gets_configurations_of_mujoco(g1, write):
    states = states_of("g1", 50.0)
    with np.load(write(states, "holosoma"), allow_pickle=False) as file:
        assert file["joint_pos"].shape[1] == 36
        assert file["joint_vel"].shape[1] == 35
        assert list(file["body_names"][:2]) == ["world", "pelvis"]
        np.testing.assert_allclose(file["qpos"][:, 3:7], states.q[:, :4], atol=1e-6)
        np.testing.assert_array_equal(file["body_pos_w"][:, 0], 0.0)


def test_a_format_of_another_robot_is_refused(g1):
    assert written_format("csv-g1", "g1") is WRITTEN["csv-robot"]
    with pytest.raises(BackbeatError, match="csv-h1 is of another robot"):
        written_format("csv-h1", "g1")
    with pytest.raises(BackbeatError, match="format to write"):
        written_format("fbx", "g1")


def test_a_run_beyond_all_numbers_is_refused(g1):
    frame = standing_frame(g1)
    frame.loc[100:, "q.base.x"] = np.nan
    with pytest.raises(BackbeatError, match=r"from 0\.5 s on its states"):
        motion_states(frame, {}, g1, "fallen", 50.0)


def test_files_without_names_are_told_by_the_places_of_bodies(g1, write, tmp_path):
    states = states_of("g1", 50.0)
    for form in ("mjlab", "beyondmimic"):
        with np.load(write(states, form)) as file:
            named = {k: file[k] for k in file.files}
        plain = {k: array for k, array in named.items() if not k.endswith("names")}
        path = tmp_path / "plain.npz"
        np.savez(path, **plain)
        take = read_take(path, g1)
        assert take.format == form
        assert "by the places of bodies" in take.said
        columns = [g1.joint_index(j) for j in take.joints]
        np.testing.assert_allclose(take.q, states.joints[:, columns], atol=SINGLE)
        # With the base alone the ranges of joints have to do.
        some = plain | {k: plain[k][:, :1] for k in plain if k.startswith("body_")}
        np.savez(path, **some)
        take = read_take(path, g1)
        assert take.format == form
        assert "by the ranges of joints" in take.said
        # And where these fit both ways, the user is asked.
        still = some | {"joint_pos": np.zeros_like(plain["joint_pos"])}
        np.savez(path, **still)
        with pytest.raises(BackbeatError, match=r"mjlab.*--format beyondmimic"):
            read_take(path, g1)
        assert read_take(path, g1, Conventions(format=form)).format == form
        # What a file shows is not overruled.
        other = "mjlab" if form == "beyondmimic" else "beyondmimic"
        for arrays, how in ((named, "joint_names"), (plain, "places of its bodies")):
            np.savez(path, **arrays)
            with pytest.raises(BackbeatError, match=f"{how} it is {form}"):
                read_take(path, g1, Conventions(format=other))


def test_a_period_in_fps_is_seen(g1, write, tmp_path):
    states = states_of("g1", 50.0)
    with np.load(write(states, "holosoma")) as file:
        qpos = file["qpos"]
    for fps, said in ((0.02, "a period"), (50, "as its fps says")):
        file = io.BytesIO()
        np.savez(file, qpos=qpos, fps=fps)
        path = tmp_path / "retargeted.npz"
        path.write_bytes(file.getvalue())
        take = read_take(path, g1)
        np.testing.assert_allclose(take.t, states.t, atol=1e-12)
        assert said in take.said
