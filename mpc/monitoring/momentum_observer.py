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
goes out by the momentum that it gives.

With feet that feel and an accelerometer, the base's linear acceleration less gravity is
what the accelerometer feels, and in an M v' with it h has no gravity. An estimated
attitude that is wrong by an angle then turns all forces alike, where it would otherwise
leave that share of the weight over, as on ground that is not level; and an estimated
velocity that is corrected when a foot lands is not asked. (The equations of motion do
not change with a constant velocity of the whole, which is why v may leave it out.)
Sources
    De Luca, Mattone, "Actuator failure detection and isolation using generalized
    momenta", 2003.
    De Luca, Mattone, "Sensorless robot collision detection and hybrid force/motion
    control", 2005.
    Flacco, Paolillo, Kheddar, "Residual-based contacts estimation for humanoid robots",
    2016 (free bases, with sensors at the feet).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics.composites import mass_matrix
from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.kinematics import frame_jacobian, frame_pose
from backbeat.models.dynamics.recursion import backward_pass, body_forces, forward_pass
from backbeat.models.robot.model import RobotModel

# Rate at which the residual follows [1/s].
RATE = 10.0
# The specific force of who has no accelerometer.
_NONE = np.zeros(0)


@compiled
def _dynamics(
    bound: Bound[
        tuple[
            KinematicTree,
            Workspace,
            Vector,
            float,
            Vector,
            Indices,
            Matrix,
            Indices,
            Array3,
            Matrix,
        ]
    ],
    q: Vector,
    v: Vector,
    wrenches: Matrix,
    M: Matrix,
    passive: Vector,
    felt: Vector,
) -> None:
    """Writes rows of the mass matrix, what motors would balance, what soles feel."""
    tree, ws, damping, gravity, zero, rows, inertia, bodies, R_BS, p_BS = bound.content
    nv = v.shape[0]
    h, sensed = np.zeros(nv), np.zeros(nv)
    forward_pass(tree, q, v, zero, gravity, ws, False)
    body_forces(tree, ws, False)
    backward_pass(tree, ws, h, False)
    first = nv - damping.shape[0]
    for j in range(damping.shape[0]):
        h[first + j] += damping[j] * v[first + j]
    J, R, r = np.empty((6, nv)), np.empty((3, 3)), np.empty(3)
    for c in range(wrenches.shape[0]):
        frame_pose(tree, ws, q, bodies[c], R_BS[c], p_BS[c], R, r)
        frame_jacobian(tree, ws, bodies[c], r, J)
        for i in range(3):
            moment, force = 0.0, 0.0
            for k in range(3):
                moment += R[i, k] * wrenches[c, k]
                force += R[i, k] * wrenches[c, 3 + k]
            for j in range(nv):
                sensed[j] += J[i, j] * moment + J[3 + i, j] * force
    mass_matrix(tree, ws, inertia)
    for i in range(rows.shape[0]):
        passive[i], felt[i] = h[rows[i]], sensed[rows[i]]
        for k in range(nv):
            M[i, k] = inertia[rows[i], k]


@compiled
def _follow(
    elapsed: float,
    share: float,
    v: Vector,
    before: tuple[Vector, Matrix, Vector, Vector, Indices],
    M: Matrix,
    passive: Vector,
    felt: Vector,
    last: Vector,
    residual: Vector,
) -> None:
    """Writes the residual after a step.

    Args:
        elapsed: length of the step [s].
        share: of the way to its cause that the residual goes.
        v: (nv,) velocity after the step.
        before: velocity, rows of the mass matrix, passive torques and those of the
            motors (nj,) before it, and (n,) which of these act on the rows, if any.
        M, passive: the same rows and torques after it.
        felt: (n,) what the soles felt.
        last, residual: (n,) before and after it; the second is written.
    """
    v0, M0, passive0, effort, motors = before
    for i in range(residual.shape[0]):
        change = 0.0
        for k in range(v.shape[0]):
            change += 0.5 * (M0[i, k] + M[i, k]) * (v[k] - v0[k])
        # Motors hold their torque until the next sample; the rest changes evenly.
        motor = effort[motors[i]] if motors[i] >= 0 else 0.0
        forces = 0.5 * (passive0[i] + passive[i]) - motor - felt[i]
        residual[i] = last[i] + share * (change / elapsed + forces - last[i])


@compiled
def _observe(
    bound: Bound[
        tuple[
            KinematicTree,
            Workspace,
            Vector,
            float,
            Vector,
            Indices,
            Matrix,
            Indices,
            Array3,
            Matrix,
        ]
    ],
    q: Vector,
    v: Vector,
    wrenches: Matrix,
    specific_force: Vector,
    elapsed: float,
    share: float,
    before: tuple[Vector, Matrix, Vector, Vector, Indices],
    last: Vector,
    kept: Vector,
    M: Matrix,
    passive: Vector,
    residual: Vector,
) -> None:
    """Writes what a sample comes to.

    Args:
        bound: the robot.
        q, v: (nq,), (nv,) the state.
        wrenches: (C, 6) that soles feel.
        specific_force: (3,) that an accelerometer feels; (0,) without one.
        elapsed, share, before, last: as of `_follow`.
        kept: (nv,) written: the velocity to remember.
        M, passive, residual: written, as of `_follow`.
    """
    has_accelerometer, felt = specific_force.shape[0] > 0, np.empty(M.shape[0])
    kept[:] = v
    if has_accelerometer:
        kept[3:6] = 0.0
    _dynamics(bound, q, kept, wrenches, M, passive, felt)
    after = kept.copy()
    if has_accelerometer:
        for i in range(3):
            after[3 + i] = elapsed * specific_force[i]
    _follow(elapsed, share, after, before, M, passive, felt, last, residual)


