"""Walks over a behavior that steps in place: footholds, and a motion that fits them."""

import itertools

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.predictive.plan_message import pack, unpack
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.walking.cycle import SteppingCycle
from backbeat.mpc.walking.steering import StepLimits, standing_walk, steer
from backbeat.mpc.walking.walk import STOP, Walk, WalkStep, compose, inverse
from backbeat.mpc.walking.writer import write_table

LIMITS = StepLimits(0.45, (0.19, 0.6), 0.4, (0.5, 0.4, 1.0))


@pytest.fixture(scope="module")
def cycle(built):
    return SteppingCycle(Reference(built("step-in-place")))


def driven(cycle, command, steps):
    """A walk after so many steps at a command, each landing where it is planned."""
    walk = steer(cycle, LIMITS, standing_walk(cycle), (0.0, 0.02), command, cycle.feet)
    return driven_on(cycle, walk, command, steps)


def driven_on(cycle, walk, command, steps):
    """A walk after so many more steps at a command, or where it rests."""
    for _ in range(steps):
        if walk.settled == len(walk.steps):
            break
        step, feet = walk.steps[walk.settled], walk.feet_before(walk.settled)
        when = step.start + cycle.swings[step.piece][0]
        walk = steer(cycle, LIMITS, walk, (when, when), command, tuple(feet))
    return walk


def own_walk(cycle):
    """The walk that is the behavior itself, all of its pieces in place."""
    return Walk(
        cycle.feet,
        tuple(
            WalkStep(c, i, float(cycle.begins[i]), cycle.feet[c], STOP)
            for i, c in enumerate(cycle.contacts)
        ),
    )


def test_a_walk_in_place_is_the_behavior(cycle):
    found = write_table(cycle, own_walk(cycle))
    own = cycle.reference.table
    rows = np.concatenate(cycle.rows)
    for name, tolerance in {
        **dict.fromkeys(("t", "standing", "p_contact", "R_contact"), 1e-12),
        **{"q": 3e-4, "v": 2e-3, "com": 2e-3, "wrench": 2e-4, "contact_motion": 1e-9},
    }.items():
        values = getattr(found, name), getattr(own, name)[rows]
        np.testing.assert_allclose(*map(np.asarray, values), atol=tolerance)


@pytest.mark.parametrize(
    "command", [(0.4, 0.0, 0.0), (0.0, -0.25, 0.0), (0.0, 0.0, 0.5), (0.3, 0.1, -0.3)]
)
def test_footholds_advance_at_the_velocity(cycle, command):
    walk = driven(cycle, command, 10)
    a, b = walk.steps[walk.settled - 1], walk.steps[walk.settled + 1]
    beside = (0.0, np.sign(cycle.feet[a.contact][1]) * _half_width(cycle, command), 0.0)
    # The body goes on in little steps, and has the foot beside it again.
    body, h = (0.0, 0.0, 0.0), 1e-4
    for _ in range(round((b.start - a.start) / h)):
        body = compose(body, (h * command[0], h * command[1], h * command[2]))
    way = compose(inverse(a.foothold), b.foothold)
    expected = compose(inverse(beside), compose(body, beside))
    np.testing.assert_allclose(way, expected, atol=2e-4)


def _half_width(cycle, command):
    own = abs(cycle.feet[0][1] - cycle.feet[1][1])
    return 0.5 * max(own, LIMITS.sideways[0] + abs(command[1]) * cycle.period)


def test_feet_never_cross_or_reach_too_far(cycle):
    rng, walk = np.random.default_rng(0), standing_walk(cycle)
    walk = steer(cycle, LIMITS, walk, (0.0, 0.02), (0.3, 0.2, 0.1), cycle.feet)
    for _ in range(60):
        command = tuple(rng.uniform(-2, 2, 3))
        step = walk.steps[walk.settled]
        when = step.start + cycle.swings[step.piece][0]
        feet = [compose(f, tuple(rng.normal(0, 0.01, 3)))
                for f in walk.feet_before(walk.settled)]  # fmt: skip
        walk = steer(cycle, LIMITS, walk, (when, when), command, tuple(feet))
        for k in range(walk.settled - 1, len(walk.steps)):
            c, after = walk.steps[k].contact, walk.feet_before(k + 1)
            x, y, turn = compose(inverse(after[1 - c]), after[c])
            side = np.sign(cycle.feet[c][1])
            assert abs(x) <= LIMITS.forward + 1e-9
            assert 0.19 - 1e-9 <= side * y <= 0.6 + 1e-9
            assert abs(turn) <= LIMITS.turn + 1e-9


def test_forces_move_the_center_of_mass_as_planned(cycle):
    walk = driven(cycle, (0.4, 0.1, 0.3), 6)
    table, robot = write_table(cycle, walk), cycle.reference.robot
    force = np.einsum("mcij,mcj->mi", table.R_contact, table.wrench[:, :, 3:])
    pulled = robot.gravity * force - [0.0, 0.0, robot.gravity]
    np.testing.assert_allclose(pulled[:, :2], table.com[:, 2, :2], atol=1e-9)
    # Places, velocities and accelerations belong together, and so do momenta.
    h = np.diff(table.t)[:, None]
    on = h[:, 0] > 0

    def grown(values, rates):
        mean = 0.5 * (rates[1:] + rates[:-1])
        return (np.diff(values, axis=0) / np.maximum(h, 1e-9) - mean)[on]

    off = np.abs(grown(table.com[:, 0], table.com[:, 1]))
    # Heights are the cycle's, whose repeated pieces meet within a fraction of a mm.
    assert off[:, :2].max() < 5e-3
    assert off[:, 2].max() < 0.03
    bent = grown(table.com[:, 1, :2], table.com[:, 2, :2])
    assert np.sqrt((bent**2).mean()) < 0.02 * np.abs(table.com[:, 2, :2]).max()
    places = table.p_contact.reshape(len(h) + 1, -1)
    speeds = table.contact_motion[:, 0, :, 3:].reshape(len(h) + 1, -1)
    assert np.abs(grown(places, speeds)).max() < 2e-2
    moment = np.zeros((len(h) + 1, 3))
    for c in range(2):
        arm = table.p_contact[:, c] - table.com[:, 0]
        W = np.einsum("mij,mkj->mki", table.R_contact[:, c],
                      robot.weight * table.wrench[:, c].reshape(-1, 2, 3))  # fmt: skip
        moment += W[:, 0] + np.cross(arm, W[:, 1])
    inside = (table.t > walk.steps[2].start) & (table.t < walk.steps[-2].start)
    off = (moment - table.momentum[:, 1])[inside, :2]
    least = 0.1 * table.momentum[inside, 1, :2].std()
    assert np.sqrt((off**2).mean()) < least


