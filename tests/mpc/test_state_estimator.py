"""The estimator, function and system: joints, delay, contacts, memory."""

from dataclasses import replace

import numpy as np
import pytest
from pydrake.common.eigen_geometry import Quaternion
from pydrake.common.value import AbstractValue
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.systems.analysis import Simulator

from backbeat.models.dynamics.edges import HEEL, TOE, edge_offset
from backbeat.models.dynamics.kinematic_tree import make_workspace
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import SensorReading
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.estimation.contact_estimator import (
    ContactThresholds,
    estimate_contacts,
)
from backbeat.mpc.estimation.contact_kinematics import read_limbs, see_contacts
from backbeat.mpc.estimation.estimator_start import StartUncertainty, start_estimate
from backbeat.mpc.estimation.invariant_filter import ContactKinematics, FilterNoise
from backbeat.mpc.estimation.joint_filter import JOINT_ACCELERATION, joint_gain
from backbeat.mpc.estimation.state_estimation import (
    StateEstimation,
)
from backbeat.mpc.estimation.state_estimator import StateEstimator
from tests.behaviors.drake_robot import DrakeRobot
from tests.tolerances import EXACT, RECURSION


@pytest.fixture(scope="module")
def robot():
    return RobotModel()


def resting(robot, index, q=None, force=(860.0, 860.0)):
    """What exact sensors say of a robot at rest, upright."""
    q = robot.posture("stand") if q is None else q
    return SensorReading(
        index=index,
        position=q[robot.base_positions :],
        velocity=np.zeros(robot.num_joints),
        gyro=np.zeros(3),
        accelerometer=np.array([0.0, 0.0, robot.gravity]),
        force=np.array(force),
    )


@pytest.mark.parametrize("seed", range(3))
def test_contacts_are_where_drake_sees_them(robot, seed):
    rng = np.random.default_rng(seed)
    q = np.r_[1.0, np.zeros(6), 0.5 * rng.normal(size=30)]
    v = np.r_[np.zeros(6), rng.normal(size=30)]
    out = ContactKinematics(
        *np.zeros((3, 2, 3)),
        np.zeros((2, 3, 6)),
        np.zeros((2, 3)),
        np.zeros(2),
        np.zeros((2, 3)),
    )
    limbs = read_limbs(robot)
    up = np.array([0.0, 0.0, 1.0])
    ws, flat = make_workspace(robot.tree), np.zeros(2)
    see_contacts(robot.tree, ws, limbs, q[7:], v[6:], up, flat, out)
    drake = DrakeRobot(robot)
    drake.set(q, v)
    for c, name in enumerate(("l_foot", "r_foot")):
        X, J = drake.pose(name), drake.jacobian(name)
        np.testing.assert_allclose(out.place[c], X.translation(), atol=RECURSION)
        np.testing.assert_allclose(
            out.normal[c], X.rotation().matrix()[:, 2], atol=RECURSION
        )
        np.testing.assert_allclose(out.velocity[c], J[3:] @ v, atol=RECURSION)
        by_joint = J[3:, 6 + limbs.joints[c]]
        np.testing.assert_allclose(out.J[c], by_joint, atol=RECURSION)
        assert np.linalg.matrix_rank(by_joint) == 3


