"""Attributes of MJCF: defaults of classes, numbers, and orientations."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.urdf.reading.document import attributes, child, children, line, tag

# The class that all elements have whose file names none.
MAIN = "main"
# Kinds of actuators whose defaults are written under one name.
ACTUATORS = ("motor", "position", "velocity", "general", "intvelocity", "damper")


@dataclass
class MjcfValues:
    """What attributes of an MJCF mean.

    Attributes:
        path: the file.
        defaults: attributes by class and element.
        degrees: whether angles are in degrees.
        sequence: axes of Euler angles; small letters turn with the frame.
        limited: whether a range alone limits a joint.
        meshes: folder of meshes, relative to the file.
    """

    path: Path
    defaults: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    degrees: bool = True
    sequence: str = "xyz"
    limited: bool = True
    meshes: str = ""

    def all(self, element: Any, childclass: str = "") -> dict[str, str]:
        """Attributes of an element with the defaults of its class."""
        own = attributes(element)
        kind = tag(element)
        name = own.get("class", childclass) or MAIN
        known = self.defaults.get(name)
        if known is None:
            if name == MAIN:
                known = {}
            else:
                raise BackbeatError(
                    f"{self.where(element)} names the class {shown(name)}, which no "
                    "<default> has"
                )
        return known.get(kind, {}) | own

    def where(self, element: Any) -> str:
        """The place of an element, for messages."""
        name = attributes(element).get("name", "")
        called = f" {shown(name)}" if name else ""
        return f"{self.path.name} line {line(element)}: <{tag(element)}>{called}"

    def numbers(self, element: Any, text: str, count: int = 0) -> np.ndarray:
        """Numbers of an attribute.

        Raises:
            BackbeatError: they are none, or not so many.
        """
        try:
            values = np.array(text.split(), float)
        except ValueError:
            values = np.array([np.nan])
        if not np.isfinite(values).all() or (count and len(values) != count):
            wanted = f"{count} numbers" if count else "numbers"
            raise BackbeatError(
                f"{self.where(element)} needs {wanted}, not {shown(text)}"
            )
        return values

    def angle(self, value: float) -> float:
        """An angle of the file [rad]."""
        return float(np.radians(value)) if self.degrees else float(value)

    def pose(self, element: Any, said: dict[str, str]) -> np.ndarray:
        """(4, 4) pose of an element in what it is on.

        Raises:
            BackbeatError: a value makes no sense.
        """
        X = np.eye(4)
        X[:3, 3] = self.numbers(element, said.get("pos", "0 0 0"), 3)
        X[:3, :3] = self._rotation(element, said)
        return X

    def _rotation(self, element: Any, said: dict[str, str]) -> np.ndarray:
        if "quat" in said:
            w, x, y, z = self.numbers(element, said["quat"], 4)
            if not any((w, x, y, z)):
                raise BackbeatError(f"{self.where(element)} has a quaternion of zeros")
            return np.asarray(Rotation.from_quat([x, y, z, w]).as_matrix())
        if "euler" in said:
            angles = self.numbers(element, said["euler"], 3)
            # Capital letters are fixed axes here, and turning ones in SciPy.
            sequence = self.sequence.swapcase()
            angles = np.array([self.angle(a) for a in angles])
            return np.asarray(Rotation.from_euler(sequence, angles).as_matrix())
        if "axisangle" in said:
            *axis, turn = self.numbers(element, said["axisangle"], 4)
            unit = np.array(axis) / max(float(np.linalg.norm(axis)), 1e-12)
            return np.asarray(Rotation.from_rotvec(self.angle(turn) * unit).as_matrix())
        if "xyaxes" in said:
            given = self.numbers(element, said["xyaxes"], 6)
            x = given[:3] / np.linalg.norm(given[:3])
            y = given[3:] - (given[3:] @ x) * x
            y = y / np.linalg.norm(y)
            return np.column_stack([x, y, np.cross(x, y)])
        if "zaxis" in said:
            return turned_up(self.numbers(element, said["zaxis"], 3))
        return np.eye(3)


def turned_up(axis: np.ndarray) -> np.ndarray:
    """(3, 3) the shortest rotation that takes z to an axis."""
    z = axis / max(float(np.linalg.norm(axis)), 1e-12)
    found, _ = Rotation.align_vectors(z[None], np.array([[0.0, 0.0, 1.0]]))
    return np.asarray(found.as_matrix())


def read_values(path: str | Path, root: Any) -> MjcfValues:
    """The compiler's settings and the defaults of a file.

    Raises:
        BackbeatError: angles in coordinates that MuJoCo has no more.
    """
    reader = MjcfValues(Path(path))
    for compiler in children(root, "compiler"):
        said = attributes(compiler)
        if said.get("coordinate", "local") != "local":
            raise BackbeatError(
                f'{reader.where(compiler)} has coordinate="global", which MuJoCo '
                "itself no longer reads; save the model once more with a new MuJoCo"
            )
        if "angle" in said:
            reader.degrees = said["angle"] != "radian"
        reader.sequence = said.get("eulerseq", reader.sequence)
        if "autolimits" in said:
            reader.limited = said["autolimits"] == "true"
        reader.meshes = said.get("meshdir", said.get("assetdir", reader.meshes))
    for default in children(root, "default"):
        _read_class(reader, default, {}, attributes(default).get("class", MAIN))
    return reader


def _read_class(
    reader: MjcfValues, default: Any, above: dict[str, dict[str, str]], name: str
) -> None:
    own = {kind: dict(values) for kind, values in above.items()}
    for element in children(default):
        if tag(element) == "default":
            continue
        kinds = ACTUATORS if tag(element) == "general" else (tag(element),)
        for kind in kinds:
            own[kind] = own.get(kind, {}) | attributes(element)
    reader.defaults[name] = own
    for nested in children(default, "default"):
        called = attributes(nested).get("class", "")
        _read_class(reader, nested, own, called)


def first(element: Any, name: str) -> Any:
    """A child element, or None."""
    return child(element, name)
