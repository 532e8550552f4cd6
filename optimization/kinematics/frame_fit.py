"""Fits of frames: the nearest posture to many targets, one sample after the other.

    minimize    |places - targets|^2 + |log(turns, targets)|^2 + |segments - targets|^2
                + |what is missing to distances from the robot itself|^2
                + |q (-) q_near|^2, each in its weights
    subject to  lower <= joints <= upper

by damped Gauss-Newton steps, each a quadratic program with the bounds (Nocedal, Wright,
"Numerical Optimization", 2006, chapter 10). Unlike `InverseKinematics` nothing is met
exactly, and a step costs so little that whole recordings are fitted. A segment is what
lies between the origins of two frames, so that limbs of other lengths keep directions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backbeat.models.collision.distances import distances
from backbeat.models.collision.shapes import NOTHING, CollisionArrays, CollisionModel
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Flags, Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.dynamics.frame_arrays import FrameArrays, frame_arrays
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.kinematics import (
    base_position,
    frame_jacobian,
    frame_pose,
)
from backbeat.models.dynamics.recursion import forward_pass
from backbeat.models.dynamics.rotations import (
    box_minus,
    box_plus,
    left_jacobian_inverse,
    relative_log,
)
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.qp.program import DaqpSolver, QuadraticProgram

# Steps are over when their largest entry is smaller [rad or m].
SMALL = 1e-5


@dataclass(frozen=True)
class FitTerms:
    """What is fitted, with the roots of weights: one over the usual deviation.

    Attributes:
        places: frames whose origins have targets, with (3,) weights along the axes of
            the world [1/m].
        turns: frames whose rotations have targets, with (3,) weights about the axes of
            the target [1/rad].
        segments: pairs of frames whose distance has a target, with a weight [1/m].
        near: (nv,) weights of the distance from a given posture [1/rad or 1/m].
        damping: weight of a step [1/rad or 1/m]; it moves no solution.
        collisions: what keeps its distance.
        clearance: weight of what is missing to the distance [1/m].
    """

    places: Sequence[tuple[Frame, np.ndarray]]
    turns: Sequence[tuple[Frame, np.ndarray]]
    segments: Sequence[tuple[Frame, Frame, float]]
    near: np.ndarray
    damping: float
    collisions: CollisionModel = NOTHING
    clearance: float = 0.0


@dataclass(frozen=True)
class FitTargets:
    """Targets of one sample, in the order of `FitTerms`.

    Attributes:
        places: (a, 3) of origins in the world [m].
        turns: (b, 3, 3) rotations in the world.
        segments: (c, 3) from the first frame to the second, in the world [m].
    """

    places: np.ndarray
    turns: np.ndarray
    segments: np.ndarray


class _Terms(NamedTuple):
    """Terms as arrays: indices into the frames, and weights."""

    place: Indices  # (a,)
    place_weight: Matrix  # (a, 3)
    turn: Indices  # (b,)
    turn_weight: Matrix  # (b, 3)
    start: Indices  # (c,)
    end: Indices  # (c,)
    segment_weight: Vector  # (c,)
    near: Vector  # (nv,)
    damping: float
    margin: float  # distance to keep [m]
    clearance: float


class _Scratch(NamedTuple):
    """Poses and Jacobians of the frames, and the rows of the fit."""

    R: Array3  # (n, 3, 3)
    p: Matrix  # (n, 3) [m]
    J: Array3  # (n, 6, nv)
    A: Matrix  # (m, nv)
    e: Vector  # (m,)
    on: Flags  # (F,) all spheres
    d: Vector  # (F,) their distances [m]
    D: Matrix  # (F, nv) rates of these


class FrameFit:
    """Fits one robot's postures to targets."""

    def __init__(self, robot: RobotModel, terms: FitTerms) -> None:
        """Prepares the fit.

        Args:
            robot: the robot.
            terms: what is fitted.
        """
        frames: list[Frame] = []

        def index(frame: Frame) -> int:
            frames.append(frame)
            return len(frames) - 1

        place = [index(frame) for frame, _ in terms.places]
        turn = [index(frame) for frame, _ in terms.turns]
        start = [index(first) for first, _, _ in terms.segments]
        end = [index(last) for _, last, _ in terms.segments]
        arrays = _Terms(
            np.array(place, np.int64),
            np.array([w for _, w in terms.places], float).reshape(-1, 3),
            np.array(turn, np.int64),
            np.array([w for _, w in terms.turns], float).reshape(-1, 3),
            np.array(start, np.int64),
            np.array(end, np.int64),
            np.array([w for _, _, w in terms.segments], float),
            np.array(terms.near, float),
            float(terms.damping),
            float(terms.collisions.margin),
            float(terms.clearance),
        )
        n, nv = len(frames), robot.num_velocities
        m, spheres = 3 * (len(place) + len(turn) + len(start)), 0
        if terms.clearance:
            spheres = len(terms.collisions.spheres)
        scratch = _Scratch(
            np.zeros((n, 3, 3)),
            np.zeros((n, 3)),
            np.zeros((n, 6, nv)),
            np.zeros((m, nv)),
            np.zeros(m),
            np.ones(spheres, bool),
            np.zeros(spheres),
            np.zeros((spheres, nv)),
        )
        self._bound = bind(
            (
                robot.tree,
                make_workspace(robot.tree),
                frame_arrays(frames),
                terms.collisions.arrays(),
                arrays,
                scratch,
            )
        )
        self._robot, self._solver = robot, DaqpSolver()
        self._free = robot.base_velocities

    def fit(
        self,
        q: np.ndarray,
        q_near: np.ndarray,
        targets: FitTargets,
        bounds: tuple[np.ndarray, np.ndarray],
        steps: int,
        longest: float,
    ) -> np.ndarray:
        """The posture that fits targets best, near a posture.

        Args:
            q: (nq,) where the search starts, within the bounds.
            q_near: (nq,) what the posture is to be near.
            targets: the targets.
            bounds: (nj,) least and (nj,) largest joint positions [rad or m].
            steps: how many steps at most.
            longest: largest entry of a step [rad or m].

        Returns:
            (nq,) the posture.
        """
        nv, nf, q = self._robot.num_velocities, self._free, q.copy()
        H, g = np.empty((nv, nv)), np.empty(nv)
        low, high = np.full(nv + 1, -longest), np.full(nv + 1, longest)
        low[nv], high[nv] = -UNBOUNDED, UNBOUNDED
        nothing = np.zeros((1, nv))
        for _ in range(steps):
            _look(
                self._bound,
                q,
                q_near,
                targets.places,
                targets.turns,
                targets.segments,
                H,
                g,
            )
            joints = q[self._robot.base_positions :]
            low[nf:nv] = np.maximum(bounds[0] - joints, -longest)
            high[nf:nv] = np.minimum(bounds[1] - joints, longest)
            program = QuadraticProgram(H, g, nothing, low, high)
            step = np.asarray(self._solver.solve(program).x)
            box_plus(q, step, 1.0, self._robot.floating, q)
            if np.abs(step).max() < SMALL:
                break
        return q


