"""Masses: other masses, inertias and centers of mass of the links."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from pydrake.multibody.tree import RigidBody, SpatialInertia, UnitInertia
from pydrake.systems.framework import Context

from backbeat.models.common.schema import key
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.draws import Stream, either_way, random_stream
from backbeat.mpc.disturbances.simulated_world import SimulatedLinks


@dataclass
class Masses(Disturbance):
    """Links that are not as heavy as the model has them."""

    name: ClassVar[str] = "masses"
    card: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "each mass +-10 %": {"world.mass_spread": 0.1}
    }

    mass_scale: float = key(1.0, gt=0)
    """Factor on all masses of the robot."""
    mass_spread: float = key(0.0, ge=0, le=0.9)
    """Further change of each mass, by a share drawn between minus and plus this."""
    inertia_scale: float = key(1.0, gt=0)
    """Factor on the inertia of every link about its center of mass, at the same
    mass."""
    com_shift: float = key(0.0, "m", ge=0, le=0.5)
    """Displacement of the center of mass of every link, in a drawn direction."""

    def change_links(self, links: SimulatedLinks) -> None:
        """Gives the links their inertia; what the robot carries stays as it is."""
        plant, context, instance, seed = links
        heavier = random_stream(seed, Stream.MASS)
        moved = random_stream(seed, Stream.CENTER_OF_MASS)
        for body in map(plant.get_body, plant.GetBodyIndices(instance)):
            share = 1.0 + either_way(heavier, self.mass_spread)
            direction = moved.normal(size=3)
            shift = self.com_shift * direction / np.linalg.norm(direction)
            _change_inertia(
                body, context, self.mass_scale * share, self.inertia_scale, shift
            )


def _change_inertia(
    body: RigidBody, context: Context, mass: float, inertia: float, shift: np.ndarray
) -> None:
    """Scales mass and, by the same and a factor more, inertia; shifts the center."""
    old = body.CalcSpatialInertiaInBodyFrame(context)
    is_same = mass == 1.0 and inertia == 1.0 and not shift.any()
    if old.get_mass() == 0.0 or is_same:
        return
    m, p_BScm, G = mass * old.get_mass(), old.get_com(), old.get_unit_inertia()
    if inertia != 1.0 or shift.any():
        about = inertia * G.ShiftToCenterOfMass(p_BScm).CopyToFullMatrix3()
        moments, products = np.diag(about), about[[0, 0, 1], [1, 2, 2]]
        p_BScm = p_BScm + shift
        G = UnitInertia(*moments, *products).ShiftFromCenterOfMass(p_BScm)
    body.SetSpatialInertiaInBodyFrame(context, SpatialInertia(m, p_BScm, G))
