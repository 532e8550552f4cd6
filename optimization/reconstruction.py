"""Reconstruction: the continuous, contact-consistent motion between knots.

Knots alone are not a motion: a spline through them lets stance feet slide by
tenths of a millimeter and forgets the dynamics. We take the curves that the knots
control, move the limb of every standing contact so that the contact stays
exactly where it stands, and correct the interpolated wrenches by the least
change that satisfies the base dynamics. An impact breaks the curves of the limb
that hits: the velocity there has a left and a right limit.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform

from models.dynamics import apply_wrench, backward_pass, body_forces, forward_pass
from models.kinematic_tree import make_workspace
from models.kinematics import frame_pose
from models.robot import RobotModel
from models.rotations import compiled
from optimization.curves import Curves
from optimization.limb import put_limb
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


def unforced(
    robot: RobotModel,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    contacts: tuple[str, ...] = (),
) -> DenseTrajectory:
    """A motion without forces: nothing stands, and no joint works.

    Args:
        robot: whose motion it is.
        t: (M,) times, not decreasing [s].
        q, v: (M, nq), (M, nv) configurations and velocities.
        contacts: names of contacts that it has columns for.
    """
    M, C = len(t), len(contacts)
    return DenseTrajectory(
        t=t,
        q=q,
        v=v,
        vdot=np.zeros_like(v),
        wrench=np.zeros((M, C, 6)),
        standing=np.zeros((M, C), bool),
        R_WC=np.tile(np.eye(3), (M, C, 1, 1)),
        p_WC=np.zeros((M, C, 3)),
        tau=np.zeros((M, robot.num_joints)),
        contacts=contacts,
    )


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
    motion, wrenches = Curves(solution), _knot_wrenches(solution)
    intervals: list[np.ndarray] = []
    parts: dict[str, list[np.ndarray]] = {
        key: [] for key in ("t", "wrench", "standing", "R", "p")
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
        mix = share[:, None, None]
        w = (1 - mix) * wrenches[k] + mix * wrenches[k + 1]
        size = (len(u), C)
        intervals.append(np.full(len(u), k))
        parts["t"].append(u)
        parts["wrench"].append(w * program.weight * stands[None, :, None])
        parts["standing"].append(np.tile(stands, (len(u), 1)))
        R = np.array([X.rotation().matrix() for X in X_WC]).reshape(C, 3, 3)
        p = np.array([X.translation() for X in X_WC]).reshape(C, 3)
        parts["R"].append(np.broadcast_to(R, (*size, 3, 3)))
        parts["p"].append(np.broadcast_to(p, (*size, 3)))
    joined = {key: np.concatenate(value) for key, value in parts.items()}
    sampled = motion.sample(joined["t"], np.concatenate(intervals))
    joined |= zip(("q", "v", "vdot"), sampled, strict=True)
    _fly(motion, joined)
    # Before and after the motion the robot rests: its ends are on the grid twice,
    # once at rest and once moving off or coming in.
    before = [0] if problem.starts_at_rest else []
    ends = np.r_[before, np.arange(len(joined["t"])), -1].astype(int)
    joined = {key: value[ends] for key, value in joined.items()}
    if problem.starts_at_rest:
        joined["v"][0] = joined["vdot"][0] = 0.0
    if problem.end_at_rest:
        joined["v"][-1] = joined["vdot"][-1] = 0.0
    return _make_consistent(solution, joined)


def _knot_wrenches(solution: TrajectorySolution) -> np.ndarray:
    """(N, C, 6) wrenches at knots [weights], with those at both ends."""
    problem, w = solution.transcription.problem, solution.w.copy()
    for end, beside, given in (
        (0, 1, problem.wrench_start),
        (-1, -2, problem.wrench_end),
    ):
        w[end] = w[beside]
        for c, name in enumerate(solution.transcription.contacts):
            if given is not None and name in given:
                w[end, c] = given[name] / solution.transcription.program.weight
    return w


def _fly(motion: Curves, parts: dict[str, np.ndarray]) -> None:
    """Gives the base in flight the motion that physics does."""
    for start, end in motion.flights:
        inside = (parts["t"] > start - 1e-9) & (parts["t"] < end - 1e-9)
        base = motion.fly(np.r_[parts["t"][inside], end])
        parts["q"][inside, :7] = base.q[:-1]
        parts["v"][inside, :6] = base.v[:-1]
        parts["vdot"][inside, :6] = base.vdot[:-1]


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
    nf = v.shape[1] - tau.shape[1]
    full = np.zeros(v.shape[1])
    change = np.zeros((3, limb.shape[1]))
    for s in range(M):
        for c in range(C):
            n = _limb_size(limb, c)
            if not standing[s, c] or n == 0:
                continue
            put_limb(
                tree,
                gravity,
                ws,
                frame_body[c],
                frame_R[c],
                frame_p[c],
                first[c],
                limb[c, :n],
                R_WC[s, c],
                p_WC[s, c],
                True,
                q[s],
                v[s],
                vdot[s],
                change,
            )
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
