"""Soles that roll over heel and toe: cones of edges, plans, Drake's verdict on them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RollPitchYaw

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.edges import (
    HEEL,
    TOE,
    WHOLE,
    about_edge,
    edge_cone,
    edge_offset,
    level_pitch,
)
from backbeat.models.dynamics.frames import LINE
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.contact_schedule import ContactSchedule, Phase
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.verify import verify
from tests.behaviors.drake_robot import DrakeRobot
from tests.optimization.problems import rolled
from tests.tolerances import EXACT

FOOT = RobotModel().contacts["l_foot"]


@pytest.fixture(scope="module")
def solution():
    return InteriorPoint(Transcription(rolled(41, duration=2.0))).solve()


@pytest.fixture(scope="module")
def motion(solution):
    return reconstruct(solution)


def pressed(points, rng, friction=0.6):
    """(6,) wrench about a sole's middle of forces at points (n, 3), inside friction."""
    w = np.zeros(6)
    for p in points:
        f = rng.uniform(0.1, 1.0) * np.r_[0.0, 0.0, 1.0]
        f[:2] = rng.uniform(-1, 1, 2) * friction / np.sqrt(2) * f[2]
        w += np.r_[np.cross(p, f), f]
    return w


@pytest.mark.parametrize("edge", [TOE, HEEL])
def test_a_cone_has_what_the_ends_of_an_edge_bear(edge):
    rng = np.random.default_rng(0)
    cone, corners = edge_cone(FOOT, edge, 0.6), FOOT.corners()
    ends = corners[np.sign(corners[:, 0]) == edge]
    for _ in range(200):
        assert (cone @ pressed(ends, rng) < 1e-12).all()
    # What presses elsewhere is not on the edge, and the other one does not help.
    for other in (np.zeros((1, 3)), corners[np.sign(corners[:, 0]) == -edge]):
        assert (cone @ pressed(other, rng)).max() > 10 * LINE
    assert_allclose(
        about_edge(pressed(ends, rng), float(edge_offset(FOOT, edge)))[1], 0, atol=EXACT
    )


def test_pitch_is_taken_off_and_told():
    level, turn = np.empty((3, 3)), RollPitchYaw(0.0, 0.3, 0.8)
    R = np.ascontiguousarray(turn.ToRotationMatrix().matrix())
    assert level_pitch(R, level) == pytest.approx(0.3, abs=1e-12)
    expected = RollPitchYaw(0.0, 0.0, 0.8).ToRotationMatrix().matrix()
    assert_allclose(level, expected, rtol=0, atol=EXACT)


def test_feet_do_not_go_from_one_edge_to_the_other():
    feet = rolled().schedule.phases[0].contacts
    phases = [
        Phase(0.3, feet, f"{edge}", {"l_foot": edge}) for edge in (TOE, WHOLE, HEEL)
    ]
    edges = ContactSchedule(tuple(phases)).edges([0.1, 0.3, 0.45, 0.8], "l_foot")
    assert edges.tolist() == [TOE, WHOLE, WHOLE, HEEL]
    with pytest.raises(BackbeatError, match="l_foot goes from one edge to the other"):
        ContactSchedule((phases[0], phases[2]))


def test_a_roll_is_found_and_verified(solution, motion):
    assert solution.is_solved
    certificate = verify(solution, motion)
    assert certificate.passed, certificate.failures()
    drake = DrakeRobot(solution.transcription.problem.robot)
    middle = len(motion.t) // 2
    for name, pitch in (("l_foot", -0.2), ("r_foot", 0.3)):
        c = motion.contacts.index(name)
        assert motion.edge[middle, c] == np.sign(pitch)
        drake.set(motion.q[middle], motion.v[middle])
        R = drake.pose(name).rotation().matrix()
        assert np.arcsin(-R[2, 0]) == pytest.approx(pitch, abs=0.05)
        # The pressure is on the edge, and moves there before the foot rolls.
        w = motion.wrench[:, c]
        ahead = -w[:, 1] / w[:, 5]
        on = motion.edge[:, c] != WHOLE
        assert_allclose(ahead[on], np.sign(pitch) * FOOT.half_length, atol=1.1 * LINE)
        assert np.abs(np.diff(ahead)).max() < 0.25 * FOOT.half_length


def failures(solution, motion):
    return {check.name for check in verify(solution, motion).failures()}


def test_a_moment_about_the_edge_fails(solution, motion):
    middle, c = len(motion.t) // 2, motion.contacts.index("r_foot")
    wrench = motion.wrench.copy()
    wrench[middle, c, 1] += 0.05 * wrench[middle, c, 5]
    assert "friction" in failures(solution, replace(motion, wrench=wrench))


def test_a_foot_that_is_said_to_be_flat_fails(solution, motion):
    flat = replace(motion, edge=np.zeros_like(motion.edge))
    assert {"contact_position", "contact_slip"} <= failures(solution, flat)


def test_a_foot_on_the_other_edge_fails(solution, motion):
    other = replace(motion, edge=-motion.edge)
    assert {"contact_position", "friction"} <= failures(solution, other)
