"""Sampling of a reference: its table interpolated at a phase, compiled."""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Flags, Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics.rotations import box_minus, box_plus, rotation_exp
from backbeat.mpc.reference.table import ReferenceTable


class ReferenceSample(NamedTuple):
    """The reference at one phase; rates are per second of phase."""

    q: Vector
    v: Vector
    vdot: Vector
    com: Matrix
    momentum: Matrix
    R_trunk: Matrix
    trunk: Matrix
    point: Array3
    point_force: Matrix
    wrench: Matrix
    standing: Flags
    R_contact: Array3
    p_contact: Matrix
    contact_motion: Array3
    edge: Vector
    pitch: Vector


@compiled
def locate(t, s):
    """Index i and share u of phase s in the grid; never a zero-length interval."""
    M = t.shape[0]
    if s <= t[0]:
        return 0, 0.0
    if s >= t[M - 1]:
        return M - 2, 1.0
    i = np.searchsorted(t, s, side="right") - 1
    return i, (s - t[i]) / (t[i + 1] - t[i])


@compiled
def _locate_all(t: Vector, phases: Vector, index: Indices, share: Vector) -> None:
    for n in range(phases.shape[0]):
        index[n], share[n] = locate(t, phases[n])


@compiled
def _mix(a, b, u, out):
    x, y, z = a.ravel(), b.ravel(), out.ravel()
    for i in range(z.shape[0]):
        z[i] = (1 - u) * x[i] + u * y[i]


@compiled
def _hermite(a, da, b, db, h, u):
    """Cubic from value a and slope da to value b and slope db over length h."""
    u2, u3 = u * u, u * u * u
    return (
        (2 * u3 - 3 * u2 + 1) * a
        + (u3 - 2 * u2 + u) * h * da
        + (3 * u2 - 2 * u3) * b
        + (u3 - u2) * h * db
    )


@compiled
def _sample_positions(qa, va, qb, vb, u, h, floating, q):
    """Positions: base rotation along the shortest way, all else by `_hermite`.

    Args:
        qa, va, qb, vb: positions and velocities at both ends of the interval.
        u, h: share of the interval that has passed, and its length.
        floating: whether q starts with a base quaternion and position.
        q: (nq,) written.
    """
    first = 4 if floating else 0
    for k in range(first, q.shape[0]):
        m = k - 1 if floating else k
        q[k] = _hermite(qa[k], va[m], qb[k], vb[m], h, u)
    if floating:
        d = np.empty(va.shape[0])
        box_minus(qb, qa, True, d)
        for k in range(3, va.shape[0]):
            d[k] = 0.0
        base = qa.copy()
        box_plus(qa, d, u, True, base)
        for k in range(4):
            q[k] = base[k]


@compiled
def _turn(R, rate, u, h, out):
    """Writes the rotation R turned by the angular velocity `rate` for u of h."""
    w = np.empty(3)
    E = np.empty((3, 3))
    for k in range(3):
        w[k] = rate[k] * u * h
    rotation_exp(w, E)
    for a in range(3):
        for b in range(3):
            x = 0.0
            for k in range(3):
                x += E[a, k] * R[k, b]
            out[a, b] = x


@compiled
def _sample(table, out, s, floating):
    """Samples a ReferenceTable at phase s into a ReferenceSample."""
    i, u = locate(table.t, s)
    j = i + 1
    h = table.t[j] - table.t[i]
    _sample_positions(
        table.q[i], table.v[i], table.q[j], table.v[j], u, h, floating, out.q
    )
    _mix(table.v[i], table.v[j], u, out.v)
    _mix(table.vdot[i], table.vdot[j], u, out.vdot)
    _mix(table.com[i], table.com[j], u, out.com)
    _mix(table.momentum[i], table.momentum[j], u, out.momentum)
    _mix(table.trunk[i], table.trunk[j], u, out.trunk)
    _mix(table.point[i], table.point[j], u, out.point)
    _mix(table.point_force[i], table.point_force[j], u, out.point_force)
    _mix(table.wrench[i], table.wrench[j], u, out.wrench)
    _mix(table.contact_motion[i], table.contact_motion[j], u, out.contact_motion)
    _turn(table.R_trunk[i], table.trunk[i, 0], u, h, out.R_trunk)
    for k in range(3):
        out.com[0, k] = _hermite(
            table.com[i, 0, k],
            table.com[i, 1, k],
            table.com[j, 0, k],
            table.com[j, 1, k],
            h,
            u,
        )
        for p in range(out.point.shape[1]):
            out.point[0, p, k] = _hermite(
                table.point[i, 0, p, k],
                table.point[i, 1, p, k],
                table.point[j, 0, p, k],
                table.point[j, 1, p, k],
                h,
                u,
            )
    for c in range(out.standing.shape[0]):
        out.standing[c] = table.standing[i, c]
        out.edge[c] = table.edge[i, c]
        # The place of a sole on an edge is that of its support: between that and its
        # middle there is nothing.
        w = u if table.edge[i, c] == table.edge[j, c] else 0.0
        out.pitch[c] = (1 - w) * table.pitch[i, c] + w * table.pitch[j, c]
        for a in range(3):
            out.p_contact[c, a] = (1 - w) * table.p_contact[i, c, a] + w * (
                table.p_contact[j, c, a]
            )
            for b in range(3):
                out.R_contact[c, a, b] = table.R_contact[i, c, a, b]


@compiled
def _sample_or_rest(
    bound: Bound[tuple[ReferenceTable, ReferenceSample]],
    s: float,
    duration: float,
    floating: bool,
) -> None:
    table, out = bound.content
    sample_or_rest(table, out, s, duration, floating)


@compiled
def sample_or_rest(table, out, s, duration, floating):
    """`_sample`, with all rates zero before the start and after the end."""
    _sample(table, out, s, floating)
    if 0.0 <= s <= duration:
        return
    out.v[:] = 0.0
    out.vdot[:] = 0.0
    out.com[1:] = 0.0
    out.momentum[:] = 0.0
    out.trunk[:] = 0.0
    out.point[1:] = 0.0
    out.contact_motion[:] = 0.0


class ReferenceSampler:
    """Samples a reference; every sample is good until the next.

    Attributes:
        sample: the last one.
    """

    def __init__(self, table: ReferenceTable, duration: float, floating: bool) -> None:
        """Samples into arrays of its own.

        Args:
            table: the reference's.
            duration: after which it rests [s].
            floating: whether the robot's base is free.
        """
        self._duration, self._floating = duration, floating
        columns = (getattr(table, name) for name in ReferenceSample._fields)
        self.sample = ReferenceSample(
            *(np.zeros(x.shape[1:], x.dtype) for x in columns)
        )
        self._bound = bind((table, self.sample))

    def __call__(self, s: float) -> ReferenceSample:
        """The reference at phase s; at rest outside the behavior."""
        _sample_or_rest(self._bound, s, self._duration, self._floating)
        return self.sample


def locate_all(t: np.ndarray, phases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Grid indices and shares of many phases (N,), for vectorized interpolation."""
    index, share = np.empty(len(phases), np.int64), np.empty(len(phases))
    _locate_all(t, phases, index, share)
    return index, share
