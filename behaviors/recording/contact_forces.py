"""Forces that a recorded motion needs: of the ground at its soles, and of its joints.

Momentum says which wrench all contacts together must have. Corners of soles that touch
can only push, within friction (Caron, Pham, Nakamura, "Stability of Surface Contacts
for Humanoid Robots", 2015); the forces nearest to that wrench, and among these those
that load joints least, are a least-squares problem of nonnegative unknowns (Lawson and
Hanson, "Solving Least Squares Problems", 1974). What they miss is what nothing could
give: the motion is off balance.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from backbeat.behaviors.footsteps.step import FEET
from backbeat.models.contact.friction import PLANNED_FRICTION
from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# How much more forces count than moments, as weights and weights times meters: the
# moment that is missing is then the weight's, about what is beyond the soles.
FORCES = 10.0
# How little loads of joints count beside the balance, both as shares.
LOADS = 0.01
# Rounds of the solver, per unknown.
ROUNDS = 10


@dataclass(frozen=True)
class NeededForces:
    """What a motion of n samples needs.

    Attributes:
        tau: (n, nj) torques of joints [N m].
        missing_force: (n,) what the ground cannot give, as a share of the weight.
        missing_moment: (n,) the same of the moment about the center of mass, as weights
            times meters [m].
    """

    tau: np.ndarray
    missing_force: np.ndarray
    missing_moment: np.ndarray


def needed_forces(
    robot: RobotModel,
    q: np.ndarray,
    v: np.ndarray,
    vdot: np.ndarray,
    touching: np.ndarray,
) -> NeededForces:
    """Forces of contacts and joints of a motion.

    Args:
        robot: whose motion it is.
        q, v, vdot: (n, nq), (n, nv), (n, nv) the motion.
        touching: (n, 8) which corners of the soles may push, left foot first.
    """
    n, nf = len(q), robot.base_velocities
    corners = _corner_frames(robot)
    pushes = _edges(PLANNED_FRICTION)
    state, count = Configuration(robot, q[0]), np.r_[np.ones(3), np.full(3, FORCES)]
    tau, force, moment = np.zeros((n, robot.num_joints)), np.zeros(n), np.zeros(n)
    for i in range(n):
        state.update(q[i], v[i])
        rows = state.mass_matrix @ vdot[i] + state.bias
        rows[nf:] += robot.damping * v[i, nf:]
        here = np.flatnonzero(touching[i])
        J = [state.jacobian(corners[k])[3:] for k in here]
        columns = (
            np.hstack([(pushes @ j).T for j in J]) if J else np.zeros((len(rows), 0))
        )
        about = count[:, None] * _about_center(state) / robot.weight
        A = np.vstack(
            [
                about @ columns[:nf],
                LOADS * columns[nf:] / robot.effort_limits[:, None],
            ]
        )
        b = np.r_[about @ rows[:nf], LOADS * rows[nf:] / robot.effort_limits]
        x = (
            scipy.optimize.nnls(A, b, maxiter=ROUNDS * max(A.shape[1], 1))[0]
            if len(here)
            else []
        )
        missing = (b[:nf] - (A[:nf] @ x if len(here) else 0.0)) / count
        tau[i] = rows[nf:] - (columns[nf:] @ x if len(here) else 0.0)
        force[i], moment[i] = np.linalg.norm(missing[3:]), np.linalg.norm(missing[:3])
    return NeededForces(tau, force, moment)


def _corner_frames(robot: RobotModel) -> list[Frame]:
    """Frames at the corners of both soles."""
    frames = []
    for foot in FEET:
        contact = robot.contacts[robot.feet[foot]]
        at = contact.frame
        x, y = contact.half_length, contact.half_width
        for cx, cy in ((x, y), (x, -y), (-x, y), (-x, -y)):
            p = at.p_PF + at.R_PF @ np.array([cx, cy, 0.0])
            frames.append(Frame(at.name, at.body, at.R_PF, p))
    return frames


def _edges(friction: float) -> np.ndarray:
    """(4, 3) edges of the pyramid of friction that is inside the cone."""
    m = friction / np.sqrt(2)
    return np.array([[m, m, 1], [m, -m, 1], [-m, m, 1], [-m, -m, 1]])


def _about_center(state: Configuration) -> np.ndarray:
    """(6, 6) from forces on the base's velocities to a wrench about the center of mass.

    The base's are a moment about its origin and a force, in the world.
    """
    x, y, z = state.q[4:7] - state.center_of_mass
    map_ = np.eye(6)
    map_[:3, 3:] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    return map_
