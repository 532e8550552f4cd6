"""Reading a URDF into a `Description`.

    description = read_description(Path("robot.urdf"))
    joint = description.joints["elbow"]
    joint.limit.effort, joint.mimic, joint.safety, joint.dynamics.friction, joint.line
    description.transmissions_of("elbow")[0].actuators[0].interfaces
    description.gazebo_of("hand")[0].text("mu1")

`read_description` refuses a file of which a part cannot be read: a number that is none,
a name that is missing or there twice, a joint without its links. `read_leniently` reads
what it can and says what it could not, which is what a checker needs. Neither judges
whether what is read makes sense; that is `backbeat.models.urdf.linting.lint`.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.description import (
    INERTIA,
    Calibration,
    Description,
    FrameElement,
    Gazebo,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    Link,
    Mimic,
    SafetyController,
    Shape,
    Tag,
    UrdfMaterial,
)
from backbeat.models.urdf.reading.document import (
    Document,
    attributes,
    child,
    children,
    line,
    read_document,
    tag,
    text,
)
from backbeat.models.urdf.reading.finding import Finding, Severity
from backbeat.models.urdf.reading.geometry_reading import read_geometry, read_material
from backbeat.models.urdf.reading.transmission_reading import read_transmission
from backbeat.models.urdf.reading.values import Values

Named = TypeVar("Named", Link, Joint, FrameElement, UrdfMaterial)

_X = (1.0, 0.0, 0.0)
# Of Drake's own elements of a robot, those that do not connect its links beside joints.
_NO_CONNECTION = ("drake:joint", "drake:collision_filter_group")


def read_description(path: str | Path) -> Description:
    """Reads a URDF.

    Raises:
        BackbeatError: the file is no URDF, or a part of it cannot be read.
    """
    description, findings = read_leniently(read_document(path))
    refuse_errors(path, findings)
    return description


def refuse_errors(path: str | Path, findings: list[Finding]) -> None:
    """Says the first error of a file.

    Raises:
        BackbeatError: there is one.
    """
    errors = [f for f in findings if f.severity is Severity.ERROR]
    if errors:
        first = errors[0]
        more = f" ({len(errors) - 1} more: `backbeat lint`)" if errors[1:] else ""
        raise BackbeatError(f"{path} line {first.line}: {first.what}{more}")


def read_leniently(document: Document) -> tuple[Description, list[Finding]]:
    """Reads what can be read of a URDF, and says what cannot."""
    reader = _Reader()
    description = reader.robot(document)
    return description, [_judged(f) for f in reader.values.findings]


def _judged(finding: Finding) -> Finding:
    """A finding with its severity: a robot of which less is seen is the same robot."""
    is_of_looks = finding.where.startswith("material") or " visual" in finding.where
    if finding.severity is not Severity.ERROR or not is_of_looks:
        return finding
    says = f"{finding.says}; the robot is drawn without it"
    return replace(finding, severity=Severity.WARNING, says=says)


class _Reader:
    """Reads elements; what is wrong with them gathers in `values.findings`."""

    def __init__(self) -> None:
        self.values = Values()

    def robot(self, document: Document) -> Description:
        root = document.root
        name = self.values.name(root, "robot")
        links = self._named(root, "link", self._link)
        joints = self._named(root, "joint", self._joint)
        return Description(
            path=document.path,
            name=name,
            links=links,
            joints=joints,
            transmissions=tuple(
                read_transmission(self.values, e)
                for e in children(root, "transmission")
            ),
            gazebo=tuple(self._gazebo(e) for e in children(root, "gazebo")),
            frames=self._named(root, "frame", self._frame),
            materials=self._named(root, "material", self._material),
            materials_twice=_twice(root, "material"),
            connections=tuple(_kept(e) for e in children(root) if _connects(tag(e))),
        )

    def _named(
        self, root: Any, kind: str, read: Callable[[Any], Named]
    ) -> dict[str, Named]:
        """Elements of a kind by name; of two with one name, the first."""
        found: dict[str, Named] = {}
        for element in children(root, kind):
            item = read(element)
            if not item.name:
                continue
            if item.name not in found:
                found[item.name] = item
            else:
                self.values.error(
                    "duplicate-name",
                    element,
                    f"{kind} {item.name!r}",
                    f"the name is there already, on line {found[item.name].line}",
                    "give each its own name",
                )
        return found

    def _link(self, element: Any) -> Link:
        name = self.values.name(element, "link")
        where = f"link {name!r}"
        inertial = child(element, "inertial")
        return Link(
            line(element),
            name,
            None if inertial is None else self._inertial(inertial, where),
            tuple(self._shape(e, where) for e in children(element, "visual")),
            tuple(self._shape(e, where) for e in children(element, "collision")),
        )

    def _inertial(self, element: Any, where: str) -> Inertial:
        mass, inertia = child(element, "mass"), child(element, "inertia")
        values = self.values
        return Inertial(
            line(element),
            values.pose(child(element, "origin"), where),
            None if mass is None else values.required(mass, "value", where),
            None
            if inertia is None
            else tuple(values.number(inertia, k, where, 0.0) for k in INERTIA),
        )

    def _shape(self, element: Any, where: str) -> Shape:
        material = child(element, "material")
        where = f"{where} {tag(element)}"
        return Shape(
            line(element),
            attributes(element).get("name", ""),
            self.values.pose(child(element, "origin"), where),
            read_geometry(self.values, element, where),
            None if material is None else read_material(self.values, material, where),
        )

    def _material(self, element: Any) -> UrdfMaterial:
        return read_material(self.values, element, "material")

    def _joint(self, element: Any) -> Joint:
        values, name = self.values, self.values.name(element, "joint")
        where = f"joint {name!r}"
        kind = values.word(element, "type", where)
        axis = child(element, "axis")

        def part(key: str, read: Callable[..., Any]) -> Any:
            found = child(element, key)
            return None if found is None else read(found, where)

        return Joint(
            line(element),
            name,
            kind,
            self._end(element, "parent", where),
            self._end(element, "child", where),
            values.pose(child(element, "origin"), where),
            _X if axis is None else values.vector(axis, "xyz", where, _X),
            part("limit", self._limit),
            part("dynamics", partial(self._dynamics, planar=kind == "planar")),
            part("safety_controller", self._safety),
            part("mimic", self._mimic),
            part("calibration", self._calibration),
        )

    def _end(self, element: Any, end: str, where: str) -> str:
        """Link at an end of a joint."""
        found = child(element, end)
        if found is None:
            self.values.error("missing-element", element, where, f"it has no <{end}>")
            return ""
        return self.values.word(found, "link", where)

    def _limit(self, element: Any, where: str) -> JointLimit:
        keys = ("lower", "upper", "effort", "velocity", "drake:acceleration")
        numbers = [self.values.optional(element, k, where, infinite=True) for k in keys]
        return JointLimit(line(element), *numbers)

    def _dynamics(self, element: Any, where: str, planar: bool) -> JointDynamics:
        values = self.values
        if planar:
            damping = values.vector(element, "damping", where, (0.0, 0.0, 0.0))
        else:
            damping = (values.number(element, "damping", where, 0.0),)
        friction = values.number(element, "friction", where, 0.0)
        return JointDynamics(line(element), damping, friction)

    def _safety(self, element: Any, where: str) -> SafetyController:
        keys = ("soft_lower_limit", "soft_upper_limit", "k_position")
        lower, upper, k_position = (
            self.values.number(element, k, where, 0.0) for k in keys
        )
        k_velocity = self.values.optional(element, "k_velocity", where)
        return SafetyController(line(element), lower, upper, k_position, k_velocity)

    def _mimic(self, element: Any, where: str) -> Mimic:
        return Mimic(
            line(element),
            self.values.word(element, "joint", f"{where} mimic"),
            self.values.number(element, "multiplier", where, 1.0),
            self.values.number(element, "offset", where, 0.0),
        )

    def _calibration(self, element: Any, where: str) -> Calibration:
        keys = ("rising", "falling", "reference_position")
        numbers = [self.values.optional(element, k, where) for k in keys]
        return Calibration(line(element), *numbers)

    def _frame(self, element: Any) -> FrameElement:
        name = self.values.name(element, "frame")
        where = f"frame {name!r}"
        link = self.values.word(element, "link", where)
        return FrameElement(line(element), name, link, self.values.pose(element, where))

    def _gazebo(self, element: Any) -> Gazebo:
        reference = attributes(element).get("reference", "")
        return Gazebo(
            line(element), reference, tuple(_kept(e) for e in children(element))
        )


def _twice(root: Any, kind: str) -> tuple[str, ...]:
    """Names that several elements of a kind have."""
    names = Counter(attributes(e).get("name", "") for e in children(root, kind))
    return tuple(name for name, times in names.items() if times > 1)


def _connects(name: str) -> bool:
    """Whether an element of a robot connects its links and is no joint of a tree."""
    is_drakes = name.startswith("drake:") and name not in _NO_CONNECTION
    return is_drakes or name == "loop_joint"


def _kept(element: Any) -> Tag:
    """An element and all in it as it stands."""
    inside = tuple(_kept(e) for e in children(element))
    return Tag(line(element), tag(element), text(element), attributes(element), inside)
