"""Transcription: a TrajectoryProblem as a nonlinear program on the manifold.

Whole-body inverse-dynamics direct transcription. Knots k = 0 .. N-1 at times
t_k, h_k = t_k+1 - t_k.

    variables   q_k on the configuration manifold (nv tangent increments),
                w_k contact wrenches in contact axes, in weights of the robot,
                phi_k the load of each patch (its normal force), kept beside w so
                that rates of force couple neighboring blocks only.

    d_k         = (q_k (-) q_k-1) / h_k-1                  mean velocity
    v_k         = (h_k d_k + h_k-1 d_k+1) / (h_k-1 + h_k)  velocity at a knot
    a_k         = 2 (d_k+1 - d_k) / (h_k-1 + h_k)          acceleration
    tau_k       = ID(q_k, v_k, a_k) - sum_c J_c' w_k,c     inverse dynamics

    minimize    the integral of the costs that
                `backbeat.optimization.problem.weights` declares, and of the tasks
    subject to  the equations and bounds that
                `backbeat.optimization.transcription.constraints` declares,
                q_0, q_1 given, and q_N-2, q_N-1 where the motion ends in a given
                configuration.

An impact is a contact of one knot: its force times the knot's time is the
impulse that changes d_k into d_k+1 (Moreau's form of an impact: momentum
balance over the step).

Sources
    Todorov, "A Convex, Smooth and Invertible Contact Model for Trajectory
    Optimization", 2011 (inverse-dynamics residuals).
    Erez, Todorov, "Trajectory Optimization for Domains with Contacts Using
    Inverse Dynamics", 2012.
    Moreau, "Unilateral Contact and Dry Friction in Finite Freedom Dynamics", 1988.
"""

import numpy as np

from backbeat.models.contact.cones import CONE_ROWS
from backbeat.models.dynamics.edges import EDGES, WHOLE, edge_cone
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.dynamics.rolling import FLAT
from backbeat.optimization.kinematics.joint_units import joint_units
from backbeat.optimization.problem.tasks import CenterOfMassTask, PostureTask
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem
from backbeat.optimization.transcription.constraints import (
    RowName,
    Subjects,
    row_names,
)
from backbeat.optimization.transcription.frame_slots import FrameSlot, make_slots
from backbeat.optimization.transcription.program import Program, row_layout
from backbeat.optimization.transcription.row_bounds import write_bounds


