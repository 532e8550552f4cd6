"""Operators against the dense matrices of Drake, on trees of all kinds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.operators import DynamicsOperators
from tests.tolerances import RECURSION

ROBOTS = {
    "atlas": ("atlas", ()),
    "sticks": ("atlas", ("sticks",)),
    "ur10": ("ur10", ()),
}


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("seed", range(3))
def test_every_operator_is_its_matrix(name, seed):
    robot, rng = RobotModel(*ROBOTS[name]), np.random.default_rng(seed)
    q = rng.normal(size=robot.num_positions)
    if robot.floating:
        q[:4] /= np.linalg.norm(q[:4])
    frame = robot.frame("l_hand" if robot.floating else "tool0")
    context = robot.plant.CreateDefaultContext()
    robot.plant.SetPositions(context, q)
    M = robot.plant.CalcMassMatrix(context)
    J = Configuration(robot, q).jacobian(frame)
    operators = DynamicsOperators(robot)
    # At another place first: nothing may be left of it.
    operators.update(np.roll(q, 1))
    operators.update(q)
    x, F = rng.normal(size=len(M)), rng.normal(size=6)
    pairs = [
        (operators.mass(x), M @ x),
        (operators.inverse_mass(x), np.linalg.solve(M, x)),
        (operators.jacobian(frame, x), J @ x),
        (operators.jacobian_transpose(frame, F), J.T @ F),
    ]
    for ours, dense in pairs:
        assert_allclose(ours, dense, rtol=0, atol=RECURSION * np.abs(dense).max())
