"""Disturbances: pushes as external forces on the plant."""

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce, MultibodyPlant
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import BasicVector, Context, LeafSystem

from models.errors import unknown_name
from mpc.simulation.scenario import Push


class Disturbance(LeafSystem):
    """Applies pushes to bodies of a plant.

    .. pydrake_system::

        name: Disturbance
        output_ports:
        - spatial_forces
        - impulse_rate

    `spatial_forces` is a list of ExternallyAppliedSpatialForce for the plant's
    `applied_spatial_force`. `impulse_rate` (3) is the total force applied now,
    world axes [N].
    """

    def __init__(
        self, plant: MultibodyPlant, pushes: list[Push], start_time: float
    ) -> None:
        """Makes the disturbance.

        Args:
            plant: finalized plant.
            pushes: what happens when, in time of the behavior.
            start_time: time at which the behavior's time is zero [s].

        Raises:
            BackbeatError: a push names an unknown body.
        """
        super().__init__()
        self._pushes = []
        for push in pushes:
            if not plant.HasBodyNamed(push.body):
                bodies = range(plant.num_bodies())
                names = {plant.get_body(BodyIndex(i)).name() for i in bodies}
                raise unknown_name("body to push", push.body, names)
            body = plant.GetBodyByName(push.body).index()
            start = push.time + start_time
            force = np.array(push.impulse, float) / push.duration
            self._pushes.append((start, start + push.duration, body, force))
        self.DeclareAbstractOutputPort(
            "spatial_forces",
            lambda: AbstractValue.Make([ExternallyAppliedSpatialForce()]),
            self._calc_forces,
        )
        self.DeclareVectorOutputPort("impulse_rate", 3, self._calc_rate)

    def _calc_forces(self, context: Context, output: AbstractValue) -> None:
        forces = []
        for start, end, body, f in self._pushes:
            if start - 1e-9 <= context.get_time() < end - 1e-9:
                applied = ExternallyAppliedSpatialForce()
                applied.body_index = body
                applied.p_BoBq_B = np.zeros(3)
                applied.F_Bq_W = SpatialForce(np.zeros(3), f)
                forces.append(applied)
        output.set_value(forces)

    def _calc_rate(self, context: Context, output: BasicVector) -> None:
        total = np.zeros(3)
        for start, end, _, f in self._pushes:
            if start - 1e-9 <= context.get_time() < end - 1e-9:
                total += f
        output.SetFromVector(total)
