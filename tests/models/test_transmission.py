"""Transmissions: power is the same on both sides, whatever the reductions."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.models.actuation.joint_command import (
    BLOCKS,
    DAMPING,
    EFFORT,
    POSITION,
    STIFFNESS,
    VELOCITY,
)
from backbeat.models.actuation.servo_modes import interface_command
from backbeat.models.actuation.transmission import joint_modes, transmission_map
from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.description import (
    Description,
    Transmission,
    TransmissionEnd,
)

ratios = st.floats(0.5, 200.0) | st.floats(-200.0, -0.5)
pairs = st.lists(st.floats(-50, 50), min_size=2, max_size=2).map(np.array)


def end(name, reduction=None):
    return TransmissionEnd(1, name, (), reduction)


def differential(n_j, n_a):
    joints = tuple(end(f"j{i}", n) for i, n in enumerate(n_j))
    motors = tuple(end(f"a{i}", n) for i, n in enumerate(n_a))
    return transmission_map(
        Transmission(1, "d", "DifferentialTransmission", joints, motors)
    )


@given(st.lists(ratios, min_size=4, max_size=4), pairs, pairs)
def test_power_is_the_same_on_both_sides(n, effort, velocity):
    drive = differential(n[:2], n[2:])
    given_power = effort @ drive.actuator_velocity(velocity)
    scale = 1e-9 * (1 + np.abs(effort).max() * np.abs(drive.ratio).max() * 200)
    assert drive.joint_effort(effort) @ velocity == pytest.approx(
        given_power, abs=scale
    )
    back = drive.joint_effort(drive.actuator_effort(effort))
    np.testing.assert_allclose(back, effort, rtol=1e-9, atol=1e-9)


def test_motors_of_a_differential_that_agree_turn_the_first_joint_alone():
    drive = differential((1, 1), (10, 10))
    np.testing.assert_allclose(drive.joint_effort(np.array([2.0, 2.0])), [40.0, 0.0])
    np.testing.assert_allclose(drive.joint_effort(np.array([2.0, -2.0])), [0.0, 40.0])
    np.testing.assert_allclose(drive.actuator_velocity(np.array([3.0, 0.0])), [30, 30])


def test_a_reduction_of_fifty():
    """A motor turns fifty times as fast and needs a fiftieth of the torque."""
    ends = (end("j"),), (end("a", 50.0),)
    drive = transmission_map(Transmission(1, "s", "SimpleTransmission", *ends))
    assert drive.actuator_effort(np.array([100.0])) == [2.0]
    assert drive.actuator_velocity(np.array([1.0])) == [50.0]


@pytest.mark.parametrize(
    ("kind", "count", "reduction", "sentence"),
    [
        ("FourBarLinkageTransmission", 1, 1.0, "is a FourBarLinkageTransmission"),
        ("DifferentialTransmission", 1, 1.0, "1 joints and 1 actuators; 2 of each"),
        ("SimpleTransmission", 1, 0.0, "a reduction of zero"),
    ],
)
def test_what_is_not_known_is_a_sentence(kind, count, reduction, sentence):
    joints, motors = (tuple(end(n, reduction) for _ in range(count)) for n in "ja")
    with pytest.raises(BackbeatError, match=sentence):
        transmission_map(Transmission(7, "t", kind, joints, motors))


def test_interfaces_choose_the_mode_of_each_joint():
    modes, values = ("torque", "position", "velocity"), np.array([1.0, 2.0, 3.0])
    gains = np.full(3, 7.0), np.full(3, 0.5)
    blocks = interface_command(modes, values, *gains).reshape(BLOCKS, 3)
    assert blocks[EFFORT].tolist() == [1.0, 0.0, 0.0]
    assert blocks[POSITION].tolist() == [0.0, 2.0, 0.0]
    assert blocks[VELOCITY].tolist() == [0.0, 0.0, 3.0]
    assert blocks[STIFFNESS].tolist() == [0.0, 7.0, 0.0]
    assert blocks[DAMPING].tolist() == [0.0, 0.5, 0.5]
    with pytest.raises(BackbeatError, match="unknown mode of a joint 'torqe'"):
        interface_command(("torqe",), values[:1], values[:1], values[:1])


def test_an_interface_that_no_mode_serves_is_noted():
    ends = tuple(
        (TransmissionEnd(1, f"j{i}", (word,) if word else ()),)
        for i, word in enumerate(("PositionJointInterface", "", "ImpedanceInterface"))
    )
    motor = (TransmissionEnd(1, "m"),)
    drives = tuple(Transmission(1, "t", "SimpleTransmission", e, motor) for e in ends)
    modes, notes = joint_modes(Description(Path("r.urdf"), "r", {}, {}, drives))
    assert modes == {"j0": "position", "j1": "torque", "j2": "torque"}
    assert notes == (
        "joint j2: no mode serves the hardware interface ImpedanceInterface; it takes "
        "torques",
        "joints j0: they take positions, drives of their own hold them, and no efforts "
        "of a plan reach these",
    )
