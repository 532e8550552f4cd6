"""Reference: a behavior as a function of phase, ready for the controllers.

Phase is time at the authored tempo [s]. Before the start and after the end the
reference stands still. Columns are interpolated on the behavior's own grid:
positions by cubic Hermite polynomials, all else linearly, and never across an
impact, where the left and the right limit are both on the grid.
"""

from typing import NamedTuple

import numpy as np

from behaviors.behavior import Behavior
from models.bound_arguments import bind
from models.configuration import Configuration
from models.robot import RobotModel
from models.rotations import box_minus, box_plus, compiled, rotation_exp


class ReferenceTable(NamedTuple):
    """A behavior's motion as arrays over its grid of M phases."""

    t: np.ndarray  # (M,)
    q: np.ndarray  # (M, nq)
    v: np.ndarray  # (M, nv)
    vdot: np.ndarray  # (M, nv)
    com: np.ndarray  # (M, 3, 3) position, velocity, acceleration
    momentum: np.ndarray  # (M, 2, 3) angular momentum about the CoM and its rate
    R_trunk: np.ndarray  # (M, 3, 3)
    trunk: np.ndarray  # (M, 2, 3) angular velocity and acceleration
    point: np.ndarray  # (M, 3, P, 3) position, velocity, acceleration
    point_force: np.ndarray  # (M, P, 3) planned load on points, world axes [N]
    wrench: np.ndarray  # (M, C, 6) patch wrenches [weights]
    standing: np.ndarray  # (M, C)
    R_contact: np.ndarray  # (M, C, 3, 3)
    p_contact: np.ndarray  # (M, C, 3)
    contact_motion: np.ndarray  # (M, 2, C, 6) velocity, acceleration of patches
    inertia: np.ndarray  # (M, 3, 3)


class ReferenceSample(NamedTuple):
    """The reference at one phase; rates are per second of phase."""

    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    com: np.ndarray
    momentum: np.ndarray
    R_trunk: np.ndarray
    trunk: np.ndarray
    point: np.ndarray
    point_force: np.ndarray
    wrench: np.ndarray
    standing: np.ndarray
    R_contact: np.ndarray
    p_contact: np.ndarray
    contact_motion: np.ndarray


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
def _locate_all(t, phases, index, share):
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
def _sample(bound, s, floating):
    """Samples a ReferenceTable at phase s into a ReferenceSample."""
    table, out = bound.content
    i, u = locate(table.t, s)
    h = table.t[i + 1] - table.t[i]
    j = i + 1
    nq, nv = table.q.shape[1], table.v.shape[1]
    first = 4 if floating else 0
    for k in range(first, nq):
        m = k - 1 if floating else k
        out.q[k] = _hermite(
            table.q[i, k], table.v[i, m], table.q[j, k], table.v[j, m], h, u
        )
    if floating:
        d = np.empty(nv)
        box_minus(table.q[j], table.q[i], True, d)
        for k in range(3, nv):
            d[k] = 0.0
        base = table.q[i].copy()
        box_plus(table.q[i], d, u, True, base)
        for k in range(4):
            out.q[k] = base[k]
    _mix(table.v[i], table.v[j], u, out.v)
    _mix(table.vdot[i], table.vdot[j], u, out.vdot)
    _mix(table.com[i], table.com[j], u, out.com)
    _mix(table.momentum[i], table.momentum[j], u, out.momentum)
    _mix(table.trunk[i], table.trunk[j], u, out.trunk)
    _mix(table.point[i], table.point[j], u, out.point)
    _mix(table.point_force[i], table.point_force[j], u, out.point_force)
    _mix(table.wrench[i], table.wrench[j], u, out.wrench)
    _mix(table.contact_motion[i], table.contact_motion[j], u, out.contact_motion)
    w = np.empty(3)
    E = np.empty((3, 3))
    for k in range(3):
        w[k] = table.trunk[i, 0, k] * u * h
    rotation_exp(w, E)
    for a in range(3):
        for b in range(3):
            x = 0.0
            for k in range(3):
                x += E[a, k] * table.R_trunk[i, k, b]
            out.R_trunk[a, b] = x
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
        for a in range(3):
            out.p_contact[c, a] = (1 - u) * table.p_contact[i, c, a] + u * (
                table.p_contact[j, c, a]
            )
            for b in range(3):
                out.R_contact[c, a, b] = table.R_contact[i, c, a, b]


