"""Robots, and motions of theirs that were not recorded."""

import functools

import pytest

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.takes.take import Conventions
from backbeat.behaviors.takes.writers.formats import written_format
from backbeat.behaviors.takes.writers.states import motion_states
from tests.behaviors.takes.standing import standing_frame


@functools.cache
def robot_named(name):
    return make_robot(name, (), Mount())


@functools.cache
def states_of(name, rate):
    robot = robot_named(name)
    return motion_states(standing_frame(robot), {"name": name}, robot, "bends", rate)


@pytest.fixture(scope="session")
def g1():
    return robot_named("g1")


@pytest.fixture
def write(tmp_path):
    """`write(states, format)` is the path of a file that was written."""

    def call(states, form):
        made = written_format(form, states.robot.name)
        path = tmp_path / f"take-{form}{made.suffix}"
        path.write_bytes(made.write(states))
        return path

    return call


@pytest.fixture
def read(g1, tmp_path):
    """`read(name, bytes, ...)` is the take of a file of the G1 with these bytes."""

    def call(name, raw, **told):
        path = tmp_path / name
        path.write_bytes(raw)
        return read_take(path, g1, Conventions(**told))

    return call
