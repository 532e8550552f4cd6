"""Pushes: what is asked is what is given, to the last newton second."""

import numpy as np
import pytest
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.models.common.errors import BackbeatError
from backbeat.models.world.scene import add_world
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.world.disturbance_forces import DisturbanceForces
from tests.tolerances import RECURSION

IMPULSE = np.array([60.0, -20.0, 5.0])


class FreeBlock:
    """A block of 3 kg without gravity."""

    def __init__(self, pushes, start_time=0.0, time_step=0.001):
        builder = DiagramBuilder()
        config = MultibodyPlantConfig(time_step=time_step)
        self.plant, _ = AddMultibodyPlant(config, builder)
        inertia = SpatialInertia.SolidBoxWithMass(3.0, 0.1, 0.2, 0.3)
        self.plant.AddRigidBody("block", inertia)
        self.plant.mutable_gravity_field().set_gravity_vector(np.zeros(3))
        self.plant.Finalize()
        self.push = builder.AddSystem(DisturbanceForces(self.plant, pushes, start_time))
        builder.Connect(
            self.push.GetOutputPort("spatial_forces"),
            self.plant.get_applied_spatial_force_input_port(),
        )
        self.simulator = Simulator(builder.Build())

    def momentum_at(self, t):
        self.simulator.AdvanceTo(t)
        context = self.plant.GetMyContextFromRoot(self.simulator.get_context())
        momentum = self.plant.CalcSpatialMomentumInWorldAboutPoint(context, np.zeros(3))
        return momentum.translational()

    def force_at(self, t):
        self.simulator.AdvanceTo(t)
        context = self.push.GetMyContextFromRoot(self.simulator.get_context())
        return self.push.GetOutputPort("impulse_rate").Eval(context)


@pytest.mark.parametrize("time_step", [0.001, 0.002, 0.005])
@pytest.mark.parametrize("start", [0.1, 0.10037, 0.0])
@pytest.mark.parametrize("duration", [0.1, 0.0731, 0.0004])
def test_a_push_gives_its_impulse(time_step, start, duration):
    push = Push(start, duration, list(IMPULSE), "block")
    block = FreeBlock([push], time_step=time_step)
    if start:
        assert not block.momentum_at(0.095).any()
    np.testing.assert_allclose(block.momentum_at(0.3), IMPULSE, rtol=1e-9)


def test_time_is_that_of_the_behavior():
    block = FreeBlock([Push(0.1, 0.05, list(IMPULSE), "block")], start_time=0.5)
    assert not block.momentum_at(0.6).any()
    np.testing.assert_allclose(block.momentum_at(0.625), IMPULSE / 2, rtol=1e-9)
    np.testing.assert_allclose(block.momentum_at(0.7), IMPULSE, rtol=1e-9)


def test_pushes_add_up():
    pushes = [
        Push(0.1, 0.1, [3.0, 0, 0], "block"),
        Push(0.15, 0.1, [0, 2.0, 0], "block"),
    ]
    block = FreeBlock(pushes)
    np.testing.assert_allclose(block.force_at(0.12), [30, 0, 0])
    np.testing.assert_allclose(block.force_at(0.17), [30, 20, 0])
    np.testing.assert_allclose(block.force_at(0.22), [0, 20, 0])
    np.testing.assert_allclose(block.momentum_at(0.4), [3, 2, 0], atol=RECURSION)


@pytest.mark.parametrize("body", ["pelvis", "utorso", "l_hand"])
def test_a_falling_atlas_takes_the_whole_impulse(body):
    """Momentum, less what gravity gave, wherever the robot is pushed."""
    builder = DiagramBuilder()
    world = add_world(builder, make_robot("atlas", (), Mount()))
    plant = world.plant
    impulse = 0.05 * IMPULSE
    push = DisturbanceForces(plant, [Push(0.01, 0.03, list(impulse), body)], 0.0)
    builder.AddSystem(push)
    builder.Connect(
        push.GetOutputPort("spatial_forces"),
        plant.get_applied_spatial_force_input_port(),
    )
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.get_actuation_input_port().FixValue(context, np.zeros(plant.num_actuators()))
    q = world.robot.posture("stand")
    q[6] += 2.0
    plant.SetPositions(context, q)
    simulator.AdvanceTo(0.05)
    momentum = plant.CalcSpatialMomentumInWorldAboutPoint(context, np.zeros(3))
    mass = world.robot.total_mass
    gained = momentum.translational() + [0, 0, 9.81 * mass * 0.05]
    # Steps of first order let the momentum of moving limbs drift by a little.
    np.testing.assert_allclose(gained, impulse, atol=0.02 * np.linalg.norm(impulse))


@pytest.mark.parametrize(("body", "near"), [("pelvi", "pelvis"), ("block1", "block")])
def test_an_unknown_body_is_one_sentence(body, near):
    if near == "block":
        with pytest.raises(BackbeatError, match="did you mean block"):
            FreeBlock([Push(body=body)])
        return
    builder = DiagramBuilder()
    world = add_world(builder, make_robot("atlas", ("sticks",), Mount()))
    with pytest.raises(BackbeatError, match="did you mean pelvis"):
        DisturbanceForces(world.plant, [Push(body=body)], 0.0)
    # There are two of them, and no telling which is meant.
    with pytest.raises(BackbeatError, match="unknown body"):
        DisturbanceForces(world.plant, [Push(body="stick")], 0.0)


def test_a_welded_link_is_pushed_where_it_is():
    builder = DiagramBuilder()
    robot = make_robot("atlas", ("sticks",), Mount())
    plant = add_world(builder, robot).plant
    assert not plant.HasBodyNamed("hokuyo_link")
    force = np.array([0.0, 100.0, 0.0])
    push = Push(time=0.0, duration=1.0, impulse=force.tolist(), body="hokuyo_link")
    system = DisturbanceForces(plant, [push], 0.0)
    (applied,) = system.GetOutputPort("spatial_forces").Eval(
        system.CreateDefaultContext()
    )
    frame = plant.GetFrameByName("hokuyo_link")
    assert applied.body_index == plant.GetBodyByName("head").index()
    place = frame.GetFixedPoseInBodyFrame().translation()
    np.testing.assert_allclose(applied.p_BoBq_B, place)
    assert np.linalg.norm(place) > 0.01
    np.testing.assert_allclose(applied.F_Bq_W.translational(), force)
