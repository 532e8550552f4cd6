"""Horizon: a behavior ahead of a phase, sampled for the predictive program."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mpc.plan import Plan
from mpc.reference import Reference
from mpc.stepping import Step, Stretch, standing
from mpc.touchdown import Touchdown

# States of the predictive program without the soles: CoM, velocity, angular momentum
# per mass, rotation, time.
BODY = 13
# First intervals shorter than this share join the next; before a switch, than this.
SLIVER, SWITCH = 0.3, 0.02


class Horizon(NamedTuple):
    """The behavior at the knots (N + 1) and in the intervals (N) of a horizon.

    The last six are the plan about which products of deviations are linearized.
    """

    phases: np.ndarray  # (N + 1,) [s]
    h: np.ndarray  # (N,) time of the intervals at the tempo asked for [s]
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
    stretch: np.ndarray  # (N,) of their time [s]
    is_planned: bool  # whether there was a plan before
    lift: float  # vertical force besides those of the contacts [weights]
    tempo: float  # factor on the authored tempo that is asked for


class PhaseGrid:
    """Where the knots of horizons are: on every switch of contacts, evenly between.

    Knots that are half an interval off would take a landing for that much earlier or
    later than it is. Beyond the first and the last switch they go on evenly.
    """

    def __init__(self, reference: Reference, spacing: float) -> None:
        """Finds the knots of a behavior, about `spacing` [s] apart."""
        table, self.spacing = reference.table, spacing
        i = np.flatnonzero((table.standing[1:] != table.standing[:-1]).any(axis=1))
        edges = np.unique(np.r_[0.0, table.t[i + 1]])
        self._knots = np.r_[_between(edges, spacing), edges[-1]]
        self._is_switch = np.isin(self._knots, edges)

    def phases(self, s: float, knots: int, steps: Sequence[Stretch] = ()) -> np.ndarray:
        """(knots + 1,) phase s and the phases of the knots after it.

        A short first interval joins the next, but for one before a switch.
        """
        h = self.spacing
        if steps:
            return self._with_steps(s, knots, steps)
        k = self._next(s)
        is_switch = 0 < k < len(self._knots) and self._is_switch[k]
        if self._at(np.array(k)) - s < (SWITCH if is_switch else SLIVER) * h:
            k += 1
        return np.r_[s, self._at(k + np.arange(knots))]

    def _with_steps(self, s: float, knots: int, steps: Sequence[Stretch]) -> np.ndarray:
        """As `phases`, with the switches of added steps besides the behavior's."""
        h = self.spacing
        added = [x for step in steps for x in (step.start, step.end)]
        own = self._knots[self._is_switch]
        edges = np.unique(np.r_[steps[0].start % h - h, added, own])
        edges = edges[np.r_[True, np.diff(edges) > SLIVER * h]]
        last = max(s, edges[-1]) + (knots + 2) * h
        grid = _between(np.r_[edges, last], h)
        least = np.where(np.isin(grid, edges), SWITCH, SLIVER) * h
        return np.r_[s, grid[grid - s > least][:knots]]

    def _next(self, s: float) -> int:
        """Number of the first knot after phase s."""
        grid, h = self._knots, self.spacing
        if grid[0] <= s < grid[-1]:
            return int(np.searchsorted(grid, s + 1e-6 * h, side="right"))
        end = 0 if s < grid[0] else len(grid) - 1
        return end + int(np.floor((s - grid[end]) / h + 1e-6)) + 1

    def _at(self, k: np.ndarray) -> np.ndarray:
        """Phases of knots by number."""
        inside = np.clip(k, 0, len(self._knots) - 1)
        return np.asarray(self._knots[inside] + (k - inside) * self.spacing)


def _between(edges: np.ndarray, spacing: float) -> np.ndarray:
    """Every edge but the last, and about every `spacing` [s] between two."""
    spans = []
    for a, b in itertools.pairwise(edges):
        count = max(1, round((b - a) / spacing))
        spans.append(a + (b - a) / count * np.arange(count))
    return np.concatenate(spans) if spans else np.zeros(0)


