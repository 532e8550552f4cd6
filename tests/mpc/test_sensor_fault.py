"""Faults of sensors: what is measured changes for as long as was said, and no more."""

from dataclasses import fields

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.models.common.errors import BackbeatError
from backbeat.models.sensing.sensors import SensorReading
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.sensor_fault import SENSORS, SensorFault
from backbeat.mpc.runs.table import run_frame
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario


@pytest.fixture(scope="module")
def atlas():
    return make_robot("atlas", (), Mount())


def reading(robot, seed=0):
    random, nj = np.random.default_rng(seed), robot.num_joints
    shapes = (nj, nj, 3, 3, 2, (2, 6))
    values = [random.normal(size=shape) for shape in shapes]
    values[-1][:, 5] = values[-2]
    return SensorReading(0, *values)


@pytest.mark.parametrize("sensor", SENSORS)
def test_one_sensor_changes_and_only_meanwhile(atlas, sensor):
    fault = SensorFault(1.0, 0.2, sensor, factor=0.5, offset=2.0)
    true = reading(atlas)
    for t in (0.999, 1.2, 5.0):
        assert fault.sensed(t, true, atlas) is true
    felt = fault.sensed(1.1, true, atlas)
    np.testing.assert_allclose(getattr(felt, sensor), 0.5 * getattr(true, sensor) + 2)
    others = {item.name for item in fields(true)} - {sensor, "wrenches"}
    for name in others:
        assert getattr(felt, name) is getattr(true, name)
    # A foot has one sensor for its force and its wrench.
    np.testing.assert_array_equal(felt.wrenches[:, 5], felt.force)
    np.testing.assert_array_equal(felt.wrenches[:, :5], true.wrenches[:, :5])


def test_of_encoders_those_of_the_joints_named(atlas):
    true = reading(atlas)
    fault = SensorFault(0.0, 1.0, "position", ["back"], offset=0.1)
    moved = fault.sensed(0.5, true, atlas).position - true.position
    which = atlas.joint_indices(["back"])
    assert len(which) == 3
    np.testing.assert_allclose(moved[which], 0.1)
    assert not np.delete(moved, which).any()


@pytest.mark.parametrize(
    ("fault", "state", "told"),
    [
        ({"joints": ["back"]}, "estimated", "they belong to position and velocity"),
        ({"sensor": "nose"}, "estimated", "nose"),
        ({"duration": 0.0}, "estimated", "duration is 0"),
        ({}, "true", "give state: estimated"),
        ({}, "sampled", "give state: estimated"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(fault, state, told):
    faults = [SensorFault(**fault)]
    with pytest.raises(BackbeatError, match=told):
        Scenario.of(behavior="stand", state=state, sensor_faults=faults).check()


def test_a_joint_that_the_robot_lacks_is_refused(built):
    fault = SensorFault(0.0, 0.1, "position", ["tail"])
    scenario = Scenario.of(
        behavior="stand", state="estimated", duration=0.1, sensor_faults=[fault]
    )
    with pytest.raises(BackbeatError, match="tail"):
        run_scenario(scenario, built("stand"))


def test_the_estimate_is_off_meanwhile_and_the_robot_recovers(built):
    """A gyro that is 0.5 rad/s off for 0.1 s tilts the estimate by 0.05 rad at most."""

    def run(*faults):
        scenario = Scenario.of(
            behavior="stand",
            state="estimated",
            duration=1.5,
            lead_in=0.3,
            lead_out=0.0,
            sensor_faults=[*faults],
        )
        return run_scenario(scenario, built("stand"))

    fault = SensorFault(0.5, 0.1, "gyro", offset=0.5)
    sound, faulty, again = run(), run(fault), run(fault)
    assert not run_metrics(faulty)["fell"]
    one, other = run_frame(faulty), run_frame(sound)
    np.testing.assert_array_equal(one["com.y"], run_frame(again)["com.y"])
    difference = np.abs(one["com.y"] - other["com.y"]).to_numpy()
    assert not difference[one["t"] < 0.5].any()
    assert 1e-4 < difference.max() < 0.05
