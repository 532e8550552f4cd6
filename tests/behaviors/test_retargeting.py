"""Human skeletons become motions of robots, whose true motion is known.

`skeleton_takes` puts a skeleton onto a robot's motion. The same robot has to get its
own motion back; another one has to keep its feet on the floor, take steps as long for
its legs, point its arms where the person does, and stay within its limits.
"""

import time
from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.retargeting.bvh import parse_bvh
from backbeat.behaviors.retargeting.human import read_human
from backbeat.behaviors.retargeting.leg_room import SIGN, USED, lowering
from backbeat.behaviors.retargeting.retarget import (
    STOP,
    retarget_file,
    retarget_skeleton,
)
from backbeat.behaviors.retargeting.robot_parts import SIDES, find_parts
from backbeat.behaviors.retargeting.skeleton_map import load_map, shipped_maps
from backbeat.behaviors.takes.readers.deepmimic import read_deepmimic
from backbeat.behaviors.takes.take import Conventions
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.verification.clearance import Clearance
from tests.behaviors.drake_robot import DrakeRobot
from tests.behaviors.human_takes import take
from tests.behaviors.skeleton_takes import (
    CMU,
    LAFAN1,
    Style,
    bvh_text,
    deepmimic_text,
)

BASE = [f"base.{n}" for n in ("qw", "qx", "qy", "qz", "x", "y", "z")]
# Root mean square of joints that came back [degrees], of feet, and of those that are
# flat on the floor [m].
JOINTS, FEET, FLAT = 1.2, 0.008, 0.004
# Beside a sole whose roll no joint of the leg turns, an edge dips [m].
ROLLED = 0.003
NAMES = ("atlas", "g1", "h1", "t1")


@pytest.fixture(scope="module")
def robots():
    return {name: make_robot(name, (), Mount()) for name in NAMES}


@pytest.fixture(scope="module")
def motions(robots):
    """`motions(robot, kind)`: times, true configurations, and what is true of feet."""
    known = {}

    def get(name, kind):
        if (name, kind) not in known:
            robot = robots[name]
            made = take(robot, kind, 1, spoiled=0.0)
            columns = [*BASE, *robot.joint_names]
            t = made.frame["t"].to_numpy()
            known[name, kind] = t, made.frame[columns].to_numpy(), made.contacts
        return known[name, kind]

    return get


def human(text, own=None):
    return read_human(parse_bvh(text.encode(), "take.bvh"), "take.bvh", own)


def soles(robot, q):
    """(n, 3) places and (n, 3, 3) axes of soles by side, by Drake."""
    drake = DrakeRobot(robot)
    p = {side: np.empty((len(q), 3)) for side in SIDES}
    R = {side: np.empty((len(q), 3, 3)) for side in SIDES}
    for i, row in enumerate(q):
        drake.set(row, np.zeros(robot.num_velocities))
        for side in SIDES:
            X = drake.pose(robot.feet[side])
            p[side][i], R[side][i] = X.translation(), X.rotation().matrix()
    return p, R


def lowest(robot, q, side):
    """(n,) height of a sole's lowest corner [m]."""
    p, R = soles(robot, q)
    corners = robot.contacts[robot.feet[side]].corners()
    return (p[side][:, 2:] + (R[side] @ corners.T)[:, 2]).min(axis=1)


def from_start(robot, q):
    """Configurations as seen from where the hips are first, and face."""
    state = Configuration(robot, q[0])
    hips = find_parts(robot).hips
    y = state.rotation(hips)[:2, 1]
    c, s = np.array([y[1], -y[0]]) / np.linalg.norm(y)
    back = np.array([[c, s], [-s, c]])
    out = q.copy()
    out[:, 4:6] = (q[:, 4:6] - state.place(hips)[:2]) @ back.T
    half = 0.5 * np.arctan2(-s, c)
    w, z = np.cos(half), np.sin(half)
    a, b, d, e = q[:, :4].T
    out[:, :4] = np.stack(
        [w * a - z * e, w * b - z * d, w * d + z * b, w * e + z * a], 1
    )
    return out


