"""A robot as its URDF has it, in a plant of its own: every link and joint."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.connections import check_connections
from backbeat.models.robot.description import RobotDescription
from backbeat.models.robot.description_check import check_names, check_tree, is_held
from backbeat.models.robot.loading import load_robot
from backbeat.models.robot.mimic import Follower
from backbeat.models.urdf.loading.extensions import is_static
from backbeat.models.urdf.loading.readable import readable
from backbeat.models.urdf.reading.description import Description


class WholePlant(NamedTuple):
    """A robot in a finalized plant of its own.

    Attributes:
        plant: the plant.
        instance: the robot's model instance there.
        is_held: whether the URDF itself fixes the base to the world.
        stays: whether the base is fixed where the robot's files have it.
        notes: what acts otherwise than the URDF says, as sentences.
    """

    plant: MultibodyPlant
    instance: ModelInstanceIndex
    is_held: bool
    stays: bool
    notes: tuple[str, ...]


def load_whole(
    path: str | Path,
    yaml: RobotDescription,
    urdf: Description,
    equipment: Sequence[str],
    locked: Mapping[str, float],
    followers: Sequence[Follower],
    X_WB: RigidTransform | None,
) -> WholePlant:
    """Loads and checks a robot.

    Args:
        path: where its YAML lies.
        yaml, urdf: what that and its URDF say.
        equipment: equipment sets to weld on.
        locked: angles [rad] of joints that are held for good, by name.
        followers: joints that follow others.
        X_WB: pose at which the base is welded to the world; None for where the
            robot's files have it.

    Raises:
        BackbeatError: an unknown joint, link or equipment name, or a base that is
            fixed twice.
    """
    connected = check_connections(urdf, locked, followers)
    fixed = yaml.fixed or is_static(urdf)
    plant = MultibodyPlant(time_step=0.0)
    instance, notes = load_robot(plant, path, equipment)
    notes = notes + readable(urdf)[1] + connected
    check_tree(plant, instance, yaml.base, path)
    held = is_held(plant, instance, yaml.base)
    stays = X_WB is None and (fixed or held)
    if X_WB is None and fixed and not held:
        X_WB = RigidTransform()
    if X_WB is not None:
        if held:
            raise BackbeatError(
                f"{path}: the URDF fixes {yaml.base!r} to the world already; it "
                "cannot be held in another place"
            )
        base = plant.GetFrameByName(yaml.base)
        plant.WeldFrames(plant.world_frame(), base, X_WB)
    plant.Finalize()
    check_names(yaml, plant, path)
    for name in locked:
        if not plant.HasJointNamed(name):
            names = [plant.get_joint(i).name() for i in plant.GetJointIndices()]
            raise unknown_name("joint", name, names)
    return WholePlant(plant, instance, held, stays, notes)