@compiled
def _look(
    bound: Bound[
        tuple[KinematicTree, Workspace, FrameArrays, CollisionArrays, _Terms, _Scratch]
    ],
    q: Vector,
    q_near: Vector,
    places: Matrix,
    turns: Array3,
    segments: Matrix,
    H: Matrix,
    g: Vector,
) -> None:
    """Writes the Gauss-Newton matrix and the gradient of the fit."""
    tree, ws, frames, solids, terms, scratch = bound.content
    nv = g.shape[0]
    still, p_WB, away = np.zeros(nv), np.empty(3), np.empty(nv)
    forward_pass(tree, q, still, still, 0.0, ws, False)
    base_position(tree, q, p_WB)
    for n in range(frames.body.shape[0]):
        R, p, J = scratch.R[n], scratch.p[n], scratch.J[n]
        b = frames.body[n]
        frame_pose(tree, ws, q, b, frames.R_PF[n], frames.p_PF[n], R, p)
        frame_jacobian(tree, ws, b, p, J)
        for i in range(3):
            p[i] += p_WB[i]
    row = _place_rows(terms, scratch, places)
    row = _turn_rows(terms, scratch, turns, row)
    _segment_rows(terms, scratch, segments, row)
    box_minus(q, q_near, tree.floating, away)
    A, e = scratch.A, scratch.e
    for i in range(nv):
        g[i] = terms.near[i] * terms.near[i] * away[i]
        for j in range(nv):
            H[i, j] = 0.0
        H[i, i] = terms.near[i] * terms.near[i] + terms.damping * terms.damping
    for k in range(e.shape[0]):
        for i in range(nv):
            a = A[k, i]
            if a != 0.0:
                g[i] += a * e[k]
                for j in range(nv):
                    H[i, j] += a * A[k, j]
    if scratch.d.shape[0] > 0:
        on, d, D = scratch.on, scratch.d, scratch.D
        distances(solids, tree, ws, p_WB, on, d, D, True)
        _keep_apart(terms, scratch, H, g)


