"""Named postures of a robot, and postures with left and right exchanged."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.description import RobotDescription
from backbeat.models.robot.description_check import check_posture
from backbeat.models.robot.joints import RobotJoints


class RobotPostures:
    """Postures that a robot's YAML names, as angles of its moving joints.

    Attributes:
        names: names of the postures.
    """

    def __init__(
        self,
        description: RobotDescription,
        path: str | Path,
        full: MultibodyPlant,
        joints: RobotJoints,
    ) -> None:
        """Takes the postures of a description.

        Args:
            description: the robot's YAML.
            path: where that lies, for messages.
            full: plant of the robot as its URDF has it.
            joints: its moving joints.
        """
        self._yaml, self._path, self._full = description, path, full
        self._joints = joints
        self._index = {name: i for i, name in enumerate(joints.names)}
        self.names = tuple(description.postures)

    def angles(self, name: str) -> dict[str, float]:
        """Joint angles of a posture [rad], with its base postures resolved.

        Raises:
            BackbeatError: no such posture, or it names an unknown joint.
        """
        angles = self._yaml.posture_angles(name)
        for joint in angles:
            if not self._full.HasJointNamed(joint):
                raise unknown_name(f"joint in posture {name!r}", joint, self._index)
        return angles

    def joints(self, name: str) -> np.ndarray:
        """(nj,) angles of the moving joints in a posture [rad].

        Raises:
            BackbeatError: as of `angles`, or one is outside of its limits.
        """
        angles = self.angles(name)
        q = self._moving(angles)
        check_posture(self._joints, angles, q, f"{self._path}: posture {name!r}")
        return q

    def first(self) -> np.ndarray:
        """(nj,) joints in the first posture of the YAML, or at zero [rad]."""
        return self._moving(
            self._yaml.posture_angles(self.names[0]) if self.names else {}
        )

    def _moving(self, angles: Mapping[str, float]) -> np.ndarray:
        """(nj,) angles of the moving joints, zero where none is given [rad]."""
        q = np.zeros(len(self._index))
        for name, angle in angles.items():
            if name in self._index:
                q[self._index[name]] = angle
        return q

    def at_rest(self, locked: Mapping[str, float]) -> Iterator[dict[str, float]]:
        """Angles of all joints at zero, and standing where that is known [rad].

        Args:
            locked: angles of joints that are held for good [rad], by name.
        """
        zero = dict.fromkeys(self._index, 0.0) | dict(locked)
        yield zero
        if "stand" in self.names:
            angles = self.angles("stand")
            yield zero | {n: a for n, a in angles.items() if n in zero}

    def mirrored(self, q: np.ndarray) -> np.ndarray:
        """(nj,) angles with left and right exchanged [rad].

        Raises:
            BackbeatError: the robot YAML does not say how its sides mirror.
        """
        if not self._yaml.mirror_flips:
            raise BackbeatError(
                f"robot {self._yaml.name!r} has no mirror_flips in its YAML"
            )
        out, twin = np.empty(len(q)), self._yaml.twins()
        flips = set(self._yaml.mirror_flips)
        for i, name in enumerate(self._index):
            source = q[self._index[twin.get(name, name)]]
            out[i] = -source if name in flips else source
        return out
