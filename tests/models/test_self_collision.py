"""The planner's picture of a robot that must not touch itself."""

import numpy as np
import pytest
from pydrake.math import RigidTransform

from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.collision.shapes import NOTHING
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from backbeat.optimization.verification.clearance import Clearance

NEIGHBORS = (("hand", "lfarm"), ("foot", "lleg"), ("foot", "talus"), ("lleg", "uleg"))


@pytest.fixture(scope="module")
def robot():
    return RobotModel()


@pytest.fixture(scope="module")
def model(robot):
    return make_self_collision_model(robot)


@pytest.fixture(scope="module")
def pairs(model):
    """Names of the links of every pair: who feels whom."""
    return {
        (model.spheres[i].link, model.solids[j].name)
        for i, j in zip(*np.where(model.pairs), strict=True)
    }


@pytest.fixture(scope="module")
def crossed(robot):
    """Standing, with the left hand in the left thigh."""
    q = start_configuration(robot, "stand")
    state = Configuration(robot, q)
    thigh = state.pose(robot.link_frame("l_uleg"))
    middle = thigh @ RigidTransform([0.0, 0.0, -0.2])
    still = ("l_foot", "r_foot", "pelvis", "utorso")
    reach = {name: IKTarget(state.pose(name), "rx ry rz x y z") for name in still}
    reach["l_hand_face"] = IKTarget(RigidTransform(middle.translation()), "x y z")
    return InverseKinematics(robot).solve(q, reach, None).q


def nearest(robot, model, q):
    """Least distance [m], and the link that feels it."""
    distances, _ = Configuration(robot, q).distances(model.arrays())
    i = int(np.argmin(distances))
    return distances[i], model.spheres[i].link


@pytest.mark.parametrize("side", "lr")
@pytest.mark.parametrize("link", ["hand", "lfarm", "lleg", "foot"])
def test_the_ends_of_limbs_feel(model, side, link):
    assert f"{side}_{link}" in {f.link for f in model.spheres}


@pytest.mark.parametrize("link", ["pelvis", "utorso", "head", "l_clav"])
def test_what_cannot_get_anywhere_feels_nothing(model, link):
    assert link not in {f.link for f in model.spheres}


def test_hands_keep_from_trunk_and_thighs_and_each_other(pairs):
    for side in "lr":
        for other in ("utorso", "pelvis", "l_uleg", "r_uleg"):
            assert (f"{side}_hand", other) in pairs
    assert {("l_hand", "r_hand"), ("r_hand", "l_hand")} & pairs
    assert {("l_foot", "r_foot"), ("r_foot", "l_foot")} & pairs


def test_of_two_that_feel_one_does(pairs):
    both = {(a, b) for a, b in pairs if (b, a) in pairs}
    assert not both


def test_neighbors_and_ones_own_links_are_no_pairs(pairs):
    for side in "lr":
        for one, other in NEIGHBORS:
            a, b = f"{side}_{one}", f"{side}_{other}"
            assert not {(a, b), (b, a), (a, a)} & pairs


def test_every_feeler_has_somebody_to_keep_from(model):
    assert model.pairs.any(axis=1).all()


@pytest.mark.parametrize("posture", ["stand", "crouch", "cruciform"])
def test_postures_that_ship_are_clear(robot, model, posture):
    distance, link = nearest(robot, model, robot.posture(posture))
    assert distance > 0.0, link


def test_a_hand_in_the_thigh_is_seen(robot, model, crossed):
    """By the planner and by Drake alike."""
    distance, link = nearest(robot, model, crossed)
    assert distance < -0.02
    assert link in ("l_hand", "l_lfarm")
    depth, _ = Clearance(robot, NOTHING).deepest(crossed)
    assert depth > 0.02


@pytest.mark.parametrize("seed", range(10))
def test_what_drake_sees_touching_is_not_missed(robot, model, seed):
    """Arms anywhere: nothing is deep in anything while all spheres are free."""
    rng = np.random.default_rng(seed)
    q = start_configuration(robot, "stand")
    arms = robot.joint_indices(["l_arm", "r_arm"])
    low, high = robot.position_lower[arms], robot.position_upper[arms]
    q[robot.base_positions + arms] = rng.uniform(low, high)
    depth, what = Clearance(robot, NOTHING).deepest(q)
    distance, _ = nearest(robot, model, q)
    if depth > model.margin:
        assert distance < model.margin, what
