"""Links, joints and motors of a Drake plant, in MuJoCo's model-editing interface."""

from typing import Any

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    ForceElementIndex,
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    RevoluteSpring,
    RigidBody,
)
from pydrake.systems.framework import Context

from backbeat.models.common.errors import BackbeatError
from backbeat.models.world.joint_friction import is_brake

# Limits of joints, couplings and friction in joints are as stiff as steps of a
# millisecond bear: time constant [s] and damping ratio, and the share of a constraint
# that is rigid.
STIFF_REFERENCE = [0.002, 1.0]
STIFF_IMPEDANCE = [0.99, 0.999, 1e-4, 0.5, 2.0]
# Force elements that have a counterpart, or none that moves anything.
_ELEMENTS = ("UniformGravityFieldElement", "RevoluteSpring")


class BodyTree:
    """Adds the bodies of a plant to a specification, each on the one that carries it.

    Attributes:
        bodies: what became of every body of the plant, by its number.
    """

    def __init__(
        self, mujoco: Any, spec: Any, plant: MultibodyPlant, context: Context
    ) -> None:
        """Adds all bodies, joints and springs.

        Args:
            mujoco: the module.
            spec: an empty `MjSpec`.
            plant: finalized plant.
            context: of the plant: masses, damping and locked joints are those in it.

        Raises:
            BackbeatError: a joint or force that MuJoCo has no counterpart of.
        """
        self._mujoco, self._plant, self._context = mujoco, plant, context
        self.bodies: dict[int, Any] = {int(plant.world_body().index()): spec.worldbody}
        self._joints: dict[str, Any] = {}
        joints = [plant.get_joint(index) for index in plant.GetJointIndices()]
        while joints:
            carried = [j for j in joints if int(j.parent_body().index()) in self.bodies]
            for joint in carried:
                self._add(joint)
            joints = [j for j in joints if not any(j is other for other in carried)]
        self._add_springs()

    def _add(self, joint: Joint) -> None:
        """Adds the child of a joint, and what moves it against its parent."""
        body, parent = joint.child_body(), joint.parent_body()
        is_free = joint.num_velocities() == 6
        is_held = joint.num_velocities() == 0 or joint.is_locked(self._context)
        X_PB = RigidTransform()
        if is_held:
            X_PB = self._plant.CalcRelativeTransform(
                self._context, parent.body_frame(), body.body_frame()
            )
        elif not is_free:
            X_BJ = joint.frame_on_child().GetFixedPoseInBodyFrame()
            X_PB = joint.frame_on_parent().GetFixedPoseInBodyFrame() @ X_BJ.inverse()
        added = self.bodies[int(parent.index())].add_body(
            name=body.scoped_name().get_full(), **pose(X_PB)
        )
        self.bodies[int(body.index())] = added
        self._weigh(added, body)
        if is_free:
            added.add_freejoint(name=joint.name())
        elif not is_held:
            self._move(added, joint)

    def _weigh(self, added: Any, body: RigidBody) -> None:
        inertia = body.CalcSpatialInertiaInBodyFrame(self._context)
        added.explicitinertial = True
        added.mass = inertia.get_mass()
        if added.mass == 0.0:
            return
        p_BScm = inertia.get_com()
        moments = inertia.get_mass() * (
            inertia.get_unit_inertia().ShiftToCenterOfMass(p_BScm).CopyToFullMatrix3()
        )
        # MuJoCo's own way to principal axes ends at eight digits.
        principal, axes = np.linalg.eigh(moments)
        if np.linalg.det(axes) < 0:
            axes[:, 0] *= -1.0
        quaternion = np.empty(4)
        self._mujoco.mju_mat2Quat(quaternion, axes.ravel())
        added.ipos, added.iquat, added.inertia = p_BScm, quaternion, principal

    def _move(self, added: Any, joint: Joint) -> None:
        """Adds a joint of one degree of freedom."""
        kinds = self._mujoco.mjtJoint
        if isinstance(joint, RevoluteJoint):
            kind, axis = kinds.mjJNT_HINGE, joint.revolute_axis()
        elif isinstance(joint, PrismaticJoint):
            kind, axis = kinds.mjJNT_SLIDE, joint.translation_axis()
        else:
            raise BackbeatError(
                f"the joint {joint.name()} is of a kind ({joint.type_name()}) that the "
                "engine mujoco does not have; simulate this robot by engine: drake"
            )
        X_BJ = joint.frame_on_child().GetFixedPoseInBodyFrame()
        low, high = joint.position_lower_limit(), joint.position_upper_limit()
        made = added.add_joint(
            name=joint.name(),
            type=kind,
            pos=X_BJ.translation(),
            axis=X_BJ.rotation() @ axis,
            armature=0.0,
            solref_limit=STIFF_REFERENCE,
            solimp_limit=STIFF_IMPEDANCE,
            solref_friction=STIFF_REFERENCE,
            solimp_friction=STIFF_IMPEDANCE,
        )
        made.damping[0] = joint.GetDampingVector(self._context)[0]
        if np.isfinite([low, high]).any():
            made.limited = self._mujoco.mjtLimited.mjLIMITED_TRUE
            made.range = np.clip([low, high], -1e6, 1e6)
        self._joints[joint.name()] = made

    def _add_springs(self) -> None:
        for i in range(self._plant.num_force_elements()):
            element = self._plant.get_force_element(ForceElementIndex(i))
            kind = type(element).__name__
            if kind not in _ELEMENTS:
                raise BackbeatError(
                    f"this world has a {kind}, which the engine mujoco does not have; "
                    "simulate it by engine: drake"
                )
            if isinstance(element, RevoluteSpring):
                joint = self._joints[element.joint().name()]
                joint.stiffness[0] = element.default_stiffness()
                joint.springref = element.default_nominal_angle()

    def add_motors(self, spec: Any, instance: Any) -> None:
        """Adds the motors of a model instance, in the plant's order.

        A brake, which is the Coulomb friction of its joint, becomes that, and a rotor
        behind a gear an inertia of its joint. Motors of joints that are held turn
        nothing and are left out.
        """
        for index in self._plant.GetJointActuatorIndices(instance):
            motor = self._plant.get_joint_actuator(index)
            name = motor.joint().name()
            if name not in self._joints:
                continue
            joint = self._joints[name]
            if is_brake(motor):
                joint.frictionloss = motor.effort_limit()
                # It stops a joint within a step, but for a hundredth of its rate;
                # slower, it would push one that something else brakes harder.
                joint.solref_friction = -1.0, -100.0 / spec.option.timestep
                continue
            joint.armature += motor.default_reflected_inertia()
            limit, most = motor.effort_limit(), self._mujoco.mjtLimited
            made = spec.add_actuator(
                name=motor.name(),
                target=name,
                trntype=self._mujoco.mjtTrn.mjTRN_JOINT,
            )
            made.gainprm[0] = 1.0
            if np.isfinite(limit):
                made.ctrllimited, made.ctrlrange = most.mjLIMITED_TRUE, [-limit, limit]

    def couple(
        self, spec: Any, follower: str, leader: str, ratio: float, offset: float
    ) -> None:
        """Couples two joints: follower = ratio x leader + offset [rad or m]."""
        if follower not in self._joints or leader not in self._joints:
            return
        made = spec.add_equality(
            type=self._mujoco.mjtEq.mjEQ_JOINT,
            objtype=self._mujoco.mjtObj.mjOBJ_JOINT,
            name1=follower,
            name2=leader,
            solref=STIFF_REFERENCE,
            solimp=STIFF_IMPEDANCE,
        )
        made.data[:2] = offset, ratio


def pose(X: RigidTransform) -> dict[str, np.ndarray]:
    """A pose as MuJoCo has it: place [m] and quaternion."""
    return {"pos": X.translation(), "quat": X.rotation().ToQuaternion().wxyz()}
