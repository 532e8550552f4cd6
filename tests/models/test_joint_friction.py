"""Dry friction of joints: blocks on a rail stick, slip and stop by the book."""

import numpy as np
import pytest
from pydrake.math import RigidTransform
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from backbeat.models.actuation.joint_command import joint_command
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.joint_friction import STICTION_SPEED
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import DISCRETE_MODELS, ContactSettings, add_world
from tests.models.sliders import make_sliders

MASS = [2.0, 1e-3]
LIMIT = [10.0, 1.0]
SHARE = 0.03


@pytest.fixture
def slide(tmp_path):
    """`slide(force, speed, ...)`: times, positions, velocities of the blocks."""
    path = make_sliders(tmp_path, MASS, LIMIT)
    robot = RobotModel(path, X_WB=RigidTransform([0.0, 0.0, 1.0]))

    def run(force, speed, share=SHARE, contact_model="lagged", step=1e-3, duration=0.5):
        builder = DiagramBuilder()
        world = add_world(
            builder, robot, step, ContactSettings(contact_model), joint_friction=share
        )
        servo = builder.AddSystem(JointServo(robot, world.actuator_joints()))
        zero = np.zeros(2)
        command = joint_command(np.array(force, float), zero, zero, zero, zero)
        source = builder.AddSystem(ConstantVectorSource(command))
        state = builder.AddSystem(ConstantVectorSource(np.zeros(4)))
        builder.Connect(source.get_output_port(), servo.GetInputPort("command"))
        builder.Connect(state.get_output_port(), servo.GetInputPort("state"))
        builder.Connect(
            servo.GetOutputPort("actuation"),
            world.plant.get_actuation_input_port(world.instance),
        )
        simulator = Simulator(builder.Build())
        context = world.plant.GetMyMutableContextFromRoot(
            simulator.get_mutable_context()
        )
        world.plant.SetVelocities(context, speed)
        t, q, v = [], [], []
        for k in range(round(duration / step) + 1):
            simulator.AdvanceTo(k * step)
            t.append(k * step)
            q.append(world.plant.GetPositions(context).copy())
            v.append(world.plant.GetVelocities(context).copy())
        return np.array(t), np.array(q), np.array(v)

    return run


@pytest.mark.parametrize("contact_model", DISCRETE_MODELS)
def test_a_moving_block_is_braked_evenly_and_stops(slide, contact_model):
    t, _, v = slide([0, 0], [0.05, 0.0], contact_model=contact_model)
    rate = SHARE * LIMIT[0] / MASS[0]
    stop = 0.05 / rate
    # The first step is done at the start.
    before, after = (t > 0) & (t < stop - 0.01), t > stop + 0.01
    np.testing.assert_allclose(v[before, 0], 0.05 - rate * t[before], atol=1e-6)
    assert np.abs(v[after, 0]).max() < STICTION_SPEED


@pytest.mark.parametrize("step", [5e-4, 1e-3, 2e-3])
def test_less_than_the_friction_moves_nothing(slide, step):
    force = 0.9 * SHARE * np.array(LIMIT)
    _, q, v = slide(force, [0, 0], step=step)
    assert abs(v[-1, 0]) < STICTION_SPEED
    assert abs(q[-1, 0]) < 0.5 * STICTION_SPEED
    # The lightest joints creep, and do not shake.
    assert abs(v[-1, 1]) < 0.1
    assert np.abs(np.diff(v[-100:, 1])).max() < 1e-6


def test_more_than_the_friction_moves_by_what_is_left(slide):
    _, _, v = slide([0.5, 0], [0, 0])
    expected = (0.5 - SHARE * LIMIT[0]) / MASS[0] * 0.5
    assert v[-1, 0] == pytest.approx(expected, rel=1e-2)


def test_without_friction_there_is_none(slide):
    _, _, v = slide([0, 0], [0.05, 0.05], share=0.0)
    np.testing.assert_allclose(v[-1], 0.05, rtol=1e-9)


def test_the_motors_of_atlas_are_the_same_with_and_without_brakes():
    builders = DiagramBuilder(), DiagramBuilder()
    plain, braked = (
        add_world(b, RobotModel(), joint_friction=share)
        for b, share in zip(builders, (0.0, 0.03), strict=True)
    )
    motors = [name for name in braked.actuator_joints() if name]
    assert motors == list(plain.actuator_joints())
    assert len(braked.actuator_joints()) == 2 * len(motors)
