"""Distances of the planner's collision model against Drake's geometry engine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from pydrake.geometry import Box, Capsule, Cylinder, Sphere
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.collision.distances import signed_distance
from backbeat.models.collision.making import (
    BEADS,
    POINT,
    THIN,
    cover,
    make_collision_model,
    make_self_collision_model,
)
from backbeat.models.collision.shapes import BOX, CAPSULE, CYLINDER, FAR, NOTHING, WORLD
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.loading import add_robot
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from tests.tolerances import DRAKE_DISTANCE, EXACT, ONE_SIDED

ARMS = [f"{s}_{x}" for s in "lr" for x in ("larm", "ufarm", "lfarm", "hand", "stick")]
SIZES = {CYLINDER: (0.2, 0.1, 0.0), CAPSULE: (0.1, 0.3, 0.0), BOX: (0.1, 0.2, 0.3)}


class Drummer:
    """Atlas with sticks at its kit: the planner's model, and the same in Drake."""

    def __init__(self):
        self.robot = RobotModel("atlas", ("sticks",))
        # Nearer than it is played at: arms anywhere are to meet it.
        self.kit = DrumKit((-0.2, 0.0, 0.3))
        self.model = make_collision_model(self.robot, ARMS, self.kit.solids())
        self.arrays = self.model.arrays()
        builder = DiagramBuilder()
        self.plant, self.scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
        add_robot(self.plant, self.robot.description, self.robot.equipment)
        for solid in self.kit.solids():
            self.plant.RegisterCollisionGeometry(
                self.plant.world_body(),
                solid.X_PS,
                Cylinder(solid.size[0], 2 * solid.size[1]),
                solid.name,
                CoulombFriction(0.5, 0.5),
            )
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.root = self.diagram.CreateDefaultContext()
        self.inspector = self.scene_graph.model_inspector()

    def random(self, seed):
        """A random configuration in the midst of the kit, arms anywhere."""
        rng = np.random.default_rng(seed)
        q = self.robot.posture("drum-ready")
        q[4:7] += [0.2, 0.0, -0.15] + rng.uniform(-0.1, 0.1, 3)
        arms = 7 + self.robot.joint_indices(["back", "l_arm", "r_arm"])
        low, high = self.robot.position_lower, self.robot.position_upper
        q[arms] = rng.uniform(low, high)[arms - 7]
        return q

    def query(self, q):
        context = self.plant.GetMyContextFromRoot(self.root)
        # The full model moves the same joints in the same order.
        self.plant.SetPositions(context, q)
        return self.scene_graph.get_query_output_port().Eval(
            self.scene_graph.GetMyContextFromRoot(self.root)
        )

    def geometries(self):
        """Drake's solid shapes by the name of the link, item or kit member."""
        found = {}
        for g in self.inspector.GetAllGeometryIds():
            if self.inspector.GetProximityProperties(g) is None:
                continue
            shape = self.inspector.GetShape(g)
            if isinstance(shape, Sphere) and shape.radius() < POINT:
                continue
            body = self.plant.GetBodyFromFrameId(self.inspector.GetFrameId(g))
            name = body.name()
            if name == "stick":
                name = self.plant.GetModelInstanceName(body.model_instance())
            if name == "world":
                name = self.inspector.GetName(g).split("::")[-1]
            found.setdefault(name, set()).add(g)
        return found

    def grown(self, geometry):
        """How much larger planners see a shape [m]."""
        shape = self.inspector.GetShape(geometry)
        is_thin = isinstance(shape, Capsule | Sphere)
        return max(0.0, THIN - shape.radius()) if is_thin else 0.0


@pytest.fixture(scope="module")
def drummer():
    return Drummer()


@pytest.mark.parametrize("seed", range(12))
def test_distances_are_those_of_drake(drummer, seed):
    """Of every sphere from the nearest of all solids it is paired with."""
    q = drummer.random(seed)
    state, query = Configuration(drummer.robot, q), drummer.query(q)
    distances, _ = state.distances(drummer.arrays)
    geometries = drummer.geometries()
    near = 0
    for i, sphere in enumerate(drummer.model.spheres):
        names = {
            s.name
            for j, s in enumerate(drummer.model.solids)
            if drummer.model.pairs[i, j]
        }
        allowed = {g for name in names for g in geometries[name]}
        center = state.pose(sphere.frame).translation()
        found = query.ComputeSignedDistanceToPoint(center, FAR + sphere.radius + THIN)
        gaps = [
            f.distance - sphere.radius - drummer.grown(f.id_G)
            for f in found
            if f.id_G in allowed
        ]
        expected = min([FAR, *gaps])
        near += expected < FAR
        assert distances[i] == pytest.approx(expected, abs=DRAKE_DISTANCE)
    assert near > 3


