"""Surfaces as <gazebo> describes them, as Drake's proximity properties.

    mu1, mu2        one coefficient of friction; where they differ, the lower one
    kp, kd          stiffness k [N/m] and damping c [N s/m] of a point contact
    selfCollide     whether links of one model touch each other

Gazebo damps a contact by c times its rate. For Drake's SAP that is a relaxation time
c / k; Hunt and Crossley's models have a force k x (1 + d x'), the same at a depth x of
`DEPTH` with d = c / (k x).
"""

from collections.abc import Collection
from dataclasses import replace

from pydrake.geometry import CollisionFilterDeclaration, GeometrySet, SceneGraph
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from backbeat.models.contact.cones import (
    ContactMaterial,
    assign_material,
    collision_shapes,
)
from backbeat.models.urdf.loading.extensions import flag, number
from backbeat.models.urdf.reading.description import Description

# Depth at which both laws of damping agree [m].
DEPTH = 1e-3


def described_material(
    description: Description, link: str, usual: ContactMaterial
) -> ContactMaterial:
    """What a link is made of, by its <gazebo> elements; `usual` where they say nothing.

    Raises:
        BackbeatError: a value is no number, or a stiffness is zero.
    """
    given = {k: number(description, link, k) for k in ("mu1", "mu2", "kp", "kd")}
    frictions = [mu for mu in (given["mu1"], given["mu2"]) if mu is not None]
    material = replace(usual, friction=min(frictions)) if frictions else usual
    stiffness, damping = given["kp"], given["kd"]
    if stiffness:
        material = replace(material, stiffness=stiffness)
    if damping is not None:
        relaxation_time = damping / material.stiffness
        material = replace(
            material,
            relaxation_time=relaxation_time,
            dissipation=relaxation_time / DEPTH,
        )
    return material


def apply_surface_extensions(
    plant: MultibodyPlant,
    graph: SceneGraph,
    instance: ModelInstanceIndex,
    description: Description,
    usual: ContactMaterial,
    apart_from: Collection[str] = (),
) -> tuple[str, ...]:
    """Gives links what they are made of, and lets them touch or not; returns notes.

    Args:
        plant: plant with the model.
        graph: its scene graph.
        instance: the model.
        description: what its file says.
        usual: material of links of which it says nothing of the kind.
        apart_from: links whose material is left as it is.
    """
    notes = []
    for name in description.links:
        mu1, mu2 = (number(description, name, k) for k in ("mu1", "mu2"))
        if mu1 is not None and mu2 is not None and mu1 != mu2:
            notes.append(f"link {name}: of mu1 and mu2 the lower one acts both ways")
        material = described_material(description, name, usual)
        if material == usual or not plant.HasBodyNamed(name, instance):
            continue
        if name in apart_from:
            notes.append(f"link {name}: its contact is that of soles, not of <gazebo>")
            continue
        assign_material(plant, graph, plant.GetBodyByName(name, instance), material)
    _part(plant, graph, instance, description)
    return tuple(notes)


def _part(
    plant: MultibodyPlant,
    graph: SceneGraph,
    instance: ModelInstanceIndex,
    description: Description,
) -> None:
    """Keeps links from touching that do not collide with their own model.

    Two links touch where either says so, as Gazebo has it, and where neither says
    anything, as Drake has it.
    """
    inspector = graph.model_inspector()
    shapes = {
        name: GeometrySet(
            collision_shapes(plant, inspector, plant.GetBodyByName(name, instance))
        )
        for name in description.links
        if plant.HasBodyNamed(name, instance)
    }
    said = {name: flag(description, name, "selfCollide") for name in shapes}
    filters = graph.collision_filter_manager()
    for name in (n for n, s in said.items() if s is False):
        for other in (n for n, s in said.items() if s is not True and n != name):
            filters.Apply(
                CollisionFilterDeclaration().ExcludeBetween(shapes[name], shapes[other])
            )
