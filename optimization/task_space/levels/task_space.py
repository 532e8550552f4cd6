"""TaskSpace: tasks by priority, to joint torques.

Three verbs say what a robot shall do:

    add(task)                     a constraint: priority 1, above everything
    add(task, weight, priority)   at a priority of 2 or more, against others there
    task.set_desired(value)       desired value from now on

Contacts are constraints too; the world gives their forces. Then at every state

    update(q, v)                  levels and their null spaces
    solve()                       forces level by level, each in the null space above

    f_p  = G*' L (desired - acceleration before)
    tau  = sum of f_p

Sources: as of `Level`; what happens at limits is in `limits.py` and
`limited_program.py`.
"""

from typing import TypeVar

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import Task
from backbeat.optimization.task_space.levels.level import WAYS, Level
from backbeat.optimization.task_space.levels.nonsingular_space import NonsingularSpace
from backbeat.optimization.task_space.levels.task_forces import (
    TaskForces,
    by_contact,
    reaction_rows,
    reaction_torques,
)
from backbeat.optimization.task_space.levels.task_rows import TaskRows
from backbeat.optimization.task_space.tasks.constrained_dynamics import (
    ConstrainedDynamics,
    solve_lower,
)
from backbeat.optimization.task_space.tasks.force_tasks import (
    JointForceTask,
    ReactionTask,
)
from backbeat.optimization.task_space.tasks.motion_tasks import (
    BaseTask,
    ContactTask,
    MotionTask,
)

AnyTask = TypeVar("AnyTask", bound=Task)
# A direction in which the robot is heavier than so many times itself is given up.
HEAVIEST = 10.0


