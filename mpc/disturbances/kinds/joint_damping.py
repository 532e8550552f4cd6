"""JointDamping: viscous friction of the joints that is not the model's."""

from dataclasses import dataclass
from typing import ClassVar

from backbeat.models.common.schema import key
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.simulated_world import SimulatedLinks


@dataclass
class JointDamping(Disturbance):
    """Joints with more or less damping than the model's."""

    name: ClassVar[str] = "damping"

    damping_scale: float = key(1.0, ge=0, le=1000.0)
    """Factor on the viscous damping of all joints."""

    def change_links(self, links: SimulatedLinks) -> None:
        """Gives the joints their damping."""
        if self.damping_scale == 1.0:
            return
        plant, context, instance, _ = links
        for joint in map(plant.get_joint, plant.GetJointIndices(instance)):
            if joint.num_velocities() == 1:
                damping = self.damping_scale * joint.default_damping_vector()
                joint.SetDampingVector(context, damping)