@pytest.mark.parametrize("edge", [TOE, HEEL])
def test_a_sole_on_an_edge_rests_while_it_turns_about_it(robot, edge):
    """As encoders see it: what is where the sole would be flat has no velocity."""
    rng, q = np.random.default_rng(0), robot.posture("stand")
    name, leg = "l_foot", 6 + robot.contacts["l_foot"].limb
    e = float(edge_offset(robot.contacts[name], edge))
    q[7 + robot.contacts[name].limb[4]] += 0.2 * edge
    frame = robot.contacts[name].frame
    edge_frame = replace(frame, p_PF=frame.p_PF + e * frame.R_PF[:, 0])
    state = Configuration(robot, q)
    J = np.array(state.jacobian(edge_frame))
    pitch = np.r_[1.3 * state.rotation(name)[:, 1], np.zeros(3)]
    v = rng.normal(size=robot.num_velocities)
    v[leg] -= np.linalg.solve(J[:, leg], J @ v - pitch)
    limbs, ws, places = read_limbs(robot), make_workspace(robot.tree), []
    for step in (-1e-5, 0.0, 1e-5):
        x = np.empty_like(q)
        box_plus(q, v, step, True, x)
        R = RotationMatrix(Quaternion(x[:4] / np.linalg.norm(x[:4]))).matrix()
        seen = ContactKinematics(
            *np.zeros((3, 2, 3)),
            np.zeros((2, 3, 6)),
            np.zeros((2, 3)),
            np.zeros(2),
            np.zeros((2, 3)),
        )
        edges = np.array([e, 0.0])
        see_contacts(robot.tree, ws, limbs, x[7:], v[6:], R[2].copy(), edges, seen)
        places.append(x[4:7] + R @ seen.place[0])
        if step == 0.0:
            touching = v[3:6] + R @ seen.velocity[0]
            touching += np.cross(v[:3], R @ seen.touch[0])
            assert np.abs(touching).max() < 1e-9
            # Its line is the level one, and it is no patch.
            assert abs((R @ seen.ahead[0])[2]) < 1e-9
            assert seen.rolls[0] >= 0.0 > seen.rolls[1]
    assert np.abs(places[2] - places[0]).max() / 2e-5 < 1e-6
    # Flat, it would be where its support is.
    level = np.array([state.rotation(name)[1, 1], -state.rotation(name)[0, 1], 0.0])
    expected = state.place(edge_frame) - e * level / np.linalg.norm(level)
    np.testing.assert_allclose(places[1], expected, atol=1e-9)


def test_a_sole_that_rolls_rests_while_the_robot_sways_over_it():
    """The H1 as encoders see it: its soles' places have no velocity in the world."""
    robot = RobotModel("h1")
    rng, q = np.random.default_rng(0), robot.posture("stand")
    hips = [robot.joint_index(f"{side}_hip_roll_joint") for side in ("left", "right")]
    q[7 + np.array(hips)] = 0.12, 0.09
    state, limbs = Configuration(robot, q), read_limbs(robot)
    for c, name in enumerate(robot.soles):
        # The motion of base and leg that keeps the lower edge, and rolls the sole.
        J = state.jacobian(state.touching(name))
        v = rng.normal(size=robot.num_velocities)
        leg = 6 + robot.contacts[name].limb
        v[leg] -= np.linalg.solve(J[1:][:, leg], J[1:] @ v)
        out, places = [], []
        for step in (-1e-5, 0.0, 1e-5):
            x = np.empty_like(q)
            box_plus(q, v, step, True, x)
            R = RotationMatrix(Quaternion(x[:4] / np.linalg.norm(x[:4]))).matrix()
            seen = ContactKinematics(
                *np.zeros((3, 2, 3)),
                np.zeros((2, 3, 5)),
                np.zeros((2, 3)),
                np.zeros(2),
                np.zeros((2, 3)),
            )
            ws = make_workspace(robot.tree)
            up, flat = R[2].copy(), np.zeros(2)
            see_contacts(robot.tree, ws, limbs, x[7:], v[6:], up, flat, seen)
            out.append(seen)
            places.append(x[4:7] + R @ seen.place[c])
        tilt = state.rotation(name)[2, 1]
        assert abs(tilt) > 0.05
        moved = (places[2] - places[0]) / 2e-5
        # But for what the rounding of the edges leaves out, of joints at 1 rad/s.
        assert np.abs(moved).max() < 5e-3
        seen = out[1]
        touching = v[3:6] + np.cross(v[:3], seen.touch[c]) + seen.velocity[c]
        assert np.abs(touching).max() < RECURSION * np.abs(v).max()


def test_contact_goes_on_and_off_at_different_forces():
    stands = np.zeros(1, bool)
    seen = []
    for force in (0, 24, 40, 59, 61, 40, 26, 24, 40, 59, 200, 0):
        stands, trust = estimate_contacts(
            np.array([float(force)]), stands, ContactThresholds()
        )
        seen.append(bool(stands[0]))
        assert trust[0] == (min(1.0, force / 200.0) if stands[0] else 0.0)
    off, on = False, True
    assert seen == [off, off, off, off, on, on, on, off, off, off, on, off]


