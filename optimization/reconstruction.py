"""Reconstruction: the continuous, contact-consistent motion between knots.

Knots alone are not a motion: a spline through them lets stance feet slide by
tenths of a millimeter and forgets the dynamics. We take cubic splines through
the knots, move the limb of every standing contact so that the contact stays
exactly where it stands, and correct the interpolated wrenches by the least
change that satisfies the base dynamics. An impact breaks the splines of the limb
that hits: the velocity there has a left and a right limit.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform
from scipy.interpolate import CubicSpline

from models.configuration import Configuration
from models.dynamics import (
    apply_wrench,
    backward_pass,
    body_forces,
    forward_pass,
)
from models.kinematic_tree import make_workspace
from models.kinematics import (
    base_position,
    frame_acceleration,
    frame_jacobian,
    frame_pose,
)
from models.rotations import compiled, relative_log
from optimization.trajectory_problem import TrajectoryProblem
from optimization.trajectory_solution import TrajectorySolution


@dataclass(frozen=True)
class DenseTrajectory:
    """A motion on a fine grid; jumps appear twice, with their left and right limits.

    Attributes:
        t: (M,) times [s], not decreasing.
        q: (M, nq) configurations.
        v: (M, nv) velocities.
        vdot: (M, nv) accelerations.
        wrench: (M, C, 6) contact wrenches in contact axes [N m, N].
        standing: (M, C) whether a contact stands.
        R_WC: (M, C, 3, 3) rotation of the contact's support.
        p_WC: (M, C, 3) place of the contact's support [m].
        tau: (M, nj) joint torques, viscous friction included [N m].
        contacts: contact names.
    """

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    wrench: np.ndarray
    standing: np.ndarray
    R_WC: np.ndarray
    p_WC: np.ndarray
    tau: np.ndarray
    contacts: tuple[str, ...]


def reconstruct(solution: TrajectorySolution, dt_max: float = 0.005) -> DenseTrajectory:
    """Builds the dense motion of a solution.

    Args:
        solution: knots.
        dt_max: largest distance of samples [s].
    """
    transcription, program = solution.transcription, solution.transcription.program
    problem = transcription.problem
    times, contacts = problem.times, transcription.contacts
    N, C = problem.num_knots, len(contacts)
    hits = {i.knot for i in problem.impacts}
    motion = _Splines(solution)
    parts: dict[str, list[np.ndarray]] = {
        key: [] for key in ("t", "q", "v", "vdot", "wrench", "standing", "R", "p")
    }
    for k in range(N - 1):
        h = times[k + 1] - times[k]
        count = max(1, int(np.ceil(h / dt_max - 1e-9)))
        last = k == N - 2 or k + 1 in hits
        share = np.arange(count + last) / count
        u = times[k] + share * h
        now = problem.schedule.standing(times[k] + 0.5 * h, 0.0)
        stands = np.array([n in now for n in contacts], bool).reshape(C)
        X_WC = [now.get(n, RigidTransform()) for n in contacts]
        first, second = max(k, 1), min(k + 1, N - 2)
        mix = share[:, None, None]
        w = (1 - mix) * solution.w[first] + mix * solution.w[second]
        size = (len(u), C)
        parts["t"].append(u)
        for key, value in zip(("q", "v", "vdot"), motion.sample(u, k), strict=True):
            parts[key].append(value)
        parts["wrench"].append(w * program.weight * stands[None, :, None])
        parts["standing"].append(np.tile(stands, (len(u), 1)))
        R = np.array([X.rotation().matrix() for X in X_WC]).reshape(C, 3, 3)
        p = np.array([X.translation() for X in X_WC]).reshape(C, 3)
        parts["R"].append(np.broadcast_to(R, (*size, 3, 3)))
        parts["p"].append(np.broadcast_to(p, (*size, 3)))
    joined = {key: np.concatenate(value) for key, value in parts.items()}
    # Before and after the motion the robot rests: its ends are on the grid twice,
    # once at rest and once moving off or coming in.
    ends = np.r_[0, np.arange(len(joined["t"])), -1]
    joined = {key: value[ends] for key, value in joined.items()}
    joined["v"][0] = joined["vdot"][0] = 0.0
    if problem.end_at_rest:
        joined["v"][-1] = joined["vdot"][-1] = 0.0
    return _make_consistent(solution, joined)


class _Splines:
    """Cubic splines through the knots.

    Base and joints that carry no contact have one spline each. The joints of a
    limb have one a swing: it starts and ends with the velocity that its standing
    contact allows, and breaks where an impact breaks it.
    """

    def __init__(self, solution: TrajectorySolution) -> None:
        problem = solution.transcription.problem
        self.robot = robot = problem.robot
        self._times = times = problem.times
        self._q = q = solution.q.copy()
        if robot.floating:
            for k in range(1, len(q)):  # one of the two signs is continuous
                if q[k, :4] @ q[k - 1, :4] < 0:
                    q[k, :4] *= -1
        self._end = "clamped" if problem.end_at_rest else "not-a-knot"
        self._smooth = CubicSpline(times, q, bc_type=("clamped", self._end))
        # Limb joints, knots where their pieces start, and the pieces.
        self._limbs: list[tuple[np.ndarray, list[int], list[CubicSpline]]] = []
        for contact in solution.transcription.contacts:
            self._add_limb(problem, contact)

    def _add_limb(self, problem: TrajectoryProblem, contact: str) -> None:
        limb = self.robot.contacts[contact].limb
        last = len(self._q) - 1
        middles = 0.5 * (self._times[1:] + self._times[:-1])
        stands = problem.schedule.active(middles, contact)
        hits = {i.knot for i in problem.impacts if i.contact == contact}
        cuts = [k for k in range(1, last) if k in hits or stands[k - 1] != stands[k]]
        if len(limb) == 0 or (not cuts and (stands.all() or not stands.any())):
            return
        columns = self.robot.base_positions + limb
        starts, pieces = [0, *cuts], []
        for a, b in zip(starts, [*cuts, last], strict=True):
            if stands[a]:  # projection onto the contact decides there
                part = slice(0, last + 1)
                pieces.append(
                    CubicSpline(
                        self._times, self._q[:, columns], bc_type=("clamped", self._end)
                    )
                )
                continue
            part = slice(a, b + 1)
            ends = (
                self._side(contact, a, a > 0 and stands[a - 1], a == 0),
                self._side(contact, b, b < last and stands[b], b == last),
            )
            pieces.append(
                CubicSpline(self._times[part], self._q[part][:, columns], bc_type=ends)
            )
        self._limbs.append((columns, starts, pieces))

    def _side(self, contact: str, k: int, stands: bool, is_end: bool) -> object:
        """Boundary condition of a swing at knot k."""
        if stands:
            return (1, self._contact_velocity(contact, k))
        if is_end:
            return "clamped" if k == 0 else self._end
        return "not-a-knot"

    def _contact_velocity(self, contact: str, k: int) -> np.ndarray:
        """Velocity of a limb at knot k with which its contact stands still."""
        robot, t = self.robot, self._times[k : k + 1]
        frame = robot.contacts[contact]
        q, v, _ = self._join([self._smooth(t, n) for n in range(3)])
        J = Configuration(robot, q[0], v[0]).jacobian(frame.frame)
        first = 3 if frame.is_point else 0
        change = _limb_solve(J, frame.limb, robot.base_velocities, first, -J @ v[0])
        return np.asarray(v[0, robot.base_velocities + frame.limb] + change)

    def sample(self, u: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
        """q, v, vdot at times u inside the interval after knot k."""
        derivatives = [self._smooth(u, n) for n in range(3)]
        for columns, starts, pieces in self._limbs:
            piece = pieces[int(np.searchsorted(starts, k, side="right")) - 1]
            for n in range(3):
                derivatives[n][:, columns] = piece(u, n)
        return self._join(derivatives)

    def _join(self, derivatives: list[np.ndarray]) -> tuple[np.ndarray, ...]:
        """q, v, vdot from the derivatives of the coordinates."""
        q, dq, ddq = derivatives
        if not self.robot.floating:
            return q, dq, ddq
        q[:, :4], w, wdot = _unit_quaternion(q[:, :4], dq[:, :4], ddq[:, :4])
        return q, np.c_[w, dq[:, 4:]], np.c_[wdot, ddq[:, 4:]]


def _unit_quaternion(
    Q: np.ndarray, dQ: np.ndarray, ddQ: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normalizes a path of quaternions; returns it with w and wdot in the world.

    With u = Q / |Q|: w = 2 vec(du u*), wdot = 2 vec(ddu u*); parts of du and ddu
    along u have no vector part and are left out.
    """
    n = np.linalg.norm(Q, axis=1, keepdims=True)
    u = Q / n
    along = (u * dQ).sum(1, keepdims=True) / n
    du = dQ / n - u * along
    ddu = ddQ / n - 2 * along * du

    def vector(a: np.ndarray) -> np.ndarray:
        s, x = a[:, :1], a[:, 1:]
        t, y = u[:, :1], -u[:, 1:]
        return np.asarray(2 * (s * y + t * x + np.cross(x, y)))

    return u, vector(du), vector(ddu)


