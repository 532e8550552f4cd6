"""Program: a transcribed trajectory problem as plain arrays for compiled code.

Sizes: N knots, nv velocities, nj joints, nb = nv + n_phi variables a block, P
frame slots (contacts first), C contacts. The inequality rows of a knot are laid
out in sections; `RowLayout` names where each begins.
"""

from typing import NamedTuple

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
from backbeat.models.contact.cones import CONE_ROWS
from backbeat.models.dynamics.kinematic_tree import KinematicTree


class RowLayout(NamedTuple):
    """First row of every section of inequality rows of a knot."""

    torque: int  # nj rows tau / effort limit
    position: int  # nj joint positions
    velocity: int  # nj mean joint velocities of the interval before the knot
    cone: int  # C * CONE_ROWS rows A w <= 0
    normal: int  # C normal forces
    frame: int  # P * 6 frame residuals
    collision: int  # F distances of spheres from the nearest solid
    midpoint: int  # F distances half way from the knot before
    motor: int  # R motors: torques, and speeds at the knot, see `MotorRows`
    rate: int  # n_phi changes of load over the interval before the knot
    total: int  # 1 total load
    num_rows: int  # number of rows


def row_layout(
    nj: int,
    num_contacts: int,
    num_frames: int,
    num_spheres: int,
    num_motors: int,
    n_phi: int,
) -> RowLayout:
    """Lays out the rows for given sizes."""
    position = nj
    velocity = position + nj
    cone = velocity + nj
    normal = cone + num_contacts * CONE_ROWS
    frame = normal + num_contacts
    collision = frame + 6 * num_frames
    midpoint = collision + num_spheres
    motor = midpoint + num_spheres
    rate = motor + num_motors
    total = rate + n_phi
    return RowLayout(
        torque=0,
        position=position,
        velocity=velocity,
        cone=cone,
        normal=normal,
        frame=frame,
        collision=collision,
        midpoint=midpoint,
        motor=motor,
        rate=rate,
        total=total,
        num_rows=total + 1,
    )


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
