"""Horizon: a behavior ahead of a phase, sampled for the predictive program."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Indices, Matrix, MatrixView, Vector
from backbeat.mpc.horizon.filling import (
    Ahead,
    LinearizationPoint,
    look_ahead,
    look_back,
    make_ahead,
    make_point,
)
from backbeat.mpc.horizon.unknowns import BODY
from backbeat.mpc.plans.external_force import external_acceleration
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import AddedStep, covered, standing
from backbeat.mpc.plans.touchdown import Touchdown, behind
from backbeat.mpc.reference.trajectory import Reference


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
    edge: np.ndarray  # (N, C) how far ahead the edge is on which a patch stands [m]
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
    robot, soles = reference.robot, list(reference.soles)
    tempo, touchdowns = start.tempo, start.touchdowns
    N, C = len(phases) - 1, len(reference.patches)
    ahead = make_ahead(N, C)
    mass = robot.total_mass
    look_ahead(reference.bound, phases, tempo, reference.duration, mass, ahead)
    on = standing(ahead.standing, ahead.middles, (*steps, *touchdowns))
    if steps or touchdowns:
        hold_places(reference, steps, touchdowns, ahead.middles, ahead.p)
        hold_places(reference, steps, touchdowns, phases, ahead.places)
    replaced = _replaced(reference, phases, touchdowns)
    point = make_point(N, C, BODY + 2 * len(soles) * stepping)
    if previous is None:
        shift = start.sole_shift(len(soles))
        _write_point_on_behavior(ahead, on, soles, shift, replaced, point)
    else:
        indices = reference.sole_indices
        look_back(previous.bound, phases, ahead, tempo, indices, replaced, point)
    return Horizon(
        phases=phases,
        h=ahead.h,
        com=ahead.com,
        velocity=ahead.velocity,
        momentum=ahead.momentum,
        wrench=ahead.wrench.reshape(N, -1),
        standing=on,
        R=ahead.R,
        p=ahead.p,
        edge=ahead.edge,
        inverse_inertia=ahead.inverse_inertia,
        soles=ahead.places[:, soles],
        heading=ahead.heading,
        com_shift=point.com,
        sole_shift=point.sole_shift,
        wrench_shift=point.wrench.reshape(N, -1),
        deviation=point.states,
        dilation=point.dilation,
        is_planned=previous is not None,
        replaced=replaced,
        external=_external(start, ahead.h, robot.gravity),
        tempo=tempo,
    )


def _external(start: PlanStart, h: np.ndarray, gravity: float) -> np.ndarray:
    """(N, 3) acceleration by external forces in intervals of (N,) times h [m/s^2]."""
    vertical, horizontal = start.external_force_z, start.external_acceleration_xy
    return external_acceleration(vertical, horizontal, h, gravity)


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


def _write_point_on_behavior(
    ahead: Ahead,
    on: np.ndarray,
    soles: Sequence[int],
    shift: np.ndarray,
    replaced: np.ndarray,
    out: LinearizationPoint,
) -> None:
    """Writes the behavior; what feet in the air would carry is carried by the others.

    Args:
        ahead: the behavior over the horizon.
        on: (N, C) which patches stand.
        soles: patches that are soles.
        shift: (S, 2) of the soles now [m].
        replaced: (N, S, 2) change of a shift where its own place changes [m].
        out: written; all zero before.
    """
    is_lifted = (ahead.standing & ~on)[:, :, None]
    lifted = np.where(is_lifted, ahead.wrench[:, :, 3:], 0.0)
    force = np.einsum("ncij,ncj->nci", ahead.R, -lifted)
    total = -force.sum(1) / np.maximum(on.sum(1), 1)[:, None]
    force += np.where(on[:, :, None], total[:, None], 0.0)
    out.wrench[:, :, 3:] = np.einsum("ncji,ncj->nci", ahead.R, force)
    out.sole_shift[:, soles, :2] = shift + np.cumsum(replaced, axis=0) - replaced
