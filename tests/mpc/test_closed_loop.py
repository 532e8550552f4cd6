"""Short closed loops, whatever contact model, with the physics of the log checked."""

import numpy as np
import pytest

from backbeat.models.contact.cones import wrench_cone
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.behaviors.drake_robot import DrakeRobot
from tests.mpc.recovered import recovered
from tests.tolerances import ENERGY_BALANCE, FORCE_BALANCE

CONTACT_MODELS = ("lagged", pytest.param("sap", marks=pytest.mark.slow))
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