def _make_consistent(
    solution: TrajectorySolution, parts: dict[str, np.ndarray]
) -> DenseTrajectory:
    """Puts contacts where they stand and satisfies the dynamics, sample by sample."""
    transcription = solution.transcription
    robot = transcription.problem.robot
    program = transcription.program
    limbs = [robot.contacts[n].limb for n in transcription.contacts]
    size = max((len(x) for x in limbs), default=0)
    limb = np.full((len(limbs), max(size, 1)), -1, np.int64)
    for i, x in enumerate(limbs):
        limb[i, : len(x)] = x
    tau = np.zeros((len(parts["t"]), robot.num_joints))
    _consistent(
        robot.tree,
        robot.gravity,
        make_workspace(robot.tree),
        program.frame_body,
        program.frame_R,
        program.frame_p,
        program.wrench_first,
        limb,
        parts["standing"],
        np.ascontiguousarray(parts["R"]),
        np.ascontiguousarray(parts["p"]),
        parts["q"],
        parts["v"],
        parts["vdot"],
        np.ascontiguousarray(parts["wrench"]),
        tau,
    )
    tau += robot.damping * parts["v"][:, robot.base_velocities :]
    return DenseTrajectory(
        t=parts["t"],
        q=parts["q"],
        v=parts["v"],
        vdot=parts["vdot"],
        wrench=parts["wrench"],
        standing=parts["standing"],
        R_WC=parts["R"],
        p_WC=parts["p"],
        tau=tau,
        contacts=transcription.contacts,
    )


