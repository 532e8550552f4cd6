"""Arrays of the Newton step of a Program, and multipliers of its equalities."""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled.arrays import Array3, Matrix, Vector
from backbeat.optimization.transcription.linearization_arrays import (
    Evaluation,
    Linearization,
)
from backbeat.optimization.transcription.program import Program


class NewtonArrays(NamedTuple):
    """Memory of the Newton step."""

    band: Matrix  # (n, bandwidth + 1) lower band, one row a column
    rhs: Vector  # (n,)
    factor: Array3  # (N, nw, nw) Cholesky factors of the wrench blocks
    coupling: Array3  # (N, nw, 3 nb) their eliminated couplings
    load: Matrix  # (N, nw) their eliminated right-hand sides
    dx: Matrix  # (N, nb) step of the blocks
    dw: Array3  # (N, C, 6) step of the wrenches
    d_rows: Matrix  # (N, rows) change of the inequality rows
    d_equality: Matrix  # (N, nf + n_phi) change of the equalities
    d_frame: Array3  # (N, P, 6) change of the frame residuals
    # Of costs that are not compiled, or none: see `AddedTerms`.
    added_matrix: Array3
    added_gradient: Matrix


class Multipliers(NamedTuple):
    """Multipliers of the equalities."""

    equality: Matrix  # (N, nf + n_phi)
    frame: Array3  # (N, P, 6)
    rest: Vector  # (nv,)


class NewtonSystem(NamedTuple):
    """What the normal equations of a Newton step are made of."""

    values: Evaluation  # at the point
    derivatives: Linearization
    multipliers: Multipliers
    stiffness: Matrix  # (N, rows) diagonal S of the inequality rows
    pull: Matrix  # (N, rows) gradient of barrier and slack terms in the rows
    delta: float  # regularization of the equalities


def make_step(program: Program) -> NewtonArrays:
    """Allocates the memory of the Newton step."""
    N, nv = len(program.dt), len(program.velocity_weight)
    n_phi, C = len(program.rated), len(program.wrench_first)
    nb, P = nv + n_phi, len(program.frame_body)
    nw = max(1, int(program.num_wrench.max(initial=0)))
    nf = 6 if program.tree.floating else 0
    n = nb * (N - 2)
    z = np.zeros
    return NewtonArrays(
        band=z((n, 3 * nb)),
        rhs=z(n),
        factor=z((N, nw, nw)),
        coupling=z((N, nw, 3 * nb)),
        load=z((N, nw)),
        dx=z((N, nb)),
        dw=z((N, C, 6)),
        d_rows=z((N, program.rows.num_rows)),
        d_equality=z((N, nf + n_phi)),
        d_frame=z((N, P, 6)),
        added_matrix=z((0, 0, 0)),
        added_gradient=z((0, 0)),
    )


def make_multipliers(program: Program) -> Multipliers:
    """Zero multipliers."""
    N, nv = len(program.dt), len(program.velocity_weight)
    nf = 6 if program.tree.floating else 0
    return Multipliers(
        np.zeros((N, nf + len(program.rated))),
        np.zeros((N, len(program.frame_body), 6)),
        np.zeros(nv),
    )