def test_every_solid_is_where_drake_has_it(drummer):
    """Also those of the feet, whose links have the names of contact patches."""
    q = drummer.random(0)
    state, query = Configuration(drummer.robot, q), drummer.query(q)
    geometries = drummer.geometries()
    names = set()
    for solid in drummer.model.solids:
        X_PS, R = solid.X_PS, solid.X_PS.rotation().matrix()
        X_WS = X_PS
        if solid.body != WORLD:
            frame = Frame(solid.name, solid.body, R, X_PS.translation())
            X_WS = state.pose(frame)
        poses = [query.GetPoseInWorld(g) for g in geometries[solid.name]]
        assert any(X_WS.IsNearlyEqualTo(X, DRAKE_DISTANCE) for X in poses), solid.name
        names.add(solid.name)
    assert {"l_foot", "r_foot", "pelvis", "l_stick", "snare"} <= names


@pytest.mark.parametrize("seed", range(6))
def test_gradients_are_those_of_finite_differences(drummer, seed):
    """Along the manifold, wherever the distance has one on both sides."""
    q, nv = drummer.random(100 + seed), drummer.robot.num_velocities
    state = Configuration(drummer.robot, q)
    here, D = state.distances(drummer.arrays)
    step, moved = 1e-6, np.zeros_like(q)
    sides = np.zeros((2, len(here), nv))
    for j in range(nv):
        for side, sign in enumerate((1.0, -1.0)):
            box_plus(q, np.eye(nv)[j], sign * step, True, moved)
            there, _ = state.update(moved).distances(drummer.arrays)
            sides[side, :, j] = sign * (there - here) / step
    smooth = np.abs(sides[0] - sides[1]).max(axis=1) < ONE_SIDED
    near = here < FAR
    assert (smooth & near).sum() > 0.8 * near.sum() > 2
    middle = sides.mean(axis=0)
    assert_allclose(D[smooth], middle[smooth], rtol=0, atol=ONE_SIDED)
    assert_allclose(D[~near], 0.0, atol=0)


@given(
    st.sampled_from([CYLINDER, CAPSULE, BOX]),
    arrays(float, 3, elements=st.floats(-0.6, 0.6)),
)
def test_each_solid_has_the_textbook_distance(kind, point):
    """Inside and outside, at edges, corners and on the axis."""
    normal = np.zeros(3)
    size = np.array(SIZES[kind])
    d = signed_distance(kind, size, point, normal)
    assert np.isfinite(normal).all()
    assert d == pytest.approx(_distance(kind, size, point), abs=EXACT)


def _distance(kind, size, p):
    """The textbook formula, by another road: project, then measure."""
    if kind == CAPSULE:
        return np.linalg.norm(p - [0, 0, np.clip(p[2], -size[1], size[1])]) - size[0]
    if kind == CYLINDER:
        over = np.array([np.hypot(p[0], p[1]) - size[0], abs(p[2]) - size[1]])
    else:
        over = np.abs(p) - size
    return np.linalg.norm(np.maximum(over, 0)) + min(over.max(), 0.0)


def test_neighbors_and_ones_own_links_are_no_pairs(drummer):
    model = drummer.model
    pairs = {
        (f.link, s.name)
        for i, f in enumerate(model.spheres)
        for j, s in enumerate(model.solids)
        if model.pairs[i, j]
    }
    for one, other in (
        ("l_hand", "l_hand"),
        ("l_stick", "l_hand"),
        ("l_stick", "l_lfarm"),
        ("r_hand", "r_lfarm"),
        ("l_larm", "l_uarm"),
    ):
        assert (one, other) not in pairs, (one, other)
    for one, other in (
        ("l_hand", "r_hand"),
        ("l_stick", "r_stick"),
        ("l_stick", "head"),
        ("r_hand", "utorso"),
        ("l_hand", "l_uleg"),
        *((link, member) for link in ARMS for member in drummer.kit.members),
    ):
        assert (one, other) in pairs, (one, other)