def make_horizon(
    reference: Reference,
    phases: np.ndarray,
    steps: Sequence[Step],
    shift: np.ndarray,
    previous: Plan | None,
    touchdowns: Sequence[Touchdown] = (),
    stepping: bool = True,
    lift: float = 0.0,
    tempo: float = 1.0,
) -> Horizon:
    """Samples a behavior over a horizon.

    Args:
        reference: the behavior.
        phases: (N + 1,) phases of the knots [s].
        steps: steps that the behavior does not make.
        shift: (S, 2) where the soles are, minus where the behavior has them [m].
        previous: plan of the same steps, about which to linearize; None for none.
        touchdowns: those that are early or late.
        stepping: whether the places of the soles are states.
        lift: vertical force besides those of the contacts [weights].
        tempo: factor on the authored tempo; velocities are at that tempo.
    """
    table, N, C = reference.table, len(phases) - 1, len(reference.patches)
    middles = 0.5 * (phases[:-1] + phases[1:])
    i, u = reference.grid(phases)
    j, v = reference.grid(middles)

    def at(column: np.ndarray, index: np.ndarray, share: np.ndarray) -> np.ndarray:
        share = share.reshape(-1, *[1] * (column.ndim - 1))
        return np.asarray((1 - share) * column[index] + share * column[index + 1])

    # Outside the behavior the robot rests.
    moving = ((phases >= 0) & (phases <= reference.duration))[:, None]
    wrench, R = at(table.wrench, j, v), table.R_contact[j]
    planned = table.standing[j]
    on = standing(planned, middles, (*steps, *touchdowns))
    soles = list(reference.soles)
    heading = np.tile(np.eye(2), (N + 1, 1, 1))
    if soles:
        forward = table.R_contact[i, soles[0], :2, 0]
        forward = forward / np.maximum(np.linalg.norm(forward, axis=1), 1e-6)[:, None]
        heading[:, 0], heading[:, 1, 0] = forward, -forward[:, 1]
        heading[:, 1, 1] = forward[:, 0]
    p, places = at(table.p_contact, j, v), at(table.p_contact, i, u)
    for down in touchdowns:
        # A foot on the ground does not go on to where it was going.
        p[middles < down.end, down.contact] = down.place
        places[phases < down.end, down.contact] = down.place
    com_shift, sole_shift = np.zeros((N, 3)), np.zeros((N, C, 3))
    wrench_shift, stretch = np.zeros((N, C, 6)), np.zeros(N)
    deviation = np.zeros((N, BODY + (2 * len(soles) if stepping else 0)))
    sole_shift[:, soles, :2] = shift
    if previous is None:
        lifted = np.where((planned & ~on)[:, :, None], wrench[:, :, 3:], 0.0)
        force_shift = np.einsum("ncij,ncj->nci", R, -lifted)
        total = -force_shift.sum(1) / np.maximum(on.sum(1), 1)[:, None]
        force_shift += np.where(on[:, :, None], total[:, None], 0.0)
        wrench_shift[:, :, 3:] = np.einsum("ncji,ncj->nci", R, force_shift)
    else:
        last = len(previous.durations) - 1
        k = np.clip(np.searchsorted(previous.phases, middles) - 1, 0, last)
        for axis in range(3):
            com_shift[:, axis] = np.interp(
                middles, previous.phases, previous.deviation[:, axis]
            )
        sole_shift[:, soles, :2] = previous.shift[k + 1]
        wrench_shift = previous.wrench[k] - wrench
        for axis in range(12):
            deviation[:, axis] = np.interp(
                phases[:-1], previous.phases, previous.deviation[:, axis]
            )
        if stepping:
            deviation[:, BODY:] = previous.shift[k].reshape(N, -1)
        slowness = previous.durations / np.diff(previous.phases)
        stretch = (slowness[k] - 1 / tempo) * np.diff(phases)
    return Horizon(
        phases=phases,
        h=np.diff(phases) / tempo,
        com=at(table.com[:, 0], i, u),
        velocity=at(table.com[:, 1], i, u) * (tempo * moving),
        momentum=at(table.momentum[:, 0], i, u)
        * (tempo * moving)
        / reference.robot.total_mass,
        wrench=wrench.reshape(N, 6 * C),
        standing=on,
        R=R,
        p=p,
        inverse_inertia=np.linalg.inv(at(table.inertia, j, v)),
        soles=places[:, soles],
        heading=heading,
        com_shift=com_shift,
        sole_shift=sole_shift,
        wrench_shift=wrench_shift.reshape(N, 6 * C),
        deviation=deviation,
        stretch=stretch,
        is_planned=previous is not None,
        lift=lift,
        tempo=tempo,
    )
