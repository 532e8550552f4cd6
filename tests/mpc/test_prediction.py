"""What a plan foresees, against what then happens, after a push."""

import numpy as np
import pytest

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.horizon.prediction import predict
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

# How far ahead is asked [s], and for how long after the push plans are compared [s].
AHEAD, AFTER = 0.3, 1.5
PUSH = Push(0.5, 0.1, [60.0, 0.0, 0.0])
# A foot in the air lands this close to where it is expected to [m].
LANDING = 0.015
# Root mean squares [m, N m s].
COM, MOMENTUM = 0.010, 2.0


def prediction_errors(run):
    """(K, 3) CoM [m] and (K, 3) angular momentum [N m s], foreseen minus happened."""
    reference, start = Reference(run.behavior), run.scenario.timing.lead_in
    robot = reference.robot
    com, momentum = [], []
    end = PUSH.time + PUSH.duration
    for plan in run.plans:
        t = plan.time - start
        if not end <= t <= end + AFTER:
            continue
        then = plan.time + AHEAD
        deviation = plan.at(then).deviation
        ends = np.r_[0.0, np.cumsum(plan.durations)]
        sample = reference.sample(float(np.interp(AHEAD, ends, plan.phases)))
        k = int(np.argmin(np.abs(run.t - (t + AHEAD))))
        assert abs(run.t[k] - (t + AHEAD)) < 1e-6
        nq = robot.num_positions
        now = Configuration(robot, run.x[k, :nq], run.x[k, nq:])
        foreseen = sample.momentum[0] + robot.total_mass * deviation[6:9]
        deviation[2] += plan.ground
        com.append(sample.com[0] + deviation[:3] - now.center_of_mass)
        momentum.append(foreseen - now.momentum[:3])
    return np.array(com), np.array(momentum)


def rms(errors):
    """Root mean square of the lengths of errors."""
    return float(np.sqrt((errors**2).sum(axis=1).mean()))


@pytest.mark.slow
@pytest.mark.parametrize("direction", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_the_plan_foresees_what_happens_after_a_push(built, direction):
    x, y = 60.0 * np.array(direction)
    scenario = Scenario.of(
        behavior="stand",
        lead_in=0.1,
        duration=PUSH.time + PUSH.duration + AFTER + AHEAD + 0.1,
        pushes=[Push(PUSH.time, PUSH.duration, [x, y, 0.0])],
    )
    run = run_scenario(scenario, built("stand"))
    assert not run.fell
    com, momentum = prediction_errors(run)

    assert len(com) >= 70
    assert rms(com) <= COM
    assert rms(momentum) <= MOMENTUM


def test_a_foot_lands_where_a_plan_expects_it(built):
    """A push that takes a step: the sole comes down where it was told to."""
    push = Push(0.1, 0.1, [120.0, 40.0, 0.0])
    scenario = Scenario.of(behavior="stand", lead_in=0.1, duration=0.5, pushes=[push])
    run = run_scenario(scenario, built("stand"))
    reference = Reference(run.behavior)
    foot = reference.patches.index("r_foot")
    bears = run.contact[:, run.behavior.robot_model.patches.index("r_foot"), 5] > 60.0
    in_air = np.flatnonzero(~bears & (run.t > 0.1))
    assert len(in_air) > 20
    landed = in_air[-1] + 1
    nq = reference.robot.num_positions
    state = Configuration(reference.robot, run.x[landed, :nq])
    place = state.pose("r_foot").translation()
    assert np.linalg.norm(place[:2] - reference.sample(0.0).p_contact[foot, :2]) > 0.03

    start = scenario.timing.lead_in
    late = [p for p in run.plans if 0.02 < run.t[landed] - (p.time - start) <= 0.1]
    assert late
    for plan in late:
        soonest = next(
            f for f in predict(reference, plan).footholds if f.contact == "r_foot"
        )
        assert np.linalg.norm(soonest.p_WC - place) < LANDING
        then = plan.time - start + soonest.after
        assert then == pytest.approx(run.t[landed], abs=0.05)