def at_times(t, q, wanted):
    return np.stack([np.interp(wanted, t, column) for column in q.T], axis=1)


def degrees(difference):
    return np.degrees(np.sqrt(np.mean(difference**2)))


CASES = [
    ("g1", "walk", Style()),
    ("g1", "walk in a curve", Style(names=CMU, unit=1.0, up=2, frames=3, order="ZXY")),
    ("t1", "side steps", Style(unit=0.0254 / 0.45, names=CMU, lift=0.4)),
    ("h1", "crouch", Style(frames=5, unit=0.001, order="XYZ")),
    ("atlas", "walk", Style(frames=1)),
    ("g1", "jump", Style(lift=-0.2)),
]


@pytest.mark.parametrize(("name", "kind", "style"), CASES)
def test_a_robot_gets_its_own_motion_back(name, kind, style, robots, motions):
    """With any axes of joints at rest, order of angles, unit and axis up."""
    robot, (t, q, contacts) = robots[name], motions(name, kind)
    made = retarget_skeleton(human(bvh_text(robot, t, q, style)), robot)
    true = at_times(t, from_start(robot, q), made.t)
    assert degrees(made.q[:, 7:] - true[:, 7:]) < JOINTS
    (places, _), (truth, R) = soles(robot, made.q), soles(robot, true)
    for side in SIDES:
        away = np.linalg.norm(places[side] - truth[side], axis=1)
        assert np.sqrt(np.mean(away**2)) < FEET
        flat = (np.abs(R[side][:, 2, 0]) < 0.01) & (truth[side][:, 2] < 0.003)
        assert flat.sum() > 20
        assert np.sqrt(np.mean(away[flat] ** 2)) < FLAT
        on = np.any([(made.t >= a) & (made.t <= b) for a, b in contacts[side]], axis=0)
        assert np.mean(on == made.on[side]) > 0.93


@pytest.mark.parametrize(("name", "kind"), [("g1", "walk"), ("t1", "crouch")])
def test_a_robot_gets_its_motion_back_from_deepmimics_person(
    name, kind, robots, motions
):
    """Its thighs are longer than its shins by a little, those of the test are equal."""
    robot, (t, q, _) = robots[name], motions(name, kind)
    text = deepmimic_text(robot, t, q)
    made = read_deepmimic(text.encode(), "take.txt", robot, Conventions())
    assert made.layout.startswith("skeleton of DeepMimic, y up")
    true = at_times(t, from_start(robot, q), made.t)
    assert degrees(made.q - true[:, 7:]) < JOINTS
    assert np.abs(made.place - true[:, 4:7]).max() < 0.01


def test_noise_is_smoothed_and_feet_stay_on_the_floor(robots, motions):
    robot, (t, q, _) = robots["g1"], motions("g1", "walk")
    noisy = Style(noise=(0.003, 0.005), seed=4)
    made = retarget_skeleton(human(bvh_text(robot, t, q, noisy)), robot)
    true = at_times(t, from_start(robot, q), made.t)
    assert degrees(made.q[:, 7:] - true[:, 7:]) < JOINTS
    for side in SIDES:
        assert lowest(robot, made.q, side).min() > -1e-3


@pytest.mark.parametrize("name", ["atlas", "h1", "t1"])
def test_another_robot_does_the_same_at_its_size(name, robots, motions):
    """A walk of a G1's person: floor, steps, arms and limits."""
    t, q, _ = motions("g1", "walk")
    person = human(bvh_text(robots["g1"], t, q))
    robot = robots[name]
    made = retarget_skeleton(person, robot)
    places, truth = soles(robot, made.q)[0], soles(robots["g1"], q)[0]
    legs = find_parts(robot).leg / find_parts(robots["g1"]).leg
    rolls = any(c.rolls for c in robot.contacts.values())
    for side in SIDES:
        height = lowest(robot, made.q, side)
        assert height.min() > -(ROLLED if rolls else 1e-3)
        assert height[made.on[side]].max() < 0.02
        way = np.linalg.norm(np.ptp(places[side][:, :2], axis=0))
        mine = np.linalg.norm(np.ptp(truth[side][:, :2], axis=0))
        assert way == pytest.approx(legs * mine, rel=0.03)
    check_arms(robot, made, person)
    check_limits(robot, made)


