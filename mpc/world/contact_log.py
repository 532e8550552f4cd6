"""Contact forces by name, from the results of the simulator."""

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.multibody.plant import ContactResults, HydroelasticContactInfo
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiagramBuilder,
    OutputPort,
    ValueProducer,
)
from pydrake.systems.primitives import SparseMatrixGain
from scipy.sparse import csc_matrix

from backbeat.models.common.collectable_system import weak
from backbeat.models.kit.pedals import PedalMotion
from backbeat.models.sensing.sole_wrenches import SoleWrenches
from backbeat.models.state.point_motion import PointMotion
from backbeat.models.world.scene import Scene, World
from backbeat.mpc.world.contact_roles import ContactRoles, ContactSource
from backbeat.mpc.world.stick_contacts import MEMBER, PLACE, ROW


class ContactLog(ContactSource):
    """Adds up contact results by contact name.

    .. pydrake_system::

        name: ContactLog
        input_ports:
        - contact_results
        - state
        - plant_state
        output_ports:
        - wrenches
        - strikes
        - normal_forces
        - sole_wrenches

    `wrenches` (6 C + 6) is, for each patch of the robot in order, the wrench of
    ground and chair on its link about the world origin, world axes [N m, N], and last
    the same of everything else that touches the ground: after a fall it is not zero.
    `strikes` (9 a tip) is, for each stick tip and each beater of a pedal, normal
    force of a member on it [N], index of that member or -1 where there is no force,
    force on the rest of its stick [N], and place [m] and velocity [m/s] of it in the
    world. `normal_forces` (S) are those of ground and pedals on each sole [N], as soles
    under pressure feel them, and `sole_wrenches` (6 S) moment and force on each sole,
    in its axes about its origin [N m, N]. The plant samples its outputs, so forces are
    those of the step that has just ended. `state` is the robot model's [q, v],
    `plant_state` that of the plant; without pedals there is no such port.
    """

    def __init__(self, world: World, scene: Scene) -> None:
        """Makes the log for a world in a scene."""
        super().__init__()
        self._world = world
        plant, robot = world.plant, world.robot
        self._roles = ContactRoles(world, scene)
        self.patches, self._sticks = self._roles.patches, self._roles.sticks
        self.tips, self.members = self._sticks.tips, self._sticks.members
        points = self._sticks.points
        self._motion = PointMotion(robot, [robot.frame(n) for n in points])
        self._pedals = PedalMotion(plant, self._sticks.pedals)
        self._at_soles = SoleWrenches(robot)
        self._rows = np.array([self.patches.index(n) for n in robot.soles], int)
        self._no_strikes = np.zeros((len(self.tips), ROW))
        self._no_strikes[:, MEMBER] = -1
        self._declare_inputs()
        self._declare_outputs()

    def _declare_inputs(self) -> None:
        plant, robot = self._world.plant, self._world.robot
        self._results = self.DeclareAbstractInputPort(
            "contact_results", plant.get_contact_results_output_port().Allocate()
        )
        self._state = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        self._moving = {self._state.ticket()}
        if self._sticks.pedals:
            self._plant_state = self.DeclareVectorInputPort(
                "plant_state", plant.num_multibody_states()
            )
            self._moving.add(self._plant_state.ticket())

    def _declare_outputs(self) -> None:
        soles, results = len(self._world.robot.soles), {self._results.ticket()}
        # Sensors need all of it at every step: contacts are processed once.
        self._sums = self.DeclareCacheEntry(
            "sums",
            ValueProducer(lambda: AbstractValue.Make(None), weak(self._calc_sums)),
            results,
        ).cache_index()
        self.DeclareVectorOutputPort(
            "wrenches", 6 * len(self.patches) + 6, weak(self._calc_wrenches), results
        )
        self.DeclareVectorOutputPort(
            "sole_wrenches",
            6 * soles,
            weak(self._calc_sole_wrenches),
            {*results, self._state.ticket()},
        )
        self.DeclareVectorOutputPort(
            "normal_forces", soles, weak(self._calc_normal_forces), results
        )
        self.DeclareVectorOutputPort(
            "strikes",
            ROW * len(self.tips),
            weak(self._calc_strikes),
            {*results, *self._moving},
        )

    def _calc_sums(self, context: Context, output: AbstractValue) -> None:
        """(C + 1, 6) `wrenches` and (S,) `normal_forces`."""
        results: ContactResults = self._results.Eval(context)
        # Plain numbers: arrays of three are slow, and sensors sample often.
        total = [[0.0] * 6 for _ in range(len(self.patches) + 1)]
        normal = [0.0] * len(self._rows)
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            bodies = int(info.bodyA_index()), int(info.bodyB_index())
            carried = self._roles.carry(*bodies)
            if carried.sign:
                force = info.contact_force()
                _add_wrench(
                    total[carried.row], carried.sign, force, info.contact_point()
                )
                if carried.sole is not None:
                    n = info.point_pair().nhat_BA_W
                    # Half as long as n @ force, and the same.
                    normal[carried.sole] += abs(float(n.dot(force)))
        for i in range(results.num_hydroelastic_contacts()):
            self._add_surface(results.hydroelastic_contact_info(i), total, normal)
        output.set_value((np.array(total), np.array(normal)))

    def _add_surface(
        self,
        info: HydroelasticContactInfo,
        total: list[list[float]],
        normal: list[float],
    ) -> None:
        """Adds a contact of surfaces, reduced to its centroid."""
        surface, F = info.contact_surface(), info.F_Ac_W()
        shapes = surface.id_M(), surface.id_N()
        carried = self._roles.carry(
            *(self._roles.bodies[g.get_value()] for g in shapes)
        )
        if not carried.sign:
            return
        force, row = -F.translational(), total[carried.row]
        _add_wrench(row, carried.sign, force, surface.centroid())
        row[:3] = (np.array(row[:3]) - carried.sign * F.rotational()).tolist()
        if carried.sole is not None:
            # The ground is flat where a sole touches it: all faces have one normal.
            normal[carried.sole] += abs(float(surface.face_normal(0) @ force))

    def _calc_wrenches(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.get_cache_entry(self._sums).Eval(context)[0].ravel())

    def _calc_normal_forces(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.get_cache_entry(self._sums).Eval(context)[1])

    def _calc_sole_wrenches(self, context: Context, output: BasicVector) -> None:
        W = self.get_cache_entry(self._sums).Eval(context)[0][self._rows]
        q = self._state.Eval(context)[: self._world.robot.num_positions]
        output.SetFromVector(self._at_soles.at(q, W).ravel())

    def _calc_strikes(self, context: Context, output: BasicVector) -> None:
        results: ContactResults = self._results.Eval(context)
        nq, x = self._world.robot.num_positions, self._state.Eval(context)
        rows = self._no_strikes.copy()
        hands = len(self._sticks.points)
        rows[:hands, PLACE:ROW] = self._motion.at(x[:nq], x[nq:])
        if hands < len(rows):
            whole = self._plant_state.Eval(context)
            rows[hands:, PLACE:ROW] = self._pedals.at(whole)
        self._sticks.add_to(rows, results)
        output.SetFromVector(rows.ravel())


