"""Verification: a reconstructed motion against a fresh Drake plant.

Nothing of the transcription or of the compiled recursion is used here. Every
sample of the dense motion goes through Drake's plant of the unfused robot;
velocities and momentum rates are finite differences of what Drake says. The
result is a certificate: the worst value of each check, where and when.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from models.collision import CollisionModel
from models.contact import wrench_cone
from models.robot import RobotModel
from optimization.clearance import Clearance
from optimization.ground import Ground
from optimization.reconstruction import DenseTrajectory
from optimization.replay import SAME_TIME, Replayed, ReplayPlant
from optimization.trajectory_solution import TrajectorySolution, Trouble

# Bounds of the checks. A sole that drifts by half a millimeter, or a momentum
# balance that is off by a percent of the weight, is less than what contact
# compliance and a controller absorb without notice.
BOUNDS = {
    "not_finite": 0.0,  # samples
    "knot_violation": 1e-6,  # scaled
    "contact_position": 0.5e-3,  # m
    "contact_slip": 5e-3,  # m/s
    "penetration": 0.5e-3,  # m
    "collision": 1e-3,  # m, with the scene or with itself
    "force_balance": 0.01,  # weights
    "moment_balance": 0.01,  # weights x m
    "velocity_consistency": 0.02,  # rad/s or m/s
    "acceleration_consistency": 0.5,  # rad/s^2 or m/s^2
    "joint_position": 1e-3,  # rad beyond a stop
    "joint_velocity": 1.0,  # share of the limit
    "joint_torque": 1.0,  # share of the limit
    "torque_consistency": 1e-6,  # share of the limit
    "friction": 1e-3,  # weights beyond the cone at the plan's coefficient
}
# What followers, of which the plan knows only where they rest, may add to torques.
FOLLOWED = 0.01  # share of the limit


@dataclass(frozen=True)
class Check:
    """Worst value of one check.

    Attributes:
        name: name of the check, a key of BOUNDS.
        value: worst value.
        bound: what is allowed.
        time: when [s].
        where: joint or contact.
    """

    name: str
    value: float
    bound: float
    time: float
    where: str

    @property
    def passed(self) -> bool:
        """Whether the worst value is finite and within the bound."""
        return bool(np.isfinite(self.value) and self.value <= self.bound)

    def __str__(self) -> str:
        """What was found, for a person."""
        sign = "<=" if self.passed else ">"
        found = f"{self.name} {self.value:.3g} {sign} {self.bound:.3g}"
        return f"{found} at {self.time:.2f} s ({self.where})"


@dataclass(frozen=True)
class Certificate:
    """All checks of a motion.

    Attributes:
        checks: the worst of each.
        places: every sample that is beyond a bound, in order of time; it is not kept
            in files.
    """

    checks: tuple[Check, ...]
    places: tuple[Check, ...] = field(default=(), compare=False)

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(c.passed for c in self.checks)

    def failures(self) -> list[Check]:
        """Checks that did not pass."""
        return [c for c in self.checks if not c.passed]

    def troubles(self) -> list[Trouble]:
        """What is beyond a bound between knots; one kind is as bad as another."""
        return [Trouble(c.time, c.where, 1.0, True) for c in self.places]

    def to_dict(self) -> dict[str, dict[str, float | str]]:
        """Plain data for a file."""
        return {c.name: {k: v for k, v in asdict(c).items()} for c in self.checks}

    def later(self, seconds: float) -> "Certificate":
        """The same of a motion that begins so many seconds later."""
        checks, places = (
            tuple(replace(check, time=check.time + seconds) for check in group)
            for group in (self.checks, self.places)
        )
        return Certificate(checks, places)

    @staticmethod
    def from_dict(data: dict[str, dict[str, float | str]]) -> "Certificate":
        """The inverse of `to_dict`."""
        return Certificate(
            tuple(
                Check(
                    name=name,
                    value=float(c["value"]),
                    bound=float(c["bound"]),
                    time=float(c["time"]),
                    where=str(c["where"]),
                )
                for name, c in data.items()
            )
        )


def worst_of(certificates: Iterable[Certificate]) -> Certificate:
    """The worst of every check, and all places; of equals the first."""
    worst: dict[str, Check] = {}
    places: list[Check] = []
    for certificate in certificates:
        places += certificate.places
        for check in certificate.checks:
            known = worst.get(check.name)
            if known is None or not check.value <= known.value:
                worst[check.name] = check
    return Certificate(tuple(worst[n] for n in BOUNDS if n in worst), tuple(places))


class _Worst:
    """Keeps the worst value of each check, and every place beyond its bound."""

    def __init__(self, bounds: Mapping[str, float]) -> None:
        self._bounds = bounds
        self._worst = {n: (0.0, 0.0, "") for n in bounds}
        self._places: list[Check] = []

    def see(self, name: str, value: float, time: float, where: str) -> None:
        """One value; those of a check are seen in this way or by `see_all`."""
        if not value <= self._bounds[name]:
            self._note(name, value, time, where)
        self._compare(name, value, time, where)

    def _note(self, name: str, value: float, time: float, where: str) -> None:
        bound = self._bounds[name]
        self._places.append(Check(name, float(value), bound, float(time), where))

    def _compare(self, name: str, value: float, time: float, where: str) -> None:
        if not value <= self._worst[name][0]:  # also true for NaN
            self._worst[name] = (float(value), float(time), where)

    def see_all(
        self, name: str, values: np.ndarray, times: np.ndarray, where: Sequence[str]
    ) -> None:
        """Sees (n, m) values at n times, of m things."""
        if not values.size:
            return
        worst = np.argmax(values, axis=1)
        most = values[np.arange(len(values)), worst]
        for i in np.flatnonzero(~(most <= self._bounds[name])):
            self._note(name, most[i], times[i], where[worst[i]])
        last = int(np.argmax(most))
        self._compare(name, most[last], times[last], where[worst[last]])

    def certificate(self) -> Certificate:
        return Certificate(
            tuple(
                Check(n, value, self._bounds[n], time, where)
                for n, (value, time, where) in self._worst.items()
            ),
            tuple(sorted(self._places, key=lambda place: place.time)),
        )


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
    time, name, amount = (solution.violations() or [(0.0, "", 0.0)])[0][:3]
    bound = BOUNDS["knot_violation"]
    return Check("knot_violation", max(amount, 0.0), bound, time, name)


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
        self._cones = {
            n: wrench_cone(c.half_length, c.half_width, friction)
            for n, c in robot.contacts.items()
        }

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
        worst = _Worst(BOUNDS | followed)
        if knots is not None:
            worst.see(knots.name, knots.value, knots.time, knots.where)
        chosen = np.arange(len(motion.t)) if samples is None else samples
        if not _check_finite(motion, worst):
            return worst.certificate()
        replayed = self._replay(motion, chosen)
        self._check_contacts(motion, chosen, replayed, worst)
        self._check_joints(motion, chosen, replayed, worst)
        self._check_derivatives(motion, chosen, replayed, worst)
        for i in chosen:
            depth, pair = self._clearance.deepest(motion.q[i])
            worst.see("collision", depth, motion.t[i], pair)
        return worst.certificate()

    def _check_contacts(
        self,
        motion: DenseTrajectory,
        samples: np.ndarray,
        replayed: Replayed,
        worst: _Worst,
    ) -> None:
        """Contacts stand where and as they should; feet in the air are in the air."""
        ground, weight = Ground(motion), self._robot.weight
        for c, name in enumerate(motion.contacts):
            contact = self._robot.contacts[name]
            stands = motion.standing[samples, c]
            R, p = replayed.R_WC[:, c], replayed.p_WC[:, c]
            arms = contact.corners() @ R.transpose(0, 2, 1)
            corners = arms + p[:, None]
            if not contact.is_point:
                for i in np.flatnonzero(~stands):
                    at = samples[i]
                    depth = ground.depth(at, c, contact, corners[i])
                    worst.see("penetration", depth, motion.t[at], name)
            on = samples[stands]
            t, corners, arms = motion.t[on], corners[stands], arms[stands]
            support = motion.R_WC[on, c].transpose(0, 2, 1)
            places = contact.corners() @ support + motion.p_WC[on, c][:, None]
            apart = np.linalg.norm(corners - places, axis=2).max(1, initial=0.0)
            worst.see_all("contact_position", apart[:, None], t, [name])
            V = replayed.V_WC[stands, c]
            speeds = V[:, None, 3:] + np.cross(V[:, None, :3], arms)
            slip = np.linalg.norm(speeds, axis=2).max(1, initial=0.0)
            worst.see_all("contact_slip", slip[:, None], t, [name])
            w = motion.wrench[on, c]
            rows = np.c_[w @ self._cones[name].T, -w[:, 5]]
            excess = rows.max(1, initial=-np.inf) / weight
            worst.see_all("friction", excess[:, None], t, [name])

    def _check_joints(
        self,
        motion: DenseTrajectory,
        samples: np.ndarray,
        replayed: Replayed,
        worst: _Worst,
    ) -> None:
        """Torques, speeds and angles of joints."""
        robot, t = self._robot, motion.t[samples]
        nf, nq = robot.base_velocities, robot.base_positions
        off = replayed.tau - motion.tau[samples]
        q, v = motion.q[samples, nq:], motion.v[samples, nf:]
        beyond = np.maximum(robot.position_lower - q, q - robot.position_upper)
        for name, values in (
            ("joint_torque", np.abs(replayed.tau) / robot.effort_limits),
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
        worst: _Worst,
    ) -> None:
        """Differences: momentum against wrenches, q against v, v against vdot."""
        robot, t = self._robot, motion.t[samples]
        dt, middle = np.diff(t)[:, None], 0.5 * (t[1:] + t[:-1])
        standing = motion.standing[samples]
        switches = (standing[1:] != standing[:-1]).any(1)
        v, vdot = motion.v[samples], motion.vdot[samples]
        # The two sides of an impact have no difference that means anything.
        apart = dt[:, 0] > SAME_TIME
        error = replayed.mean_v - 0.5 * (v[1:] + v[:-1])
        # Euler and Maclaurin's term: half a percent of a fast stroke's speed.
        error += np.where(switches[:, None], 0.0, dt / 12 * (vdot[1:] - vdot[:-1]))
        names = [*["base"] * robot.base_velocities, *robot.joint_names]
        error = np.abs(error[apart])
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
    total[:, :3] += np.cross(replayed.p_WC, F[:, :, 3:]).sum(1)
    gravity = np.array([0.0, 0.0, -weight])
    total[:, :3] += np.cross(replayed.com, gravity)
    total[:, 3:] += gravity
    return np.asarray(total)


def _check_finite(motion: DenseTrajectory, worst: _Worst) -> bool:
    """Whether no number is missing; else nothing more can be said about a motion."""
    complete = True
    for name in ("t", "q", "v", "vdot", "wrench", "tau"):
        values = np.asarray(getattr(motion, name))
        bad = ~np.isfinite(values).reshape(len(values), -1).all(axis=1)
        if bad.any():
            worst.see("not_finite", bad.sum(), motion.t[np.argmax(bad)], name)
            complete = False
    return complete
