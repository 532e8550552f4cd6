"""The bodies of a world as objects in Meshcat, posed by the robot model's q."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydrake.common import MemoryFile
from pydrake.geometry import GeometryId, InMemoryMesh, Mesh, Meshcat, Rgba, Role, Shape
from pydrake.math import RigidTransform
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.outside_file import read_text
from backbeat.models.robot.mimic import Following
from backbeat.models.world.scene import World, add_world, lock_joints
from backbeat.stage.drawing.canvas import Canvas
from backbeat.stage.frames.frame import StageFrame

DEFAULT_COLOR = Rgba(0.75, 0.75, 0.75, 1.0)
GHOST = Rgba(0.30, 0.66, 0.95, 0.42)
# A link of the ghost is seen when it is this far from the robot's; nearer, the two
# surfaces would only flicker through each other [m].
GHOST_DISTANCE = 0.01
# Distance from a link's origin at which its rotation is felt [m].
LINK_SIZE = 0.15


@dataclass(frozen=True)
class Visual:
    """One visible geometry.

    Attributes:
        body: what it is fixed to.
        name: its name in the scene graph.
        shape: what it looks like.
        color: of shapes that bring none.
        X_BG: its pose in the body.
        of_robot: whether it belongs to the robot or what it carries.
    """

    body: RigidBody
    name: str
    shape: Shape
    color: Rgba
    X_BG: RigidTransform
    of_robot: bool


def make_world(behavior: Behavior) -> World:
    """The world of a behavior, by the same construction as in simulation."""
    builder = DiagramBuilder()
    world = add_world(builder, behavior.robot_model, scene=behavior.scene)
    # The plant and its scene graph live as long as the diagram that owns them, and
    # their Python objects keep that one alive.
    builder.Build()
    return world


def visuals(world: World) -> Iterator[Visual]:
    """All visible shapes of a world, on fixed bodies and moving."""
    inspector = world.scene_graph.model_inspector()
    plant = world.plant
    items = map(plant.GetModelInstanceByName, world.robot.equipment_items())
    robot = {world.instance, *items}
    identifiers: list[GeometryId] = inspector.GetAllGeometryIds(Role.kIllustration)
    for identifier in identifiers:
        body = plant.GetBodyFromFrameId(inspector.GetFrameId(identifier))
        properties = inspector.GetIllustrationProperties(identifier)
        yield Visual(
            body,
            inspector.GetName(identifier).split("::")[-1],
            inspector.GetShape(identifier),
            properties.GetPropertyOrDefault("phong", "diffuse", DEFAULT_COLOR),
            inspector.GetPoseInFrame(identifier),
            body.model_instance() in robot,
        )


class Skeleton:
    """Poses of a world's bodies for configurations of the robot model."""

    def __init__(self, world: World) -> None:
        """Prepares a world; joints that the robot model locks stay locked."""
        self.world = world
        self._context = world.plant.CreateDefaultContext()
        lock_joints(world.plant, self._context, world.robot.locked)
        self._rest = world.plant.GetPositions(self._context)
        self._places = world.state_places[: world.robot.num_positions]
        self._following = Following(world.plant, world.robot.followers)

    def pose(self, q: np.ndarray) -> None:
        """Moves to a configuration of the robot model."""
        full = self._rest.copy()
        full[self._places] = q
        self._following.place(full)
        self.world.plant.SetPositions(self._context, full)

    def body(self, body: RigidBody) -> RigidTransform:
        """X_WB of a body."""
        return self.world.plant.EvalBodyPoseInWorld(self._context, body)


class RobotVisual:
    """A robot on the stage, solid or as a ghost.

    Attributes:
        path: its folder in Meshcat's tree.
        bodies: bodies that are seen, by their path.
    """

    def __init__(
        self,
        meshcat: Meshcat,
        world: World,
        path: str = "/robot",
        tint: Rgba | None = None,
    ) -> None:
        """Puts the robot's bodies into Meshcat.

        Args:
            meshcat: the stage.
            world: the robot's plant.
            path: folder in Meshcat's tree.
            tint: one see-through color for everything; None for the robot's own.
        """
        self.path = path
        self.bodies: dict[str, RigidBody] = {}
        self._skeleton = Skeleton(world)
        for visual in visuals(world):
            if visual.of_robot:
                where = f"{path}/{_label(world, visual.body)}"
                self.bodies[where] = visual.body
                _put(meshcat, where, visual, tint)

    def poses(self, q: np.ndarray) -> dict[str, RigidTransform]:
        """X_WB of all bodies, by their path."""
        self._skeleton.pose(q)
        return {path: self._skeleton.body(body) for path, body in self.bodies.items()}

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """See `Layer`."""
        for path, X in self.poses(frame.state.q).items():
            canvas.place(path, X)

    def places(self, configurations: Iterable[np.ndarray]) -> np.ndarray:
        """(n, 3) places of all links in all configurations [m]."""
        return np.array(
            [X.translation() for q in configurations for X in self.poses(q).values()]
        )


