"""A second process that plans while the first one simulates.

The process gets the behavior as a library file and all else as messages of plain
numbers; nothing is unpickled. It keeps no memory between plans: a request holds the
state and the plan before, so that its results are those of planning inside.
It ends when its standard input does, and so never outlives its parent.
"""

import os
import select
import struct
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.models.common.closing import Closing
from backbeat.models.common.errors import BackbeatError, clipped
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.memory import PredictiveMemory
from backbeat.mpc.predictive.plan_message import pack, unpack
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import STEPPING, Recovery
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.weights.controller_weights import ControllerWeights, check_elsewhere

_LENGTH = struct.Struct("<Q")
# Longest that the process may take to start, and to answer [s].
START, ANSWER = 300.0, 30.0


@dataclass(frozen=True)
class PlannerSettings:
    """What a planner needs besides the behavior.

    Attributes:
        weights: of the predictive program, before settings adapt them.
        settings: of plans at the start.
        period, start_time, planning_time: as of PredictiveCore [s].
        recovery: when and how to step.
    """

    weights: PredictiveWeights
    settings: PlanSettings
    period: float
    start_time: float
    planning_time: float
    recovery: Recovery = STEPPING

    @classmethod
    def of(
        cls, timing: TimingSettings, plan: PlanSettings, weights: ControllerWeights
    ) -> "PlannerSettings":
        """What a planner is told of a run with these periods."""
        times = timing.plan_period, timing.lead_in, timing.planning_time
        return cls(weights.predictive, plan, *times, weights.recovery)

    def make_core(self, behavior: Behavior) -> PredictiveCore:
        """What plans with these settings."""
        return PredictiveCore(
            PredictiveProgram(Reference(behavior), self.settings.adapt(self.weights)),
            self.period,
            self.start_time,
            self.recovery,
            planning_time=self.planning_time,
            weights=self.weights,
        )


class PendingMemory:
    """The memory that a planner is working on."""

    def __init__(self, planner: "PlannerProcess") -> None:
        self._planner = planner
        self._memory: PredictiveMemory | None = None

    def __deepcopy__(self, memo: object) -> "PendingMemory":
        """Copies share the one pending result."""
        return self

    def result(self) -> PredictiveMemory:
        """Waits for the planner.

        Raises:
            BackbeatError: it ended or does not answer.
        """
        if self._memory is None:
            self._memory = self._planner.receive()
        return self._memory


class PlannerProcess(Closing):
    """A running planner; one question at a time."""

    def __init__(self, behavior: Behavior, settings: PlannerSettings) -> None:
        """Starts the process and waits until it can plan.

        Raises:
            BackbeatError: it does not start, or lacks the code of a term.
        """
        check_elsewhere(settings.weights, "a planner in a process")
        self._open: PendingMemory | None = None
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-m", "backbeat.mpc.control.planner_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | threads | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        try:
            self._introduce(behavior, settings)
        except BaseException:
            self.close()
            raise

    def _introduce(self, behavior: Behavior, settings: PlannerSettings) -> None:
        """Hands over what the process needs, and waits until it can plan."""
        with tempfile.TemporaryDirectory() as folder:
            Library(folder).save(behavior)
            head: dict[str, Any] = asdict(settings) | {"settings": settings.settings}
            head |= {"folder": folder, "behavior": behavior.name}
            self._send(pack(head))
            self._wait(START)
            _read(self._stdout)

    @property
    def process_id(self) -> int:
        """Of the second process."""
        return self._process.pid

    @property
    def _stdout(self) -> BinaryIO:
        assert self._process.stdout is not None
        return self._process.stdout  # type: ignore[return-value]

    def close(self) -> None:
        """Ends the process."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue

    def start(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        memory: PredictiveMemory,
        force: np.ndarray | None = None,
        settings: PlanSettings | None = None,
    ) -> PendingMemory:
        """Requests the result that `PredictiveCore` would return."""
        if self._open is not None:
            self._open.result()
        self._send(pack((t, q, v, memory, force, settings)))
        self._open = PendingMemory(self)
        return self._open

    def receive(self) -> PredictiveMemory:
        """The answer to the last question.

        Raises:
            BackbeatError: the process ended or does not answer.
        """
        self._wait(ANSWER)
        message = _read(self._stdout)
        if message is None:
            raise self._ended()
        self._open = None
        memory: PredictiveMemory = unpack(message)
        return memory

    def _send(self, message: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(_LENGTH.pack(len(message)) + message)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def _wait(self, seconds: float) -> None:
        ready, _, _ = select.select([self._stdout], [], [], seconds)
        if not ready:
            self._process.kill()
            raise BackbeatError(
                f"the planner process has not answered for {seconds:g} s and was "
                "ended; plan inside to go without it"
            )
        if not self._stdout.peek(1):  # type: ignore[attr-defined]
            raise self._ended()

    def _ended(self) -> BackbeatError:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        why = f": {clipped(lines[-1])}" if lines else ""
        return BackbeatError(f"the planner process ended with code {code}{why}")


def _read(stream: BinaryIO) -> bytes | None:
    """The next message; None when there will be none."""
    size = stream.read(_LENGTH.size)
    if len(size) < _LENGTH.size:
        return None
    message = stream.read(_LENGTH.unpack(size)[0])
    return message if len(message) == _LENGTH.unpack(size)[0] else None


def _write(stream: BinaryIO, message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def main() -> None:
    """Answers requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    message = _read(sys.stdin.buffer)
    if message is None:
        return
    head = unpack(message)
    behavior = Library(head.pop("folder")).load(head.pop("behavior"))
    weights = PredictiveWeights(**head.pop("weights"))
    recovery = Recovery(**head.pop("recovery"))
    step = PlannerSettings(weights, recovery=recovery, **head).make_core(behavior)
    _write(answers, pack("ready"))
    while (message := _read(sys.stdin.buffer)) is not None:
        _write(answers, pack(step(*unpack(message))))


if __name__ == "__main__":
    main()
