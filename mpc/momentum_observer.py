"""MomentumObserver: torques that nothing known explains, without accelerations.

The momentum p = M v of a robot changes as known forces make it change. What else there
is, the residual r, follows with the rate K:

    r' = K (p' - dM/dt v - u + h - r),    p' - dM/dt v = M v',

integrated over steps in which M v' is the mean of M times the change of v, so that
noise of v adds up to no more than noise. Forces on soles act on the rows of base and
legs alone: the rows of all other joints need no sensor at the feet. What pushes a hand,
the head or the trunk shows there; what pushes the pelvis or a leg does not. Sources
    De Luca, Mattone, "Actuator failure detection and isolation using generalized
    momenta", 2003.
    De Luca, Mattone, "Sensorless robot collision detection and hybrid force/motion
    control", 2005.
"""

from dataclasses import dataclass, replace

import numpy as np

from models.bound_arguments import bind
from models.dynamics import backward_pass, body_forces, forward_pass, mass_matrix
from models.kinematic_tree import make_workspace
from models.robot import RobotModel
from models.rotations import compiled

# Rate at which the residual follows [1/s].
RATE = 10.0


@compiled
def _dynamics(bound, q, v, M, h):
    """Writes the mass matrix and what motors would have to balance at (q, v)."""
    tree, ws, damping, gravity, zero = bound.content
    forward_pass(tree, q, v, zero, gravity, ws, False)
    body_forces(tree, ws, False)
    backward_pass(tree, ws, h, False)
    mass_matrix(tree, ws, M)
    first = v.shape[0] - damping.shape[0]
    for j in range(damping.shape[0]):
        h[first + j] += damping[j] * v[first + j]


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
        joints: (n,) indices of the joints that are observed: those of no leg.
        rate: at which the residual follows [1/s].
    """

    def __init__(self, robot: RobotModel, rate: float = RATE) -> None:
        """Makes the observer.

        Args:
            robot: the robot.
            rate: at which the residual follows [1/s].
        """
        joints = np.setdiff1d(np.arange(robot.num_joints), robot.leg_joints)
        self.joints, self.rate = joints, rate
        self._rows = robot.base_velocities + joints
        zero = np.zeros(robot.num_velocities)
        own = (robot.tree, make_workspace(robot.tree), robot.damping, robot.gravity)
        self._bound = bind((*own, zero))

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
        nv, rows = len(v), self._rows
        M, h = np.zeros((nv, nv)), np.zeros(nv)
        _dynamics(self._bound, q, v, M, h)
        if residual is None:
            residual = np.zeros(len(rows))
        motors = effort[self.joints]
        return ObserverMemory(t, v.copy(), M[rows], h[rows], motors, residual)

    def __call__(
        self,
        memory: ObserverMemory,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        effort: np.ndarray,
    ) -> ObserverMemory:
        """The memory after the next sample; arguments as of `start`."""
        now = self.start(t, q, v, effort)
        elapsed = t - memory.time
        change = 0.5 * (memory.M + now.M) @ (v - memory.v)
        # Motors hold their torque until the next sample; the rest changes evenly.
        forces = 0.5 * (memory.passive + now.passive) - memory.effort
        # Exact for a constant cause, whatever the step.
        share = 1.0 - np.exp(-self.rate * elapsed)
        cause = change / elapsed + forces
        residual = memory.residual + share * (cause - memory.residual)
        return replace(now, residual=residual)