class TaskSpace:
    """Tasks of one robot, by priority.

    Attributes:
        robot: the robot.
        state: the robot at the state of the last `update`.
        nonsingular: contacts and levels there, far from singularities; None near them.
        heaviest: mass from which on a direction is given up [kg].
    """

    def __init__(self, robot: RobotModel, heaviest: float = HEAVIEST) -> None:
        """Makes a task space without tasks.

        Args:
            robot: the robot.
            heaviest: in masses of the robot; see `rank.py`.
        """
        self.robot = robot
        self.heaviest = heaviest * robot.total_mass
        q = np.zeros(robot.num_positions)
        if robot.floating:
            q[0] = 1.0
        self.state = Configuration(robot, q)
        self._contacts: list[MotionTask] = []
        self._reactions: list[ReactionTask] = []
        self._tasks: dict[int, list[Task]] = {}
        self._applied: np.ndarray | None = None
        self._space: NonsingularSpace | None = None
        self.nonsingular: NonsingularSpace | None = None
        self._is_updated = False
        self._forget()

    @property
    def contacts(self) -> tuple[MotionTask, ...]:
        """Constraints whose forces the world gives."""
        return tuple(self._contacts)

    @property
    def reactions(self) -> tuple[ReactionTask, ...]:
        """Tasks for the forces of contacts."""
        return tuple(self._reactions)

    @property
    def priorities(self) -> list[int]:
        """Priorities in use, the highest (1) first."""
        return sorted(self._tasks)

    def tasks(self, priority: int) -> list[Task]:
        """Tasks of a priority."""
        return list(self._tasks[priority])

    def add(
        self,
        task: AnyTask,
        weight: float | np.ndarray | None = None,
        priority: int | None = None,
    ) -> AnyTask:
        """Adds a task, and returns it.

        Args:
            task: what to do.
            weight: None for a constraint; else what it counts in its priority.
            priority: 1 for a constraint; 2 unless said otherwise for the rest.

        Raises:
            BackbeatError: weight and priority do not go together, a weight is not
                positive, or a level would mix motions and torques.
        """
        task.weight = weight
        if isinstance(task, ContactTask | BaseTask):
            if weight is not None:
                raise BackbeatError(f"contact {task.name!r} holds and takes no weight")
            self._contacts.append(task)
            return task
        if isinstance(task, ReactionTask):
            if task.contact not in self._contacts:
                raise BackbeatError(
                    f"add the contact {task.contact.name!r} before its reaction"
                )
            self._reactions.append(task)
            return task
        if weight is not None and not (np.asarray(weight) > 0.0).all():
            raise BackbeatError(
                f"a weight has to be positive, not {weight}; leave it out for a "
                "constraint"
            )
        place = priority or (1 if weight is None else 2)
        if (place == 1) != (weight is None) or place < 1:
            raise BackbeatError(
                "priority 1 is that of constraints, which have no weight; a task with "
                f"a weight has a priority of 2 or more, not {place}"
            )
        level = self._tasks.setdefault(place, [])
        if level and isinstance(level[0], MotionTask) != isinstance(task, MotionTask):
            raise BackbeatError(
                f"priority {place} cannot have motions and joint torques; give one of "
                "them a priority of its own"
            )
        level.append(task)
        return task

    def update(
        self, q: np.ndarray, v: np.ndarray, applied: np.ndarray | None = None
    ) -> None:
        """Moves to a state.

        Args:
            q: (nq,) configuration.
            v: (nv,) velocity.
            applied: (nv,) known forces on the robot besides gravity, damping and
                contacts [N m].
        """
        # Copies: full levels may be evaluated after the caller has changed its arrays.
        self.state.update(np.array(q, float), np.array(v, float))
        self._applied = None if applied is None else np.array(applied, float)
        self._forget()
        self._is_updated = True
        space = self._space_of_tasks()
        is_nonsingular = space.update(self.state, self.heaviest, self._applied)
        self.nonsingular = space if is_nonsingular else None

    def _forget(self) -> None:
        """Forgets dynamics and levels of the last state."""
        self._dynamics: ConstrainedDynamics | None = None
        self._levels: dict[int, Level] | None = None

    def _space_of_tasks(self) -> NonsingularSpace:
        """Memory for the tasks that there are now."""
        tasks = [t for p in self.priorities for t in self._tasks[p]]
        if self._space is None or not self._space.rows.is_of([*self._contacts, *tasks]):
            levels = {p: self.tasks(p) for p in self.priorities}
            sizes = self.robot.num_velocities, self.robot.num_joints
            self._space = NonsingularSpace(
                TaskRows(self._contacts, levels, sizes[0]), *sizes
            )
        return self._space

    @property
    def dynamics(self) -> ConstrainedDynamics:
        """Its dynamics at the state of the last `update`, held by its contacts."""
        if self._dynamics is None:
            contacts = self._contacts if self._is_updated else ()
            self._dynamics = ConstrainedDynamics(
                self.state, contacts, self.heaviest, self._applied
            )
        return self._dynamics

    @property
    def levels(self) -> dict[int, Level]:
        """Levels of motion tasks there, by priority, with all of their matrices."""
        if self._levels is None:
            self._levels = {}
            for priority in self.priorities if self._is_updated else ():
                tasks = [t for t in self._tasks[priority] if isinstance(t, MotionTask)]
                if tasks:
                    above = self._above(priority)
                    level = Level(tasks, self.dynamics, above, self.heaviest)
                    self._levels[priority] = level
        return self._levels

    @property
    def joint_angles(self) -> np.ndarray:
        """(nj,) angles of the joints at the state of the last `update` [rad]."""
        return self.state.q[self.robot.base_positions :]

    @property
    def is_nonsingular(self) -> bool:
        """Whether directions are kept or given up as a whole."""
        if self.nonsingular is not None:
            return True
        return all(level.is_nonsingular for level in self.levels.values())

    def _above(self, priority: int) -> Level | None:
        """The level of motions above a priority."""
        above = [p for p in self.levels if p < priority]
        return self.levels[max(above)] if above else None

    def null_space(self, priority: int) -> np.ndarray:
        """(nv, nv) weighted projector onto what the levels above a priority leave."""
        above = self._above(priority)
        return self.dynamics.projector if above is None else above.projector_below

    def solve(self, way: str = WAYS[0]) -> TaskForces:
        """Torques without limits, level by level.

        Args:
            way: how forces are chosen where many do, one of `level.WAYS`.

        Raises:
            BackbeatError: no such way.
        """
        if way not in WAYS:
            raise unknown_name("way", way, WAYS)
        if self.nonsingular is not None and way == WAYS[0]:
            return self._solve_nonsingular(self.nonsingular)
        phi = self.weighted_forces(way)
        tau = self.dynamics.torques(sum(phi.values(), np.zeros(self.state.v.shape)))
        return self.finish(tau, {p: self.dynamics.C @ phi[p] for p in phi})

    def _solve_nonsingular(self, nonsingular: NonsingularSpace) -> TaskForces:
        """The same far from singularities."""
        rows = nonsingular.rows
        wish = rows.wish()
        tau, forces = nonsingular.solve(self.joint_forces(rows), wish)
        levels = dict(zip(rows.levels, forces[1:], strict=True))
        if self._reactions:
            return self.finish(tau, levels)
        return self.collect(nonsingular, tau, levels, *nonsingular.outcome(tau, wish))

    def weighted_forces(self, way: str = WAYS[0]) -> dict[int, np.ndarray]:
        """For each priority, (nv,) weighted forces without limits."""
        a, found = self.dynamics.contact_acceleration(), {}
        for priority in self.priorities:
            found[priority] = self._level_force(priority, a, way)
            a = a + found[priority]
        return found

    def _level_force(self, priority: int, a: np.ndarray, way: str) -> np.ndarray:
        """(nv,) weighted forces of a level."""
        if priority in self.levels:
            return self.levels[priority].force(a, way)
        return self.null_space(priority) @ solve_lower(
            self.dynamics.C, self.joint_force(priority)
        )

    def joint_force(self, priority: int) -> np.ndarray:
        """(nv,) desired joint torques of the tasks of a level [N m]."""
        tasks = [t for t in self._tasks[priority] if isinstance(t, JointForceTask)]
        return np.asarray(sum(t.desired for t in tasks))

    def joint_forces(self, rows: TaskRows) -> np.ndarray:
        """(1 + levels, nv) the same for all levels, after a row for contacts."""
        asked = np.zeros((1 + len(rows.levels), self.robot.num_velocities))
        if rows.asks_for_torques:
            for row, priority in zip(asked[1:], rows.levels, strict=True):
                if isinstance(self._tasks[priority][0], JointForceTask):
                    row[:] = self.joint_force(priority)
        return asked

    def finish(self, tau: np.ndarray, forces: dict[int, np.ndarray]) -> TaskForces:
        """What torques come to, once reactions have been seen to.

        Args:
            tau: (nj,) torques of the motion tasks [N m].
            forces: for each priority, (nv,) generalized forces [N m].
        """
        if self._reactions:
            tau = tau + reaction_torques(
                self.dynamics, self._contacts, self._reactions, tau
            )
        return self.outcome(tau, forces)

    def outcome(self, tau: np.ndarray, forces: dict[int, np.ndarray]) -> TaskForces:
        """What torques (nj,) come to [N m]; `forces` as of `finish`."""
        if self.nonsingular is not None:
            nonsingular = self.nonsingular
            found = nonsingular.outcome(tau, nonsingular.rows.wish())
            return self.collect(nonsingular, tau, forces, *found)
        vdot = self.dynamics.acceleration(tau)
        a = self.dynamics.C.T @ vdot
        error = {
            p: level.desired - level.acceleration_before(a)
            for p, level in self.levels.items()
        }
        reaction = by_contact(self._contacts, self.dynamics.reaction(tau))
        return TaskForces(tau, vdot, forces, reaction, error)

    def collect(
        self,
        nonsingular: NonsingularSpace,
        tau: np.ndarray,
        forces: dict[int, np.ndarray],
        vdot: np.ndarray,
        reaction: np.ndarray,
        missing: np.ndarray,
    ) -> TaskForces:
        """Names what torques come to.

        Arguments are those of `outcome` and of `NonsingularSpace`.
        """
        rows = nonsingular.rows
        error, first = {}, nonsingular.held
        for priority, end in zip(rows.levels, rows.ends[1:].tolist(), strict=True):
            if end > first:
                error[priority] = missing[first:end]
            first = end
        found = by_contact(self._contacts, reaction)
        return TaskForces(tau, vdot, forces, found, error)

    def reaction_rows(self) -> np.ndarray:
        """(d,) rows of the stacked contact forces that tasks have."""
        return reaction_rows(self._contacts, self._reactions)
