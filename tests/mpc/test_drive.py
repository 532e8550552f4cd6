"""A robot that is driven goes where it is told, on sensors and in spite of pushes."""

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import collect_run, run_scenario

NAME = "step-in-place"
BASE = {"engine": "mujoco", "lead_in": 0.1}


def heading(run):
    """(M,) heading of the base, unwrapped [rad]."""
    w, x, y, z = run.x[:, :4].T
    return np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y**2 + z**2)))


@pytest.fixture(scope="module")
def ahead(built):
    """Ahead at 0.3 m/s for a while, on sensors, and to rest again."""
    drive = [[0.2, 0.3, 0.0, 0.0], [5.0, 0.0, 0.0, 0.0]]
    scenario = Scenario.of(NAME, drive=drive, duration=8.5, state="estimated", **BASE)
    return run_scenario(scenario, built(NAME))


def test_it_walks_at_the_speed_it_is_told_and_stops(ahead):
    t, x = ahead.t, ahead.x[:, 4]
    assert not ahead.fell
    # From 3 s on it walks; steps take 0.45 s.
    way = np.interp(4.8, t, x) - np.interp(3.0, t, x)
    assert way == pytest.approx(0.3 * 1.8, rel=0.15)
    assert np.interp(5.0, t, x) > 0.9
    late = ahead.x[t > 8.0]
    assert np.ptp(late[:, 4:6], axis=0).max() < 2e-3
    feet = ahead.plans[-1].walk.feet_before(len(ahead.plans[-1].walk.steps))
    assert feet[0][0] == pytest.approx(feet[1][0], abs=0.01)


def test_it_waves_as_it_walks(built):
    drive = [[0.2, 0.4, 0.0, 0.2]]
    name = "walk-and-wave"
    scenario = Scenario.of(name, drive=drive, duration=7.0, state="estimated", **BASE)
    run = run_scenario(scenario, built(name))
    assert not run.fell
    held = run_metrics(run)["drive"]["share_held"]
    assert held["forward"] == pytest.approx(1.0, abs=0.15)
    robot = run.behavior.robot_model
    shoulder = robot.base_positions + robot.joint_names.index("l_arm_shx")
    late = run.x[run.t > 3.0, shoulder]
    assert np.ptp(late) > 0.4


def test_metrics_have_steps_and_speed(ahead):
    found = run_metrics(ahead)["drive"]
    assert found["share_held"]["forward"] == pytest.approx(1.0, abs=0.1)
    assert found["share_held"]["turning"] is None
    assert 8 <= found["steps"] <= 16
    assert found["commands"][0]["held"] == [0.3, 0.0, 0.0]
    assert run_metrics(ahead)["com_error_mm"]["rms"] < 15.0


def test_it_turns_and_goes_sideways(built):
    scenario = Scenario.of(NAME, drive=[[0.1, 0.0, 0.15, 0.5]], duration=5.0, **BASE)
    run = run_scenario(scenario, built(NAME))
    speed = run_metrics(run)["drive"]["commands"][0]["achieved"]
    assert speed[2] == pytest.approx(0.5, rel=0.15)
    assert speed[1] == pytest.approx(0.15, rel=0.15)
    assert abs(speed[0]) < 0.03
    turned = np.interp([3.0, 5.0], run.t, heading(run))
    assert np.diff(turned)[0] == pytest.approx(1.0, rel=0.15)


def test_without_a_command_it_stands(built):
    run = run_scenario(Scenario.of(NAME, drive=[], duration=2.0, **BASE), built(NAME))
    assert np.ptp(run.x[run.t > 0.2][:, 4:6], axis=0).max() < 3e-3
    assert run_metrics(run)["drive"] == {
        "steps": 0,
        "share_held": {"forward": None, "left": None, "turning": None},
        "commands": [],
    }


