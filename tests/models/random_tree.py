"""Random robots for property tests, built directly in Drake."""

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    PrismaticJoint,
    RevoluteJoint,
    SpatialInertia,
    UnitInertia,
)


def random_plant(
    seed: int, num_joints: int, floating: bool, num_welds: int = 0, rotors: bool = False
) -> MultibodyPlant:
    """A random tree of `num_joints` revolute and prismatic joints.

    The last `num_welds` bodies are welded to others; a weld may point either way. With
    `rotors`, two joints of three have motors, and these have rotors and gears.
    """
    rng = np.random.default_rng(seed)
    plant = MultibodyPlant(time_step=0.0)
    bodies = [plant.AddRigidBody("base", _inertia(rng))]
    if not floating:
        X_WB = RigidTransform(RollPitchYaw(rng.normal(size=3)), rng.normal(size=3))
        plant.WeldFrames(plant.world_frame(), bodies[0].body_frame(), X_WB)
    for i in range(num_joints):
        parent = bodies[rng.integers(len(bodies))]
        child = plant.AddRigidBody(f"link{i}", _inertia(rng))
        X_PJ = RigidTransform(RollPitchYaw(rng.normal(size=3)), rng.normal(size=3))
        frame = plant.AddFrame(FixedOffsetFrame(f"at{i}", parent, X_PJ))
        axis = rng.normal(size=3)
        kind = RevoluteJoint if rng.random() < 0.7 else PrismaticJoint
        plant.AddJoint(
            kind(f"joint{i}", frame, child.body_frame(), axis / np.linalg.norm(axis))
        )
        bodies.append(child)
        if rotors and i % 3:
            motor = plant.AddJointActuator(
                f"motor{i}", plant.GetJointByName(f"joint{i}")
            )
            motor.set_default_rotor_inertia(1e-4 * (1 + i))
            motor.set_default_gear_ratio(50.0 + 10.0 * i)
    for i in range(num_welds):
        load = plant.AddRigidBody(f"load{i}", _inertia(rng))
        X = RigidTransform(RollPitchYaw(rng.normal(size=3)), rng.normal(size=3))
        if rng.random() < 0.5:  # the wrong way around, but never under the base
            link = bodies[1 + rng.integers(num_joints)]
            plant.WeldFrames(load.body_frame(), link.body_frame(), X)
        else:
            body = bodies[rng.integers(len(bodies))]
            plant.WeldFrames(body.body_frame(), load.body_frame(), X)
        bodies.append(load)
    plant.Finalize()
    return plant


def _inertia(rng: np.random.Generator) -> SpatialInertia:
    mass = rng.uniform(0.5, 5)
    G = UnitInertia.SolidBox(*rng.uniform(0.1, 0.6, 3))
    G = G.ReExpress(RollPitchYaw(rng.normal(size=3)).ToRotationMatrix())
    p_com = rng.normal(size=3) * 0.2
    return SpatialInertia(mass, p_com, G.ShiftFromCenterOfMass(p_com))
