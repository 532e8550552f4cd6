"""A block on a slope, with and without steps: what sticks stays where it is."""

import numpy as np
import pytest
from pydrake.geometry import HalfSpace, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    CoulombFriction,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.world.scene import STICTION_SPEED
from backbeat.models.world.simulator import make_simulator

MASS, FRICTION, GRAVITY = 10.0, 0.8, 9.81
# Flat enough not to tip on any slope here; it stands on its corners.
LENGTH, HEIGHT, CORNER = 0.4, 0.1, 0.01


def block_on_slope(angle, time_step):
    """Plant, block, pose of the slope, and a simulator at the start."""
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(
        time_step=time_step, stiction_tolerance=STICTION_SPEED
    )
    plant, _ = AddMultibodyPlant(config, builder)
    mu = CoulombFriction(FRICTION, FRICTION)
    X_WS = RigidTransform(RotationMatrix.MakeYRotation(angle), np.zeros(3))
    plant.RegisterCollisionGeometry(plant.world_body(), X_WS, HalfSpace(), "slope", mu)
    inertia = SpatialInertia.SolidBoxWithMass(MASS, LENGTH, LENGTH, HEIGHT)
    block = plant.AddRigidBody("block", inertia)
    for i, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        p = np.array([x * LENGTH / 2, y * LENGTH / 2, CORNER - HEIGHT / 2])
        plant.RegisterCollisionGeometry(
            block, RigidTransform(p), Sphere(CORNER), f"corner_{i}", mu
        )
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    own = plant.GetMyMutableContextFromRoot(context)
    plant.SetFreeBodyPose(own, block, X_WS @ RigidTransform([0, 0, HEIGHT / 2]))
    return plant, block, X_WS, make_simulator(diagram, context, plant)


def friction_said(plant, simulator, X_WS):
    """Force of friction on the block that the plant tells of, down the slope [N]."""
    own = plant.GetMyContextFromRoot(simulator.get_context())
    results = plant.get_contact_results_output_port().Eval(own)
    contacts = [
        results.point_pair_contact_info(i)
        for i in range(results.num_point_pair_contacts())
    ]
    total = sum(
        c.contact_force() * (1 if c.bodyA_index() == plant.world_body().index() else -1)
        for c in contacts
    )
    return float(X_WS.rotation().matrix()[:, 0] @ total)


def sliding(angle, time_step, times):
    """Place [m] and speed [m/s] down the slope at times, and steps taken."""
    plant, block, X_WS, simulator = block_on_slope(angle, time_step)
    own = plant.GetMyContextFromRoot(simulator.get_context())
    down = X_WS.rotation().matrix()[:, 0]
    rows = []
    for t in times:
        simulator.AdvanceTo(t)
        p_WB = plant.EvalBodyPoseInWorld(own, block).translation()
        v_WB = plant.EvalBodySpatialVelocityInWorld(own, block).translational()
        rows.append((down @ p_WB, down @ v_WB))
    return np.array(rows), simulator.get_num_steps_taken()


@pytest.mark.parametrize("time_step", [0.0, 1e-3])
def test_what_friction_holds_stays(time_step):
    """Half of the friction that there is: it creeps by less than the stiction speed."""
    rows, _ = sliding(np.arctan(FRICTION / 2), time_step, [0.5, 1.5])
    crept = rows[1, 0] - rows[0, 0]
    assert 0 <= crept < STICTION_SPEED


@pytest.mark.parametrize("time_step", [0.0, 1e-3])
def test_what_is_said_of_contact_is_what_acts(time_step):
    """Sensors of feet read it: an integrator with a law of its own has it wrong."""
    angle = np.arctan(FRICTION / 2)
    plant, _, X_WS, simulator = block_on_slope(angle, time_step)
    simulator.AdvanceTo(1.0)
    weight = MASS * GRAVITY * np.sin(angle)
    assert friction_said(plant, simulator, X_WS) == pytest.approx(-weight, rel=0.01)


@pytest.mark.parametrize("time_step", [0.0, 1e-3])
def test_what_it_does_not_hold_slides_by_coulombs_law(time_step):
    angle = np.arctan(1.5 * FRICTION)
    rows, _ = sliding(angle, time_step, [0.3, 0.8])
    gained = rows[1, 1] - rows[0, 1]
    law = GRAVITY * (np.sin(angle) - FRICTION * np.cos(angle))
    assert gained == pytest.approx(0.5 * law, rel=0.01)


def test_continuous_time_takes_few_steps():
    """An explicit integrator takes thousands, to follow friction that is stiff."""
    _, steps = sliding(np.arctan(FRICTION / 2), 0.0, [0.5])
    assert steps < 200
