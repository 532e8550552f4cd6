"""Reconstruction: the continuous, contact-consistent motion between knots.

Knots alone are not a motion: a spline through them lets stance feet slide by
tenths of a millimeter and forgets the dynamics. We take the curves that the knots
control, move the limb of every standing contact so that the contact stays
exactly where it stands, and correct the interpolated wrenches by the least
change that satisfies the base dynamics. An impact breaks the curves of the limb
that hits: the velocity there has a left and a right limit.
"""

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.dynamics.kinematic_tree import make_workspace
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.reconstruction.consistency import (
    MotionSamples,
    StandingContacts,
    make_consistent,
)
from backbeat.optimization.reconstruction.curves import Curves


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
        key: [] for key in ("t", "wrench", "standing", "R", "p", "edge")
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
        middle = [times[k] + 0.5 * h]
        edge = [problem.schedule.edges(middle, n)[0] for n in contacts]
        parts["edge"].append(np.tile(np.array(edge, np.int8), (len(u), 1)))
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
    return _consistent_motion(solution, joined)


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


def _consistent_motion(
    solution: TrajectorySolution, parts: dict[str, np.ndarray]
) -> DenseTrajectory:
    """Puts contacts where they stand and satisfies the dynamics, sample by sample."""
    transcription = solution.transcription
    robot = transcription.problem.robot
    program = transcription.program
    contacts = [robot.contacts[n] for n in transcription.contacts]
    limbs = [contact.limb for contact in contacts]
    size = max((len(x) for x in limbs), default=0)
    limb = np.full((len(limbs), max(size, 1)), -1, np.int64)
    for i, x in enumerate(limbs):
        limb[i, : len(x)] = x
    tau = np.zeros((len(parts["t"]), robot.num_joints))
    make_consistent(
        program,
        make_workspace(program.tree),
        StandingContacts(
            limb,
            parts["standing"],
            np.ascontiguousarray(parts["R"]),
            np.ascontiguousarray(parts["p"]),
            parts["edge"] * np.array([c.half_length for c in contacts]),
        ),
        MotionSamples(
            parts["q"],
            parts["v"],
            parts["vdot"],
            np.ascontiguousarray(parts["wrench"]),
            tau,
        ),
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
        edge=parts["edge"],
        contacts=transcription.contacts,
    )
