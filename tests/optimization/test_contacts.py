"""Contacts beyond flat feet: solved, reconstructed, verified, and right by physics."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RotationMatrix

from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.reconstruction.ground import GroundProfile
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.verify import verify
from tests.optimization import contact_problems
from tests.optimization.contact_problems import SPACING
from tests.optimization.problems import squat
from tests.tolerances import CARRIED_WEIGHT, CONTACT, ON_KNOTS, PLANNED_FORCE

TILT = np.radians(10.0)
PROBLEMS = {
    "uphill": lambda: contact_problems.slope(0.0, -TILT),
    "downhill": lambda: contact_problems.slope(0.0, TILT),
    "sideways": lambda: contact_problems.slope(TILT, 0.0),
    "block": contact_problems.steps_over_a_block,
    "rail": contact_problems.rail,
    "seat": contact_problems.rise,
    "table": contact_problems.table,
    "one foot": contact_problems.one_foot,
}


@pytest.fixture(scope="module")
def solved():
    """`solved(name)` is a problem's solution with its motion, found once."""
    known = {}

    def get(name):
        if name not in known:
            solution = InteriorPoint(Transcription(PROBLEMS[name]())).solve()
            assert solution.is_solved, solution.status
            known[name] = solution, reconstruct(solution)
        return known[name]

    return get


def normal(motion, name):
    """(M,) normal force on a contact [N]."""
    return motion.wrench[:, motion.contacts.index(name), 5]


def total_force(motion):
    """(M, 3) force of all contacts in the world [N]."""
    return np.einsum("scij,scj->si", motion.R_WC, motion.wrench[:, :, 3:])


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_certificate_is_given(solved, name):
    solution, motion = solved(name)
    certificate = verify(solution, motion)
    assert certificate.failures() == []
    iterations, N = len(solution.log), len(solution.q)
    each = 1e6 * solution.solve_time / iterations / N
    print(f"{name}: {N} knots, {iterations} iterations, {solution.solve_time:.2f} s,")
    print(f"  {each:.0f} us a knot and iteration")
    assert iterations <= 20


@pytest.mark.parametrize("name", ["uphill", "downhill", "sideways"])
def test_forces_on_a_slope_hold_the_weight_inside_tilted_cones(solved, name):
    solution, motion = solved(name)
    problem = solution.transcription.problem
    up = np.array([0.0, 0.0, problem.robot.weight])
    R = motion.R_WC[0, 0]
    assert np.arccos(R[2, 2]) == pytest.approx(TILT)
    along = (R.T @ up)[:2]
    # At rest the feet hold the weight, a sixth of it along the slope.
    assert_allclose(total_force(motion)[0], up, atol=PLANNED_FORCE)
    assert_allclose(motion.wrench[0, :, 3:5].sum(0), along, atol=PLANNED_FORCE)
    f = motion.wrench[:, :, 3:]
    share = np.abs(f[:, :, :2]).max(axis=2) / f[:, :, 2]
    assert np.tan(TILT) < share.max() < problem.limits.friction / np.sqrt(2)


def test_a_slippery_slope_is_not_certified():
    """Friction below the slope's angle; level cones would not notice."""
    slippery = Limits(friction=0.15)
    assert slippery.friction < np.tan(TILT)
    problem = contact_problems.slope(0.0, TILT, limits=slippery)
    solution = InteriorPoint(Transcription(problem)).solve()
    assert not (
        solution.is_solved and verify(solution, reconstruct(solution), 5).passed
    )


def test_feet_go_up_onto_a_block_and_down(solved):
    solution, motion = solved("block")
    robot = solution.transcription.problem.robot
    times = [0.3, 1.5, 2.4, 3.4, 4.7]
    heights = {"l_foot": [0.0, 0.1, 0.1, 0.0, 0.0], "r_foot": [0.0, 0.0, 0.1, 0.1, 0.0]}
    bodies = []
    for i, t in enumerate(times):
        state = Configuration(robot, motion.q[np.searchsorted(motion.t, t)])
        for foot in heights:
            place = state.pose(foot).translation()[2]
            assert place == pytest.approx(heights[foot][i], abs=CONTACT)
        bodies.append(state.center_of_mass[2])
    assert bodies[2] - bodies[0] > 0.05
    assert abs(bodies[4] - bodies[0]) < 0.03


