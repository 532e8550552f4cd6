"""Tasks of an instant of forces instead of accelerations."""

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.finite import all_finite
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.tasks import Task, axis_indices
from backbeat.optimization.task_space.tasks.motion_tasks import ContactTask


class ReactionTask(Task):
    """A task on the reaction force of a contact.

    It is done with torques that move nothing, so no motion task ever feels it. De
    Sapio, Khatib, Delp, "Task-Level Approaches for the Control of Constrained
    Multibody Systems", 2006.

    Attributes:
        contact: the contact.
        rows: the components meant, among those that the contact holds.
        desired: (d,) reaction on the robot, world axes [N m, N].
    """

    def __init__(self, contact: ContactTask, axes: str) -> None:
        """Makes the task for components of a contact's reaction, e.g. "z".

        Raises:
            BackbeatError: the contact does not hold one of them.
        """
        held = contact.held
        wanted = axis_indices(axes)
        if not set(wanted) <= set(held):
            raise BackbeatError(
                f"contact {contact.name!r} has no reaction along all of {axes!r}"
            )
        self.contact, self.rows = contact, np.array([held.index(i) for i in wanted])
        self.weight: float | np.ndarray | None = None
        self.desired = np.zeros(len(wanted))

    def set_desired(self, force: np.ndarray) -> None:
        """Sets the (d,) desired reaction [N m, N].

        Raises:
            BackbeatError: not d finite numbers.
        """
        value = np.array(force, float)
        if value.shape != self.desired.shape or not all_finite(value):
            raise BackbeatError(
                f"the reaction of {self.contact.name!r} takes {len(self.rows)} finite "
                f"numbers, not {value.tolist()}"
            )
        self.desired = value


class JointForceTask(Task):
    """A task on joint torques, of which a level gets what disturbs no level above it.

    Attributes:
        desired: (nv,) generalized forces [N m]; those of a free base count for nothing
            unless contacts give them.
    """

    def __init__(self, robot: RobotModel) -> None:
        """Starts with no torques."""
        self.weight: float | np.ndarray | None = None
        self.desired = np.zeros(robot.num_velocities)

    def set_desired(self, force: np.ndarray) -> None:
        """Sets the (nv,) desired forces [N m].

        Raises:
            BackbeatError: not nv finite numbers.
        """
        value = np.array(force, float)
        if value.shape != self.desired.shape or not all_finite(value):
            raise BackbeatError(
                f"joint forces take {len(self.desired)} finite numbers, not "
                f"{value.tolist()}"
            )
        self.desired = value