@compiled
def _consistent(
    tree,
    gravity,
    ws,
    frame_body,
    frame_R,
    frame_p,
    first,
    limb,
    standing,
    R_WC,
    p_WC,
    q,
    v,
    vdot,
    wrench,
    tau,
):
    """Corrects q, v, vdot, wrench in place and writes tau; see the module's head."""
    M, C = standing.shape
    nv = v.shape[1]
    nf = nv - tau.shape[1]
    nq = q.shape[1] - tau.shape[1]
    J = np.empty((6, nv))
    R = np.empty((3, 3))
    r = np.empty(3)
    e = np.empty(6)
    phi = np.empty(3)
    p_WB = np.empty(3)
    zero = np.zeros(nv)
    full = np.zeros(nv)
    for s in range(M):
        for _ in range(3):
            forward_pass(tree, q[s], v[s], zero, gravity, ws, False)
            base_position(tree, q[s], p_WB)
            for c in range(C):
                n = _limb_size(limb, c)
                if not standing[s, c] or n == 0:
                    continue
                frame_pose(tree, ws, q[s], frame_body[c], frame_R[c], frame_p[c], R, r)
                frame_jacobian(tree, ws, frame_body[c], r, J)
                relative_log(R, R_WC[s, c], phi)
                for i in range(3):
                    e[i] = -phi[i]
                    e[3 + i] = p_WC[s, c, i] - p_WB[i] - r[i]
                x = _limb_solve(J, limb[c, :n], nf, first[c], e)
                for i in range(n):
                    q[s, nq + limb[c, i]] += x[i]
        forward_pass(tree, q[s], v[s], zero, gravity, ws, False)
        for c in range(C):
            n = _limb_size(limb, c)
            if not standing[s, c] or n == 0:
                continue
            frame_pose(tree, ws, q[s], frame_body[c], frame_R[c], frame_p[c], R, r)
            frame_jacobian(tree, ws, frame_body[c], r, J)
            for i in range(6):
                e[i] = 0.0
                for j in range(nv):
                    e[i] -= J[i, j] * v[s, j]
            x = _limb_solve(J, limb[c, :n], nf, first[c], e)
            for i in range(n):
                v[s, nf + limb[c, i]] += x[i]
        forward_pass(tree, q[s], v[s], vdot[s], gravity, ws, False)
        for c in range(C):
            n = _limb_size(limb, c)
            if not standing[s, c] or n == 0:
                continue
            frame_pose(tree, ws, q[s], frame_body[c], frame_R[c], frame_p[c], R, r)
            frame_jacobian(tree, ws, frame_body[c], r, J)
            frame_acceleration(ws, frame_body[c], r, gravity, e)
            for i in range(6):
                e[i] = -e[i]
            x = _limb_solve(J, limb[c, :n], nf, first[c], e)
            for i in range(n):
                vdot[s, nf + limb[c, i]] += x[i]
        _balance(
            tree,
            gravity,
            ws,
            frame_body,
            frame_R,
            frame_p,
            first,
            standing[s],
            R_WC[s],
            q[s],
            v[s],
            vdot[s],
            wrench[s],
            full,
        )
        for j in range(tau.shape[1]):
            tau[s, j] = full[nf + j]


