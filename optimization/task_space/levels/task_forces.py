"""Forces of tasks, and torques that bring contact forces to desired ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.optimization.task_space.tasks.constrained_dynamics import (
    STILL,
    ConstrainedDynamics,
)
from backbeat.optimization.task_space.tasks.force_tasks import ReactionTask
from backbeat.optimization.task_space.tasks.motion_tasks import MotionTask


@dataclass(frozen=True)
class TaskForces:
    """What the tasks of a robot come to at one state.

    Attributes:
        tau: (nj,) joint torques [N m].
        vdot: (nv,) accelerations under them.
        level_force: for each priority, (nv,) generalized forces [N m].
        reaction: for each contact, its force on the robot, world axes [N m, N].
        error: for each priority of motion tasks, (m,) accelerations missing.
    """

    tau: np.ndarray
    vdot: np.ndarray
    level_force: dict[int, np.ndarray]
    reaction: dict[str, np.ndarray]
    error: dict[int, np.ndarray]


def by_contact(
    contacts: Sequence[MotionTask], reaction: np.ndarray
) -> dict[str, np.ndarray]:
    """Forces (m,) of all contacts, stacked, for each of them by name."""
    parts, at = {}, 0
    for contact in contacts:
        parts[contact.name] = reaction[at : at + contact.dimension]
        at += contact.dimension
    return parts


def reaction_rows(
    contacts: Sequence[MotionTask], reactions: Sequence[ReactionTask]
) -> np.ndarray:
    """(d,) rows of the stacked contact forces that tasks have."""
    starts = np.cumsum([0] + [c.dimension for c in contacts])
    place = {id(c): k for c, k in zip(contacts, starts, strict=False)}
    rows = [place[id(r.contact)] + r.rows for r in reactions]
    return np.concatenate(rows)


def reaction_torques(
    dynamics: ConstrainedDynamics,
    contacts: Sequence[MotionTask],
    reactions: Sequence[ReactionTask],
    tau: np.ndarray,
) -> np.ndarray:
    """(nj,) torques that move nothing and bring reactions to desired ones [N m].

    Args:
        dynamics: of the robot, held by its contacts.
        contacts: the contacts.
        reactions: tasks for their forces, at least one.
        tau: (nj,) torques of the motion tasks [N m].
    """
    motion, force = dynamics.torque_maps()
    rows = reaction_rows(contacts, reactions)
    desired = np.concatenate([r.desired for r in reactions])
    weight = np.concatenate(
        [np.full(len(r.rows), 1.0 if r.weight is None else r.weight) for r in reactions]
    )
    # Torques that accelerate nothing.
    _U, s, V = np.linalg.svd(motion)
    still = V[int(np.sum(s > STILL * s[0])) :].T
    missing = desired - dynamics.reaction(tau)[rows]
    root = np.sqrt(weight)
    R = root[:, None] * (force[rows] @ still)
    t = np.linalg.lstsq(R, root * missing, rcond=STILL)[0]
    return np.asarray(still @ t)
