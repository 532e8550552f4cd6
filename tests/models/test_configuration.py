"""Configurations of Atlas against the plant with all its links."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform
from pydrake.multibody.tree import JacobianWrtVariable

from backbeat.models.robot.loading import find_frame
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.frame_trajectories import frame_trajectories
from backbeat.models.state.motion_poses import motion_poses
from tests.models.twin import WAYS, Twin
from tests.tolerances import EXACT, RECURSION

FRAMES = ["pelvis", "l_hand_face", "r_foot_sole", "head", "utorso"]


@pytest.fixture(scope="module", params=WAYS)
def twin(request):
    return Twin(request.param)


@pytest.fixture(scope="module")
def state(twin):
    """The configuration, after it was somewhere else."""
    robot = twin.robot
    elsewhere = Configuration(robot, robot.posture("stand"))
    return elsewhere.update(twin.q, twin.v)


def close(a, b, tolerance=RECURSION):
    assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, np.abs(b).max()))


def test_frames_move_as_in_the_plant(twin, state):
    plant, context = twin.plant, twin.context
    for name in FRAMES:
        frame = find_frame(plant, name)
        assert state.pose(name).IsNearlyEqualTo(frame.CalcPoseInWorld(context), EXACT)
        arguments = twin.motion_of(frame, np.zeros(3))
        J = plant.CalcJacobianSpatialVelocity(*arguments)[:, twin.columns]
        close(state.jacobian(name), J)
        V = frame.CalcSpatialVelocityInWorld(context).get_coeffs()
        close(state.velocity(name), V)
        bias = plant.CalcBiasSpatialAcceleration(*arguments).get_coeffs()
        close(state.bias_acceleration(name), bias)


def test_poses_along_a_motion_are_those_of_its_samples_to_the_last_bit(twin, state):
    rng = np.random.default_rng(6)
    q = np.tile(twin.q, (4, 1))
    q[:, -twin.robot.num_joints :] += rng.normal(size=(4, twin.robot.num_joints))
    found = motion_poses(twin.robot, q, FRAMES)
    for m in range(4):
        at = Configuration(twin.robot, q[m])
        np.testing.assert_array_equal(found.com[m], at.center_of_mass)
        for n, name in enumerate(FRAMES):
            np.testing.assert_array_equal(found.R[m, n], at.rotation(name))
            np.testing.assert_array_equal(found.p[m, n], at.place(name))


def test_frames_move_along_a_motion_as_at_each_of_its_samples(twin, state):
    robot, rng = twin.robot, np.random.default_rng(5)
    vdot = rng.normal(size=(3, robot.num_velocities))
    q, v = np.tile(twin.q, (3, 1)), np.outer([0.0, 1.0, -2.0], twin.v)
    names = list(robot.contacts)
    frames = [robot.frame(name) for name in names]
    found = frame_trajectories(robot, frames, q, v, vdot)
    for m in range(3):
        at = Configuration(robot, q[m], v[m])
        for n, name in enumerate(names):
            close(found.R_WF[m, n], at.rotation(name))
            close(found.p_WF[m, n], at.place(name))
            close(found.V_WF[m, n], at.velocity(name))
            A = at.jacobian(name) @ vdot[m] + at.bias_acceleration(name)
            close(found.A_WF[m, n], A)


def test_contacts_are_where_the_description_says(twin, state):
    for name, contact in twin.robot.contacts.items():
        link = find_frame(twin.plant, twin.robot.contact_link(name))
        X_WL = link.CalcPoseInWorld(twin.context)
        X_WC = X_WL @ twin.robot.contact_in_link(name)
        assert state.pose(name).IsNearlyEqualTo(X_WC, EXACT)
        assert state.pose(contact.frame).IsNearlyEqualTo(X_WC, EXACT)
        # The limb moves the contact, and with the base nothing else does.
        J = state.jacobian(name)[:, twin.robot.base_velocities :]
        if len(contact.limb):
            assert np.abs(J[:, contact.limb]).max(axis=0).min() > 0.0


def test_dynamics_are_those_of_the_plant(twin, state):
    plant, context, rows = twin.plant, twin.context, twin.columns
    M = plant.CalcMassMatrix(context)[np.ix_(rows, rows)]
    close(state.mass_matrix, M)
    bias = plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)
    close(state.bias, bias[rows])


def test_center_of_mass_and_momentum_are_those_of_the_plant(twin, state):
    plant, context, world = twin.plant, twin.context, twin.plant.world_frame()
    com = plant.CalcCenterOfMassPositionInWorld(context)
    close(state.center_of_mass, com)
    J = plant.CalcJacobianCenterOfMassTranslationalVelocity(
        context, JacobianWrtVariable.kV, world, world
    )
    close(state.center_of_mass_jacobian, J[:, twin.columns])
    momentum = plant.CalcSpatialMomentumInWorldAboutPoint(context, com)
    close(state.momentum, momentum.get_coeffs())


def test_centroidal_inertia_is_that_of_one_rigid_body(twin, state):
    """About the center of mass, of everything that is part of the robot."""
    plant, context = twin.plant, twin.context
    names = [i for i in plant.GetBodyIndices(plant.GetModelInstanceByName("atlas"))]
    for item in twin.robot.equipment_items():
        names += plant.GetBodyIndices(plant.GetModelInstanceByName(item))
    inertia = plant.CalcSpatialInertia(context, plant.world_frame(), names)
    com = plant.CalcCenterOfMassPositionInWorld(context)
    close(inertia.get_com(), com)
    I = inertia.Shift(com).CalcRotationalInertia().CopyToFullMatrix3()
    close(state.centroidal_inertia, I)
    assert np.linalg.eigvalsh(I).min() > 0


def test_results_are_not_memory_that_changes(twin):
    """What was handed out stays when the configuration moves on."""
    robot = twin.robot
    state = Configuration(robot, twin.q, twin.v)
    kept = state.mass_matrix, state.bias, state.momentum, state.jacobian("head")
    copies = [a.copy() for a in kept]
    X, X_copy = state.pose("head"), RigidTransform(state.pose("head"))
    state.update(robot.posture("crouch"))
    for a, b in zip(kept, copies, strict=True):
        assert_allclose(a, b, rtol=0, atol=0)
    assert X.IsExactlyEqualTo(X_copy)
