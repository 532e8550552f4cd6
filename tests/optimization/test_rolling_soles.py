"""Soles that roll about their length: plans for the H1, whose ankles do not roll."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.dynamics.rolling import ROLLED
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import add_world
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.verify import verify
from tests.behaviors.drake_robot import DrakeRobot
from tests.optimization.points import Point, missing_forces
from tests.optimization.problems import sway
from tests.tolerances import FINITE_DIFFERENCE, RECURSION

# What the place leaves out of a sole that is pitched as well, as none is that stands:
# of a lever of 15 mm [m/rad].
TURNED = 5e-4
# By so much a sole on its edge is lower than its place says: it is rounded [m].
ROUNDED = 0.015 * ROLLED


@pytest.fixture(scope="module")
def point():
    """A program of the sway away from any solution, soles rolled by some degrees."""
    return Point(Transcription(sway(5)), seed=3)


@pytest.fixture(scope="module")
def solution():
    return InteriorPoint(Transcription(sway())).solve()


@pytest.fixture(scope="module")
def motion(solution):
    return reconstruct(solution)


def edges(drake, name):
    """(4, 3) corners of a sole in the world [m]."""
    return drake.pose(name).multiply(drake.robot.contacts[name].corners().T).T


def test_wrenches_act_where_soles_touch(point):
    values, _ = point.linearize()
    program = point.program
    for k in range(1, len(program.dt) - 1):
        tau = missing_forces(point, values, k)
        base = values.equality[k, :6]
        assert_allclose(base, tau[:6] / program.weight, rtol=0, atol=RECURSION)


def test_derivatives_know_that_the_pivot_moves(point):
    _, derivatives = point.linearize()
    differences, program = point.differences(), point.program
    nb, nv, rows = point.nb, point.nv, program.rows
    for k in range(1, len(program.dt) - 1):
        D = derivatives.dynamics[k]
        for name, at in (("equality", slice(6)), ("rows", slice(rows.torque, nv - 6))):
            expected = differences[name][k, at]
            here = slice(6) if name == "equality" else slice(6, nv)
            for b in range(3):
                block = slice((k - 1 + b) * nb, (k - 1 + b) * nb + nv)
                found = D[here, b * nb : b * nb + nv]
                size = max(1.0, np.abs(expected).max())
                error = np.abs(found - expected[:, block]).max()
                assert error < FINITE_DIFFERENCE * size
        block = slice(k * nb, k * nb + nv)
        used = program.frame_used[k]
        error = derivatives.frame[k, used] - differences["frame"][k, used][..., block]
        assert np.abs(error).max() < TURNED


def test_a_posture_to_the_side_stands_on_edges():
    """Inverse kinematics: soles where they stood, on the edges they lean over."""
    problem = sway()
    robot, drake = problem.robot, DrakeRobot(problem.robot)
    X_WB = {n: IKTarget(X) for n, X in problem.schedule.phases[0].contacts.items()}
    for way in (0.1, -0.1):
        com = problem.tasks[0].p_WG[0, :2] + way * np.array([-np.sin(0.5), np.cos(0.5)])
        found = InverseKinematics(robot).solve(problem.q_start, X_WB, com)
        assert found.is_reached
        drake.set(found.q, np.zeros(robot.num_velocities))
        for name in robot.soles:
            corners = edges(drake, name)
            low = np.sign(way) * np.array([1.0, -1.0, -1.0, 1.0]) > 0
            assert np.abs(corners[low, 2]).max() < 1.1 * ROUNDED
            assert corners[~low, 2].min() > 2e-3


def test_a_sway_is_found_and_verified(solution, motion):
    assert solution.is_solved
    certificate = verify(solution, motion)
    assert certificate.passed, certificate.failures()
    drake = DrakeRobot(solution.transcription.problem.robot)
    most = int(np.argmax(np.abs(motion.q[:, 5] - motion.q[0, 5])))
    drake.set(motion.q[most], motion.v[most])
    for name in motion.contacts:
        tilt = abs(drake.pose(name).rotation().matrix()[2, 1])
        assert tilt > 0.05  # more than five centimeters, over legs of 0.8 m


def test_a_moment_about_the_edge_fails_but_not_on_a_flat_sole(solution, motion):
    """Ten newton meters are what all of a flat foot's width bears, nearly."""
    robot = solution.transcription.problem.robot
    c, at = 0, len(motion.t) // 2
    flat = motion.wrench[0, c, 5] * robot.contacts["l_foot"].half_width
    for k, holds in ((1, True), (at, False)):
        wrench = motion.wrench.copy()
        wrench[k, c, 0] += 0.5 * flat
        spoiled = verify(solution, replace(motion, wrench=wrench))
        friction = next(x for x in spoiled.checks if x.name == "friction")
        assert friction.passed == holds


def test_a_sole_that_rolls_about_its_middle_sinks_in(solution, motion):
    """A plan that forgets the width of the sole has its edge below the ground."""
    lowered = motion.q.copy()
    lowered[:, 6] -= 1e-3
    failed = {x.name for x in verify(solution, replace(motion, q=lowered)).failures()}
    assert "contact_position" in failed


@pytest.mark.parametrize("way", [0.1, -0.1])
def test_drake_has_the_forces_at_the_pivot(way):
    """The H1 leans to a side on its own soles: points of contact in Drake's plant."""
    robot = RobotModel("h1")
    q = robot.posture("stand")
    state = Configuration(robot, q)
    feet = {n: IKTarget(state.pose(n)) for n in robot.soles}
    com = state.center_of_mass[:2] + [0.0, way]
    found = InverseKinematics(robot).solve(q, feet, com)
    assert found.is_reached
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    own = world.plant.GetMyMutableContextFromRoot(context)
    x = np.r_[found.q, np.zeros(robot.num_velocities)]
    # Into the ground by less than the upper edges are above it.
    x[6] -= 1e-3
    placed = world.plant.GetPositionsAndVelocities(own)
    placed[world.state_places] = x
    world.plant.SetPositionsAndVelocities(own, placed)
    query = world.plant.get_geometry_query_input_port().Eval(own)
    points = [0.5 * (p.p_WCa + p.p_WCb) for p in query.ComputePointPairPenetration()]
    state.update(found.q)
    assert len(points) == 4
    for name in robot.soles:
        X_WC, pivot = state.pose(name), state.place(state.touching(name))
        assert abs(X_WC.rotation().matrix()[2, 1]) > 0.1
        near = [p for p in points if np.linalg.norm(p - pivot) < 0.2]
        assert len(near) == 2
        across = [(X_WC.inverse() @ p)[1] for p in near]
        edge = (X_WC.inverse() @ pivot)[1]
        # Corners are rounded by spheres of half a centimeter.
        assert across == pytest.approx([edge] * 2, abs=1.5e-3)
