import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.geometry import Role
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import Scene, add_world
from tests.tolerances import EXACT

INCH = 0.0254
MEMBERS = ["hi_hat", "crash", "snare", "high_tom", "mid_tom", "floor_tom", "ride"]
# Catalog sizes: diameter, and depth of a drum, in inches.
SIZES = {
    "hi_hat": (14.0, None),
    "crash": (16.0, None),
    "snare": (14.0, 5.5),
    "high_tom": (12.0, 8.0),
    "mid_tom": (13.0, 9.0),
    "floor_tom": (16.0, 16.0),
    "ride": (20.0, None),
}
PLACE = (0.1, -0.2, 0.3)
KIT = DrumKit(PLACE)


def test_seven_members_in_the_drummers_numbering():
    assert [m.number for m in KIT.members.values()] == list(range(1, 8))
    assert list(KIT.members) == MEMBERS
    notes = [n for m in KIT.members.values() for n in m.notes]
    assert all(35 <= n <= 81 for n in notes)  # General MIDI percussion
    first = [m.notes[0] for m in KIT.members.values()]
    assert first == [42, 49, 38, 50, 47, 43, 51]


@pytest.mark.parametrize("name", MEMBERS)
def test_sizes_are_those_of_the_catalog(name):
    diameter, depth = SIZES[name]
    member = KIT.member(name)
    assert member.kind == ("cymbal" if depth is None else "drum")
    assert member.radius == pytest.approx(diameter * INCH / 2)
    if depth is not None:
        assert member.depth == pytest.approx(depth * INCH)


@pytest.mark.parametrize("name", MEMBERS)
def test_surfaces_lean_towards_the_player(name):
    """The frame is at the strike point, z leans back to the seat by the tilt."""
    member, X = KIT.member(name), KIT.strike_pose(name)
    assert_allclose(X.translation(), np.array(PLACE) + member.place, atol=EXACT)
    normal = X.rotation().col(2)
    tilt = np.radians(member.tilt_deg)
    assert normal[2] == pytest.approx(np.cos(tilt))
    to_player = -np.array(member.place[:2]) / np.linalg.norm(member.place[:2])
    assert_allclose(normal[:2], np.sin(tilt) * to_player, atol=EXACT)
    outwards = X.rotation().col(0)
    assert outwards[:2] @ to_player < -0.9


def test_it_is_played_from_the_left_to_the_right():
    """Hi-hat and crash on the left, floor tom and ride on the right, cymbals above."""
    y = {n: m.place[1] for n, m in KIT.members.items()}
    assert y["hi_hat"] > y["snare"] > 0 > y["mid_tom"] > y["floor_tom"] > y["ride"]
    z = {n: m.place[2] for n, m in KIT.members.items()}
    assert z["crash"] > z["hi_hat"] > z["snare"]
    assert z["ride"] > z["floor_tom"]


@pytest.fixture(scope="module")
def seated():
    """Diagram and world of Atlas that can sit on a chair, and a context."""
    robot = RobotModel("atlas", ("sticks", "seat"))
    builder = DiagramBuilder()
    world = add_world(builder, robot, scene=Scene("drum-kit", (0.0, 0.0, 0.0)))
    diagram = builder.Build()
    return diagram, world, diagram.CreateDefaultContext()


def test_heads_in_the_plant_are_where_the_kit_says(seated):
    _, world, root = seated
    kit = DrumKit()
    context = world.plant.GetMyContextFromRoot(root)
    inspector = world.scene_graph.model_inspector()
    for name in MEMBERS:
        body = world.plant.GetBodyByName(name)
        X_WM = kit.strike_pose(name)
        assert body.EvalPoseInWorld(context).IsNearlyEqualTo(X_WM, EXACT)
        (shape,) = world.plant.GetCollisionGeometriesForBody(body)
        cylinder, X_MG = inspector.GetShape(shape), inspector.GetPoseInFrame(shape)
        assert cylinder.radius() == kit.member(name).radius
        # The strike surface is the top of the cylinder.
        top = X_MG.multiply(np.array([0.0, 0.0, 0.5 * cylinder.length()]))
        assert_allclose(top, 0.0, atol=EXACT)


def test_planners_see_every_member_at_least_as_large_as_it_is(seated):
    _, world, root = seated
    solids = {s.name: s for s in DrumKit().solids()}
    assert list(solids) == MEMBERS
    inspector = world.scene_graph.model_inspector()
    context = world.plant.GetMyContextFromRoot(root)
    for name, solid in solids.items():
        body = world.plant.GetBodyByName(name)
        (shape,) = world.plant.GetCollisionGeometriesForBody(body)
        cylinder = inspector.GetShape(shape)
        X_WG = body.EvalPoseInWorld(context) @ inspector.GetPoseInFrame(shape)
        # Rim and axis of the real cylinder in the axes of the solid.
        rim = [
            [cylinder.radius() * np.cos(a), cylinder.radius() * np.sin(a), z]
            for a in np.linspace(0, 2 * np.pi, 13)
            for z in (-0.5 * cylinder.length(), 0.5 * cylinder.length())
        ]
        p = (solid.X_PS.inverse() @ X_WG).multiply(np.array(rim).T)
        assert np.hypot(p[0], p[1]).max() <= solid.size[0] + EXACT
        assert np.abs(p[2]).max() <= solid.size[1] + EXACT
        # And know how large it really is.
        thing = solid.inner or solid
        assert thing.X_PS.IsNearlyEqualTo(X_WG, EXACT)
        half = 0.5 * cylinder.length()
        assert_allclose(thing.size[:2], [cylinder.radius(), half], atol=EXACT)


def test_members_leave_each_other_room():
    """No point of one member, as it is registered in the plant, is inside another."""
    kit = DrumKit()
    r, a, z = np.meshgrid(
        np.linspace(0, 1, 9), np.linspace(0, 2 * np.pi, 61), np.linspace(-1, 0, 9)
    )
    grid = np.array([r * np.cos(a), r * np.sin(a), z]).reshape(3, -1)
    for one, member in kit.members.items():
        size = [[member.radius], [member.radius], [member.depth]]
        p_W = kit.strike_pose(one).multiply(grid * size)
        for other, neighbor in kit.members.items():
            p = kit.strike_pose(other).inverse().multiply(p_W)
            inside = np.hypot(p[0], p[1]) < neighbor.radius
            inside &= (p[2] < 0) & (p[2] > -neighbor.depth)
            assert inside.any() == (one == other), (one, other)


def test_standing_drummers_have_no_chair():
    for equipment in (("sticks",), ("sticks", "seat")):
        builder = DiagramBuilder()
        robot = RobotModel("atlas", equipment)
        world = add_world(builder, robot, scene=Scene("drum-kit"))
        inspector = world.scene_graph.model_inspector()
        names = [
            inspector.GetName(g).split("::")[-1]
            for g in inspector.GetAllGeometryIds(Role.kPerception)
        ]
        assert ("chair" in names) == ("seat" in equipment)
        assert world.plant.HasBodyNamed("chair") == ("seat" in equipment)
        assert {"snare", "snare_stand", "crash_stand", "ride_stand"} <= set(names)


def test_an_unknown_drum_is_answered_with_the_members():
    with pytest.raises(BackbeatError, match="'snar'; did you mean snare"):
        KIT.member("snar")
    with pytest.raises(BackbeatError, match="known: crash, floor_tom, hi_hat"):
        KIT.strike_pose("xx")
