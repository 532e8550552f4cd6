"""Arrays of values and derivatives of a Program, and memory to find them."""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled.arrays import Array3, Array4, Matrix, Vector
from backbeat.models.dynamics.kinematic_tree import Workspace, make_workspace
from backbeat.optimization.transcription.program import Program


class ProgramPoint(NamedTuple):
    """Unknowns of a program at all knots."""

    q: Matrix  # (N, nq) configurations
    w: Array3  # (N, C, 6) contact wrenches in contact axes [weights, weights m]
    phi: Matrix  # (N, n_phi) loads [weights]


class Evaluation(NamedTuple):
    """Values of a program at a point, and where the last linearization stands."""

    velocity: Matrix  # (N, nv) mean velocity of the interval before the knot
    equality: Matrix  # (N, nf + n_phi) base dynamics and load residuals
    rows: Matrix  # (N, rows.num_rows) inequality rows
    frame: Array3  # (N, P, 6) frame residuals
    com: Matrix  # (N, 3) center of mass [m]
    rest: Vector  # (nv,) end velocity residual


class Linearization(NamedTuple):
    """First derivatives of a program at a point."""

    # Base dynamics, joint torques, loads and motors against (block k-1, k, k+1,
    # wrenches).
    dynamics: Array3  # (N, nv + n_phi + R, 3 nb + max wrenches)
    frame: Array4  # (N, P, 6, nv)
    com: Array3  # (N, 3, nv)
    collision: Array3  # (N, F, nv)
    midpoint: Array3  # (N, F, nv) at the middle, against a step of both ends
    left: Array3  # (N, 3, 3) d velocity / d (block k), rotation part, times h
    right: Array3  # (N, 3, 3) minus the same for block k - 1


class Scratch(NamedTuple):
    """Memory of one knot's evaluation."""

    ws: Workspace
    tau: Vector  # (nv,)
    Dq: Matrix  # (nv, nv)
    Dv: Matrix  # (nv, nv)
    M: Matrix  # (nv, nv)
    J: Array3  # (P, 6, nv) frame Jacobians in target axes
    R: Array3  # (P, 3, 3) frame rotations
    r: Matrix  # (P, 3) frame origins from the base origin


def make_scratch(program: Program) -> Scratch:
    """Allocates the memory of one knot's evaluation."""
    nv, P = len(program.velocity_weight), len(program.frame_body)
    z = np.zeros
    return Scratch(
        ws=make_workspace(program.tree),
        tau=z(nv),
        Dq=z((nv, nv)),
        Dv=z((nv, nv)),
        M=z((nv, nv)),
        J=z((P, 6, nv)),
        R=z((P, 3, 3)),
        r=z((P, 3)),
    )


def make_evaluation(program: Program) -> Evaluation:
    """Allocates the values of a program."""
    N, nv = len(program.dt), len(program.velocity_weight)
    P, nf = len(program.frame_body), 6 if program.tree.floating else 0
    z = np.zeros
    return Evaluation(
        velocity=z((N, nv)),
        equality=z((N, nf + len(program.rated))),
        rows=z((N, program.rows.num_rows)),
        frame=z((N, P, 6)),
        com=z((N, 3)),
        rest=z(nv),
    )


def make_linearization(program: Program) -> Linearization:
    """Allocates the derivatives of a program."""
    N, nv = len(program.dt), len(program.velocity_weight)
    P, n_phi = len(program.frame_body), len(program.rated)
    nw, R = int(program.num_wrench.max(initial=0)), len(program.motor_torque)
    z = np.zeros
    return Linearization(
        dynamics=z((N, nv + n_phi + R, 3 * (nv + n_phi) + nw)),
        frame=z((N, P, 6, nv)),
        com=z((N, 3, nv)),
        collision=z((N, len(program.collisions.body), nv)),
        midpoint=z((N, len(program.collisions.body), nv)),
        left=z((N, 3, 3)),
        right=z((N, 3, 3)),
    )
