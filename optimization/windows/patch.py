"""Patches: local solutions of a problem that has changed in a few places.

The influence of a change decays fast (see `backbeat.optimization.windows.pieces`), so
the old motion remains a solution elsewhere. A subproblem around the change is solved
again from the old motion, with its end knots fixed to the old ones: the joined motion
satisfies every row of the new problem where the subproblem and the rest do.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.transcription.program import Program
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.windows.pieces import MARGIN, Knots, Window, ordered
from backbeat.optimization.windows.split_points import (
    MAX_SCORE,
    best_split,
    split_score,
)
from backbeat.optimization.windows.subproblem import subproblem

# Arrays of a program that have a row for every knot.
_BY_KNOT = (
    "frame_edge",
    "frame_used",
    "R_WG",
    "p_WG",
    "frame_weight",
    "frame_equal",
    "sphere_on",
    "midpoint_on",
    "cone_of",
    "wrench_start",
    "num_wrench",
    "com_target",
    "com_weight",
    "posture",
    "posture_weight",
    "lower",
    "upper",
)
# Arrays that follow from robot, solids and times, which are compared themselves.
_GIVEN = ("tree", "collisions", "h", "span", "dt")
# What sums of steps differ by in other orders, far below what knots are found to.
ROUNDING = 1e-9
# Knots between a change and an end whose knots are given.
GIVEN = 3


class Patch(NamedTuple):
    """A range of knots that is solved again.

    Attributes:
        start, end: its first and last knot, fixed to those of the old motion unless
            the motion begins or ends there.
        first, last: the part of the motion whose curves it changes. They are B-splines
            and change two knots beyond those that did, except for limbs in the air and
            bases in flight, which have curves of their own.
    """

    start: int
    end: int
    first: int
    last: int

    def window(self) -> Window:
        """The part of the motion whose curves it changes."""
        return Window(self.first, self.last, self.first, self.last, True)


def changed_knots(before: Transcription, after: Transcription) -> np.ndarray | None:
    """(n,) knots at which two problems differ; None if they cannot be compared.

    Comparable problems have the same robot, solids, times, contacts and kinds of rows,
    so that the knots of one are an iterate of the other. When a contact stands may
    differ: what stands in one alone has no wrench in the iterate.
    """
    if not _are_of_a_kind(before, after):
        return None
    changed = np.zeros(after.problem.num_knots, bool)
    a, b = before.program, after.program
    for name in _BY_KNOT:
        apart = _apart(*(_by_knot(program, name) for program in (a, b)))
        changed |= apart.reshape(len(apart), -1).any(1)
    return np.flatnonzero(changed)


def _by_knot(program: Program, name: str) -> np.ndarray:
    """An array with a row for every knot that other knots do not change."""
    array: np.ndarray = getattr(program, name)
    # First variables are counted from the start of the motion.
    return array >= 0 if name == "wrench_start" else array


def _apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Which elements of two arrays differ, by more than rounding where not infinite."""
    apart = np.asarray(a != b)
    if apart.any() and a.dtype.kind == "f":
        apart[apart] = ~(np.abs(a[apart] - b[apart]) <= ROUNDING)
    return apart


def _are_of_a_kind(before: Transcription, after: Transcription) -> bool:
    a, b = before.problem, after.problem
    if a.robot is not b.robot or a.collisions is not b.collisions:
        return False
    names = (before.contacts, before.frames), (after.contacts, after.frames)
    if names[0] != names[1] or a.end_at_rest != b.end_at_rest:
        return False
    same = [a.num_knots == b.num_knots and np.allclose(a.times, b.times, 0, ROUNDING)]
    same.append(np.array_equal(a.start_knots, b.start_knots))
    same += [_equal(a.q_end, b.q_end), _equal(a.knots_end, b.knots_end)]
    same.append([i.knot for i in a.impacts] == [i.knot for i in b.impacts])
    # Given wrenches are no rows of a program.
    same += [p.wrench_start is p.wrench_end is None for p in (a, b)]
    return all(same) and all(_equal(*pair) for pair in _shared(before, after))


def _shared(
    before: Transcription, after: Transcription
) -> Iterator[tuple[object, object]]:
    """Pairs of values of two programs that do not depend on the knot."""
    for name in Program._fields:
        pair = getattr(before.program, name), getattr(after.program, name)
        if name in _BY_KNOT:
            yield np.shape(pair[0]), np.shape(pair[1])
        elif name not in _GIVEN:
            yield pair


def _equal(a: object, b: object) -> bool:
    if a is None or b is None:
        return a is b
    return bool(np.array_equal(np.asarray(a), np.asarray(b)))


def make_patch(problem: TrajectoryProblem, changed: np.ndarray, beside: float) -> Patch:
    """The range of knots around a change, between good split points.

    Args:
        problem: the new problem.
        changed: (n,) knots at which it changed, at least one.
        beside: time before and after them that is solved again, about [s].
    """
    times, last = problem.times, problem.num_knots - 1
    score, places = split_score(problem), times[changed[[0, -1]]]
    most = max(int(changed[0]) - GIVEN, 0)
    least = min(int(changed[-1]) + GIVEN, last)
    start = best_split(times, score, places[0] - beside, slice(0, most + 1))
    end = best_split(times, score, places[1] + beside, slice(least, None))
    # Ends need two knots of their own, and what is left beside them some, too.
    start = 0 if start < MARGIN else start
    end = last if end > last - MARGIN else end
    reach = [GIVEN if score[k] == MAX_SCORE else MARGIN for k in (start, end)]
    return Patch(start, end, max(0, start - reach[0]), min(last, end + reach[1]))


def patch_problem(
    problem: TrajectoryProblem, patch: Patch, old: Knots
) -> tuple[TrajectoryProblem, Guess]:
    """A patch as a problem of its own, and the old motion as its first guess.

    Args:
        problem: the new problem.
        patch: which part of it.
        old: knots of the whole old motion, with the problem's contacts in order.
    """
    a, b = patch.start, patch.end
    part = subproblem(problem, a, b)
    if a > 0:
        part = replace(part, knots_start=old.q[a - 1 : a + 2], q_start=old.q[a])
    if b < problem.num_knots - 1:
        part = replace(part, knots_end=old.q[b - 1 : b + 1])
    w = ordered(old.w[a : b + 1], problem.contact_names, part.contact_names)
    return part, Guess(old.q[a : b + 1], w)