@compiled
def _sample_or_rest(bound, s, duration, floating):
    """`_sample`, with all rates zero before the start and after the end."""
    _sample(bound, s, floating)
    if 0.0 <= s <= duration:
        return
    out = bound.content[1]
    out.v[:] = 0.0
    out.vdot[:] = 0.0
    out.com[1:] = 0.0
    out.momentum[:] = 0.0
    out.trunk[:] = 0.0
    out.point[1:] = 0.0
    out.contact_motion[:] = 0.0


def _gaps(t: np.ndarray, on: np.ndarray) -> np.ndarray:
    """(K, 2) start and end of the stretches of time in which something is off."""
    change = np.flatnonzero(np.diff(on.astype(np.int8)))
    # The sample on a switch is still on, or on again.
    edges = np.where(on[change], t[change], t[change + 1])
    if not on[0]:
        edges = np.r_[t[0], edges]
    if not on[-1]:
        edges = np.r_[edges, t[-1]]
    return edges.reshape(-1, 2)


def patch_names(behavior: Behavior) -> tuple[str, ...]:
    """Contacts of a behavior that can carry weight, in the order of plans."""
    contacts = behavior.robot_model.contacts
    patches = [n for n in behavior.motion.contacts if not contacts[n].is_point]
    # A seat has no limb, and such contacts come last.
    return tuple(sorted(patches, key=lambda n: len(contacts[n].limb) != 6))


