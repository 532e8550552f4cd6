"""Short closed loops, whatever contact model, with the physics of the log checked."""

import numpy as np
import pytest

from backbeat.behaviors.drumming.problem import REST_FORCE
from backbeat.models.contact.cones import wrench_cone
from backbeat.mpc.analysis.drumming.rests import run_rests
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.behaviors.drake_robot import DrakeRobot
from tests.mpc.recovered import recovered
from tests.tolerances import ENERGY_BALANCE, FORCE_BALANCE

CONTACT_MODELS = ("lagged", pytest.param("sap", marks=pytest.mark.slow))
# How much more than planned a resting hand may press, once it has settled [N].
REST_MARGIN = 3.0
PUSHES = [[60.0, 0, 0], [-60.0, 0, 0], [0, 60.0, 0], [0, -60.0, 0]]


def patches(robot):
    """Contacts that can carry weight, in the order of the log."""
    return [name for name, c in robot.contacts.items() if not c.is_point]


@pytest.fixture(scope="module", params=CONTACT_MODELS)
def tour(request, built):
    """The first four seconds of the tour: Atlas crouches and gets up again."""
    scenario = Scenario.of(
        behavior="posture-tour", duration=4.0, contact_model=request.param
    )
    return run_scenario(scenario, built("posture-tour"))


@pytest.fixture(scope="module")
def metrics(tour):
    return run_metrics(tour)


def test_the_tour_is_followed(metrics):
    assert metrics["fell"] is False
    assert metrics["com_error_mm"]["rms"] <= 1.0
    assert metrics["com_error_mm"]["max"] <= 5.0
    assert metrics["joint_error_deg"]["max"] <= 2.0
    assert metrics["foot_slip_mm"] <= 1.0
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0


def test_the_robot_really_moved(metrics):
    achieved = metrics["range"]["achieved"]
    assert achieved["com_m"][2] >= 0.08
    assert achieved["widest_joint_rad"] >= 0.4


def test_work_becomes_energy(tour):
    """Work of joints, damping and contact is the change of mechanical energy."""
    robot, drake = tour.behavior.robot_model, DrakeRobot(tour.behavior.robot_model)
    nq, energy, power = robot.num_positions, [], []
    for x, effort, wrenches in zip(tour.x, tour.effort, tour.contact, strict=True):
        q, v = x[:nq], x[nq:]
        drake.set(q, v)
        energy.append(drake.energy())
        total = effort @ v[6:] - (robot.damping * v[6:]) @ v[6:]
        for name, w in zip(patches(robot), wrenches[:-1], strict=True):
            V = drake.jacobian(name) @ v
            # Wrenches are about the world origin; so is this velocity.
            at_origin = V[3:] - np.cross(V[:3], drake.pose(name).translation())
            total += w[:3] @ V[:3] + w[3:] @ at_origin
        power.append(total)
    power, steps = np.array(power), np.diff(tour.t)
    work = np.r_[0.0, np.cumsum(0.5 * (power[1:] + power[:-1]) * steps)]
    change = np.array(energy) - energy[0]
    # Down and up again is a hundred joules and more.
    assert np.ptp(change) > 100.0
    assert np.abs(change - work).max() < ENERGY_BALANCE * np.ptp(change)


def test_contact_forces_carry_weight_and_motion(tour):
    """Newton, on what the log says: sum of forces = m (a + g), within steps."""
    robot, drake = tour.behavior.robot_model, DrakeRobot(tour.behavior.robot_model)
    momentum = []
    for x in tour.x:
        drake.set(x[: robot.num_positions], x[robot.num_positions :])
        momentum.append(drake.momentum()[3:])
    settled = tour.t > 0
    rate = np.gradient(np.array(momentum), tour.t, axis=0)[settled]
    force = tour.contact[settled, :, 3:].sum(axis=1)
    error = force - [0, 0, robot.weight] - rate
    assert np.sqrt(np.mean(error**2)) < FORCE_BALANCE * robot.weight
    assert not tour.contact[:, -1].any()


def test_soles_stay_within_their_cones(tour):
    robot, drake = tour.behavior.robot_model, DrakeRobot(tour.behavior.robot_model)
    for x, wrenches in zip(tour.x[::20], tour.contact[::20], strict=True):
        drake.set(x[: robot.num_positions], x[robot.num_positions :])
        for name, w in zip(patches(robot), wrenches[:-1], strict=True):
            X, patch = drake.pose(name), robot.contacts[name]
            R = X.rotation().matrix()
            about_patch = w[:3] - np.cross(X.translation(), w[3:])
            local = np.r_[R.T @ about_patch, R.T @ w[3:]]
            # The square around the friction circle, for the cone is the one inside.
            cone = wrench_cone(patch.half_length, patch.half_width, 0.8 * np.sqrt(2))
            assert (cone @ local).max() < FORCE_BALANCE * robot.weight


