"""What motors give at a speed: alone on a line, and two together for two joints."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.actuation.effort_limits import clip_pairs
from backbeat.models.actuation.joint_command import joint_command
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import add_world
from tests.tolerances import EXACT

ELECTRIC = Path(__file__).parents[1] / "data" / "electric_atlas.yaml"
# As the file has them: torques of motors per torques of joints, and the line.
A = np.array([[0.7, 0.5], [-0.8, 0.6]])
JOINTS = ["r_leg_akx", "r_leg_aky"]
MOST, STALL, TOP = 400.0, 450.0, 15.0


@pytest.fixture(scope="module")
def robot():
    return RobotModel(ELECTRIC)


@pytest.fixture
def states(robot):
    """Torques and velocities, many of them beyond what motors give."""
    rng = np.random.default_rng(4)
    shape = (200, robot.num_joints)
    tau = 1.2 * robot.effort_limits * rng.uniform(-1.0, 1.0, shape)
    return tau, rng.uniform(-12.0, 12.0, shape)


def motor_limits(v):
    """(n, 2) most of each motor of the right ankle along its torque's two ways."""
    u = np.linalg.solve(A.T, v.T).T
    line = [np.maximum(STALL * (1 - way * u / TOP), 0.0) for way in (1.0, -1.0)]
    return -np.minimum(MOST, line[1]), np.minimum(MOST, line[0])


def test_power_is_the_same_on_both_sides(robot, states):
    pairs = robot.motors.pairs
    assert len(pairs.joints) == 2
    for p, joints in enumerate(pairs.joints):
        tau, v = (x[:, joints] for x in states)
        of_motors = (tau @ pairs.torque[p].T) * (v @ pairs.speed[p].T)
        assert_allclose(of_motors.sum(1), (tau * v).sum(1), rtol=1e-9, atol=1e-9)


def test_shares_are_the_largest_of_joint_and_both_motors(robot, states):
    tau, v = states
    joints = robot.joint_indices(JOINTS)
    t, (least, most) = tau[:, joints] @ A.T, motor_limits(v[:, joints])
    share = np.maximum(t / np.maximum(most, 1e-9), t / np.minimum(least, -1e-9)).max(1)
    for j in joints:
        own = np.abs(tau[:, j]) / robot.effort_limits[j]
        expected = np.maximum(share, own)
        assert_allclose(robot.motors.shares(tau, v)[:, j], expected, rtol=1e-9)
    alone = robot.joint_index("l_leg_hpy")
    assert_allclose(
        robot.motors.shares(tau, v)[:, alone],
        np.abs(tau[:, alone]) / robot.effort_limits[alone],
        rtol=EXACT,
    )


def test_rows_hold_where_shares_are_below_one(robot, states):
    """The half spaces of planners are what verification looks at."""
    tau, v = states
    rows = robot.motors.rows()
    value = tau @ rows.torque.T + v @ rows.speed.T
    holds = ((value >= rows.lower) & (value <= rows.upper)).all(1)
    box = (np.abs(tau) <= robot.effort_limits).all(1)
    # Beyond its top speed a motor gives nothing, and the line goes on below zero.
    far = (value[:, rows.upper < 2] > 1).any(1)
    within = (robot.motors.shares(tau, v) <= 1.0).all(1)
    assert (within[holds & box]).all()
    scaled = 0.03 * tau
    value = scaled @ rows.torque.T + 0.03 * v @ rows.speed.T
    holds = ((value >= rows.lower) & (value <= rows.upper)).all(1)
    assert holds.all()
    assert (robot.motors.shares(scaled, 0.03 * v) <= 1.0).all()
    assert far.any()


def test_each_motor_of_a_pair_is_clipped_by_itself(robot, states):
    """What the plant's servo gives, as motors: the nearest that they can."""
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    servo = JointServo(robot, world.actuator_joints())
    joints, nothing = robot.joint_indices(JOINTS), np.zeros(robot.num_joints)
    q, clipped = robot.posture("stand"), 0
    for tau, v in zip(*states, strict=True):
        context = servo.CreateDefaultContext()
        command = joint_command(tau, nothing, nothing, nothing, nothing)
        servo.GetInputPort("command").FixValue(context, command)
        state = np.r_[q, np.zeros(6), v]
        servo.GetInputPort("state").FixValue(context, state)
        told = servo.GetOutputPort("joint_effort").Eval(context)
        wanted = np.clip(tau, *robot.motors.at(v))[joints]
        least, most = motor_limits(v[joints][None])
        given = np.clip(A @ wanted, least[0], most[0])
        clipped += not np.array_equal(given, A @ wanted)
        assert_allclose(A @ told[joints], given, rtol=0, atol=1e-9 * MOST)
    assert 50 < clipped < 200


def test_torques_within_limits_stay_bit_for_bit(robot, states):
    tau = 0.1 * states[0][0]
    told = tau.copy()
    clip_pairs(robot.motors.pairs, np.zeros(len(tau)), told)
    assert np.array_equal(told, tau)


def test_atlas_has_none():
    motors = RobotModel().motors
    assert not len(motors.rows().lower)
    assert not len(motors.pair_limits(np.zeros(30))[1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{joints: [l_leg_aky]}", "write the two that its motors drive together"),
        ("{joints: [l_leg_aky, l_leg_aky]}", "write the two"),
        ("{joints: [l_leg_aky, l_leg_akx]}", "motor_torques of two rows"),
        (
            "{joints: [l_leg_aky, l_leg_akx], motor_torques: [[1, 1], [.nan, 1]]}",
            "motor_torques[1][0] is nan; it must be a",
        ),
        (
            "{joints: [l_leg_aky, l_leg_akx], motor_torques: [[1, 1], [2, 2]]}",
            "do not move both joints",
        ),
        (
            "{joints: [l_leg_aky, l_leg_akx], motor_torques: [[1, 1], [1, -1]]}",
            "effort is 0",
        ),
        (
            "{joints: [l_leg_aky, ankle], motor_torques: [[1, 1], [1, -1]], effort: 9}",
            "unknown driven joint in parallel 'pair' 'ankle'",
        ),
        (
            "{joints: [l_leg_aky, l_leg_akx], motor_torques: [[1, 1], [1, -1]], "
            "effort: 9, top_speed: 3}",
            "give both, above zero, or neither",
        ),
    ],
)
def test_what_is_no_pair_is_refused(tmp_path, text, said):
    path = tmp_path / "wrong.yaml"
    path.write_text(f"name: wrong\nlike: atlas\nparallel: {{pair: {text}}}\n")
    with pytest.raises(BackbeatError) as error:
        RobotModel(path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_joint_is_in_one_pair(tmp_path):
    pair = (
        "{joints: [l_leg_aky, l_leg_akx], motor_torques: [[1, 1], [1, -1]], effort: 9}"
    )
    path = tmp_path / "wrong.yaml"
    path.write_text(f"name: w\nlike: atlas\nparallel: {{a: {pair}, b: {pair}}}\n")
    with pytest.raises(BackbeatError, match="a joint is in one pair"):
        RobotModel(path)
