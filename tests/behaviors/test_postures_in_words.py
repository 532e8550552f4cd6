"""Postures in words: parts of the body are where they were said to be, by Drake."""

from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.building.build import solve
from backbeat.behaviors.library.balance import LEAST_BALANCE
from backbeat.behaviors.posture.margins import posture_margins, station_margins
from backbeat.behaviors.posture.reach import PostureReach
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.behaviors.posture.words import parse_wish
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.servo_gains import servo_gains
from backbeat.optimization.kinematics.inverse_kinematics import IKTarget
from tests.behaviors.drake_robot import DrakeRobot
from tests.behaviors.test_dance_builds import QUIET

# Where a target is held [m].
HELD = 2e-3
# Places on the body move with it; they are looked up until they move less than 2 mm,
# and the rest of a motion may move them as much again [m].
ON_THE_BODY = 5e-3
TOUR = """
kind: posture
name: mine
feet: {left foot: out 5 cm and turned left 15 degrees}
compliance: {left arm: 1}
stations:
  - posture: stand
    targets: {left hand: at the head, right hand: forward 0.3}
    move: 1.2
    hold: 0.3
  - posture: stand
    targets: {center of mass: over the left foot, pelvis: down 0.1}
    move: 1.2
    hold: 0.4
  - posture: stand
    targets: {right hand: forward as far as you can}
    move: 1.2
    hold: 0.4
"""


def compiled(**changes):
    station = ", ".join(f"{k}: {v}" for k, v in changes.items())
    text = f"kind: posture\nname: mine\nstations: [{{posture: stand, {station}}}]"
    return parse_specification(text, "mine.yaml").plan(Path())


@pytest.fixture(scope="module")
def tour():
    path = Path("mine.yaml")
    return solve(parse_specification(TOUR, str(path)), TOUR, path, "", QUIET)


@pytest.fixture(scope="module")
def reach(robot):
    q = start_configuration(robot, "stand")
    return PostureReach(robot, support_poses(robot, q)), q


def sample(tour, time):
    return int(np.searchsorted(tour.motion.t, time - 1e-9))


def test_parts_are_where_the_words_say(tour, robot):
    assert tour.certificate.passed
    drake, motion = DrakeRobot(robot), tour.motion
    first, second = sample(tour, 1.4), sample(tour, 2.9)

    def place(frame, i, point=(0, 0, 0)):
        drake.set(motion.q[i], motion.v[i])
        X = drake.plant.GetFrameByName(frame).CalcPoseInWorld(drake.context)
        return X @ np.array(point, float)

    head = place("head", first, robot.places["head"].position)
    np.testing.assert_allclose(place("l_hand_face", first), head, atol=ON_THE_BODY)
    low = place("pelvis", second)[2] - place("pelvis", 0)[2]
    assert low == pytest.approx(-0.1, abs=HELD)
    left = Configuration(robot, motion.q[second]).pose("l_foot").translation()
    np.testing.assert_allclose(tour.com[second, :2], left[:2], atol=0.01)


def test_feet_stand_as_they_were_said_to(tour, robot):
    usual = support_poses(robot, start_configuration(robot, "stand"))
    feet = support_poses(robot, tour.motion.q[0])
    apart = feet["l_foot"].translation() - feet["r_foot"].translation()
    before = usual["l_foot"].translation() - usual["r_foot"].translation()
    np.testing.assert_allclose(apart - before, [0, 0.05, 0], atol=HELD)
    R = feet["l_foot"].rotation().matrix()
    assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(np.radians(15), abs=HELD)


def test_as_far_as_one_can_is_far_and_no_farther(reach, robot):
    """A tenth of a meter beyond, no posture is found; a tenth less, there is one."""
    solver, q = reach
    wish = parse_wish("right hand", "forward as far as you can", (), "mine")
    found = solver.solve(q, [wish], {}, "mine")
    here = Configuration(robot, q).pose("r_hand_face").translation()
    there = Configuration(robot, found.q).pose("r_hand_face").translation()
    way = there[0] - here[0]
    assert way > 0.4
    np.testing.assert_allclose(there[1:], here[1:], atol=0.01)
    assert f"the right hand gets {way:.2f} m forward" in found.notes[0]
    beyond = parse_wish("right hand", f"forward {way + 0.1:.3f}", (), "mine")
    with pytest.raises(BackbeatError, match=r"cannot|inside|torque"):
        solver.solve(q, [beyond], {}, "mine")
    margins = posture_margins(robot, found.q, support_poses(robot, found.q))
    assert margins.balance + 1e-9 > LEAST_BALANCE
    assert margins.reach["right hand"] < 0.1


