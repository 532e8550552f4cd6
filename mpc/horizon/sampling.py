"""Horizon: a behavior ahead of a phase, sampled for the predictive program."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Indices, Matrix, MatrixView, Vector
from backbeat.mpc.plans.external_force import external_acceleration
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import AddedStep, covered, standing
from backbeat.mpc.plans.touchdown import Touchdown, behind
from backbeat.mpc.reference.trajectory import Reference

# States of the predictive program without the soles: CoM, velocity, angular momentum
# per mass, rotation, time.
BODY = 13


class Horizon(NamedTuple):
    """The behavior at the knots (N + 1) and in the intervals (N) of a horizon.

    Fields from `com_shift` to `is_planned` are the linearization point: the plan
    before, if there is one.
    """

    phases: np.ndarray  # (N + 1,) [s]
    h: np.ndarray  # (N,) time of the intervals at the requested tempo [s]
    com: np.ndarray  # (N + 1, 3)
    velocity: np.ndarray  # (N + 1, 3)
    momentum: np.ndarray  # (N + 1, 3) per mass
    wrench: np.ndarray  # (N, 6 C)
    standing: np.ndarray  # (N, C)
    R: np.ndarray  # (N, C, 3, 3)
    p: np.ndarray  # (N, C, 3)
    inverse_inertia: np.ndarray  # (N, 3, 3)
    soles: np.ndarray  # (N + 1, S, 3) places of the soles at the knots
    heading: np.ndarray  # (N + 1, 2, 2) forward and left of the first sole
    com_shift: np.ndarray  # (N, 3)
    sole_shift: np.ndarray  # (N, C, 3), zero but for soles
    wrench_shift: np.ndarray  # (N, 6 C) patch axes [weights]
    deviation: np.ndarray  # (N, NX) state at the start of the intervals
    dilation: np.ndarray  # (N,) of their time [s]
    is_planned: bool  # whether there was a plan before
    replaced: np.ndarray  # (N, S, 2) change of a shift where its own place changes
    external: np.ndarray  # (N, 3) acceleration by external forces [m/s^2]
    tempo: float  # requested factor on the authored tempo


def make_horizon(
    reference: Reference,
    phases: np.ndarray,
    start: PlanStart,
    steps: Sequence[AddedStep],
    previous: Plan | None,
    stepping: bool,
) -> Horizon:
    """Samples a behavior over a horizon.

    Args:
        reference: the behavior.
        phases: (N + 1,) phases of the knots [s].
        start: where the plan starts; velocities are at its tempo.
        steps: steps that the behavior does not make.
        previous: plan of the same steps, about which to linearize; None for none.
        stepping: whether the places of the soles are states.
    """
    table, robot, soles = reference.table, reference.robot, list(reference.soles)
    tempo, touchdowns = start.tempo, start.touchdowns
    middles = 0.5 * (phases[:-1] + phases[1:])
    at_knots, at_middles = Samples(reference, phases), Samples(reference, middles)
    # Outside the behavior the robot rests.
    moving = ((phases >= 0) & (phases <= reference.duration))[:, None]
    wrench, R = at_middles(table.wrench), table.R_contact[at_middles.index]
    planned = table.standing[at_middles.index]
    on = standing(planned, middles, (*steps, *touchdowns))
    p = _places(reference, at_middles, steps, touchdowns)
    places = _places(reference, at_knots, steps, touchdowns)
    replaced = _replaced(reference, phases, touchdowns)
    if previous is None:
        shift = start.sole_shift(len(soles))
        point = _point_on_behavior(wrench, planned, on, R, shift, replaced)
    else:
        point = _point_on_plan(previous, phases, middles, wrench, tempo, replaced)
    rates, h = tempo * moving, np.diff(phases) / tempo
    force, acceleration = start.external_force_z, start.external_acceleration_xy
    return Horizon(
        phases=phases,
        h=h,
        com=at_knots(table.com[:, 0]),
        velocity=at_knots(table.com[:, 1]) * rates,
        momentum=at_knots(table.momentum[:, 0]) * rates / robot.total_mass,
        wrench=wrench.reshape(len(wrench), -1),
        standing=on,
        R=R,
        p=p,
        inverse_inertia=_inverted(at_middles(table.inertia)),
        soles=places[:, soles],
        heading=reference.heading[at_knots.index],
        com_shift=point.com,
        sole_shift=point.sole_shift(planned.shape[1], soles),
        wrench_shift=point.wrench.reshape(len(wrench), -1),
        deviation=point.states(stepping),
        dilation=point.dilation,
        is_planned=previous is not None,
        replaced=replaced,
        external=external_acceleration(force, acceleration, h, robot.gravity),
        tempo=tempo,
    )


def _places(
    reference: Reference,
    at: "Samples",
    steps: Sequence[AddedStep],
    touchdowns: Sequence[Touchdown],
) -> np.ndarray:
    """(n, C, 3) places of the patches at some phases [m]."""
    places = at(reference.table.p_contact)
    hold_places(reference, steps, touchdowns, at.phases, places)
    return places


def hold_places(
    reference: Reference,
    steps: Sequence[AddedStep],
    touchdowns: Sequence[Touchdown],
    phases: np.ndarray,
    places: np.ndarray,
) -> None:
    """Holds the places of feet that have landed early, or whose swing is delayed.

    Args:
        reference: the behavior.
        steps: steps that the behavior does not make.
        touchdowns: those that are early or late.
        phases: (n,) phases [s].
        places: (n, C, 3) places of the patches then [m], changed here.
    """
    for wait in (w for w in steps if w.stands):
        place = reference.sample(wait.start).p_contact[wait.contact]
        places[covered(wait, phases), wait.contact] = place
    for down in touchdowns:
        places[phases < down.end, down.contact] = down.place


def _replaced(
    reference: Reference, phases: np.ndarray, touchdowns: Sequence[Touchdown]
) -> np.ndarray:
    """(N, S, 2) change of shifts where the behavior lands feet that were put down.

    They stay where they are, and the behavior has them elsewhere from then on.
    """
    out = np.zeros((len(phases) - 1, len(reference.soles), 2))
    for down in (d for d in touchdowns if d.is_put_down):
        last = (phases[:-1] < down.end) & (down.end <= phases[1:])
        out[last, reference.soles.index(down.contact)] = behind(reference, down)
    return out


def _inverted(inertia: np.ndarray) -> np.ndarray:
    """(N, 3, 3) inverses of positive definite matrices."""
    out = np.empty_like(inertia)
    _invert(inertia, out)
    return out


@compiled
def _invert(A: Array3, out: Array3) -> None:
    """Writes inverses, (N, 3, 3), by cofactors."""
    for k in range(A.shape[0]):
        for i in range(3):
            for j in range(3):
                a, b, c, d = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
                out[k, j, i] = A[k, a, c] * A[k, b, d] - A[k, a, d] * A[k, b, c]
        det = 0.0
        for j in range(3):
            det += A[k, 0, j] * out[k, j, 0]
        for i in range(3):
            for j in range(3):
                out[k, i, j] /= det


class Samples:
    """Columns of a behavior's table at some phases."""

    def __init__(self, reference: Reference, phases: np.ndarray) -> None:
        """Finds the samples before `phases` [s], and how far on they are."""
        self.phases = phases
        self.index, self._share = reference.grid(phases)

    def __call__(self, column: np.ndarray) -> np.ndarray:
        """A column between samples, a row a phase."""
        out = np.empty((len(self.index), *column.shape[1:]))
        rows = column.reshape(len(column), -1), out.reshape(len(out), -1)
        _between_samples(rows[0], self.index, self._share, rows[1])
        return out


