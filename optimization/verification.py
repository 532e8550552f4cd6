"""Verification: a reconstructed motion against a fresh Drake plant.

Nothing of the transcription or of the compiled recursion is used here. Every
sample of the dense motion goes through Drake's plant of the unfused robot;
velocities and momentum rates are finite differences of what Drake says. The
result is a certificate: the worst value of each check, where and when.
"""

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces

from models.collision import CollisionModel
from models.contact import wrench_cone
from models.fusing import set_joints
from models.robot import ContactFrame, RobotModel, find_frame
from optimization.clearance import Clearance
from optimization.ground import Ground
from optimization.reconstruction import DenseTrajectory
from optimization.trajectory_solution import TrajectorySolution

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

    def to_dict(self) -> dict[str, dict[str, float | str]]:
        """Plain data for a file."""
        return {c.name: {k: v for k, v in asdict(c).items()} for c in self.checks}

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


class _Worst:
    """Keeps the worst value of each check, and every place beyond its bound."""

    def __init__(self) -> None:
        self._worst = {n: (0.0, 0.0, "") for n in BOUNDS}
        self._places: list[Check] = []

    def see(self, name: str, value: float, time: float, where: str) -> None:
        if not value <= BOUNDS[name]:
            place = Check(name, float(value), BOUNDS[name], float(time), where)
            self._places.append(place)
        if not value <= self._worst[name][0]:  # also true for NaN
            self._worst[name] = (float(value), float(time), where)

    def see_all(
        self, name: str, values: np.ndarray, time: float, where: Sequence[str]
    ) -> None:
        i = int(np.argmax(values))
        self.see(name, values[i], time, where[i])

    def certificate(self) -> Certificate:
        return Certificate(
            tuple(
                Check(n, value, BOUNDS[n], time, where)
                for n, (value, time, where) in self._worst.items()
            ),
            tuple(sorted(self._places, key=lambda place: place.time)),
        )


@dataclass(frozen=True)
class _Balance:
    """What the balance of momentum needs of every sample.

    Attributes:
        com: (M, 3) center of mass [m].
        momentum: (M, 6) momentum about the world origin.
        wrench: (M, 6) wrench of contacts and gravity about the world origin.
    """

    com: np.ndarray
    momentum: np.ndarray
    wrench: np.ndarray


class _Plant:
    """A fresh, unfused plant of a robot, welded and locked like the model."""

    def __init__(self, robot: RobotModel, friction: float) -> None:
        self.robot = robot
        self.cones = {
            n: wrench_cone(c.half_length, c.half_width, friction)
            for n, c in robot.contacts.items()
        }
        self.plant = MultibodyPlant(time_step=0.0)
        robot.add_to(self.plant)
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        set_joints(self.plant, self.context, robot.locked)
        joints = [self.plant.GetJointByName(n) for n in robot.joint_names]
        nf, nq = robot.base_velocities, robot.base_positions
        self.v_index = np.r_[np.arange(nf), [j.velocity_start() for j in joints]]
        self.q_index = np.r_[np.arange(nq), [j.position_start() for j in joints]]
        self.v_index, self.q_index = self.v_index.astype(int), self.q_index.astype(int)
        self.world = self.plant.world_frame()
        self._frames = {
            n: (find_frame(self.plant, robot.contact_link(n)), robot.contact_in_link(n))
            for n in robot.contacts
        }
        self.forces = MultibodyForces(self.plant)

    def set(self, q: np.ndarray, v: np.ndarray) -> None:
        full_q = self.plant.GetPositions(self.context)
        full_v = np.zeros(self.plant.num_velocities())
        full_q[self.q_index], full_v[self.v_index] = q, v
        self.plant.SetPositionsAndVelocities(self.context, np.r_[full_q, full_v])

    def contact(self, contact: ContactFrame) -> tuple[RigidTransform, np.ndarray]:
        """Pose of a contact and its Jacobian in world axes."""
        frame, X_LC = self._frames[contact.frame.name]
        X_WC = frame.CalcPoseInWorld(self.context) @ X_LC
        J = self.plant.CalcJacobianSpatialVelocity(
            self.context,
            JacobianWrtVariable.kV,
            frame,
            X_LC.translation(),
            self.world,
            self.world,
        )
        return X_WC, J

    def momentum(self) -> np.ndarray:
        """(6,) momentum about the world origin [angular, linear]."""
        return np.array(
            self.plant.CalcSpatialMomentumInWorldAboutPoint(
                self.context, np.zeros(3)
            ).get_coeffs()
        )

    def inverse_dynamics(self, vdot: np.ndarray) -> np.ndarray:
        full = np.zeros(self.plant.num_velocities())
        full[self.v_index] = vdot
        self.forces.SetZero()
        self.plant.CalcForceElementsContribution(self.context, self.forces)
        return np.array(self.plant.CalcInverseDynamics(self.context, full, self.forces))

    def finite_velocity(self, q0: np.ndarray, q1: np.ndarray, dt: float) -> np.ndarray:
        """Mean velocity from q0 to q1 by Drake's own map at the middle."""
        a = self.plant.GetPositions(self.context)
        b = a.copy()
        a[self.q_index], b[self.q_index] = q0, q1
        if self.robot.floating and a[:4] @ b[:4] < 0:
            b[:4] *= -1
        middle = 0.5 * (a + b)
        if self.robot.floating:
            middle[:4] /= np.linalg.norm(middle[:4])
        self.plant.SetPositions(self.context, middle)
        v = self.plant.MapQDotToVelocity(self.context, (b - a) / dt)
        return np.array(v[self.v_index])


