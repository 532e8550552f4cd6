"""Whether the servos of a run hold: gains, felt inertia, step, delay and lag."""

import numpy as np

from models.errors import BackbeatError
from models.servo_margin import SampledServo, rounded_down
from mpc.reference import Reference
from mpc.servo_gains import HOLD_SPACING, felt_inertia, servo_gains
from mpc.simulation.scenario import Scenario


def check_servos(reference: Reference, scenario: Scenario) -> None:
    """Refuses a run whose servos would shake by themselves.

    Args:
        reference: the behavior, along which joints feel different inertias.
        scenario: step, delay of the sensors and lag of the motors.

    Raises:
        BackbeatError: a servo is not stable; see `models.servo_margin`.
    """
    robot, step, lag = reference.robot, scenario.time_step, scenario.actuator_lag
    delay = scenario.sensing_delay if scenario.state == "estimated" else 0.0
    late = round(delay / step)
    phases = np.arange(0.0, reference.duration + HOLD_SPACING, HOLD_SPACING)
    felt = np.array([felt_inertia(robot, reference, s) for s in phases.tolist()])
    least = felt.argmin(axis=0)
    for k in sorted(set(least.tolist())):
        gains = servo_gains(robot, reference, scenario.latency, float(phases[k]))
        for j in np.flatnonzero((least == k) & (gains[1] > 0)):
            told = float(gains[0][j]), float(gains[1][j])
            own = float(robot.damping[j])
            servo = SampledServo(float(felt[k, j]), *told, own, step, late, lag)
            if not servo.holds():
                share = servo.largest_share()
                raise BackbeatError(
                    f"the servo of {robot.joint_names[j]} has a stiffness of "
                    f"{told[0]:.3g} and a damping of {told[1]:.3g} at {phases[k]:g} s "
                    f"of {reference.behavior.name}, where the joint feels an inertia "
                    f"of {servo.inertia:.2g} kg m^2: it shakes by itself at a step of "
                    f"{1e3 * step:g} ms with sensors {1e3 * delay:g} ms late and "
                    f"motors that lag by {1e3 * lag:g} ms. Less than "
                    f"{rounded_down(share * told[0])} and "
                    f"{rounded_down(share * told[1])} hold: lower `least_inertia` or "
                    "`frequency` in `servo` of the robot YAML, or time_step, "
                    "sensing_delay or actuator_lag"
                )
