"""The named postures of Atlas: possible, symmetric, and standing where they should."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from tests.tolerances import EXACT, MIRROR, POSTURE

FEET = ("l_foot", "r_foot")
STANDING = ("cruciform", "stand", "crouch", "drum-ready")
SITTING = ("seated", "drum-ready-seated")


@pytest.fixture(scope="module", params=[(), ("sticks",)], ids=["bare", "sticks"])
def robot(request):
    return RobotModel("atlas", request.param)


def soles(robot: RobotModel, q: np.ndarray) -> np.ndarray:
    """(8, 3) corners of both soles in the world [m]."""
    state = Configuration(robot, q)
    return np.vstack(
        [state.pose(n).multiply(robot.contacts[n].corners().T).T for n in FEET]
    )


@pytest.mark.parametrize("name", STANDING + SITTING)
def test_joints_are_within_their_limits(robot, name):
    q = robot.posture(name)[7:]
    assert (q >= robot.position_lower).all()
    assert (q <= robot.position_upper).all()


@pytest.mark.parametrize("name", STANDING + SITTING)
def test_left_and_right_mirror_each_other(robot, name):
    q = robot.posture(name)
    assert_allclose(robot.mirrored(q), q, rtol=0, atol=0)


@pytest.mark.parametrize("name", STANDING + SITTING)
def test_soles_are_flat_on_the_ground(robot, name):
    corners = soles(robot, robot.posture(name))
    assert_allclose(corners[:, 2], 0.0, atol=POSTURE)
    if name in STANDING:  # put there by the lowest corner
        assert_allclose(corners[:, 2].min(), 0.0, atol=EXACT)


@pytest.mark.parametrize("name", STANDING)
def test_the_center_of_mass_is_well_above_the_feet(robot, name):
    """At least five centimeters inside the rectangle around both soles."""
    q = robot.posture(name)
    corners = soles(robot, q)[:, :2]
    com = Configuration(robot, q).center_of_mass[:2]
    room = np.minimum(com - corners.min(0), corners.max(0) - com)
    assert (room > 0.05).all()


def test_each_posture_is_what_it_is_called(robot):
    heights = {n: robot.posture(n)[6] for n in STANDING + SITTING}
    assert_allclose(robot.posture("cruciform")[7:], 0.0)
    # The soles of a straight-legged Atlas are 0.93845 m under the pelvis.
    assert heights["cruciform"] == pytest.approx(0.93845, abs=1e-9)
    assert heights["crouch"] < heights["stand"] - 0.09
    assert heights["seated"] == heights["drum-ready-seated"] == 0.65
    hands = Configuration(robot, robot.posture("cruciform")).pose("l_hand")
    assert hands.translation()[1] > 0.9
    for name in ("drum-ready", "drum-ready-seated"):
        state = Configuration(robot, robot.posture(name))
        for side in "lr":
            hand = state.pose(f"{side}_hand").translation()
            assert hand[0] > 0.3  # in front
            assert hand[2] > state.pose("pelvis").translation()[2]


def test_mirroring_mirrors_the_world(robot):
    """Every hand, foot and tip of the mirrored robot is at the other's image."""
    rng = np.random.default_rng(3)
    frames = ["hand", "hand_face", "foot", "foot_sole", "scap"]
    frames += ["stick_tip"] if robot.equipment else []
    for _ in range(10):
        Q = rng.normal(size=4)
        joints = rng.uniform(robot.position_lower, robot.position_upper)
        q = np.r_[Q / np.linalg.norm(Q), rng.normal(size=3), joints]
        image = robot.mirrored(q)
        assert_allclose(robot.mirrored(image), q, rtol=0, atol=0)
        here, there = Configuration(robot, q), Configuration(robot, image)
        for frame in frames:
            for one, other in ("lr", "rl"):
                p = here.pose(f"{one}_{frame}").translation() * [1, -1, 1]
                other_p = there.pose(f"{other}_{frame}").translation()
                assert_allclose(other_p, p, rtol=0, atol=MIRROR)


def test_a_welded_robot_has_joints_only():
    free = RobotModel("atlas")
    X_WB = Configuration(free, free.posture("stand")).pose("pelvis")
    welded = RobotModel("atlas", X_WB=X_WB, locked={"neck_ay": 0.3})
    names = list(free.joint_names)
    names.remove("neck_ay")
    assert list(welded.joint_names) == names
    q, full = welded.posture("stand"), free.posture("stand")[7:]
    for name in names:
        assert q[welded.joint_index(name)] == full[free.joint_index(name)]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda r: r.posture("stend"), "unknown posture 'stend'; did you mean stand"),
        (lambda r: r.joint_index("l_leg_knee"), "did you mean l_leg_kny"),
        (lambda r: r.joint_indices(["l_arn"]), "unknown joint 'l_arn'"),
        (lambda r: r.frame("l_hand_fce"), "did you mean l_hand_face"),
        (lambda r: RobotModel("atlas", ("stick",)), "did you mean sticks"),
        (lambda r: RobotModel("atlsa"), "unknown robot 'atlsa'; known: atlas"),
        (lambda r: RobotModel(locked={"neck": 0.0}), "did you mean neck_ay"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(robot, call, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        call(robot)