class Ghost:
    """The robot in the configuration of the plan; see `Layer`."""

    path = "/ghost of the plan"

    def __init__(self, meshcat: Meshcat, world: World, robot: RobotVisual) -> None:
        """Makes the ghost of a robot that is on the stage."""
        self._visual = RobotVisual(meshcat, world, self.path, GHOST)
        self._robot = robot

    def draw(self, canvas: Canvas, frame: StageFrame) -> None:
        """Shows those links that are visibly elsewhere."""
        if frame.ghost is None:
            for path in self._visual.bodies:
                canvas.show(path, False)
            return
        real = self._robot.poses(frame.state.q).values()
        wanted = self._visual.poses(frame.ghost)
        for (path, X), Y in zip(wanted.items(), real, strict=True):
            is_seen = separation(X, Y) > GHOST_DISTANCE
            canvas.show(path, is_seen)
            if is_seen:
                canvas.place(path, X)


def separation(X: RigidTransform, Y: RigidTransform) -> float:
    """How far two poses of a link seem apart, by place and by rotation [m]."""
    A, B = X.GetAsMatrix34(), Y.GetAsMatrix34()
    # For a small angle, the norm of the difference of rotations is sqrt(2) angles.
    turn = np.linalg.norm(A[:, :3] - B[:, :3]) / np.sqrt(2)
    return float(np.linalg.norm(A[:, 3] - B[:, 3]) + LINK_SIZE * turn)


def put_set(meshcat: Meshcat, world: World, path: str = "/set") -> None:
    """Puts everything that is not the robot into Meshcat: kit, stands, chair."""
    skeleton = Skeleton(world)
    for visual in visuals(world):
        if visual.of_robot:
            continue
        fixed = visual.body.index() == world.plant.world_body().index()
        where = path if fixed else f"{path}/{_label(world, visual.body)}"
        if not fixed:
            meshcat.SetTransform(where, skeleton.body(visual.body))
        _put(meshcat, where, visual, None)


def _label(world: World, body: RigidBody) -> str:
    """A readable name: the link, or for an item with one link, the item."""
    plant, instance = world.plant, body.model_instance()
    if instance != world.instance and len(plant.GetBodyIndices(instance)) == 1:
        return str(plant.GetModelInstanceName(instance)).replace("/", "_")
    return str(body.name()).replace("/", "_")


def _put(meshcat: Meshcat, path: str, visual: Visual, tint: Rgba | None) -> None:
    where = f"{path}/{visual.name.replace('/', '_')}"
    if tint is None:
        meshcat.SetObject(where, visual.shape, visual.color)
    else:
        meshcat.SetObject(where, _tinted(visual.shape, tint), tint)
    if not visual.X_BG.IsExactlyIdentity():
        meshcat.SetTransform(where, visual.X_BG)


def _tinted(shape: Shape, tint: Rgba) -> Shape:
    """A glTF mesh with every material replaced by one color; others unchanged.

    Meshcat colors other meshes itself; those of glTF files it leaves as they are.
    """
    if not isinstance(shape, Mesh) or shape.extension().lower() != ".gltf":
        return shape
    source = shape.source()
    text = (
        read_text(Path(source.path()), "mesh")
        if source.is_path()
        else source.in_memory().mesh_file.contents().decode()
    )
    document = json.loads(text)
    document["materials"] = [
        {
            "alphaMode": "BLEND",
            "pbrMetallicRoughness": {
                "baseColorFactor": [tint.r(), tint.g(), tint.b(), tint.a()],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.9,
            },
        }
    ]
    for mesh in document.get("meshes", []):
        for primitive in mesh["primitives"]:
            primitive["material"] = 0
    file = MemoryFile(json.dumps(document), ".gltf", "ghost.gltf")
    return Mesh(InMemoryMesh(mesh_file=file), shape.scale3())
