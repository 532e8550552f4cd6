"""Reading a robot, and what it carries, into a plant."""

import logging
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import Frame, ModelInstanceIndex

from backbeat.models.actuation.drives import by_joint, set_rotors
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.connections import (
    check_connections,
    refuse_foreign_connections,
)
from backbeat.models.robot.description import (
    EquipmentDescription,
    RobotDescription,
    load_description,
)
from backbeat.models.urdf.loading.extensions import (
    apply_extensions,
    collect_drake_warnings,
    describe,
)
from backbeat.models.urdf.loading.readable import readable
from backbeat.models.urdf.loading.visual_fixes import needs_fixes
from backbeat.models.urdf.reading.description import listed
from backbeat.models.urdf.reading.meshes import packages
from backbeat.models.urdf.reading.other_formats import refuse_foreign_files

PACKAGE_XML = Path(__file__).parents[1] / "package.xml"
# Files and Drake's warnings about them that were reported already.
_told: set[tuple[Path, str]] = set()


def add_robot(
    plant: MultibodyPlant,
    description: str | Path,
    equipment: Sequence[str] = (),
    merged_links: bool = False,
) -> ModelInstanceIndex:
    """Adds a robot and what it carries to a plant that is not finalized.

    Args:
        plant: plant to extend, with or without a scene graph.
        description: path of the robot YAML.
        equipment: names of equipment sets in the YAML, e.g. ("sticks",).
        merged_links: whether welded links that only weigh something become frames.

    Returns:
        The robot's model instance; items are instances of their own.
    """
    return load_robot(plant, description, equipment, merged_links)[0]


def load_robot(
    plant: MultibodyPlant,
    description: str | Path,
    equipment: Sequence[str],
    merged_links: bool = False,
    contact_set: str | None = None,
) -> tuple[ModelInstanceIndex, tuple[str, ...]]:
    """As `add_robot`; also returns notes about what Drake's reader leaves out.

    In place of the contact set of the robot YAML there may be another.
    """
    description = Path(description)
    robot = load_description(description)
    parser = Parser(plant)
    if not parser.package_map().Contains("backbeat_models"):
        parser.package_map().AddPackageXml(str(PACKAGE_XML))
    path = description.parent / robot.urdf
    described, text, notes = describe(path), "", tuple[str, ...]()
    for package, folder in packages(described).items():
        if not parser.package_map().Contains(package):
            parser.package_map().Add(package, str(folder))
    kept = _contact_links(robot, equipment) if merged_links else None
    has_shapes = plant.geometry_source_is_registered()
    if merged_links or has_shapes or needs_fixes(described):
        chosen = robot.contact_set if contact_set is None else contact_set
        points = _contact_links(robot, equipment, points_alone=True)
        text, told = readable(described, kept, chosen, points)
        notes = told if merged_links or has_shapes else ()
    with collect_drake_warnings() as heard:
        (instance,) = _parse(parser, path, text)
        notes += apply_extensions(plant, instance, described)
        set_rotors(plant, instance, _rotors(plant, instance, robot), description)
        notes += _drive(plant, instance, robot, description)
        _add_equipment(plant, parser, description, equipment, instance)
    if plant.geometry_source_is_registered():
        _tell_once(path, heard)
    else:
        _told.update((path, _without_place(sentence)) for sentence in heard)
        notes += tuple(heard)
    return instance, notes


def _rotors(
    plant: MultibodyPlant, instance: ModelInstanceIndex, robot: RobotDescription
) -> dict[str, float]:
    """Inertias behind gears of a robot YAML by joint [kg m^2 or kg]."""
    if not robot.armature:
        return {}
    names = [plant.get_joint(i).name() for i in plant.GetJointIndices(instance)]
    groups, roles = robot.groups, robot.role_joints()
    return by_joint("armature", robot.armature, groups, roles, names)


def _drive(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    robot: RobotDescription,
    where: Path,
) -> tuple[str, ...]:
    """Gives motors to joints that have an effort in the robot YAML alone.

    Raises:
        BackbeatError: there is no such joint, or it has a motor in the URDF.
    """
    actuators = (
        plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices(instance)
    )
    driven = {actuator.joint().name() for actuator in actuators}
    for name, effort in robot.efforts.items():
        if not plant.HasJointNamed(name, instance):
            joints = (plant.get_joint(i) for i in plant.GetJointIndices(instance))
            known = [j.name() for j in joints]
            raise unknown_name(f"joint in efforts of {where}", name, known)
        if name in driven:
            raise BackbeatError(
                f"{where}: efforts has {name}, to which the URDF gives a motor with an "
                "effort limit; change that by an overlay"
            )
        joint = plant.GetJointByName(name, instance)
        plant.AddJointActuator(f"{name}_motor", joint, effort)
    if not robot.efforts:
        return ()
    return (f"efforts of the robot YAML drive {listed([*robot.efforts])}",)