def _add_wrench(
    row: list[float], sign: float, force: np.ndarray, point: np.ndarray
) -> None:
    """Adds a force (3,) at a point (3,), as a wrench about the origin of the world."""
    (fx, fy, fz), (x, y, z) = force.tolist(), point.tolist()
    row[0] += sign * (y * fz - z * fy)
    row[1] += sign * (z * fx - x * fz)
    row[2] += sign * (x * fy - y * fx)
    row[3] += sign * fx
    row[4] += sign * fy
    row[5] += sign * fz


def add_contact_log(
    builder: DiagramBuilder, world: World, scene: Scene
) -> tuple[OutputPort, ContactLog]:
    """Adds what reads the true state and the contact forces of a world's plant.

    Args:
        builder: that the world was added to.
        world: robot, ground and scene.
        scene: what stands on the ground there.

    Returns:
        The port of the (nq + nv,) true [q, v] of the robot model, and the log.
    """
    plant, connect = world.plant, builder.Connect
    whole, selection = plant.get_state_output_port(), world.state_selection()
    truth = builder.AddNamedSystem(
        "true_state", SparseMatrixGain(csc_matrix(selection))
    )
    log: ContactLog = builder.AddNamedSystem("contact_log", ContactLog(world, scene))
    state: OutputPort = truth.get_output_port()
    connect(whole, truth.get_input_port())
    connect(state, log.GetInputPort("state"))
    connect(
        plant.get_contact_results_output_port(), log.GetInputPort("contact_results")
    )
    if log.HasInputPort("plant_state"):
        connect(whole, log.GetInputPort("plant_state"))
    return state, log
