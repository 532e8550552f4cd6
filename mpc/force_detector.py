"""ForceDetector: warns when something pushes that the model does not know.

The torques that nothing known explains (`mpc.momentum_observer`) are compared with what
noise, friction and an inexact model come to. Around a planned hit of a stick, and while
one rests on a drum, nothing is observed: the drum pushes, and that is known.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, LeafSystem, State

from behaviors.behavior import Event
from models.robot import RobotModel
from mpc.momentum_observer import MomentumObserver, ObserverMemory

# A residual is unexplained from here on [N m], and in shares of the joint's effort
# limit, where friction and the model's errors are of that size.
LEAST, SHARE = 3.0, 0.06
# A warning begins when that has lasted so long [s], and ends below this share of it.
LASTING, OFF = 0.02, 0.5
# Known contacts are not observed from so long before to so long after them [s].
BEFORE, AFTER = 0.03, 0.05
# Warnings that are remembered, the latest.
REMEMBERED = 64


def known_contacts(events: Iterable[Event]) -> list[tuple[float, float]]:
    """When sticks touch by plan: from and to [s], in time of the behavior.

    A stick that rests at the beginning has rested before.

    Args:
        events: of a behavior.
    """
    found = []
    for event in events:
        if event.kind in ("strike", "rest"):
            since = event.time - BEFORE if event.time > 0 else -np.inf
            found.append((since, event.time + event.duration + AFTER))
    return found


@dataclass(frozen=True)
class ForceWarning:
    """Something pushed.

    Attributes:
        time: when that was noticed [s].
        joint: where it was most against what is usual.
        torque: the greatest unexplained torque of that joint so far [N m].
        until: when it was over [s]; None while it lasts.
    """

    time: float
    joint: str
    torque: float
    until: float | None = None


@dataclass(frozen=True)
class DetectorMemory:
    """All memory of the detector.

    Attributes:
        observer: that of the observer; None before the first sample.
        since: from when on there has been too much [s]; None when there is not.
        warnings: the latest, oldest first.
        count: of all warnings.
    """

    observer: ObserverMemory | None = None
    since: float | None = None
    warnings: tuple[ForceWarning, ...] = ()
    count: int = 0

    @property
    def is_warning(self) -> bool:
        """Whether something pushes now."""
        return bool(self.warnings) and self.warnings[-1].until is None

    def __deepcopy__(self, memo: object) -> "DetectorMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class ForceDetection:
    """The detector as a pure function of samples and memory.

    Attributes:
        observer: finds unexplained torques.
        limits: (n,) from where on they are too much [N m].
    """

    def __init__(
        self, robot: RobotModel, known: Sequence[tuple[float, float]] = ()
    ) -> None:
        """Makes the function.

        Args:
            robot: the robot.
            known: when contacts are known to be, from and to [s].
        """
        self.observer = MomentumObserver(robot)
        joints = self.observer.joints
        self.limits = np.maximum(LEAST, SHARE * robot.effort_limits[joints])
        self._names = [robot.joint_names[j] for j in joints]
        ordered = np.array(sorted(known), float).reshape(-1, 2)
        self._starts = ordered[:, 0]
        self._ends = np.maximum.accumulate(ordered[:, 1])

    def is_known(self, t: float) -> bool:
        """Whether a contact at time t [s] is no surprise."""
        i = int(np.searchsorted(self._starts, t, side="right")) - 1
        return i >= 0 and bool(t <= self._ends[i])

    def __call__(
        self,
        memory: DetectorMemory,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        effort: np.ndarray,
    ) -> DetectorMemory:
        """The memory after a sample.

        Args:
            memory: what the last one left.
            t: time [s].
            q, v: (nq,), (nv,) the state as sensed.
            effort: (nj,) torques of the motors from now on [N m].
        """
        finite = np.isfinite(q).all() and np.isfinite(v).all()
        if not (finite and np.isfinite(effort).all()):
            return replace(memory, observer=None, since=None)
        before = memory.observer
        if before is None:
            return replace(memory, observer=self.observer.start(t, q, v, effort))
        if self.is_known(t):
            # What a drum does is not observed; what was known before stays known.
            kept = self.observer.start(t, q, v, effort, before.residual)
            return replace(memory, observer=kept)
        return self._judge(
            replace(memory, observer=self.observer(before, t, q, v, effort)), t
        )

    def _judge(self, memory: DetectorMemory, t: float) -> DetectorMemory:
        """Begins, goes on with or ends a warning."""
        assert memory.observer is not None
        residual = memory.observer.residual
        shares = np.abs(residual) / self.limits
        worst = int(shares.argmax())
        if memory.is_warning:
            last = memory.warnings[-1]
            i = self._names.index(last.joint)
            torque = max(last.torque, abs(float(residual[i])))
            until = t if shares[worst] < OFF else None
            last = replace(last, torque=torque, until=until)
            return replace(memory, warnings=(*memory.warnings[:-1], last), since=None)
        if shares[worst] <= 1.0:
            return memory if memory.since is None else replace(memory, since=None)
        since = t if memory.since is None else memory.since
        if t - since < LASTING - 1e-9:
            return replace(memory, since=since)
        new = ForceWarning(t, self._names[worst], abs(float(residual[worst])))
        kept = (*memory.warnings, new)[-REMEMBERED:]
        return replace(memory, since=since, warnings=kept, count=memory.count + 1)


class ForceDetector(LeafSystem):
    """Watches for forces that the model does not know.

    .. pydrake_system::

        name: ForceDetector
        input_ports:
        - state
        - effort
        output_ports:
        - residual
        - warning
        - memory

    `state` is the robot model's [q, v] (nq + nv) as sensed, `effort` (nj) the torques
    of the motors [N m]. `residual` (n) are unexplained torques of the joints of no leg
    [N m], `warning` (1) is 1 while something pushes, `memory` is a DetectorMemory.

    Attributes:
        detection: what it computes, as a pure function.
    """

    def __init__(
        self,
        robot: RobotModel,
        period: float,
        known: Sequence[tuple[float, float]] = (),
    ) -> None:
        """Makes the detector.

        Args:
            robot: the robot.
            period: time between samples [s].
            known: when contacts are known to be, from and to [s].
        """
        super().__init__()
        self._robot = robot
        self.detection = ForceDetection(robot, known)
        self._state_port = self.DeclareVectorInputPort(
            "state", robot.num_positions + robot.num_velocities
        )
        self._effort_port = self.DeclareVectorInputPort("effort", robot.num_joints)
        first = DetectorMemory()
        self._memory = self.DeclareAbstractState(AbstractValue.Make(first))
        state = {self.all_state_ticket()}
        n = len(self.detection.limits)
        self.DeclareVectorOutputPort("residual", n, self._calc_residual, state)
        self.DeclareVectorOutputPort("warning", 1, self._calc_warning, state)
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), self._calc_memory, state
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, self._update)

    def _read(self, context: Context) -> DetectorMemory:
        memory: DetectorMemory = context.get_abstract_state(
            int(self._memory)
        ).get_value()
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
        x, nq = self._state_port.Eval(context), self._robot.num_positions
        effort = self._effort_port.Eval(context)
        t, memory = context.get_time(), self._read(context)
        new = self.detection(memory, t, x[:nq], x[nq:], effort)
        state.get_mutable_abstract_state(int(self._memory)).set_value(new)
