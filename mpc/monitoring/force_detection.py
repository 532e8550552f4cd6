"""ForceDetection: warns of external forces that are not in the model.

Residual torques (`backbeat.mpc.monitoring.momentum_observer`) are compared with
thresholds for noise, friction and model errors. With sensors at the feet, those of the
base are the whole force and moment that are not in the model: no friction is in them,
only the noise of the momentum of the whole robot. Around a planned hit of a stick, and
while one rests on a drum, the observer is switched off: the force of the drum is
planned. A joint that is faster than its motor can be was struck: what happens within a
sample then is in none, and no warning begins until what that has left over has faded.
No diagram, context or simulator is needed; `backbeat.mpc.monitoring.force_detector` is
the same as a Drake system.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from backbeat.behaviors.library.behavior import Event
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.dynamics.finite import all_finite
from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import SensorNoise
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.monitoring.momentum_observer import (
    RATE,
    MomentumObserver,
    ObserverMemory,
)
from backbeat.mpc.monitoring.push_location import PushLocation, straight

# A residual is unexplained from here on [N m], and in shares of the joint's effort
# limit, where friction and the model's errors are of that size.
LEAST, SHARE = 3.0, 0.06
# Force on a base is too much from so many standard deviations of what the noise of gyro
# and encoders makes of it, and from this share of the weight, which a model may miss.
DEVIATIONS, MISSED = 5.0, 0.02
# A warning begins when that has lasted so long [s], and ends below this share of it.
LASTING, OFF = 0.02, 0.5
# Known contacts are not observed from so long before to so long after them [s].
BEFORE, AFTER = 0.03, 0.05
# So long after a joint was struck does no warning begin [s].
FADED = 1.0 / RATE
# Warnings that are remembered, the latest.
REMEMBERED = 64
# A link is looked for again when the torques have grown so many times.
GROWN = 1.25


def known_contacts(events: Iterable[Event]) -> list[tuple[float, float]]:
    """When sticks touch by plan: from and to [s], in time of the behavior.

    A stick that rests at the beginning has rested before.

    Args:
        events: of a behavior.
    """
    found = []
    for event in events:
        if event.kind in ("strike", "rest"):
            since = event.time - BEFORE if event.time > 0 else -np.inf
            found.append((since, event.time + event.duration + AFTER))
    return found


@dataclass(frozen=True)
class ForceWarning:
    """Something pushed.

    Attributes:
        time: when that was noticed [s].
        link: on which it acts, as far as it can be determined.
        joint: of all joints, the one that felt it most against what is usual.
        torque: the greatest unexplained torque of that joint so far [N m].
        force: the greatest unexplained force on the robot so far [N]; None where
            nothing feels the forces on its feet.
        excess: how many times what is usual it was, when its link was looked for last.
        until: when it was over [s]; None while it lasts.
    """

    time: float
    link: str
    joint: str
    torque: float
    force: float | None
    excess: float
    until: float | None = None


@dataclass(frozen=True)
class DetectorMemory:
    """All memory of the detector.

    Attributes:
        observer: that of the observer; None before the first sample.
        since: from when on there has been too much [s]; None when there is not.
        struck: when a joint was last faster than its motor can be [s].
        warnings: the latest, oldest first.
        count: of all warnings.
    """

    observer: ObserverMemory | None = None
    since: float | None = None
    struck: float = -np.inf
    warnings: tuple[ForceWarning, ...] = ()
    count: int = 0

    @property
    def is_warning(self) -> bool:
        """Whether something pushes now."""
        return bool(self.warnings) and self.warnings[-1].until is None

    def observed(self, observer: ObserverMemory) -> "DetectorMemory":
        """The same after the observer's next sample."""
        return DetectorMemory(
            observer, self.since, self.struck, self.warnings, self.count
        )

    def __deepcopy__(self, memo: object) -> "DetectorMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


@compiled
def _greatest_share(residual: Vector, limits: Vector) -> float:
    """The greatest of torques (n,) as shares of their limits (n,)."""
    most = 0.0
    for i in range(residual.shape[0]):
        most = max(most, np.abs(residual[i]) / limits[i])
    return most


@compiled
def _share_of_speed(
    q: Vector, v: Vector, effort: Vector, wrenches: Matrix, force: Vector, most: Vector
) -> float:
    """The fastest joint's share of its limit; no number where a sample is none."""
    if not (all_finite(q) and all_finite(v) and all_finite(effort)):
        return np.nan
    if not (all_finite(wrenches.ravel()) and all_finite(force)):
        return np.nan
    return _greatest_share(v[v.shape[0] - most.shape[0] :], most)