class Transcription:
    """A TrajectoryProblem with its Program and the names of its contacts.

    Attributes:
        problem: what was transcribed.
        contacts: contact names in the order of the program.
        frames: frame names in the order of the program; the contacts come first.
        program: the arrays.
    """

    def __init__(self, problem: TrajectoryProblem) -> None:
        """Transcribes `problem`.

        Raises:
            BackbeatError: a task names an unknown frame or axis, or an impact has
                no place.
        """
        self.problem = problem
        robot = problem.robot
        self.contacts = problem.contact_names
        self._frames = [robot.contacts[n] for n in self.contacts]
        slots = make_slots(problem)
        self.frames = tuple(s.frame.name for s in slots)
        rated = [i for i, c in enumerate(self._frames) if not c.is_point]
        names = tuple(self.contacts[i] for i in rated)
        self._subjects = Subjects(problem, self.frames, names)
        self.program = self._assemble(slots, np.array(rated, np.int64))

    def _assemble(self, slots: list[FrameSlot], rated: np.ndarray) -> Program:
        problem, robot = self.problem, self.problem.robot
        N = problem.num_knots
        h = np.diff(problem.times)
        spans = _spans(h, problem.beside)
        dt = np.r_[0.5 * h[0], 0.5 * (h[1:] + h[:-1]), 0.5 * h[-1]]
        P, motors = len(slots), problem.motor_rows
        rows, on = row_layout(self._subjects), self._active()
        sizes, start = self._wrench_variables(on)
        com_target, com_weight = self._center_of_mass()
        posture, posture_weight = self._posture()
        w, nothing = problem.weights, FrameSlot.empty(robot.trunk, N)
        program = Program(
            tree=robot.tree,
            rows=rows,
            weight=robot.weight,
            gravity=robot.gravity,
            effort=robot.effort_limits,
            motor_torque=motors.torque * _finite(robot.effort_limits),
            motor_speed=motors.speed,
            h=h,
            span=spans,
            dt=dt,
            frame_body=np.array([s.frame.body for s in slots], np.int64),
            frame_R=_stack([s.frame.R_PF for s in slots], (3, 3)),
            frame_p=_stack([s.frame.p_PF for s in slots], (3,)),
            frame_rolls=self._rolls(P),
            frame_edge=_by_knot([s.edge for s in slots], nothing.edge),
            frame_used=_by_knot([s.used for s in slots], nothing.used),
            R_WG=_by_knot([s.R_WG for s in slots], nothing.R_WG),
            p_WG=_by_knot([s.p_WG for s in slots], nothing.p_WG),
            frame_weight=_by_knot([s.weight for s in slots], nothing.weight),
            frame_equal=_by_knot([s.equal for s in slots], nothing.equal),
            collisions=problem.collisions.arrays(),
            sphere_on=self._spheres_on(),
            midpoint_on=self._midpoints_on(),
            cone=self._cones(),
            cone_of=self._cones_at_knots(),
            wrench_start=np.where(on, start, -1).astype(np.int64),
            wrench_first=np.array([6 - s for s in sizes], np.int64),
            num_wrench=(on * sizes).sum(1).astype(np.int64),
            wrench_weight=np.r_[np.full(3, w.moment), np.full(3, w.force)],
            rated=rated,
            com_target=com_target,
            com_weight=com_weight,
            posture=posture,
            posture_weight=posture_weight,
            effort_weight=w.effort,
            velocity_weight=w.velocity * self._shares(),
            acceleration_weight=w.acceleration * self._shares(),
            lower=np.full((N, rows.num_rows), -UNBOUNDED),
            upper=np.full((N, rows.num_rows), UNBOUNDED),
            # Makes 1 mm/s of remaining speed as bad as 1e-2 of a scaled row.
            rest_scale=10.0 * _spans(h, problem.beside)[-1]
            if problem.end_at_rest
            else 0.0,
        )
        write_bounds(problem, program, slots, on)
        return program

    def row_names(self) -> list[RowName]:
        """Name of each inequality row."""
        return row_names(self._subjects)

    def _wrench_variables(self, on: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(C,) how many each contact has, and (N, C) where they start at a knot."""
        sizes = np.array([3 if c.is_point else 6 for c in self._frames], np.int64)
        if not len(sizes):
            return sizes, np.zeros((len(on), 0))
        return sizes, np.cumsum(on * sizes, axis=1) - on * sizes

    def _rolls(self, P: int) -> np.ndarray:
        """(P,) half widths of contacts that roll [m]; `FLAT` of other frames."""
        return np.r_[[c.rolled_width for c in self._frames], np.full(P, FLAT)][:P]

    def _active(self) -> np.ndarray:
        """(N, C) whether a contact carries a wrench at a knot."""
        problem, N = self.problem, self.problem.num_knots
        on = np.zeros((N, len(self._frames)), bool)
        for i, name in enumerate(self.contacts):
            on[:, i] = self._carries(name)
        for impact in problem.impacts:
            on[impact.knot, self.contacts.index(impact.contact)] = True
        on[[0, -1]] = False
        return on

    def _carries(self, name: str) -> np.ndarray:
        """(N,) whether a contact carries a wrench.

        Where a contact is put down or lifted its wrench is zero, for the forces of
        the motion are continuous. One that strikes just rests in between: a light
        load, and every knot counts.
        """
        problem, t = self.problem, self.problem.times
        if problem.strikes(name):
            return problem.schedule.active(t, name)
        middles = 0.5 * (t[1:] + t[:-1])
        stands = problem.schedule.active(middles, name)
        return np.r_[stands[:1], stands[1:] & stands[:-1], stands[-1:]]

    def _spheres_on(self) -> np.ndarray:
        """(N, F) where spheres keep their distance."""
        problem = self.problem
        on = np.ones((problem.num_knots, len(problem.collisions.spheres)), bool)
        on[: problem.free_knots.start] = on[problem.free_knots.stop :] = False
        for sphere, knots in problem.near:
            on[knots, sphere] = False
        return on

    def _midpoints_on(self) -> np.ndarray:
        """(N, F) where they do so half way from the knot before."""
        on = self._spheres_on() & self.problem.collisions.checks_midpoints
        on[1:] |= on[:-1]
        on[:3] = False
        return on

    def _cones(self) -> np.ndarray:
        """(3, C, CONE_ROWS, 6) cones of contacts on each of `EDGES`."""
        cones = np.zeros((len(EDGES), len(self._frames), CONE_ROWS, 6))
        limits = self.problem.limits
        mu = limits.friction_share * limits.friction
        for i, c in enumerate(self._frames):
            for n, edge in enumerate(EDGES):
                A = edge_cone(c, edge, mu, limits.patch_share)
                cones[n, i, : len(A)] = A
        return cones

    def _cones_at_knots(self) -> np.ndarray:
        """(N, C) which of the cones holds: where a foot starts to roll, its edge's."""
        schedule, t = self.problem.schedule, self.problem.times
        middles = 0.5 * (t[1:] + t[:-1])
        chosen = np.zeros((len(t), len(self._frames)), np.int64)
        for i, name in enumerate(self.contacts):
            edges = schedule.edges(middles, name)
            before, after = np.r_[edges[:1], edges], np.r_[edges, edges[-1:]]
            chosen[:, i] = before + (before == WHOLE) * after
        return chosen % len(EDGES)

    def _center_of_mass(self) -> tuple[np.ndarray, np.ndarray]:
        N = self.problem.num_knots
        target, weight = np.zeros((N, 3)), np.zeros((N, 3))
        for task in self.problem.tasks:
            if isinstance(task, CenterOfMassTask):
                target[task.knots] = task.p_WG
                weight[task.knots] = task.weight
        return target, weight

    def _posture(self) -> tuple[np.ndarray, np.ndarray]:
        """Nominal posture and tasks merged into one weighted mean per joint."""
        problem = self.problem
        N, nj = problem.num_knots, problem.robot.num_joints
        joints = np.atleast_2d(problem.posture)[:, problem.robot.base_positions :]
        weight = np.full((N, nj), problem.weights.posture)
        total = weight * np.broadcast_to(joints, (N, nj))
        for task in problem.tasks:
            if isinstance(task, PostureTask):
                at = np.ix_(task.knots, task.joints)
                weight[at] += task.weight
                total[at] += task.weight * np.broadcast_to(
                    task.target, (len(task.knots), len(task.joints))
                )
        return total / weight, weight / joint_units(problem.robot) ** 2

    def _shares(self) -> np.ndarray:
        """(nv,) factors on velocity and acceleration costs."""
        robot = self.problem.robot
        shares = np.ones(robot.num_velocities)
        for group, factor in self.problem.weights.smoothness_share.items():
            if group == "base":
                shares[: robot.base_velocities] *= factor
                continue
            shares[robot.base_velocities + robot.joint_indices([group])] *= factor
        shares[robot.base_velocities :] /= joint_units(robot) ** 2
        return shares


def _finite(limits: np.ndarray) -> np.ndarray:
    """Limits, zero where they are infinite: without a motor no part in any row."""
    return np.where(np.isfinite(limits), limits, 0.0)


def _spans(h: np.ndarray, beside: tuple[float, float]) -> np.ndarray:
    """(N - 1,) mean of each interval with its neighbors [s].

    Args:
        h: (N - 1,) intervals [s].
        beside: those before and after them [s]; 0 repeats the ends.
    """
    padded = np.r_[beside[0] or h[0], h, beside[1] or h[-1]]
    return np.asarray((padded[:-2] + padded[1:-1] + padded[2:]) / 3)


def _stack(arrays: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """Stacks arrays into one contiguous array, also when there are none."""
    return np.array(arrays, float).reshape(len(arrays), *shape)


def _by_knot(arrays: list[np.ndarray], like: np.ndarray) -> np.ndarray:
    """Stacks arrays of (N, ...) to (N, P, ...), also when there are none, P = 0."""
    shape = (len(like), 0, *like.shape[1:])
    return np.stack(arrays, 1) if arrays else np.zeros(shape, like.dtype)