def _skew(a: np.ndarray) -> np.ndarray:
    """(3, 3) matrix of the cross product with a from the left."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b of two vectors; `np.cross` takes ten times as long for one pair."""
    return np.array(
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
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
    time, name, amount = (solution.violations() or [(0.0, "", 0.0)])[0][:3]
    knots = Check(
        "knot_violation", max(amount, 0.0), BOUNDS["knot_violation"], time, name
    )
    return verify_motion(
        problem.robot,
        motion,
        problem.collisions,
        problem.limits.friction,
        knots,
        stride,
    )


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
    worst = _Worst()
    if knots is not None:
        worst.see(knots.name, knots.value, knots.time, knots.where)
    if not _check_finite(motion, worst):
        return worst.certificate()
    plant, clearance = _Plant(robot, friction), Clearance(robot, collisions)
    ground = Ground(motion)
    samples = np.arange(0, len(motion.t), stride)
    M = len(motion.t)
    balance = _Balance(np.zeros((M, 3)), np.zeros((M, 6)), np.zeros((M, 6)))
    for i in samples:
        _check_sample(plant, motion, ground, int(i), worst, balance)
        depth, pair = clearance.deepest(motion.q[i])
        worst.see("collision", depth, motion.t[i], pair)
    _check_balance(plant, motion, samples, balance, worst)
    return worst.certificate()


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


def _check_sample(
    plant: _Plant,
    motion: DenseTrajectory,
    ground: Ground,
    i: int,
    worst: _Worst,
    balance: "_Balance",
) -> None:
    """Checks of one sample; notes what its balance needs."""
    robot, t = plant.robot, motion.t[i]
    q, v = motion.q[i], motion.v[i]
    nf, nq = robot.base_velocities, robot.base_positions
    plant.set(q, v)
    tau = plant.inverse_dynamics(motion.vdot[i])
    weight = robot.weight
    gravity = np.array([0.0, 0.0, -weight])
    com = plant.plant.CalcCenterOfMassPositionInWorld(plant.context)
    balance.com[i], balance.momentum[i] = com, plant.momentum()
    balance.wrench[i] = np.r_[_cross(com, gravity), gravity]
    for c, name in enumerate(motion.contacts):
        contact = robot.contacts[name]
        X_WC, J = plant.contact(contact)
        corners = X_WC.multiply(contact.corners().T).T
        if not motion.standing[i, c]:
            if not contact.is_point:
                depth = ground.depth(i, c, contact, corners)
                worst.see("penetration", depth, t, name)
            continue
        support = RigidTransform(RotationMatrix(motion.R_WC[i, c]), motion.p_WC[i, c])
        places = support.multiply(contact.corners().T).T
        apart = np.linalg.norm(corners - places, axis=1).max()
        worst.see("contact_position", apart, t, name)
        V = J[:, plant.v_index] @ v
        arms = corners - X_WC.translation()
        slip = np.linalg.norm(V[3:] + arms @ _skew(V[:3]).T, axis=1).max()
        worst.see("contact_slip", slip, t, name)
        w = motion.wrench[i, c]
        R = motion.R_WC[i, c]
        F = np.r_[R @ w[:3], R @ w[3:]]
        tau -= J.T @ F
        p = X_WC.translation()
        balance.wrench[i] += np.r_[F[:3] + _cross(p, F[3:]), F[3:]]
        excess = max((plant.cones[name] @ w).max(), -w[5]) / weight
        worst.see("friction", excess, t, name)
    tau = tau[plant.v_index][nf:]
    torque = np.abs(tau) / robot.effort_limits
    off = np.abs(tau - motion.tau[i]) / robot.effort_limits
    speed = np.abs(v[nf:]) / robot.velocity_limits
    beyond = np.maximum(robot.position_lower - q[nq:], q[nq:] - robot.position_upper)
    worst.see_all("joint_torque", torque, t, robot.joint_names)
    worst.see_all("torque_consistency", off, t, robot.joint_names)
    worst.see_all("joint_velocity", speed, t, robot.joint_names)
    worst.see_all("joint_position", beyond, t, robot.joint_names)


def _check_balance(
    plant: _Plant,
    motion: DenseTrajectory,
    samples: np.ndarray,
    balance: "_Balance",
    worst: _Worst,
) -> None:
    """Finite differences: momentum against wrenches, q against v, v against vdot."""
    robot = plant.robot
    for a, b in itertools.pairwise(samples):
        dt = motion.t[b] - motion.t[a]
        if dt <= 1e-9:
            continue  # the two sides of an impact
        t = 0.5 * (motion.t[a] + motion.t[b])
        switches = (motion.standing[a] != motion.standing[b]).any()
        mean = plant.finite_velocity(motion.q[a], motion.q[b], dt)
        error = mean - 0.5 * (motion.v[a] + motion.v[b])
        if not switches:
            # Euler and Maclaurin's term: half a percent of a fast stroke's speed.
            error += dt / 12 * (motion.vdot[b] - motion.vdot[a])
        names = [*["base"] * robot.base_velocities, *robot.joint_names]
        worst.see_all("velocity_consistency", np.abs(error), t, names)
        if switches:
            continue  # forces jump when a contact is made or broken
        mean = (motion.v[b] - motion.v[a]) / dt
        error = np.abs(mean - 0.5 * (motion.vdot[a] + motion.vdot[b]))
        worst.see_all("acceleration_consistency", error, t, names)
        if not robot.floating:
            continue
        rate = (balance.momentum[b] - balance.momentum[a]) / dt
        residual = rate - 0.5 * (balance.wrench[a] + balance.wrench[b])
        residual[:3] -= _cross(balance.com[a], residual[3:])
        weight = robot.weight
        worst.see(
            "force_balance", float(np.linalg.norm(residual[3:])) / weight, t, "base"
        )
        worst.see(
            "moment_balance", float(np.linalg.norm(residual[:3])) / weight, t, "base"
        )