def test_the_gain_is_that_of_the_settled_kalman_filter():
    """Thousand steps of prediction and correction, as the textbook has them."""
    noise, T = FilterNoise(), 1e-3
    F, g = np.array([[1, T], [0, 1]]), np.array([0.5 * T**2, T])
    N, P = np.diag([noise.position**2, noise.velocity**2]), np.eye(2)
    for _ in range(1000):
        P = F @ P @ F.T + JOINT_ACCELERATION**2 * np.outer(g, g)
        K = P @ np.linalg.inv(P + N)
        P = (np.eye(2) - K) @ P
    np.testing.assert_allclose(joint_gain(noise, T), K, rtol=1e-6)


def test_a_robot_at_rest_stays_where_it_is(robot):
    q = robot.posture("stand")
    estimation = StateEstimation(robot, q)
    memory = estimation.start()
    for k in range(200):
        memory = estimation(resting(robot, k), memory)
    x = estimation.state(memory)
    np.testing.assert_allclose(x, np.r_[q, np.zeros(36)], atol=1e-9)
    assert memory.stands.all()
    np.testing.assert_array_equal(memory.trust, 1.0)


def test_ground_on_which_a_foot_stands_askew_is_not_taken_for_level(robot):
    """A foot 4 mm up tilts the base by 7 mrad where it is taken to be at zero."""
    q = robot.posture("stand")
    hip, knee, ankle, roll = robot.base_positions + robot.joint_indices(
        ["l_leg_hpy", "l_leg_kny", "l_leg_aky", "l_leg_akx"]
    )
    q[[hip, knee, ankle]] += [-0.01, 0.02, -0.01]
    for askew in (0.06, 0.0):
        q[roll] += askew
        estimation = StateEstimation(robot, q)
        memory = estimation.start()
        for k in range(1500):
            memory = estimation(resting(robot, k, q), memory)
        tilt = np.linalg.norm(estimation.state(memory)[1:3] - q[1:3])
        height = Configuration(robot, q).pose("l_foot").translation()[2]
        assert 0.003 < height < 0.005
        assert (memory.rough > 0) == (askew > 0)
        assert tilt < 1e-4 if askew else tilt > 5e-3
        q[roll] -= askew


def test_feet_of_different_height_are_not_made_level_while_they_take_the_load(robot):
    """From the first touch to full load: what is pressed level then, looks level."""
    q = robot.posture("stand")
    hip, knee, ankle = robot.base_positions + robot.joint_indices(
        ["l_leg_hpy", "l_leg_kny", "l_leg_aky"]
    )
    q[[hip, knee, ankle]] += [-0.03, 0.06, -0.03]
    height = Configuration(robot, q).pose("l_foot").translation()[2]
    assert 0.01 < height < 0.014
    estimation = StateEstimation(robot, q)
    memory = estimation.start()
    for k in range(300):
        force = np.full(2, min(5.0 * k, 860.0))
        memory = estimation(resting(robot, k, q, force), memory)
    assert memory.rough > 0
    assert np.linalg.norm(estimation.state(memory)[1:3] - q[1:3]) < 1e-4


def test_the_state_is_carried_on_by_the_horizon(robot):
    q = robot.posture("stand")
    horizon = 0.004
    now, later = (StateEstimation(robot, q, h) for h in (0.0, horizon))
    memory = now.start()
    rng = np.random.default_rng(0)
    wanted, velocity = rng.normal(size=(2, 30))
    for k in range(50):
        reading = replace(
            resting(robot, k, force=(0.0, 0.0)),
            gyro=np.array([0.3, -0.2, 0.5]),
            velocity=velocity,
        )
        memory = now(reading, memory, wanted)
    a, b = now.state(memory), later.state(memory)
    v, v_later = a[37:], b[37:]
    # Joints by the acceleration that is wanted of them, the base by the measured one.
    np.testing.assert_allclose(v_later[6:] - v[6:], horizon * wanted, atol=1e-10)
    np.testing.assert_allclose(
        b[4:37] - a[4:37], 0.5 * horizon * (v + v_later)[3:], atol=1e-10
    )
    np.testing.assert_allclose(v_later[:3], v[:3], atol=EXACT)
    E = RigidTransform(quaternion=_quaternion(b), p=np.zeros(3)).rotation()
    R = RigidTransform(quaternion=_quaternion(a), p=np.zeros(3)).rotation()
    turn = (E @ R.inverse()).ToAngleAxis()
    np.testing.assert_allclose(turn.angle() * turn.axis(), horizon * v[:3], atol=1e-10)