def test_a_palm_on_a_rail_takes_load_off_the_feet(solved):
    solution, motion = solved("rail")
    weight = solution.transcription.problem.robot.weight
    palm = normal(motion, "l_palm")
    feet = normal(motion, "l_foot") + normal(motion, "r_foot")
    # Between the knots next to touch-down and lift-off.
    pressing = (motion.t > 0.6 + SPACING) & (motion.t < 1.4 - SPACING)
    assert (
        50.0 - PLANNED_FORCE
        <= palm[pressing].min()
        <= palm[pressing].max()
        <= 100.0 + PLANNED_FORCE
    )
    assert_allclose(feet + palm, weight, atol=CARRIED_WEIGHT * weight)
    middle = np.searchsorted(motion.t, 1.0)
    assert feet[0] - feet[middle] == pytest.approx(palm[middle], abs=10.0)


@pytest.mark.parametrize("name", ["rail", "seat", "block"])
def test_forces_do_not_jump_where_contacts_come_and_go(solved, name):
    """Over 5 ms a load changes by a tenth of what it does from knot to knot."""
    solution, motion = solved(name)
    weight = solution.transcription.problem.robot.weight
    for c, contact in enumerate(motion.contacts):
        stands = motion.standing[:, c]
        loads = solution.w[:, c, 5] * weight
        step = 0.1 * np.abs(np.diff(loads[1:-1])).max()
        change = np.abs(np.diff(motion.wrench[:, c, 3:], axis=0)).max(axis=1)
        switches = np.flatnonzero(stands[1:] != stands[:-1])
        for i in switches:
            assert change[i] <= 1.05 * step + 1.0, (contact, motion.t[i])
        assert len(switches) > 0 or contact.endswith("foot")


def test_an_arm_moves_smoothly_onto_a_rail_and_off_it(solved):
    """A hand that does not strike has no kink: its acceleration is continuous."""
    solution, motion = solved("rail")
    robot = solution.transcription.problem.robot
    arm = robot.base_velocities + robot.contacts["l_palm"].limb
    # The ends of the motion are twice on the grid, at rest and not.
    t, vdot = motion.t[1:-1], motion.vdot[1:-1, arm]
    change = np.abs(np.diff(vdot, axis=0)).max(axis=1)
    beside = np.min([np.abs(t[1:] - switch) for switch in (0.6, 1.4)], axis=0) < 0.006
    assert beside.any()
    assert change[beside].max() < 1.5 * change[~beside].max()


def test_a_seat_carries_most_until_one_stands_up(solved):
    solution, motion = solved("seat")
    robot = solution.transcription.problem.robot
    assert normal(motion, "seat")[0] > 0.5 * robot.weight
    seated = motion.standing[:, motion.contacts.index("seat")]
    assert motion.t[seated].max() == pytest.approx(1.0, abs=0.006)
    # A seat has no limb that could make up for it: the base itself rests.
    moved = np.abs(motion.q[seated, :7] - motion.q[0, :7])
    assert moved.max() < ON_KNOTS
    assert np.abs(motion.v[seated, :6]).max() < ON_KNOTS
    assert normal(motion, "seat")[~seated].max() == 0.0
    assert motion.q[-1, 6] - motion.q[0, 6] > 0.1


def test_four_contacts_share_a_body_that_leans(solved):
    solution, motion = solved("table")
    weight = solution.transcription.problem.robot.weight
    loads = motion.wrench[:, :, 5]
    assert motion.standing.all()
    assert motion.contacts == ("l_foot", "r_foot", "l_palm", "r_palm")
    assert_allclose(loads.sum(1), weight, atol=CARRIED_WEIGHT * weight)
    palms = loads[:, 2:]
    assert palms.min() >= 5.0 - PLANNED_FORCE
    assert palms.max() <= 150.0 + PLANNED_FORCE
    middle = np.searchsorted(motion.t, 0.75)
    assert (palms[middle] > palms[0] + 30.0).all()