def test_the_center_of_mass_goes_to_the_margin_and_not_beyond(reach):
    solver, q = reach
    wish = parse_wish("center of mass", "left as far as you can", (), "mine")
    found = solver.solve(q, [wish], {}, "mine")
    # The outer edge of the left sole, by its own numbers.
    assert found.center[1] == pytest.approx(0.1132 + 0.0643 - LEAST_BALANCE, abs=1e-3)
    beyond = parse_wish("center of mass", "left 0.16", (), "mine")
    with pytest.raises(BackbeatError, match="and 30 mm are kept"):
        solver.solve(q, [beyond], {}, "mine")


def test_margins_are_those_of_plain_geometry(robot):
    q = robot.posture("stand")
    feet = support_poses(robot, q)
    margins = posture_margins(robot, q, feet)
    com = Configuration(robot, q).center_of_mass
    lowest = min(X.translation()[0] - 0.1302 for X in feet.values())
    highest = max(X.translation()[0] + 0.1302 for X in feet.values())
    sides = 0.1132 + 0.0643 - abs(com[1])
    edges = [com[0] - lowest, highest - com[0], sides]
    assert margins.balance == pytest.approx(min(edges), abs=1e-3)
    # Arms straight to the sides go hardly farther, and bent ones do.
    straight, bent = (
        posture_margins(robot, robot.posture(name), {}).reach["left hand"]
        for name in ("cruciform", "drum-ready")
    )
    assert straight < 0.1 < bent


def test_every_station_has_margins(tour):
    rows = list(station_margins(tour))
    assert [round(time, 2) for _, time, _ in rows] == [1.5, 3.1, 4.7]
    assert rows[0][0].startswith("left hand at the head")
    assert all(m.balance > 0.02 for *_, m in rows)


def test_soft_limbs_are_soft_when_they_are_tracked(tour, robot):
    reference = Reference(tour)
    stiffness, _ = servo_gains(robot, reference)
    ratio = stiffness[robot.groups["l_arm"]] / stiffness[robot.groups["r_arm"]]
    np.testing.assert_allclose(ratio, 0.3**2, rtol=0.3)
    text = "kind: posture\nname: mine\nstations: [{posture: stand}]\n"
    text += "compliance: {left arm: 1}"
    tasks = parse_specification(text, "mine.yaml").plan(Path()).problem.tasks
    weights = {
        int(j): task.weight
        for task in tasks
        if hasattr(task, "joints")
        for j in task.joints
    }
    left, right = robot.groups["l_arm"][0], robot.groups["r_arm"][0]
    assert weights[int(left)] == pytest.approx(0.1 * weights[int(right)])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"targets": "{left hnd: up}"}, "did you mean left hand"),
        ({"targets": "{left hand: upwards}"}, "unknown word"),
        ({"targets": "{left hand: 3 0 1}"}, "beyond what makes sense"),
        ({"targets": "{left hand: 1.9 0 1}"}, "cannot get there|inside|torque"),
        ({"targets": "{left hand: down 0.6}"}, "above the floor"),
        ({"targets": "{left foot: forward 0.1}"}, "feet stay where a tour starts"),
    ],
)
def test_what_cannot_be(changes, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        compiled(**changes)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("compliance: {left leg: 1}", "carries the robot"),
        ("compliance: {left am: 1}", "unknown limb"),
        ("compliance: {left arm: 2}", "goes from 0"),
        ("feet: {left hand: up}", "unknown foot"),
        ("feet: {left foot: up 0.1}", "on the ground"),
        ("feet: {left foot: out 1}", "cannot stand so"),
        ("feet: {left foot: in 0.2}", "cannot stand so"),
    ],
)
def test_tours_that_cannot_be(key, sentence):
    text = f"kind: posture\nname: mine\n{key}\nstations: [{{posture: stand}}]"
    with pytest.raises(BackbeatError, match=sentence):
        parse_specification(text, "mine.yaml").plan(Path())


def test_a_hand_at_every_place(reach, robot):
    """Both hands, and the target is on the body as it then is."""
    solver, q = reach
    for part, frame in (("left hand", "l_hand_face"), ("right hand", "r_hand_face")):
        for place in robot.places:
            wish = parse_wish(part, f"at the {place}", robot.places, "mine")
            found = solver.solve(q, [wish], {}, "mine")
            assert isinstance(found.targets[frame], IKTarget)
            state = Configuration(robot, found.q)
            described = robot.places[place]
            link, sign = described.link, 1.0
            if part.startswith("right"):
                link, sign = link.replace("l_", "r_", 1), -1.0
            point = np.array(described.position) * [1, sign, 1]
            body = state.pose(robot.link_frame(link)) @ point
            hand = state.pose(frame).translation()
            np.testing.assert_allclose(hand, body, atol=ON_THE_BODY)