def _quaternion(x):
    return Quaternion(x[:4] / np.linalg.norm(x[:4]))


def test_a_sample_counts_once(robot):
    """Outputs know a sample at once, and the update does not add it again."""
    estimation = StateEstimation(robot, robot.posture("stand"))
    estimator = StateEstimator(estimation)
    simulator = Simulator(estimator)
    context = simulator.get_mutable_context()
    expected = estimation.start()
    for k in range(5):
        rng = np.random.default_rng(k)
        reading = resting(robot, k, force=860 + rng.normal(size=2))
        estimator.GetInputPort("reading").FixValue(context, AbstractValue.Make(reading))
        expected = estimation(reading, expected)
        before = estimator.GetOutputPort("state").Eval(context).copy()
        simulator.AdvanceTo((k + 0.5) * 1e-3)
        after = estimator.GetOutputPort("state").Eval(context)
        memory = context.get_abstract_state(0).get_value()
        assert memory.index == k
        np.testing.assert_array_equal(memory.base.P, expected.base.P)
        np.testing.assert_array_equal(before, estimation.state(expected))
        np.testing.assert_array_equal(after, before)


def test_what_is_remembered_is_never_written_again(robot):
    estimation = StateEstimation(robot, robot.posture("stand"))
    memory = estimation.start()
    for k in range(3):
        memory = estimation(resting(robot, k), memory)
    kept = [a.copy() for a in (*memory.base, memory.joints)]
    estimation(resting(robot, 3, force=(0.0, 700.0)), memory, np.ones(30))
    estimation.state(memory)
    for a, b in zip(kept, (*memory.base, memory.joints), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_fixed_base_has_joints_only():
    robot = RobotModel(X_WB=RigidTransform([0, 0, 1.0]))
    rng = np.random.default_rng(0)
    q = 0.1 * rng.normal(size=30)
    estimation = StateEstimation(robot, q)
    memory = estimation.start()
    for k in range(300):
        reading = SensorReading(
            index=k,
            position=q + 1e-3 * rng.normal(size=30),
            velocity=20e-3 * rng.normal(size=30),
            gyro=rng.normal(size=3),
            accelerometer=rng.normal(size=3),
            force=np.zeros(2),
        )
        memory = estimation(reading, memory)
    x = estimation.state(memory)
    assert x.shape == (60,)
    # Both measurements together are better than either.
    assert np.sqrt(((x[:30] - q) ** 2).mean()) < 0.5e-3
    assert np.sqrt((x[30:] ** 2).mean()) < 20e-3


def test_what_is_unknown_at_the_start(robot):
    """Tilting the base leaves it in place and takes the feet along."""
    e = start_estimate(robot, robot.posture("stand"), StartUncertainty())
    np.testing.assert_array_equal(e.P, e.P.T)
    rng = np.random.default_rng(0)
    values, vectors = np.linalg.eigh(e.P)
    xi = vectors @ (
        np.sqrt(np.maximum(values, 0))[:, None] * rng.normal(size=(21, 4000))
    )
    place = xi[6:9] + np.cross(xi[:3].T, e.x[1]).T
    assert place.std(axis=1) == pytest.approx(1e-3, rel=0.1)
    assert xi[:2].std(axis=1) == pytest.approx(1e-2, rel=0.1)
    assert xi[2].std() == pytest.approx(1e-4, rel=0.1)
    assert xi[3:6].std(axis=1) == pytest.approx(1e-2, rel=0.1)


@pytest.mark.parametrize("name", ["position", "velocity", "gyro", "accelerometer"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_silent_sensor_does_not_poison_the_estimate(robot, name, value):
    """50 samples without one of its values: the estimate stays, and stays finite."""
    estimation = StateEstimation(robot, robot.posture("stand"))
    memory = estimation.start()
    for index in range(150):
        reading = resting(robot, index)
        if 50 <= index < 100:
            values = getattr(reading, name).copy()
            values[0] = value
            reading = replace(reading, **{name: values})
        memory = estimation(reading, memory)
        state = estimation.state(memory)
        assert np.isfinite(state).all()
    q = robot.posture("stand")
    assert np.abs(state[7 : robot.num_positions] - q[7:]).max() < 1e-6
    assert np.abs(state[4:7] - q[4:7]).max() < 2e-3
