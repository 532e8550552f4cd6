"""The drum kit: where its members are, and how they are added to a plant."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from pydrake.geometry import Cylinder, Rgba
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex, SpatialInertia

from backbeat.models.collision.shapes import CYLINDER, WORLD, Solid
from backbeat.models.common.errors import unknown_name
from backbeat.models.contact.cones import FLOOR
from backbeat.models.contact.restitution import struck_material
from backbeat.models.kit.description import parse_kit
from backbeat.models.kit.looks import look_of, shipped_look
from backbeat.models.kit.pedals import Pedal
from backbeat.models.kit.schema import MemberDescription
from backbeat.models.kit.shell import SEAT_HEIGHT, SEAT_RADIUS

# Depth and extra radius of a cymbal for planning around it [m].
CYMBAL_DEPTH = 0.05
CYMBAL_EDGE = 0.02
# The body of the chair, and how thick its cushion is [m].
CHAIR = "chair"
# The model instance of kit and chair.
KIT = "drum_kit"
CUSHION = 0.085
# Members that are tilted as much lie on the floor, without a stand [deg].
STEEP = 60.0
STEEL = Rgba(0.10, 0.10, 0.11, 1.0)


class DrumKit:
    """The kit standing somewhere.

    Attributes:
        members: member descriptions by name.
        chair: the drummer's chair.
        text: the kit as text, see `backbeat.models.kit.description`; "" for the usual
            one.
        p_WK: place of the kit's origin in the world [m].
        moved: (3,) how far members stand from their place [m], by name.
    """

    def __init__(
        self,
        p_WK: tuple[float, float, float] = (0.0, 0.0, 0.0),
        moved: Mapping[str, np.ndarray] | None = None,
        text: str = "",
    ) -> None:
        """Puts the origin of a kit at p_WK.

        Args:
            p_WK: where [m].
            moved: (3,) how far members stand from their place [m], by name.
            text: of the kit, see `kit_text`; "" for the usual one.

        Raises:
            BackbeatError: the text is no kit, or a member that is moved does not exist.
        """
        description = parse_kit(text)
        self.text = text
        self.members = description.members
        self.chair = description.chair
        self.p_WK = np.array(p_WK, float)
        self.moved = dict(moved or {})
        for name in self.moved:
            self.member(name)

    def member(self, name: str) -> MemberDescription:
        """A member by name.

        Raises:
            BackbeatError: no such member.
        """
        if name not in self.members:
            raise unknown_name("drum", name, self.members)
        return self.members[name]

    def strike_pose(self, name: str) -> RigidTransform:
        """X_WM of a member: origin at the strike point, z along its normal.

        The surface leans towards the player, who sits at the kit's origin; x of
        the frame points from the player outwards.
        """
        member = self.member(name)
        place = np.array(member.place, float)
        shift = self.moved.get(name, np.zeros(3))
        outward = np.arctan2(place[1], place[0])
        turn = RotationMatrix.MakeZRotation(outward)
        tilt = RotationMatrix.MakeYRotation(-np.radians(member.tilt_deg))
        return RigidTransform(turn @ tilt, self.p_WK + place + shift)

    def pedals(self) -> list[Pedal]:
        """The pedals of its members, in their order."""
        found = []
        for name, member in self.members.items():
            if member.pedal is not None:
                X_WH = RigidTransform(self.p_WK + np.array(member.pedal.heel, float))
                found.append(Pedal(name, member.pedal, X_WH, self.strike_pose(name)))
        return found

    @property
    def seat_height(self) -> float:
        """Height of the top of the chair in the world [m]."""
        return float(self.p_WK[2] + self.chair.place[2] + self.chair.height)

    def solids(self, scale: float = 1.0) -> list[Solid]:
        """Members as obstacles; cymbals as if they were thicker and wider.

        What passes a thin cymbal or its edge between two knots would not be seen.

        Args:
            scale: factor on how much thicker and wider.
        """
        solids = []
        for name, member in self.members.items():
            solid = self._cylinder(name, member.radius, member.depth)
            if member.kind == "cymbal":
                radius = member.radius + scale * CYMBAL_EDGE
                depth = max(member.depth, scale * CYMBAL_DEPTH)
                larger = self._cylinder(name, radius, depth)
                solid = replace(larger, inner=solid)
            solids.append(solid)
        return solids

    def _cylinder(self, name: str, radius: float, depth: float) -> Solid:
        """A cylinder under the strike surface of a member."""
        X = self.strike_pose(name) @ RigidTransform([0.0, 0.0, -0.5 * depth])
        return Solid(name, CYLINDER, WORLD, X, np.array([radius, 0.5 * depth, 0.0]))

    def add_to(self, plant: MultibodyPlant, seat_friction: float | None) -> None:
        """Adds the kit, welded to the world, to a plant that is not finalized.

        Args:
            plant: plant to extend.
            seat_friction: friction coefficient of the chair; None for no chair.
        """
        instance = plant.AddModelInstance(KIT)
        for name, member in self.members.items():
            X_WM = self.strike_pose(name)
            body = plant.AddRigidBody(name, instance, SpatialInertia.Zero())
            plant.WeldFrames(plant.world_frame(), body.body_frame(), X_WM)
            if not plant.geometry_source_is_registered():
                continue
            material = struck_material(member.stiffness, member.restitution)
            plant.RegisterCollisionGeometry(
                body,
                RigidTransform([0.0, 0.0, -0.5 * member.depth]),
                Cylinder(member.radius, member.depth),
                name,
                material.properties(),
            )
            mesh = look_of(name, member)
            white = np.ones(4)
            plant.RegisterVisualGeometry(body, RigidTransform(), mesh, name, white)
            if abs(member.tilt_deg) < STEEP:
                self._add_stand(plant, name, member, X_WM)
        for pedal in self.pedals():
            pedal.add_to(plant, instance)
        if seat_friction is not None:
            self._add_chair(plant, instance, seat_friction)

    def _add_chair(
        self, plant: MultibodyPlant, instance: ModelInstanceIndex, friction: float
    ) -> None:
        """A chair that carries: its cushion as a cylinder, all of it to look at."""
        body = plant.AddRigidBody(CHAIR, instance, SpatialInertia.Zero())
        X_WC = RigidTransform(self.p_WK + np.array(self.chair.place))
        plant.WeldFrames(plant.world_frame(), body.body_frame(), X_WC)
        if not plant.geometry_source_is_registered():
            return
        middle = [0.0, 0.0, self.chair.height - 0.5 * CUSHION]
        plant.RegisterCollisionGeometry(
            body,
            RigidTransform(middle),
            Cylinder(self.chair.radius, CUSHION),
            CHAIR,
            FLOOR.properties(friction),
        )
        size = self.chair.radius / SEAT_RADIUS
        mesh = shipped_look(CHAIR, (size, size, self.chair.height / SEAT_HEIGHT))
        plant.RegisterVisualGeometry(body, RigidTransform(), mesh, CHAIR, np.ones(4))

    def _add_stand(
        self,
        plant: MultibodyPlant,
        name: str,
        member: MemberDescription,
        X_WM: RigidTransform,
    ) -> None:
        """A pole from the floor to the underside of a member."""
        top = X_WM.multiply(np.array([0.0, 0.0, -member.depth]))
        if top[2] < 0.05:
            return
        middle = np.array([top[0], top[1], 0.5 * top[2]])
        plant.RegisterVisualGeometry(
            plant.world_body(),
            RigidTransform(middle),
            Cylinder(0.012, top[2]),
            f"{name}_stand",
            np.array([STEEL.r(), STEEL.g(), STEEL.b(), 1.0]),
        )
        plant.RegisterVisualGeometry(
            plant.world_body(),
            RigidTransform([top[0], top[1], 0.01]),
            Cylinder(0.11, 0.02),
            f"{name}_foot",
            np.array([STEEL.r(), STEEL.g(), STEEL.b(), 1.0]),
        )
