"""A take is judged as it is: what is known to be wrong with it is what is found."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.library.table import to_frame
from backbeat.behaviors.recording.feasibility import LIMITS, examine
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.takes.take import Take
from backbeat.behaviors.takes.writers.formats import WRITTEN
from backbeat.behaviors.takes.writers.states import motion_states
from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration


@pytest.fixture(scope="module")
def turn(built):
    return built("quarter-turn")


@pytest.fixture(scope="module")
def take(turn, tmp_path_factory):
    """A behavior of the library as a file of a trainer, read back."""
    robot = turn.robot_model
    states = motion_states(to_frame(turn), {}, robot, "turn", 50.0)
    path = tmp_path_factory.mktemp("takes") / "turn.npz"
    path.write_bytes(WRITTEN["mjlab"].write(states))
    return read_take(path, robot)


@pytest.fixture(scope="module")
def judged(take, turn):
    def call(**changes):
        return examine(replace(take, **changes), turn.robot_model, "take")

    return call


def values(report):
    return {c.name: c.value for c in report.checks.checks}


def failed(report):
    return {c.name for c in report.checks.failures()}


def moved(take, x=0.0, z=0.0):
    base = take.base.copy()
    base[:, 4] += x
    base[:, 6] += z
    return base


def test_a_certified_behavior_is_feasible_and_its_figures_are_the_certificates(
    judged, turn
):
    report = judged()
    assert report.feasible
    assert report.off_balance == 0.0
    assert report.stands == 1.0
    certified = {c.name: c.value for c in turn.certificate.checks}
    found = values(report)
    assert found["joint_velocity"] == pytest.approx(certified["joint_velocity"], 0.05)
    assert found["joint_torque"] == pytest.approx(certified["joint_torque"], 0.1)


def test_feet_above_and_below_the_floor_are_measured(judged, take):
    floats = judged(base=moved(take, z=0.03))
    assert failed(floats) == {"floating"}
    assert values(floats)["floating"] == pytest.approx(0.03, abs=5e-4)
    sunk = judged(base=moved(take, z=-0.02))
    assert failed(sunk) == {"penetration"}
    assert values(sunk)["penetration"] == pytest.approx(0.02, abs=5e-4)
    assert sunk.shares["penetration"] == 1.0


def test_skating_is_measured(judged, take):
    lasts = take.t[-1] - take.t[0]
    skates = judged(base=moved(take, x=0.03 * np.sin(2 * np.pi * take.t / lasts)))
    assert "foot_slide" in failed(skates)
    assert 0.01 < values(skates)["foot_slide"] < 0.06
    assert skates.shares["foot_slide"] > 0.3


def test_what_is_too_quick_is_off_balance(judged, take):
    quick = judged(t=take.t / 3)
    assert quick.off_balance > 0.2
    assert "moment_balance" in failed(quick)
    slow = judged(t=take.t * 1.5)
    assert slow.feasible


def test_torques_of_a_still_posture_are_those_of_statics(turn):
    """Against gravity alone: forces of both feet add up to the weight."""
    robot = turn.robot_model
    q = turn.motion.q[0]
    n = 60
    still = Take(
        t=np.arange(n) / 50.0,
        joints=robot.joint_names,
        q=np.tile(q[7:], (n, 1)),
        base=np.tile(q[:7], (n, 1)),
    )
    report = examine(still, robot, "still")
    assert report.feasible
    assert values(report)["force_balance"] < 1e-4
    # The center of mass 10 cm beyond the toes cannot be held.
    state = Configuration(robot, q)
    ahead = 0.1 + max(
        state.place(robot.feet[f])[0] + robot.contacts[robot.feet[f]].half_length
        for f in robot.feet
    )
    lean = np.tile(q[:7], (n, 1))
    moved = ahead - state.center_of_mass[0]
    ankles = [robot.joint_index(j) for j in ("l_leg_aky", "r_leg_aky")]
    angle = np.arcsin(moved / state.center_of_mass[2])
    joints = np.tile(q[7:], (n, 1))
    joints[:, ankles] -= angle
    # All of the body turns about the ankles.
    pivot = state.place(robot.link_frame("l_foot"))
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    lean[:, 4:7] = pivot + R @ (q[4:7] - pivot)
    half = angle / 2
    lean[:, :4] = [np.cos(half), 0.0, np.sin(half), 0.0]
    falls = examine(replace(still, q=joints, base=lean), robot, "leaning")
    assert falls.off_balance > 0.9
    # The missing moment is the weight's, about what is beyond the toes.
    assert values(falls)["moment_balance"] == pytest.approx(0.1, abs=0.04)


def test_joints_beyond_their_ranges_are_named(judged, take, turn):
    robot, name = turn.robot_model, "neck_ay"
    j, k = robot.joint_index(name), take.joints.index(name)
    q = take.q.copy()
    q[100:120, k] = robot.position_upper[j] + 0.05
    (check,) = [c for c in judged(q=q).checks.failures() if c.name == "joint_position"]
    assert check.where == name
    assert check.value == pytest.approx(0.05, abs=1e-6)


def test_without_a_base_nothing_is_judged(judged):
    with pytest.raises(BackbeatError, match="no floating base"):
        judged(base=None)


def test_every_limit_is_checked(judged):
    assert set(values(judged())) == set(LIMITS)
