"""The collision shapes of Atlas: where they are, and which of them may touch."""

from pathlib import Path

import pytest
from numpy.testing import assert_allclose
from pydrake.geometry import Box, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

URDF = Path(__file__).parents[2] / "models" / "robots" / "atlas" / "atlas_v5.urdf"

LEG = ["hpz", "hpx", "hpy", "kny", "aky", "akx"]
STRAIGHT = dict.fromkeys(LEG, 0.0)
SEATED = dict(zip(LEG, [0.032, 0.021, -1.473, 1.486, -0.013, -0.020], strict=True))
STANDING = dict(zip(LEG, [-0.002, 0.011, -0.538, 1.082, -0.544, -0.010], strict=True))


@pytest.fixture(scope="module")
def scene():
    """Floating Atlas with its collision shapes: plant, scene graph, diagram."""
    builder = DiagramBuilder()
    model, scene_graph = AddMultibodyPlantSceneGraph(builder, 0.001)
    Parser(model).AddModels(str(URDF))
    model.Finalize()
    return model, scene_graph, builder.Build()


@pytest.mark.parametrize(("side", "sign"), [("l", 1.0), ("r", -1.0)])
def test_contact_corners_end_on_the_sole_plane(scene, side, sign):
    """A foot has four spheres whose lowest points are the sole's corners, and a box."""
    model, scene_graph, _ = scene
    inspector = scene_graph.model_inspector()
    shapes = model.GetCollisionGeometriesForBody(model.GetBodyByName(f"{side}_foot"))
    spheres = [i for i in shapes if isinstance(inspector.GetShape(i), Sphere)]
    boxes = [i for i in shapes if isinstance(inspector.GetShape(i), Box)]
    points = []
    for i in spheres:
        center = inspector.GetPoseInFrame(i).translation()
        points.append(tuple(center - [0.0, 0.0, inspector.GetShape(i).radius()]))
    corners = [
        (x, sign * y, -0.07645) for x in (-0.0877, 0.1728) for y in (-0.0626, 0.0661)
    ]
    assert len(boxes) == 1
    assert_allclose(sorted(points), sorted(corners), atol=1e-12)


@pytest.mark.parametrize(
    ("legs", "height"), [(STRAIGHT, 0.93845), (SEATED, 0.65), (STANDING, 0.85)]
)
def test_nothing_touches_in_ordinary_postures(scene, legs, height):
    """No collision pair penetrates in the zero, the seated and the standing posture."""
    model, scene_graph, diagram = scene
    root = diagram.CreateDefaultContext()
    context = model.GetMyContextFromRoot(root)
    for name, angle in legs.items():
        model.GetJointByName(f"l_leg_{name}").set_angle(context, angle)
        image = -angle if name[-1] in "xz" else angle
        model.GetJointByName(f"r_leg_{name}").set_angle(context, image)
    pelvis = model.GetBodyByName("pelvis")
    model.SetFreeBodyPose(context, pelvis, RigidTransform([0.0, 0.0, height]))
    query = scene_graph.get_query_output_port().Eval(
        scene_graph.GetMyContextFromRoot(root)
    )
    assert query.ComputePointPairPenetration() == []


def test_limbs_do_collide_with_each_other(scene):
    """Filters are narrow: hand and head, thigh and thigh, arm and chest can touch."""
    model, scene_graph, _ = scene
    inspector = scene_graph.model_inspector()
    for one, other in (
        ("r_hand", "head"),
        ("r_hand", "l_uleg"),
        ("l_uleg", "r_uleg"),
        ("r_foot", "l_foot"),
        ("l_larm", "utorso"),
        ("l_ufarm", "pelvis"),
        ("l_hand", "r_hand"),
    ):
        shapes = [
            model.GetCollisionGeometriesForBody(model.GetBodyByName(name))[0]
            for name in (one, other)
        ]
        assert not inspector.CollisionFiltered(*shapes), (one, other)
