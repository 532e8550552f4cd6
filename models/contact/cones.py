"""Contact: which wrenches a patch can carry, and what surfaces are made of.

A contact wrench is (moment, force) = (tx, ty, tz, fx, fy, fz) at the patch
center in the contact frame C, whose z axis points out of the support.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.geometry import (
    AddContactMaterial,
    GeometryId,
    ProximityProperties,
    Role,
    RoleAssign,
    SceneGraph,
    SceneGraphInspector,
)
from pydrake.multibody.plant import CoulombFriction, MultibodyPlant
from pydrake.multibody.tree import RigidBody

# Fraction of a patch that plans use, so that a real sole stays flat.
PATCH_MARGIN = 0.95
# What the rows of the wrench cone of a patch {} limit; axes are those of the patch.
CONE = (
    "friction of {} forward",
    "friction of {} backward",
    "friction of {} to the left",
    "friction of {} to the right",
    "center of pressure of {} at its left edge",
    "center of pressure of {} at its right edge",
    "center of pressure of {} at its back edge",
    "center of pressure of {} at its front edge",
    *["yaw moment of {}, with friction and pressure"] * 8,
)
# Rows of the wrench cone of a patch; compiled functions take numbers that are written.
CONE_ROWS = 16
assert len(CONE) == CONE_ROWS


def wrench_cone(half_length: float, half_width: float, mu: float) -> np.ndarray:
    """Rows A with A w <= 0 for every wrench w a rectangular patch can carry.

    Coulomb friction at the four corners, with the friction circle replaced by
    the square inside it; eliminating the corner forces leaves friction (4 rows),
    center of pressure (4) and yaw moment (8). Caron, Pham, Nakamura, "Stability
    of Surface Contacts for Humanoid Robots", 2015, equations 12 to 17.

    Args:
        half_length, half_width: half sizes X along x and Y along y [m]; both zero
            for a point, whose moments must be fixed at zero elsewhere.
        mu: friction coefficient.

    Returns:
        (CONE_ROWS, 6) rows, or (4, 6) for a point.
    """
    X, Y, m = half_length, half_width, mu / np.sqrt(2)
    rows = [
        [0, 0, 0, s * (axis == 0), s * (axis == 1), -m]
        for axis in (0, 1)
        for s in (1, -1)
    ]
    if X == 0 and Y == 0:
        return np.array(rows, float)
    rows += [[s, 0, 0, 0, 0, -Y] for s in (1, -1)]
    rows += [[0, s, 0, 0, 0, -X] for s in (1, -1)]
    for a in (1, -1):
        for b in (1, -1):
            for s in (1, -1):
                rows.append([s * a * m, s * b * m, s, a * Y, b * X, -m * (X + Y)])
    return np.array(rows, float)


@dataclass(frozen=True)
class ContactMaterial:
    """What a surface is made of, for every contact model alike.

    Drake's SAP dissipates by a relaxation time, its lagged and similar models by
    the Hunt-Crossley coefficient; with only one of them set, a ball bounces on
    one model and sticks on another. Both are given here, matched by drop tests.

    Attributes:
        friction: Coulomb friction coefficient, static and dynamic.
        stiffness: point contact stiffness of this surface [N/m]; two surfaces
            act in series.
        dissipation: Hunt-Crossley dissipation [s/m].
        relaxation_time: Kelvin-Voigt relaxation time [s]; those of two surfaces
            add up.
    """

    friction: float
    stiffness: float
    dissipation: float
    relaxation_time: float

    def properties(self, friction: float | None = None) -> ProximityProperties:
        """Drake's proximity properties, with another friction if given."""
        mu = self.friction if friction is None else friction
        properties = ProximityProperties()
        AddContactMaterial(
            dissipation=self.dissipation,
            point_stiffness=self.stiffness,
            friction=CoulombFriction(mu, mu),
            properties=properties,
        )
        properties.AddProperty("material", "relaxation_time", self.relaxation_time)
        return properties


# Rubber-like soles on a hard floor: 0.2 mm under the robot's weight, no bounce.
FLOOR = ContactMaterial(0.8, 2e6, 30.0, 0.01)
SOLE = FLOOR
# Links that touch only when something went wrong.
BODY = ContactMaterial(0.5, 2e6, 30.0, 0.01)
# A stick tip, whose own losses do not count beside those of what it strikes; heads and
# cymbals are made of what the kit's file states, see
# `backbeat.models.contact.restitution`.
STICK_TIP = ContactMaterial(0.3, 1e5, 1e-6, 1e-7)


def collision_shapes(
    plant: MultibodyPlant, inspector: SceneGraphInspector, body: RigidBody
) -> list[GeometryId]:
    """The collision geometry of a body, in the order in which it was registered.

    `MultibodyPlant.GetCollisionGeometriesForBody` hands out references into a vector of
    the plant, which the next registration moves; these are values.
    """
    frame = plant.GetBodyFrameIdOrThrow(body.index())
    found: list[GeometryId] = inspector.GetGeometries(frame, Role.kProximity)
    return found


def assign_material(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    body: RigidBody,
    material: ContactMaterial,
    friction: float | None = None,
) -> None:
    """Gives all collision geometry of a body one material."""
    for geometry in collision_shapes(plant, scene_graph.model_inspector(), body):
        scene_graph.AssignRole(
            plant.get_source_id(),
            geometry,
            material.properties(friction),
            RoleAssign.kReplace,
        )
