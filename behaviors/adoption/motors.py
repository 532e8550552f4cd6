"""Motors of a robot that was adopted: effort limits, interfaces, and servos.

Servos are as stiff as a step of 1 ms holds.
"""

from collections.abc import Mapping

import numpy as np

from backbeat.models.actuation.servo_margin import SERVO_STEP, SPARED, rounded_down
from backbeat.models.actuation.transmission import joint_modes
from backbeat.models.adoption.proposal import Proposal
from backbeat.models.adoption.refusals import missing_efforts, refuse_missing_efforts
from backbeat.models.adoption.structure import Anatomy
from backbeat.models.common.errors import unknown_name
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.urdf.reading.description import listed

# Natural frequencies by group [Hz], and the least inertia wherever it holds [kg m^2].
FREQUENCIES = {"waist": 3.0, "neck": 3.0, "l_arm": 6.0, "r_arm": 6.0}
LEGS, INERTIA = 8.0, 0.01


def propose_motors(
    structure: Anatomy, efforts: Mapping[str, float], proposal: Proposal
) -> None:
    """Writes effort limits and hardware interfaces into a proposal.

    Args:
        structure: limbs of the robot.
        efforts: effort limits that were given, by joint [N m or N]; that of "" is for
            all joints without one.
        proposal: where they are written.

    Raises:
        BackbeatError: a joint has no effort limit, or there is no such joint.
    """
    tree = structure.tree
    missing = missing_efforts(tree, structure.locked)
    given = {name: effort for name, effort in efforts.items() if name}
    for name in given:
        if name not in missing:
            raise unknown_name("joint without an effort limit", name, missing)
    if "" in efforts:
        given = dict.fromkeys(missing, efforts[""]) | given
    if left := [name for name in missing if name not in given]:
        refuse_missing_efforts(tree.description.path, left)
    if given:
        proposal.keys["efforts"] = given
        proposal.guessed("effort limits", listed([*given]), "as --effort says")
    modes, _ = joint_modes(tree.description)
    moving = [n for n in modes if n not in structure.locked]
    others = [n for n in moving if modes[n] != "torque"]
    if others:
        proposal.keys["hardware_interface"] = "effort"
        proposal.guessed(
            "hardware interface",
            "efforts",
            f"by the model {listed(others)} take no efforts, and no plan would reach "
            "them",
        )


def propose_servos(robot: RobotModel, proposal: Proposal) -> None:
    """Writes servos into a proposal.

    Args:
        robot: the robot, as far as it is proposed.
        proposal: where its groups are.
    """
    q = np.zeros(robot.num_positions)
    q[0] = 1.0
    q[7:] = np.clip(0.0, robot.position_lower, robot.position_upper)
    M = Configuration(robot, q).mass_matrix
    felt = 1.0 / np.diag(np.linalg.inv(M))[6:]
    servos = {}
    for group, joints in robot.groups.items():
        frequency = FREQUENCIES.get(group, LEGS)
        most = largest_inertia(felt[joints], robot.damping[joints], frequency)
        least = float(rounded_down(min(INERTIA, SPARED * most)))
        servos[group] = {"frequency": frequency, "least_inertia": least}
        light = robot.joint_names[joints[int(felt[joints].argmin())]]
        proposal.guessed(
            f"servo of {group}",
            f"{frequency:g} Hz, least inertia {least:g} kg m^2",
            f"{light} feels {felt[joints].min():.2g} kg m^2; a step of 1 ms holds it",
        )
    proposal.keys["servo"] = servos


def largest_inertia(felt: np.ndarray, damping: np.ndarray, frequency: float) -> float:
    """Inertia that gains may assume such that every joint of a group holds [kg m^2].

    With kp = I w^2 and kd = 2 I w, kd + h kp / 2 < 2 felt / h + d; see
    `backbeat.models.actuation.servo_margin`.

    Args:
        felt: (n,) inertia that the joints feel [kg m^2].
        damping: (n,) their own damping [N m s/rad].
        frequency: of the servo [Hz].
    """
    omega = 2.0 * np.pi * frequency
    gains = 2.0 * omega + 0.5 * SERVO_STEP * omega**2
    return float(((2.0 * felt / SERVO_STEP + damping) / gains).min())
