"""A folder with robot and scene as MJCF, for MuJoCo's own viewer and other tools."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydrake.multibody.tree import BodyIndex

from backbeat.models.common.atomic_file import replacing
from backbeat.models.mjcf.looks import HIDDEN, Looks
from backbeat.models.mjcf.model import MujocoModel

# File of the model in the folder, and folder of meshes there.
FILE, MESHES = "scene.xml", "meshes"


class WrittenModel(NamedTuple):
    """A model that was written.

    Attributes:
        path: its file.
        hulls: meshes that could not be read, which look like their convex hulls.
    """

    path: Path
    hulls: tuple[str, ...]


def write_mjcf(
    made: MujocoModel, folder: str | Path, keys: dict[str, np.ndarray]
) -> WrittenModel:
    """Writes a model as MJCF with keyframes, and what it looks like.

    Shapes that collide are as they are simulated. What is seen touches nothing and
    weighs nothing; its meshes are OBJ files in the folder `meshes`.

    Args:
        made: the model.
        folder: where; made if there is none.
        keys: (nq,) configurations of MuJoCo's model, by the name of their keyframe.

    Raises:
        BackbeatError: it cannot be written.
    """
    spec = made.spec.copy()
    for name, qpos in keys.items():
        spec.add_key(name=name, qpos=qpos)
    looks = Looks(spec, made)
    spec.meshdir = MESHES
    spec.assets = {name: text.encode() for name, text in looks.files.items()}
    _light(spec, made, looks.bodies)
    spec.compile()
    path = Path(folder) / FILE
    for name, text in looks.files.items():
        with replacing(path.parent / MESHES / name) as file:
            file.write(text.encode())
    with replacing(path) as file:
        file.write(spec.to_xml().encode())
    return WrittenModel(path, tuple(looks.hulls))


def _light(spec: Any, made: MujocoModel, seen: set[int]) -> None:
    """Light, and colors by what a shape is of: ground, kit, or robot.

    Shapes that collide are hidden where their body has looks.
    """
    spec.worldbody.add_light(pos=[0.0, 0.0, 4.0], dir=[0.0, 0.0, -1.0])
    plant = made.world.plant
    for shape in made.shapes:
        body = plant.get_body(BodyIndex(shape.body))
        color = [0.75, 0.75, 0.78, 1.0]
        if shape.body == 0:
            color = [0.35, 0.37, 0.40, 1.0]
        elif body.model_instance() != made.world.instance:
            color = [0.72, 0.45, 0.20, 1.0]
        geom = spec.geom(shape.name)
        geom.rgba = color
        if shape.body in seen and shape.body != 0:
            geom.group = HIDDEN
