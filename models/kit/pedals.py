"""Pedals: boards under feet that swing beaters at members of a kit.

    board   hinged at the heel on the floor about the foot's y axis; angle a over the
            floor, its top in the plane through the hinge
    beater  an arm hinged about the y axis of the member's frame, whose head touches
            the strike surface, along the normal, at b = 0
    chain   b = gear (a_hit - a), a coupling of both joints
    spring  lifts the board with `lift` at rest and `stiffness` per angle below it, up
            to a stop a little above rest

Frames: W world, K kit, M the member (z its normal), D the board (x from heel to toe).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.geometry import Box, Cylinder, Rgba, Shape, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    ModelInstanceIndex,
    RevoluteJoint,
    RevoluteSpring,
    RigidBody,
    SpatialInertia,
    UnitInertia,
)

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import FLOOR, STICK_TIP
from backbeat.models.kit.schema import PedalDescription

# Thickness of a board [m], and its mass [kg].
THICKNESS, BOARD_MASS = 0.01, 0.5
# Head of a beater: radius [m], mass [kg]; mass of its arm [kg], radius [m].
HEAD_RADIUS, HEAD_MASS, ARM_MASS, ARM_RADIUS = 0.02, 0.07, 0.03, 0.005
# A board's stops: above rest and below the hit, and the least of the latter [deg].
ABOVE, BELOW, LOWEST = 5.0, 5.0, 0.5
# Viscous friction of its hinge [N m s/rad].
DAMPING = 0.02
GRAVITY = 9.81  # m/s^2
# Ends of the names of bodies and joints.
BOARD_NAME, BEATER_NAME, HINGE, AXLE = "_board", "_beater", "_hinge", "_axle"
METAL, FELT = Rgba(0.42, 0.44, 0.47, 1.0), Rgba(0.85, 0.83, 0.78, 1.0)


@dataclass(frozen=True)
class Pedal:
    """One pedal where it stands.

    Attributes:
        member: what it plays.
        description: as in the kit file.
        X_WH: the hinge: origin at the heel, x to the toes, z up.
        X_WM: strike pose of the member.
    """

    member: str
    description: PedalDescription
    X_WH: RigidTransform
    X_WM: RigidTransform

    @property
    def beater(self) -> str:
        """Name of the beater, which hits."""
        return f"{self.member}{BEATER_NAME}"

    @property
    def board(self) -> str:
        """Name of the board, which a foot presses."""
        return f"{self.member}{BOARD_NAME}"

    @property
    def foot(self) -> str:
        """Which foot plays it: left or right."""
        return self.description.foot

    @property
    def rest(self) -> float:
        """Angle of the board at rest [rad]."""
        return float(np.radians(self.description.rest_deg))

    @property
    def hit(self) -> float:
        """Angle of the board at the hit [rad]."""
        return float(np.radians(self.description.hit_deg))

    @property
    def ratio(self) -> float:
        """Speed of the beater's head per angular speed of the board [m]."""
        return self.description.gear * self.description.arm

    def board_pose(self, angle: float) -> RigidTransform:
        """X_WD of the board, whose top is in its plane z = 0, at an angle [rad]."""
        return self.X_WH @ RigidTransform(RotationMatrix.MakeYRotation(-angle))

    @property
    def axle_pose(self) -> RigidTransform:
        """X_WA of the beater's hinge, whose y axis it turns about.

        At the hit the arm is along x and the head moves along -z, into the surface.
        """
        place = [-self.description.arm, 0.0, HEAD_RADIUS]
        return self.X_WM @ RigidTransform(place)

    @property
    def stops(self) -> tuple[float, float]:
        """Least and greatest angle of the board [rad]."""
        low = max(LOWEST, self.description.hit_deg - BELOW)
        high = self.description.rest_deg + ABOVE
        return float(np.radians(low)), float(np.radians(high))

    def beater_pose(self, angle: float) -> RigidTransform:
        """X_WB of the beater, its arm along x, at an angle of the board [rad]."""
        turn = RotationMatrix.MakeYRotation(self.swing(angle))
        return self.axle_pose @ RigidTransform(turn)

    def swing(self, angle: float) -> float:
        """Angle of the beater at an angle of the board [rad]; 0 at the hit."""
        return self.description.gear * (self.hit - angle)

    @property
    def coupling(self) -> tuple[float, float]:
        """Ratio and offset [rad] of the axle's angle to the hinge's, by the chain.

        The hinge's angle goes the other way: a board that goes down turns about +y.
        """
        return self.description.gear, self.description.gear * self.hit

    def head_motion(self, swing: float, rate: float) -> np.ndarray:
        """(6,) place [m] and velocity [m/s] of the beater's head, world axes.

        Args:
            swing: angle of the beater [rad].
            rate: its rate [rad/s].
        """
        X, arm = self.axle_pose, self.description.arm
        c, s = np.cos(swing), np.sin(swing)
        place = X.multiply(np.array([arm * c, 0.0, -arm * s]))
        velocity = X.rotation().matrix() @ [-arm * s * rate, 0.0, -arm * c * rate]
        return np.r_[place, velocity]

    def press(self, angle: float, rate: float, acceleration: float) -> float:
        """Torque with which a foot moves the board so; 0 where it would have to pull.

        Args:
            angle, rate, acceleration: of the board [rad, rad/s, rad/s^2].

        Returns:
            Torque about the hinge, downwards [N m].
        """
        told = self.description
        middle = 0.5 * sum(told.board)
        length, arm = told.board[1] - told.board[0], told.arm
        # Masses of the beater count at their places on the arm.
        beater = HEAD_MASS * arm**2 + ARM_MASS * arm**2 / 3.0
        inertia = BOARD_MASS * (length**2 / 12.0 + middle**2) + told.gear**2 * beater
        swing, R = self.swing(angle), self.axle_pose.rotation().matrix()
        along = R @ [np.cos(swing), 0.0, -np.sin(swing)]
        weight = GRAVITY * arm * (HEAD_MASS + 0.5 * ARM_MASS)
        falls = weight * float(np.cross(along, [0.0, 0.0, -1.0]) @ R[:, 1])
        torque = told.lift + told.stiffness * (self.rest - angle)
        torque -= BOARD_MASS * GRAVITY * middle * np.cos(angle) + told.gear * falls
        return max(0.0, torque - DAMPING * rate - inertia * acceleration)

    def add_to(self, plant: MultibodyPlant, instance: ModelInstanceIndex) -> None:
        """Adds board, beater, spring and chain to a plant that is not finalized.

        Raises:
            BackbeatError: the plant has no steps, in which the chain is simulated.
        """
        if plant.time_step() == 0.0:
            raise BackbeatError(
                f"the pedal of the {self.member} is simulated in steps; take one of "
                "the contact models that have them, such as lagged"
            )
        hinge = self._add_board(plant, instance)
        axle = self._add_beater(plant, instance)
        told = self.description
        plant.AddCouplerConstraint(axle, hinge, *self.coupling)
        if told.stiffness > 0.0:
            nominal = -self.rest - told.lift / told.stiffness
            plant.AddForceElement(RevoluteSpring(hinge, nominal, told.stiffness))

    def _add_board(
        self, plant: MultibodyPlant, instance: ModelInstanceIndex
    ) -> RevoluteJoint:
        begin, end = self.description.board
        size = (end - begin, self.description.width, THICKNESS)
        middle = np.array([0.5 * (begin + end), 0.0, -0.5 * THICKNESS])
        inertia = SpatialInertia.MakeFromCentralInertia(
            BOARD_MASS, middle, BOARD_MASS * UnitInertia.SolidBox(*size)
        )
        name = self.board
        body = plant.AddRigidBody(name, instance, inertia)
        joint = _hinge(plant, self.X_WH, body, f"{self.member}{HINGE}")
        low, high = self.stops
        joint.set_position_limits([-high], [-low])
        joint.set_default_angle(-self.rest)
        joint.set_default_damping(DAMPING)
        if plant.geometry_source_is_registered():
            X = RigidTransform(middle)
            material = FLOOR.properties(0.5)
            plant.RegisterCollisionGeometry(body, X, Box(*size), name, material)
            _draw(plant, body, X, Box(*size), name, METAL)
        return joint

    def _add_beater(
        self, plant: MultibodyPlant, instance: ModelInstanceIndex
    ) -> RevoluteJoint:
        arm = self.description.arm
        head = SpatialInertia.SolidSphereWithMass(HEAD_MASS, HEAD_RADIUS)
        rod = SpatialInertia.SolidCylinderWithMass(
            ARM_MASS, ARM_RADIUS, arm, np.array([1.0, 0.0, 0.0])
        )
        total = head.Shift(np.array([-arm, 0.0, 0.0]))
        total += rod.Shift(np.array([-0.5 * arm, 0.0, 0.0]))
        body = plant.AddRigidBody(self.beater, instance, total)
        joint = _hinge(plant, self.axle_pose, body, f"{self.member}{AXLE}")
        joint.set_default_angle(self.swing(self.rest))
        if plant.geometry_source_is_registered():
            X = RigidTransform([arm, 0.0, 0.0])
            shape, material = Sphere(HEAD_RADIUS), STICK_TIP.properties()
            plant.RegisterCollisionGeometry(body, X, shape, "tip", material)
            _draw(plant, body, X, shape, self.beater, FELT)
            turn = RotationMatrix.MakeYRotation(0.5 * np.pi)
            along = RigidTransform(turn, [0.5 * arm, 0.0, 0.0])
            rod_shape = Cylinder(ARM_RADIUS, arm)
            _draw(plant, body, along, rod_shape, f"{self.beater}_arm", METAL)
        return joint


