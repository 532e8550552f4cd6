"""Fused models: links that cannot move against each other become one body.

Control and optimization use the fused model: the same dynamics with fewer
bodies and therefore less work a tick. The simulated plant keeps the links that are
seen or touch something.
"""

from collections.abc import Mapping, Set

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BodyIndex,
    FixedOffsetFrame,
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    RigidBody,
    SpatialInertia,
)
from pydrake.systems.framework import Context

# Pose X_RB of every original body in the fused body (by name) it became part of.
Homes = dict[BodyIndex, tuple[str, RigidTransform]]


def fuse(
    plant: MultibodyPlant, base_name: str, locked: Mapping[str, float]
) -> tuple[MultibodyPlant, Homes]:
    """Builds the fused twin of a robot's plant.

    Args:
        plant: finalized plant of one robot.
        base_name: the body that becomes the base; free or welded to the world.
        locked: angle [rad] of each joint to be held for good, by joint name.

    Returns:
        The fused, finalized plant (joints in the order of the original's
        velocities, with actuators of those that have a rotor, without geometry and
        without joint damping) and the home of each original body.
    """
    context = plant.CreateDefaultContext()
    set_joints(plant, context, locked)
    joints = [plant.get_joint(i) for i in plant.GetJointIndices()]
    moving = [j for j in joints if j.num_velocities() == 1 and j.name() not in locked]
    moving.sort(key=lambda j: j.velocity_start())
    driven = {j.index() for j in moving}
    rigid = [j for j in joints if j.index() not in driven]
    base = plant.GetBodyByName(base_name)
    roots = [base, *(j.child_body() for j in moving)]
    homes = _find_homes(plant, context, rigid, roots)

    fused = MultibodyPlant(time_step=0.0)
    bodies = {}
    for root in roots:
        inertia = _sum_inertia(plant, context, homes, root.name())
        bodies[root.name()] = fused.AddRigidBody(root.name(), inertia)
    if not base.is_floating_base_body():
        X_WB = plant.EvalBodyPoseInWorld(context, base)
        fused.WeldFrames(fused.world_frame(), bodies[base.name()].body_frame(), X_WB)
    for joint in moving:
        _copy_joint(fused, bodies, homes, joint)
    _copy_rotors(fused, plant, {j.name() for j in moving})
    fused.Finalize()
    return fused, homes


def set_joints(
    plant: MultibodyPlant, context: Context, values: Mapping[str, float]
) -> None:
    """Sets single-degree-of-freedom joints to values [rad or m] by name."""
    q = plant.GetPositions(context)
    for name, value in values.items():
        q[plant.GetJointByName(name).position_start()] = value
    plant.SetPositions(context, q)


def _find_homes(
    plant: MultibodyPlant,
    context: Context,
    rigid: list[Joint],
    roots: list[RigidBody],
) -> Homes:
    """Follows welds and locked joints from each root to the bodies it carries."""
    homes: Homes = {r.index(): (r.name(), RigidTransform()) for r in roots}
    # Welds may point either way along the tree (a reversed weld is legal).
    pending = True
    while pending:
        pending = False
        for joint in rigid:
            ends = (joint.parent_body(), joint.child_body())
            for near, far in (ends, ends[::-1]):
                known = near.index() in homes and far.index() not in homes
                if known and far.index() != plant.world_body().index():
                    name = homes[near.index()][0]
                    root = plant.GetBodyByName(name)
                    X_RF = plant.CalcRelativeTransform(
                        context, root.body_frame(), far.body_frame()
                    )
                    homes[far.index()] = (name, X_RF)
                    pending = True
    return homes


def _sum_inertia(
    plant: MultibodyPlant, context: Context, homes: Homes, root: str
) -> SpatialInertia:
    """Spatial inertia of everything that rides on `root`, about its origin."""
    total = None
    for index, (home, X_RB) in homes.items():
        if home != root:
            continue
        M_BBo_B = plant.get_body(index).CalcSpatialInertiaInBodyFrame(context)
        if M_BBo_B.get_mass() == 0:
            continue
        M_BRo_R = M_BBo_B.ReExpress(X_RB.rotation()).Shift(-X_RB.translation())
        if total is None:
            total = M_BRo_R
        else:
            total += M_BRo_R
    return SpatialInertia.Zero() if total is None else total


def _copy_joint(
    fused: MultibodyPlant, bodies: dict[str, RigidBody], homes: Homes, joint: Joint
) -> None:
    parent, X_RP = homes[joint.parent_body().index()]
    X_PJ = joint.frame_on_parent().GetFixedPoseInBodyFrame()
    frame = fused.AddFrame(
        FixedOffsetFrame(f"{joint.name()}_parent", bodies[parent], X_RP @ X_PJ)
    )
    child = bodies[joint.child_body().name()].body_frame()
    lower, upper = joint.position_lower_limits(), joint.position_upper_limits()
    kind = RevoluteJoint if isinstance(joint, RevoluteJoint) else PrismaticJoint
    axis = (
        joint.revolute_axis()
        if isinstance(joint, RevoluteJoint)
        else joint.translation_axis()
    )
    copy = fused.AddJoint(
        kind(joint.name(), frame, child, axis, float(lower[0]), float(upper[0]), 0.0)
    )
    copy.set_velocity_limits(
        joint.velocity_lower_limits(), joint.velocity_upper_limits()
    )
    assert np.isfinite(X_RP.translation()).all()


def _copy_rotors(fused: MultibodyPlant, plant: MultibodyPlant, names: Set[str]) -> None:
    """Gives the joints of a fused plant what rotors behind their gears add."""
    for index in plant.GetJointActuatorIndices():
        motor = plant.get_joint_actuator(index)
        reflected, name = motor.default_reflected_inertia(), motor.joint().name()
        if reflected > 0.0 and name in names:
            copy = fused.AddJointActuator(motor.name(), fused.GetJointByName(name))
            copy.set_default_rotor_inertia(reflected)
            copy.set_default_gear_ratio(1.0)