@compiled
def _between_samples(
    column: MatrixView, index: Indices, share: Vector, out: Matrix
) -> None:
    for n in range(out.shape[0]):
        k, u = index[n], share[n]
        for m in range(out.shape[1]):
            out[n, m] = (1 - u) * column[k, m] + u * column[k + 1, m]


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


class _LinearizationPoint(NamedTuple):
    """Linearization point of the products of deviations, by interval."""

    com: np.ndarray  # (N, 3) in their middle
    wrench: np.ndarray  # (N, C, 6) patch axes [weights]
    deviation: np.ndarray  # (N, 13) at their start, but for the soles
    dilation: np.ndarray  # (N,) of their time [s]
    shift: np.ndarray  # (N, S, 2) of the soles at their end
    shift_before: np.ndarray  # (N, S, 2) and at their start

    def states(self, stepping: bool) -> np.ndarray:
        """(N, NX) states at their start, with the soles where they step."""
        if not stepping:
            return self.deviation
        shift = self.shift_before.reshape(len(self.deviation), -1)
        return np.hstack([self.deviation, shift])

    def sole_shift(self, patches: int, soles: Sequence[int]) -> np.ndarray:
        """(N, C, 3) shift at their end by patch, zero but for soles."""
        out = np.zeros((len(self.shift), patches, 3))
        out[:, soles, :2] = self.shift
        return out


def _point_on_behavior(
    wrench: np.ndarray,
    planned: np.ndarray,
    on: np.ndarray,
    R: np.ndarray,
    shift: np.ndarray,
    replaced: np.ndarray,
) -> _LinearizationPoint:
    """The behavior; loads of feet that are in the air are moved to the others."""
    N, change = len(wrench), np.zeros_like(wrench)
    lifted = np.where((planned & ~on)[:, :, None], wrench[:, :, 3:], 0.0)
    force = np.einsum("ncij,ncj->nci", R, -lifted)
    total = -force.sum(1) / np.maximum(on.sum(1), 1)[:, None]
    force += np.where(on[:, :, None], total[:, None], 0.0)
    change[:, :, 3:] = np.einsum("ncji,ncj->nci", R, force)
    return _LinearizationPoint(
        com=np.zeros((N, 3)),
        wrench=change,
        deviation=np.zeros((N, BODY)),
        dilation=np.zeros(N),
        shift=shift + np.cumsum(replaced, axis=0) - replaced,
        shift_before=np.zeros((N, *shift.shape)),
    )


def _point_on_plan(
    plan: Plan,
    phases: np.ndarray,
    middles: np.ndarray,
    wrench: np.ndarray,
    tempo: float,
    replaced: np.ndarray,
) -> _LinearizationPoint:
    """The plan before, held beyond its end."""
    com, start = np.empty((len(middles), 3)), np.zeros((len(middles), BODY))
    _interpolate(middles, plan.phases, plan.deviation, com)
    # Time is part of no product.
    _interpolate(phases[:-1], plan.phases, plan.deviation, start[:, :12])
    k = np.searchsorted(plan.phases, middles) - 1
    k = np.clip(k, 0, len(plan.durations) - 1)
    slowness = plan.durations / np.diff(plan.phases)
    return _LinearizationPoint(
        com=com,
        wrench=plan.wrench[k] - wrench,
        deviation=start,
        dilation=(slowness[k] - 1 / tempo) * np.diff(phases),
        shift=plan.shift[k + 1] - replaced,
        shift_before=plan.shift[k],
    )
