"""Whether a take is feasible as it is: which limits it exceeds, by how much, and where.

Nothing is repaired. Feet, joints, balance and torques are measured on the samples of
the take; velocities and accelerations are those of polynomials through neighbors
(Savitzky and Golay, "Smoothing and Differentiation of Data by Simplified Least Squares
Procedures", 1964), of as many as its noise needs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.library.runs import runs
from backbeat.behaviors.motion.concatenation import make_continuous
from backbeat.behaviors.recording.contact_forces import needed_forces
from backbeat.behaviors.recording.foot_contacts import LEG, FootContacts, find_contacts
from backbeat.behaviors.recording.planted_feet import ROLLING
from backbeat.behaviors.recording.soles import (
    Soles,
    find_soles,
    leg_height,
    noise,
    slopes,
)
from backbeat.behaviors.recording.take_file import configurations
from backbeat.behaviors.takes.take import Take
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.transcription.constraints import in_each_other
from backbeat.optimization.verification.certificate import BOUNDS, Certificate, Worst
from backbeat.optimization.verification.clearance import Clearance

# What a feasible take has at most. Balance is what the ground cannot give: weights, and
# weights times meters, of accelerations that are differences of samples.
LIMITS = {
    "foot_slide": 3e-3,  # m
    "penetration": 1e-3,  # m, below the floor at height zero
    "floating": 3e-3,  # m, above it, of a foot that stands
    "collision": BOUNDS["collision"],
    "joint_position": BOUNDS["joint_position"],
    "joint_velocity": BOUNDS["joint_velocity"],
    "joint_torque": BOUNDS["joint_torque"],
    "force_balance": 0.05,
    "moment_balance": 0.03,
}
# Samples a second that are looked at, at most.
MOST_RATE = 100.0
# A corner may push where it is so low and slow, of a robot with legs of length `LEG`.
LOW, SLOW = 0.012, 0.3
# How high the lowest corner is of a foot that stands, above the ground, with such legs.
FIRM = 0.004
# Accelerations that noise may make, of the base [m/s^2] and of angles [rad/s^2]; the
# longest that is averaged for that [s], and the fewest samples.
SHAKE, SHAKE_TURN, LONGEST, FEWEST = 0.3, 3.0, 0.21, 5
# How uneven the times of samples may be, as a share.
EVEN = 0.02


@dataclass(frozen=True)
class TakeReport:
    """What a take exceeds.

    Attributes:
        checks: the worst of each check, and every place beyond its limit.
        shares: share of time beyond the limit, by check.
        off_balance: share of time at which the ground cannot give what it needs.
        duration: of the take [s].
        stands: share of time at which some foot does.
    """

    checks: Certificate
    shares: Mapping[str, float]
    off_balance: float
    duration: float
    stands: float

    @property
    def feasible(self) -> bool:
        """Whether it can be done as it is."""
        return self.checks.passed


def examine(take: Take, robot: RobotModel, where: str) -> TakeReport:
    """Measures a take against what its robot can do.

    Args:
        take: the take, with its base.
        robot: whose motion it is.
        where: names the take in errors.

    Raises:
        BackbeatError: the take has no base, or the robot no two soles.
    """
    if take.base is None:
        raise BackbeatError(
            f"{where}: it has no floating base, so that feet and balance cannot be "
            "judged; `backbeat import` finds the base by the feet"
        )
    t, q = _even(take, configurations(take, robot))
    dt = float(t[1] - t[0])
    soles = find_soles(robot, dt, q)
    leg = leg_height(robot, soles, q[:, 6])
    found = find_contacts(soles, leg, robot.gravity, dt)
    smooth, v, vdot = _derivatives(robot, q, dt)
    touching = _touching(soles, found.ground, leg / LEG)
    forces = needed_forces(robot, smooth, v, vdot, touching)
    seen = _Seen(t)
    on = {f: _firm(soles, f, found, leg / LEG) for f in FEET}
    _see_feet(seen, soles, on, leg / LEG)
    _see_joints(seen, robot, q, v, forces.tau)
    # A polynomial through samples beside the ends says little there.
    inner = slice(2, -2)
    seen.all("force_balance", forces.missing_force[:, None], ["ground"], inner)
    seen.all("moment_balance", forces.missing_moment[:, None], ["ground"], inner)
    _see_collisions(seen, robot, q)
    off = seen.beyond["force_balance"] | seen.beyond["moment_balance"]
    return TakeReport(
        checks=seen.worst.certificate(),
        shares={n: float(flags.mean()) for n, flags in seen.beyond.items()},
        off_balance=float(off.mean()),
        duration=float(t[-1] - t[0]),
        stands=float((found.on["left"] | found.on["right"]).mean()),
    )


class _Seen:
    """Worst values, and when they were beyond their limits."""

    def __init__(self, t: np.ndarray) -> None:
        self.t, self.worst = t, Worst(LIMITS)
        self.beyond = {n: np.zeros(len(t), bool) for n in LIMITS}

    def all(
        self,
        name: str,
        values: np.ndarray,
        of: Sequence[str],
        rows: slice = slice(None),
    ) -> None:
        """Takes (n, m) values of m subjects."""
        self.worst.see_all(name, values[rows], self.t[rows], of)
        self.beyond[name][rows] |= (values[rows] > LIMITS[name]).any(axis=1)


def _even(take: Take, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times and configurations at an even rate; as they are, if they have one."""
    apart = np.diff(take.t)
    usual = float(np.median(apart))
    if np.abs(apart - usual).max() < EVEN * usual and usual >= 0.99 / MOST_RATE:
        return take.t, q
    rate = min(1 / usual, MOST_RATE)
    n = max(int((take.t[-1] - take.t[0]) * rate + 1e-6) + 1, FEWEST)
    t = take.t[0] + np.arange(n) / rate
    out = scipy.interpolate.CubicSpline(take.t, q)(np.minimum(t, take.t[-1]))
    out[:, :4] /= np.linalg.norm(out[:, :4], axis=1)[:, None]
    return t, out


