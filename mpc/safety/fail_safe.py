"""State machine of a controller whose program may fail.

    mode         what is done                            left for
    tracking     the new answer is used                  carrying, fallen
    carrying     the last good answer goes on            tracking, holding, fallen
    holding      a hold that needs no program            tracking, fallen
    fallen       nothing but damping, for good

One event an update: solved, or a failure with its cause, and whether a fall was
detected. A fall has priority. From `carrying` the first solved program
leads back, for a fresh answer is better than an old one; from `holding` so many in a
row, for the two differ and must not take turns. Carrying may take a stated time, and
so may holding without any estimate of the state, when a fall cannot be detected.

Both controllers use it. It is independent of the robot.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np

from backbeat.models.common.errors import clipped

T = TypeVar("T")
# What a solver may raise; all else is a mistake in the program and must be seen.
SOLVER_ERRORS = (
    RuntimeError,
    ValueError,
    np.linalg.LinAlgError,
    FloatingPointError,
    ZeroDivisionError,
)
# Changes of mode that are remembered, the latest.
REMEMBERED = 32


class Mode(StrEnum):
    """What a controller does at present."""

    TRACKING = "tracking"
    CARRYING = "carrying on"
    HOLDING = "holding"
    FALLEN = "fallen"


class Cause(StrEnum):
    """Why there is no answer.

    The first four are words of `backbeat.optimization.qp.program`, the last three are
    of a controller in another process.
    """

    INFEASIBLE = "infeasible"
    ITERATIONS = "iteration cap"
    NUMERICS = "numerics"
    INACCURATE = "inaccurate"
    STATE = "no state of a robot"
    EXCEPTION = "exception"
    SILENT = "no answer in time"
    LOST = "connection lost"
    GARBLED = "answer not understood"


@dataclass(frozen=True)
class Failure:
    """An update without an answer.

    Attributes:
        cause: the kind.
        message: more about it, such as the text of an exception.
    """

    cause: Cause
    message: str = ""

    def __str__(self) -> str:
        """Cause and message in words."""
        return f"{self.cause}: {self.message}" if self.message else str(self.cause)


@dataclass(frozen=True)
class FailSafe:
    """How long a controller may do what.

    Attributes:
        carry: most time that the last good answer goes on [s].
        settle: solved programs in a row that end a hold.
        blind: most time of a hold in which nothing is known of the state [s].
    """

    carry: float
    settle: int = 5
    blind: float = 0.5


@dataclass(frozen=True)
class FailureCount:
    """Failures of one cause.

    Attributes:
        count: how many.
        first: time of the first [s].
        message: what the first said.
    """

    count: int
    first: float
    message: str


@dataclass(frozen=True)
class Change:
    """A change of mode.

    Attributes:
        time: when [s].
        mode: the new mode.
        why: cause of a failure, sign of a fall, or "solved".
    """

    time: float
    mode: Mode
    why: str


@dataclass(frozen=True)
class Safety:
    """Memory of the machine; `advance` makes the next.

    Attributes:
        mode: what is done at present.
        since: when that began [s].
        solved: programs solved in a row during a hold.
        blind_since: time from which a hold is without a state [s].
        failures: failures by cause.
        spent: time spent in each mode, without the present stay [s].
        changes: the latest changes of mode, oldest first.
        fall: sign by which a fall was declared; empty without one.
    """

    mode: Mode = Mode.TRACKING
    since: float = 0.0
    solved: int = 0
    blind_since: float | None = None
    failures: dict[Cause, FailureCount] = field(default_factory=dict)
    spent: dict[Mode, float] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    fall: str = ""

    @property
    def count(self) -> int:
        """Failures of all causes."""
        return sum(f.count for f in self.failures.values())

    @property
    def fell_at(self) -> float | None:
        """When a fall was declared [s], None without one."""
        return self.since if self.mode is Mode.FALLEN else None

    def time_in(self, mode: Mode, now: float) -> float:
        """Time spent in a mode until `now` [s]."""
        stay = now - self.since if self.mode is mode else 0.0
        return self.spent.get(mode, 0.0) + stay


def advance(
    safety: Safety, t: float, failure: Failure | None, fall: str, limits: FailSafe
) -> Safety:
    """The machine's memory after one update.

    Args:
        safety: memory so far; returned itself when nothing happens.
        t: time of the update [s].
        failure: why the program was not solved; None when it was.
        fall: sign of a fall; empty without one.
        limits: how long it may do what.
    """
    if safety.mode is Mode.FALLEN:
        return safety
    if failure is not None:
        safety = replace(safety, failures=_counted(safety.failures, t, failure))
    if fall:
        return replace(_enter(safety, Mode.FALLEN, t, fall), fall=fall)
    if failure is None:
        return _solved(safety, t, limits)
    if safety.mode is Mode.TRACKING:
        return _enter(safety, Mode.CARRYING, t, str(failure.cause))
    if safety.mode is Mode.CARRYING:
        if t - safety.since < limits.carry - 1e-9:
            return safety
        safety = _enter(safety, Mode.HOLDING, t, str(failure.cause))
    return _held(safety, t, failure, limits)


def _solved(safety: Safety, t: float, limits: FailSafe) -> Safety:
    """After a solved program."""
    if safety.mode is Mode.TRACKING:
        return safety
    solved = safety.solved + 1
    if safety.mode is Mode.HOLDING and solved < limits.settle:
        return replace(safety, solved=solved, blind_since=None)
    return _enter(safety, Mode.TRACKING, t, "solved")


def _held(safety: Safety, t: float, failure: Failure, limits: FailSafe) -> Safety:
    """After a failure during a hold."""
    if failure.cause is not Cause.STATE:
        return replace(safety, solved=0, blind_since=None)
    since = t if safety.blind_since is None else safety.blind_since
    if t - since > limits.blind - 1e-9:
        why = f"no state for {limits.blind:g} s"
        return replace(_enter(safety, Mode.FALLEN, t, why), fall=why)
    return replace(safety, solved=0, blind_since=since)


def _enter(safety: Safety, mode: Mode, t: float, why: str) -> Safety:
    spent = safety.spent | {safety.mode: safety.time_in(safety.mode, t)}
    changes = (*safety.changes, Change(t, mode, why))[-REMEMBERED:]
    return replace(
        safety,
        mode=mode,
        since=t,
        solved=0,
        blind_since=None,
        spent=spent,
        changes=changes,
    )


def _counted(
    failures: dict[Cause, FailureCount], t: float, failure: Failure
) -> dict[Cause, FailureCount]:
    before = failures.get(failure.cause)
    if before is None:
        return failures | {failure.cause: FailureCount(1, t, failure.message)}
    return failures | {failure.cause: replace(before, count=before.count + 1)}


def attempt(solve: Callable[[], T]) -> T | Failure:
    """What `solve` returns, or a failure that says what it raised.

    The one place where exceptions of solvers are caught, and only theirs.
    """
    try:
        return solve()
    except SOLVER_ERRORS as error:
        what = f"{type(error).__name__}: {clipped(error)}"
        return Failure(Cause.EXCEPTION, what)
