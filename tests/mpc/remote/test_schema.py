"""Both ends agree on names and model, or say what differs."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.models.actuation.joint_command import BLOCKS
from backbeat.mpc.remote.exchange import Answer, Request
from backbeat.mpc.remote.joint_map import JointMap
from backbeat.mpc.remote.schema import differences, make_schema


@pytest.fixture(scope="module")
def robot():
    return make_robot("atlas", (), Mount())


@pytest.fixture(scope="module")
def schema(robot):
    return make_schema(robot)


def test_a_schema_names_every_number(robot, schema):
    assert len(schema.positions) == robot.num_positions
    assert len(schema.velocities) == robot.num_velocities
    assert schema.joints == robot.joint_names
    assert differences(schema, make_schema(make_robot("atlas", (), Mount()))) == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 2}, "messages have version 2, here 1"),
        ({"robot": "talos"}, "the robot is 'talos', here 'atlas'"),
        ({"soles": ("l_foot",)}, "soles r_foot are missing"),
        ({"soles": ("l_foot", "r_foot", "r_foot")}, "soles are named twice"),
        ({"command": ("effort",)}, "command position, velocity, stiffness and 5 more"),
        ({"model": "0" * 64}, "other masses, limits or lengths"),
    ],
)
def test_what_differs_is_said(schema, change, sentence):
    (found,) = differences(schema, replace(schema, **change))
    assert sentence in found


def test_a_joint_of_another_name_is_named(schema):
    joints = ("back_bkz_2", *schema.joints[1:])
    unknown, missing = differences(schema, replace(schema, joints=joints))
    assert unknown == "joints back_bkz_2 are unknown here"
    assert missing == f"joints {schema.joints[0]} are missing"


@pytest.mark.parametrize(
    ("equipment", "same"), [((), True), (("sticks",), False), (("seat",), True)]
)
def test_the_fingerprint_is_of_masses_not_of_names(schema, equipment, same):
    other = make_schema(make_robot("atlas", equipment, Mount()))
    assert (other.model == schema.model) == same


def test_numbers_are_put_in_order_by_name(schema):
    """A client that lists its joints backwards, and a command's blocks otherwise."""
    theirs = replace(
        schema,
        positions=schema.positions[::-1],
        velocities=schema.velocities[1:] + schema.velocities[:1],
        soles=schema.soles[::-1],
        joints=schema.joints[::-1],
        command=schema.command[2:] + schema.command[:2],
    )
    assert len(schema.command) == BLOCKS
    assert differences(schema, theirs) == []
    states = (*schema.positions, *schema.velocities)
    meant = {name: float(i) for i, name in enumerate(states)}
    forces = {name: 100.0 + i for i, name in enumerate(schema.soles)}
    x = np.array([meant[n] for n in (*theirs.positions, *theirs.velocities)])
    force = np.array([forces[n] for n in theirs.soles])

    wiring = JointMap(schema, theirs)
    found = wiring.request(Request(0, 0.0, True, x, force))
    assert dict(zip(states, found.x, strict=True)) == meant
    assert dict(zip(schema.soles, found.force, strict=True)) == forces

    nj = len(schema.joints)
    command = np.arange(float(BLOCKS * nj))
    answer = wiring.answer(Answer(command, np.arange(1.0 * nj), False))
    mine = dict(zip(schema.command, command.reshape(BLOCKS, nj), strict=True))
    for name, block in zip(
        theirs.command, answer.command.reshape(BLOCKS, nj), strict=True
    ):
        np.testing.assert_array_equal(block, mine[name][::-1])
    np.testing.assert_array_equal(answer.acceleration, np.arange(1.0 * nj)[::-1])


def test_the_same_order_costs_nothing(schema):
    wiring = JointMap(schema, schema)
    request = Request(0, 0.0, True, np.zeros(73), np.zeros(2))
    assert wiring.request(request) is request
