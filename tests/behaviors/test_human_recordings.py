"""Feet of recordings of people: found when they stand, or refused in one sentence."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backbeat.behaviors.building.build import solve
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.footsteps.footprints import Footprints
from backbeat.behaviors.footsteps.step import FEET, Step
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.behaviors.recording.dance_offsets import dance_offsets
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.takes.take import Conventions
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from tests.behaviors.human_takes import ORDINARY, take
from tests.behaviors.recordings import write
from tests.behaviors.small_robot import make_small_robot
from tests.behaviors.test_dance_builds import QUIET

# Errors of the times at which feet land and leave: their mean, that without the base,
# and the largest that is one of the same change [s]. Share of changes that are missed.
MEAN, CARRIED, SAME, MISSED = 0.045, 0.07, 0.25, 0.05
# How near the recorded way of a step is to the true one [m].
WAY = 0.06
# What is left of the speed of who walks, where steps would follow each other too fast.
SLOWEST = 0.7
OTHER = {"left": "right", "right": "left"}
QUATERNION = [f"base.q{a}" for a in "wxyz"]


@pytest.fixture(scope="module")
def robots(tmp_path_factory):
    small = make_small_robot(tmp_path_factory.mktemp("small"))
    return {
        "atlas": make_robot("atlas", (), Mount()),
        "small": make_robot(str(small), (), Mount()),
    }


def found(robot, frame, tmp_path):
    recording = read_take(
        write(frame, tmp_path / "take.csv"), robot, Conventions(unit="radians")
    )
    return dance_offsets(recording, robot, start_configuration(robot, "stand"), "take")


def errors(motion, move):
    """How far changes are from the true ones [s], and how many are missing."""
    ends = np.array([(rows[0][0], rows[-1][1]) for rows in move.planted.values()])
    first, last = ends[:, 0].max() + 0.1, ends[:, 1].min() - 0.1
    away, missed = [], 0
    for foot, rows in motion.contacts.items():
        for which in (0, 1):
            mine = np.array(move.planted[foot])[:, which]
            for true in rows[:, which]:
                if first < true < last:
                    apart = np.abs(mine - true).min()
                    away += [apart] if apart <= SAME else []
                    missed += int(apart > SAME)
    return away, missed


def check_all(robots, kinds, rates, seeds, tmp_path, most=MEAN):
    """Every take is accepted, and its changes are found."""
    away, missed, count = [], 0, 0
    for kind in kinds:
        for name, robot in robots.items():
            for seed in seeds:
                for rate, with_base in rates:
                    motion = take(robot, kind, seed, rate, with_base=with_base)
                    what = f"{kind} of {name}, {rate:g} Hz, seed {seed}"
                    try:
                        move = found(robot, motion.frame, tmp_path)
                    except BackbeatError as error:
                        raise AssertionError(f"{what}: {error}") from None
                    own, none = errors(motion, move)
                    away, missed, count = away + own, missed + none, count + 1
                    assert len(move.notes) == len(set(move.notes))
    if away:
        assert np.mean(away) < most
        assert missed <= MISSED * (len(away) + missed)
    print(
        f"{count} takes: mean error {1e3 * np.mean(away or [0.0]):.0f} ms, {missed} of "
        f"{len(away) + missed} changes missed"
    )
    return count


@pytest.mark.parametrize("kind", ["walk", "brisk walk", "shuffle", "march", "bow"])
def test_feet_of_people_are_found(kind, robots, tmp_path):
    check_all(robots, [kind], [(60.0, True)], [1], tmp_path)


def test_without_the_base_too(robots, tmp_path):
    check_all(
        robots, ["walk", "turn on the spot"], [(60.0, False)], [2], tmp_path, CARRIED
    )


@pytest.mark.slow
def test_a_hundred_windows_of_four_seconds(robots, tmp_path):
    rates = [(30.0, True), (60.0, True), (120.0, True), (60.0, False)]
    assert check_all(robots, ORDINARY, rates, [11], tmp_path) >= 100


def test_steps_are_as_long_as_they_were(robots, tmp_path):
    """Where a foot rolls over its toe does not count as where it stands."""
    robot = robots["atlas"]
    motion = take(robot, "walk from rest", 4, spoiled=0.0)
    move = found(robot, motion.frame, tmp_path)
    place = motion.frame[["base.x", "base.y"]].to_numpy()
    way = np.linalg.norm(place[-1] - place[0])
    for foot in ("left", "right"):
        own = sum(np.array(s.to) for s in move.steps if s.foot == foot)
        assert own[0] == pytest.approx(way, abs=2 * WAY)
        assert abs(own[1]) < WAY
    assert not move.changes


def test_gaps_at_a_change_of_feet_are_no_jumps(robots, tmp_path):
    """Both feet are off for up to 0.12 s, as retargeting leaves them; nobody falls."""
    motion = take(robots["atlas"], "walk with gaps", 1)
    assert len(motion.flights) > 4
    move = found(robots["atlas"], motion.frame, tmp_path)
    (note,) = [n for n in move.notes if "no foot touches the ground" in n]
    assert "the body does not fall as it would in the air" in note
    assert len(move.steps) >= 4


def test_steps_are_the_same_wherever_a_take_faces(robots, tmp_path):
    """Also where one foot points to just this side of a half turn, the other beyond."""
    robot = robots["atlas"]
    motion = take(robot, "walk in a curve", 1)
    move = found(robot, motion.frame, tmp_path)
    ends = [rows[0][2] for rows in recorded_places(robot, motion, move).values()]
    assert abs(ends[0] - ends[1]) > 0.05
    turn = Rotation.from_rotvec([0.0, 0.0, np.pi - np.mean(ends)])
    frame, place = motion.frame.copy(), ["base.x", "base.y", "base.z"]
    frame[place] = turn.apply(frame[place].to_numpy(copy=True))
    turned = turn * Rotation.from_quat(
        frame[QUATERNION].to_numpy(copy=True), scalar_first=True
    )
    frame[QUATERNION] = turned.as_quat(scalar_first=True)
    other = found(robot, frame, tmp_path)
    assert len(other.steps) == len(move.steps) > 3
    for a, b in zip(move.steps, other.steps, strict=True):
        assert a.foot == b.foot
        np.testing.assert_allclose((*a.to, a.turn), (*b.to, b.turn), atol=5e-3)


@pytest.mark.parametrize("name", ["atlas", "small"])
def test_a_run_is_refused_with_its_first_leap(name, robots, tmp_path):
    motion = take(robots[name], "run", 4)
    with pytest.raises(BackbeatError, match="the body flies from") as error:
        found(robots[name], motion.frame, tmp_path)
    start, end = map(
        float, re.findall(r"flies from (\S+) to (\S+) s", str(error.value))[0]
    )
    middles = [0.5 * (a + b) for a, b in motion.flights]
    assert np.abs(np.array(middles) - 0.5 * (start + end)).min() < 0.1


@pytest.mark.parametrize("name", ["atlas", "small"])
def test_a_jump_is_kept_in_its_time(name, robots, tmp_path):
    motion = take(robots[name], "jump", 4)
    move = found(robots[name], motion.frame, tmp_path)
    ((start, end),) = motion.flights
    for (_, leaves), (lands, _) in (rows[:2] for rows in move.planted.values()):
        assert 0.5 * (leaves + lands) == pytest.approx(0.5 * (start + end), abs=0.03)
        # No jump is shorter than 0.2 s.
        assert lands - leaves == pytest.approx(max(end - start, 0.2), abs=0.03)
    assert [step.foot for step in move.steps] == ["both"]


@pytest.mark.parametrize("height", [0.08, -0.3, 1.3])
def test_a_base_that_floats_is_put_on_the_ground_and_it_is_said(
    height, robots, tmp_path
):
    robot = robots["atlas"]
    motion = take(robot, "sway", 2, spoiled=0.0)
    motion.frame["base.z"] += height
    move = found(robot, motion.frame, tmp_path)
    side = "above" if height > 0 else "below"
    said = f"feet that stand are {1e3 * abs(height):.0f} mm {side} height zero"
    assert any(said in note for note in move.notes)
    own = found(robot, take(robot, "sway", 2, spoiled=0.0).frame, tmp_path)
    for name, offset in own.offsets.items():
        np.testing.assert_allclose(move.offsets[name], offset, atol=1e-6)


@pytest.mark.parametrize("kind", ["walk", "crouch", "turn on the spot"])
@pytest.mark.parametrize(("shift", "order"), [(1, "z, w, x, y"), (-1, "x, y, z, w")])
def test_a_quaternion_in_another_order_is_put_right_and_it_is_said(
    kind, shift, order, robots, tmp_path
):
    robot = robots["atlas"]
    motion = take(robot, kind, 5)
    right = found(robot, motion.frame, tmp_path)
    other = motion.frame.copy()
    other[QUATERNION] = np.roll(motion.frame[QUATERNION].to_numpy(), shift, axis=1)
    move = found(robot, other, tmp_path)
    assert any(f"are {order}; they are taken so" in note for note in move.notes)
    assert move.planted == right.planted
    for name, offset in right.offsets.items():
        np.testing.assert_allclose(move.offsets[name], offset, atol=1e-6)


def spoil(frame, what):
    """A walk as nobody walks on a floor."""
    rng, frame = np.random.default_rng(1), frame.copy()
    t, place = frame["t"].to_numpy(), ["base.x", "base.y", "base.z"]
    if what == "in inches":
        frame[place] *= 39.37
    elif what == "on a treadmill":
        frame["base.x"] = 0.0
    elif what == "on ice":
        frame["base.x"] += 1.5 * t
    elif what == "on their back":
        frame[QUATERNION] = [np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0]
        frame[place] = [0.0, 0.0, 0.2]
    elif what == "in a lift":
        frame["base.z"] += 0.2 * t
    else:
        q = rng.normal(size=(len(t), 4))
        frame[QUATERNION] = q / np.linalg.norm(q, axis=1)[:, None]
    return frame


@pytest.fixture(scope="module")
def walked(robots):
    return take(robots["atlas"], "walk", 5).frame


@pytest.mark.parametrize(
    "what",
    ["in inches", "on a treadmill", "on ice", "on their back", "in a lift", "in"],
)
def test_who_walks_on_no_floor_is_refused(what, walked, robots, tmp_path):
    frame = spoil(walked.copy(), what)
    with pytest.raises(
        BackbeatError, match=r"no sole is level|no foot stands"
    ) as error:
        found(robots["atlas"], frame, tmp_path)
    assert "\n" not in str(error.value)


def test_stairs_are_refused(robots, tmp_path):
    motion = take(robots["atlas"], "stairs", 5)
    with pytest.raises(BackbeatError, match=r"has a flat floor|no foot stands"):
        found(robots["atlas"], motion.frame, tmp_path)


def test_a_walk_that_is_too_quick_is_slowed_down_and_it_is_said(robots, tmp_path):
    motion = take(robots["atlas"], "brisk walk", 1)
    write(motion.frame, tmp_path / "take.csv")
    made = walk(tmp_path)
    move = made.dance.recorded(tmp_path, ["take"])["take"]
    assert any("steps follow each other too fast" in note for note in move.notes)
    assert any("times as fast" in note for note in move.notes)
    made.dance.plan(tmp_path)


def walk(folder):
    made = Choreography("mine", beats=18)
    made.recording("take", "take.csv", "radians")
    return made.legs("take", 1)


def recorded_places(robot, motion, move):
    """(x, y, heading) of each foot in the middle of each time on the ground."""
    names, t = list(motion.frame.columns), motion.frame["t"].to_numpy()
    joints = motion.frame[list(robot.joint_names)].to_numpy()
    base = motion.frame[[*QUATERNION, "base.x", "base.y", "base.z"]].to_numpy()
    assert len(names) == 1 + len(joints[0]) + 7
    found = {foot: [] for foot in FEET}
    for foot, rows in move.planted.items():
        for a, b in rows:
            i = int(np.abs(t - 0.5 * (a + b)).argmin())
            X_WC = Configuration(robot, np.r_[base[i], joints[i]]).pose(
                robot.feet[foot]
            )
            R = X_WC.rotation().matrix()
            found[foot].append([*X_WC.translation()[:2], np.arctan2(R[1, 0], R[0, 0])])
    return found


def seen_from(there, here):
    """A place ahead and left of another one, and turned left (x, y, heading)."""
    (x, y, turn), c, s = np.subtract(there, here), np.cos(here[2]), np.sin(here[2])
    return [c * x + s * y, c * y - s * x, turn]


@pytest.mark.parametrize("kind", ["walk", "walk in a curve", "side steps"])
def test_steps_land_where_they_did_beside_the_other_foot(kind, robots, tmp_path):
    """A window begins in the middle of a stride, and a dance with its feet together."""
    robot, q = robots["atlas"], start_configuration(robots["atlas"], "stand")
    motion = take(robot, kind, 1, spoiled=0.0)
    move = found(robot, motion.frame, tmp_path)
    (change,) = [c for c in move.changes if "beside the other one" in c]
    assert float(change.partition(" foot ")[2].split()[0]) > 0.1
    steps = [Step(OTHER[s.foot], 0.5, to=list(s.to), turn=s.turn) for s in move.steps]
    prints = Footprints(
        steps, [0.5] * len(steps), 0.05, robot.feet, support_poses(robot, q)
    )
    true, at = recorded_places(robot, motion, move), dict.fromkeys(FEET, 0)
    for i, step in enumerate(move.steps, 1):
        at[step.foot] += 1
        mine = {f: [*p[i].p[:2], p[i].yaw] for f, p in prints.places.items()}
        was = {f: rows[at[f]] for f, rows in true.items()}
        np.testing.assert_allclose(
            seen_from(mine[step.foot], mine[OTHER[step.foot]]),
            seen_from(was[step.foot], was[OTHER[step.foot]]),
            atol=WAY,
        )


@pytest.mark.parametrize("name", ["atlas", "small"])
def test_a_walk_that_begins_in_mid_stride_is_built(name, robots, tmp_path):
    check_built(robots, name, "walk", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["atlas", "small"])
@pytest.mark.parametrize("kind", ORDINARY)
def test_what_people_do_is_built(name, kind, robots, tmp_path):
    check_built(robots, name, kind, tmp_path)


def check_built(robots, name, kind, tmp_path):
    """A motion of it is verified, and nearly as fast as it was."""
    motion = take(robots[name], kind, 1)
    write(motion.frame, tmp_path / "take.csv")
    made = walk(tmp_path)
    if name == "small":
        made.dance.robot = str(make_small_robot(tmp_path))
    move = made.dance.recorded(tmp_path, ["take"])["take"]
    ends = np.concatenate([np.ravel(rows) for rows in move.planted.values()])
    taken = (move.length({}) - 2.0) * 60.0 / made.dance.bpm
    assert taken <= np.ptp(ends) / SLOWEST
    made.dance.beats = float(np.ceil(2.0 + move.length({})))
    behavior = solve(made.dance, made.text(), tmp_path / "mine.yaml", "", QUIET)
    assert behavior.certificate.passed
    if move.steps:
        assert behavior.motion.standing.min(axis=0).tolist() == [False, False]
