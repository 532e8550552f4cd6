"""Disturbances: pushes as external forces on the plant."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce, MultibodyPlant
from pydrake.multibody.tree import FrameIndex
from pydrake.systems.framework import BasicVector, Context

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.errors import unknown_name
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.scenario.parts.push import Push


@dataclass(frozen=True)
class _Pushes:
    """All pushes of a run that are known so far."""

    pushes: tuple[Push, ...]

    def __deepcopy__(self, memo: object) -> "_Pushes":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


def on_links(pushes: Sequence[Push], robot: RobotModel) -> list[Push]:
    """Pushes with the links that they are on; without one, that is the base."""
    return [replace(push, body=push.body or robot.base_name) for push in pushes]


class Disturbance(CollectableSystem):
    """Applies pushes to bodies of a plant, at their origins, and to other frames.

    .. pydrake_system::

        name: Disturbance
        output_ports:
        - spatial_forces
        - impulse_rate

    Pushes are its state, to which `add` adds. `spatial_forces` is a list of
    ExternallyAppliedSpatialForce for the plant's `applied_spatial_force`.
    `impulse_rate` (3) is the total force applied now, world axes [N]. A force holds for
    a step of the plant, so it is the mean over the step: a push gives its impulse
    whether its ends fall on steps or not.
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
        self._step, self._start = plant.time_step(), start_time
        frames = [plant.get_frame(FrameIndex(i)) for i in range(plant.num_frames())]
        counts = Counter(f.name() for f in frames)
        # Welded links are frames of the bodies that carry them.
        self._places = {
            f.name(): (f.body().index(), f.GetFixedPoseInBodyFrame().translation())
            for f in frames
            if f.name() and counts[f.name()] == 1
        }
        for push in pushes:
            self._check(push)
        index = self.DeclareAbstractState(AbstractValue.Make(_Pushes(tuple(pushes))))
        self._index = int(index)
        self.DeclareAbstractOutputPort(
            "spatial_forces",
            lambda: AbstractValue.Make([ExternallyAppliedSpatialForce()]),
            weak(self._calc_forces),
        )
        self.DeclareVectorOutputPort("impulse_rate", 3, weak(self._calc_rate))

    def _check(self, push: Push) -> None:
        if push.body not in self._places:
            raise unknown_name("body to push", push.body, self._places)

    def add(self, context: Context, push: Push) -> None:
        """Adds a push that is still to come.

        Args:
            context: its own context.
            push: the push.

        Raises:
            BackbeatError: it names an unknown body.
        """
        self._check(push)
        pushes = self._read(context)
        context.SetAbstractState(self._index, _Pushes((*pushes, push)))

    def _read(self, context: Context) -> tuple[Push, ...]:
        known: _Pushes = context.get_abstract_state(self._index).get_value()
        return known.pushes

    def _now(self, context: Context) -> list[tuple[Push, np.ndarray]]:
        """Pushes and the mean force of each over the step that begins.

        Of a plant without steps, the force now.
        """
        pushes = self._read(context)
        forces: list[tuple[Push, np.ndarray]] = []
        if not pushes:
            return forces
        t = context.get_time()
        for push in pushes:
            start = push.time + self._start
            end = start + push.duration
            share = float(start <= t < end)
            if self._step > 0:
                share = (min(end, t + self._step) - max(start, t)) / self._step
            if share > 1e-9:
                force = np.array(push.impulse, float) / push.duration
                forces.append((push, share * force))
        return forces

    def _calc_forces(self, context: Context, output: AbstractValue) -> None:
        forces = []
        for push, force in self._now(context):
            applied = ExternallyAppliedSpatialForce()
            applied.body_index, applied.p_BoBq_B = self._places[push.body]
            applied.F_Bq_W = SpatialForce(np.zeros(3), force)
            forces.append(applied)
        output.set_value(forces)

    def _calc_rate(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(sum((f for _, f in self._now(context)), np.zeros(3)))
