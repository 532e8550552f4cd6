"""Jacobians and biases of contacts and levels, one below the other."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import Task
from backbeat.optimization.task_space.levels.nonsingular_factors import (
    CONTACTS,
    TORQUES,
    WHOLE,
)
from backbeat.optimization.task_space.tasks.motion_tasks import (
    MotionTask,
    PointTask,
    row_weights,
)


class TaskRows:
    """Rows of tasks, in memory that is written anew at every state.

    Attributes:
        contacts: constraints whose forces the world gives.
        levels: for each priority, its tasks.
        ends: (1 + levels,) end of contacts and of each level in the rows.
        kinds: (1 + levels,) of `nonsingular_factors`, as far as tasks alone say.
        asks_for_torques: whether a level has joint torques as its task.
        G: (m, nv) Jacobians.
        bias: (m,) accelerations with vdot = 0.
    """

    def __init__(
        self,
        contacts: Sequence[MotionTask],
        levels: dict[int, list[Task]],
        num_velocities: int,
    ) -> None:
        """Lays out the rows of contacts and of levels by priority."""
        self.contacts, self.levels = tuple(contacts), levels
        groups: list[Sequence[Task]] = [self.contacts, *levels.values()]
        self._motions: list[tuple[MotionTask, slice]] = []
        ends, at = [], 0
        for group in groups:
            for task in group:
                if isinstance(task, MotionTask):
                    self._motions.append((task, slice(at, at + task.dimension)))
                    at += task.dimension
            ends.append(at)
        self.ends = np.array(ends)
        motions = [any(isinstance(t, MotionTask) for t in g) for g in groups[1:]]
        self.kinds = np.array([CONTACTS, *np.where(motions, WHOLE, TORQUES)])
        self.asks_for_torques = not all(motions)
        self.G, self.bias = np.zeros((at, num_velocities)), np.zeros(at)
        self._even = np.ones(1 + len(levels), bool)
        self._known: Sequence[object] = [self] * sum(map(len, levels.values()))
        framed: list[tuple[PointTask, slice]] = []
        self._others: list[tuple[MotionTask, slice]] = []
        for motion, part in self._motions:
            if isinstance(motion, PointTask) and _is_as_it_rides(motion):
                framed.append((motion, part))
            else:
                self._others.append((motion, part))
        self._frames = frame_arrays([point.frame for point, _ in framed])
        self._rows = np.full((len(framed), 6), -1)
        for rows, (point, part) in zip(self._rows, framed, strict=True):
            rows[point.components] = np.arange(part.start, part.stop)

    def is_of(self, tasks: Sequence[Task]) -> bool:
        """Whether these are the tasks, contacts first."""
        own = [*self.contacts, *(t for group in self.levels.values() for t in group)]
        return own == tasks

    def update(self, state: Configuration) -> None:
        """Moves to a state."""
        if len(self._rows):
            state.frame_rows(self._frames, self._rows, self.G, self.bias)
        for task, part in self._others:
            self.G[part] = task.jacobian(state)
            self.bias[part] = task.bias(state)

    def wish(self) -> np.ndarray:
        """(m,) desired accelerations at present, less their bias."""
        if not self._motions:
            return np.zeros(0)
        return np.concatenate([t.desired for t, _ in self._motions]) - self.bias

    def weights(self) -> np.ndarray:
        """(m,) weights; those of a constraint are all alike."""
        return np.concatenate(
            [np.zeros(0), *(row_weights(t) for t, _ in self._motions)]
        )

    def even(self) -> np.ndarray:
        """(1 + levels,) whether all tasks of a level have the same weight."""
        weights = [t.weight for group in self.levels.values() for t in group]
        # A number is the same as long as the object is.
        if any(
            a is not b or isinstance(a, np.ndarray)
            for a, b in zip(weights, self._known, strict=True)
        ):
            self._even = np.array([True, *map(_is_even, self.levels.values())])
            self._known = weights
        return self._even


def _is_as_it_rides(task: PointTask) -> bool:
    """Whether its rows are components of its frame's, and none of its own."""
    kind = type(task)
    return (kind.jacobian, kind.bias) == (PointTask.jacobian, PointTask.bias)


def _is_even(tasks: Sequence[Task]) -> bool:
    """Whether all tasks have one weight."""
    weights = [t.weight for t in tasks]
    if len(weights) == 1 and not isinstance(weights[0], np.ndarray):
        return True
    flat = np.concatenate([np.ravel(1.0 if w is None else w) for w in weights])
    return bool(flat.min() == flat.max())
