"""Dry friction in the joints, simulated within Drake's contact solver.

The friction of a joint is a brake beside its motor: a second actuator whose servo
keeps zero velocity with at most the Coulomb torque,

    u = clip(-d v, +- tau_c).

Drake solves such servos implicitly, together with the contacts, so that a joint
sticks and slips at steps of a millisecond, with inertias at which the same formula
in a feedback loop would shake.
"""

from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JointActuator, ModelInstanceIndex, PdControllerGains
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

# A joint that creeps slower than this sticks [rad/s or m/s]. Drake softens the brakes
# of very light joints, which then creep somewhat faster.
STICTION_SPEED = 1e-3
_SUFFIX = "_friction"


def add_joint_friction(
    plant: MultibodyPlant, instance: ModelInstanceIndex, friction: Mapping[str, float]
) -> None:
    """Adds a brake to joints of a discrete plant that is not finalized.

    Args:
        plant: plant to extend.
        instance: model instance of the joints.
        friction: Coulomb torque or force by joint name [N m or N]; joints of zero
            friction get no brake.
    """
    for name, effort in friction.items():
        if effort > 0:
            joint = plant.GetJointByName(name, instance)
            brake = plant.AddJointActuator(name + _SUFFIX, joint, effort)
            brake.set_controller_gains(
                PdControllerGains(p=0.0, d=effort / STICTION_SPEED)
            )


def connect_joint_friction(
    builder: DiagramBuilder, plant: MultibodyPlant, instance: ModelInstanceIndex
) -> None:
    """Tells the brakes of a finalized plant to hold; nothing without brakes."""
    actuators = [
        plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices(instance)
    ]
    if any(is_brake(a) for a in actuators):
        port = plant.get_desired_state_input_port(instance)
        hold = builder.AddSystem(ConstantVectorSource(np.zeros(port.size())))
        builder.Connect(hold.get_output_port(), port)


def is_brake(actuator: JointActuator) -> bool:
    """Whether an actuator is the friction of its joint, and not its motor."""
    return bool(actuator.name().endswith(_SUFFIX))
