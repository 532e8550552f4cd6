"""The kinematic tree as plain arrays: what the compiled recursion reads.

A `KinematicTree` is read once from a finalized Drake plant whose links are
already fused (every body moved by one single-degree-of-freedom joint, the base
free or welded to the world). Drake stays the source of every number.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, Joint, PrismaticJoint, RevoluteJoint

from backbeat.models.compiled.arrays import (
    Array3,
    Flags,
    IndexMatrix,
    Indices,
    Matrix,
    Vector,
)


class KinematicTree(NamedTuple):
    """Tree structure, geometry and inertia of a robot with fused links.

    Body 0 is the base B; joint j moves body j + 1. All frames of joints and
    bodies follow Drake: joint frame J fixed on the parent P, axis in J, body
    frame on the axis.

    Attributes:
        floating: whether the base has six degrees of freedom.
        parent: (nj,) parent body of each joint.
        revolute: (nj,) False for a prismatic joint.
        R_PJ: (nj, 3, 3) rotation of the joint frame in the parent.
        p_PJ: (nj, 3) position of the joint frame in the parent [m].
        axis: (nj, 3) unit joint axis.
        rotor: (nj,) inertia that motors add behind their gears [kg m^2 or kg].
        mass: (nj + 1,) body masses [kg].
        p_BoBcm: (nj + 1, 3) center of mass in the body frame [m].
        I_BBcm: (nj + 1, 3, 3) rotational inertia about the center of mass, in
            body axes [kg m^2].
        ancestor: (nj, depth) joints between the base and joint j, nearest first.
        num_ancestors: (nj,) how many of them there are.
        R_WB: (3, 3) rotation of a fixed base in the world.
        p_WB: (3,) position of a fixed base in the world [m].
    """

    floating: bool
    parent: Indices
    revolute: Flags
    R_PJ: Array3
    p_PJ: Matrix
    axis: Matrix
    rotor: Vector
    mass: Vector
    p_BoBcm: Matrix
    I_BBcm: Array3
    ancestor: IndexMatrix
    num_ancestors: Indices
    R_WB: Matrix
    p_WB: Vector


class Workspace(NamedTuple):
    """Scratch arrays of one recursion; spatial vectors are [angular, linear].

    All spatial quantities are expressed in world axes about the base origin.
    """

    R: Array3  # (nb, 3, 3) body rotations
    p: Matrix  # (nb, 3) body origins from the base origin
    S: Matrix  # (nv, 6) motion axes
    dS: Matrix  # (nv, 6) their first material derivative
    ddS: Matrix  # (nv, 6) their second material derivative
    V: Matrix  # (nb, 6) velocities
    A: Matrix  # (nb, 6) accelerations, gravity as an upward acceleration
    I: Array3
    m: Vector  # (nb,) composite masses
    h: Matrix  # (nb, 3) composite first moments
    T: Array3  # (nb, 3, 3) composite Coriolis blocks
    l: Matrix
    f: Matrix  # (nb, 6) composite forces
    u: Vector  # (nj,) efforts that spin up rotors


def make_workspace(tree: KinematicTree) -> Workspace:
    """Allocates scratch arrays for `tree`; one per thread of computation."""
    nb = len(tree.mass)
    nv = nb - 1 + (6 if tree.floating else 0)
    z = np.zeros
    return Workspace(
        R=z((nb, 3, 3)),
        p=z((nb, 3)),
        S=z((nv, 6)),
        dS=z((nv, 6)),
        ddS=z((nv, 6)),
        V=z((nb, 6)),
        A=z((nb, 6)),
        I=z((nb, 3, 3)),
        m=z(nb),
        h=z((nb, 3)),
        T=z((nb, 3, 3)),
        l=z((nb, 3)),
        f=z((nb, 6)),
        u=z(nb - 1),
    )


def read_kinematic_tree(plant: MultibodyPlant, base_name: str) -> KinematicTree:
    """Reads the tree of a fused, finalized plant in Drake's velocity order.

    Args:
        plant: finalized plant with one free or welded base and fused links.
        base_name: name of the base body.

    Raises:
        ValueError: a joint is neither revolute nor prismatic, a child's frame is
            not its joint frame, or joints are not in topological order.
    """
    base = plant.GetBodyByName(base_name)
    context = plant.CreateDefaultContext()
    joints = [plant.get_joint(i) for i in plant.GetJointIndices()]
    joints = [j for j in joints if j.num_velocities() == 1]
    joints.sort(key=lambda j: j.velocity_start())
    body_of = {base.index(): 0}
    body_of.update({j.child_body().index(): i + 1 for i, j in enumerate(joints)})
    parent, revolute, R_PJ, p_PJ, axis = _read_joints(joints, body_of)
    mass, p_BoBcm, I_BBcm = _read_inertias(plant, body_of)
    ancestor, num_ancestors = _ancestors(parent)
    X_WB = plant.EvalBodyPoseInWorld(context, base)
    return KinematicTree(
        floating=base.is_floating_base_body(),
        parent=parent,
        revolute=revolute,
        R_PJ=R_PJ,
        p_PJ=p_PJ,
        axis=axis,
        rotor=_read_rotors(plant, joints),
        mass=mass,
        p_BoBcm=p_BoBcm,
        I_BBcm=I_BBcm,
        ancestor=ancestor,
        num_ancestors=num_ancestors,
        R_WB=np.ascontiguousarray(X_WB.rotation().matrix()),
        p_WB=np.array(X_WB.translation()),
    )


def _read_joints(
    joints: Sequence[Joint], body_of: Mapping[BodyIndex, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """`parent`, `revolute`, `R_PJ`, `p_PJ` and `axis` of the tree.

    Raises:
        ValueError: as `read_kinematic_tree`.
    """
    nj = len(joints)
    parent, revolute = np.zeros(nj, np.int64), np.zeros(nj, np.bool_)
    R_PJ, p_PJ, axis = np.zeros((nj, 3, 3)), np.zeros((nj, 3)), np.zeros((nj, 3))
    for i, joint in enumerate(joints):
        parent[i] = body_of[joint.parent_body().index()]
        if parent[i] > i:
            raise ValueError(f"joint {joint.name()} comes before its parent")
        if not joint.frame_on_child().GetFixedPoseInBodyFrame().IsNearlyIdentity(0):
            raise ValueError(f"joint {joint.name()} does not sit at its child's frame")
        X_PJ = joint.frame_on_parent().GetFixedPoseInBodyFrame()
        R_PJ[i], p_PJ[i] = X_PJ.rotation().matrix(), X_PJ.translation()
        if isinstance(joint, RevoluteJoint):
            revolute[i], axis[i] = True, joint.revolute_axis()
        elif isinstance(joint, PrismaticJoint):
            axis[i] = joint.translation_axis()
        else:
            raise ValueError(f"joint {joint.name()} is {joint.type_name()}, not 1-DOF")
    return parent, revolute, R_PJ, p_PJ, axis


def _read_rotors(plant: MultibodyPlant, joints: Sequence[Joint]) -> np.ndarray:
    """`rotor` of the tree: what all actuators of a joint reflect."""
    order, rotor = {j.index(): i for i, j in enumerate(joints)}, np.zeros(len(joints))
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        rotor[order[actuator.joint().index()]] += actuator.default_reflected_inertia()
    return rotor


def _read_inertias(
    plant: MultibodyPlant, body_of: Mapping[BodyIndex, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`mass`, `p_BoBcm` and `I_BBcm` of the tree."""
    nb, context = len(body_of), plant.CreateDefaultContext()
    mass, p_BoBcm, I_BBcm = np.zeros(nb), np.zeros((nb, 3)), np.zeros((nb, 3, 3))
    for index, b in body_of.items():
        M_B = plant.get_body(index).CalcSpatialInertiaInBodyFrame(context)
        mass[b], p_BoBcm[b] = M_B.get_mass(), M_B.get_com()
        shift = M_B.get_com() @ M_B.get_com() * np.eye(3)
        shift -= np.outer(M_B.get_com(), M_B.get_com())
        I_BBo = M_B.CalcRotationalInertia().CopyToFullMatrix3()
        I_BBcm[b] = I_BBo - mass[b] * shift
    return mass, p_BoBcm, I_BBcm


def _ancestors(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`ancestor` and `num_ancestors` of the tree."""
    nj = len(parent)
    chains: list[list[int]] = []
    for i in range(nj):
        above = parent[i] - 1
        chains.append([] if above < 0 else [above, *chains[above]])
    depth = max((len(c) for c in chains), default=0)
    ancestor = np.zeros((nj, max(depth, 1)), np.int64)
    for i, chain in enumerate(chains):
        ancestor[i, : len(chain)] = chain
    return ancestor, np.array([len(c) for c in chains], np.int64)
