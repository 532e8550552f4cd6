"""Arguments of the compiled whole-body program: named tuples of arrays.

b are base rows (6, or none for a fixed base), C contacts, L those with a limb of their
own, P points, nj joints, and n the unknowns: free accelerations and, by contact, its
wrench where it stands, its swing-acceleration slack where it swings.
Wrenches are (moment, force) in the axes of their patch, in weights of the robot.
"""

from typing import NamedTuple

from backbeat.models.actuation.parallel import ParallelMotors
from backbeat.models.compiled.arrays import (
    Array3,
    Flags,
    IndexMatrix,
    Indices,
    Matrix,
    Vector,
)
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains


class ModelData(NamedTuple):
    """Model data: constants of the program."""

    tree: KinematicTree
    gravity: float
    mass: float
    scale: float  # of lengths, see `backbeat.mpc.reference.scale`
    effort: Vector  # (nj,) what motors give
    stall: Vector  # (nj,) at rest, and what they lose with speed
    slope: Vector  # (nj,)
    pairs: ParallelMotors  # joints that two motors drive together
    damping: Vector  # (nj,)
    position_lower: Vector  # (nj,)
    position_upper: Vector  # (nj,)
    contact_body: Indices  # (C,)
    contact_R: Array3  # (C, 3, 3)
    contact_p: Matrix  # (C, 3)
    contact_size: Matrix  # (C, 2) half length and half width, 0 of soles that roll
    contact_rolls: Vector  # (C,) half widths of soles that roll [m], or `FLAT`
    # (L, 6) joints that follow the first L contacts; -1 where a limb has no more.
    # Limbs that are not eliminated are not among them.
    limb: IndexMatrix
    limb_range: Array3  # (2, L, 6) where they stop, or the limb stops to yield
    free: Indices  # (na,) the other joints
    posed: Indices  # those whose posture is tracked, by their index in `free`
    num_limbs: int  # contacts that a limb carries, which come first
    # (L, X) of the other joints, by their index in `free`, those that move a contact
    # too: a waist between base and leg, the seventh joint of a leg; -1 for no more.
    coupled: IndexMatrix
    cone: Array3  # (C, 16, 6)
    edge_cone: Array3  # (C, 16, 6) of an edge, about its middle
    trunk_body: int
    trunk_R: Matrix  # (3, 3)
    trunk_p: Vector  # (3,)
    point_body: Indices  # (P,) points with tasks or known loads
    point_p: Matrix  # (P, 3)


class Target(NamedTuple):
    """Target of a tick, in world axes."""

    com: Matrix  # (3, 3) position, velocity, acceleration of the CoM
    momentum: Matrix  # (2, 3) angular momentum about the CoM and its rate
    R_base: Matrix  # (3, 3)
    base: Matrix  # (2, 3) angular velocity and acceleration of the base
    R_trunk: Matrix  # (3, 3)
    trunk: Matrix  # (2, 3) the same of the trunk
    joints: Matrix  # (3, nj) positions, velocities, accelerations
    standing: Flags  # (C,) bool
    R_contact: Array3  # (C, 3, 3)
    contact: Matrix  # (C, 3) place
    contact_motion: Array3  # (2, C, 6) velocity and acceleration
    # (C, 6) planned wrenches [weights], patch axes; of a patch on an edge, about that.
    wrench: Matrix
    edge: Vector  # (C,) how far ahead the edge is on which a patch stands [m], or 0
    pitch: Vector  # (C,) of patches on an edge, toe down [rad]
    point: Array3  # (3, P, 3) position, velocity, acceleration
    point_on: Vector  # (P,) 1.0 where the point has a task
    point_force: Matrix  # (P, 3) known load on the point [N]
    may_step: Flags  # (1,) bool: whether soles may go where no plan has them yet


class ProgramRows(NamedTuple):
    """Rows of the tasks; see `backbeat.mpc.whole_body.programs.rows`."""

    T: Matrix  # (K, n), but for rows of one unknown
    unit: Indices  # (K,) which unknown that is, or -1
    y: Vector  # (K,) what T z shall be
    wanted: Vector  # (K,) desired value, of which y is without what z cannot change
    weight: Vector  # (K,)
    task: IndexMatrix  # (K, 2) which task, and which body, point or contact it is of
    used: Indices  # (1,) how many there are


class ProgramWorkspace(NamedTuple):
    """Workspace of a tick: dynamics, program and results."""

    ws: Workspace
    bias: Vector  # (nv,)
    M: Matrix  # (nv, nv)
    J: Array3  # (C, 6, nv) contact Jacobians, patch axes
    Jdv: Matrix  # (C, 6)
    required: Matrix  # (C, 6) acceleration that a contact is to have, patch axes
    # Without the roll of soles that roll, and the pitch of those on an edge.
    R: Array3  # (C, 3, 3)
    # (C, 3) from the base origin; where soles touch that roll or are on an edge.
    r: Matrix
    edge: Vector  # (C,) how far ahead the edge is on which a patch stands [m], or 0
    pitch: Vector  # (C,) of patches on an edge, toe down [rad]
    Z: Matrix  # (nv, n)
    z0: Vector  # (nv,)
    rows: ProgramRows
    H: Matrix  # (n, n)
    g: Vector  # (n,)
    A: Matrix  # (rows, n)
    lower: Vector  # (n + rows,) bounds of z, then of the rows
    upper: Vector
    com: Vector  # (3,) measured CoM
    momentum: Vector  # (6,) measured momentum about the CoM
    R_trunk: Matrix  # (3, 3) measured


class ProgramArguments(NamedTuple):
    """All that the program of a tick is built from."""

    model: ModelData
    stepping: WholeBodyGains
    stance: WholeBodyGains
    target: Target
    work: ProgramWorkspace


class WrittenSolution(NamedTuple):
    """Where a solution is written; see `WholeBodySolution`."""

    dual: Vector  # multipliers
    vdot: Vector  # (nv,)
    tau: Vector  # (nj,)
    wrench: Matrix  # (C, 6)
    swing_slack: Matrix  # (C, 6)
