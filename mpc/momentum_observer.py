"""MomentumObserver: torques that nothing known explains, without accelerations.

The momentum p = M v of a robot changes as known forces make it change. What else there
is, the residual r, follows with the rate K:

    r' = K (p' - dM/dt v - u + h - r),    p' - dM/dt v = M v',

integrated over steps in which M v' is the mean of M times the change of v, so that
noise of v adds up to no more than noise. Forces on soles act on the rows of base and
legs alone. Where sensors at the feet feel them, u has them too, and all rows are
observed: those of the base are the whole force and moment that nothing known explains.
Without, the rows of all other joints are, which need no sensor at the feet: what pushes
a hand, the head or the trunk shows there; what pushes the pelvis or a leg does not.

A step's wrenches are means over it, so that the blow of a landing foot, however short,
goes out by the momentum that it gives. Sources
    De Luca, Mattone, "Actuator failure detection and isolation using generalized
    momenta", 2003.
    De Luca, Mattone, "Sensorless robot collision detection and hybrid force/motion
    control", 2005.
    Flacco, Paolillo, Kheddar, "Residual-based contacts estimation for humanoid robots",
    2016 (free bases, with sensors at the feet).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.bound_arguments import bind
from models.dynamics import backward_pass, body_forces, forward_pass, mass_matrix
from models.frame_arrays import frame_arrays
from models.kinematic_tree import make_workspace
from models.kinematics import frame_jacobian, frame_pose
from models.robot import RobotModel
from models.rotations import compiled

# Rate at which the residual follows [1/s].
RATE = 10.0


@compiled
def _dynamics(bound, q, v, wrenches, M, h, felt):
    """Writes the mass matrix, what motors would have to balance, what soles feel."""
    tree, ws, damping, gravity, zero, bodies, R_BS, p_BS = bound.content
    forward_pass(tree, q, v, zero, gravity, ws, False)
    body_forces(tree, ws, False)
    backward_pass(tree, ws, h, False)
    first = v.shape[0] - damping.shape[0]
    for j in range(damping.shape[0]):
        h[first + j] += damping[j] * v[first + j]
    J, R, r = np.empty((6, v.shape[0])), np.empty((3, 3)), np.empty(3)
    for c in range(wrenches.shape[0]):
        frame_pose(tree, ws, q, bodies[c], R_BS[c], p_BS[c], R, r)
        frame_jacobian(tree, ws, bodies[c], r, J)
        for i in range(3):
            moment, force = 0.0, 0.0
            for k in range(3):
                moment += R[i, k] * wrenches[c, k]
                force += R[i, k] * wrenches[c, 3 + k]
            for j in range(v.shape[0]):
                felt[j] += J[i, j] * moment + J[3 + i, j] * force
    mass_matrix(tree, ws, M)


@dataclass(frozen=True)
class ObserverMemory:
    """What the observer knows after a sample; its arrays are never written again.

    Attributes:
        time: of the sample [s].
        v: (nv,) velocity.
        M: (n, nv) rows of the mass matrix.
        passive: (n,) all torques but the motors' [N m].
        effort: (n,) those of the motors [N m].
        residual: (n,) torques that nothing known explains [N m].
    """

    time: float
    v: np.ndarray
    M: np.ndarray
    passive: np.ndarray
    effort: np.ndarray
    residual: np.ndarray


class MomentumObserver:
    """The observer of one robot, a pure function of samples and memory.

    Attributes:
        rows: (n,) velocities that are observed: all, or those of joints of no leg.
        soles: contacts whose wrenches are sensed; () for none.
        rate: at which the residual follows [1/s].
    """

    def __init__(
        self, robot: RobotModel, soles: Sequence[str] = (), rate: float = RATE
    ) -> None:
        """Makes the observer.

        Args:
            robot: the robot.
            soles: its soles, if sensors feel the wrenches on them.
            rate: at which the residual follows [1/s].
        """
        rows = np.arange(robot.num_velocities)
        if not soles:
            legs = robot.base_velocities + robot.leg_joints
            rows = np.setdiff1d(rows[robot.base_velocities :], legs)
        self.rows, self.soles, self.rate = rows, tuple(soles), rate
        self._first = robot.base_velocities
        self._silent = np.zeros((0, 6))
        frames = [robot.contacts[n].frame for n in self.soles]
        self._bound = bind(
            (
                robot.tree,
                make_workspace(robot.tree),
                robot.damping,
                robot.gravity,
                np.zeros(robot.num_velocities),
                *frame_arrays(frames),
            )
        )

    def start(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        effort: np.ndarray,
        residual: np.ndarray | None = None,
    ) -> ObserverMemory:
        """Memory of a first sample.

        Args:
            t: its time [s].
            q, v: (nq,), (nv,) the state.
            effort: (nj,) torques of the motors from then on [N m].
            residual: (n,) known so far; None for nothing.
        """
        if residual is None:
            residual = np.zeros(len(self.rows))
        return self._look(t, q, v, effort, self._silent, residual)[0]

    def __call__(
        self,
        memory: ObserverMemory,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        effort: np.ndarray,
        wrenches: np.ndarray | None = None,
    ) -> ObserverMemory:
        """The memory after the next sample; arguments as of `start`.

        Args:
            memory: after the last one.
            t, q, v, effort: as of `start`.
            wrenches: (C, 6) on the soles, moment and force in their axes about their
                origins, mean since the last sample [N m, N]; None without soles.
        """
        sensed = self._silent if wrenches is None else wrenches
        now, felt = self._look(t, q, v, effort, sensed, memory.residual)
        elapsed = t - memory.time
        change = 0.5 * (memory.M + now.M) @ (v - memory.v)
        # Motors hold their torque until the next sample; the rest changes evenly.
        forces = 0.5 * (memory.passive + now.passive) - memory.effort - felt
        # Exact for a constant cause, whatever the step.
        share = 1.0 - np.exp(-self.rate * elapsed)
        cause = change / elapsed + forces
        residual = memory.residual + share * (cause - memory.residual)
        return replace(now, residual=residual)

    def _look(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        effort: np.ndarray,
        wrenches: np.ndarray,
        residual: np.ndarray,
    ) -> tuple[ObserverMemory, np.ndarray]:
        """A memory that keeps a residual, and (n,) what the soles feel [N m]."""
        nv, rows = len(v), self.rows
        M, h, felt, motors = np.zeros((nv, nv)), *np.zeros((3, nv))
        _dynamics(self._bound, q, v, wrenches, M, h, felt)
        motors[self._first :] = effort
        seen = t, v.copy(), M[rows], h[rows], motors[rows], residual
        return ObserverMemory(*seen), felt[rows]
