"""BaseMotion: what a base does that sways, as a value and as a Drake system."""

from dataclasses import dataclass

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.common.value import AbstractValue
from pydrake.math import RollPitchYaw, RotationMatrix
from pydrake.systems.framework import BasicVector, Context, DiscreteValues

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import key
from backbeat.mpc.scenario.glide import sway, sway_step
from backbeat.mpc.task_space.settings import TaskSettings
from backbeat.optimization.problem.tasks import AXES

# Time in which the sway comes to its size [s].
START = 1.0
FEET = ("held", "welded")


@dataclass
class BaseMotion:
    """Sinusoidal sway of a base along and about axes of the world.

    Turns are roll, pitch and yaw about fixed axes x, y and z, in this order. Of several
    axes the first sways at the rate, each other one more slowly by a share, so that the
    base does not go to and fro on one line but everywhere.
    """

    axis: str = key("z")
    """Axes along which, or about which, it sways: `x y z rx ry rz` or some of them."""
    amplitude: float = key(0.0, "m, rad")
    """Amplitude along and about each."""
    rate: float = key(0.5, "rad/s")
    """Angular rate of the first axis; each other one is slower."""
    feedforward: bool = key(True)
    """Whether the controller gets the acceleration of the base."""
    feet: str = key("held", choices=FEET)
    """Legs: `held`, or with feet `welded` to the ground and motors that move the
    pelvis."""

    def check(self) -> None:
        """Checks the numbers.

        Raises:
            BackbeatError: an unknown axis, no axis, or one twice.
        """
        names = self.axis.split()
        for name in names:
            if name not in AXES:
                raise unknown_name("axis", name, AXES)
        if not names or len(set(names)) < len(names):
            raise BackbeatError(
                f"a base sways along axes such as {' '.join(AXES)}, each named once, "
                f"not {self.axis!r}"
            )

    @property
    def directions(self) -> np.ndarray:
        """(6,) 1 for each of AXES that sways."""
        return np.isin(AXES, self.axis.split()).astype(float)

    def rates(self) -> np.ndarray:
        """(6,) angular rate of each of AXES [rad/s]; 0 where nothing sways."""
        names, out = self.axis.split(), np.zeros(6)
        for i, name in enumerate(names):
            out[AXES.index(name)] = self.rate * (1.0 - 0.5 * i / len(names))
        return out

    def at(self, t: float) -> np.ndarray:
        """(3, 6) deviations along AXES, their rates and accelerations at time t [s]."""
        a, w, s = self.amplitude, self.rates(), float(np.clip(t / START, 0.0, 1.0))
        # It grows by a step that is smooth up to the acceleration.
        g = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        dg = 30.0 * s * s * (1.0 - s) ** 2 / START
        ddg = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / START**2
        sn, c = a * np.sin(w * t), a * w * np.cos(w * t)
        change = ddg * sn + 2.0 * dg * c - g * w * w * sn
        return np.array([g * sn, dg * sn + g * c, change])

    def base(self, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(7,) pose, and (2, 6) velocity and acceleration, of a base that began at q.

        Args:
            t: time [s].
            q: (7,) pose at the start.
        """
        return moved(self.at(t), q)


def moved(sway: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A base that sways.

    Args:
        sway: (3, 6) deviations along AXES, their rates and accelerations.
        q: (7,) pose without them.

    Returns:
        (7,) pose, and (2, 6) velocity and acceleration, [angular, linear].
    """
    (roll, pitch, yaw), rate, change = sway[0, :3], sway[1, :3], sway[2, :3]
    turn = RollPitchYaw(roll, pitch, yaw).ToRotationMatrix()
    Rz, z = RotationMatrix.MakeZRotation(yaw), np.array([0.0, 0.0, 1.0])
    # What roll and pitch turn about by now; yaw turns about z.
    x, y = turn.matrix()[:, 0], Rz.matrix()[:, 1]
    motion, pose = sway[1:].copy(), np.array(q[:7])
    motion[0, :3] = rate[0] * x + rate[1] * y + rate[2] * z
    # These axes turn too: y with the yaw, x with yaw and pitch.
    dy = np.cross(rate[2] * z, y)
    dx = np.cross(rate[2] * z + rate[1] * y, x)
    motion[1, :3] = change[0] * x + change[1] * y + change[2] * z
    motion[1, :3] += rate[0] * dx + rate[1] * dy
    pose[:4] = turn.ToQuaternion().multiply(Quaternion(pose[:4])).wxyz()
    pose[4:] += sway[0, 3:]
    return pose, motion


class BaseSource(CollectableSystem):
    """Outputs what a base does, and sways it besides as settings say.

    .. pydrake_system::

        name: BaseSource
        input_ports:
        - task
        output_ports:
        - motion
        - acceleration

    `task` is a TaskSettings; unconnected, the base does nothing besides its motion.
    `motion` (19) is pose, velocity and acceleration, `acceleration` (6) the last of
    these alone, [angular, linear].
    """

    def __init__(
        self, motion: BaseMotion, q: np.ndarray, step: float, start_time: float
    ) -> None:
        """Makes the source.

        Args:
            motion: what the base does.
            q: (7,) pose where it begins.
            step: in which a sway changes [s].
            start_time: time at which the motion's time is zero [s].
        """
        super().__init__()
        self._motion, self._q, self._step = motion, q[:7].copy(), step
        self._start = start_time
        self._task = self.DeclareAbstractInputPort(
            "task", AbstractValue.Make(TaskSettings())
        )
        self.DeclareDiscreteState(5)
        self.DeclarePeriodicDiscreteUpdateEvent(step, 0.0, weak(self._update))
        self.DeclareVectorOutputPort("motion", 19, weak(self._calc))
        self.DeclareVectorOutputPort("acceleration", 6, weak(self._calc_acceleration))

    def _goal(self, context: Context) -> np.ndarray:
        if not self._task.HasValue(context):
            return np.zeros(2)
        task: TaskSettings = self._task.Eval(context)
        return np.array([task.pelvis_amplitude, task.pelvis_rate])

    def _update(self, context: Context, state: DiscreteValues) -> None:
        z = context.get_discrete_state_vector().value()
        state.set_value(sway_step(z, self._goal(context), self._step))

    def _base(self, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """Pose (7,), and velocity and acceleration (2, 6), by now."""
        z = context.get_discrete_state_vector().value()
        found = self._motion.at(context.get_time() - self._start)
        if z.any():
            found += np.outer(sway(z, self._goal(context)), self._motion.directions)
        return moved(found, self._q)

    def _calc(self, context: Context, output: BasicVector) -> None:
        pose, motion = self._base(context)
        output.SetFromVector(np.r_[pose, motion.ravel()])

    def _calc_acceleration(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._base(context)[1][1])
