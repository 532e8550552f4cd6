"""Goals of the trajectory optimizer, measured (`make bench`)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.state.configuration import Configuration
from benchmarks.crocoddyl.peer import Crocoddyl
from benchmarks.environment import make_environment
from benchmarks.offline import (
    GOALS,
    MOTIONS,
    measure,
    print_table,
    write_json,
)
from benchmarks.problems import WALK_2
from tests.tolerances import RECURSION

pytestmark = [pytest.mark.benchmark, pytest.mark.peers]
REPETITIONS = 5
# Crocoddyl's feet are drawn to their places by a cost [m].
SOFT_PLACE = 0.01


@pytest.fixture(scope="module")
def rows():
    return measure(REPETITIONS)


@pytest.fixture(scope="module")
def crocoddyl():
    with Crocoddyl(make_environment()) as running:
        yield running


def test_both_have_the_same_robot(crocoddyl):
    problem, rng = WALK_2.problem(), np.random.default_rng(3)
    robot, q = problem.robot, problem.q_start
    spin, speeds = rng.standard_normal(3), rng.standard_normal(robot.num_joints)
    facts = crocoddyl.facts(
        problem, spin, dict(zip(robot.joint_names, speeds, strict=True))
    )

    assert_allclose(q[:4], [1, 0, 0, 0], atol=RECURSION)  # base axes are the world's
    context = robot.plant.CreateDefaultContext()
    robot.plant.SetPositions(context, q)
    robot.plant.SetVelocities(context, np.r_[spin, np.zeros(3), speeds])
    energy = robot.plant.CalcKineticEnergy(context)
    com = Configuration(robot, q).center_of_mass
    assert_allclose(facts["mass"], robot.total_mass, rtol=RECURSION)
    assert_allclose(facts["center_of_mass"], com, atol=RECURSION)
    assert_allclose(facts["kinetic_energy"], energy, rtol=RECURSION)


@pytest.mark.parametrize("name", MOTIONS)
def test_crocoddyl_ends_the_same_motion_where_ours_ends(crocoddyl, name):
    problem = MOTIONS[name].problem()
    answer = crocoddyl.solve(problem)
    assert answer["converged"]
    assert answer["nodes"] == problem.num_knots
    for foot, X_WC in problem.schedule.phases[-1].contacts.items():
        place = X_WC.translation()
        assert_allclose(answer["feet"][foot][:2], place[:2], atol=SOFT_PLACE)


def test_table(rows, tmp_path, capsys):
    write_json(rows, REPETITIONS, tmp_path / "offline.json")
    with capsys.disabled():
        print()
        print_table(rows, REPETITIONS)


@pytest.mark.parametrize("name", GOALS)
def test_goal_is_met(rows, name):
    (row,) = [row for row in rows if row.problem == name]
    assert row.value <= GOALS[name], f"{row.value:.3g} {row.unit}"
