"""Tasks of one's own in the whole-body program, in Python, beside those that compile.

    program.add(task, weight)   # a cost
    program.add(task)           # a constraint
    task.set_desired(value)     # before each solve

A field of `WholeBodyGains`, or of a class that inherits from it, declares one as data:

    level: float = cost(5.0, Term("level head", "w' - desired", "rad/s^2", rows))

where `rows` maps an `Instant` to J, b and the desired value of J vdot + b.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.plans.explanation import TaskReport
from backbeat.mpc.whole_body.programs.arguments import ProgramWorkspace, Target
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from backbeat.optimization.qp.program import QuadraticProgram
from backbeat.optimization.terms.declared import added_costs


class Instant(NamedTuple):
    """What a task of one's own is made from."""

    robot: RobotModel
    state: Configuration  # poses, Jacobians and momentum
    target: Target


@dataclass
class AccelerationTask:
    """What J vdot + b shall be.

    Attributes:
        name: of the task.
        rows: gives J (k, nv) and b (k,) at an instant.
        unit: of the desired value.
        weight: on its squared error; None for a constraint.
        desired: what was set last; None for a task that is left out.
    """

    name: str
    rows: Callable[[Instant], tuple[np.ndarray, np.ndarray]]
    unit: str = "m/s^2"
    weight: float | None = None
    desired: np.ndarray | None = None

    def set_desired(self, desired: np.ndarray | None) -> None:
        """Sets the desired value from the next solve on; None leaves the task out."""
        self.desired = desired

    def weighted(self, weight: float | None) -> "AccelerationTask":
        """The task, with a weight or as a constraint.

        Raises:
            BackbeatError: the weight is not above zero.
        """
        if weight is not None and not weight > 0:
            raise BackbeatError(f"task {self.name!r}: a weight is > 0, not {weight}")
        self.weight = weight
        return self


class OwnRows(NamedTuple):
    """Rows of a task at an instant: J vdot + b shall be `desired`."""

    name: str
    unit: str
    weight: float | None
    J: np.ndarray
    b: np.ndarray
    desired: np.ndarray

    def report(self, vdot: np.ndarray) -> TaskReport:
        """Desired and achieved value; the weight of a constraint is infinite."""
        weight = np.inf if self.weight is None else self.weight
        got = self.J @ vdot + self.b
        return TaskReport(self.name, weight, self.desired, got, self.unit)


def own_rows(
    tasks: Iterable[AccelerationTask], gains: WholeBodyGains, now: Instant
) -> Iterator[OwnRows]:
    """Rows of all tasks that have a desired value, and of those of a class of gains."""
    for task in tasks:
        if task.desired is not None:
            J, b = task.rows(now)
            yield OwnRows(task.name, task.unit, task.weight, J, b, task.desired)
    for term, weight in added_costs(gains):
        if term.rows is not None and weight:
            yield OwnRows(term.name, term.unit, weight, *term.rows(now))


def with_rows(
    program: QuadraticProgram, work: ProgramWorkspace, rows: Iterable[OwnRows]
) -> QuadraticProgram:
    """The program of a tick with tasks of one's own; constraints come last.

    Args:
        program: of the tick.
        work: its workspace, with accelerations vdot = Z z + z0.
        rows: of the tasks.
    """
    H, g = program.H.copy(), program.g.copy()
    A, lower, upper = [program.A], [program.lower], [program.upper]
    for row in rows:
        T, y = row.J @ work.Z, row.desired - row.b - row.J @ work.z0
        if row.weight is None:
            A.append(T)
            lower.append(y)
            upper.append(y)
        else:
            H += row.weight * T.T @ T
            g -= row.weight * T.T @ y
    bounds = np.concatenate(lower), np.concatenate(upper)
    return QuadraticProgram(H, g, np.vstack(A), *bounds)
