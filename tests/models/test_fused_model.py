"""Fused models have the dynamics of the plant that they were made from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.robot.fusing import fuse
from backbeat.models.robot.loading import add_robot, find_frame
from backbeat.models.robot.model import RobotModel
from tests.models.random_tree import random_plant
from tests.models.twin import LOCKED, WAYS, Twin
from tests.tolerances import EXACT, RECURSION


@pytest.fixture(scope="module", params=WAYS)
def twin(request):
    return Twin(request.param)


def test_mass_matrix_and_bias_are_those_of_all_links(twin):
    full = twin.plant.CalcMassMatrix(twin.context)
    M = full[np.ix_(twin.columns, twin.columns)]
    fused = twin.robot.plant.CalcMassMatrix(twin.fused_context)
    assert_allclose(fused, M, rtol=0, atol=EXACT * np.abs(M).max())
    bias = twin.plant.CalcBiasTerm(twin.context)[twin.columns]
    fused = twin.robot.plant.CalcBiasTerm(twin.fused_context)
    assert_allclose(fused, bias, rtol=0, atol=RECURSION * np.abs(bias).max())


def test_center_of_mass_and_mass_are_those_of_all_links(twin):
    com = twin.plant.CalcCenterOfMassPositionInWorld(twin.context)
    fused = twin.robot.plant.CalcCenterOfMassPositionInWorld(twin.fused_context)
    assert_allclose(fused, com, rtol=0, atol=EXACT)
    mass = twin.plant.CalcTotalMass(twin.context)
    assert twin.robot.total_mass == pytest.approx(mass, rel=EXACT)


def test_every_link_is_where_it_was(twin):
    robot = twin.robot
    names = [
        twin.plant.get_body(i).name()
        for i in twin.plant.GetBodyIndices(twin.plant.GetModelInstanceByName("atlas"))
    ]
    names += ["l_foot_sole", "r_hand_face"]
    names += [f"{i}::stick_tip" for i in robot.equipment_items()]
    assert len(names) > 70
    for name in names:
        frame = robot.link_frame(name)
        body = "pelvis"
        if frame.body > 0:
            joint = robot.plant.GetJointByName(robot.joint_names[frame.body - 1])
            body = joint.child_body().name()
        X_WP = robot.plant.EvalBodyPoseInWorld(
            twin.fused_context, robot.plant.GetBodyByName(body)
        )
        X_WF = X_WP @ RigidTransform(RotationMatrix(frame.R_PF), frame.p_PF)
        expected = find_frame(twin.plant, name).CalcPoseInWorld(twin.context)
        assert X_WF.IsNearlyEqualTo(expected, EXACT), name


def test_only_moving_links_are_left(twin):
    moving = 30 - len(twin.robot.locked)
    assert twin.robot.plant.num_bodies() == 1 + 1 + moving  # world, pelvis, the rest
    assert twin.robot.plant.num_velocities() == moving + twin.robot.base_velocities


def test_the_sticks_weigh_what_they_weigh():
    without, with_sticks = RobotModel(), RobotModel("atlas", ("sticks",))
    assert with_sticks.total_mass - without.total_mass == pytest.approx(0.1)


def test_limits_are_those_of_the_description():
    robot = RobotModel("atlas", ("sticks",), locked=LOCKED)
    plant = MultibodyPlant(0.0)
    add_robot(plant, robot.description)
    plant.Finalize()
    for i, name in enumerate(robot.joint_names):
        joint = plant.GetJointByName(name)
        actuator = plant.GetJointActuatorByName(name)
        assert robot.position_lower[i] == joint.position_lower_limits()[0]
        assert robot.position_upper[i] == joint.position_upper_limits()[0]
        assert robot.velocity_limits[i] == joint.velocity_upper_limits()[0]
        assert robot.effort_limits[i] == actuator.effort_limit()
        assert robot.damping[i] == joint.default_damping()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("floating", [True, False])
def test_any_tree_keeps_its_dynamics(seed, floating):
    """Welds either way, onto each other and behind locked joints, are followed."""
    plant = random_plant(seed, 8, floating, num_welds=5)
    locked = {"joint2": 0.7, "joint5": -0.4}
    fused, homes = fuse(plant, "base", locked)
    rng = np.random.default_rng(seed)
    context, fused_context = plant.CreateDefaultContext(), fused.CreateDefaultContext()
    q, v = (
        rng.normal(size=fused.num_positions()),
        rng.normal(size=fused.num_velocities()),
    )
    nf, nb = (6, 7) if floating else (0, 0)
    if floating:
        q[:4] /= np.linalg.norm(q[:4])
    fused.SetPositionsAndVelocities(fused_context, np.r_[q, v])
    full_q, full_v = plant.GetPositions(context), np.zeros(plant.num_velocities())
    columns = np.zeros(fused.num_velocities(), int)
    full_q[:nb], columns[:nf] = q[:nb], np.arange(nf)
    for i in fused.GetJointIndices():
        joint = fused.get_joint(i)
        if joint.num_velocities() == 1:
            twin = plant.GetJointByName(joint.name())
            full_q[twin.position_start()] = q[joint.position_start()]
            columns[joint.velocity_start()] = twin.velocity_start()
    for name, angle in locked.items():
        full_q[plant.GetJointByName(name).position_start()] = angle
    full_v[columns] = v
    plant.SetPositionsAndVelocities(context, np.r_[full_q, full_v])

    M = plant.CalcMassMatrix(context)[np.ix_(columns, columns)]
    close = RECURSION * np.abs(M).max()
    assert_allclose(fused.CalcMassMatrix(fused_context), M, rtol=0, atol=close)
    bias = plant.CalcBiasTerm(context)[columns]
    close = RECURSION * np.abs(bias).max()
    assert_allclose(fused.CalcBiasTerm(fused_context), bias, rtol=0, atol=close)
    assert len(homes) == 9 + 5
    for index, (home, X_RB) in homes.items():
        X_WR = fused.EvalBodyPoseInWorld(fused_context, fused.GetBodyByName(home))
        expected = plant.EvalBodyPoseInWorld(context, plant.get_body(index))
        assert (X_WR @ X_RB).IsNearlyEqualTo(expected, RECURSION)