def test_the_slowest_walk_is_the_behavior(built):
    """With next to no velocity the run is that of steps in place.

    The walk repeats the middle of the behavior, whose steps are alike within 6 mm.
    """
    behavior = built(NAME)
    slow = [[0.08, 1e-7, 0.0, 0.0]]
    walked = run_scenario(Scenario.of(NAME, drive=slow, duration=2.7, **BASE), behavior)
    own = run_scenario(Scenario.of(NAME, duration=2.5, **BASE), behavior)
    # The walk begins 0.02 s after its command, at a plan.
    begin = next(p.walk.steps[0].start for p in walked.plans if p.walk.steps)
    moved = np.array(
        [np.interp(own.t + begin, walked.t, walked.x[:, k]) for k in (4, 5)]
    )
    both = (own.t > 0) & (own.t < 2.5)
    assert np.abs(moved.T - own.x[:, 4:6])[both].max() < 8e-3


def test_by_hand_is_repeated_bit_for_bit(built):
    behavior = built(NAME)
    scenario = Scenario.of(NAME, drive=[], duration=3.0, state="estimated", **BASE)
    with RunningLoop(behavior, scenario) as running:
        running.advance(0.5)
        running.set_drive(0.2, 0.0, 0.2)
        running.advance(10.0)
        run = collect_run(running)
    assert run.x[-1, 4] > 0.15
    again = run_scenario(run.scenario, behavior)
    assert run.x.tobytes() == again.x.tobytes()


def test_pushed_hard_it_falls_and_says_so(built):
    """What must fail: a push of several times what steps can catch."""
    mass = built(NAME).robot_model.total_mass
    push = Push(2.0, 0.1, [0.0, 1.6 * mass, 0.0])
    scenario = Scenario.of(
        NAME, drive=[[0.1, 0.3, 0.0, 0.0]], duration=5.0, pushes=[push], **BASE
    )
    run = run_scenario(scenario, built(NAME))
    assert run.fell
    assert run_metrics(run)["fell"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("change", [0.0, 0.35])
def test_random_commands(built, seed, change):
    behavior, rng = built(NAME), np.random.default_rng(seed)
    most = np.array([0.5, 0.3, 0.5])
    drive = [[5.0 * k, *rng.uniform(-most, most).tolist()] for k in range(4)]
    pushes = []
    for k in range(1, 4) if change else ():
        angle, size = (
            rng.uniform(0, 2 * np.pi),
            change * behavior.robot_model.total_mass,
        )
        force = [size * np.cos(angle), size * np.sin(angle), 0.0]
        pushes.append(Push(5.0 * k + 2.0, 0.1, force))
    scenario = Scenario.of(
        NAME,
        drive=drive,
        duration=20.0,
        state="estimated",
        seed=seed,
        pushes=pushes,
        engine="mujoco",
    )
    run = run_scenario(scenario, behavior)
    assert not run.fell
    if not change:
        share = run_metrics(run)["drive"]["share_held"].values()
        assert all(0.85 <= x <= 1.15 for x in share)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"drive": [[0.0, 0.1, 0.0, 0.0]], "duration": 0.0}, "duration"),
        ({"drive": [[0.0, 0.1, 0.0]]}, "four numbers"),
        ({"drive": [[0.0, np.nan, 0.0, 0.0]]}, "finite number"),
        ({"drive": [[1.0, 0, 0, 0], [0.5, 0, 0, 0]]}, "in order of time"),
        ({"drive": [], "steps": False}, "steps: false"),
    ],
)
def test_commands_without_sense_are_refused(values, why):
    with pytest.raises(BackbeatError, match=why):
        Scenario.of(NAME, **({"duration": 1.0} | values)).check()


def test_what_is_not_driven_is_not_commanded(built):
    with RunningLoop(built(NAME), Scenario.of(NAME, duration=0.2)) as running:
        with pytest.raises(BackbeatError, match="cannot be driven"):
            running.set_drive(0.1, 0.0, 0.0)
        with pytest.raises(BackbeatError, match="three numbers, forward"):
            running.apply("drive", 1.0)


def test_only_what_steps_in_place_is_driven(built):
    scenario = Scenario.of("stand", drive=[], duration=0.2, **BASE)
    with pytest.raises(BackbeatError, match="stand cannot be driven"):
        run_scenario(scenario, built("stand"))