def _derivatives(
    robot: RobotModel, q: np.ndarray, dt: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Smoothed configurations, velocities and accelerations."""
    q = q.copy()
    make_continuous(q, robot.num_joints)
    window = _window(q, dt)
    order = 4 if window == FEWEST else 3
    x, rate, curve = (
        scipy.signal.savgol_filter(q, window, order, deriv=k, delta=dt, axis=0)
        for k in range(3)
    )
    x[:, :4] /= np.linalg.norm(x[:, :4], axis=1)[:, None]
    v = np.hstack([_spin(rate[:, :4], x[:, :4]), rate[:, 4:]])
    vdot = np.hstack([_spin(curve[:, :4], x[:, :4]), curve[:, 4:]])
    return x, v, vdot


def _window(q: np.ndarray, dt: float) -> int:
    """Samples over which accelerations are taken, so that noise has little of them."""
    most = FEWEST
    for columns, shake in ((q[:, 4:7], SHAKE), (q[:, 7:], SHAKE_TURN)):
        shaken = max(noise(columns[:, [k]]) for k in range(columns.shape[1]))
        n = FEWEST
        # Deviation of the second derivative of a parabola through n samples.
        while (
            shaken / dt**2 * np.sqrt(720.0 / (n * (n**2 - 1) * (n**2 - 4))) > shake
            and (n + 2) * dt <= LONGEST
        ):
            n += 2
        most = max(most, n)
    return min(most, len(q) - 1 + len(q) % 2)


def _spin(rate: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(n, 3) in the world: twice the product of rates and conjugate quaternions."""
    a, b, c, d = rate.T
    w, x, y, z = q.T
    out = [b * w - a * x - c * z + d * y, c * w - a * y - d * x + b * z]
    out.append(d * w - a * z - b * y + c * x)
    return 2.0 * np.stack(out, axis=1)


def _touching(soles: Soles, ground: np.ndarray, scale: float) -> np.ndarray:
    """(n, 8) which corners are on the ground and still enough to push."""
    flags = []
    for foot in FEET:
        p = soles.corners[foot]
        low = p[:, :, 2] - ground[:, None] < LOW * scale
        speed = np.linalg.norm(slopes(p, soles.dt), axis=2)
        flags.append(low & (speed < SLOW * np.sqrt(scale)))
    return np.hstack(flags)


def _firm(soles: Soles, foot: str, found: FootContacts, scale: float) -> np.ndarray:
    """(n,) whether a foot stands, without what it takes to land and leave."""
    low, n = soles.lowest(foot), len(found.ground)
    high = _high(low, scale)
    flags = np.asarray(found.on[foot] & (low - found.ground < high))
    passing, out = round(ROLLING / soles.dt), np.zeros(n, bool)
    for a, b in runs(flags):
        first, last = a + passing * (a > 0), b - passing * (b < n)
        out[first : max(last, first)] = True
    return out


def _high(low: np.ndarray, scale: float) -> float:
    """How high a corner may be that is on the ground, by the heights of the lowest."""
    return FIRM * scale + 2 * noise(low[:, None])


def _see_feet(
    seen: _Seen, soles: Soles, on: Mapping[str, np.ndarray], scale: float
) -> None:
    """How far standing soles slide, and feet are below the floor or above it.

    Of soles that stand on heel or toe, the corners of that edge slide.
    """
    for foot in FEET:
        corners, name = soles.corners[foot], [f"{foot} foot"]
        slide, above = np.zeros(len(corners)), np.zeros(len(corners))
        low = soles.lowest(foot)
        down = corners[:, :, 2] - low[:, None] < _high(low, scale)
        for a, b in runs(on[foot]):
            away = corners[a:b] - np.median(corners[a:b], axis=0)
            slides = np.linalg.norm(away[:, :, :2], axis=2)
            slide[a:b] = np.where(down[a:b], slides, 0.0).max(axis=1)
            above[a:b] = max(float(np.median(low[a:b])), 0.0)
        below = np.maximum(-low, 0.0)
        seen.all("foot_slide", slide[:, None], name)
        seen.all("floating", above[:, None], name)
        seen.all("penetration", below[:, None], name)


def _see_joints(
    seen: _Seen, robot: RobotModel, q: np.ndarray, v: np.ndarray, tau: np.ndarray
) -> None:
    """Angles, speeds and torques of joints."""
    angles = q[:, robot.base_positions :]
    speeds = v[:, robot.base_velocities :]
    beyond = np.maximum(robot.position_lower - angles, angles - robot.position_upper)
    names, inner = robot.joint_names, slice(2, -2)
    seen.all("joint_position", beyond, names)
    seen.all("joint_velocity", np.abs(speeds) / robot.velocity_limits, names, inner)
    seen.all("joint_torque", robot.motors.shares(tau, speeds), names, inner)


def _see_collisions(seen: _Seen, robot: RobotModel, q: np.ndarray) -> None:
    """How deep the robot is in itself."""
    clearance = Clearance(robot, make_self_collision_model(robot))
    depths = np.zeros(len(q))
    for i in range(len(q)):
        depths[i], pair = clearance.deepest(q[i])
        seen.worst.see("collision", depths[i], seen.t[i], in_each_other(pair), pair)
    seen.beyond["collision"] |= depths > LIMITS["collision"]
