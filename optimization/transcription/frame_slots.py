"""Frame slots: where frames shall be at each knot, for contacts and frame tasks.

A frame with two targets at a knot takes two slots.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.edges import HELD_AXES, WHOLE, edge_offset
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.dynamics.frames import Frame
from backbeat.optimization.problem.tasks import FrameTask, axis_indices
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem

# Targets nearer than this are the same [m or 1].
SAME = 1e-12


@dataclass
class FrameSlot:
    """One frame with at most one target per knot.

    Attributes:
        frame: the frame.
        used: (N,) whether a knot has a target.
        R_WG, p_WG: (N, 3, 3), (N, 3) target poses [m].
        weight: (N, 6) costs per second on the residuals in target axes.
        equal: (N, 6) 1 where a residual is zero.
        lower, upper: (N, 6) bounds on the residuals [rad, m].
        edge: (N,) how far ahead the edge is on which a contact stands [m], 0 of a flat
            one: residuals of its place are those of the edge.
    """

    frame: Frame
    used: np.ndarray
    R_WG: np.ndarray
    p_WG: np.ndarray
    weight: np.ndarray
    equal: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    edge: np.ndarray

    @staticmethod
    def empty(frame: Frame, N: int) -> "FrameSlot":
        """A slot of N knots without a target."""
        return FrameSlot(
            frame=frame,
            used=np.zeros(N, bool),
            R_WG=np.tile(np.eye(3), (N, 1, 1)),
            p_WG=np.zeros((N, 3)),
            weight=np.zeros((N, 6)),
            equal=np.zeros((N, 6)),
            lower=np.full((N, 6), -UNBOUNDED),
            upper=np.full((N, 6), UNBOUNDED),
            edge=np.zeros(N),
        )

    def accepts(self, k: int, X: RigidTransform) -> bool:
        """Whether knot k is free or already has this target."""
        if not self.used[k]:
            return True
        if self.edge[k]:
            return False
        apart = np.abs(self.p_WG[k] - X.translation()).max()
        turned = np.abs(self.R_WG[k] - X.rotation().matrix()).max()
        return bool(max(apart, turned) < SAME)

    def aim(self, k: int, X: RigidTransform) -> None:
        """Gives knot k a target."""
        self.used[k] = True
        self.R_WG[k], self.p_WG[k] = X.rotation().matrix(), X.translation()


def make_slots(problem: TrajectoryProblem) -> list[FrameSlot]:
    """Frames of a problem with their targets; those of its contacts come first.

    Raises:
        BackbeatError: a task names an unknown frame or axis, or an impact has no place.
    """
    N, contacts = problem.num_knots, problem.contact_names
    slots = [FrameSlot.empty(problem.robot.contacts[n].frame, N) for n in contacts]
    standing = [problem.schedule.standing(t) for t in problem.times]
    free = np.isin(np.arange(N), problem.free_knots).astype(float)
    for name, slot in zip(contacts, slots, strict=True):
        slot.edge[:] = edge_offset(problem.robot.contacts[name], _edges(problem, name))
    for k in range(N):
        for name, X_WC in _placed(problem, standing, k).items():
            slot = slots[contacts.index(name)]
            slot.aim(k, X_WC)
            axes = problem.robot.contacts[name].held_axes
            held = axis_indices(HELD_AXES if slot.edge[k] else axes)
            # Where a knot is given nothing is left to constrain.
            slot.equal[k, held] = free[k]
    for task in problem.tasks:
        if isinstance(task, FrameTask):
            _add_frame_task(problem, slots, task)
    for impact in problem.impacts:
        if not slots[contacts.index(impact.contact)].used[impact.knot]:
            raise BackbeatError(
                f"{impact.contact} hits at {problem.times[impact.knot]:.3f} s, but "
                "no task says where"
            )
    return slots


def _placed(
    problem: TrajectoryProblem,
    standing: Sequence[Mapping[str, RigidTransform]],
    k: int,
) -> dict[str, RigidTransform]:
    """Contacts whose pose is given at knot k, of those that stand at each knot.

    The curve at a switch is a mean of three control points; a contact that
    arrives or leaves without speed has the same pose at all three.
    """
    placed = dict(standing[k])
    for beside in (k - 1, k + 1):
        if 0 <= beside < len(standing):
            for name, X in standing[beside].items():
                if name not in placed and not problem.strikes(name):
                    placed[name] = X
    return placed


def _edges(problem: TrajectoryProblem, name: str) -> np.ndarray:
    """(N,) the edge on which a contact stands at each knot.

    As of places: beside a knot at which it is flat it is flat, and beside the last one
    at which it stands its edge stays.
    """
    schedule, times = problem.schedule, problem.times
    edge, stands = schedule.edges(times, name), schedule.active(times, name)
    out = edge.copy()
    for way in (1, -1):
        beside, there = np.roll(edge, way), np.roll(stands, way)
        end = 0 if way == 1 else -1
        there[end] = False
        out[there & (beside == WHOLE)] = WHOLE
        swings = there & ~stands
        out[swings] = beside[swings]
    return out


def _add_frame_task(
    problem: TrajectoryProblem, slots: list[FrameSlot], task: FrameTask
) -> None:
    frame = problem.robot.frame(task.frame)
    axes = axis_indices(task.axes)
    for i, k in enumerate(np.asarray(task.knots)):
        X = task.target(i)
        slot = next(
            (s for s in slots if s.frame.name == frame.name and s.accepts(k, X)),
            None,
        )
        if slot is None:
            slot = FrameSlot.empty(frame, problem.num_knots)
            slots.append(slot)
        slot.aim(k, X)
        if task.weight is not None:
            slot.weight[k, axes] += task.weight
        elif k not in problem.free_knots:
            continue
        elif not task.is_bound:
            slot.equal[k, axes] = 1.0
        else:
            if task.lower is not None:
                slot.lower[k, axes] = task.lower
            if task.upper is not None:
                slot.upper[k, axes] = task.upper