@compiled
def _limb_size(limb, c):
    n = 0
    while n < limb.shape[1] and limb[c, n] >= 0:
        n += 1
    return n


@compiled
def _limb_solve(J, joints, nf, first, e):
    """Least joint change of a limb that gives the contact motion e[first:]."""
    m, n = 6 - first, joints.shape[0]
    A = np.empty((m, n))
    b = np.empty(m)
    for i in range(m):
        b[i] = e[first + i]
        for j in range(n):
            A[i, j] = J[first + i, nf + joints[j]]
    G = A @ A.T
    for i in range(m):
        # Keeps a straight knee from dividing by zero; 1e-10 moves no digit else.
        G[i, i] += 1e-10
    return A.T @ np.linalg.solve(G, b)


@compiled
def _balance(
    tree,
    gravity,
    ws,
    frame_body,
    frame_R,
    frame_p,
    first,
    standing,
    R_WC,
    q,
    v,
    vdot,
    wrench,
    tau,
):
    """Corrects the wrenches of standing patches to satisfy the base dynamics."""
    C = standing.shape[0]
    nf = 6 if tree.floating else 0
    R = np.empty((3, 3))
    r = np.empty((C, 3))
    W = np.empty(6)
    # A newton meter of correction costs as much as ten newtons.
    reach = 0.1
    for attempt in range(2):
        forward_pass(tree, q, v, vdot, gravity, ws, False)
        body_forces(tree, ws, False)
        for c in range(C):
            frame_pose(tree, ws, q, frame_body[c], frame_R[c], frame_p[c], R, r[c])
            if not standing[c]:
                continue
            for i in range(3):
                W[i] = 0.0
                W[3 + i] = 0.0
                for m in range(3):
                    W[i] += R_WC[c, i, m] * wrench[c, m]
                    W[3 + i] += R_WC[c, i, m] * wrench[c, 3 + m]
            apply_wrench(ws, frame_body[c], r[c], W)
        backward_pass(tree, ws, tau, False)
        if attempt == 1 or nf == 0:
            return
        # Patches share the correction as they share the load: a foot that hardly
        # stands cannot take a moment.
        load = 0.0
        for c in range(C):
            if standing[c] and first[c] == 0:
                load += max(wrench[c, 5], 1.0)
        if load == 0.0:
            return
        G = np.zeros((6, 6))
        for c in range(C):
            if standing[c] and first[c] == 0:
                share = max(wrench[c, 5], 1.0) / load
                B = _wrench_map(R_WC[c], r[c], reach)
                G += share * share * (B @ B.T)
        x = np.linalg.solve(G, tau[:6].copy())
        for c in range(C):
            if standing[c] and first[c] == 0:
                share = max(wrench[c, 5], 1.0) / load
                B = _wrench_map(R_WC[c], r[c], reach)
                y = share * share * (B.T @ x)
                for i in range(3):
                    wrench[c, i] += reach * y[i]
                    wrench[c, 3 + i] += y[3 + i]


@compiled
def _wrench_map(R_WC, r, reach):
    """Maps a scaled contact wrench to the wrench about the base origin."""
    B = np.zeros((6, 6))
    for j in range(3):
        f0, f1, f2 = R_WC[0, j], R_WC[1, j], R_WC[2, j]
        B[0, j] = reach * f0
        B[1, j] = reach * f1
        B[2, j] = reach * f2
        B[0, 3 + j] = r[1] * f2 - r[2] * f1
        B[1, 3 + j] = r[2] * f0 - r[0] * f2
        B[2, 3 + j] = r[0] * f1 - r[1] * f0
        B[3, 3 + j] = f0
        B[4, 3 + j] = f1
        B[5, 3 + j] = f2
    return B