def test_one_foot_carries_it_all(solved):
    solution, motion = solved("one foot")
    robot = solution.transcription.problem.robot
    w, foot = motion.wrench[:, 0], robot.contacts["l_foot"]
    assert_allclose(w[:, 5], robot.weight, atol=CARRIED_WEIGHT * robot.weight)
    pressure = np.c_[-w[:, 1], w[:, 0]] / w[:, 5:]
    assert (np.abs(pressure) < [foot.half_length, foot.half_width]).all()
    state = Configuration(robot, motion.q[np.searchsorted(motion.t, 0.6)])
    assert state.pose("r_foot").translation()[0] == pytest.approx(0.15, abs=0.02)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"l_food": (0.0, 9.0)}, "unknown contact 'l_food'; did you mean l_foot"),
        ({"l_foot": (9.0, 3.0)}, "l_foot are 9 to 3 N"),
        ({"l_foot": (-1.0, 3.0)}, "l_foot are -1 to 3 N"),
        ({"l_foot": (np.nan, 3.0)}, "l_foot are nan to 3 N"),
    ],
)
def test_a_slip_in_a_contact_s_limits(limits, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        squat(limits=Limits(contact_forces=limits))


def test_a_patch_keeps_to_its_own_limits():
    """A foot that may carry 600 N leaves the rest to the other one."""
    limits = Limits(contact_forces={"l_foot": (100.0, 600.0)})
    solution = InteriorPoint(Transcription(squat(limits=limits))).solve()
    assert solution.is_solved
    problem = solution.transcription.problem
    load = solution.w[1:-1, 0, 5] * problem.robot.weight
    assert 100.0 - PLANNED_FORCE <= load.min() <= load.max() <= 600.0 + PLANNED_FORCE


# What a patch of 0.2 x 0.1 m swings over: supports by (x, z, pitch) before and after.
SIZE = SimpleNamespace(half_length=0.1, half_width=0.05)
FLAT, HIGH, LOW = (0.0, 0.0, 0.0), (0.4, 0.1, 0.0), (0.4, -0.1, 0.0)
UPHILL = (0.4, 0.4 * np.tan(TILT), -TILT)


@pytest.mark.parametrize(
    ("before", "after", "corner", "depth"),
    [
        (FLAT, FLAT, [0.2, 0.0, -0.003], 0.003),
        (FLAT, FLAT, [0.2, 0.0, 0.02], -0.02),
        # Onto a block: above it the ground is its top, before it the floor.
        (FLAT, HIGH, [0.4, 0.0, 0.09], 0.01),
        (FLAT, HIGH, [0.2, 0.0, 0.09], -0.09),
        (FLAT, HIGH, [0.4, 0.2, -0.01], 0.01),
        # Into a pit, whose floor is below z = 0.
        (FLAT, LOW, [0.4, 0.0, -0.09], -0.01),
        (FLAT, LOW, [0.0, 0.0, -0.01], 0.01),
        # Up a slope, also between the footholds.
        ((0.0, 0.0, -TILT), UPHILL, [0.2, 0.0, 0.2 * np.tan(TILT) - 0.005], 0.0049),
        # Off a seat for good: elsewhere the floor is z = 0.
        (HIGH, None, [0.4, 0.0, 0.08], 0.02),
        (HIGH, None, [0.9, 0.0, 0.08], -0.08),
        (HIGH, None, [0.9, 0.0, -0.01], 0.01),
        (None, HIGH, [0.0, 0.0, 0.02], -0.02),
        (None, None, [0.0, 0.0, -0.02], 0.02),
    ],
)
def test_the_ground_under_a_patch_in_the_air(before, after, corner, depth):
    motion = SimpleNamespace(
        standing=np.array([[before is not None], [False], [after is not None]]),
        R_WC=np.tile(np.eye(3), (3, 1, 1, 1)),
        p_WC=np.zeros((3, 1, 3)),
    )
    for i, support in ((0, before), (2, after)):
        x, z, pitch = support or FLAT
        motion.R_WC[i, 0] = RotationMatrix.MakeYRotation(pitch).matrix()
        motion.p_WC[i, 0] = [x, 0.0, z]
    found = GroundProfile(motion).depth(1, 0, SIZE, np.array([corner]))
    assert found == pytest.approx(depth, abs=1e-4)
