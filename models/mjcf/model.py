"""MujocoModel: MuJoCo's model of a simulated world, and which of it is which."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydrake.systems.framework import Context

from backbeat.models.collision.patch_geometry import support_body
from backbeat.models.contact.cones import STICK_TIP
from backbeat.models.kit.drum_kit import CHAIR, KIT
from backbeat.models.kit.pedals import AXLE, HINGE
from backbeat.models.mjcf.contact import GRIP, ContactLaw, struck_reference
from backbeat.models.mjcf.package import load_mujoco
from backbeat.models.mjcf.shapes import PlacedShape, add_shape, placed_shapes
from backbeat.models.mjcf.tree import BodyTree
from backbeat.models.world.scene import Scene, World

# Whose contact law counts where two shapes touch: the struck before the standing
# before what moves.
_MOVING, _STANDING, _STRUCK = range(3)
# A head is rigid throughout, that its law does not change with depth.
_HEAD_IMPEDANCE = (0.99, 0.99, 1e-3, 0.5, 2.0)


@dataclass(frozen=True)
class MujocoModel:
    """A compiled model.

    Attributes:
        mujoco: the module.
        spec: the specification that it was compiled from.
        model: `MjModel`.
        world: that it is of.
        shapes: shape by number of its `geom`.
        supports: numbers of the geoms whose friction soles feel: soles, ground, chair.
        grips: numbers of the pairs of such geoms of which one carries weight.
        bodies: number of MuJoCo's body by number of the plant's.
    """

    mujoco: Any
    spec: Any
    model: Any
    world: World
    shapes: tuple[PlacedShape, ...]
    supports: np.ndarray
    grips: np.ndarray
    bodies: Mapping[int, int]


def make_model(
    world: World, scene: Scene, context: Context, law: ContactLaw, time_step: float
) -> MujocoModel:
    """Translates a simulated world.

    Args:
        world: robot, ground and scene, finalized.
        scene: what stands on the ground there.
        context: of its plant: masses, damping and locked joints are those in it.
        law: how contact yields.
        time_step: of the simulation [s].

    Raises:
        BackbeatError: MuJoCo is not installed, or has no counterpart of something.
    """
    mujoco, plant = load_mujoco(), world.plant
    spec = mujoco.MjSpec()
    spec.modelname, spec.compiler.degree = world.robot.name, False
    spec.option.gravity = plant.gravity_field().gravity_vector()
    spec.option.timestep, spec.option.impratio = time_step, law.impratio
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    # It takes springs and contacts at the end of a step, as Drake does.
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    # Which links touch, the plant says.
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    tree = BodyTree(mujoco, spec, plant, context)
    tree.add_motors(spec, world.instance)
    for f in world.robot.followers:
        tree.couple(spec, f.name, f.leader, f.multiplier, f.offset)
    if scene.name:
        for pedal in scene.drum_kit().pedals():
            names = f"{pedal.member}{AXLE}", f"{pedal.member}{HINGE}"
            tree.couple(spec, *names, *pedal.coupling)
    shapes = placed_shapes(world)
    surfaces = _Surfaces(world, scene, law, shapes)
    for shape in shapes:
        geom = add_shape(mujoco, spec, tree.bodies[shape.body], world, shape)
        surfaces.cover(geom, shape)
    _name_pairs(spec, world, tree, shapes, surfaces)
    model = spec.compile()
    by_name = {s.name: s for s in shapes}
    ordered = tuple(by_name[model.geom(i).name] for i in range(model.ngeom))
    supports = [i for i, s in enumerate(ordered) if s.body in surfaces.supports]
    grips = [
        i
        for i, (a, b) in enumerate(zip(model.pair_geom1, model.pair_geom2, strict=True))
        if surfaces.grip(ordered[a], ordered[b])
    ]
    bodies = {k: model.body(b.name).id for k, b in tree.bodies.items()}
    numbers = np.array(supports, int), np.array(grips, int)
    return MujocoModel(mujoco, spec, model, world, ordered, *numbers, bodies)


class _Surfaces:
    """Gives shapes friction and contact law.

    MuJoCo takes both of one of two shapes that touch. What stands has those that it
    has together with soles, heads and cymbals those with tips, and links of a robot,
    which touch each other, their own.
    """

    def __init__(
        self, world: World, scene: Scene, law: ContactLaw, shapes: list[PlacedShape]
    ) -> None:
        plant, robot, self._law = world.plant, world.robot, law
        self._ground = int(plant.world_body().index())
        soles = {int(support_body(plant, robot, n).index()) for n in robot.patches}
        self._sole_friction = [s.friction for s in shapes if s.body in soles]
        self._patches = soles
        self.supports, self._members = {self._ground, *soles}, {}
        self._standing = {self._ground}
        if not scene.name:
            return
        kit, instance = scene.drum_kit(), plant.GetModelInstanceByName(KIT)
        for name, member in kit.members.items():
            body = plant.GetBodyByName(name, instance)
            self._members[int(body.index())] = member
        if plant.HasBodyNamed(CHAIR):
            chair = int(plant.GetBodyByName(CHAIR).index())
            self.supports.add(chair)
            self._standing.add(chair)
        boards = [plant.GetBodyByName(p.board) for p in kit.pedals()]
        self._standing |= {int(b.index()) for b in boards}

    def grip(self, one: PlacedShape, other: PlacedShape) -> bool:
        """Whether one of two shapes carries the robot on the other."""
        return (one.body in self._patches and other.body in self._standing) or (
            other.body in self._patches and one.body in self._standing
        )

    def cover(self, geom: Any, shape: PlacedShape) -> None:
        """Sets what a geom is made of."""
        own, other = shape.friction, shape.friction
        geom.solref, geom.solimp = self._law.solref, self._law.solimp
        geom.priority = _MOVING
        if shape.body in self._members:
            member = self._members[shape.body]
            geom.priority, other = _STRUCK, STICK_TIP.friction
            tip = STICK_TIP.stiffness
            both = member.stiffness * tip / (member.stiffness + tip)
            geom.solref = struck_reference(both, member.restitution)
            geom.solimp = _HEAD_IMPEDANCE
        elif shape.body in self._standing and self._sole_friction:
            geom.priority, other = _STANDING, self._sole_friction[0]
        geom.friction[0] = 2.0 * own * other / (own + other)


def _name_pairs(
    spec: Any,
    world: World,
    tree: BodyTree,
    shapes: list[PlacedShape],
    surfaces: _Surfaces,
) -> None:
    """Lets those shapes touch that do so in the plant.

    Where some shapes of two bodies touch and others do not, or where they have
    friction of their own, the bodies are kept apart but for pairs that are named.
    """
    inspector = world.scene_graph.model_inspector()
    of_body: dict[int, list[PlacedShape]] = {}
    for shape in shapes:
        of_body.setdefault(shape.body, []).append(shape)
    bodies = sorted(of_body)
    for i, a in enumerate(bodies):
        for b in bodies[i + 1 :]:
            pairs = [(s, t) for s in of_body[a] for t in of_body[b]]
            touching = [
                (s, t)
                for s, t in pairs
                if not inspector.CollisionFiltered(s.geometry, t.geometry)
            ]
            grips = surfaces.grip(*pairs[0])
            if len(touching) == len(pairs) and not grips:
                continue
            names = tree.bodies[a].name, tree.bodies[b].name
            spec.add_exclude(bodyname1=names[0], bodyname2=names[1])
            for s, t in touching:
                _add_pair(spec, s, t, grips)


def _add_pair(spec: Any, one: PlacedShape, other: PlacedShape, grips: bool) -> None:
    """Lets two shapes touch with what MuJoCo would give them of its own.

    Args:
        spec: `MjSpec` of the shapes.
        one, other: the shapes.
        grips: whether their friction has a time constant of its own.
    """
    geoms = sorted(
        (spec.geom(one.name), spec.geom(other.name)), key=lambda g: g.priority
    )
    rules = geoms[-1]
    made = spec.add_pair(
        geomname1=one.name,
        geomname2=other.name,
        condim=3,
        friction=rules.friction[[0, 0, 1, 2, 2]],
        solref=rules.solref,
        solimp=rules.solimp,
    )
    if grips:
        made.solreffriction = GRIP
