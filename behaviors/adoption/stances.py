"""Postures to stand in, found by inverse kinematics: bent knees, soles flat.

The knees are given; hips, ankles and base follow from soles that lie flat and parallel
where they are with straight legs, an upright base, and the center of mass over the
middle of the soles.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.collision.shapes import (
    BOX,
    NOTHING,
    WORLD,
    CollisionModel,
    Solid,
)
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from backbeat.optimization.kinematics.straight_limbs import find_knee
from backbeat.optimization.verification.clearance import Clearance

# Weight that holds knees and arms where they are put, against the rest of the posture.
HELD = 1e4
# Distance of the center of mass from the middle of the soles that is none [m].
CENTERED = 0.01
# Distance of a sole from its place that is none [m or rad].
PLACED = 1e-3
# Room between soles beside each other [m].
BETWEEN = 0.02
# Distance that links keep from each other [m].
APART = 0.01
# How far below its sole a foot may have shapes [m].
DEEP = 0.004
# How much less of that is let pass [m].
TOLERANCE = 1e-3


@dataclass(frozen=True)
class Stance:
    """A posture to stand in.

    Attributes:
        bend: how far the knees are bent from straight [rad].
        q: (nq,) configuration.
        problem: what is wrong with it; "" if nothing is.
        clearance: least distance of links beyond what they keep, as planners see them
            [m]; where shapes overlap, minus by how much.
        touching: the two links that overlap; "" if none do.
        load: largest share of a joint's effort that holding still takes.
        joint: the joint with that share.
    """

    bend: float
    q: np.ndarray
    problem: str
    clearance: float
    touching: str
    load: float
    joint: str

    @property
    def keeps_apart(self) -> bool:
        """Whether links are as far from each other as planners keep them."""
        return self.clearance >= -TOLERANCE


class StanceFinder:
    """Finds postures to stand in for one robot."""

    def __init__(
        self,
        robot: RobotModel,
        rest: Mapping[str, float],
        shapes: Clearance | None = None,
        wider: float = 0.0,
    ) -> None:
        """Prepares.

        Args:
            robot: a robot with two soles.
            rest: positions of joints that are no legs', by name [rad].
            shapes: its shapes, which keep apart; None if they need not.
            wider: how much farther apart feet are than with joints at zero [m].
        """
        self.robot = robot
        self.collisions: CollisionModel = NOTHING
        self._shapes = shapes
        if shapes is not None:
            self.collisions = make_self_collision_model(robot, APART)
        self._zero = np.clip(0.0, *self._inside())
        for name, angle in rest.items():
            if name in robot.joint_names:
                self._zero[robot.joint_index(name)] = angle
        self._knees = [find_knee(robot, name) for name in robot.feet.values()]
        self._places = self._feet(wider)

    def _inside(self) -> tuple[np.ndarray, np.ndarray]:
        """Limits of joints with some room [rad]."""
        low, high = self.robot.position_lower, self.robot.position_upper
        room = np.minimum(0.05, 0.25 * (high - low))
        room = np.where(np.isfinite(room), room, 0.0)
        # Where zero is a limit, as of knees, it is good enough for what does not bear.
        return (
            np.where(low <= 0.0, np.minimum(low + room, 0.0), low + room),
            np.where(high >= 0.0, np.maximum(high - room, 0.0), high - room),
        )

    def _feet(self, wider: float) -> dict[str, RigidTransform]:
        """Poses of the soles on the ground, apart as with joints at zero."""
        robot = self.robot
        q = self._standing(np.clip(np.zeros(robot.num_joints), *self._inside()))
        state = Configuration(robot, q)
        half = {n: robot.contacts[n].half_width for n in robot.feet.values()}
        left, right = (robot.feet[s] for s in ("left", "right"))
        places = {n: state.place(n) for n in (left, right)}
        across = 0.5 * float(places[left][1] - places[right][1] + wider)
        across = max(across, max(half.values()) + 0.5 * BETWEEN)
        return {
            left: RigidTransform(np.array([0.0, across, 0.0])),
            right: RigidTransform(np.array([0.0, -across, 0.0])),
        }

    def _standing(self, joints: np.ndarray) -> np.ndarray:
        """(nq,) the base upright and the soles about on the ground."""
        robot = self.robot
        q = np.zeros(robot.num_positions)
        q[0], q[7:] = 1.0, joints
        state = Configuration(robot, q)
        soles = [state.place(n) for n in robot.feet.values()]
        q[4:7] -= np.mean(soles, axis=0)
        return q

    def bent(self, bend: float) -> Stance:
        """The stance with knees bent by an angle [rad]."""
        robot = self.robot
        q_near, weights = self._bent_knees(bend)
        targets = {n: IKTarget(X) for n, X in self._places.items()}
        upright = RigidTransform(RotationMatrix(), [0.0, 0.0, 0.0])
        targets[robot.base_name] = IKTarget(upright, "rx ry rz y")
        solver = InverseKinematics(robot, NOTHING, weights, 0.02)
        found = solver.solve(q_near, targets, np.zeros(2))
        state = Configuration(robot, found.q)
        clearance, touching = self._room(state)
        load, joint = standing_load(robot, state)
        away = float(np.linalg.norm(state.center_of_mass[:2]))
        problem = ""
        if found.residual > PLACED:
            problem = f"{found.worst} cannot be flat on the ground, {found.away} away"
        elif away > CENTERED:
            problem = f"the center of mass is {1e3 * away:.0f} mm off the middle"
        return Stance(bend, found.q, problem, clearance, touching, load, joint)

    def _room(self, state: Configuration) -> tuple[float, str]:
        """Distance of links beyond what they keep [m], and those that overlap."""
        clearance = np.inf
        if self.collisions.spheres:
            distances, _ = state.distances(self.collisions.arrays())
            clearance = float(distances.min() - self.collisions.margin)
        if self._shapes is not None:
            depth, things = self._shapes.deepest(state.q)
            if depth > TOLERANCE:
                return -depth - APART, " and ".join(map(str, things))
        return clearance, ""

    def _bent_knees(self, bend: float) -> tuple[np.ndarray, np.ndarray]:
        """(nq,) where a stance begins, and (nv,) how its parts are held there."""
        robot = self.robot
        joints = self._zero.copy()
        weights = np.full(robot.num_velocities, HELD)
        weights[:6] = 1e-3
        weights[6 + robot.leg_joints] = 1.0
        for knee, name in zip(self._knees, robot.feet.values(), strict=True):
            if knee is None:
                continue
            low = robot.position_lower[knee.joint]
            high = robot.position_upper[knee.joint]
            side = self._side(name, knee.joint, knee.straight, bend)
            angle = knee.straight + side * bend
            joints[knee.joint] = np.clip(angle, low + 0.02, high - 0.02)
            weights[6 + knee.joint] = HELD
            # Half of the bend before and half after it keep the foot below the hip.
            for j, share in self._around(name, knee.joint, side):
                low, high = robot.position_lower[j], robot.position_upper[j]
                joints[j] = np.clip(-share * bend, low + 0.02, high - 0.02)
        return self._standing(joints), weights

    def _side(self, name: str, knee: int, straight: float, bend: float) -> float:
        """Side of straight to which a knee bends: ahead, as far as it can do so."""
        robot = self.robot
        low, high = robot.position_lower[knee], robot.position_upper[knee]
        state = Configuration(robot, self._standing(np.zeros(robot.num_joints)))
        across = float(state.jacobian(name)[1, 6 + knee])
        ahead = high - straight if across > 0.0 else straight - low
        if ahead > bend:
            return float(np.sign(across))
        return bending_side(straight, float(low), float(high))

    def _around(self, name: str, knee: int, side: float) -> Iterator[tuple[int, float]]:
        """Joints of a leg parallel to its knee, and their share of its bend."""
        robot = self.robot
        limb = robot.contacts[name].limb.tolist()
        state = Configuration(robot, self._standing(np.zeros(robot.num_joints)))
        axes = state.jacobian(name)[:3, 6:].T
        for j in limb:
            along = float(axes[j] @ axes[knee])
            if j != knee and abs(along) > 0.8:
                yield j, 0.5 * side * np.sign(along)

    def first_good(
        self, bends: Sequence[float], most_load: float
    ) -> tuple[Stance | None, list[Stance]]:
        """The first stance with which nothing is wrong, and all that were tried."""
        tried = []
        for bend in bends:
            stance = self.bent(bend)
            tried.append(stance)
            if stance.keeps_apart and not stance.problem and stance.load <= most_load:
                return stance, tried
        return None, tried


def ground_below() -> CollisionModel:
    """The ground as it is seen through soles: what is deeper is no sole."""
    middle = RigidTransform(np.array([0.0, 0.0, -DEEP - 0.5]))
    ground = Solid("the ground", BOX, WORLD, middle, np.array([5.0, 5.0, 0.5]))
    return CollisionModel((), (ground,), np.zeros((0, 1), bool), 0.0)


def bending_side(straight: float, low: float, high: float) -> float:
    """Side of straight to which a knee bends farther: 1 or -1."""
    return 1.0 if high - straight >= straight - low else -1.0


def standing_load(robot: RobotModel, state: Configuration) -> tuple[float, str]:
    """Largest share of a joint's effort that standing still takes, and the joint.

    Each sole carries half of the weight in its middle.
    """
    tau = state.bias.copy()
    for name in robot.feet.values():
        tau -= state.jacobian(name)[5] * 0.5 * robot.weight
    share = robot.motors.shares(tau[6:])
    j = int(share.argmax())
    return float(share[j]), robot.joint_names[j]