class PedalMotion:
    """Where the heads of beaters are, from the state of a plant."""

    def __init__(self, plant: MultibodyPlant, pedals: Sequence[Pedal]) -> None:
        """Finds the joints of pedals in a finalized plant."""
        self._pedals = tuple(pedals)
        joints = [plant.GetJointByName(f"{p.member}{AXLE}") for p in pedals]
        nq = plant.num_positions()
        self._places = [(j.position_start(), nq + j.velocity_start()) for j in joints]

    def at(self, x: np.ndarray) -> np.ndarray:
        """(P, 6) place [m] and velocity [m/s] of each head at a state of the plant."""
        motions = [
            pedal.head_motion(float(x[q]), float(x[v]))
            for pedal, (q, v) in zip(self._pedals, self._places, strict=True)
        ]
        return np.reshape(motions, (-1, 6))


def _hinge(
    plant: MultibodyPlant, X_WJ: RigidTransform, body: RigidBody, name: str
) -> RevoluteJoint:
    """A joint about the y axis of X_WJ, where the body's own frame is at angle zero."""
    world, base = plant.world_frame(), body.model_instance()
    frame = plant.AddFrame(FixedOffsetFrame(f"{name}_base", world, X_WJ, base))
    axis = np.array([0.0, 1.0, 0.0])
    return plant.AddJoint(RevoluteJoint(name, frame, body.body_frame(), axis))


def _draw(
    plant: MultibodyPlant,
    body: RigidBody,
    X: RigidTransform,
    shape: Shape,
    name: str,
    color: Rgba,
) -> None:
    rgba = np.array([color.r(), color.g(), color.b(), color.a()])
    plant.RegisterVisualGeometry(body, X, shape, f"{name}_look", rgba)
