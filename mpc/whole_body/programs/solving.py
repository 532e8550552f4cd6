"""A whole-body program from state to torques in one call, where its answer is near."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.compiled.bound import Bound
from backbeat.mpc.whole_body.programs.arguments import (
    Gains,
    ModelData,
    ProgramWorkspace,
    Target,
)
from backbeat.mpc.whole_body.programs.assembly import build, recover
from backbeat.optimization.qp.active_set import follow
from backbeat.optimization.qp.program import is_optimal_at


@compiled
def solve_from(
    bound: Bound[tuple[ModelData, Gains, Gains, Target, ProgramWorkspace]],
    q: Vector,
    v: Vector,
    guess: Vector,
    primal: float,
    gradient: float,
    dual: Vector,
    vdot: Vector,
    tau: Vector,
    wrench: Matrix,
    swing_slack: Matrix,
) -> int:
    """Builds the program of one tick at (q, v), and solves it from a guess.

    Args:
        bound: of the program.
        q, v: (nq,), (nv,) the state.
        guess: multipliers of the last tick, whose signs say what is active; (0,) for
            none.
        primal, gradient: residuals that are accepted.
        dual: written: multipliers.
        vdot, tau: (nv,), (nj,) written: accelerations and torques.
        wrench, swing_slack: (C, 6) written: of the contacts, see `WholeBodySolution`.

    Returns:
        Rounds of the active set; 0 where the answer is not found, and the program
        stands there for another solver.
    """
    build(bound, q, v)
    if guess.shape[0] == 0:
        return 0
    model, _, _, target, work = bound.content
    H, g, A, lower, upper = work.H, work.g, work.A, work.lower, work.upper
    z = np.empty(g.shape[0])
    rounds = follow(H, g, A, lower, upper, guess, z, dual)
    if rounds == 0:
        return 0
    if not is_optimal_at(H, g, A, lower, upper, z, dual, primal, gradient):
        return 0
    recover(model, target, work, z, vdot, tau)
    share_out(target, z, wrench, swing_slack)
    return rounds


@compiled
def share_out(target: Target, z: Vector, wrench: Matrix, swing_slack: Matrix) -> None:
    """Writes (C, 6) wrenches and accelerations off their paths from a solution z."""
    C = wrench.shape[0]
    first = z.shape[0] - 6 * C
    for c in range(C):
        for i in range(6):
            found = z[first + 6 * c + i]
            wrench[c, i] = found if target.standing[c] else 0.0
            swing_slack[c, i] = 0.0 if target.standing[c] else found
