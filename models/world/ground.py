"""The ground that is simulated: a slab, and blocks on it where it is uneven."""

from dataclasses import dataclass, field

import numpy as np
from pydrake.geometry import Box
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.contact.cones import FLOOR

# Size of the slab [m]: wider than any show, and thick enough to stop any fall.
WIDTH, THICKNESS = 40.0, 1.0
# How far a block reaches below its top [m]; the slab swallows the rest.
BLOCK_DEPTH = 0.5


@dataclass(frozen=True)
class Block:
    """A piece of ground with a rectangular top.

    Attributes:
        X_WT: frame of its top, origin in the middle, z out of the ground.
        length: size along x of that frame [m].
        width: size along y of that frame [m].
        friction: friction coefficient of its surface; None for the ground's.
    """

    X_WT: RigidTransform
    length: float
    width: float
    friction: float | None = None


@dataclass(frozen=True)
class Ground:
    """A plane and blocks, fixed to the world.

    Attributes:
        X_WG: frame of the plane, z out of the ground.
        blocks: what stands out of it.
    """

    X_WG: RigidTransform = field(default_factory=RigidTransform)
    blocks: tuple[Block, ...] = ()

    def add_to(self, plant: MultibodyPlant, friction: float) -> None:
        """Adds the ground to a plant that is not finalized.

        Args:
            plant: plant with a scene graph.
            friction: friction coefficient of the surface.
        """
        # A slab and not a half space, about which Drake warns at every start.
        plant.RegisterCollisionGeometry(
            plant.world_body(),
            self.X_WG @ RigidTransform([0.0, 0.0, -0.5 * THICKNESS]),
            Box(WIDTH, WIDTH, THICKNESS),
            "ground",
            FLOOR.properties(friction),
        )
        below = RigidTransform([0.0, 0.0, -0.5 * BLOCK_DEPTH])
        for i, block in enumerate(self.blocks):
            mu = friction if block.friction is None else block.friction
            plant.RegisterCollisionGeometry(
                plant.world_body(),
                block.X_WT @ below,
                Box(block.length, block.width, BLOCK_DEPTH),
                f"ground_block_{i}",
                FLOOR.properties(mu),
            )


def surface_friction(combined: float, other: float) -> float:
    """Coefficient of a surface that gives `combined` against a surface of `other`.

    Drake combines two coefficients to 2 a b / (a + b).

    Args:
        combined: friction coefficient that is wanted between the two, < 2 other.
        other: coefficient of the other surface.
    """
    return float(combined * other / (2 * other - combined))


def plane_height(X_WG: RigidTransform, x: float, y: float) -> float:
    """Height of a plane above a place of the world [m]."""
    normal = X_WG.rotation().matrix()[:, 2]
    away = np.array([x, y]) - X_WG.translation()[:2]
    return float(X_WG.translation()[2] - normal[:2] @ away / normal[2])
