"""SensorFault: a sensor whose values are wrong for a while."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key
from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import SensorReading
from backbeat.mpc.disturbances.disturbance import Disturbance

# What there is of a reading, by the keys of `noise`; those of joints first.
SENSORS = ("position", "velocity", "gyro", "accelerometer", "force")
OF_JOINTS = SENSORS[:2]
# A fault beyond is no number that a sensor has: in units of the sensor.
MOST_OFFSET = 1e4


@dataclass
class SensorFault(Disturbance):
    """A sensor whose values are scaled and shifted for a while."""

    name: ClassVar[str] = "sensor fault"
    list_key: ClassVar[str] = "sensor_faults"
    text: ClassVar[str] = "Sensors with wrong values for a limited time, see below."

    time: float = key(0.0, "s")
    """When it begins, in time of the behavior."""
    duration: float = key(0.1, "s", gt=0)
    """How long it lasts."""
    sensor: str = key("gyro", choices=SENSORS)
    """The sensor: `position` or `velocity` of joints, `gyro`, `accelerometer`, or
    normal `force` on the feet."""
    joints: list[str] = key(list)
    """Joints, or groups of them, whose encoders are meant; all if left out."""
    factor: float = key(1.0, ge=-10, le=10)
    """Factor on what is measured; 0 for a sensor that gives nothing."""
    offset: float = key(0.0, ge=-MOST_OFFSET, le=MOST_OFFSET)
    """Added to it, in the sensor's unit: rad, rad/s, m/s² or N."""

    def check(self) -> None:
        """Refuses joints of a sensor that has none.

        Raises:
            BackbeatError: there are some.
        """
        if self.joints and self.sensor not in OF_JOINTS:
            raise BackbeatError(
                f"scenario: a fault of {self.sensor} has joints; they belong to "
                f"{' and '.join(OF_JOINTS)}"
            )

    def placed(self, robot: RobotModel) -> Self:
        """The same.

        Raises:
            BackbeatError: the robot has no such joint.
        """
        robot.joint_indices(self.joints)
        return self

    def span(self) -> tuple[float, float]:
        """When it begins and ends, in time of the behavior [s]."""
        return self.time, self.time + self.duration

    def told(self) -> dict[str, Any]:
        """What metrics say of it."""
        what = ", ".join([self.sensor, *self.joints])
        return {"kind": self.name, "body": what, "impulse_Ns": None}

    def sensed(
        self, time: float, reading: SensorReading, robot: RobotModel
    ) -> SensorReading:
        """The reading with the values of the fault."""
        first, last = self.span()
        if not first <= time < last:
            return reading
        values: np.ndarray = getattr(reading, self.sensor).copy()
        which = robot.joint_indices(self.joints) if self.joints else slice(None)
        values[which] = self.factor * values[which] + self.offset
        wrenches = reading.wrenches
        if self.sensor == "force" and len(wrenches):
            # Both outputs of a foot are of one sensor, with one normal force.
            wrenches = wrenches.copy()
            wrenches[:, 5] = values
        changed: dict[str, Any] = {self.sensor: values, "wrenches": wrenches}
        return replace(reading, **changed)