def check_arms(robot, made, person):
    """Parts of arms point where the person's do, on the average [degrees]."""
    parts, state = find_parts(robot), Configuration(robot, made.q[0])
    for side in SIDES:
        for part in parts.arms[side].values():
            assert part.length > 0.05
        ways = {n: [] for n in parts.arms[side]}
        for row in made.q:
            state.update(row)
            for n, part in parts.arms[side].items():
                ways[n].append(state.place(part.end) - state.place(part.start))
        for n, way in ways.items():
            way = np.array(way) / np.linalg.norm(way, axis=1, keepdims=True)
            cosine = np.sum(way * person.arms[side][n], axis=1)
            assert np.degrees(np.arccos(np.clip(cosine, -1, 1))).mean() < 4.0


def check_limits(robot, made):
    joints = made.q[:, 7:]
    room = np.minimum(STOP, 0.25 * (robot.position_upper - robot.position_lower))
    assert (joints >= robot.position_lower + room - 1e-9).all()
    assert (joints <= robot.position_upper - room + 1e-9).all()
    speed = np.abs(np.diff(joints, axis=0)) / np.diff(made.t)[:, None]
    assert (speed <= robot.velocity_limits).all()


def test_lengths_of_arms_and_hips_do_not_matter(robots, motions):
    """A person with long arms and wide hips, of whom the robot makes the same."""
    robot, (t, q, _) = robots["g1"], motions("g1", "walk")
    usual = retarget_skeleton(human(bvh_text(robot, t, q)), robot)
    other = human(bvh_text(robot, t, q, Style(arms=1.3, hips=1.2)))
    made = retarget_skeleton(other, robot)
    assert degrees(made.q[:, 7:] - usual.q[:, 7:]) < 0.5


def test_hands_keep_off_the_body(robots):
    """A person whose hands are where the robot has its thighs."""
    robot = robots["g1"]
    q = np.tile(robot.posture("stand"), (40, 1))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for role, angle in (("roll", -0.35), ("pitch", 0.0)):
            j = robot.joint_indices([f"{side} shoulder {role}"])
            q[10:, 7 + j] = sign * angle if role == "roll" else angle
        q[10:, 7 + robot.joint_indices([f"{side} elbow"])[-1]] = 1.3
    clearance = Clearance(robot, make_self_collision_model(robot))
    deep = max(clearance.deepest(row)[0] for row in q[10:])
    assert deep > 0.04
    made = retarget_skeleton(human(bvh_text(robot, np.arange(40) / 30, q)), robot)
    assert max(clearance.deepest(row)[0] for row in made.q) < 0.35 * deep


def test_straight_legs_bend_and_feet_stay(robots):
    """A person who stands up until the legs are straight, and down again."""
    robot, t = robots["t1"], np.arange(90) / 30
    q = np.tile(robot.posture("stand"), (90, 1))
    rise = 0.5 * (1 - np.cos(2 * np.pi * t / 3.0))
    knees = robot.joint_indices(["left knee", "right knee"])
    hips = robot.joint_indices(["left hip pitch", "right hip pitch"])
    ankles = robot.joint_indices(["left ankle pitch", "right ankle pitch"])
    for joints in (knees, hips, ankles):
        q[:, 7 + joints] *= (1 - rise)[:, None]
    foot = robot.frame(robot.feet["left"])
    for row in q:
        row[4:7] -= Configuration(robot, row).place(foot) - [0.0, 0.1, 0.0]
    made = retarget_skeleton(human(bvh_text(robot, t, q)), robot)
    assert made.q[:, 7 + knees].min() > 0.2
    speed = np.diff(made.q[:, 7 + knees], axis=0) * 50.0
    assert np.abs(np.diff(speed, axis=0)).max() * 50.0 < 20.0
    for side in SIDES:
        assert np.abs(lowest(robot, made.q, side)).max() < 1e-3