class Reference:
    """A behavior to follow.

    Attributes:
        behavior: the behavior.
        robot: its robot.
        patches: contacts that can carry the robot's weight.
        points: point contacts, such as stick tips.
        soles: indices of the patches that the robot steps with; none in a behavior
            that also rests on something else, as a seat, and cannot step away from it.
        swings: (K, 2) phases of lift-off and touchdown [s] of each patch.
        table: the motion as arrays.
        heading: (M, 2, 2) forward and left of the first sole, x and y without one.
        duration: length [s].
    """

    def __init__(self, behavior: Behavior) -> None:
        """Prepares a behavior: what the tick would compute from q is stored."""
        self.behavior = behavior
        self.robot: RobotModel = behavior.robot_model
        self.patches = patch_names(behavior)
        self.points = tuple(n for n, c in self.robot.contacts.items() if c.is_point)
        soles = [i for i, n in enumerate(self.patches) if n in self.robot.soles]
        self.soles = tuple(soles) if len(soles) == len(self.patches) else ()
        self.table = self._make_table()
        self.heading = self._headings()
        self.swings = tuple(
            _gaps(self.table.t, self.table.standing[:, c])
            for c in range(len(self.patches))
        )
        self.duration = behavior.duration

    def _make_table(self) -> ReferenceTable:
        behavior, robot, motion = self.behavior, self.robot, self.behavior.motion
        M, C, P = len(motion.t), len(self.patches), len(self.points)
        names = list(motion.contacts)
        patch = [names.index(n) for n in self.patches]
        m, g = robot.total_mass, robot.gravity
        table = ReferenceTable(
            t=motion.t,
            q=motion.q,
            v=motion.v,
            vdot=motion.vdot,
            com=np.zeros((M, 3, 3)),
            momentum=np.zeros((M, 2, 3)),
            R_trunk=np.zeros((M, 3, 3)),
            trunk=np.zeros((M, 2, 3)),
            point=np.zeros((M, 3, P, 3)),
            point_force=np.zeros((M, P, 3)),
            wrench=np.ascontiguousarray(motion.wrench[:, patch] / robot.weight),
            standing=np.ascontiguousarray(motion.standing[:, patch]),
            R_contact=np.zeros((M, C, 3, 3)),
            p_contact=np.zeros((M, C, 3)),
            contact_motion=np.zeros((M, 2, C, 6)),
            inertia=behavior.inertia,
        )
        table.com[:, 0] = behavior.com
        table.com[:, 1] = behavior.momentum[:, 3:] / m
        table.momentum[:, 0] = behavior.momentum[:, :3]
        for p, name in enumerate(self.points):
            if name in names:
                c = names.index(name)
                table.point_force[:, p] = np.einsum(
                    "mij,mj->mi", motion.R_WC[:, c], motion.wrench[:, c, 3:]
                )
        state = Configuration(robot, motion.q[0])
        for i in range(M):
            state.update(motion.q[i], motion.v[i])
            a = motion.vdot[i]
            table.R_trunk[i] = state.pose(robot.trunk).rotation().matrix()
            J, Jdv = state.jacobian(robot.trunk), state.bias_acceleration(robot.trunk)
            table.trunk[i] = [J[:3] @ motion.v[i], J[:3] @ a + Jdv[:3]]
            for p, name in enumerate(self.points):
                J, Jdv = state.jacobian(name), state.bias_acceleration(name)
                place = state.pose(name).translation()
                table.point[i, :, p] = [
                    place,
                    J[3:] @ motion.v[i],
                    J[3:] @ a + Jdv[3:],
                ]
            force, moment = np.array([0, 0, -m * g]), np.zeros(3)
            for c, name in enumerate(self.patches):
                X = state.pose(name)
                J, Jdv = state.jacobian(name), state.bias_acceleration(name)
                table.R_contact[i, c] = X.rotation().matrix()
                table.p_contact[i, c] = X.translation()
                table.contact_motion[i, :, c] = [J @ motion.v[i], J @ a + Jdv]
                w = motion.wrench[i, patch[c]]
                R = motion.R_WC[i, patch[c]]
                if motion.standing[i, patch[c]]:
                    force += R @ w[3:]
                    arm = X.translation() - behavior.com[i]
                    moment += R @ w[:3] + np.cross(arm, R @ w[3:])
            table.com[i, 2], table.momentum[i, 1] = force / m, moment
        return table

    def _headings(self) -> np.ndarray:
        heading = np.tile(np.eye(2), (len(self.table.t), 1, 1))
        if self.soles:
            forward = self.table.R_contact[:, self.soles[0], :2, 0]
            length = np.maximum(np.linalg.norm(forward, axis=1), 1e-6)
            heading[:, 0] = forward / length[:, None]
            heading[:, 1, 0], heading[:, 1, 1] = -heading[:, 0, 1], heading[:, 0, 0]
        return heading

    def _make_sample(self) -> ReferenceSample:
        t = self.table
        return ReferenceSample(
            *(
                np.zeros(x.shape[1:], x.dtype)
                for x in (
                    t.q,
                    t.v,
                    t.vdot,
                    t.com,
                    t.momentum,
                    t.R_trunk,
                    t.trunk,
                    t.point,
                    t.point_force,
                    t.wrench,
                    t.standing,
                    t.R_contact,
                    t.p_contact,
                    t.contact_motion,
                )
            )
        )

    def sample(self, s: float) -> ReferenceSample:
        """The reference at phase s; at rest outside the behavior."""
        return self.sampler()(s)

    def sampler(self) -> "ReferenceSampler":
        """Samples again and again, without memory of its own for each."""
        return ReferenceSampler(self, self._make_sample())

    def grid(self, phases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Grid indices and shares of many phases, for vectorized interpolation."""
        index, share = np.empty(len(phases), np.int64), np.empty(len(phases))
        _locate_all(self.table.t, phases, index, share)
        return index, share


class ReferenceSampler:
    """Samples a reference; every sample is good until the next.

    Attributes:
        sample: the last one.
    """

    def __init__(self, reference: Reference, sample: ReferenceSample) -> None:
        """Samples `reference` into the arrays of `sample`."""
        self._floating, self._duration = reference.robot.floating, reference.duration
        self._bound = bind((reference.table, sample))
        self.sample = sample

    def __call__(self, s: float) -> ReferenceSample:
        """The reference at phase s; at rest outside the behavior."""
        _sample_or_rest(self._bound, s, self._duration, self._floating)
        return self.sample
