"""StateEstimator: `backbeat.mpc.estimation.state_estimation` as a Drake system."""

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, State

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.sensing.sensors import SensorReading
from backbeat.mpc.estimation.state_estimation import EstimatorMemory, StateEstimation


class StateEstimator(CollectableSystem):
    """Estimates the state of a robot from its sensors.

    .. pydrake_system::

        name: StateEstimator
        input_ports:
        - reading
        - joint_acceleration
        - edges
        output_ports:
        - state
        - sampled_state
        - trust
        - normal_forces
        - wrenches
        - specific_force
        - memory

    `reading` is a SensorReading, `joint_acceleration` (nj) what the controller commands
    of the joints now [rad/s^2]; without it they are taken to keep their velocity.
    `edges` (C) is how far ahead of their middles the edges are on which soles stand
    [m], 0 of flat ones; without it all are flat.
    `state` is [q, v] of the robot model (nq + nv), carried on from the sample to
    `horizon` later, and `sampled_state` that at the sample, when feet were felt, with
    the angles of the encoders.
    `trust` (C) says of every foot how much it can be counted on, 0 in the air to 1,
    `normal_forces` (C) are the sensed ones [N], `wrenches` (6 C) the sensed wrenches
    on the feet [N m, N], zero where there are no such sensors, no numbers before the
    second sample. `specific_force` (3) is what the accelerometer felt then, in world
    axes and without its bias [m/s^2]. `memory` is an EstimatorMemory.

    A new sample is in the outputs as soon as it is in the input.

    Attributes:
        estimation: what it computes, as a pure function.
    """

    def __init__(self, estimation: StateEstimation) -> None:
        """Makes the estimator, which is sampled once in a period of `estimation`."""
        super().__init__()
        self.estimation, robot = estimation, estimation.robot
        C, nj, first = len(robot.soles), robot.num_joints, estimation.start()
        blank = np.zeros(nj)
        empty = SensorReading(-1, blank, blank, np.zeros(3), np.zeros(3), np.zeros(C))
        self._reading = self.DeclareAbstractInputPort(
            "reading", AbstractValue.Make(empty)
        )
        self._acceleration = self.DeclareVectorInputPort("joint_acceleration", nj)
        self._edges = self.DeclareVectorInputPort("edges", C)
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(first)))
        sources = {
            self.all_state_ticket(),
            self._reading.ticket(),
            self._acceleration.ticket(),
            self._edges.ticket(),
        }
        self._now = self.DeclareAbstractOutputPort(
            "memory",
            lambda: AbstractValue.Make(first),
            weak(self._calc_memory),
            sources,
        )
        size = robot.num_positions + robot.num_velocities
        self.DeclareVectorOutputPort("state", size, weak(self._calc_state), sources)
        self.DeclareVectorOutputPort(
            "sampled_state", size, weak(self._calc_sampled_state), sources
        )
        self.DeclareVectorOutputPort("trust", C, weak(self._calc_trust), sources)
        self.DeclareVectorOutputPort(
            "normal_forces", C, weak(self._calc_forces), {self._reading.ticket()}
        )
        self.DeclareVectorOutputPort(
            "wrenches", 6 * C, weak(self._calc_wrenches), {self._reading.ticket()}
        )
        self.DeclareVectorOutputPort(
            "specific_force", 3, weak(self._calc_specific_force), sources
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(
            estimation.period, 0.0, weak(self._update)
        )

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        memory: EstimatorMemory = context.get_abstract_state(self._memory).get_value()
        reading: SensorReading = self._reading.Eval(context)
        if reading.index > memory.index:
            wanted = None
            if self._acceleration.HasValue(context):
                wanted = self._acceleration.Eval(context)
            edge = self._edges.Eval(context) if self._edges.HasValue(context) else None
            memory = self.estimation(reading, memory, wanted, edge)
        output.set_value(memory)

    def _update(self, context: Context, state: State) -> None:
        memory = self._now.Eval(context)
        state.get_mutable_abstract_state(self._memory).set_value(memory)

    def _calc_state(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.estimation.state(self._now.Eval(context)))

    def _calc_sampled_state(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.estimation.sampled_state(self._now.Eval(context)))

    def _calc_specific_force(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self.estimation.specific_force(self._now.Eval(context)))

    def _calc_trust(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._now.Eval(context).trust)

    def _calc_forces(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._reading.Eval(context).force)

    def _calc_wrenches(self, context: Context, output: BasicVector) -> None:
        reading: SensorReading = self._reading.Eval(context)
        felt = reading.wrenches.ravel()
        if reading.index < 1:
            # It has felt no step yet, and is the latest until the second comes.
            felt = np.full(output.size(), np.nan)
        output.SetFromVector(felt if len(felt) else np.zeros(output.size()))