def test_equal_runs_are_equal_to_the_last_bit(built):
    scenario = Scenario.of(
        behavior="stand", duration=0.5, pushes=[Push(0.1, 0.1, [30.0, 20.0, 0.0])]
    )
    first, second = (run_scenario(scenario, built("stand")) for _ in range(2))
    for name in ("t", "x", "effort", "contact", "push"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    for a, b in zip(first.plans, second.plans, strict=True):
        np.testing.assert_array_equal(a.deviation, b.deviation)
        np.testing.assert_array_equal(a.wrench, b.wrench)
        assert a.rate == b.rate


@pytest.mark.parametrize(
    "impulse",
    [PUSHES[0], *(pytest.param(p, marks=pytest.mark.slow) for p in PUSHES[1:])],
)
def test_a_push_of_60_newton_seconds_is_survived(built, impulse):
    scenario = Scenario.of(
        behavior="stand", lead_in=0.3, duration=2.9, pushes=[Push(0.2, 0.1, impulse)]
    )
    run = run_scenario(scenario, built("stand"))
    metrics = run_metrics(run)
    (push,) = metrics["pushes"]
    assert recovered(run)
    assert 10.0 < push["com_moved_mm"] < 80.0
    # A foot that is no longer needed lifts a little and comes down elsewhere.
    assert metrics["foot_slip_mm"] < 30.0
    applied = run.push.sum(axis=0) * (run.t[1] - run.t[0])
    np.testing.assert_allclose(applied, impulse, rtol=0.1, atol=1e-9)


def test_a_push_that_nobody_survives_is_a_fall_and_ends_the_run(built):
    scenario = Scenario.of(
        behavior="stand", lead_in=0.2, pushes=[Push(0.1, 0.1, [700, 0, 0])]
    )
    run = run_scenario(scenario, built("stand"))
    assert run.fell
    assert 0.1 < run.fell_at < 2.0
    assert run.t[-1] == pytest.approx(run.fell_at, abs=0.01)
    (push,) = run_metrics(run)["pushes"]
    assert push["survived"] is False


@pytest.mark.parametrize("timing", [True, False])
def test_the_scenario_says_whether_the_tempo_may_change(built, timing):
    scenario = Scenario.of(
        behavior="groove",
        lead_in=0.1,
        duration=0.8,
        timing=timing,
        pushes=[Push(0.3, 0.1, [0.0, 50.0, 0.0])],
    )
    run = run_scenario(scenario, built("groove"))
    rates = np.array([p.rate for p in run.plans])
    assert not run.fell
    assert (np.ptp(rates) > 0.05) == timing


@pytest.mark.slow
@pytest.mark.parametrize("impulse", PUSHES)
def test_a_push_while_dancing_is_survived(built, impulse):
    scenario = Scenario.of(
        behavior="groove", duration=11.0, pushes=[Push(6.0, 0.1, impulse)]
    )
    metrics = run_metrics(run_scenario(scenario, built("groove")))
    (push,) = metrics["pushes"]
    assert push["survived"] is True
    assert metrics["beat_error_ms"]["max"] < 100.0


@pytest.fixture(scope="module")
def seated(built):
    """Drumming on a chair, on sensors; pushed once the tips have left their heads."""
    push = Push(3.0, 0.1, [-30.0, 0.0, 0.0], "utorso")
    scenario = Scenario.of(
        behavior="outstanding",
        lead_in=0.2,
        duration=6.0,
        pushes=[push],
        state="estimated",
        actuator_lag=0.005,
    )
    return run_scenario(scenario, built("outstanding"))


def test_a_seated_drummer_hits_what_is_planned_and_nothing_else(seated):
    """Pushed, too: nothing holds it but its weight. Feet feel force, the seat not."""
    run, metrics = seated, run_metrics(seated)
    assert metrics["com_error_mm"]["rms"] < 2.0
    error = metrics["estimate_error"]
    assert error["place"]["rms"] < 3.0
    assert error["velocity"]["rms"] < 3.0
    assert error["tilt"]["rms"] < 1.0
    hits = metrics["hits"]
    assert hits["planned"] >= 10
    assert hits["made"] == hits["planned"]
    assert hits["extra"] == 0
    assert hits["timing_mean_ms"] <= 1.0
    assert hits["position_max_mm"] <= 10.0
    assert hits["speed_min_m_s"] >= 1.0
    assert run.behavior.mount.is_free
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0
    assert metrics["foot_slip_mm"] < 5.0
    assert metrics["seat_slip_mm"] < 5.0
    # Seat and soles push, never pull, and carry all there is.
    load = run.contact[run.t > 0.0, :, 5]
    assert load.min() >= 0.0
    assert load[:, -2].min() > 0.3 * run.behavior.robot_model.weight
    assert not load[:, -1].any()


def test_hands_rest_on_drums_with_a_bounded_force(seated):
    """The drummers begin with both tips on a head."""
    rests = run_rests(seated)
    assert list(rests["tip"]) == ["l_stick_tip", "r_stick_tip"]
    assert (rests["planned_max_N"] <= REST_FORCE[1]).all()
    assert (rests["max_N"] <= REST_FORCE[1] + REST_MARGIN).all()
    assert (rests["min_N"] > REST_FORCE[0]).all()


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", ["lagged", "sap", "similar"])
def test_a_seated_drummer_plays_to_the_end_on_every_contact_model(built, contact_model):
    push = Push(5.0, 0.1, [0.0, 30.0, 0.0], "utorso")
    scenario = Scenario.of(
        behavior="outstanding", contact_model=contact_model, pushes=[push]
    )
    run = run_scenario(scenario, built("outstanding"))
    metrics = run_metrics(run)
    assert metrics["survived"] is True
    assert metrics["hits"]["made"] == metrics["hits"]["planned"] == 76
    assert metrics["hits"]["extra"] == 0
    assert metrics["seat_slip_mm"] < 5.0
    # Three rests, into two of which the tips come down from above.
    rests = run_rests(run)
    assert len(rests) == 6
    assert (rests["max_N"] <= REST_FORCE[1] + REST_MARGIN).all()
    assert (rests["min_N"] > REST_FORCE[0]).all()
    assert (rests["peak_N"] <= 2 * REST_FORCE[1]).all()
