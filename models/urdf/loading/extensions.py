"""URDF extensions: elements that Drake's reader ignores, applied to the plant.

    differential transmissions  become actuators, as simple ones are for Drake
    no transmission at all      every joint with an effort is driven
    floating joints             are made; at the world, the link's default pose is set
    gravity                     off where all links say so; on where light ones do

`backbeat.models.urdf.loading.surfaces` does the same for what touches,
`backbeat.models.robot.model` for mimic, friction, safety controllers and `static`.
Whatever is done otherwise than written is said in a note, and what cannot be done is
refused.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    ModelInstanceIndex,
    QuaternionFloatingJoint,
)

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.checks.loading_checks import check_loading
from backbeat.models.urdf.reading.description import (
    SINGLE,
    WORLD,
    Description,
    Joint,
    Pose,
    listed,
)
from backbeat.models.urdf.reading.document import read_document
from backbeat.models.urdf.reading.parsing import read_leniently, refuse_errors

SIMPLE, DIFFERENTIAL = "SimpleTransmission", "DifferentialTransmission"
# Warnings of Drake's reader about what we do in its place.
_APPLIED = (
    "non-zero value for the 'friction' attribute",
    "a type that isn't 'SimpleTransmission'",
    "The tag 'safety_controller'",
    "specified as type floating",
)
# Warnings of Drake's reader that are reported one by one.
MOST_WARNINGS = 8
# Share of a model's mass that gravity is put on although it should be off.
LIGHT = 0.1
# What Drake calls a text that it reads in place of a file.
_TEXT = "<literal-string>"
# What Gazebo's worlds take for yes and no.
WORDS = {"true": True, "1": True, "false": False, "0": False}


def describe(path: str | Path) -> Description:
    """The description in a URDF; an empty one for a model in another format.

    Raises:
        BackbeatError: the file is no URDF, or a part of it cannot be read.
    """
    path = Path(path)
    if path.suffix != ".urdf":
        return Description(path, path.stem, {}, {})
    try:
        status = path.stat()
    except OSError as error:
        raise BackbeatError(f"cannot read {path}: {error.strerror}") from None
    return _described(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _described(path: Path, _changed: int, _size: int) -> Description:
    document = read_document(path)
    description, findings = read_leniently(document)
    refuse_errors(path, [*findings, *check_loading(document, description)])
    return description


@contextmanager
def collect_drake_warnings() -> Iterator[list[str]]:
    """Keeps what Drake's reader warns of off the console, and in a list.

    Sentences come once each, with the line of the file; what acts all the same is not
    among them.
    """
    heard: list[str] = []

    def keep(record: logging.LogRecord) -> bool:
        if record.levelno > logging.WARNING:
            return True
        said = " ".join(record.getMessage().split())
        place, _, what = said.rpartition(": warning: ")
        file, _, line = place.rpartition(":")
        # A text in place of a file has lines of its own.
        is_text = _TEXT in file or not line.isdigit()
        where = "" if is_text else f", {Path(file).name} line {line}"
        sentence = f"Drake{where}: {what or said}"
        is_news = record.levelno == logging.WARNING and sentence not in heard
        if is_news and not any(text in said for text in _APPLIED):
            heard.append(sentence)
        return False

    log = logging.getLogger("drake")
    log.addFilter(keep)
    try:
        yield heard
    finally:
        log.removeFilter(keep)
        if heard[MOST_WARNINGS:]:
            more = len(heard) - MOST_WARNINGS
            heard[MOST_WARNINGS:] = [f"Drake: {more} more warnings (`backbeat lint`)"]


def apply_extensions(
    plant: MultibodyPlant, instance: ModelInstanceIndex, description: Description
) -> tuple[str, ...]:
    """Applies the elements that Drake's reader has ignored; returns notes.

    Args:
        plant: plant that is not finalized, with the model in it.
        instance: the model.
        description: what its file says.

    Raises:
        BackbeatError: something that no plant can do.
    """
    return (
        *_drive(plant, instance, description),
        *_float(plant, instance, description),
        *_weigh(plant, instance, description),
    )


def _drive(
    plant: MultibodyPlant, instance: ModelInstanceIndex, description: Description
) -> list[str]:
    """Adds the actuators that Drake does not make."""
    notes = []
    # Drake tells those of an instance only once a plant is final.
    motors = (plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices())
    driven = {m.joint().name() for m in motors if m.model_instance() == instance}
    wanted = []
    for transmission in description.transmissions:
        if transmission.type != SIMPLE:
            wanted += [end.name for end in transmission.joints]
        if transmission.type not in (SIMPLE, DIFFERENTIAL):
            notes.append(
                f"transmission {transmission.name} is a {transmission.type}: its "
                "joints are driven each by itself"
            )
    if not description.transmissions:
        wanted = [
            j.name
            for j in description.joints.values()
            if j.type in SINGLE and _effort(j) > 0 and j.mimic is None
        ]
        if wanted:
            notes.append(
                "no transmission is described: every joint with an effort is driven"
            )
    for name in wanted:
        if name not in driven and name in description.joints:
            joint, effort = description.joints[name], _effort(description.joints[name])
            if joint.type in SINGLE and effort > 0:
                drake = plant.GetJointByName(name, instance)
                plant.AddJointActuator(f"{name}_motor", drake, effort)
                driven.add(name)
    return notes


def _effort(joint: Joint) -> float:
    return 0.0 if joint.limit is None else joint.limit.effort or 0.0


def _float(
    plant: MultibodyPlant, instance: ModelInstanceIndex, description: Description
) -> list[str]:
    """Makes floating joints; Drake leaves their links free, at the origin."""
    notes = []
    for joint in description.joints.values():
        if joint.type == "planar" and joint.limit is not None:
            notes.append(f"joint {joint.name}: limits of a planar joint do not act")
        if joint.type != "floating":
            continue
        body = plant.GetBodyByName(joint.child, instance)
        if joint.parent == WORLD:
            plant.SetDefaultFloatingBaseBodyPose(body, transform(joint.origin))
            continue
        parent = plant.GetFrameByName(joint.parent, instance)
        frame = plant.AddFrame(
            FixedOffsetFrame(f"{joint.name}_parent", parent, transform(joint.origin))
        )
        plant.AddJoint(QuaternionFloatingJoint(joint.name, frame, body.body_frame()))
    return notes


def transform(pose: Pose) -> RigidTransform:
    """A pose as Drake writes it."""
    return RigidTransform(RollPitchYaw(pose.rpy), pose.xyz)


def _weigh(
    plant: MultibodyPlant, instance: ModelInstanceIndex, description: Description
) -> list[str]:
    """Takes gravity from a model whose links all say so.

    Drake has it for all of a model or for none. Where a few light links are without,
    as fingers of a gripper are whose motors would be too weak in Gazebo, it is on.
    """
    without = [name for name in description.links if not has_gravity(description, name)]
    if not without:
        return []
    heavy = [
        name
        for name, link in description.links.items()
        if name not in without and link.inertial is not None and link.inertial.mass
    ]
    if heavy:
        light = [name for name in without if _mass(description, name)]
        mass = sum(_mass(description, name) for name in light)
        total = mass + sum(_mass(description, name) for name in heavy)
        weighs = f"{listed(without)} ({mass:.3g} of {total:.3g} kg)"
        if mass <= LIGHT * total:
            return [
                f"gravity acts on {weighs} too, for which <gazebo> turns it off: a "
                "model has it for all of its links or for none"
            ]
        raise BackbeatError(
            f"{description.path}: gravity is off for the link {without[0]!r} and on "
            f"for {heavy[0]!r}; a model has it for all of its links or for none, and "
            f"{weighs} are too heavy to put it on. Take <turnGravityOff> and <gravity> "
            "out of their <gazebo>, or write it for every link"
        )
    plant.set_gravity_enabled(instance, False)
    return []


def _mass(description: Description, link: str) -> float:
    inertial = description.links[link].inertial
    return 0.0 if inertial is None else inertial.mass or 0.0


def has_gravity(description: Description, link: str) -> bool:
    """Whether gravity acts on a link, by its <gazebo> elements."""
    off = flag(description, link, "turnGravityOff")
    on = flag(description, link, "gravity")
    return on is not False and off is not True


def is_static(description: Description) -> bool:
    """Whether <gazebo> says that the model does not move from its place."""
    return flag(description, "", "static") is True


def flag(description: Description, reference: str, name: str) -> bool | None:
    """A yes or no of the <gazebo> elements of a link, or ("") of the robot.

    Raises:
        BackbeatError: it is neither.
    """
    for gazebo in description.gazebo_of(reference):
        text = gazebo.text(name)
        if text is not None:
            word = text.strip().lower()
            if word not in WORDS:
                raise BackbeatError(
                    f"{description.path} line {gazebo.line}: <{name}> is {text!r}; it "
                    "must be true or false"
                )
            return WORDS[word]
    return None


def number(description: Description, link: str, name: str) -> float | None:
    """A number of the <gazebo> elements of a link; None if there is none.

    Raises:
        BackbeatError: it is no number, or below zero.
    """
    for gazebo in description.gazebo_of(link):
        text = gazebo.text(name)
        if text is not None:
            try:
                value = float(text)
            except ValueError:
                value = -1.0
            if not 0.0 <= value < float("inf"):
                raise BackbeatError(
                    f"{description.path} line {gazebo.line}: <{name}> is {text!r}; it "
                    "must be a number of at least 0"
                )
            return value
    return None
