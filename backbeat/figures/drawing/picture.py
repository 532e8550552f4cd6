"""Pictures of a world by Drake's own renderer, which needs no display.

Frames: W world; C camera with x to the right, y down and z away from the camera.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.geometry import (
    ClippingRange,
    ColorRenderCamera,
    Cylinder,
    GeometryInstance,
    LightParameter,
    MakeRenderEngineVtk,
    PerceptionProperties,
    QueryObject,
    RenderCameraCore,
    RenderEngineVtkParams,
    RenderLabel,
    Rgba,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.sensors import CameraInfo

from backbeat.common.drake_console import quiet_drake
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.mimic import Following
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import Scene, add_world

RENDERER = "figures"
WHITE = (1.0, 1.0, 1.0)
FLOOR = Rgba(0.86, 0.87, 0.89, 1.0)
FLOOR_RADIUS = 1.9  # m
NEAREST, FARTHEST = 0.1, 30.0  # m
# Pictures are rendered so many times finer than they come out.
FINER = 2
# Vertical angle of view [rad]; a long lens bends proportions little.
VIEW = np.radians(24.0)


@dataclass(frozen=True)
class Camera:
    """From where a picture is taken.

    Attributes:
        eye: (3,) place of the camera [m].
        target: (3,) what is in the middle [m].
        width, height: size [pixels].
    """

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    width: int = 1000
    height: int = 1000

    @property
    def pose(self) -> RigidTransform:
        """X_WC; the picture's upright is the world's."""
        away = np.subtract(self.target, self.eye)
        z = away / np.linalg.norm(away)
        # Straight down has no upright of its own: x of the world is up then.
        up = np.array([0.0, 0.0, 1.0]) if abs(z[2]) < 0.999 else np.array([1.0, 0, 0])
        x = np.cross(z, up)
        x /= np.linalg.norm(x)
        R_WC = RotationMatrix(np.column_stack([x, np.cross(z, x), z]))
        return RigidTransform(R_WC, self.eye)

    def project(self, points: np.ndarray) -> np.ndarray:
        """(n, 2) columns and rows [pixels] at which (n, 3) points [m] appear."""
        p_C = (np.asarray(points, float) - self.pose.translation()) @ (
            self.pose.rotation().matrix()
        )
        focal = 0.5 * self.height / np.tan(0.5 * VIEW)
        middle = 0.5 * np.array([self.width, self.height])
        return np.asarray(middle + focal * p_C[:, :2] / p_C[:, 2:])


class OffscreenScene:
    """A robot on a pale floor, with or without the kit, that can be photographed."""

    def __init__(self, robot: RobotModel, scene: Scene | None = None) -> None:
        """Makes the world.

        Raises:
            BackbeatError: this machine cannot render.
        """
        builder = DiagramBuilder()
        # It warns that the second color of what has its own already is left out.
        with quiet_drake():
            self._world = add_world(builder, robot, scene=scene)
            graph = self._world.scene_graph
            graph.RegisterAnchoredGeometry(
                self._world.plant.get_source_id(), _floor(FLOOR)
            )
            try:
                graph.AddRenderer(RENDERER, MakeRenderEngineVtk(_lighting()))
            except RuntimeError:
                raise BackbeatError(
                    "pictures of the robot need the system library libEGL, which this "
                    "machine lacks: apt install libegl1 libgl1-mesa-dri"
                ) from None
            self._diagram = builder.Build()
            self._context = self._diagram.CreateDefaultContext()

    def photograph(self, q: np.ndarray, camera: Camera) -> np.ndarray:
        """(height, width, 3) picture, 0 to 255, of the robot at q."""
        query, graph = self._posed(q), self._world.scene_graph
        # It warns that the second color of what has its own already is left out.
        with quiet_drake():
            image = query.RenderColorImage(
                _lens(camera), graph.world_frame_id(), camera.pose
            )
        return np.asarray(_smoothed(image.data[:, :, :3], camera).round(), np.uint8)

    def silhouette(self, q: np.ndarray, camera: Camera) -> np.ndarray:
        """(height, width, 1) share of each pixel that the robot at q has, 0 to 1."""
        query, graph = self._posed(q), self._world.scene_graph
        with quiet_drake():
            image = query.RenderLabelImage(
                _lens(camera), graph.world_frame_id(), camera.pose
            )
        labels = (int(RenderLabel.kEmpty), int(RenderLabel.kDontCare))
        return _smoothed(~np.isin(image.data, labels), camera)

    def _posed(self, q: np.ndarray) -> QueryObject:
        """What can be seen with the robot at q."""
        plant, graph = self._world.plant, self._world.scene_graph
        state = plant.GetMyMutableContextFromRoot(self._context)
        plant.SetPositions(state, self._world.instance, self._robot_positions(q))
        query: QueryObject = graph.get_query_output_port().Eval(
            graph.GetMyContextFromRoot(self._context)
        )
        return query

    def _robot_positions(self, q: np.ndarray) -> np.ndarray:
        """Positions of all joints of the robot, what the model holds included."""
        plant, robot = self._world.plant, self._world.robot
        positions = np.zeros(plant.num_positions())
        positions[self._world.state_places[: robot.num_positions]] = q
        for name, angle in robot.locked.items():
            joint = plant.GetJointByName(name, self._world.instance)
            positions[joint.position_start()] = angle
        Following(plant, robot.followers).place(positions)
        return np.asarray(plant.GetPositionsFromArray(self._world.instance, positions))


def _smoothed(fine: np.ndarray, camera: Camera) -> np.ndarray:
    """Means over squares of what was rendered finer, which smooth the edges."""
    shape = (camera.height, FINER, camera.width, FINER, -1)
    return np.asarray(fine.astype(float).reshape(shape).mean(axis=(1, 3)))


def _lens(camera: Camera) -> ColorRenderCamera:
    core = RenderCameraCore(
        RENDERER,
        CameraInfo(FINER * camera.width, FINER * camera.height, float(VIEW)),
        ClippingRange(NEAREST, FARTHEST),
        RigidTransform(),
    )
    return ColorRenderCamera(core, False)


def _lighting() -> RenderEngineVtkParams:
    """A key light that casts shadows, and two that fill them."""
    lights = [
        _light("directional", (2.2, -2.4, 4.0), 2.2),
        _light("point", (4.0, 4.0, 3.0), 1.1),
        _light("point", (-4.0, 1.0, 4.0), 0.9),
        _light("point", (5.0, -1.0, 1.0), 0.5),
    ]
    return RenderEngineVtkParams(
        default_clear_color=list(WHITE),
        lights=lights,
        cast_shadows=True,
        shadow_map_size=2048,
    )


def _light(
    kind: str, place: tuple[float, float, float], intensity: float
) -> LightParameter:
    """A white light that shines from a place towards the origin; no point casts."""
    return LightParameter(
        type=kind,
        color=Rgba(1.0, 1.0, 1.0),
        attenuation_values=[1.0, 0.0, 0.0],
        position=list(place),
        frame="world",
        intensity=intensity,
        direction=list(-np.array(place)),
    )


def _floor(color: Rgba) -> GeometryInstance:
    thickness = 0.02
    floor = GeometryInstance(
        RigidTransform([0.3, 0.0, -0.5 * thickness - 0.002]),
        Cylinder(FLOOR_RADIUS, thickness),
        "pale_floor",
    )
    properties = PerceptionProperties()
    properties.AddProperty("phong", "diffuse", color)
    properties.AddProperty("label", "id", RenderLabel.kDontCare)
    floor.set_perception_properties(properties)
    return floor
