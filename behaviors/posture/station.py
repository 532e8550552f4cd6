"""Station: one stop of a posture tour."""

from dataclasses import dataclass, replace

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.behaviors.posture.stance import FARTHEST, start_configuration
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key
from backbeat.models.robot.model import RobotModel
from backbeat.models.robot.roles import ROLES, TURNING
from backbeat.optimization.kinematics.inverse_kinematics import IKSolution, IKTarget


@dataclass
class Station:
    """One stop of a tour."""

    posture: str = key("")
    """Posture of the robot YAML to go to."""
    joints: list[str] = key(list)
    """Joints or groups that move there; empty for all. Others stay near the start."""
    angles: dict[str, float] = key(dict, "rad")
    """Angles of single joints, instead of those of the posture."""
    pelvis: float = key(0.0, "m")
    """Height of the pelvis above the ground [m]; 0 for that of the posture."""
    lean: float = key(0.0, "rad")
    """Lean of the trunk forward [rad]; 0 for that of the posture."""
    reach: dict[str, list[float]] = key(dict, "m")
    """Positions of frames [m], from the middle of the feet."""
    targets: dict[str, str] = key(dict)
    """Positions of parts of the body, in words: `left hand: at the head`."""
    move: float = key(1.5, "s")
    """Time to get there."""
    hold: float = key(0.5, "s")
    """Time to stay there."""

    def on(self, robot: RobotModel, scale: float) -> "Station":
        """The same stop for a robot, by its own names.

        Parts of the body become frames, turns of joints become these, and heights and
        places are so much farther; what `targets` say is as it was. Turns and limbs
        that the robot lacks are left out, see `lacking`.
        """
        reach = {
            robot.parts[f].frame if f in robot.parts else f: [scale * x for x in place]
            for f, place in self.reach.items()
        }
        lacking = self.lacking(robot)
        joints = [n for n in self.joints if n not in lacking]
        angles = {}
        for name, angle in self.angles.items():
            turn = robot.roles.turning(name) if name in TURNING else (name, 1.0)
            if turn is not None:
                angles[turn[0]] = turn[1] * angle
        return replace(
            self,
            pelvis=scale * self.pelvis,
            reach=reach,
            joints=joints or self.joints,
            angles=angles,
        )

    def lacking(self, robot: RobotModel) -> list[str]:
        """Turns of joints and limbs of this stop that a robot does not have."""
        return [
            *(n for n in self.joints if n in ROLES and n not in robot.roles),
            *(
                n
                for n in self.angles
                if n in TURNING and robot.roles.turning(n) is None
            ),
        ]

    def title(self) -> str:
        """What a person calls it."""
        said = [f"{part} {text}" for part, text in self.targets.items()]
        return ", ".join(said) or self.posture

    def configuration(
        self, robot: RobotModel, q_start: np.ndarray, stays: bool
    ) -> np.ndarray:
        """(nq,) the named posture and angles, before any frame has its place.

        Args:
            robot: the robot.
            q_start: (nq,) configuration at the start.
            stays: whether the base stays as it is at the start, as it must above feet
                that were placed, also if all joints go to the posture.

        Raises:
            BackbeatError: the robot has no such posture or joint.
        """
        nq = robot.base_positions
        q = start_configuration(robot, self.posture)
        if self.joints or stays:
            chosen = nq + robot.joint_indices(self.joints or robot.joint_names)
            angles = q[chosen]
            q = q_start.copy()
            q[chosen] = angles
        for joint, angle in self.angles.items():
            q[nq + robot.joint_index(joint)] = angle
        return q

    def given_targets(self, robot: RobotModel, where: str) -> dict[str, IKTarget]:
        """Targets of pelvis, trunk and frames that are given as numbers.

        Args:
            robot: the robot.
            where: names the tour in errors.

        Raises:
            BackbeatError: a frame is unknown, or a place makes no sense.
        """
        targets: dict[str, IKTarget] = {}
        if self.pelvis:
            height = RigidTransform(np.array([0.0, 0.0, self.pelvis]))
            targets[robot.base_name] = IKTarget(height, "z")
        if self.lean:
            turn = RollPitchYaw(0.0, self.lean, 0.0)
            upright = RigidTransform(turn, np.zeros(3))
            targets[robot.trunk.name] = IKTarget(upright, "rx ry rz")
        for frame, place in self.reach.items():
            robot.frame(frame)
            if len(place) != 3 or not (np.abs(place) <= FARTHEST).all():
                raise BackbeatError(
                    f"{where}: {frame} needs a place x, y, z within {FARTHEST:g} m",
                    path=("reach", frame),
                )
            targets[frame] = IKTarget(RigidTransform(np.array(place, float)), "x y z")
        return targets

    def out_of_reach(self, solved: IKSolution) -> str:
        """What keeps a robot from its posture, as half a sentence."""
        if (place := self.reach.get(solved.worst)) is not None:
            said = ", ".join(f"{x:.4g}" for x in place)
            return (
                f"{solved.worst} cannot reach [{said}]; the nearest place is "
                f"{solved.away} away"
            )
        low = f"with the pelvis {self.pelvis:g} m high, " if self.pelvis else ""
        return (
            f"{low}{solved.worst} ends {solved.away} from its place, at the limits of "
            "joints; ask for less"
        )
