"""What a horizon takes from a behavior and from the plan before, in one call each."""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import (
    Array3,
    Array4,
    FlagMatrix,
    Indices,
    Matrix,
    MatrixView,
    Vector,
)
from backbeat.models.compiled.bound import Bound
from backbeat.mpc.plans.plan import PlanArrays
from backbeat.mpc.reference.sampling import locate
from backbeat.mpc.reference.table import ReferenceTable

# Entries of a deviation; the state after them is time minus phase.
DEVIATION = 12


class Ahead(NamedTuple):
    """A behavior at the knots (N + 1) and in the middles of intervals (N)."""

    middles: Vector  # (N,) phases [s]
    h: Vector  # (N,) time of the intervals [s]
    com: Matrix  # (N + 1, 3)
    velocity: Matrix  # (N + 1, 3)
    momentum: Matrix  # (N + 1, 3) per mass
    places: Array3  # (N + 1, C, 3) of the patches
    heading: Array3  # (N + 1, 2, 2)
    wrench: Array3  # (N, C, 6)
    standing: FlagMatrix  # (N, C)
    R: Array4  # (N, C, 3, 3)
    p: Array3  # (N, C, 3)
    edge: Matrix  # (N, C)
    inverse_inertia: Array3  # (N, 3, 3)


def make_ahead(intervals: int, patches: int) -> Ahead:
    """Room for what is ahead."""
    N, C = intervals, patches
    return Ahead(
        np.empty(N),
        np.empty(N),
        np.empty((N + 1, 3)),
        np.empty((N + 1, 3)),
        np.empty((N + 1, 3)),
        np.empty((N + 1, C, 3)),
        np.empty((N + 1, 2, 2)),
        np.empty((N, C, 6)),
        np.empty((N, C), bool),
        np.empty((N, C, 3, 3)),
        np.empty((N, C, 3)),
        np.empty((N, C)),
        np.empty((N, 3, 3)),
    )


class LinearizationPoint(NamedTuple):
    """What products of deviations are linearized about, in the intervals."""

    com: Matrix  # (N, 3) in their middle
    sole_shift: Array3  # (N, C, 3) at their end, zero but for soles
    wrench: Array3  # (N, C, 6) patch axes [weights]
    states: Matrix  # (N, NX) at their start
    dilation: Vector  # (N,) of their time [s]


def make_point(intervals: int, patches: int, states: int) -> LinearizationPoint:
    """Room for the point, all zero."""
    N, C = intervals, patches
    return LinearizationPoint(
        np.zeros((N, 3)),
        np.zeros((N, C, 3)),
        np.zeros((N, C, 6)),
        np.zeros((N, states)),
        np.zeros(N),
    )


@compiled
def look_ahead(
    bound: Bound[tuple[ReferenceTable, Array3]],
    phases: Vector,
    tempo: float,
    duration: float,
    mass: float,
    out: Ahead,
) -> None:
    """Samples a behavior over a horizon.

    Args:
        bound: its table, and the headings of its first sole.
        phases: (N + 1,) phases of the knots [s].
        tempo: factor on the authored tempo that is asked for.
        duration: of the behavior, outside of which the robot rests [s].
        mass: of the robot [kg].
        out: written.
    """
    table, heading = bound.content
    N, C = out.standing.shape
    for k in range(N + 1):
        i, u = locate(table.t, phases[k])
        rate = tempo if 0.0 <= phases[k] <= duration else 0.0
        for a in range(3):
            out.com[k, a] = _mixed(table.com[i, 0, a], table.com[i + 1, 0, a], u)
            speed = _mixed(table.com[i, 1, a], table.com[i + 1, 1, a], u)
            out.velocity[k, a] = speed * rate
            spin = _mixed(table.momentum[i, 0, a], table.momentum[i + 1, 0, a], u)
            out.momentum[k, a] = spin * rate / mass
        for a in range(2):
            out.heading[k, a, 0] = heading[i, a, 0]
            out.heading[k, a, 1] = heading[i, a, 1]
        _mix_places(table, i, u, out.places[k])
    inertia = np.empty((3, 3))
    for k in range(N):
        out.middles[k] = 0.5 * (phases[k] + phases[k + 1])
        out.h[k] = (phases[k + 1] - phases[k]) / tempo
        i, u = locate(table.t, out.middles[k])
        _mix_places(table, i, u, out.p[k])
        for c in range(C):
            out.standing[k, c] = table.standing[i, c]
            out.edge[k, c] = table.edge[i, c]
            for a in range(6):
                before, after = table.wrench[i, c, a], table.wrench[i + 1, c, a]
                out.wrench[k, c, a] = _mixed(before, after, u)
            for a in range(3):
                for b in range(3):
                    out.R[k, c, a, b] = table.R_contact[i, c, a, b]
        for a in range(3):
            for b in range(3):
                before, after = table.inertia[i, a, b], table.inertia[i + 1, a, b]
                inertia[a, b] = _mixed(before, after, u)
        _invert(inertia, out.inverse_inertia[k])


