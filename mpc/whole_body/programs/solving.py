"""A whole-body program from state to torques in one call, where its answer is near."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.compiled.bound import Bound
from backbeat.mpc.whole_body.programs.arguments import (
    ProgramArguments,
    Target,
    WrittenSolution,
)
from backbeat.mpc.whole_body.programs.assembly import build, recover
from backbeat.optimization.qp.active_set import follow
from backbeat.optimization.qp.program import ProgramArrays, is_optimal_at


@compiled
def solve_from(
    bound: Bound[ProgramArguments],
    q: Vector,
    v: Vector,
    guess: Vector,
    primal: float,
    gradient: float,
    out: WrittenSolution,
) -> int:
    """Builds the program of one tick at (q, v), and solves it from a guess.

    Args:
        bound: of the program.
        q, v: (nq,), (nv,) the state.
        guess: multipliers of the last tick, whose signs say what is active; (0,) for
            none.
        primal, gradient: residuals that are accepted.
        out: written.

    Returns:
        Rounds of the active set; 0 where the answer is not found, and the program
        stands there for another solver.
    """
    build(bound, q, v)
    if guess.shape[0] == 0:
        return 0
    of, work = bound.content, bound.content.work
    program = ProgramArrays(work.H, work.g, work.A, work.lower, work.upper)
    z = np.empty(work.g.shape[0])
    rounds = follow(program, guess, z, out.dual)
    if rounds == 0:
        return 0
    if not is_optimal_at(program, z, out.dual, primal, gradient):
        return 0
    recover(of.model, of.target, work, z, out.vdot, out.tau)
    share_out(of.target, z, out.wrench, out.swing_slack)
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
