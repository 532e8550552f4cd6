"""Clearance: penetrations of a robot with itself or with solids around it.

Drake's geometry engine with every shape of the robot, independent of the spheres
that the optimizer keeps apart.
"""

import numpy as np
from pydrake.geometry import (
    Box,
    Capsule,
    Cylinder,
    GeometryId,
    SceneGraphInspector,
    Shape,
)
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.collision.shapes import BOX, CAPSULE, WORLD, CollisionModel, Solid
from backbeat.models.robot.fusing import set_joints
from backbeat.models.robot.mimic import Following
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.transcription.constraints import Thing


class Clearance:
    """A robot with all its collision shapes among the solids of a scene."""

    def __init__(self, robot: RobotModel, collisions: CollisionModel) -> None:
        """Builds the scene.

        Args:
            robot: the robot.
            collisions: its solids that are fixed in the world are the scene, each
                as large as it is and not as planners see it.
        """
        builder = DiagramBuilder()
        plant, self._scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
        self._robot = robot.add_to(plant, self._scene_graph)
        friction = CoulombFriction()  # Drake asks for one; nothing touches here.
        for seen in collisions.solids:
            solid = seen.inner or seen
            if solid.body == WORLD:
                plant.RegisterCollisionGeometry(
                    plant.world_body(), solid.X_PS, _shape(solid), solid.name, friction
                )
        plant.Finalize()
        self._plant, self._diagram = plant, builder.Build()
        self._root = self._diagram.CreateDefaultContext()
        self._context = plant.GetMyMutableContextFromRoot(self._root)
        set_joints(plant, self._context, robot.locked)
        joints = [plant.GetJointByName(n) for n in robot.joint_names]
        rows = [*range(robot.base_positions), *(j.position_start() for j in joints)]
        self._rows = np.array(rows, int)
        self._following = Following(plant, robot.followers)
        self._query = self._scene_graph.GetMyContextFromRoot(self._root)

    def deepest(self, q: np.ndarray) -> tuple[float, tuple[Thing, ...]]:
        """Largest penetration at a configuration [m], and what touches what."""
        full = self._plant.GetPositions(self._context)
        full[self._rows] = q
        self._following.place(full)
        self._plant.SetPositions(self._context, full)
        query = self._scene_graph.get_query_output_port().Eval(self._query)
        pairs = query.ComputePointPairPenetration()
        if not pairs:
            return 0.0, ()
        worst = max(pairs, key=lambda pair: pair.depth)
        inspector = self._scene_graph.model_inspector()
        pair = (self._thing(inspector, g) for g in (worst.id_A, worst.id_B))
        return float(worst.depth), tuple(pair)

    def _thing(self, inspector: SceneGraphInspector, shape: GeometryId) -> Thing:
        """A link of the robot, a part of what it carries, or a solid of the scene."""
        body = self._plant.GetBodyFromFrameId(inspector.GetFrameId(shape))
        part = inspector.GetName(shape).split("::")[-1]
        if body.index() == self._plant.world_body().index():
            return Thing(part)
        if body.model_instance() == self._robot:
            return Thing(str(body.name()))
        item = self._plant.GetModelInstanceName(body.model_instance())
        return Thing(item, part)


def _shape(solid: Solid) -> Shape:
    if solid.kind == BOX:
        return Box(*(2 * solid.size))
    kind = Capsule if solid.kind == CAPSULE else Cylinder
    return kind(solid.size[0], 2 * solid.size[1])
