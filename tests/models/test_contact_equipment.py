"""Equipment without a file: more places to touch with, and nothing else changes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.geometry import Box, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.loading import add_robot
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import add_world
from tests.models.sliders import make_sliders
from tests.tolerances import EXACT

PALMS = ["l_palm", "r_palm"]


@pytest.fixture(scope="module")
def plain():
    return RobotModel()


@pytest.fixture(scope="module")
def robot():
    return RobotModel("atlas", ["palms", "seat"])


def test_only_the_contacts_are_more(plain, robot):
    assert list(plain.contacts) == ["l_foot", "r_foot"]
    assert list(robot.contacts) == ["l_foot", "r_foot", *PALMS, "seat"]
    assert robot.soles == plain.soles == ("l_foot", "r_foot")
    assert robot.equipment_items() == []
    for a, b in zip(plain.tree, robot.tree, strict=True):
        assert np.array_equal(a, b)
    for posture in ("stand", "seated"):
        assert np.array_equal(plain.posture(posture), robot.posture(posture))
    q = start_configuration(robot, "stand")
    assert np.array_equal(q, start_configuration(plain, "stand"))
    assert list(support_poses(robot, q)) == ["l_foot", "r_foot"]


def test_sticks_and_palms_go_together():
    both = RobotModel("atlas", ["sticks", "palms"])
    assert both.equipment_items() == ["l_stick", "r_stick"]
    assert list(both.contacts)[2:] == ["l_stick_tip", "r_stick_tip", *PALMS]
    assert both.total_mass == RobotModel("atlas", ["sticks"]).total_mass


def test_a_palm_is_a_point_at_the_end_of_its_arm(robot):
    for side in "lr":
        palm = robot.contacts[f"{side}_palm"]
        assert palm.is_point
        assert_allclose(palm.limb, robot.groups[f"{side}_arm"])
    assert not robot.contacts["seat"].is_point
    assert robot.contacts["seat"].limb.size == 0


def faces(robot):
    """Place and outward normal of every contact in the collision box it is on."""
    builder = DiagramBuilder()
    plant, scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
    add_robot(plant, robot.description)
    plant.Finalize()
    inspector = scene_graph.model_inspector()
    state = Configuration(robot, robot.posture("stand"))
    for name, link in (("l_palm", "l_hand"), ("r_palm", "r_hand"), ("seat", "pelvis")):
        body = plant.GetBodyByName(link)
        (geometry,) = plant.GetCollisionGeometriesForBody(body)
        box = inspector.GetShape(geometry)
        assert isinstance(box, Box)
        X_WG = state.pose(link) @ inspector.GetPoseInFrame(geometry)
        X_GC = X_WG.inverse() @ state.pose(name)
        yield name, box.size() / 2, X_GC


# A seat is below the pelvis by as much as a sole below the foot: its corners touch.
BELOW = {"seat": 0.003}


def test_contacts_are_on_the_skin_and_look_into_the_robot(robot):
    """In the middle of a face of the collision box, or beside it."""
    for name, half, X_GC in faces(robot):
        p, z = X_GC.translation(), X_GC.rotation().matrix()[:, 2]
        axis = int(np.argmax(np.abs(z)))
        # The angles in the source have six digits.
        assert abs(z[axis]) == pytest.approx(1.0, abs=1e-6), name
        out = half[axis] + BELOW.get(name, 0.0)
        assert p[axis] == pytest.approx(-np.sign(z[axis]) * out, abs=1e-6), name


def test_left_and_right_palm_mirror_each_other(robot):
    q = robot.posture("drum-ready")
    state = Configuration(robot, q)
    left = state.pose("l_palm").translation()
    right = state.update(robot.mirrored(q)).pose("r_palm").translation()
    assert_allclose(right, left * [1, -1, 1], atol=1e-6)


def test_a_world_with_them_has_the_corners_of_the_seat_and_nothing_more(plain, robot):
    builder = DiagramBuilder()
    less, world = add_world(DiagramBuilder(), plain).plant, add_world(builder, robot)
    plant, inspector = world.plant, world.scene_graph.model_inspector()
    # Links that contacts are on stay, those of the hands that nobody sees as well.
    assert plant.num_bodies() == less.num_bodies() + 4
    assert plant.num_collision_geometries() == less.num_collision_geometries() + 4
    assert robot.total_mass == plain.total_mass
    corners = []
    for geometry in plant.GetCollisionGeometriesForBody(plant.GetBodyByName("pelvis")):
        shape, X = inspector.GetShape(geometry), inspector.GetPoseInFrame(geometry)
        if isinstance(shape, Sphere):
            corners.append(X.translation() - [0.0, 0.0, shape.radius()])
    seat = robot.contacts["seat"]
    expected = seat.corners() + seat.frame.p_PF
    assert_allclose(np.sort(corners, axis=0), np.sort(expected, axis=0), atol=EXACT)


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ("{}", "'pads' needs a file or contacts"),
        ("{file: none.urdf}", "no such file 'none.urdf' for 'pads'"),
        ("{parent: rail, contacts: {pad: {link: rail}}}", "'pads' has a place but no"),
        ("{position: [1, 0, 0], contacts: {pad: {link: rail}}}", "place but no file"),
        ("{contacts: {pad: {link: riel}}}", "unknown frame 'riel'; did you mean rail"),
        ("{contacts: {pad: {link: rail, limb: [sl]}}}", "contact 'pad' .*unknown|'sl'"),
    ],
)
def test_a_slip_is_one_sentence(tmp_path, item, sentence):
    path = make_sliders(tmp_path, [2.0], [10.0])
    path.write_text(path.read_text() + f"equipment:\n  pads:\n    pads: {item}\n")
    with pytest.raises(BackbeatError, match=sentence):
        RobotModel(path, ["pads"])


def test_contacts_alone_for_a_robot_of_ones_own(tmp_path):
    path = make_sliders(tmp_path, [2.0], [10.0])
    text = "equipment:\n  pads:\n    pads: {contacts: {pad: {link: rail}}}\n"
    path.write_text(path.read_text() + text)
    robot = RobotModel(path, ["pads"])
    assert robot.contacts["pad"].is_point
    q = np.r_[1.0, np.zeros(robot.num_positions - 1)]
    X_WC = Configuration(robot, q).pose("pad")
    assert X_WC.IsNearlyEqualTo(RigidTransform(), EXACT)