def test_hips_go_down_as_far_as_legs_need_it_and_no_farther(robots):
    parts, rng = find_parts(robots["g1"]), np.random.default_rng(5)
    n = 400
    smooth = np.cumsum(np.cumsum(rng.normal(0, 2e-4, n))) * 0.02
    hips = np.column_stack([np.zeros((n, 2)), 0.6 + np.clip(smooth, -0.1, 0.12)])
    hips[:100, 2] = 0.55
    hips[200, 2] = 0.72
    axes = np.tile(np.eye(3), (n, 1, 1))
    ankles = {
        side: np.tile([0.0, sign * parts.half_hip, 0.0], (n, 1))
        for side, sign in SIGN.items()
    }
    down = lowering(hips, axes, ankles, parts, 0.02)
    assert (hips[:, 2] - down <= USED * parts.leg + 1e-9).all()
    assert down[:60].max() == 0.0
    assert down[200] > 0.07
    assert np.abs(np.diff(down)).max() < 0.01


def test_it_costs_less_than_a_fifth_of_a_second_a_second(robots, motions, tmp_path):
    robot, (t, q, _) = robots["g1"], motions("g1", "walk")
    path = tmp_path / "walk.bvh"
    path.write_text(bvh_text(robot, t, q))
    retarget_file(path, robot)
    started = time.process_time()
    made = retarget_file(path, robot)
    assert time.process_time() - started < 0.2 * made.t[-1]


@pytest.fixture(scope="module")
def crouch(robots, motions):
    """`crouch(style)`: a short take in BVH."""
    t, q, _ = motions("g1", "crouch")
    return lambda style: bvh_text(robots["g1"], t[:60], q[:60], style)


@pytest.mark.parametrize("up", [0, 1, 2])
@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (1.0, "in meters, which makes a person of 1.73 m"),
        (0.01, "in centimeters"),
        (0.001, "in millimeters"),
        (0.0254, "in inches"),
        (0.0254 / 0.45, "in the units of the CMU database"),
    ],
)
def test_unit_and_axis_are_told_from_the_person(unit, said, up, crouch):
    found = human(crouch(Style(unit=unit, up=up)))
    assert f"{'xyz'[up]} up" in found.said
    assert said in found.said
    assert found.leg == pytest.approx(0.85, rel=1e-5)
    assert found.hips[:, 2].max() < 0.85
    np.testing.assert_allclose(found.hips[0, :2], 0.0, atol=1e-3)


def test_a_height_with_two_readings_is_refused_with_both(crouch):
    text = crouch(Style(leg=0.55, unit=0.0254))
    with pytest.raises(BackbeatError) as error:
        human(text)
    assert "1.12 m in inches or 2.49 m in the units of the CMU" in str(error.value)
    own = replace(shipped_maps()[1], unit=0.0254)
    assert human(text, own).leg == pytest.approx(0.55, rel=1e-5)


def test_who_is_smaller_than_any_person_is_refused(crouch):
    with pytest.raises(BackbeatError, match="which is a person's in none of meters"):
        human(crouch(Style(leg=0.1, unit=1.0)))


def test_who_lies_is_refused_with_both_readings(robots):
    robot = robots["g1"]
    q = np.tile(robot.posture("stand"), (30, 1))
    half = 0.7 * np.pi / 4
    q[:, :4] = [np.cos(half), 0.0, -np.sin(half), 0.0]
    with pytest.raises(BackbeatError, match="not upright most of the time") as error:
        human(bvh_text(robot, np.arange(30) / 30, q))
    for reading in ("y with the head up", "z with the head down", "up: y or up: z"):
        assert reading in str(error.value)


def test_left_that_is_right_is_refused(crouch):
    swapped = crouch(Style()).replace("Left", "@").replace("Right", "Left")
    with pytest.raises(BackbeatError, match="left and right are exchanged"):
        human(swapped.replace("@", "Right"))


