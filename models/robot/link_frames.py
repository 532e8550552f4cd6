"""Frames of a robot's URDF on the bodies of its fused model, and its contacts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RevoluteJoint

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.frames import LINE, ContactFrame, Frame
from backbeat.models.dynamics.kinematic_tree import KinematicTree
from backbeat.models.robot.description import ContactDescription, RobotDescription
from backbeat.models.robot.description_check import check_support
from backbeat.models.robot.fusing import Homes
from backbeat.models.robot.loading import find_frame, pose_of
from backbeat.models.robot.mimic import Follower

# Joints of a leg that may roll its sole while it stands, and share of an axis along the
# sole from which a joint rolls it.
ROLLING, ALONG = 5, 0.7
# Half width up to which a sole rolls, as a share of the leg's length.
NARROW = 0.03


class RobotFrames:
    """Finds frames and contacts of a robot on its fused bodies."""

    def __init__(
        self,
        full: MultibodyPlant,
        plant: MultibodyPlant,
        homes: Homes,
        base: str,
        joint_names: Sequence[str],
    ) -> None:
        """Looks up the fused bodies.

        Args:
            full: plant of the robot as its URDF has it.
            plant: the fused plant.
            homes: where the bodies of the one are in the other.
            base: name of the base.
            joint_names: names of the moving joints in velocity order.
        """
        self._full, self._plant, self._homes = full, plant, homes
        moved = (plant.GetJointByName(n).child_body().name() for n in joint_names)
        self._bodies = [base, *moved]
        self._found: dict[str, Frame] = {}

    def find(self, name: str) -> Frame:
        """A frame or link of the URDF, the same one whenever it is asked for.

        Raises:
            BackbeatError: no such frame.
        """
        if name not in self._found:
            self._found[name] = self._look_up(name)
        return self._found[name]

    def _look_up(self, name: str) -> Frame:
        frame = find_frame(self._full, name)
        if frame.body().index() not in self._homes:
            raise BackbeatError(f"frame {name!r} is not part of the robot")
        home, X_PB = self._homes[frame.body().index()]
        X_PF = X_PB @ frame.GetFixedPoseInBodyFrame()
        return Frame(
            name,
            self._bodies.index(home),
            np.ascontiguousarray(X_PF.rotation().matrix()),
            np.array(X_PF.translation()),
        )

    def read_contact(
        self,
        name: str,
        contact: ContactDescription,
        followers: Sequence[Follower],
        joints: Mapping[str, int],
    ) -> ContactFrame:
        """A contact of the robot YAML.

        Args:
            name: of the contact.
            contact: what the YAML says of it.
            followers: joints that follow others, which nothing may rest on.
            joints: indices of the moving joints by name.

        Raises:
            BackbeatError: its link is unknown, or moved by a joint that follows.
        """
        on_link = self.find(contact.link)
        X_PL = RigidTransform(RotationMatrix(on_link.R_PF), on_link.p_PF)
        X_PC = X_PL @ pose_of(contact.position, contact.rpy)
        body = find_frame(self._full, contact.link).body()
        check_support(self._full, body, followers, f"contact {name!r}")
        R_PC = np.ascontiguousarray(X_PC.rotation().matrix())
        frame = Frame(name, on_link.body, R_PC, np.array(X_PC.translation()))
        limb = [joints[n] for n in contact.limb if n in joints]
        if len(limb) != len(contact.limb):
            limb = []
        # A line is a blade that stands on both sides of it.
        is_line = contact.half_width == 0.0 and contact.half_length > 0.0
        half_width = LINE if is_line else contact.half_width
        rolls = self._rolls(frame, half_width, contact.limb) if limb else False
        size = contact.half_length, half_width
        return ContactFrame(frame, *size, np.array(limb, int), rolls)

    def _rolls(self, frame: Frame, half_width: float, limb: Sequence[str]) -> bool:
        """Whether a leg of five joints has but one that rolls its sole, all at zero.

        That one takes it sideways, too, and can do either but not both. A wide sole
        lies flat all the same: rolled, it would lift the robot by its half width.
        """
        if len(limb) != ROLLING:
            return False
        context = self._plant.CreateDefaultContext()
        body = self._plant.GetBodyByName(self._bodies[frame.body])
        X_WP = self._plant.EvalBodyPoseInWorld(context, body)
        ahead = X_WP.rotation().matrix() @ frame.R_PF[:, 0]
        hip = self._plant.GetJointByName(limb[0]).frame_on_child()
        leg = X_WP @ frame.p_PF - hip.CalcPoseInWorld(context).translation()
        if half_width > NARROW * np.linalg.norm(leg):
            return False
        turning = 0
        for name in limb:
            joint = self._plant.GetJointByName(name)
            if isinstance(joint, RevoluteJoint):
                R_WJ = joint.frame_on_parent().CalcPoseInWorld(context).rotation()
                turning += abs(ahead @ (R_WJ @ joint.revolute_axis())) > ALONG
        return bool(turning == 1)

    def place(self, frame: Frame) -> np.ndarray:
        """(3,) place of a frame with all joints at zero, seen from the base [m]."""
        context = self._plant.CreateDefaultContext()
        body, base = (
            self._plant.GetBodyByName(self._bodies[i]) for i in (frame.body, 0)
        )
        X_BP = self._plant.CalcRelativeTransform(
            context, base.body_frame(), body.body_frame()
        )
        return np.array(X_BP @ frame.p_PF)

    def lowest_corner(self, q: np.ndarray, contacts: Sequence[ContactFrame]) -> float:
        """Height of the lowest corner of contacts at a configuration q (nq,) [m]."""
        context = self._plant.CreateDefaultContext()
        self._plant.SetPositions(context, q)
        lowest = []
        for contact in contacts:
            body = self._plant.GetBodyByName(self._bodies[contact.frame.body])
            X_WP = self._plant.EvalBodyPoseInWorld(context, body)
            X_PC = RigidTransform(
                RotationMatrix(contact.frame.R_PF), contact.frame.p_PF
            )
            lowest.append((X_WP @ X_PC).multiply(contact.corners().T)[2].min())
        return float(min(lowest, default=0.0))


@dataclass(frozen=True)
class RobotContacts:
    """Contacts of a robot by what they are for.

    Attributes:
        all: patches and points that can carry weight, by name.
        patches: names of those with an area.
        soles: names of those that it stands on: its own, and no points.
        rests: by sole, the contact that stays where it is while the foot carries.
        tips: points that strike or rest on things, none of them on a foot.
        leg_joints: indices of the joints of the limbs that end in soles.
    """

    all: dict[str, ContactFrame]
    patches: tuple[str, ...]
    soles: tuple[str, ...]
    rests: tuple[str, ...]
    tips: tuple[str, ...]
    leg_joints: np.ndarray


def read_contacts(
    frames: RobotFrames,
    description: RobotDescription,
    equipment: Sequence[str],
    followers: Sequence[Follower],
    joints: Mapping[str, int],
) -> RobotContacts:
    """Reads the contacts of a robot and of its equipment.

    Args:
        frames: frames of the robot.
        description: its YAML.
        equipment: equipment sets that it carries.
        followers: joints that follow others, which nothing may rest on.
        joints: indices of the moving joints by name.

    Raises:
        BackbeatError: an unknown link, or one moved by a joint that follows.
    """
    described = description.contacts_with(equipment)
    contacts = {
        name: frames.read_contact(name, contact, followers, joints)
        for name, contact in described.items()
    }
    patches = tuple(n for n, c in contacts.items() if not c.is_point)
    soles = tuple(n for n in description.contacts if n in patches)
    heels = {c.stands_for: n for n, c in described.items() if c.stands_for}
    feet = {contacts[n].frame.body for n in soles}
    points = ((n, c) for n, c in contacts.items() if c.is_point)
    limbs = [contacts[n].limb for n in soles]
    return RobotContacts(
        all=contacts,
        patches=patches,
        soles=soles,
        rests=tuple(heels.get(name, name) for name in soles),
        tips=tuple(n for n, c in points if c.frame.body not in feet),
        leg_joints=np.concatenate([np.zeros(0, int), *limbs]).astype(int),
    )


# Robots whose sizes differ by less than this share are of one size: variants of one
# robot, and what it carries, change no controller and no motion.
ALIKE = 0.04


def leg_length(tree: KinematicTree, soles: Sequence[ContactFrame]) -> float:
    """Mean length of the legs from their first joint to the sole [m]; 0 for none.

    It is measured from joint to joint, so that it is that of a straight leg.
    """
    lengths = [
        np.linalg.norm(tree.p_PJ[sole.limb[1:]], axis=1).sum()
        + np.linalg.norm(sole.frame.p_PF)
        for sole in soles
        if len(sole.limb)
    ]
    return float(np.mean(lengths)) if lengths else 0.0
