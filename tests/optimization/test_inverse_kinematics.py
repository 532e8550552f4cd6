import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.models.collision.making import make_collision_model
from backbeat.models.collision.shapes import BOX, WORLD, Solid
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from tests.tolerances import EXACT, REACHED

ROBOT = RobotModel()
Q = start_configuration(ROBOT, "stand")
FEET = {name: IKTarget(X) for name, X in support_poses(ROBOT, Q).items()}
MARGIN = 0.03


def pose(q, frame):
    """Pose of a frame by Drake."""
    context = ROBOT.plant.CreateDefaultContext()
    ROBOT.plant.SetPositions(context, q)
    place = ROBOT.frame(frame)
    name = ROBOT.joint_names[place.body - 1]
    body = ROBOT.plant.GetJointByName(name).child_body()
    X_WP = ROBOT.plant.EvalBodyPoseInWorld(context, body)
    X_PF = RigidTransform(RollPitchYaw(0, 0, 0), place.p_PF)
    R = X_WP.rotation().matrix() @ place.R_PF
    return R, (X_WP @ X_PF).translation()


def within_limits(q):
    joints = q[7:]
    low = np.minimum(ROBOT.position_lower + MARGIN, Q[7:])
    high = np.maximum(ROBOT.position_upper - MARGIN, Q[7:])
    return (joints >= low - EXACT).all() and (joints <= high + EXACT).all()


@pytest.mark.parametrize("seed", range(8))
def test_a_pose_that_exists_is_reached(seed):
    """Both hands as another configuration holds them, feet where they are."""
    rng = np.random.default_rng(seed)
    other = Q.copy()
    arms = 7 + ROBOT.joint_indices(["l_arm", "r_arm"])
    room = np.minimum(
        Q[arms] - ROBOT.position_lower[arms - 7],
        ROBOT.position_upper[arms - 7] - Q[arms],
    )
    other[arms] += rng.uniform(-1, 1, 14) * np.minimum(0.5, 0.8 * room)
    state = Configuration(ROBOT, other)
    hands = {n: IKTarget(state.pose(n)) for n in ("l_hand", "r_hand")}
    found = InverseKinematics(ROBOT).solve(Q, {**FEET, **hands})
    assert found.is_reached
    assert within_limits(found.q)
    for name, target in {**FEET, **hands}.items():
        R, p = pose(found.q, name)
        assert_allclose(p, target.X_WG.translation(), rtol=0, atol=REACHED)
        assert_allclose(R, target.X_WG.rotation().matrix(), rtol=0, atol=2 * REACHED)
    assert np.linalg.norm(found.q[:4]) == pytest.approx(1.0)


def test_of_all_configurations_it_takes_a_near_one():
    """Asked for where it is, it stays; small steps of a target are small steps."""
    here = Configuration(ROBOT, Q)
    targets = {**FEET, "l_hand": IKTarget(here.pose("l_hand"))}
    found = InverseKinematics(ROBOT).solve(Q, targets)
    assert_allclose(found.q, Q, rtol=0, atol=REACHED)
    assert found.distance < REACHED
    X = RigidTransform([0.0, 0.0, 0.02]) @ here.pose("l_hand")
    found = InverseKinematics(ROBOT).solve(Q, {**FEET, "l_hand": IKTarget(X)})
    assert found.is_reached
    assert 1e-3 < np.abs(found.q - Q).max() < 0.1


def test_what_is_out_of_reach_is_reported_and_not_pretended():
    target = IKTarget(RigidTransform([3.0, 0.3, 1.0]), "x y z")
    found = InverseKinematics(ROBOT).solve(Q, {**FEET, "l_hand": target})
    assert not found.is_reached
    assert found.worst == "l_hand"
    assert within_limits(found.q)
    _, p = pose(found.q, "l_hand")
    # It ends stretched towards the target, and says how far away that is.
    assert found.residual == pytest.approx(
        np.abs(p - [3.0, 0.3, 1.0]).max(), abs=REACHED
    )
    assert p[0] > 0.8
    assert np.isfinite(found.q).all()


