"""RobotModel: a robot as control and optimization see it.

Frames: W world, B base, P a body of the fused model, C a contact patch (z out of
the supporting surface), F any frame of the robot.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from pydrake.geometry import SceneGraph
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex, RigidBody

from backbeat.models.actuation.safety_law import SafetyLaw, described_laws
from backbeat.models.actuation.servo_margin import check_servo_gains, felt_inertias
from backbeat.models.common.errors import unknown_name
from backbeat.models.dynamics.edges import find_patch
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import KinematicTree, read_kinematic_tree
from backbeat.models.robot.covers import find_covers, keep_covers_off
from backbeat.models.robot.description import (
    find_description,
    load_description,
    tell_new_name,
)
from backbeat.models.robot.description_check import check_driven, sunk
from backbeat.models.robot.fusing import fuse
from backbeat.models.robot.joints import Dimensions, RobotJoints, read_joints, servos_of
from backbeat.models.robot.link_frames import RobotFrames, leg_length, read_contacts
from backbeat.models.robot.loading import add_robot, pose_of
from backbeat.models.robot.mimic import couple, find_followers
from backbeat.models.robot.postures import RobotPostures
from backbeat.models.robot.roles import ROLES, left_and_right, read_roles
from backbeat.models.robot.whole_plant import load_whole
from backbeat.models.urdf.loading.extensions import describe


class RobotModel(Dimensions):
    """Names, limits, contacts, postures and dynamics of one robot.

    The model holds no state. `tree` feeds the compiled recursion; `plant` is the
    fused Drake plant with the same dynamics, in which tests find the truth.

    Attributes:
        name: short name of the robot.
        description: path of the YAML it was loaded from.
        contact_set: what of it touches, see `urdf.loading.contact_sets`.
        plant: fused, finalized Drake plant without geometry.
        tree: the same as arrays.
        floating: whether the base is free.
        joint_names: names of the moving joints in velocity order.
        position_lower, position_upper: joint limits [rad or m].
        velocity_limits: joint speed limits [rad/s or m/s].
        effort_limits: joint torque or force limits [N m or N].
        motors: what motors give at a speed, where the robot YAML says.
        damping: viscous joint damping in the URDF [N m s/rad].
        friction: Coulomb friction in the URDF [N m or N].
        modes: mode of the servo that hardware interfaces choose, by joint.
        notes: what acts otherwise than the URDF says, as sentences.
        locked: angles of joints that are held for good [rad], by name.
        followers: joints that follow moving ones; not among the moving joints.
        contacts: patches that can carry weight, by name.
        soles: names of those that it stands on: its own, and no points.
        rests: by sole, the contact that stays where it is while the foot carries: the
            sole, or the heel of a foot that plays a pedal.
        tips: points that strike or rest on things, none of them on a foot.
        roles: joints and links by role.
        task_space: hand and start in task space.
        leg_joints: indices of the joints of the limbs that end in soles.
        leg_length: from hip to sole along the joints, 0 without legs [m].
        groups: joint indices by group name.
        total_mass: mass with equipment [kg].
        parts, places: words for parts of the body and for places on it.
        covers: pairs of links that may overlap, see `backbeat.models.robot.covers`.
        robot_instance: model instance of the robot in plants made of it first.
    """

    def __init__(
        self,
        robot: str | Path = "atlas",
        equipment: Sequence[str] = (),
        X_WB: RigidTransform | None = None,
        locked: Mapping[str, float] | None = None,
    ) -> None:
        """Loads a robot.

        Args:
            robot: name of a shipped robot, or path of a robot YAML.
            equipment: equipment sets to weld on.
            X_WB: pose at which the base is welded to the world; None floats it, or puts
                one that its YAML calls fixed at the world's origin.
            locked: angles [rad] of joints to hold for good, by name.

        Raises:
            BackbeatError: an unknown robot, joint, link or equipment name.
        """
        self.description = find_description(robot)
        self._yaml = load_description(self.description)
        self.name, self.contact_set = self._yaml.name, self._yaml.contact_set
        self.equipment = tuple(equipment)
        self.urdf = describe(self.description.parent / self._yaml.urdf)
        self.locked, self.followers = find_followers(
            self.urdf, self._yaml.locked | dict(locked or {})
        )
        whole = load_whole(
            self.description,
            self._yaml,
            self.urdf,
            equipment,
            self.locked,
            self.followers,
            X_WB,
        )
        self._full = full = whole.plant
        self.robot_instance, self.notes = whole.instance, whole.notes
        self._is_held, base = whole.is_held, self._yaml.base
        rest = {follower.name: follower.offset for follower in self.followers}
        self.plant, homes = fuse(full, base, self.locked | rest)
        self.tree: KinematicTree = read_kinematic_tree(self.plant, base)
        self.floating = bool(self.tree.floating)
        self.total_mass = float(self.tree.mass.sum())
        self._take_joints(
            read_joints(self.plant, full, self.urdf, self.followers, self._yaml)
        )
        self._frames = RobotFrames(full, self.plant, homes, base, self.joint_names)
        self._take_contacts()
        self.trunk = self.frame(self._yaml.trunk or base)
        self.parts, self.places = self._yaml.parts, self._yaml.places
        self._take_roles(full)
        self.covers = self._find_covers()
        if whole.stays and (note := sunk(self.plant, self._postures.first())):
            self.notes += (note,)
        self.notes += tuple(
            f"{a} and {b} overlap at rest, on either side of a joint: they may"
            for a, b in self.covers
        )
        self._check_servos()

    def _check_servos(self) -> None:
        """Refuses servos that shake in `stand`, or at zero where there is none."""
        if servos := self.servo_gains():
            is_known = "stand" in self._yaml.postures
            stand = self._yaml.posture_angles("stand") if is_known else {}
            felt = felt_inertias(self.plant, stand)
            own = dict(zip(self.joint_names, self.damping.tolist(), strict=True))
            check_servo_gains(servos, felt, own, str(self.description))

    def _take_contacts(self) -> None:
        found = read_contacts(
            self._frames, self._yaml, self.equipment, self.followers, self._index
        )
        self.contacts, self.patches, self.soles = found.all, found.patches, found.soles
        self.rests, self.tips = found.rests, found.tips
        self.leg_joints = found.leg_joints
        self.leg_length = leg_length(self.tree, [found.all[n] for n in found.soles])

    def _take_roles(self, full: MultibodyPlant) -> None:
        self.task_space = self._yaml.task_space
        if self.task_space.hand:
            self.frame(self.task_space.hand)  # raises if there is none
        self.roles = read_roles(
            self._yaml.role_joints(),
            self._yaml.twins(),
            self._index,
            full,
            self.description,
            self._yaml.opposed_joints(),
        )

    def _find_covers(self) -> tuple[tuple[str, str], ...]:
        return find_covers(
            self.description,
            self.urdf,
            self.followers,
            self.tree.parent.tolist(),
            self.body_of,
            self._postures.at_rest(self.locked),
        )

    def _take_joints(self, joints: RobotJoints) -> None:
        check_driven(joints.names, joints.driven, self.description)
        self._postures = RobotPostures(self._yaml, self.description, self._full, joints)
        self.joint_names, self.groups = joints.names, joints.groups
        self._index = {name: i for i, name in enumerate(self.joint_names)}
        self.joint_aliases = tuple(self._yaml.aliases)
        self.position_lower = joints.position_lower
        self.position_upper = joints.position_upper
        self.velocity_limits = joints.velocity_limits
        self.effort_limits, self.motors = joints.effort_limits, joints.motors
        self.damping, self.friction = joints.damping, joints.friction
        self.modes = joints.modes
        self.notes += joints.notes

    @cached_property
    def gravity(self) -> float:
        """Magnitude of gravity along -z in the world [m/s^2]."""
        return float(-self.plant.gravity_field().gravity_vector()[2])

    @property
    def weight(self) -> float:
        """Weight of the robot [N], the unit of force in the optimizer."""
        return self.total_mass * self.gravity

    def joint_index(self, name: str) -> int:
        """Index of a joint in joint order; old aliases are accepted.

        Raises:
            BackbeatError: no such joint.
        """
        if name in self._yaml.aliases:
            tell_new_name(name, self._yaml.aliases[name])
            name = self._yaml.aliases[name]
        if name not in self._index:
            raise unknown_name("joint", name, self.joint_names)
        return self._index[name]

    def joint_indices(self, names: Sequence[str]) -> np.ndarray:
        """Indices of joints named singly, by group or by role, in the order given.

        Raises:
            BackbeatError: no such joint, or the robot YAML gives the role to none.
        """
        found: list[int] = []
        for name in names:
            if name in self.groups:
                found.extend(self.groups[name].tolist())
            elif name in ROLES:
                found.extend(self.roles.joints(name).tolist())
            else:
                found.append(self.joint_index(name))
        return np.array(found, int)

    def frame(self, name: str) -> Frame:
        """A patch, its edge ("PATCH.toe"), or a frame or link of the URDF.

        Raises:
            BackbeatError: no such frame.
        """
        return find_patch(self.contacts, name) or self.link_frame(name)

    def link_frame(self, name: str) -> Frame:
        """A frame or link of the URDF, also where a contact patch has its name.

        Raises:
            BackbeatError: no such frame.
        """
        return self._frames.find(name)

    @cached_property
    def feet(self) -> dict[str, str]:
        """Names of the soles "left" and "right": where they are with joints at zero.

        Raises:
            BackbeatError: the robot has not two soles, one on either side.
        """
        soles = {n: self._frames.place(self.contacts[n].frame) for n in self.soles}
        return left_and_right(soles, self.name)

    @property
    def posture_names(self) -> tuple[str, ...]:
        """Names of its postures."""
        return self._postures.names

    def posture(self, name: str) -> np.ndarray:
        """(nq,) named configuration, base upright with the soles on the ground.

        Raises:
            BackbeatError: no such posture, or it names an unknown joint, or has one
                outside of its limits.
        """
        q = np.zeros(self.num_positions)
        q[self.base_positions :] = self._postures.joints(name)
        if self.floating:
            q[0] = 1.0
            height = self._yaml.postures[name].height
            soles = [self.contacts[n] for n in self.soles]
            q[6] = height if height else -self._frames.lowest_corner(q, soles)
        return q

    def posture_joints(self, name: str) -> dict[str, float]:
        """Joint angles of a named posture, with its base postures resolved."""
        return self._postures.angles(name)

    def mirrored(self, q: np.ndarray) -> np.ndarray:
        """(nq,) configuration with left and right exchanged.

        Raises:
            BackbeatError: the robot YAML does not say how its sides mirror.
        """
        out, first = q.copy(), self.base_positions
        if self.floating:
            out[:7] = q[:7] * [1, -1, 1, -1, 1, -1, 1]
        out[first:] = self._postures.mirrored(q[first:])
        return out

    def safety_laws(self) -> tuple[SafetyLaw, ...]:
        """Safety laws of the joints whose URDF has them, as the robot YAML has them."""
        return described_laws(self.urdf, self._yaml.soft_limit_margin)

    def servo_gains(self) -> dict[str, tuple[float, float]]:
        """Servo frequency [Hz] and least inertia [kg m^2] by joint name."""
        return servos_of(self._yaml, self.groups, self.joint_names)

    def body_of(self, plant: MultibodyPlant, body: RigidBody) -> int:
        """Fused body that a body of another plant of this robot is part of."""
        instance = plant.GetModelInstanceName(body.model_instance())
        is_item = instance in self.equipment_items()
        return self.frame(instance if is_item else body.name()).body

    def add_to(
        self, plant: MultibodyPlant, scene_graph: SceneGraph | None = None
    ) -> ModelInstanceIndex:
        """Adds the robot to a plant, its base held where the model's is.

        Its links stay apart, but for welded ones that only weigh something: they become
        frames. Where anything is to collide, the plant's scene graph is given.
        """
        known = plant.num_constraints()
        instance = add_robot(plant, self.description, self.equipment, merged_links=True)
        couple(plant, instance, self.followers, known)
        if scene_graph is not None:
            keep_covers_off(plant, scene_graph, instance, self.covers)
        if not self.floating and not self._is_held:
            X_WB = RigidTransform(RotationMatrix(self.tree.R_WB), self.tree.p_WB)
            base = plant.GetFrameByName(self.base_name, instance)
            plant.WeldFrames(plant.world_frame(), base, X_WB)
        return instance

    def equipment_items(self) -> list[str]:
        """Names of the items carried; each is a model instance in the plant."""
        sets = [self._yaml.equipment[e] for e in self.equipment]
        return [n for items in sets for n, item in items.items() if item.file]

    def contact_link(self, name: str) -> str:
        """Link (or frame) of the URDF that a contact patch is fixed to."""
        return self._yaml.contacts_with(self.equipment)[name].link

    def contact_in_link(self, name: str) -> RigidTransform:
        """Pose of a contact patch in its link."""
        contact = self._yaml.contacts_with(self.equipment)[name]
        return pose_of(contact.position, contact.rpy)

    @property
    def base_name(self) -> str:
        """Name of the base link."""
        return self._yaml.base
