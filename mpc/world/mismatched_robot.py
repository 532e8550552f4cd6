"""A simulated robot with a model mismatch: other inertias and damping."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    ModelInstanceIndex,
    RigidBody,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.framework import Context

from backbeat.mpc.disturbances.draws import Stream, either_way, random_stream
from backbeat.mpc.scenario.model_mismatch import ModelMismatch


def apply_model_mismatch(
    plant: MultibodyPlant,
    context: Context,
    instance: ModelInstanceIndex,
    error: ModelMismatch,
    seed: int,
) -> None:
    """Gives links other masses, inertias and centers of mass, joints other damping.

    Args:
        plant: finalized plant.
        context: its context, in which all of that are parameters.
        instance: the robot; what it carries stays as it is.
        error: by how much.
        seed: seed of the scenario.
    """
    heavier = random_stream(seed, Stream.MASS)
    moved = random_stream(seed, Stream.CENTER_OF_MASS)
    for body in map(plant.get_body, plant.GetBodyIndices(instance)):
        share = 1.0 + either_way(heavier, error.mass_spread)
        direction = moved.normal(size=3)
        shift = error.com_shift * direction / np.linalg.norm(direction)
        _change_inertia(
            body, context, error.mass_scale * share, error.inertia_scale, shift
        )
    if error.damping_scale != 1.0:
        for joint in map(plant.get_joint, plant.GetJointIndices(instance)):
            if joint.num_velocities() == 1:
                damping = error.damping_scale * joint.default_damping_vector()
                joint.SetDampingVector(context, damping)


def _change_inertia(
    body: RigidBody, context: Context, mass: float, inertia: float, shift: np.ndarray
) -> None:
    """Scales mass and, by the same and a factor more, inertia; shifts the center."""
    old = body.CalcSpatialInertiaInBodyFrame(context)
    is_same = mass == 1.0 and inertia == 1.0 and not shift.any()
    if old.get_mass() == 0.0 or is_same:
        return
    m, p_BScm, G = mass * old.get_mass(), old.get_com(), old.get_unit_inertia()
    if inertia != 1.0 or shift.any():
        about = inertia * G.ShiftToCenterOfMass(p_BScm).CopyToFullMatrix3()
        moments, products = np.diag(about), about[[0, 0, 1], [1, 2, 2]]
        p_BScm = p_BScm + shift
        G = UnitInertia(*moments, *products).ShiftFromCenterOfMass(p_BScm)
    body.SetSpatialInertiaInBodyFrame(context, SpatialInertia(m, p_BScm, G))
