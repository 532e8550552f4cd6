"""Contacts of sticks and of beaters of pedals with the kit, as simulated."""

import math
from typing import NamedTuple

import numpy as np
from pydrake.multibody.plant import ContactResults

from backbeat.models.contact.cones import collision_shapes
from backbeat.models.kit.drum_kit import KIT
from backbeat.models.kit.pedals import Pedal
from backbeat.models.robot.loading import find_frame
from backbeat.models.world.scene import Scene, World

# Entries of a tip's row in `ContactLog.strikes`; place and velocity take three each.
FORCE, MEMBER, SHAFT_FORCE, PLACE, VELOCITY, ROW = 0, 1, 2, 3, 6, 9
# A tip touches where there is force. One that parts from a head overlaps it for a step
# without any, which a solver may leave as a rounding error [N].
LEAST_FORCE = 1e-6


class StickStrike(NamedTuple):
    """What it is when two geometries touch, one of a stick and one of a member.

    Attributes:
        stick, member: their numbers; beaters of pedals count as sticks.
        sign: of the force on the second geometry, on the stick.
        is_tip: whether the stick touches with its tip.
        normal: (3,) of the member's head.
    """

    stick: int
    member: int
    sign: float
    is_tip: bool
    normal: np.ndarray


# Of a pair of geometries of which nothing is known yet.
_UNKNOWN = StickStrike(-1, -1, 0.0, False, np.zeros(3))


class StickContacts:
    """Finds contacts of sticks with members among all contacts.

    Attributes:
        points: contacts of the robot that strike, the first of the tips.
        pedals: those of the kit, whose beaters are the last of the tips.
        tips, members: names, in the order of their numbers.
    """

    def __init__(self, world: World, scene: Scene) -> None:
        """Notes which geometry is a tip or a shaft, and where heads are."""
        plant, robot = world.plant, world.robot
        self.points = robot.tips
        self.pedals: tuple[Pedal, ...] = ()
        self.members: tuple[str, ...] = ()
        # By numbers of geometries.
        self._member_of: dict[int, int] = {}
        self._stick_of: dict[int, int] = {}
        self._are_tips: set[int] = set()
        # What is known of pairs of geometries that have touched.
        self._known: dict[tuple[int, int], StickStrike | None] = {}
        if scene.name:
            kit = scene.drum_kit()
            self.members, self.pedals = tuple(kit.members), tuple(kit.pedals())
            self._heads = [kit.strike_pose(name) for name in self.members]
        inspector = world.scene_graph.model_inspector()
        for i, name in enumerate(self.members):
            body = plant.GetBodyByName(name, plant.GetModelInstanceByName(KIT))
            for geometry in collision_shapes(plant, inspector, body):
                self._member_of[geometry.get_value()] = i
        self.tips = (*self.points, *(pedal.beater for pedal in self.pedals))
        bodies = [find_frame(plant, robot.contact_link(n)).body() for n in self.points]
        bodies += [plant.GetBodyByName(pedal.beater) for pedal in self.pedals]
        for i, body in enumerate(bodies):
            for geometry in collision_shapes(plant, inspector, body):
                self._stick_of[geometry.get_value()] = i
                if "tip" in inspector.GetName(geometry):
                    self._are_tips.add(geometry.get_value())
        either = [*self._stick_of, *self._member_of]
        self._first = min(either) if self._member_of else math.inf

    def add_to(self, rows: np.ndarray, results: ContactResults) -> None:
        """Adds the contacts to (tips, ROW) rows of `ContactLog.strikes`."""
        found = []
        # Contacts are sorted by the number of their first geometry. Those of the soles,
        # which are most, come before all of sticks and members and are not looked at.
        for i in range(results.num_point_pair_contacts() - 1, -1, -1):
            info = results.point_pair_contact_info(i)
            pair = info.point_pair()
            first = pair.id_A.get_value()
            if first < self._first:
                break
            strike = self.strike(first, pair.id_B.get_value())
            if strike is not None:
                found.append((strike, info.contact_force()))
        for strike, force in reversed(found):
            _add(rows, strike, force)

    def strike(self, a: int, b: int) -> StickStrike | None:
        """What it is when two geometries touch; None when it is no strike."""
        found = self._known.get((a, b), _UNKNOWN)
        if found is _UNKNOWN:
            found = self._known[a, b] = self._find(a, b)
        return found

    def _find(self, a: int, b: int) -> StickStrike | None:
        for stick, member, sign in ((a, b, -1.0), (b, a, 1.0)):
            if stick in self._stick_of and member in self._member_of:
                number, is_tip = self._member_of[member], stick in self._are_tips
                normal = self._heads[number].rotation().matrix()[:, 2]
                return StickStrike(self._stick_of[stick], number, sign, is_tip, normal)
        return None


def _add(rows: np.ndarray, strike: StickStrike, force: np.ndarray) -> None:
    """Adds the force (3,) on the second geometry to the row of its stick."""
    stick = strike.stick
    if strike.is_tip:
        # Half as long as with @, and the same.
        along = float(strike.normal.dot(force))
        rows[stick, FORCE] += strike.sign * along
        if abs(along) > LEAST_FORCE:
            rows[stick, MEMBER] = strike.member
    else:
        rows[stick, SHAFT_FORCE] += float(np.linalg.norm(force))
