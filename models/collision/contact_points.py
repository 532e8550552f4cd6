"""How many shapes and points of a robot can touch, by the set that is chosen."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydrake.geometry import Box, Capsule, Convex, Cylinder, Mesh
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.collision.patch_geometry import add_patches
from backbeat.models.robot.loading import load_robot
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.loading.contact_sets import CONTACT_SETS

# Points on which a shape can come to lie: corners, or ends.
_ENDS = {Box: 8, Capsule: 2, Cylinder: 2}


@dataclass(frozen=True)
class ContactCount:
    """What of a robot touches with a set.

    Attributes:
        name: of the set; "" is what the description says.
        is_chosen: whether the robot's YAML has it.
        links: how many touch.
        shapes: how many there are; with point contact each touches another in one
            point at a time.
        points: on which it can come to lie: corners of boxes and hulls, ends of
            capsules and cylinders, one for a sphere.
    """

    name: str
    is_chosen: bool
    links: int
    shapes: int
    points: int

    def as_data(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def count_contacts(path: str | Path) -> list[ContactCount]:
    """Of what the description says, and of every set.

    Args:
        path: a robot YAML.
    """
    robot = RobotModel(path)
    return [_count(robot, name) for name in ("", *CONTACT_SETS)]


def _count(robot: RobotModel, name: str) -> ContactCount:
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 1e-3)
    instance, _ = load_robot(plant, robot.description, (), True, name)
    wandering = set(add_patches(plant, graph, robot))
    inspector = graph.model_inspector()
    links = shapes = points = 0
    for index in plant.GetBodyIndices(instance):
        found = plant.GetCollisionGeometriesForBody(plant.get_body(index))
        links += bool(found)
        # Of soles with corners, their other shapes do not touch the ground.
        for geometry in (g for g in found if g not in wandering):
            shape = inspector.GetShape(geometry)
            shapes += 1
            if isinstance(shape, Convex | Mesh):
                points += shape.GetConvexHull().num_vertices()
            else:
                points += _ENDS.get(type(shape), 1)
    return ContactCount(name, name == robot.contact_set, links, shapes, points)
