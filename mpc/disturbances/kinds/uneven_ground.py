"""UnevenGround: a separate piece of ground under every foothold, not as planned."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key
from backbeat.models.dynamics.rotations import rotation_exp
from backbeat.models.world.ground import Block, Ground, plane_height, surface_friction
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.draws import Stream, either_way, random_stream
from backbeat.mpc.disturbances.simulated_world import SimulatedWorld
from backbeat.mpc.reference.trajectory import Reference

# What a block of ground has around the sole that is planned on it [m]. Two soles
# side by side, 0.226 m apart, then stand on blocks that do not touch.
MARGIN = 0.04
# Two footholds of a sole closer than this are one [m].
SAME_PLACE = 0.05
# How far blocks stand out of the plane at least, so that soles touch them alone [m].
STAND_OUT = 0.002


@dataclass
class UnevenGround(Disturbance):
    """Ground, and friction on it, that differ from foothold to foothold."""

    name: ClassVar[str] = "ground"
    card: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "ground +-1 cm": {"world.step_height": 0.01, "world.tilt_deg": 2.0}
    }

    step_height: float = key(0.0, "m", ge=0, le=0.3)
    """Height of the ground under each foothold, drawn between minus and plus this."""
    tilt_deg: float = key(0.0, "deg", ge=0, le=30.0)
    """Tilt of the ground under each foothold, in a direction drawn for each."""
    slope_deg: float = key(0.0, "deg", ge=0, le=30.0)
    """Slope of the whole ground, in a drawn direction, about the initial position."""
    patch_friction: list[float] = key(list)
    """Friction of soles on footholds, drawn between two values; [] leaves it
    unchanged."""
    patch_share: float = key(1.0, ge=0, le=1.0)
    """Share of the footholds that have it."""

    def check(self) -> None:
        """Raises a BackbeatError about friction without a lowest and a highest."""
        if self.patch_friction:
            ends = np.array(self.patch_friction)
            if len(ends) != 2 or not (ends > 0).all() or not ends[0] <= ends[1] < 10:
                raise BackbeatError(
                    "scenario: world.patch_friction needs the lowest and the highest "
                    f"friction, for instance [0.2, 0.3]; not {self.patch_friction}"
                )

    def why_fixed(self, settings: Collection[str]) -> str:
        """Friction is fixed where each foothold has its own."""
        if not self.patch_friction or "friction" not in settings:
            return ""
        return (
            "this scenario draws the friction of every foothold "
            "(world.patch_friction): it cannot be changed in the run"
        )

    def change_world(self, world: SimulatedWorld) -> None:
        """Lays the ground.

        Raises:
            BackbeatError: a friction that no ground could give with these soles.
        """
        drawn = draw_ground(self, world.seed, world.reference, world.friction)
        world.ground, world.soles = drawn


@dataclass(frozen=True)
class GroundPiece:
    """Where the behavior puts a sole down.

    Attributes:
        contact: name of the sole.
        X_WC: planned frame of the sole there.
        is_start: whether the robot begins on it.
    """

    contact: str
    X_WC: RigidTransform
    is_start: bool


def find_footholds(reference: Reference) -> list[GroundPiece]:
    """Every place on which a sole stands in a behavior, in order of sole and time."""
    robot, table = reference.robot, reference.table
    found: list[GroundPiece] = []
    for name in robot.soles:
        if name not in reference.patches:
            continue
        c = reference.patches.index(name)
        on = table.standing[:, c].astype(bool)
        mine: list[GroundPiece] = []
        for i in np.where(on & ~np.r_[False, on[:-1]])[0]:
            p = table.p_contact[i, c]
            known = [f.X_WC.translation() for f in mine]
            if any(np.linalg.norm(p - k) < SAME_PLACE for k in known):
                continue
            X_WC = RigidTransform(RotationMatrix(table.R_contact[i, c]), p)
            mine.append(GroundPiece(name, X_WC, bool(i == 0)))
        found += mine
    return found


def draw_ground(
    error: UnevenGround, seed: int, reference: Reference, friction: float
) -> tuple[Ground, dict[str, RigidTransform]]:
    """The ground of a run, and where the soles of the start are on it.

    Args:
        error: how far it may differ from the plan.
        seed: seed of the scenario.
        reference: the behavior.
        friction: friction coefficient of soles elsewhere.

    Returns:
        The ground, and X_WC of the soles that stand at the start, by name; none of
        them if the ground is where the plan has it.

    Raises:
        BackbeatError: a friction that no ground could give with these soles.
    """
    is_uneven = error.step_height > 0 or error.tilt_deg > 0
    shape = is_uneven or error.slope_deg > 0
    footholds = find_footholds(reference)
    if not (shape or error.patch_friction) or not footholds:
        return Ground(), {}
    slope = random_stream(seed, Stream.SLOPE)
    places = [f.X_WC.translation() for f in footholds if f.is_start]
    pivot = np.mean(places, axis=0) * [1, 1, 0] if places else np.zeros(3)
    X_WG = RigidTransform(_tilted(np.radians(error.slope_deg), slope), pivot)
    if error.patch_friction and error.patch_friction[1] >= 2 * friction:
        raise BackbeatError(
            f"scenario: no ground gives soles of friction {friction} as much as "
            f"world.patch_friction {error.patch_friction[1]}"
        )
    blocks = _draw_blocks(error, seed, reference, X_WG, footholds, friction)
    starts = {
        f.contact: b.X_WT
        for f, b in zip(footholds, blocks, strict=True)
        if f.is_start and shape
    }
    if not is_uneven and not error.patch_friction:
        return Ground(X_WG), starts
    reach = max(np.hypot(b.length, b.width) for b in blocks) / 2
    drop = error.step_height + reach * np.sin(np.radians(error.tilt_deg)) + STAND_OUT
    lower = X_WG @ RigidTransform([0.0, 0.0, -drop])
    return Ground(lower, tuple(blocks)), starts


def _draw_blocks(
    error: UnevenGround,
    seed: int,
    reference: Reference,
    X_WG: RigidTransform,
    footholds: Sequence[GroundPiece],
    friction: float,
) -> list[Block]:
    """A block under each foothold; X_WG is the plane from which they differ."""
    height = random_stream(seed, Stream.HEIGHT)
    tilt = random_stream(seed, Stream.TILT)
    slip = random_stream(seed, Stream.FRICTION)
    blocks = []
    for foothold in footholds:
        rise = either_way(height, error.step_height)
        R_tilt = _tilted(np.radians(error.tilt_deg), tilt)
        X_WT = _surface(X_WG, foothold.X_WC, rise, R_tilt)
        # Drawn in any case, so that the share does not change the others' friction.
        chance, level = slip.uniform(), slip.uniform()
        mu = None
        if error.patch_friction and chance < error.patch_share:
            low, high = error.patch_friction
            mu = surface_friction(low + level * (high - low), friction)
        patch = reference.robot.contacts[foothold.contact]
        length, width = patch.half_length + MARGIN, patch.half_width + MARGIN
        block = Block(X_WT, 2 * length, 2 * width, mu)
        for other in (f for f in footholds if f.is_start and not foothold.is_start):
            sole = reference.robot.contacts[other.contact].corners()
            block = _cut_free(block, other.X_WC.multiply(sole.T).T)
        blocks.append(block)
    return blocks


def _cut_free(block: Block, corners: np.ndarray) -> Block:
    """A block without what would be under a sole (4, 3) that stands beside it.

    A robot that begins on one block would be inside another that is higher.
    """
    sole = block.X_WT.inverse().multiply(corners.T)[:2]
    low, high = sole.min(axis=1) - MARGIN, sole.max(axis=1) + MARGIN
    half = 0.5 * np.array([block.length, block.width])
    if (low >= half).any() or (high <= -half).any():
        return block
    # What is left in front of, behind, and beside the sole; the largest remains.
    ends = [
        (i, a, b) for i in range(2) for a, b in ((high[i], half[i]), (-half[i], low[i]))
    ]
    i, a, b = max(ends, key=lambda end: (end[2] - end[1]) / half[end[0]])
    center, size = np.zeros(3), 2 * half
    center[i], size[i] = 0.5 * (a + b), b - a
    X_WT = block.X_WT @ RigidTransform(center)
    return replace(block, X_WT=X_WT, length=float(size[0]), width=float(size[1]))


def _tilted(angle: float, random: np.random.Generator) -> RotationMatrix:
    """Rotation by an angle about a horizontal axis that is drawn."""
    direction, R = either_way(random, np.pi), np.zeros((3, 3))
    axis = np.array([np.cos(direction), np.sin(direction), 0.0])
    rotation_exp(angle * axis, R)
    return RotationMatrix(R)


def _surface(
    X_WG: RigidTransform, X_WC: RigidTransform, rise: float, R_tilt: RotationMatrix
) -> RigidTransform:
    """Frame of the real ground at a planned foothold, its x axis along the sole."""
    place = X_WC.translation()
    z = place[2] + plane_height(X_WG, place[0], place[1]) + rise
    yaw = RollPitchYaw(X_WC.rotation()).yaw_angle()
    R_WT = X_WG.rotation() @ R_tilt @ RotationMatrix.MakeZRotation(yaw)
    return RigidTransform(R_WT, [place[0], place[1], z])