def test_a_walk_ends_with_its_feet_level(cycle):
    walk = driven(cycle, (0.4, 0.1, 0.3), 5)
    for _ in range(20):
        if walk.settled == len(walk.steps):
            break
        step, feet = walk.steps[walk.settled], walk.feet_before(walk.settled)
        when = step.start + cycle.swings[step.piece][0]
        walk = steer(cycle, LIMITS, walk, (when, when), STOP, tuple(feet))
    left, right = walk.feet_before(len(walk.steps))
    apart = compose(inverse(right), left)
    nominal = compose(inverse(cycle.feet[1]), cycle.feet[0])
    np.testing.assert_allclose(apart, nominal, atol=1e-9)
    assert walk.steps[-1].piece == cycle.last
    end = walk.steps[-1].start + cycle.length(cycle.last)
    assert steer(cycle, LIMITS, walk, (end, end), STOP, (left, right)) is walk


def test_a_foot_that_landed_elsewhere_is_where_the_next_step_begins(cycle):
    walk = driven(cycle, (0.3, 0.0, 0.0), 4)
    step, feet = walk.steps[walk.settled], walk.feet_before(walk.settled)
    when = step.start + cycle.swings[step.piece][0]
    moved = tuple(compose(foot, (0.05, 0.03, 0.0)) for foot in feet)
    there = steer(cycle, LIMITS, walk, (when, when), (0.3, 0.0, 0.0), moved)
    usual = steer(cycle, LIMITS, walk, (when, when), (0.3, 0.0, 0.0), tuple(feet))
    for a, b in zip(there.steps[-3:], usual.steps[-3:], strict=True):
        np.testing.assert_allclose(a.foothold, np.add(b.foothold, (0.05, 0.03, 0)))


def test_too_much_is_reduced():
    fastest = LIMITS.fastest(0.6)
    assert LIMITS.held((9.0, 0.0, 0.0), 0.6) == pytest.approx((fastest[0], 0.0, 0.0))
    command = (0.3, -0.1, 0.2)
    assert LIMITS.held(command, 0.6) == command
    for command in ((9.0, -9.0, 9.0), (0.1, -2.0, 0.1)):
        held = LIMITS.held(command, 0.6)
        assert (np.abs(held) <= fastest).all()
        assert np.allclose(np.cross(held, command), 0.0)
    assert fastest[0] * 0.6 == pytest.approx(LIMITS.forward)


def test_arms_go_through_their_whole_motion_in_a_walk(built):
    cycle = SteppingCycle(Reference(built("walk-and-wave")))
    # A wave of four beats, a step on each.
    assert len(cycle.repeated) == 4
    walk = driven(cycle, (0.3, 0.0, 0.2), 9)
    walk = driven_on(cycle, walk, STOP, 9)
    assert walk.steps[-1].piece == cycle.last
    contacts = [step.contact for step in walk.steps]
    assert all(a != b for a, b in itertools.pairwise(contacts))
    table, robot = write_table(cycle, walk), cycle.reference.robot
    q, v = table.q[:, robot.base_positions :], table.v[:, robot.base_velocities :]
    legs = np.concatenate([robot.contacts[n].limb for n in robot.soles])
    above = np.setdiff1d(np.arange(robot.num_joints), legs)
    assert np.ptp(q[:, above], axis=0).max() > 1.0
    # No joint leaps where one piece follows another.
    step = np.abs(np.diff(q[:, above], axis=0)).max()
    assert step < 0.05 + np.abs(v[:, above]).max() * np.diff(table.t).max()


def test_arms_that_never_come_back_to_where_they_were_are_refused(built):
    reference = Reference(built("walk-and-wave"))
    first = reference.robot.base_positions
    legs = np.concatenate(
        [reference.robot.contacts[n].limb for n in reference.robot.soles]
    )
    arm = np.setdiff1d(np.arange(reference.robot.num_joints), legs)[-1]
    q = reference.table.q.copy()
    q[:, first + arm] += np.linspace(0.0, 1.0, len(q))
    reference = reference.along(reference.table._replace(q=q), 1.0)
    with pytest.raises(BackbeatError, match="come back to a posture of arms"):
        SteppingCycle(reference)


def test_a_walk_goes_through_a_message(cycle):
    walk = driven(cycle, (0.4, 0.1, 0.3), 3)
    assert unpack(pack(walk)) == walk


@pytest.mark.parametrize(
    ("name", "why"),
    [("stand", "does not step"), ("walk-2", "in place"), ("squat-jump", "step")],
)
def test_what_cannot_be_driven_is_refused(built, name, why):
    with pytest.raises(BackbeatError, match="cannot be driven") as error:
        SteppingCycle(Reference(built(name)))
    assert why in str(error.value)
