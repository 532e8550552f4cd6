"""Verification: a reconstructed motion against a fresh Drake plant.

Nothing of the transcription or of the compiled recursion is used here. Every
sample of the dense motion goes through Drake's plant of the unfused robot;
velocities and momentum rates are finite differences of what Drake says. The
result is a certificate: the worst value of each check, where and when.
"""

import numpy as np

from backbeat.models.collision.shapes import CollisionModel
from backbeat.models.dynamics.edges import WHOLE
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.transcription.constraints import in_each_other
from backbeat.optimization.verification.certificate import (
    BOUNDS,
    Certificate,
    Check,
    Worst,
)
from backbeat.optimization.verification.clearance import Clearance
from backbeat.optimization.verification.contact_checks import ContactChecks
from backbeat.optimization.verification.replay import SAME_TIME, Replayed, ReplayPlant

# What followers, of which the plan has only the rest positions, may add to torques.
FOLLOWED = 0.01  # share of the limit


def verify(
    solution: TrajectorySolution, motion: DenseTrajectory, stride: int = 1
) -> Certificate:
    """Verifies a reconstructed motion; see the module's head.

    Args:
        solution: what was solved.
        motion: its reconstruction.
        stride: check every so many samples.
    """
    problem = solution.transcription.problem
    return verify_motion(
        problem.robot,
        motion,
        problem.collisions,
        problem.limits.friction,
        knot_check(solution),
        stride,
    )


def knot_check(solution: TrajectorySolution) -> Check:
    """The worst violation of the knots of a solution."""
    bound = BOUNDS["knot_violation"]
    violations = solution.worst_violations()
    if not violations:
        return Check("knot_violation", 0.0, bound, 0.0, "")
    time, name, amount, _ = violations[0]
    value, where = max(amount, 0.0), str(name)
    return Check("knot_violation", value, bound, time, where, name.things)


def verify_motion(
    robot: RobotModel,
    motion: DenseTrajectory,
    collisions: CollisionModel,
    friction: float,
    knots: Check | None = None,
    stride: int = 1,
) -> Certificate:
    """Verifies a motion, wherever it comes from.

    Args:
        robot: whose motion.
        motion: the motion.
        collisions: solids around it.
        friction: coefficient of friction that it may rely on.
        knots: what is known of the knots that it was made from.
        stride: check every so many samples.
    """
    samples = np.arange(0, len(motion.t), stride)
    return Verifier(robot, collisions, friction).verify(motion, knots, samples)


