"""Contact forces by name, read from what the simulator says."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from pydrake.geometry import GeometryId
from pydrake.multibody.plant import (
    ContactResults,
    HydroelasticContactInfo,
    PointPairContactInfo,
)
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import BasicVector, Context, LeafSystem

from models.kit.drum_kit import CHAIR, DrumKit
from models.patch_geometry import support_body
from models.point_motion import PointMotion
from models.robot_loading import find_frame
from models.scene import Scene, World
from models.sole_wrenches import SoleWrenches

# Entries of a tip's row in `strikes`; place and velocity take three each.
FORCE, MEMBER, SHAFT_FORCE, PLACE, VELOCITY, ROW = 0, 1, 2, 3, 6, 9


class _Touch(NamedTuple):
    """One contact: its bodies, what acts on the second, where, and across what."""

    body_A: BodyIndex
    body_B: BodyIndex
    force: np.ndarray
    point: np.ndarray
    moment: np.ndarray | None


class ContactLog(LeafSystem):
    """Adds up contact results by contact name.

    .. pydrake_system::

        name: ContactLog
        input_ports:
        - contact_results
        - state
        output_ports:
        - wrenches
        - strikes
        - normal_forces
        - sole_wrenches

    `wrenches` (6 C + 6) is, for each patch of the robot in order, the wrench of
    ground and chair on its link about the world origin, world axes [N m, N], and last
    the same of everything else that touches the ground: after a fall it is not zero.
    `strikes` (9 a tip) is, for each stick tip, normal force of a member on it [N],
    index of that member or -1, force on the rest of its stick [N], and place [m]
    and velocity [m/s] of the tip in the world. `normal_forces` (S) are those of the
    ground on each sole [N], as soles under pressure feel them, and `sole_wrenches`
    (6 S) moment and force on each sole, in its axes about its origin [N m, N]. The
    plant samples its outputs, so forces are those of the step that has just ended.
    `state` is the robot model's [q, v].
    """

    def __init__(self, world: World, scene: Scene) -> None:
        """Makes the log for a world in a scene."""
        super().__init__()
        self._world = world
        plant, robot = world.plant, world.robot
        self.patches = robot.patches
        self.tips = tuple(n for n, c in robot.contacts.items() if c.is_point)
        self._slot: dict[BodyIndex, int] = {
            support_body(plant, robot, n).index(): i for i, n in enumerate(self.patches)
        }
        self._sole_of: dict[BodyIndex, int] = {
            support_body(plant, robot, n).index(): i for i, n in enumerate(robot.soles)
        }
        self._soles = frozenset(map(int, self._sole_of))
        self._ground = plant.world_body().index()
        self._bodies: dict[GeometryId, BodyIndex] = {}
        for k in range(plant.num_bodies()):
            body = plant.get_body(BodyIndex(k))
            for geometry in plant.GetCollisionGeometriesForBody(body):
                self._bodies[geometry] = body.index()
        # Rows and signs of pairs of bodies that have touched.
        self._carried: dict[tuple[int, int], tuple[int, float]] = {}
        self._supports = {self._ground}
        if plant.HasBodyNamed(CHAIR):
            self._supports.add(plant.GetBodyByName(CHAIR).index())
        self._results = self.DeclareAbstractInputPort(
            "contact_results", plant.get_contact_results_output_port().Allocate()
        )
        self._state = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        self._motion = PointMotion(robot, [robot.frame(n) for n in self.tips])
        self._wrenches = self.DeclareVectorOutputPort(
            "wrenches",
            6 * len(self.patches) + 6,
            self._calc_wrenches,
            {self._results.ticket()},
        )
        self._at_soles = SoleWrenches(robot)
        self._rows = [self.patches.index(n) for n in robot.soles]
        self.DeclareVectorOutputPort(
            "sole_wrenches",
            6 * len(robot.soles),
            self._calc_sole_wrenches,
            {self._results.ticket(), self._state.ticket()},
        )
        self.DeclareVectorOutputPort(
            "normal_forces",
            len(robot.soles),
            self._calc_normal_forces,
            {self._results.ticket()},
        )
        self.members: tuple[str, ...] = ()
        self._read_kit(scene)
        self.DeclareVectorOutputPort(
            "strikes", ROW * len(self.tips), self._calc_strikes
        )

    def _read_kit(self, scene: Scene) -> None:
        """Notes which geometry is a tip or a shaft, and where heads are."""
        plant = self._world.plant
        self._member_of: dict[BodyIndex, int] = {}
        self._tip_of: dict[GeometryId, int] = {}
        self._stick_of: dict[BodyIndex, int] = {}
        if scene.name:
            kit = DrumKit(scene.place)
            self.members = tuple(kit.members)
            self._heads = [kit.strike_pose(name) for name in self.members]
            for i, name in enumerate(self.members):
                self._member_of[plant.GetBodyByName(name).index()] = i
        inspector = self._world.scene_graph.model_inspector()
        for i, name in enumerate(self.tips):
            body = find_frame(plant, self._world.robot.contact_link(name)).body()
            self._stick_of[body.index()] = i
            for geometry in plant.GetCollisionGeometriesForBody(body):
                if "tip" in inspector.GetName(geometry):
                    self._tip_of[geometry] = i
        self._sticks = frozenset(map(int, self._stick_of))

    def _touches(self, results: ContactResults) -> Iterator[_Touch]:
        """All contacts, those of points first."""
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            yield _Touch(
                info.bodyA_index(),
                info.bodyB_index(),
                info.contact_force(),
                info.contact_point(),
                None,
            )
        for i in range(results.num_hydroelastic_contacts()):
            yield self._surface(results.hydroelastic_contact_info(i))

    def _surface(self, info: HydroelasticContactInfo) -> _Touch:
        """A contact of surfaces, reduced to its centroid."""
        surface, F = info.contact_surface(), info.F_Ac_W()
        a, b = (self._bodies[g] for g in (surface.id_M(), surface.id_N()))
        force, moment = -F.translational(), -F.rotational()
        return _Touch(a, b, force, surface.centroid(), moment)

    def _calc_wrenches(self, context: Context, output: BasicVector) -> None:
        results: ContactResults = self._results.Eval(context)
        # Plain numbers, for arrays of three are slow, and logs ask often.
        total = [[0.0] * 6 for _ in range(len(self.patches) + 1)]
        for a, b, force, point, moment in self._touches(results):
            pair = int(a), int(b)
            if pair not in self._carried:
                self._carried[pair] = self._carry(a, b)
            slot, sign = self._carried[pair]
            if not sign:
                continue
            row, (fx, fy, fz), (x, y, z) = total[slot], force.tolist(), point.tolist()
            row[0] += sign * (y * fz - z * fy)
            row[1] += sign * (z * fx - x * fz)
            row[2] += sign * (x * fy - y * fx)
            if moment is not None:
                row[:3] = (np.array(row[:3]) + sign * moment).tolist()
            row[3] += sign * fx
            row[4] += sign * fy
            row[5] += sign * fz
        output.SetFromVector(np.concatenate(total))

    def _calc_sole_wrenches(self, context: Context, output: BasicVector) -> None:
        W = self._wrenches.Eval(context).reshape(-1, 6)[self._rows]
        q = self._state.Eval(context)[: self._world.robot.num_positions]
        output.SetFromVector(self._at_soles.at(q, W).ravel())

    def _carry(self, a: BodyIndex, b: BodyIndex) -> tuple[int, float]:
        """Row of `wrenches` in which a contact of two bodies counts, and its sign.

        The sign is that of the force on the second body; 0 for what does not count.
        """
        rest = len(self.patches)
        for support, body, sign in ((a, b, 1.0), (b, a, -1.0)):
            if support in self._supports:
                slot = self._slot.get(body, rest)
                counts = slot < rest or support == self._ground
                return slot, sign if counts else 0.0
        return rest, 0.0

    def _calc_normal_forces(self, context: Context, output: BasicVector) -> None:
        results: ContactResults = self._results.Eval(context)
        total = np.zeros(len(self._sole_of))
        # Sensors read this at every step: no more of a contact than they need.
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            a, b = info.bodyA_index(), info.bodyB_index()
            if self._ground in (a, b):
                sole = self._sole_of.get(b if a == self._ground else a)
                if sole is not None:
                    normal = info.point_pair().nhat_BA_W
                    total[sole] += abs(normal @ info.contact_force())
        for i in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(i)
            touch = self._surface(info)
            a, b = touch.body_A, touch.body_B
            sole = self._sole_of.get(b if a == self._ground else a)
            if sole is not None and self._ground in (a, b):
                # The ground is flat where a sole touches it: all faces have one normal.
                normal = info.contact_surface().face_normal(0)
                total[sole] += abs(normal @ touch.force)
        output.SetFromVector(total)

    def _calc_strikes(self, context: Context, output: BasicVector) -> None:
        results: ContactResults = self._results.Eval(context)
        rows = np.zeros((len(self.tips), ROW))
        rows[:, MEMBER] = -1
        nq, x = self._world.robot.num_positions, self._state.Eval(context)
        rows[:, PLACE:ROW] = self._motion.at(x[:nq], x[nq:])
        sticks, soles = self._sticks, self._soles
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            a = int(info.bodyA_index())
            # Most contacts are those of the soles with the ground.
            if a not in soles and (a in sticks or int(info.bodyB_index()) in sticks):
                self._add_strike(info, rows)
        output.SetFromVector(rows.ravel())

    def _add_strike(self, info: PointPairContactInfo, rows: np.ndarray) -> None:
        """Adds a contact of a stick with a member to the stick's row."""
        a, b, pair = info.bodyA_index(), info.bodyB_index(), info.point_pair()
        if a in self._stick_of and b in self._member_of:
            stick, member, geometry, sign = a, b, pair.id_A, -1.0
        elif b in self._stick_of and a in self._member_of:
            stick, member, geometry, sign = b, a, pair.id_B, 1.0
        else:
            return
        row = rows[self._stick_of[stick]]
        force = sign * info.contact_force()
        if geometry not in self._tip_of:
            row[SHAFT_FORCE] += float(np.linalg.norm(force))
            return
        normal = self._heads[self._member_of[member]].rotation().matrix()[:, 2]
        row[FORCE] += float(normal @ force)
        row[MEMBER] = self._member_of[member]
