"""Cones of the forces of contacts, in world axes."""

from functools import lru_cache

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Matrix
from backbeat.models.contact.cones import PATCH_MARGIN, wrench_cone
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.motion_tasks import ContactTask


class ContactCones:
    """Cones of the contacts of a task space that are patches or points of its robot."""

    def __init__(self, space: TaskSpace, friction: float) -> None:
        """Lays out the cones; contacts added later are included on the next call."""
        self._space, self._friction = space, friction
        self._contacts: tuple[object, ...] | None = None

    def _lay_out(self) -> None:
        """Rows of all cones in axes of their contacts."""
        self._contacts = self._space.contacts
        parts, self._frames, at = [], [], 0
        for task in self._space.contacts:
            cone = self._cone(task)
            if cone is not None and isinstance(task, ContactTask):
                parts.append((cone, at))
                self._frames.append(task.frame)
            at += task.dimension
        sizes = [len(cone) for cone, _ in parts]
        self._local, row = np.zeros((sum(sizes), at)), 0
        # Of each cone: its first row and the end, its first column and the end.
        self._blocks = np.zeros((len(parts), 4), int)
        for block, (cone, column) in zip(self._blocks, parts, strict=True):
            rows, columns = cone.shape
            block[:] = row, row + rows, column, column + columns
            self._local[row : row + rows, column : column + columns] = cone
            row += rows

    def _cone(self, task: object) -> np.ndarray | None:
        """Rows of the cone of a contact in its own axes; None where it has none."""
        contact = self._space.robot.contacts.get(getattr(task, "name", ""))
        if not isinstance(task, ContactTask) or contact is None:
            return None
        if task.held == [3, 4, 5] and contact.is_point:
            return _pyramid(self._friction)
        if task.held == [*range(6)] and not contact.is_point:
            sizes = contact.half_length, contact.half_width
            return _patch_cone(*sizes, self._friction)
        return None

    def rows(self) -> np.ndarray:
        """(k, m_1) rows C of C F <= 0, F the forces of all contacts, world axes."""
        if self._contacts != self._space.contacts:
            self._lay_out()
        turned, state = np.zeros(self._local.shape), self._space.state
        for block, frame in zip(self._blocks, self._frames, strict=True):
            _turn(self._local, block, state.rotation(frame), turned)
        return turned


@compiled
def _turn(
    local: Matrix,
    block: Indices,
    R: Matrix,
    turned: Matrix,
) -> None:
    """Writes the rows of a cone, whose contact is turned by R (3, 3), in world axes."""
    for row in range(block[0], block[1]):
        for column in range(block[2], block[3], 3):
            for i in range(3):
                s = 0.0
                for k in range(3):
                    s += local[row, column + k] * R[i, k]
                turned[row, column + i] = s


@lru_cache(maxsize=32)
def _patch_cone(half_length: float, half_width: float, friction: float) -> np.ndarray:
    """(16, 6) rows of the cone of a patch in its own axes."""
    length, width = PATCH_MARGIN * half_length, PATCH_MARGIN * half_width
    return wrench_cone(length, width, friction)


@lru_cache(maxsize=32)
def _pyramid(friction: float) -> np.ndarray:
    """(5, 3) rows C of C f <= 0: no pulling, and friction inside its circle."""
    mu = friction / np.sqrt(2.0)
    return np.array(
        [[0, 0, -1], [1, 0, -mu], [-1, 0, -mu], [0, 1, -mu], [0, -1, -mu]], float
    )