class Verifier:
    """Verifies motions of one robot among the same solids, with the same plants."""

    def __init__(
        self, robot: RobotModel, collisions: CollisionModel, friction: float
    ) -> None:
        """Makes the plants; the arguments are those of `verify_motion`."""
        self._robot = robot
        self._replay = ReplayPlant(robot)
        self._clearance = Clearance(robot, collisions)
        self._contacts = ContactChecks(robot, friction)

    def verify(
        self,
        motion: DenseTrajectory,
        knots: Check | None = None,
        samples: np.ndarray | None = None,
    ) -> Certificate:
        """Verifies a motion.

        Args:
            motion: the motion.
            knots: what is known of the knots that it was made from.
            samples: (S,) which of its samples, and what is between them; None for all.
        """
        followed = {"torque_consistency": FOLLOWED} if self._robot.followers else {}
        worst = Worst(BOUNDS | followed)
        if knots is not None:
            at, where = knots.time, knots.where
            worst.see(knots.name, knots.value, at, where, knots.things)
        chosen = np.arange(len(motion.t)) if samples is None else samples
        if not _check_finite(motion, worst):
            return worst.certificate()
        replayed = self._replay(motion, chosen)
        self._contacts(motion, chosen, replayed, worst)
        self._check_joints(motion, chosen, replayed, worst)
        self._check_derivatives(motion, chosen, replayed, worst)
        for i in chosen:
            depth, pair = self._clearance.deepest(motion.q[i])
            worst.see("collision", depth, motion.t[i], in_each_other(pair), pair)
        return worst.certificate()

    def _check_joints(
        self,
        motion: DenseTrajectory,
        samples: np.ndarray,
        replayed: Replayed,
        worst: Worst,
    ) -> None:
        """Torques, speeds and angles of joints."""
        robot, t = self._robot, motion.t[samples]
        nf, nq = robot.base_velocities, robot.base_positions
        off = replayed.tau - motion.tau[samples]
        q, v = motion.q[samples, nq:], motion.v[samples, nf:]
        beyond = np.maximum(robot.position_lower - q, q - robot.position_upper)
        for name, values in (
            ("joint_torque", robot.motors.shares(replayed.tau, v)),
            ("torque_consistency", np.abs(off) / robot.effort_limits),
            ("joint_velocity", np.abs(v) / robot.velocity_limits),
            ("joint_position", beyond),
        ):
            worst.see_all(name, values, t, robot.joint_names)

    def _check_derivatives(
        self,
        motion: DenseTrajectory,
        samples: np.ndarray,
        replayed: Replayed,
        worst: Worst,
    ) -> None:
        """Differences: momentum against wrenches, q against v, v against vdot."""
        robot, t = self._robot, motion.t[samples]
        dt, middle = np.diff(t)[:, None], 0.5 * (t[1:] + t[:-1])
        standing = motion.standing[samples]
        holds = np.where(standing, motion.edge[samples], WHOLE + 2)
        switches = (holds[1:] != holds[:-1]).any(1)
        v, vdot = motion.v[samples], motion.vdot[samples]
        # The two sides of an impact have no difference that means anything.
        apart = dt[:, 0] > SAME_TIME
        error = replayed.mean_v - 0.5 * (v[1:] + v[:-1])
        # Euler and Maclaurin's term: half a percent of a fast stroke's speed. Where
        # contacts change accelerations may jump, and it may be left out.
        term = dt / 12 * (vdot[1:] - vdot[:-1])
        error, without = np.abs(error + term), np.abs(error)
        error = np.where(switches[:, None], np.minimum(error, without), error)
        names = [*["base"] * robot.base_velocities, *robot.joint_names]
        error = error[apart]
        worst.see_all("velocity_consistency", error, middle[apart], names)
        # Forces jump when a contact is made or broken.
        smooth = apart & ~switches
        dt, times = dt[smooth], middle[smooth]
        error = (v[1:] - v[:-1])[smooth] / dt - 0.5 * (vdot[1:] + vdot[:-1])[smooth]
        worst.see_all("acceleration_consistency", np.abs(error), times, names)
        if not robot.floating:
            return
        wrench = _total_wrench(replayed, standing, robot.weight)
        rate = (replayed.momentum[1:] - replayed.momentum[:-1])[smooth] / dt
        missing = rate - 0.5 * (wrench[1:] + wrench[:-1])[smooth]
        missing[:, :3] -= np.cross(replayed.com[:-1][smooth], missing[:, 3:])
        for name, part in (("force", missing[:, 3:]), ("moment", missing[:, :3])):
            size = np.linalg.norm(part, axis=1, keepdims=True) / robot.weight
            worst.see_all(f"{name}_balance", size, times, ["base"])


def _total_wrench(
    replayed: Replayed, standing: np.ndarray, weight: float
) -> np.ndarray:
    """(S, 6) wrench of contacts and gravity about the world origin."""
    F = np.where(standing[:, :, None], replayed.force, 0.0)
    total = F.sum(1)
    total[:, :3] += np.cross(replayed.p_WT, F[:, :, 3:]).sum(1)
    gravity = np.array([0.0, 0.0, -weight])
    total[:, :3] += np.cross(replayed.com, gravity)
    total[:, 3:] += gravity
    return np.asarray(total)


def _check_finite(motion: DenseTrajectory, worst: Worst) -> bool:
    """Whether no number is missing; else nothing more can be said about a motion."""
    complete = True
    for name in ("t", "q", "v", "vdot", "wrench", "tau"):
        values = np.asarray(getattr(motion, name))
        bad = ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
        if bad.any():
            worst.see("not_finite", bad.sum(), motion.t[np.argmax(bad)], name)
            complete = False
    return complete
