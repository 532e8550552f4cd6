"""EnginePlant: an engine as a Drake system, in the place of Drake's own plant."""

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.multibody.plant import ExternallyAppliedSpatialForce
from pydrake.systems.framework import BasicVector, Context, State

from backbeat.models.common.collectable_system import weak
from backbeat.models.sensing.sole_wrenches import SoleWrenches
from backbeat.mpc.engines.engine import AppliedForce, Engine, EngineMoment
from backbeat.mpc.world.contact_roles import ContactSource
from backbeat.mpc.world.stick_contacts import ROW


class EnginePlant(ContactSource):
    """Steps an engine, and tells what of it there is to see.

    .. pydrake_system::

        name: EnginePlant
        input_ports:
        - joint_effort
        - spatial_forces
        output_ports:
        - state
        - felt_effort
        - wrenches
        - strikes
        - normal_forces
        - sole_wrenches

    `joint_effort` (nj) is the mean effort of the motors over the step that begins
    [N m], `spatial_forces` a list of ExternallyAppliedSpatialForce, which may be left
    unconnected; moments among them are not simulated. `state` is the true [q, v] of
    the robot model, `felt_effort` (nj) what came through to the joints; the others are
    those of `backbeat.mpc.world.contact_log.ContactLog`. Its state is the engine's
    moment.
    """

    def __init__(
        self, engine: Engine, names: ContactSource, start: EngineMoment
    ) -> None:
        """Makes the system.

        Args:
            engine: what is stepped.
            names: of patches, of what strikes and of what is struck.
            start: where it begins by default.
        """
        super().__init__()
        robot, self.engine = engine.robot, engine
        self.patches, self.tips = names.patches, names.tips
        self.members = names.members
        self._at_soles, nj = SoleWrenches(robot), robot.num_joints
        self._rows = np.array([robot.patches.index(n) for n in robot.soles], int)
        self._effort = self.DeclareVectorInputPort("joint_effort", nj)
        self._forces = self.DeclareAbstractInputPort(
            "spatial_forces", AbstractValue.Make([ExternallyAppliedSpatialForce()])
        )
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(start)))
        state = {self.all_state_ticket()}
        for name, size, calc in (
            ("state", robot.num_positions + robot.num_velocities, self._calc_state),
            ("felt_effort", nj, self._calc_effort),
            ("wrenches", 6 * len(robot.patches) + 6, self._calc_wrenches),
            ("strikes", ROW * len(self.tips), self._calc_strikes),
            ("normal_forces", len(robot.soles), self._calc_normal_forces),
            ("sole_wrenches", 6 * len(robot.soles), self._calc_sole_wrenches),
        ):
            self.DeclareVectorOutputPort(name, size, weak(calc), state)
        # An unrestricted update, as the step of Drake's plant is: all that is updated
        # at a time sees what is before it.
        self.DeclarePeriodicUnrestrictedUpdateEvent(
            engine.time_step, 0.0, weak(self._update)
        )

    def moment(self, context: Context) -> EngineMoment:
        """All that the engine remembers, from its own context."""
        found: EngineMoment = context.get_abstract_state(self._memory).get_value()
        return found

    def set_moment(self, context: Context, moment: EngineMoment) -> None:
        """Puts the engine at a moment, in its own context."""
        context.SetAbstractState(self._memory, moment)

    def _update(self, context: Context, state: State) -> None:
        pushes: list[AppliedForce] = []
        if self._forces.HasValue(context):
            pushes = [
                AppliedForce(
                    int(f.body_index),
                    f.p_BoBq_B.copy(),
                    f.F_Bq_W.translational().copy(),
                )
                for f in self._forces.Eval(context)
            ]
        effort = self._effort.Eval(context).copy()
        after = self.engine.step(self.moment(context), effort, pushes)
        state.get_mutable_abstract_state(self._memory).set_value(after)

    def _calc_state(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.moment(context).state)

    def _calc_effort(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.moment(context).effort)

    def _calc_wrenches(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.moment(context).contact.ravel())

    def _calc_strikes(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.moment(context).strikes.ravel())

    def _calc_normal_forces(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.moment(context).normal_forces)

    def _calc_sole_wrenches(self, context: Context, output: BasicVector) -> None:
        moment = self.moment(context)
        wrenches = moment.contact[self._rows]
        output.SetFromVector(self._at_soles.at(moment.q, wrenches).ravel())
