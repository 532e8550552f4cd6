"""The simulated world of a run: a `ModelMismatch` with its random values for a seed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.ground import Ground
from backbeat.mpc.disturbances.draws import Stream, either_way, random_stream
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.model_mismatch import ANY_JOINT, ModelMismatch
from backbeat.mpc.world.uneven_ground import draw_ground


@dataclass(frozen=True)
class SimulatedWorld:
    """Values of the simulation that differ from the model.

    Attributes:
        ground: the ground.
        soles: X_WC of the soles at the start, where that is not as planned.
        moved: how far drums stand from their place [m], by name.
        effort_limits: (nj,) what the joints give [N m].
        weak_joint: the joint that gives less, or "".
    """

    ground: Ground
    soles: Mapping[str, RigidTransform]
    moved: Mapping[str, np.ndarray]
    effort_limits: np.ndarray
    weak_joint: str


@dataclass(frozen=True)
class WorldDraw:
    """What the world of a run is drawn from.

    Attributes:
        error: how far it may be from what the plan believes.
        friction: coefficient between soles and ground where nothing is drawn.
        seed: of the run.
    """

    error: ModelMismatch
    friction: float
    seed: int


def draw_world(draw: WorldDraw, reference: Reference) -> SimulatedWorld:
    """Draws the world of a run.

    Raises:
        BackbeatError: an unknown drum or joint, or ground that cannot be.
    """
    error, seed = draw.error, draw.seed
    ground, soles = draw_ground(error, seed, reference, draw.friction)
    limits, joint = reference.robot.effort_limits.copy(), ""
    if error.weak_joint:
        joint = draw_joint(error, seed, reference.robot)
        limits[reference.robot.joint_index(joint)] *= error.weak_share
    moved = draw_kit(error, seed, reference.behavior)
    return SimulatedWorld(ground, soles, moved, limits, joint)


def draw_joint(error: ModelMismatch, seed: int, robot: RobotModel) -> str:
    """The joint that is weak: the one named, or one drawn from a group."""
    choice = (
        np.arange(robot.num_joints)
        if error.weak_joint == ANY_JOINT
        else robot.joint_indices([error.weak_joint])
    )
    drawn = random_stream(seed, Stream.JOINT).integers(len(choice))
    return robot.joint_names[int(choice[drawn])]


def draw_kit(
    error: ModelMismatch, seed: int, behavior: Behavior
) -> dict[str, np.ndarray]:
    """How far drums stand from their place [m]; {} for a behavior without a kit."""
    if error.drum_shift == 0 or not behavior.scene.name:
        return {}
    kit = behavior.scene.drum_kit()
    random = random_stream(seed, Stream.DRUM)
    played = sorted({e.what for e in behavior.strikes()})
    name = error.drum or str(random.choice(played or sorted(kit.members)))
    kit.member(name)
    direction = either_way(random, np.pi)
    shift = [np.cos(direction), np.sin(direction), 0.0]
    return {name: error.drum_shift * np.array(shift)}


def simulated_kit(error: ModelMismatch, seed: int, behavior: Behavior) -> DrumKit:
    """The kit as it stands in a run."""
    return behavior.scene.drum_kit(draw_kit(error, seed, behavior))
