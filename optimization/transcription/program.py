"""Program: a transcribed trajectory problem as plain arrays for compiled code.

Sizes: N knots, nv velocities, nj joints, nb = nv + n_phi variables a block, P
frame slots (contacts first), C contacts. The inequality rows of a knot are laid
out in sections; `RowLayout` names where each begins.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.collision.shapes import CollisionArrays
from backbeat.models.compiled.arrays import (
    Array3,
    Array4,
    FlagMatrix,
    IndexMatrix,
    Indices,
    Matrix,
    Vector,
)
from backbeat.models.dynamics.kinematic_tree import KinematicTree
from backbeat.optimization.transcription.constraints import Subjects, things_of


class RowLayout(NamedTuple):
    """First row of every section of inequality rows of a knot.

    `backbeat.optimization.transcription.constraints` declares what they are.
    """

    torque: int  # nj rows
    position: int  # nj
    velocity: int  # nj, of the interval before the knot
    cone: int  # C * CONE_ROWS
    normal: int  # C
    frame: int  # P * 6
    collision: int  # F
    midpoint: int  # F
    motor: int  # R, see `MotorRows`
    rate: int  # n_phi, over the interval before the knot
    total: int  # 1
    num_rows: int  # number of rows


def row_layout(of: Subjects) -> RowLayout:
    """Lays out the rows of a program."""
    sizes = {key: len(things) for key, things in things_of(of).items()}
    ends = np.cumsum(list(sizes.values())).tolist()
    firsts = dict(zip(sizes, [0, *ends], strict=False))
    return RowLayout(**firsts, num_rows=ends[-1])


class Program(NamedTuple):
    """The arrays of a transcribed problem; see `Transcription` for its meaning."""

    tree: KinematicTree
    rows: RowLayout
    weight: float  # robot weight m g [N], the unit of force
    gravity: float  # [m/s^2]
    effort: Vector  # (nj,) effort limits [N m]
    # Motors that give less at speed, or drive two joints: rows of both, R of them.
    motor_torque: Matrix  # (R, nj) per torques in shares of their limits
    motor_speed: Matrix  # (R, nj) per joint speeds
    h: Vector  # (N - 1,) intervals [s]
    span: Vector  # (N - 1,) h, averaged with those beside it: see `Transcription`
    dt: Vector  # (N,) time a knot stands for [s]
    # Frame slots; the first C are the contacts.
    frame_body: Indices  # (P,)
    frame_R: Array3  # (P, 3, 3)
    frame_p: Matrix  # (P, 3)
    frame_rolls: Vector  # (P,) half widths of soles that roll [m], or `FLAT`
    frame_edge: Matrix  # (N, P) how far ahead the edge of a sole is that stands [m]
    frame_used: FlagMatrix  # (N, P) whether any task uses the frame
    R_WG: Array4  # (N, P, 3, 3) targets
    p_WG: Array3  # (N, P, 3)
    frame_weight: Array3  # (N, P, 6) costs per second
    frame_equal: Array3  # (N, P, 6) 1.0 where the residual must vanish
    collisions: CollisionArrays
    sphere_on: FlagMatrix  # (N, F) whether a sphere keeps its distance at a knot
    midpoint_on: FlagMatrix  # (N, F) whether it does so half way from the knot before
    # Contacts.
    cone: Array4  # (3, C, CONE_ROWS, 6) of flat soles, of toes and of heels
    cone_of: IndexMatrix  # (N, C) which of them holds at a knot
    wrench_start: IndexMatrix  # (N, C) first wrench variable, -1 when off
    wrench_first: Indices  # (C,) first component: 0 for a patch, 3 for a point
    num_wrench: Indices  # (N,) wrench variables of the knot
    wrench_weight: Vector  # (6,) costs per second
    rated: Indices  # (n_phi,) contacts whose load is a variable
    # Costs.
    com_target: Matrix  # (N, 3)
    com_weight: Matrix  # (N, 3)
    posture: Matrix  # (N, nj)
    posture_weight: Matrix  # (N, nj)
    effort_weight: float  # on torques, in shares of their limits
    velocity_weight: Vector  # (nv,)
    acceleration_weight: Vector  # (nv,)
    # Constraints.
    lower: Matrix  # (N, rows.num_rows)
    upper: Matrix  # (N, rows.num_rows)
    rest_scale: float  # scale of the rest constraint at the end, 0 without one