def test_feelers_can_be_restricted(drummer):
    model = drummer.model
    mine = [i for i, f in enumerate(model.spheres) if f.link == "l_hand"]
    part = model.restricted(mine, ["r_hand"])
    assert {f.link for f in part.spheres} == {"l_hand"}
    for j, solid in enumerate(part.solids):
        expected = model.pairs[mine, j] & (solid.name != "r_hand")
        assert (part.pairs[:, j] == expected).all()
    tips = model.spheres_of("l_stick", "tip")
    assert [model.spheres[i].radius for i in tips] == [0.007]


X = RigidTransform(RollPitchYaw(0.3, -0.5, 0.7), [0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("shape", "length", "radius"),
    [
        (Sphere(0.05), 0.0, 0.05),
        (Capsule(0.05, 0.4), 0.4, 0.05),
        (Cylinder(0.05, 0.4), 0.3, 0.05),
        (Cylinder(0.2, 0.1), 0.0, 0.2),
        (Box(0.1, 0.6, 0.08), 0.5, 0.05),
    ],
)
def test_spheres_cover_a_shape_along_its_length(shape, length, radius):
    """Beads from end to end, so close that nothing thick slips between two."""
    beads = cover(shape, X)
    centers = np.array([c for c, _ in beads])
    assert {r for _, r in beads} == {radius}
    assert np.linalg.norm(centers[-1] - centers[0]) == pytest.approx(length)
    if len(beads) > 1:
        gaps = np.linalg.norm(np.diff(centers, axis=0), axis=1)
        assert gaps.max() <= max(1.2 * radius, BEADS) + EXACT
    assert_allclose(centers.mean(axis=0), X.translation(), atol=EXACT)


def test_two_sticks_do_not_cross_between_their_beads():
    """Wherever a stick lies across another, its beads are nearer than the margin."""
    model = make_collision_model(RobotModel("atlas", ("sticks",)), ["l_stick"], [])
    beads = [f.frame.p_PF for f in model.spheres if f.part == "shaft"]
    apart = np.linalg.norm(np.diff(beads, axis=0), axis=1).max()
    solid = next(s for s in model.solids if s.name == "r_stick")
    radius = next(f.radius for f in model.spheres if f.part == "shaft")
    # The stick's axis meets the other's in the middle between two beads.
    assert 0.5 * apart - radius - solid.size[0] < 0.5 * model.margin


def test_nothing_is_far_from_nothing():
    robot = RobotModel()
    g, D = Configuration(robot, robot.posture("stand")).distances(NOTHING.arrays())
    assert g.shape == (0,)
    assert D.shape == (0, robot.num_velocities)


# Two links on a fixed base, and what the outer one has for a shape.
OUTER = """<robot name="outer"><link name="base">
    <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  {inner}{outer}</robot>"""
LINK = """<link name="{name}"><inertial><mass value="1"/>
    <inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>
    {collision}</link>
  <joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/>
    <origin xyz="0 0 -0.2"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="20" velocity="5"/></joint>"""
# An octahedron with half axes of 2, 3 and 8 cm.
CORNERS = [(x, 0, 0) for x in (0.02, -0.02)] + [(0, y, 0) for y in (0.03, -0.03)]
CORNERS += [(0, 0, z) for z in (0.08, -0.08)]
FACES = [(a, b, c) for a in (1, 2) for b in (3, 4) for c in (5, 6)]


@pytest.mark.parametrize(
    "shape",
    ['<mesh filename="outer.obj"/>', '<drake:ellipsoid a="0.02" b="0.03" c="0.08"/>'],
)
def test_planners_see_a_box_around_what_is_no_primitive(tmp_path, shape):
    """The hull of a mesh collides in Drake, and so do ellipsoids."""
    corners = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    faces = "".join(f"f {a} {b} {c}\n" for a, b, c in FACES)
    (tmp_path / "outer.obj").write_text(corners + faces)
    collision = f"<collision><geometry>{shape}</geometry></collision>"
    inner = LINK.format(name="inner", parent="base", collision="")
    outer = LINK.format(name="outer", parent="inner", collision=collision)
    (tmp_path / "outer.urdf").write_text(OUTER.format(inner=inner, outer=outer))
    yaml = "name: outer\nurdf: outer.urdf\nbase: base\nfixed: true\n"
    (tmp_path / "outer.yaml").write_text(yaml)
    robot = RobotModel(tmp_path / "outer.yaml")
    model = make_self_collision_model(robot, apart=[["base", "outer"]])
    assert model.watches("base", "outer")
    (solid,) = (s for s in model.solids if s.name == "outer")
    assert solid.kind == BOX
    assert_allclose(solid.size, (0.02, 0.03, 0.08), atol=EXACT)
