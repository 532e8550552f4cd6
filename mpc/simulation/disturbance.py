"""Disturbances: pushes as external forces on the plant."""

from collections import Counter

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
    world axes [N]. A force holds for a step of the plant, so it is the mean over the
    step: a push gives its impulse whether its ends fall on steps or not.
    """

    def __init__(
        self, plant: MultibodyPlant, pushes: list[Push], start_time: float
    ) -> None:
        """Makes the disturbance.

        Args:
            plant: finalized, discrete plant.
            pushes: what happens when, in time of the behavior.
            start_time: time at which the behavior's time is zero [s].

        Raises:
            BackbeatError: a push names an unknown body.
        """
        super().__init__()
        self._step = plant.time_step()
        self._pushes = []
        bodies = [plant.get_body(BodyIndex(i)) for i in range(plant.num_bodies())]
        counts = Counter(b.name() for b in bodies)
        known = {b.name(): b.index() for b in bodies if counts[b.name()] == 1}
        for push in pushes:
            if push.body not in known:
                raise unknown_name("body to push", push.body, known)
            start = push.time + start_time
            force = np.array(push.impulse, float) / push.duration
            self._pushes.append((start, start + push.duration, known[push.body], force))
        self.DeclareAbstractOutputPort(
            "spatial_forces",
            lambda: AbstractValue.Make([ExternallyAppliedSpatialForce()]),
            self._calc_forces,
        )
        self.DeclareVectorOutputPort("impulse_rate", 3, self._calc_rate)

    def _now(self, context: Context) -> list[tuple[BodyIndex, np.ndarray]]:
        """Pushed bodies and the mean force on each over the step that begins."""
        t, forces = context.get_time(), []
        for start, end, body, force in self._pushes:
            inside = min(end, t + self._step) - max(start, t)
            if inside > 1e-12:
                forces.append((body, inside / self._step * force))
        return forces

    def _calc_forces(self, context: Context, output: AbstractValue) -> None:
        forces = []
        for body, force in self._now(context):
            applied = ExternallyAppliedSpatialForce()
            applied.body_index = body
            applied.p_BoBq_B = np.zeros(3)
            applied.F_Bq_W = SpatialForce(np.zeros(3), force)
            forces.append(applied)
        output.set_value(forces)

    def _calc_rate(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(sum((f for _, f in self._now(context)), np.zeros(3)))
