"""DisturbanceForces: forces of all disturbances of a run on its plant."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce, MultibodyPlant
from pydrake.multibody.tree import FrameIndex
from pydrake.systems.framework import BasicVector, Context

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.errors import unknown_name
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.disturbances.disturbance import Disturbance, LinkForce, StepStart


@dataclass(frozen=True)
class _Known:
    """All disturbances of a run that are known so far."""

    items: tuple[Disturbance, ...]

    def __deepcopy__(self, memo: object) -> "_Known":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class DisturbanceForces(CollectableSystem):
    """Applies forces of disturbances to bodies of a plant, and to frames on them.

    .. pydrake_system::

        name: DisturbanceForces
        input_ports:
        - state
        output_ports:
        - spatial_forces
        - impulse_rate

    Disturbances are its state, to which `add` adds. `state` is the true [q, v] of the
    robot model, which some of them read. `spatial_forces` is a list of
    ExternallyAppliedSpatialForce for the plant's `applied_spatial_force`.
    `impulse_rate` (3) is the total force applied now, world axes [N]. A force holds for
    a step of the plant, so it is the mean over the step.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        disturbances: Sequence[Disturbance],
        start_time: float,
        robot: RobotModel | None = None,
        seed: int = 0,
    ) -> None:
        """Makes the system.

        Args:
            plant: finalized plant.
            disturbances: what happens when, in time of the behavior.
            start_time: time at which the behavior's time is zero [s].
            robot: whose state is read; None where no disturbance reads one.
            seed: of the run.

        Raises:
            BackbeatError: a disturbance names an unknown body.
        """
        super().__init__()
        self._step, self._start, self._seed = plant.time_step(), start_time, seed
        self._robot = robot
        if robot is not None:
            size = robot.num_positions + robot.num_velocities
            self._state = self.DeclareVectorInputPort("state", size)
        frames = [plant.get_frame(FrameIndex(i)) for i in range(plant.num_frames())]
        counts = Counter(f.name() for f in frames)
        # Welded links are frames of the bodies that carry them.
        self._places = {
            f.name(): (f.body().index(), f.GetFixedPoseInBodyFrame())
            for f in frames
            if f.name() and counts[f.name()] == 1
        }
        for item in disturbances:
            self._check(item)
        known = _Known(tuple(disturbances))
        index = self.DeclareAbstractState(AbstractValue.Make(known))
        self._index = int(index)
        self.DeclareAbstractOutputPort(
            "spatial_forces",
            lambda: AbstractValue.Make([ExternallyAppliedSpatialForce()]),
            weak(self._calc_forces),
        )
        self.DeclareVectorOutputPort("impulse_rate", 3, weak(self._calc_rate))

    def _check(self, item: Disturbance) -> None:
        for link in item.links():
            if link not in self._places:
                raise unknown_name(f"body of a {item.name}", link, self._places)

    def add(self, context: Context, item: Disturbance) -> None:
        """Adds a disturbance that is still to come.

        Args:
            context: its own context.
            item: the disturbance.

        Raises:
            BackbeatError: it names an unknown body.
        """
        self._check(item)
        known = self._read(context)
        context.SetAbstractState(self._index, _Known((*known, item)))

    def _read(self, context: Context) -> tuple[Disturbance, ...]:
        known: _Known = context.get_abstract_state(self._index).get_value()
        return known.items

    def _now(self, context: Context) -> list[LinkForce]:
        """Mean forces over the step that begins; without steps, those now."""
        if not (items := self._read(context)):
            return []

        @cache
        def read() -> Configuration:
            assert self._robot is not None
            x = self._state.Eval(context)
            return Configuration(self._robot, *np.split(x, [self._robot.num_positions]))

        now = StepStart(context.get_time(), self._start, self._step, self._seed, read)
        return [force for item in items for force in item.link_forces(now)]

    def _calc_forces(self, context: Context, output: AbstractValue) -> None:
        forces = []
        for found in self._now(context):
            applied = ExternallyAppliedSpatialForce()
            applied.body_index, X_BF = self._places[found.link]
            applied.p_BoBq_B = X_BF.translation()
            if np.any(found.point):
                applied.p_BoBq_B = X_BF.multiply(found.point)
            applied.F_Bq_W = SpatialForce(np.zeros(3), found.force)
            forces.append(applied)
        output.set_value(forces)

    def _calc_rate(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(sum((f.force for f in self._now(context)), np.zeros(3)))
