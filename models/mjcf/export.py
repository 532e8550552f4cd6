"""A folder with robot and scene as MJCF, for MuJoCo's own viewer and other tools."""

from pathlib import Path
from typing import Any

import numpy as np
from pydrake.multibody.tree import BodyIndex

from backbeat.models.common.atomic_file import replacing
from backbeat.models.mjcf.model import MujocoModel

# File of the model in the folder.
FILE = "scene.xml"


def write_mjcf(
    made: MujocoModel, folder: str | Path, keys: dict[str, np.ndarray]
) -> Path:
    """Writes a model as MJCF with keyframes.

    Args:
        made: the model.
        folder: where; made if there is none.
        keys: (nq,) configurations of MuJoCo's model, by the name of their keyframe.

    Returns:
        The file, which loads by itself: hulls of meshes are in it.

    Raises:
        BackbeatError: it cannot be written.
    """
    spec = made.spec.copy()
    for name, qpos in keys.items():
        spec.add_key(name=name, qpos=qpos)
    _light(spec, made)
    spec.compile()
    path = Path(folder) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(spec.to_xml().encode())
    return path


def _light(spec: Any, made: MujocoModel) -> None:
    """Light, and colors by what a shape is of: ground, kit, or robot."""
    spec.worldbody.add_light(pos=[0.0, 0.0, 4.0], dir=[0.0, 0.0, -1.0])
    plant = made.world.plant
    for shape in made.shapes:
        body = plant.get_body(BodyIndex(shape.body))
        color = [0.75, 0.75, 0.78, 1.0]
        if shape.body == 0:
            color = [0.35, 0.37, 0.40, 1.0]
        elif body.model_instance() != made.world.instance:
            color = [0.72, 0.45, 0.20, 1.0]
        spec.geom(shape.name).rgba = color
