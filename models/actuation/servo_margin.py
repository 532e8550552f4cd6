"""What gains a sampled servo can have: discrete stability of one joint.

A joint of felt inertia I and own damping d gets the effort w_k = -kp q - kd v at
every step h, from a sample that is n steps old; the motor follows with the lag T. With
the effort's mean m_k over the step, and Drake's steps, which take damping implicitly
and positions with the new velocity,

    v_k+1 = (v_k + h m_k / I) / (1 + h d / I),    q_k+1 = q_k + h v_k+1
    u_k+1 = w_k + e^(-h/T) (u_k - w_k),    m_k = w_k + (u_k - w_k) (1 - e^(-h/T)) T / h

The servo holds where all eigenvalues of this step lie within the unit circle. Without
lag and delay the test of Jury (Astrom, Wittenmark, "Computer-Controlled Systems", 1997,
section 3.2) leaves one condition,

    kd + h kp / 2 < 2 I / h + d
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.common.errors import BackbeatError

# A servo's own step [s].
SERVO_STEP = 1e-3
# Share of the largest gains that is taken: at half of them a step takes a joint's speed
# away, and nothing rings.
SPARED = 0.5
# Halvings in a search for the largest gains, and shares beyond which none is searched.
_HALVINGS, _LEAST, _MOST = 40, 1e-9, 1e3


class Sampling(NamedTuple):
    """When samples of a servo are taken, and when they act.

    Attributes:
        step: time between samples [s].
        late: age of a sample when it acts [steps].
        lag: time constant of the motor [s].
    """

    step: float = SERVO_STEP
    late: int = 0
    lag: float = 0.0


class SampledServo(NamedTuple):
    """The servo of one joint, and when its samples act.

    Attributes:
        inertia: reflected at the joint [kg m^2 or kg].
        stiffness, damping: gains [N m/rad, N m s/rad].
        own: viscous damping of the joint [N m s/rad].
        step: time between samples [s].
        late: age of a sample when it acts [steps].
        lag: time constant of the motor [s].
    """

    inertia: float
    stiffness: float
    damping: float
    own: float = 0.0
    step: float = SERVO_STEP
    late: int = 0
    lag: float = 0.0

    def holds(self) -> bool:
        """Whether it is stable; see the head of this module."""
        inertia, stiffness, damping, own, step, late, lag = self
        if late == 0 and lag == 0.0:
            return damping + 0.5 * step * stiffness < 2.0 * inertia / step + own
        decay = np.exp(-step / lag) if lag > 0 else 0.0
        kept = (1.0 - decay) * lag / step
        # States: q, v, effort of the motor, and samples of (q, v) of up to that age.
        A = np.zeros((3 + 2 * late,) * 2)
        told = np.zeros(len(A))
        seen = 0 if late == 0 else 1 + 2 * late
        told[seen : seen + 2] = -stiffness, -damping
        mean = (1.0 - kept) * told
        mean[2] += kept
        A[1] = step / inertia * mean
        A[1, 1] += 1.0
        A[1] /= 1.0 + step * own / inertia
        A[0] = step * A[1]
        A[0, 0] += 1.0
        A[2] = (1.0 - decay) * told
        A[2, 2] += decay
        for k in range(late):
            A[3 + 2 * k : 5 + 2 * k, (0 if k == 0 else 1 + 2 * k) :][:, :2] = np.eye(2)
        return bool(np.abs(np.linalg.eigvals(A)).max() < 1.0)

    def bearable_share(self) -> float:
        """Share of both gains, at most 1, at which it holds with room to spare."""
        doubled = self._replace(
            stiffness=self.stiffness / SPARED, damping=self.damping / SPARED
        )
        return 1.0 if doubled.holds() else SPARED * self.largest_share()

    def largest_share(self) -> float:
        """Largest share of both gains below which it holds."""
        if self.late == 0 and self.lag == 0.0:
            most = 2.0 * self.inertia / self.step + self.own
            return most / (self.damping + 0.5 * self.step * self.stiffness)
        low, high = _LEAST, _MOST
        for _ in range(_HALVINGS):
            middle = float(np.sqrt(low * high))
            gains = middle * self.stiffness, middle * self.damping
            is_stable = self._replace(stiffness=gains[0], damping=gains[1]).holds()
            low, high = (middle, high) if is_stable else (low, middle)
        return low


def felt_inertias(
    fused: MultibodyPlant, posture: Mapping[str, float]
) -> dict[str, float]:
    """Inertia reflected at joints in a posture, with rotors, by name [kg m^2].

    It is 1 / (M^-1)_jj of the mass matrix M, on whose diagonal is what rotors add
    behind their gears: what an effort of one joint has to move while all else is free.

    Args:
        fused: finalized plant of the fused model, with the rotors of its motors.
        posture: joint positions by name [rad or m]; zero where not given.
    """
    context = fused.CreateDefaultContext()
    joints = [fused.get_joint(i) for i in fused.GetJointIndices()]
    joints = [j for j in joints if j.num_velocities() == 1]
    q = fused.GetPositions(context)
    for joint in joints:
        q[joint.position_start()] = posture.get(joint.name(), 0.0)
    fused.SetPositions(context, q)
    M = fused.CalcMassMatrix(context)
    at = {j.name(): j.velocity_start() for j in joints}
    inverse = np.diag(np.linalg.inv(M))
    return {name: float(1.0 / inverse[i]) for name, i in at.items()}


def servo_of(inertia: float, frequency: float, least: float) -> tuple[float, float]:
    """Stiffness and damping of a critically damped servo [N m/rad, N m s/rad].

    Args:
        inertia: reflected at the joint [kg m^2].
        frequency: of the servo [Hz].
        least: inertia that is taken where the reflected one is less [kg m^2].
    """
    omega = 2.0 * np.pi * frequency
    taken = max(inertia, least)
    return taken * omega**2, 2.0 * taken * omega


def check_servo_gains(
    servos: Mapping[str, tuple[float, float]],
    felt: Mapping[str, float],
    own: Mapping[str, float],
    where: str,
) -> None:
    """Refuses gains of a robot YAML that no step of 1 ms can hold.

    Args:
        servos: frequency [Hz] and least inertia [kg m^2] by joint.
        felt: inertia reflected at the joint [kg m^2].
        own: viscous damping of the joint [N m s/rad].
        where: what has the gains, for the message.

    Raises:
        BackbeatError: a joint would shake by itself.
    """
    failing = []
    for name, (frequency, least) in servos.items():
        gains = servo_of(felt[name], frequency, least)
        servo = SampledServo(felt[name], *gains, own[name])
        if not servo.holds():
            share = servo.largest_share()
            failing.append((share * max(felt[name], least), share, name))
    if not failing:
        return
    # What holds for this one holds for the others of its group.
    most, share, name = min(failing)
    (frequency, least), inertia = servos[name], felt[name]
    stiffness, damping = servo_of(inertia, frequency, least)
    remedy = f"`least_inertia` of at most {rounded_down(most)}"
    if most < inertia:
        slowest = _highest_frequency(inertia, own[name])
        remedy = f"`frequency` of at most {rounded_down(slowest)}"
    raise BackbeatError(
        f"{where}: the servo of {name} has a stiffness of {stiffness:.3g} and a "
        f"damping of {damping:.3g} (frequency {frequency:g} Hz, least_inertia "
        f"{least:g}), and the joint feels an inertia of {inertia:.2g} kg m^2: it "
        f"shakes by itself at a step of {1e3 * SERVO_STEP:g} ms. At most "
        f"{rounded_down(share * stiffness)} of stiffness and "
        f"{rounded_down(share * damping)} of damping hold: give its group in `servo` "
        f"a {remedy}"
    )


def _highest_frequency(inertia: float, own: float) -> float:
    """Highest frequency at which a servo of the felt inertia holds [Hz]."""
    h = SERVO_STEP
    # kd + h kp / 2 = 2 I / h + d with kp = I w^2 and kd = 2 I w.
    omega = (np.sqrt(4.0 + 2.0 * h * (2.0 / h + own / inertia)) - 2.0) / h
    return float(omega / (2.0 * np.pi))


def rounded_down(value: float) -> str:
    """A number of two digits that is not above a value."""
    if value <= 0:
        return "0"
    unit = 10.0 ** (np.floor(np.log10(value)) - 1)
    return f"{np.floor(value / unit * (1 + 1e-12)) * unit:.2g}"