def _tell_once(path: Path, heard: Sequence[str]) -> None:
    """Says what Drake warned of when it read shapes, and notes do not have."""
    for sentence in heard:
        key = path, _without_place(sentence)
        if key not in _told:
            _told.add(key)
            logging.getLogger(__name__).warning("%s: %s", path.name, sentence)


def _without_place(sentence: str) -> str:
    return sentence.partition(": ")[2]


def _add_equipment(
    plant: MultibodyPlant,
    parser: Parser,
    description: Path,
    equipment: Sequence[str],
    instance: ModelInstanceIndex,
) -> None:
    """Adds what a robot carries, each item a model instance of its own."""
    robot = load_description(description)
    for items in (equipment_set(robot, name) for name in equipment):
        for name, item in items.items():
            if not item.file:
                continue
            parser.SetAutoRenaming(True)
            (added,) = _add_item(parser, description.parent / item.file)
            plant.RenameModelInstance(added, name)
            root = plant.get_body(plant.GetBodyIndices(added)[0])
            parent = plant.GetFrameByName(item.parent, instance)
            plant.WeldFrames(
                parent, root.body_frame(), pose_of(item.position, item.rpy)
            )


def _add_item(parser: Parser, path: Path) -> list[ModelInstanceIndex]:
    """Adds what is carried, without meshes that lie elsewhere."""
    described = describe(path)
    check_connections(described, {}, ())
    for package, folder in packages(described).items():
        if not parser.package_map().Contains(package):
            parser.package_map().Add(package, str(folder))
    text, _ = readable(described) if described.links else ("", ())
    return _parse(parser, path, text)


def _contact_links(
    robot: RobotDescription, equipment: Sequence[str], points_alone: bool = False
) -> set[str]:
    """Links and frames that contacts are on, or those that are points."""
    items = [i for name in equipment for i in equipment_set(robot, name).values()]
    groups = [robot.contacts, *(item.contacts for item in items)]
    contacts = [c for group in groups for c in group.values()]
    return {c.link for c in contacts if not (points_alone and c.half_length > 0)}


def _read_alone(path: Path) -> MultibodyPlant:
    """A model in a plant of its own, with the constraints that only SAP has."""
    plant = MultibodyPlant(1e-3)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    parser = Parser(plant)
    parser.package_map().AddPackageXml(str(PACKAGE_XML))
    parser.AddModels(str(path))
    return plant


def _parse(parser: Parser, path: Path, text: str = "") -> list[ModelInstanceIndex]:
    """Adds the models of a file, or of a text in its place."""
    is_foreign = not text and path.suffix != ".urdf"
    if is_foreign:
        refuse_foreign_files(path)
    try:
        if is_foreign:
            refuse_foreign_connections(path, _read_alone(path))
        if text:
            return list(parser.AddModelsFromString(text, "urdf"))
        return list(parser.AddModels(str(path)))
    except RuntimeError as error:
        # Drake names file and line; those of a text are no file's.
        said = str(error).strip().splitlines()[0]
        said = re.sub(r"^<literal-string>\S*: error: ", f"{path}: ", said)
        raise BackbeatError(said) from None


def find_frame(plant: MultibodyPlant, name: str) -> Frame:
    """A frame by name: "frame", "item::frame", or an item's root by its name.

    Raises:
        BackbeatError: no such frame.
    """
    item, _, frame = name.rpartition("::")
    if not item and plant.HasFrameNamed(frame):
        return plant.GetFrameByName(frame)
    if item and plant.HasModelInstanceNamed(item):
        instance = plant.GetModelInstanceByName(item)
        if plant.HasFrameNamed(frame, instance):
            return plant.GetFrameByName(frame, instance)
    if not item and plant.HasModelInstanceNamed(name):
        instance = plant.GetModelInstanceByName(name)
        return plant.get_body(plant.GetBodyIndices(instance)[0]).body_frame()
    instances = range(plant.num_model_instances())
    known = {
        plant.get_frame(i).name()
        for k in instances
        for i in plant.GetFrameIndices(ModelInstanceIndex(k))
    }
    raise unknown_name("frame", name, known - {""})


def equipment_set(
    robot: RobotDescription, name: str
) -> dict[str, EquipmentDescription]:
    """The items of a set, by name.

    Raises:
        BackbeatError: no such set.
    """
    if name not in robot.equipment:
        raise unknown_name("equipment", name, robot.equipment)
    return robot.equipment[name]


def pose_of(position: Sequence[float], rpy: Sequence[float]) -> RigidTransform:
    """A pose from a position [m] and roll, pitch and yaw [rad]."""
    return RigidTransform(RollPitchYaw(np.array(rpy, float)), np.array(position, float))
