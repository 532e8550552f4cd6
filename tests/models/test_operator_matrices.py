"""Matrices that are never formed, against the dense ones of Drake."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.multibody.tree import JacobianWrtVariable

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.operator_matrices import MassMatrix, TaskJacobian
from backbeat.models.state.operators import DynamicsOperators

# Relative to the largest entry.
DENSE = 1e-10
ROBOTS = {"atlas": ("l_hand", "r_foot"), "ur10": ("tool0",)}


def dense(robot, frames, q, v):
    """M, stacked G of places and Gdot v, of the fused plant."""
    plant, context = robot.plant, robot.plant.CreateDefaultContext()
    plant.SetPositions(context, q)
    plant.SetVelocities(context, v)
    world, G, bias = plant.world_frame(), [], []
    bodies = [None, *(plant.GetJointByName(n).child_body() for n in robot.joint_names)]
    bodies[0] = plant.GetBodyByName(robot.base_name)
    for frame in frames:
        at = bodies[frame.body].body_frame(), frame.p_PF
        which = JacobianWrtVariable.kV
        G.append(
            plant.CalcJacobianSpatialVelocity(context, which, *at, world, world)[3:]
        )
        told = plant.CalcBiasSpatialAcceleration(context, which, *at, world, world)
        bias.append(told.translational())
    return plant.CalcMassMatrix(context), np.vstack(G), np.concatenate(bias)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("seed", range(3))
def test_they_are_the_matrices_of_drake(name, seed):
    robot, rng = RobotModel(name), np.random.default_rng(seed)
    q, v = rng.normal(size=robot.num_positions), rng.normal(size=robot.num_velocities)
    if robot.floating:
        q[:4] /= np.linalg.norm(q[:4])
    frames = [robot.frame(n) for n in ROBOTS[name]]
    operators = DynamicsOperators(robot)
    operators.update(np.roll(q, 1), -v)
    operators.update(q, v)
    M, G = MassMatrix(operators), TaskJacobian(operators, frames)
    dense_M, dense_G, bias = dense(robot, frames, q, v)
    inverse = np.linalg.inv(dense_M)
    f = rng.normal(size=len(dense_G))
    pairs = [
        (M.dense(), dense_M),
        (M.inverse.dense(), inverse),
        (M.inverse.inverse @ v, dense_M @ v),
        (G.dense(), dense_G),
        (G.T.dense(), dense_G.T),
        (G.T @ f, dense_G.T @ f),
        (G @ v, dense_G @ v),
        (G.bias(), bias),
        ((G @ M.inverse @ G.T).dense(), dense_G @ inverse @ dense_G.T),
        ((G @ M).T @ f, dense_M @ dense_G.T @ f),
    ]
    for ours, drakes in pairs:
        scale = np.abs(drakes).max()
        assert_allclose(ours, drakes, rtol=0, atol=DENSE * scale)


def test_at_rest_nothing_is_left_of_a_velocity():
    robot = RobotModel("ur10")
    operators = DynamicsOperators(robot)
    q = robot.posture("ready")
    operators.update(q, np.ones(6))
    G = TaskJacobian(operators, [robot.frame("tool0")], range(6))
    assert np.abs(G.bias()).max() > 0.01
    operators.update(q)
    assert not G.bias().any()


def test_shapes_that_do_not_go_together_are_told():
    robot = RobotModel("ur10")
    operators = DynamicsOperators(robot)
    operators.update(robot.posture("ready"))
    M, G = MassMatrix(operators), TaskJacobian(operators, [robot.frame("tool0")])
    for wrong in (np.ones(5), np.ones((3, 2)), G):
        with pytest.raises(BackbeatError, match="cannot be multiplied"):
            M @ wrong
    assert (M @ G.T).shape == (6, 3)
