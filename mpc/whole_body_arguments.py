"""What the compiled whole-body program reads and writes: named tuples of arrays.

b are base rows (6, or none for a fixed base), C contacts, L those with a limb of their
own, P points, nj joints, and n the unknowns: free accelerations and, by contact, its
wrench where it stands, what it adds to the acceleration of its path where it swings.
Wrenches are (moment, force) in the axes of their patch, in weights of the robot.
"""

from typing import NamedTuple

import numpy as np

from models.kinematic_tree import KinematicTree, Workspace

# Rows of the wrench cone of a contact.
CONE_ROWS = 16


class Structure(NamedTuple):
    """What does not change between ticks."""

    tree: KinematicTree
    gravity: float
    mass: float
    effort: np.ndarray  # (nj,)
    damping: np.ndarray  # (nj,)
    position_lower: np.ndarray  # (nj,)
    position_upper: np.ndarray  # (nj,)
    contact_body: np.ndarray  # (C,)
    contact_R: np.ndarray  # (C, 3, 3)
    contact_p: np.ndarray  # (C, 3)
    contact_size: np.ndarray  # (C, 2) half length and half width
    limb: np.ndarray  # (L, 6) joints of the limbs of the first L contacts
    limb_range: np.ndarray  # (2, L, 6) where they stop, or the limb stops to yield
    free: np.ndarray  # (nj - 6 L,) the other joints
    cone: np.ndarray  # (C, 16, 6)
    trunk_body: int
    trunk_R: np.ndarray  # (3, 3)
    trunk_p: np.ndarray  # (3,)
    point_body: np.ndarray  # (P,) points with tasks or known loads
    point_p: np.ndarray  # (P, 3)


class Gains(NamedTuple):
    """Weights and gains of the tick; see `WholeBodyGains` for their meaning."""

    momentum_weight: float
    linear_weight: float
    orientation_weight: float
    posture_weight: float
    wrench_weight: float
    point_weight: float
    contact_weight: float
    swing_weight: float
    com_stiffness: float
    com_damping: float
    momentum_gain: float
    orientation_stiffness: float
    orientation_damping: float
    posture_stiffness: float
    posture_damping: float
    contact_damping: float
    contact_flatness: float
    swing_stiffness: float
    swing_damping: float
    point_stiffness: float
    point_damping: float


class Target(NamedTuple):
    """What the tick tracks, in world axes."""

    com: np.ndarray  # (3, 3) position, velocity, acceleration of the CoM
    momentum: np.ndarray  # (2, 3) angular momentum about the CoM and its rate
    R_base: np.ndarray  # (3, 3)
    base: np.ndarray  # (2, 3) angular velocity and acceleration of the base
    R_trunk: np.ndarray  # (3, 3)
    trunk: np.ndarray  # (2, 3) the same of the trunk
    joints: np.ndarray  # (3, nj) positions, velocities, accelerations
    standing: np.ndarray  # (C,) bool
    R_contact: np.ndarray  # (C, 3, 3)
    contact: np.ndarray  # (C, 3) place
    contact_motion: np.ndarray  # (2, C, 6) velocity and acceleration
    wrench: np.ndarray  # (C, 6) planned wrenches [weights], patch axes
    point: np.ndarray  # (3, P, 3) position, velocity, acceleration
    point_on: np.ndarray  # (P,) 1.0 where the point has a task
    point_force: np.ndarray  # (P, 3) known load on the point [N]
    may_step: np.ndarray  # (1,) bool: whether soles may go where no plan has them yet


class Tick(NamedTuple):
    """Memory of a tick and its results."""

    ws: Workspace
    bias: np.ndarray  # (nv,)
    M: np.ndarray  # (nv, nv)
    J: np.ndarray  # (C, 6, nv) contact Jacobians, patch axes
    Jdv: np.ndarray  # (C, 6)
    R: np.ndarray  # (C, 3, 3)
    r: np.ndarray  # (C, 3) from the base origin
    Z: np.ndarray  # (nv, n)
    z0: np.ndarray  # (nv,)
    H: np.ndarray  # (n, n)
    g: np.ndarray  # (n,)
    A: np.ndarray  # (rows, n)
    lower: np.ndarray  # (n + rows,) bounds of z, then of the rows
    upper: np.ndarray
    com: np.ndarray  # (3,) measured CoM
    momentum: np.ndarray  # (6,) measured momentum about the CoM
    R_trunk: np.ndarray  # (3, 3) measured
