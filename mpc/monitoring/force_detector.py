"""ForceDetector: `backbeat.mpc.monitoring.force_detection` as a Drake system."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, State

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import SensorNoise
from backbeat.mpc.monitoring.force_detection import DetectorMemory, ForceDetection
from backbeat.mpc.predictive.settings import PlanSettings


class ForceDetector(CollectableSystem):
    """Detects forces that are not in the model.

    .. pydrake_system::

        name: ForceDetector
        input_ports:
        - state
        - effort
        - wrenches
        - specific_force
        - settings
        output_ports:
        - residual
        - warning
        - memory

    `state` is the robot model's [q, v] (nq + nv) as sensed, `effort` (nj) the torques
    of the motors [N m], `wrenches` (6 C) what the sensors at its soles feel, moment and
    force in the axes of each sole, about its origin [N m, N]; without sensors there is
    no such port. `specific_force` (3) is what an accelerometer at the base feels, world
    axes [m/s^2]; without one there is no such port, and the velocity of the base is
    used.
    All four are of one time: where sensors are late, of when they felt.
    `settings` is the PlanSettings whose tempo says where in the behavior the robot is;
    unconnected, it is in tempo. `residual` (n) are unexplained torques, of all rows of
    the equations of motion or of the joints of no leg [N m, N], `warning` (1) is 1
    while something pushes, `memory` is a DetectorMemory.

    Attributes:
        detection: what it computes, as a pure function.
    """

    def __init__(
        self,
        robot: RobotModel,
        period: float,
        known: Sequence[tuple[float, float]] = (),
        soles: Sequence[str] = (),
        noise: SensorNoise | None = None,
        start_time: float = 0.0,
        has_accelerometer: bool = False,
    ) -> None:
        """Makes the detector.

        Args:
            robot: the robot.
            period: time between samples [s].
            known: when contacts are known to be, from and to, as phases [s].
            soles: as of `ForceDetection`; with them every sample of their sensors has
                to be seen.
            noise: of the sensors; None for what is usual.
            start_time: time at which the behavior's phase is zero [s].
            has_accelerometer: as of `MomentumObserver`; every sample of it has to be
                seen.
        """
        super().__init__()
        self._robot, self._start = robot, start_time
        self.detection = ForceDetection(robot, known, soles, noise, has_accelerometer)
        self._state_port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        self._effort_port = self.DeclareVectorInputPort("effort", robot.num_joints)
        self._wrench_port = None
        if soles:
            size = 6 * len(soles)
            self._wrench_port = self.DeclareVectorInputPort("wrenches", size)
        self._force_port = None
        if has_accelerometer:
            self._force_port = self.DeclareVectorInputPort("specific_force", 3)
        self._settings_port = self.DeclareAbstractInputPort(
            "settings", AbstractValue.Make(PlanSettings())
        )
        first = DetectorMemory()
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(first)))
        self._watches = int(self.DeclareNumericParameter(BasicVector([1.0])))
        state = {self.all_state_ticket()}
        n = len(self.detection.limits)
        self.DeclareVectorOutputPort("residual", n, weak(self._calc_residual), state)
        self.DeclareVectorOutputPort("warning", 1, weak(self._calc_warning), state)
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), weak(self._calc_memory), state
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))

    def watch(self, context: Context, on: bool) -> None:
        """Watches from now on, or no more; what has been noticed is kept.

        Args:
            context: of this system.
            on: whether to watch. Beginning again, it starts from nothing.
        """
        parameter = context.get_mutable_numeric_parameter(self._watches)
        if on and not parameter[0]:
            rested = replace(self._read(context), observer=None, since=None)
            context.SetAbstractState(self._memory, rested)
        parameter[0] = float(on)

    def _read(self, context: Context) -> DetectorMemory:
        memory: DetectorMemory = context.get_abstract_state(self._memory).get_value()
        return memory

    def _calc_residual(self, context: Context, output: BasicVector) -> None:
        observer = self._read(context).observer
        nothing = np.zeros(len(self.detection.limits))
        output.SetFromVector(nothing if observer is None else observer.residual)

    def _calc_warning(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector([float(self._read(context).is_warning)])

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def _update(self, context: Context, state: State) -> None:
        if not context.get_numeric_parameter(self._watches)[0]:
            return
        x, nq = self._state_port.Eval(context), self._robot.num_positions
        effort = self._effort_port.Eval(context)
        wrenches = None
        if self._wrench_port is not None:
            wrenches = self._wrench_port.Eval(context).reshape(-1, 6)
        felt = None if self._force_port is None else self._force_port.Eval(context)
        t, memory = context.get_time(), self._read(context)
        phase = t - self._start
        if self._settings_port.HasValue(context):
            settings: PlanSettings = self._settings_port.Eval(context)
            phase = settings.tempo.requested_phase(phase)
        new = self.detection(memory, t, x[:nq], x[nq:], effort, wrenches, phase, felt)
        state.get_mutable_abstract_state(self._memory).set_value(new)