@compiled
def _keep_apart(terms, scratch, H, g):
    """Adds what is missing to distances."""
    nv, w2 = g.shape[0], terms.clearance * terms.clearance
    for f in range(scratch.d.shape[0]):
        missing = terms.margin - scratch.d[f]
        if missing > 0.0:
            for i in range(nv):
                a = w2 * scratch.D[f, i]
                if a != 0.0:
                    g[i] -= a * missing
                    for j in range(nv):
                        H[i, j] += a * scratch.D[f, j]


@compiled
def _place_rows(terms, scratch, places):
    """Writes rows of origins; the number of rows."""
    row, nv = 0, scratch.A.shape[1]
    for k in range(terms.place.shape[0]):
        n = terms.place[k]
        for i in range(3):
            w = terms.place_weight[k, i]
            scratch.e[row] = w * (scratch.p[n, i] - places[k, i])
            for j in range(nv):
                scratch.A[row, j] = w * scratch.J[n, 3 + i, j]
            row += 1
    return row


@compiled
def _turn_rows(terms, scratch, turns, first):
    """Writes rows of rotations, about the axes of targets; the number of rows."""
    row, nv = first, scratch.A.shape[1]
    phi, E = np.empty(3), np.empty((3, 3))
    for k in range(terms.turn.shape[0]):
        n = terms.turn[k]
        relative_log(scratch.R[n], turns[k], phi)
        left_jacobian_inverse(phi, 1.0, E)
        for i in range(3):
            w = terms.turn_weight[k, i]
            scratch.e[row] = 0.0
            for j in range(nv):
                scratch.A[row, j] = 0.0
            for a in range(3):
                scratch.e[row] += w * turns[k, a, i] * phi[a]
                for b in range(3):
                    x = w * turns[k, a, i] * E[a, b]
                    for j in range(nv):
                        scratch.A[row, j] += x * scratch.J[n, b, j]
            row += 1
    return row


@compiled
def _segment_rows(terms, scratch, segments, first):
    """Writes rows of what lies between two frames."""
    row, nv = first, scratch.A.shape[1]
    for k in range(terms.start.shape[0]):
        a, b, w = terms.start[k], terms.end[k], terms.segment_weight[k]
        for i in range(3):
            between = scratch.p[b, i] - scratch.p[a, i]
            scratch.e[row] = w * (between - segments[k, i])
            for j in range(nv):
                scratch.A[row, j] = w * (
                    scratch.J[b, 3 + i, j] - scratch.J[a, 3 + i, j]
                )
            row += 1
