"""Transmissions: how efforts and velocities of actuators map to those of joints.

    simple         q_a = n (q_j - offset),         tau_j = n tau_a
    differential   q_a1 = n_a1 (n_j1 q_j1 + n_j2 q_j2)
                   q_a2 = n_a2 (n_j1 q_j1 - n_j2 q_j2)
                   tau_j = (d q_a / d q_j)' tau_a

so that power is the same on both sides; as in `transmission_interface` of ros_control
(Chitta et al., "ros_control: A generic and simple control framework for ROS", 2017).
Limits of effort in a URDF, and the commands of our servo, are those of joints: a
reduction changes what a motor has to do, and nothing that a joint does.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.loading.extensions import DIFFERENTIAL, SIMPLE
from backbeat.models.urdf.reading.description import Description, Transmission, listed

# Words of <hardwareInterface>, and the mode of the servo that each chooses.
MODES = {
    "EffortJointInterface": "torque",
    "PositionJointInterface": "position",
    "VelocityJointInterface": "velocity",
}


@dataclass(frozen=True)
class TransmissionMap:
    """A transmission as a matrix.

    Attributes:
        joints: their names.
        actuators: their names.
        ratio: (na, nj) velocity of actuators per velocity of joints.
    """

    joints: tuple[str, ...]
    actuators: tuple[str, ...]
    ratio: np.ndarray

    def actuator_velocity(self, joint_velocity: np.ndarray) -> np.ndarray:
        """(na,) velocity of the actuators [rad/s]."""
        return np.asarray(self.ratio @ joint_velocity)

    def joint_effort(self, actuator_effort: np.ndarray) -> np.ndarray:
        """(nj,) effort of the joints [N m]."""
        return np.asarray(self.ratio.T @ actuator_effort)

    def actuator_effort(self, joint_effort: np.ndarray) -> np.ndarray:
        """(na,) effort that the actuators need for one of the joints [N m]."""
        return np.asarray(np.linalg.solve(self.ratio.T, joint_effort))


def transmission_map(transmission: Transmission) -> TransmissionMap:
    """A transmission as it is described.

    Raises:
        BackbeatError: another type, another number of ends, or a reduction of zero.
    """
    ends = len(transmission.joints), len(transmission.actuators)
    known = {SIMPLE: (1, 1), DIFFERENTIAL: (2, 2)}
    where = f"line {transmission.line}: transmission {transmission.name!r}"
    if transmission.type not in known:
        raise BackbeatError(
            f"{where} is a {transmission.type}; known are {SIMPLE} and {DIFFERENTIAL}"
        )
    if ends != known[transmission.type]:
        raise BackbeatError(
            f"{where} has {ends[0]} joints and {ends[1]} actuators; "
            f"{known[transmission.type][0]} of each make a {transmission.type}"
        )
    joints = tuple(e.name for e in transmission.joints)
    actuators = tuple(e.name for e in transmission.actuators)
    if transmission.type == SIMPLE:
        ratio = np.array([[transmission.total_reduction()]])
    else:
        n_j, n_a = (
            np.array([1.0 if e.reduction is None else e.reduction for e in part])
            for part in (transmission.joints, transmission.actuators)
        )
        ratio = n_a[:, None] * np.array([[1.0, 1.0], [1.0, -1.0]]) * n_j
    if not ratio.all():
        raise BackbeatError(f"{where} has a reduction of zero")
    return TransmissionMap(joints, actuators, ratio)


def joint_modes(description: Description) -> tuple[dict[str, str], tuple[str, ...]]:
    """Mode of the servo by joint, as the hardware interfaces choose it, and notes.

    Where a transmission names several, its first counts; where it names none that one
    of our modes serves, torque. Joints without a transmission are not in it.
    """
    modes: dict[str, str] = {}
    notes = []
    for transmission in description.transmissions:
        shared = [i for a in transmission.actuators for i in a.interfaces]
        for end in transmission.joints:
            word = next(iter([*end.interfaces, *shared]), "EffortJointInterface")
            if word not in MODES:
                notes.append(
                    f"joint {end.name}: no mode serves the hardware interface {word}; "
                    "it takes torques"
                )
            modes.setdefault(end.name, MODES.get(word, "torque"))
    for mode, what in (("position", "positions"), ("velocity", "velocities")):
        names = [name for name, own in modes.items() if own == mode]
        if names:
            notes.append(
                f"joints {listed(names)}: they take {what}, drives of their own hold "
                "them, and no efforts of a plan reach these"
            )
    return modes, tuple(notes)
