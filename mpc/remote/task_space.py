"""RemoteTaskSpace: a system in place of a task-space controller in another process.

While answers come, it passes them on. When none comes, the last torques go on for a
moment, then joints hold the posture of that moment, with damping, until the controller
has answered several times in a row again (`backbeat.mpc.safety.fail_safe`).
"""

import time
from dataclasses import dataclass, field, replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, State, ValueProducer

from backbeat.models.actuation.joint_command import BLOCKS, joint_command
from backbeat.models.common.collectable_system import weak
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.control.outside import ConnectTaskSpace
from backbeat.mpc.remote.address import Address
from backbeat.mpc.remote.task_exchange import TaskRequest
from backbeat.mpc.remote.task_link import TaskSpaceLink
from backbeat.mpc.safety.fail_safe import FailSafe, Failure, Mode, Safety, advance
from backbeat.mpc.safety.servo_gains import bounded_gains
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.task_space.law import TaskSpaceCommand, TaskSpaceLaw
from backbeat.mpc.task_space.system import TaskSpaceSystem
from backbeat.mpc.whole_body.core import CARRY


@dataclass(frozen=True)
class RemoteTaskMemory:
    """All memory of this side.

    Attributes:
        tick: number of the last tick; -1 before the first.
        inputs: inputs of its request; None where there was no answer.
        found: the last answer.
        command: (9 nj,) the joint command in force.
        posture: (nj,) of the joints when the controller last answered [rad].
        link: what is done about answers that do not come, and the counts.
    """

    tick: int
    inputs: object
    found: TaskSpaceCommand
    command: np.ndarray
    posture: np.ndarray
    link: Safety = field(default_factory=Safety)

    def __deepcopy__(self, memo: object) -> "RemoteTaskMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class RemoteTaskSpace(TaskSpaceSystem):
    """Requests torques from another process whenever its inputs change.

    .. pydrake_system::

        name: RemoteTaskSpace
        input_ports:
        - state
        - target
        - hand
        - hand_rate
        - base_acceleration
        output_ports:
        - command
        - at_limit
        - modeled_hand
        - memory

    Ports are those of `TaskSpaceController`; `memory` is a RemoteTaskMemory. It looks
    at its inputs once in every period, and has the answer at the same time.

    Attributes:
        link: the connection.
        tick_times: wall times of questions and answers [s]; they decide nothing.
    """

    def __init__(
        self, link: TaskSpaceLink, law: TaskSpaceLaw, q: np.ndarray, period: float
    ) -> None:
        """Makes the stand-in.

        Args:
            link: the connection, open.
            law: says the order of numbers and the settings at the start; it is not
                asked for torques.
            q: (nq,) where the robot begins.
            period: time between samples of the inputs [s].
        """
        super().__init__(law.settings)
        self.link, self.tick_times = link, list[float]()
        robot = self._robot = law.robot
        nj, self._nq, self._period = robot.num_joints, robot.num_positions, period
        base = robot.base_velocities
        M = Configuration(robot, q).mass_matrix[base:, base:]
        felt = 1.0 / np.diag(np.linalg.inv(M))
        self._hold, self._limits = bounded_gains(robot, felt), FailSafe(carry=CARRY)
        declare = self.DeclareVectorInputPort
        declare("state", self._nq + robot.num_velocities)
        declare("target", 9)
        for name, size in (("hand", 3), ("hand_rate", 3), ("base_acceleration", 6)):
            declare(name, size)
        z = np.zeros
        blank = TaskSpaceCommand(z(nj), z(nj, bool), z(3))
        posture = q[robot.base_positions :].copy()
        first = RemoteTaskMemory(-1, None, blank, z(BLOCKS * nj), posture)
        self._memory = self.DeclareAbstractState(AbstractValue.Make(first))
        # The memory with the answer of this moment, which several ports need.
        self._fresh = self.DeclareCacheEntry(
            "fresh",
            ValueProducer(lambda: AbstractValue.Make(first), weak(self._calc)),
            {self.all_sources_ticket()},
        ).cache_index()
        read = weak(self._read)
        for name, size in (("command", BLOCKS * nj), ("at_limit", nj)):
            self.DeclareVectorOutputPort(name, size, weak(getattr(self, f"_{name}")))
        self.DeclareVectorOutputPort(
            "modeled_hand", 3, lambda c, out: out.SetFromVector(read(c).found.hand)
        )
        self.DeclareAbstractOutputPort(
            "memory",
            lambda: AbstractValue.Make(first),
            lambda c, out: out.set_value(read(c)),
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))

    def _read(self, context: Context) -> RemoteTaskMemory:
        memory: RemoteTaskMemory = self.get_cache_entry(self._fresh).Eval(context)
        return memory

    def _command(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).command)

    def _at_limit(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).found.at_limit.astype(float))

    def _update(self, context: Context, state: State) -> None:
        new = self._read(context)
        state.get_mutable_abstract_state(int(self._memory)).set_value(new)

    def _calc(self, context: Context, output: AbstractValue) -> None:
        memory: RemoteTaskMemory = context.get_abstract_state(
            int(self._memory)
        ).get_value()
        tick = int(np.floor(context.get_time() / self._period + 1e-6))
        if tick > memory.tick:
            memory = self._ticked(context, replace(memory, tick=tick))
        output.set_value(memory)

    def _ticked(self, context: Context, memory: RemoteTaskMemory) -> RemoteTaskMemory:
        """The memory after a tick."""
        x, target = (self.GetInputPort(n).Eval(context) for n in ("state", "target"))
        ports = map(self.GetInputPort, ("hand", "hand_rate", "base_acceleration"))
        rest = [p.Eval(context) if p.HasValue(context) else None for p in ports]
        settings = self.settings(context)
        given = (x, target, *rest)
        inputs = [None if i is None else i.tobytes() for i in given], settings
        found: TaskSpaceCommand | Failure = memory.found
        if inputs != memory.inputs:
            began, t = time.perf_counter(), context.get_time()
            request = TaskRequest(memory.tick, x, target, *rest)
            found = self.link.ask(t, request, settings)
            self.tick_times.append(time.perf_counter() - began)
        return self._after(context.get_time(), x, inputs, found, memory)

    def _after(
        self,
        t: float,
        x: np.ndarray,
        inputs: object,
        found: TaskSpaceCommand | Failure,
        memory: RemoteTaskMemory,
    ) -> RemoteTaskMemory:
        """The memory after an answer, or after none."""
        failure = found if isinstance(found, Failure) else None
        safety = advance(memory.link, t, failure, "", self._limits)
        none = np.zeros(self._robot.num_joints)
        if isinstance(found, TaskSpaceCommand):
            memory = replace(memory, link=safety, found=found, inputs=inputs)
            if safety.mode is Mode.TRACKING:
                command = joint_command(found.tau, none, none, none, none)
                posture = x[self._robot.base_positions : self._nq].copy()
                return replace(memory, command=command, posture=posture)
        else:
            memory = replace(memory, link=safety, inputs=None)
        if safety.mode is Mode.HOLDING:
            command = joint_command(none, memory.posture, none, *self._hold)
            return replace(memory, command=command)
        return memory