@compiled
def _mixed(before, after, u):
    """A number between two samples."""
    return (1 - u) * before + u * after


@compiled
def _mix_places(table, i, u, out):
    """Writes (C, 3) places between two samples, as of `ReferenceSample`."""
    before, after = table.p_contact[i], table.p_contact[i + 1]
    for c in range(out.shape[0]):
        w = u if table.edge[i, c] == table.edge[i + 1, c] else 0.0
        for a in range(3):
            out[c, a] = _mixed(before[c, a], after[c, a], w)


@compiled
def _invert(A, out):
    """Writes the inverse of a (3, 3) matrix by cofactors."""
    for i in range(3):
        for j in range(3):
            a, b, c, d = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
            out[j, i] = A[a, c] * A[b, d] - A[a, d] * A[b, c]
    det = 0.0
    for j in range(3):
        det += A[0, j] * out[j, 0]
    for i in range(3):
        for j in range(3):
            out[i, j] /= det


@compiled
def look_back(
    bound: Bound[PlanArrays],
    phases: Vector,
    ahead: Ahead,
    tempo: float,
    soles: Indices,
    replaced: Array3,
    out: LinearizationPoint,
) -> None:
    """Samples the plan before over a horizon; beyond its end that is held.

    Args:
        bound: the plan.
        phases: (N + 1,) phases of the knots [s].
        ahead: the behavior over the horizon.
        tempo: factor on the authored tempo that is asked for.
        soles: (S,) patches that are soles.
        replaced: (N, S, 2) change of a shift where its own place changes [m].
        out: written; all zero before.
    """
    plan = bound.content
    last, stepping = plan.durations.shape[0] - 1, out.states.shape[1] > DEVIATION + 1
    _interpolate(ahead.middles, plan.phases, plan.deviation, out.com)
    starts, states = phases[: phases.shape[0] - 1], out.states[:, :DEVIATION]
    _interpolate(starts, plan.phases, plan.deviation, states)
    for n in range(out.dilation.shape[0]):
        k = np.searchsorted(plan.phases, ahead.middles[n], side="left") - 1
        k = min(max(k, 0), last)
        slowness = plan.durations[k] / (plan.phases[k + 1] - plan.phases[k])
        out.dilation[n] = (slowness - 1 / tempo) * (phases[n + 1] - phases[n])
        for c in range(out.wrench.shape[1]):
            for a in range(6):
                out.wrench[n, c, a] = plan.wrench[k, c, a] - ahead.wrench[n, c, a]
        for i in range(soles.shape[0]):
            for a in range(2):
                shift = plan.shift[k + 1, i, a] - replaced[n, i, a]
                out.sole_shift[n, soles[i], a] = shift
                if stepping:
                    state = DEVIATION + 1 + 2 * i + a
                    out.states[n, state] = plan.shift[k, i, a]


@compiled
def _interpolate(
    phases: Vector, knots: Vector, values: Matrix, out: MatrixView
) -> None:
    """Writes (M, m) values at ascending phases; beyond the knots those are held."""
    last, k = knots.shape[0] - 1, 0
    for n in range(out.shape[0]):
        s = min(max(phases[n], knots[0]), knots[last])
        while k < last - 1 and knots[k + 1] <= s:
            k += 1
        u = (s - knots[k]) / (knots[k + 1] - knots[k])
        for m in range(out.shape[1]):
            out[n, m] = values[k, m] + u * (values[k + 1, m] - values[k, m])
