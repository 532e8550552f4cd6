"""The humanoids that ship besides Atlas, through build and track as users call them."""

import json

import pytest

ROBOTS = [
    "g1",
    pytest.param("h1", marks=pytest.mark.slow),
    pytest.param("t1", marks=pytest.mark.slow),
]


def read(outcome):
    """What a command that succeeded wrote as JSON."""
    code, out, err = outcome
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_shipped_behavior_is_built_for_a_robot_and_held(backbeat, tmp_path, robot):
    """On sensors with noise and delay, the body going down and up again."""
    library = tmp_path / "library"
    of = "--robot", robot, "--library", library
    (built,) = read(backbeat("build", "deep-squat", *of, "--json"))
    assert (built["name"], built["robot"]) == ("deep-squat", robot)
    how = "--state", "estimated", "--seed", 2
    tracked = read(backbeat("track", "deep-squat", *of, *how, "--json"))
    assert tracked["survived"]
    assert tracked["com_error_mm"]["rms"] < 2.0
    assert tracked["foot_slip_mm"] < 1.0
    assert tracked["range"]["achieved"]["com_m"][2] > 0.05


@pytest.mark.slow
def test_a_robot_without_ankle_roll_walks(backbeat, tmp_path):
    """On sensors, motors with lag, and masses that are off by up to a tenth."""
    library, scenario = tmp_path / "library", tmp_path / "scenario.yaml"
    read(backbeat("build", "walk-2", "--robot", "h1", "--library", library, "--json"))
    scenario.write_text(
        "behavior: walk-2\nrobot: h1\nstate: estimated\nactuator_lag: 0.002\nseed: 1\n"
        "world: {mass_spread: 0.1}\n"
    )
    how = "--scenario", scenario, "--library", library
    tracked = read(backbeat("track", "walk-2", *how, "--json"))
    assert tracked["survived"]
    assert tracked["com_error_mm"]["rms"] < 10.0
    assert tracked["foot_slip_mm"] < 3.0
    # The body goes to either side, and soles roll below it.
    assert tracked["range"]["achieved"]["com_m"][1] > 0.05


def test_another_robot_is_refused_where_it_cannot_be(backbeat):
    code, _, err = backbeat("build", "stand", "--robot", "g1", "--max-tempo")
    assert code == 2
    assert "write `robot: g1` into the specification" in err