@dataclass(frozen=True)
class ObserverMemory:
    """What the observer knows after a sample; its arrays are never written again.

    Attributes:
        time: of the sample [s].
        q, v: (nq,), (nv,) the state, with an accelerometer less the base's linear
            velocity.
        effort: (nj,) torques of the motors from then on [N m].
        residual: (n,) torques that nothing known explains [N m].
        terms: (n, nv) rows of the mass matrix, and (n,) all torques but those of the
            motors [N m]; None where nobody has asked for them yet.
    """

    time: float
    q: np.ndarray
    v: np.ndarray
    effort: np.ndarray
    residual: np.ndarray
    terms: tuple[np.ndarray, np.ndarray] | None = None


class MomentumObserver:
    """The observer of one robot, a pure function of samples and memory.

    Attributes:
        rows: (n,) velocities that are observed: all, or those of joints of no leg.
        soles: contacts whose wrenches are sensed; () for none.
        rate: at which the residual follows [1/s].
        has_accelerometer: whether samples have a specific force.
    """

    def __init__(
        self,
        robot: RobotModel,
        soles: Sequence[str] = (),
        rate: float = RATE,
        has_accelerometer: bool = False,
    ) -> None:
        """Makes the observer.

        Args:
            robot: the robot.
            soles: its soles, if sensors feel the wrenches on them.
            rate: at which the residual follows [1/s].
            has_accelerometer: whether every sample comes with the specific force at
                the base, in place of its linear velocity; the base has to be free.
        """
        rows = np.arange(robot.num_velocities)
        if not soles:
            legs = robot.base_velocities + robot.leg_joints
            rows = np.setdiff1d(rows[robot.base_velocities :], legs)
        self.rows, self.soles, self.rate = rows, tuple(soles), rate
        self.has_accelerometer = has_accelerometer
        self._nv = robot.num_velocities
        # Joints of the rows; those of the base have none and are negative.
        self._motors = rows - robot.base_velocities
        self._silent = np.zeros((0, 6))
        frames = [robot.contacts[n].frame for n in self.soles]
        self._bound = bind(
            (
                robot.tree,
                make_workspace(robot.tree),
                robot.damping,
                0.0 if has_accelerometer else robot.gravity,
                np.zeros(robot.num_velocities),
                rows,
                np.zeros((robot.num_velocities, robot.num_velocities)),
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
        v = self._without_linear(v)
        return ObserverMemory(t, q.copy(), v, effort.copy(), residual)

    def _without_linear(self, v: np.ndarray) -> np.ndarray:
        """(nv,) velocity that is remembered; what is felt does not go by velocity."""
        v = v.copy()
        if self.has_accelerometer:
            v[3:6] = 0.0
        return v

    def __call__(
        self,
        memory: ObserverMemory,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        effort: np.ndarray,
        wrenches: np.ndarray | None = None,
        specific_force: np.ndarray | None = None,
    ) -> ObserverMemory:
        """The memory after the next sample; arguments as of `start`.

        Args:
            memory: after the last one.
            t, q, v, effort: as of `start`.
            wrenches: (C, 6) on the soles, moment and force in their axes about their
                origins, mean since the last sample [N m, N]; None without soles.
            specific_force: (3,) acceleration of the base origin less gravity, world
                axes, mean since the last sample [m/s^2]; None without accelerometer.
        """
        sensed = self._silent if wrenches is None else wrenches
        # What nobody observes costs no dynamics: those before may still be missing.
        before = memory.terms
        if before is None:
            before = self._look(memory.q, memory.v, self._silent)[:2]
        if self.has_accelerometer:
            assert specific_force is not None
        else:
            specific_force = _NONE
        n, elapsed = len(self.rows), t - memory.time
        M, passive, residual = np.empty((n, self._nv)), np.empty(n), np.empty(n)
        kept = np.empty(self._nv)
        _observe(
            self._bound,
            q,
            v,
            sensed,
            specific_force,
            elapsed,
            # Exact for a constant cause, whatever the step.
            1.0 - math.exp(-self.rate * elapsed),
            (memory.v, *before, memory.effort, self._motors),
            memory.residual,
            kept,
            M,
            passive,
            residual,
        )
        seen = t, q.copy(), kept, effort.copy()
        return ObserverMemory(*seen, residual, (M, passive))

    def _look(
        self, q: np.ndarray, v: np.ndarray, wrenches: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of the mass matrix, passive torques, and (n,) what soles feel [N m]."""
        n = len(self.rows)
        M, passive, felt = np.empty((n, self._nv)), np.empty(n), np.empty(n)
        _dynamics(self._bound, q, v, wrenches, M, passive, felt)
        return M, passive, felt