class ForceDetection:
    """The detector as a pure function of samples and memory.

    Attributes:
        observer: finds unexplained torques.
        limits: (n,) from where on they are too much [N m, N].
    """

    def __init__(
        self,
        robot: RobotModel,
        known: Sequence[tuple[float, float]] = (),
        soles: Sequence[str] = (),
        noise: SensorNoise | None = None,
        has_accelerometer: bool = False,
    ) -> None:
        """Makes the function.

        Args:
            robot: the robot.
            known: when contacts are known to be, from and to, as phases [s].
            soles: its soles, if sensors feel the wrenches on them; they have to be all
                that carries it. () for none.
            noise: of the sensors; None for what is usual.
            has_accelerometer: as of `MomentumObserver`.
        """
        self.observer = MomentumObserver(
            robot, soles, has_accelerometer=has_accelerometer
        )
        rows, base = self.observer.rows, robot.base_velocities
        every = np.maximum(LEAST, SHARE * robot.effort_limits)
        if base:
            every = np.concatenate([base_limits(robot, noise or SensorNoise()), every])
        self.limits = every[rows]
        # Base velocities are [angular, linear].
        self._linear = np.flatnonzero((rows >= 3) & (rows < base))
        self._joints = np.flatnonzero(rows >= base)
        self._fastest = robot.velocity_limits
        self._silent, self._still = np.zeros((0, 6)), np.zeros(0)
        self._names = [robot.joint_names[i - base] for i in rows[rows >= base]]
        self._locate = PushLocation(robot, rows, self.limits / DEVIATIONS)
        ordered = np.array(sorted(known), float).reshape(-1, 2)
        self._starts = ordered[:, 0].tolist()
        self._ends = np.maximum.accumulate(ordered[:, 1]).tolist()

    def is_known(self, phase: float) -> bool:
        """Whether a contact at a phase [s] is no surprise."""
        i = bisect_right(self._starts, phase) - 1
        return i >= 0 and bool(phase <= self._ends[i])

    def __call__(
        self,
        memory: DetectorMemory,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        effort: np.ndarray,
        wrenches: np.ndarray | None = None,
        phase: float | None = None,
        specific_force: np.ndarray | None = None,
    ) -> DetectorMemory:
        """The memory after a sample.

        Args:
            memory: what the last one left.
            t: time [s].
            q, v: (nq,), (nv,) the state as sensed.
            effort: (nj,) torques of the motors from now on [N m].
            wrenches: (C, 6) on the soles, see `MomentumObserver`.
            phase: of the behavior that is requested [s]; None for the time.
            specific_force: (3,) at the base, see `MomentumObserver`.
        """
        felt = self._silent if wrenches is None else wrenches
        force = self._still if specific_force is None else specific_force
        share = _share_of_speed(q, v, effort, felt, force, self._fastest)
        if np.isnan(share):
            return replace(memory, observer=None, since=None)
        before = memory.observer
        if before is None:
            return replace(memory, observer=self.observer.start(t, q, v, effort))
        if self.is_known(t if phase is None else phase):
            # What a drum does is not observed; what was known before stays known.
            kept = self.observer.start(t, q, v, effort, before.residual)
            return memory.observed(kept)
        now = self.observer(before, t, q, v, effort, wrenches, specific_force)
        if share > 1.0:
            memory = replace(memory, struck=t)
        return self._judge(memory.observed(now), now.residual, t, q)

    def _judge(
        self, memory: DetectorMemory, residual: np.ndarray, t: float, q: np.ndarray
    ) -> DetectorMemory:
        """Begins, goes on with or ends a warning."""
        excess = _greatest_share(residual, self.limits)
        if memory.is_warning:
            last = self._go_on(memory.warnings[-1], residual, excess, t, q)
            if last is memory.warnings[-1] and memory.since is None:
                return memory
            return replace(memory, warnings=(*memory.warnings[:-1], last), since=None)
        if excess <= 1.0 or t - memory.struck < FADED:
            return memory if memory.since is None else replace(memory, since=None)
        since = t if memory.since is None else memory.since
        if t - since < LASTING - 1e-9:
            return replace(memory, since=since)
        shares = np.abs(residual[self._joints]) / self.limits[self._joints]
        joint = self._names[int(shares.argmax())]
        force = None if len(self._linear) == 0 else 0.0
        new = ForceWarning(t, "", joint, 0.0, force, 0.0)
        new = self._go_on(new, residual, excess, t, q)
        kept = (*memory.warnings, new)[-REMEMBERED:]
        return replace(memory, since=since, warnings=kept, count=memory.count + 1)

    def _go_on(
        self,
        last: ForceWarning,
        residual: np.ndarray,
        excess: float,
        t: float,
        q: np.ndarray,
    ) -> ForceWarning:
        """A warning that lasts or ends, with the greatest that it came to.

        Most samples change nothing, and it stays the same one.
        """
        at = self._joints[self._names.index(last.joint)]
        torque, force = max(last.torque, abs(float(residual[at]))), last.force
        if force is not None:
            linear = residual[self._linear]
            force = max(force, math.sqrt(linear.dot(linear)))
        link = last.link
        if excess > GROWN * last.excess:
            link, last = self._locate(q, residual), replace(last, excess=excess)
        until = t if excess < OFF else None
        same = (link, torque, force) == (last.link, last.torque, last.force)
        if same and until is None:
            return last
        return replace(last, link=link, torque=torque, force=force, until=until)


def base_limits(robot: RobotModel, noise: SensorNoise) -> np.ndarray:
    """(6,) from where on unexplained moment and force on a free base are too much.

    Noise of velocities comes to RATE times as much momentum, and a model that misses
    some mass to its weight, at a lever of the robot's own size.
    """
    M = Configuration(robot, straight(robot)).mass_matrix[:6]
    # How fast the base moves is known far better than how fast all turns about it.
    kinds = [noise.gyro, 0.0, noise.velocity]
    rates = np.repeat(kinds, [3, 3, robot.num_joints])
    random = DEVIATIONS * RATE * np.linalg.norm(M * rates, axis=1)
    size = np.sqrt(np.diag(M)[:3].max() / robot.total_mass)
    missed = MISSED * robot.weight * np.repeat([size, 1.0], 3)
    return np.asarray(np.maximum(random, missed))
