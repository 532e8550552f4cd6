"""Description: everything that a URDF says about a robot, typed, with its lines.

Lengths in meters, angles in radians, masses in kilograms; a joint's unit is the radian
and N m where it turns, the meter and N where it slides. What the file leaves out is
None where leaving it out has a meaning of its own, else the default of the format.
`line` is where an element begins, counted from 1. The format itself is that of the
page "urdf/XML" of the ROS wiki, with Drake's extensions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Vector = tuple[float, ...]

# Joint types of the format, and the positions that a joint of each has.
POSITIONS = {
    "revolute": 1,
    "continuous": 1,
    "prismatic": 1,
    "fixed": 0,
    "floating": 6,
    "planar": 3,
}
# Those that need a <limit>, and those that have one position.
LIMITED = ("revolute", "prismatic")
SINGLE = ("revolute", "continuous", "prismatic")
WORLD = "world"
# Moments and products of inertia in the order of `Inertial.inertia`.
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@dataclass(frozen=True)
class Pose:
    """Position and fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)."""

    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Inertial:
    """Mass properties: inertia (ixx, ixy, ixz, iyy, iyz, izz) about the center of mass.

    `origin` is the center of mass in the link frame, and the axes that the inertia is
    expressed in. Mass and inertia are None where their element is missing.
    """

    line: int
    origin: Pose = Pose()
    mass: float | None = None
    inertia: Vector | None = None


@dataclass(frozen=True)
class UrdfMaterial:
    """A color (red, green, blue, alpha in 0..1) or a picture; either may be missing."""

    line: int
    name: str = ""
    rgba: Vector | None = None
    texture: str = ""


@dataclass(frozen=True)
class Geometry:
    """A shape, centered in its frame; cylinders and capsules lie along z.

    `size` holds x, y, z of a box, radius and length of a cylinder or capsule, the
    radius of a sphere, the half axes of an ellipsoid, the scales of a mesh.
    """

    line: int
    kind: str
    size: Vector = ()
    filename: str = ""
    convex: bool = False


@dataclass(frozen=True)
class Shape:
    """A visual or a collision: a geometry somewhere on a link."""

    line: int
    name: str = ""
    origin: Pose = Pose()
    geometry: Geometry | None = None
    material: UrdfMaterial | None = None


@dataclass(frozen=True)
class Link:
    """A rigid body."""

    line: int
    name: str
    inertial: Inertial | None = None
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class JointLimit:
    """What a joint may do; None where the file does not say."""

    line: int
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    acceleration: float | None = None


@dataclass(frozen=True)
class JointDynamics:
    """Viscous damping (three numbers for a planar joint) and Coulomb friction."""

    line: int
    damping: Vector = (0.0,)
    friction: float = 0.0


@dataclass(frozen=True)
class SafetyController:
    """Soft limits and gains; k_velocity is required.

    See `backbeat.models.actuation.safety_law`.
    """

    line: int
    soft_lower: float = 0.0
    soft_upper: float = 0.0
    k_position: float = 0.0
    k_velocity: float | None = None


@dataclass(frozen=True)
class Mimic:
    """Position = multiplier x position of another joint + offset."""

    line: int
    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Calibration:
    """Positions at which the reference switch rises and falls; None if not given."""

    line: int
    rising: float | None = None
    falling: float | None = None
    reference_position: float | None = None


@dataclass(frozen=True)
class Joint:
    """A joint: `origin` in the parent link, `axis` in the joint's own frame.

    The axis is as written, not normalized; x where the file has none.
    """

    line: int
    name: str
    type: str
    parent: str
    child: str
    origin: Pose = Pose()
    axis: Vector = (1.0, 0.0, 0.0)
    limit: JointLimit | None = None
    dynamics: JointDynamics | None = None
    safety: SafetyController | None = None
    mimic: Mimic | None = None
    calibration: Calibration | None = None


@dataclass(frozen=True)
class TransmissionEnd:
    """A joint or an actuator of a transmission.

    `interfaces` are the words of <hardwareInterface>, without their package;
    `reduction` is <mechanicalReduction>, None where there is none. Rotor inertia and
    gear ratio are Drake's extension of actuators.
    """

    line: int
    name: str
    interfaces: tuple[str, ...] = ()
    reduction: float | None = None
    rotor_inertia: float | None = None
    gear_ratio: float | None = None


@dataclass(frozen=True)
class Transmission:
    """What stands between actuators and joints.

    `type` is the last word of its type, e.g. "SimpleTransmission"; `reduction` is that
    of the transmission itself, as older files have it.
    """

    line: int
    name: str
    type: str
    joints: tuple[TransmissionEnd, ...] = ()
    actuators: tuple[TransmissionEnd, ...] = ()
    reduction: float | None = None

    def total_reduction(self) -> float:
        """Reduction of the first actuator, of its joint or of all; 1 if none says."""
        ends = [e.reduction for e in (*self.actuators, *self.joints)]
        given = [r for r in (*ends, self.reduction) if r is not None]
        return given[0] if given else 1.0


@dataclass(frozen=True)
class Tag:
    """An element that is kept as it stands: text, attributes, and what is inside."""

    line: int
    name: str
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: tuple["Tag", ...] = ()

    @property
    def said(self) -> str:
        """What is between its tags or, in old files of Gazebo, its `value`."""
        return self.text or self.attributes.get("value", "")


@dataclass(frozen=True)
class Gazebo:
    """A <gazebo> element: for a link or joint, or ("") for the robot."""

    line: int
    reference: str
    tags: tuple[Tag, ...] = ()

    def text(self, name: str) -> str | None:
        """Text of a tag, the last one where several have the name; None if none has.

        Old files say it in an attribute `value`.
        """
        found = [t.said for t in self.tags if t.name == name]
        return found[-1] if found else None


@dataclass(frozen=True)
class FrameElement:
    """A frame fixed to a link, Drake's extension of the format."""

    line: int
    name: str
    link: str
    origin: Pose = Pose()


@dataclass(frozen=True)
class Description:
    """A robot as its URDF describes it; names map to what they name, in order.

    `materials_twice` has names of materials that the robot has several of.
    `connections` are elements that connect links and are no joints, as they stand.
    """

    path: Path
    name: str
    links: dict[str, Link]
    joints: dict[str, Joint]
    transmissions: tuple[Transmission, ...] = ()
    gazebo: tuple[Gazebo, ...] = ()
    frames: dict[str, FrameElement] = field(default_factory=dict)
    materials: dict[str, UrdfMaterial] = field(default_factory=dict)
    materials_twice: tuple[str, ...] = ()
    connections: tuple[Tag, ...] = ()

    def moving_joints(self) -> Iterator[Joint]:
        """Joints that are not fixed."""
        return (j for j in self.joints.values() if j.type != "fixed")

    def roots(self) -> tuple[str, ...]:
        """Links that no joint carries, in order; one in a robot that is one tree."""
        carried = {j.child for j in self.joints.values()}
        return tuple(name for name in self.links if name not in carried)

    def gazebo_of(self, reference: str) -> tuple[Gazebo, ...]:
        """The <gazebo> elements of a link or joint; those of the robot for ""."""
        return tuple(g for g in self.gazebo if g.reference == reference)

    def transmissions_of(self, joint: str) -> tuple[Transmission, ...]:
        """The transmissions that drive a joint."""
        return tuple(
            t for t in self.transmissions if joint in {e.name for e in t.joints}
        )


def listed(names: Sequence[str]) -> str:
    """Some names, and how many more."""
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more
