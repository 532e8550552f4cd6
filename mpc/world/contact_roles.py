"""ContactRoles: what a contact of two bodies or shapes of a world counts as."""

from typing import NamedTuple

from pydrake.multibody.tree import BodyIndex

from backbeat.models.collision.patch_geometry import support_body
from backbeat.models.common.collectable_system import CollectableSystem
from backbeat.models.contact.cones import collision_shapes
from backbeat.models.kit.drum_kit import CHAIR
from backbeat.models.world.scene import Scene, World
from backbeat.mpc.world.stick_contacts import StickContacts


class ContactSource(CollectableSystem):
    """A system that tells contact forces by name; ports are those of `ContactLog`.

    Attributes:
        patches: names of the patches of the robot, in the order of the wrenches.
        tips, members: names in the order of the rows of strikes.
    """

    patches: tuple[str, ...]
    tips: tuple[str, ...]
    members: tuple[str, ...]


class CarriedContact(NamedTuple):
    """Where a contact of two bodies counts.

    Attributes:
        row: of `ContactLog.wrenches`.
        sign: of the force on the second body there; 0 for what does not count.
        sole: number of the sole that stands on the ground; None for none.
    """

    row: int
    sign: float
    sole: int | None


class ContactRoles:
    """Which contacts carry the robot, and which are strikes; for any engine.

    Attributes:
        patches: names of the patches of the robot, in the order of their rows.
        sticks: contacts of sticks with the kit.
        bodies: number of the body of every collision shape, by the number of its id.
    """

    def __init__(self, world: World, scene: Scene) -> None:
        """Finds out what counts where, by numbers of bodies."""
        plant, robot = world.plant, world.robot
        self.patches = robot.patches
        self.sticks = StickContacts(world, scene)
        # What is known of pairs of bodies that have touched.
        self._carried: dict[tuple[int, int], CarriedContact] = {}
        self._slot: dict[int, int] = {
            int(support_body(plant, robot, n).index()): i
            for i, n in enumerate(self.patches)
        }
        self._sole_of: dict[int, int] = {
            int(support_body(plant, robot, n).index()): i
            for i, n in enumerate(robot.soles)
        }
        self._ground = int(plant.world_body().index())
        inspector = world.scene_graph.model_inspector()
        self.bodies: dict[int, int] = {}
        for k in range(plant.num_bodies()):
            body = plant.get_body(BodyIndex(k))
            for geometry in collision_shapes(plant, inspector, body):
                self.bodies[geometry.get_value()] = k
        self._supports = {self._ground}
        if plant.HasBodyNamed(CHAIR):
            self._supports.add(int(plant.GetBodyByName(CHAIR).index()))
        boards = [plant.GetBodyByName(p.board) for p in self.sticks.pedals]
        # What presses on a foot is felt by its sole, wherever it presses.
        self._felt = {self._ground, *(int(body.index()) for body in boards)}
        self._supports |= self._felt

    def carry(self, a: int, b: int) -> CarriedContact:
        """Where a contact of two bodies counts, by their numbers."""
        found = self._carried.get((a, b))
        if found is None:
            found = self._carried[a, b] = self._find_carried(a, b)
        return found

    def _find_carried(self, a: int, b: int) -> CarriedContact:
        rest = len(self.patches)
        for support, body, sign in ((a, b, 1.0), (b, a, -1.0)):
            if support in self._supports:
                slot, on_ground = self._slot.get(body, rest), support == self._ground
                sole = self._sole_of.get(body) if support in self._felt else None
                return CarriedContact(
                    slot, sign if slot < rest or on_ground else 0.0, sole
                )
        return CarriedContact(rest, 0.0, None)