def test_a_first_frame_with_arms_out_is_left_out_and_it_is_said(robots, motions):
    robot, (t, q, _) = robots["g1"], motions("g1", "walk")
    first = q[:1].copy()
    first[:, 7 + robot.joint_indices(["left shoulder roll"])] = 1.5
    text = bvh_text(robot, t, np.vstack([first, q[:-1]]))
    made = retarget_skeleton(human(text), robot)
    assert any("the first frame is" in note for note in made.notes)
    plain = retarget_skeleton(human(bvh_text(robot, t, q)), robot)
    assert degrees(made.q[:, 7:] - plain.q[: len(made.q), 7:]) < 0.5


def test_an_unknown_skeleton_is_refused_and_its_map_reads_it(crouch, tmp_path):
    odd = LAFAN1 | {"trunk": "Chest4", "hip": "Hip", "ankle": "Ankle"}
    text = crouch(Style(names=odd))
    with pytest.raises(BackbeatError) as error:
        human(text)
    for word in ("trunk ('Spine2')", "left hip ('LeftUpLeg')", "--skeleton FILE"):
        assert word in str(error.value)
    side = "{hip: %sHip, knee: %sLeg, ankle: %sAnkle, toe: %sToe, "
    side += "shoulder: %sArm, elbow: %sForeArm, wrist: %sHand}"
    lines = ["pelvis: hips", "trunk: Chest4", "head: Head"]
    lines += [f"{s.lower()}: {side.replace('%s', s)}" for s in ("Left", "Right")]
    path = tmp_path / "odd.yaml"
    path.write_text("\n".join(lines))
    own = load_map(path)
    assert "skeleton of your map" in human(text, own).said
    path.write_text("\n".join(lines).replace("Chest4", "hips"))
    with pytest.raises(BackbeatError, match="'hips' is the joint of two parts"):
        load_map(path)
    path.write_text("\n".join(lines[1:]))
    with pytest.raises(BackbeatError, match="does not say which joint is the pelvis"):
        load_map(path)


def test_a_word_before_the_names_does_not_matter(crouch):
    text = crouch(Style())
    named = text.replace("ROOT ", "ROOT rig:").replace("JOINT ", "JOINT rig:")
    assert "skeleton of LAFAN1" in human(named).said


def test_the_end_of_a_foot_may_be_its_toes(crouch):
    text = crouch(Style())
    for side in ("Left", "Right"):
        text = text.replace(f"{side}Toe", f"{side}Ball")
    own = shipped_maps()[1]
    below = replace(
        own,
        left=replace(own.left, toe="LeftBall end"),
        right=replace(own.right, toe="RightBall end"),
    )
    assert human(text, below).leg == pytest.approx(0.85, rel=1e-5)


def test_feet_without_length_are_refused(crouch):
    text = crouch(Style())
    own = shipped_maps()[1]
    stub = text.replace("OFFSET 14.450000 0.000000 -4.250000", "OFFSET 0.0 0.0 -4.25")
    assert stub != text
    with pytest.raises(BackbeatError, match="toes' joint is below the ankle"):
        human(stub, own)


def test_who_never_stands_is_refused(robots, motions):
    robot, (t, q, _) = robots["g1"], motions("g1", "walk")
    floating = q.copy()
    floating[:, 6] += 3.0 * t
    floating[:, 4] += 3.0 * t
    with pytest.raises(BackbeatError, match="is never flat on the floor and still"):
        human(bvh_text(robot, t, floating))


def test_a_root_without_a_place_is_refused(crouch):
    text = crouch(Style())
    head, _, rows = text.partition("Frame Time:")
    head = head.replace("CHANNELS 6 Xposition Yposition Zposition", "CHANNELS 3")
    time_line, *frames = rows.splitlines()
    frames = [" ".join(line.split()[3:]) for line in frames]
    text = "\n".join([f"{head}Frame Time:{time_line}", *frames])
    with pytest.raises(BackbeatError, match="has no channels for its place"):
        human(text)