class RemoteTaskControl:
    """A controller in task space, over a connection."""

    def __init__(self, link: TaskSpaceLink) -> None:
        """Has it behind a connection, which `open` makes."""
        self._link = link
        self._system: RemoteTaskSpace | None = None

    def open(self) -> None:
        """Connects.

        Raises:
            BackbeatError: no controller listens, it does not get ready, or it refuses.
        """
        self._link.open()

    def close(self) -> None:
        """Hangs up."""
        self._link.close()

    def system(
        self, law: TaskSpaceLaw, q: np.ndarray, period: float
    ) -> RemoteTaskSpace:
        """What stands for it in a diagram; see `RemoteTaskSpace`."""
        self._system = RemoteTaskSpace(self._link, law, q, period)
        return self._system

    def safety(self, root: Context) -> Safety:
        """What its stand-in has done so far about answers that did not come."""
        assert self._system is not None
        own = self._system.GetMyContextFromRoot(root)
        safety: Safety = self._system.GetOutputPort("memory").Eval(own).link
        return safety


def remote_task_space(address: Address) -> ConnectTaskSpace:
    """What connects a run to the controller at an address."""

    def connect(robot: RobotModel, scenario: TaskSpaceScenario) -> RemoteTaskControl:
        return RemoteTaskControl(TaskSpaceLink(address, robot, scenario))

    return connect