def test_joint_stops_hold():
    """With the trunk held, the hand cannot get behind the back."""
    pelvis = Configuration(ROBOT, Q).pose("pelvis")
    back = {"back_bkx": 0.0, "back_bky": 0.0, "back_bkz": 0.0}
    robot = RobotModel("atlas", X_WB=pelvis, locked=back)
    q = start_configuration(robot, "stand")
    behind = Configuration(robot, q).pose("l_hand").translation() - [0.9, 0.0, 0.0]
    target = IKTarget(RigidTransform(behind), "x y z")
    found = InverseKinematics(robot, joint_margin=MARGIN).solve(q, {"l_hand": target})
    assert not found.is_reached
    room = found.q - robot.position_lower, robot.position_upper - found.q
    least = np.minimum(*room)[robot.groups["l_arm"]]
    assert least.min() == pytest.approx(MARGIN, abs=REACHED)  # it leans on a stop
    assert least.min() >= MARGIN - EXACT


def test_only_the_axes_asked_for_count():
    X = RigidTransform(RollPitchYaw(1.0, 1.0, 1.0), [0.5, 0.3, 1.1])
    found = InverseKinematics(ROBOT).solve(Q, {**FEET, "l_hand": IKTarget(X, "x z")})
    assert found.is_reached
    R, p = pose(found.q, "l_hand")
    e = X.inverse().multiply(p)
    assert_allclose(e[[0, 2]], 0.0, atol=REACHED)
    assert abs(e[1]) > 0.01
    assert np.abs(R - X.rotation().matrix()).max() > 0.1
    with pytest.raises(BackbeatError, match="unknown axis 'rw'; known: rx ry rz x y z"):
        InverseKinematics(ROBOT).solve(Q, {"l_hand": IKTarget(X, "rw")})


def test_a_lower_bound_pulls_only_from_below():
    here = Configuration(ROBOT, Q).pose("l_hand")
    ground = RigidTransform(here.translation())
    for height, moves in ((-0.1, False), (0.15, True)):
        target = IKTarget(ground, "z", lower=height)
        found = InverseKinematics(ROBOT).solve(Q, {**FEET, "l_hand": target})
        assert found.is_reached
        _, p = pose(found.q, "l_hand")
        rise = p[2] - here.translation()[2]
        assert rise == pytest.approx(0.15 if moves else 0.0, abs=REACHED)


def test_the_center_of_mass_goes_where_it_is_asked_to():
    asked = Configuration(ROBOT, Q).center_of_mass[:2] + [0.03, 0.02]
    found = InverseKinematics(ROBOT).solve(Q, FEET, com_xy=asked)
    assert found.is_reached
    com = Configuration(ROBOT, found.q).center_of_mass[:2]
    assert_allclose(com, asked, atol=2e-3)


def test_heavy_joints_hold_still():
    weights = np.ones(36)
    back = 6 + ROBOT.groups["back"]
    weights[back] = 1e5
    X = RigidTransform([0.02, 0.05, 0.05]) @ Configuration(ROBOT, Q).pose("l_hand")
    target = {**FEET, "l_hand": IKTarget(X, "x y z")}
    free = InverseKinematics(ROBOT).solve(Q, target)
    held = InverseKinematics(ROBOT, joint_weights=weights).solve(Q, target)
    assert free.is_reached
    assert held.is_reached
    move = [np.abs(s.q - Q)[back + 1].max() for s in (free, held)]
    assert move[1] < 0.01 * move[0]


def test_it_goes_around_what_is_in_the_way():
    """The hand reaches the same point with and without a box beside its elbow."""
    here = Configuration(ROBOT, Q)
    target = {**FEET, "l_hand": IKTarget(here.pose("l_hand"), "x y z")}
    elbow = here.pose("l_larm").translation()
    box = Solid("box", BOX, WORLD, RigidTransform(elbow), np.full(3, 0.05))
    links = ["l_larm", "l_ufarm", "l_lfarm"]
    scene = make_collision_model(ROBOT, links, [box], margin=0.02)
    blind = InverseKinematics(ROBOT).solve(Q, target)
    distances, _ = Configuration(ROBOT, blind.q).distances(scene.arrays())
    assert distances.min() < 0.0
    found = InverseKinematics(ROBOT, scene).solve(Q, target)
    assert found.is_reached
    distances, _ = Configuration(ROBOT, found.q).distances(scene.arrays())
    assert distances.min() > 0.02 - REACHED
    assert found.clearance == pytest.approx(distances.min() - 0.02)
    assert found.distance > blind.distance


def test_equal_calls_give_equal_answers():
    X = RigidTransform([0.1, 0.1, 0.1]) @ Configuration(ROBOT, Q).pose("l_hand")
    target = {**FEET, "l_hand": IKTarget(X)}
    solver = InverseKinematics(ROBOT)
    first = solver.solve(Q, target)
    again = solver.solve(Q, target)
    assert np.array_equal(first.q, again.q)
