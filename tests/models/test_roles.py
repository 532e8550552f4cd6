"""Roles: what joints are, by the robot YAML, and feet by where they are."""

import itertools

import numpy as np
import pytest

from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import SHIPPED, load_description
from backbeat.models.robot.model import RobotModel
from backbeat.models.robot.roles import ARM_PARTS, ROLES, SIDES, left_and_right
from backbeat.models.state.configuration import Configuration
from tests.models.sliders import make_sliders

ATLASES = [name for name in SHIPPED if name.startswith("atlas")]


@pytest.fixture(scope="module", params=ATLASES)
def atlas(request):
    return RobotModel(request.param)


def places(robot, links):
    """Where links are with all joints at zero, by Drake."""
    plant = robot._full
    context = plant.CreateDefaultContext()
    bodies = [plant.GetBodyByName(link) for link in links]
    return [plant.EvalBodyPoseInWorld(context, b).translation() for b in bodies]


# What Atlas cannot turn, or turns with several joints.
LACKING = {"neck yaw", "neck roll"} | {
    f"{side} {turn}"
    for side in SIDES
    for turn in ("wrist roll", "wrist yaw", "ankle yaw")
}


def test_every_atlas_has_every_role(atlas):
    assert {role for role in ROLES if role not in atlas.roles} == LACKING
    assert atlas.feet == {"left": "l_foot", "right": "r_foot"}


def test_joints_of_a_role_go_from_the_base_outward(atlas):
    """Drake's tree is asked: what a joint moves carries the next one of the role."""
    plant = atlas._full
    for role in set(ROLES) - LACKING:
        names = atlas.roles.names(role)
        for near, far in itertools.pairwise(names):
            moved = plant.GetBodiesKinematicallyAffectedBy(
                [plant.GetJointByName(near).index()]
            )
            assert plant.GetJointByName(far).child_body().index() in moved, role


def test_links_of_arms_stand_one_beyond_the_other(atlas):
    """With arms straight sideways: shoulder, elbow and wrist, left to the left."""
    for side, sign in (("left", 1), ("right", -1)):
        links = [atlas.roles.link(f"{side} {part}") for part in ARM_PARTS]
        y = sign * np.array(places(atlas, links))[:, 1]
        assert (np.diff(y) > 0.15).all()
        assert y[0] > 0.1


def test_the_waist_turns_the_trunk_about_z(atlas):
    plant = atlas._full
    (name,) = atlas.roles.names("waist yaw")
    assert plant.GetJointByName(name).revolute_axis().tolist() == [0, 0, 1]
    assert atlas.roles.link("waist") == atlas.trunk.name


# What a small positive turn does, standing with hanging arms: role, link that is looked
# at, and a direction in which it moves, or turns.
MOVES = [
    ("left shoulder roll", "left wrist", [0, 1, 0]),
    ("right shoulder roll", "right wrist", [0, 1, 0]),
    ("left shoulder pitch", "left wrist", [-1, 0, 0]),
    ("right shoulder pitch", "right wrist", [-1, 0, 0]),
    ("left elbow", "left wrist", [1, 0, 0]),
    ("right elbow", "right wrist", [1, 0, 0]),
    ("left hip pitch", "left ankle", [-1, 0, 0]),
    ("right knee", "right ankle", [-1, 0, 0]),
    ("left hip roll", "left ankle", [0, 1, 0]),
]
TURNS = [
    ("waist yaw", "waist", [0, 0, 1]),
    ("waist pitch", "waist", [0, 1, 0]),
    ("waist roll", "waist", [1, 0, 0]),
    ("neck pitch", "neck", [0, 1, 0]),
    ("left shoulder yaw", "left elbow", [0, 0, 1]),
    ("right shoulder yaw", "right elbow", [0, 0, 1]),
    ("left hip yaw", "left hip", [0, 0, 1]),
    ("right ankle roll", "right ankle", [1, 0, 0]),
]


@pytest.mark.parametrize(("role", "seen", "way"), [*MOVES, *TURNS])
def test_a_positive_turn_goes_the_way_that_its_role_says(atlas, role, seen, way):
    name, sign = atlas.roles.turning(role)
    state = Configuration(atlas, start_configuration(atlas, "stand"))
    J = state.jacobian(atlas.frame(atlas.roles.link(seen)))
    column = sign * J[:, atlas.base_velocities + atlas.joint_index(name)]
    moved = column[3:] if (role, seen, way) in MOVES else column[:3]
    # Arms hang askew, and shoulders have tilted axes: most of it goes that way.
    assert moved @ way > 0.3 * np.linalg.norm(moved) > 0.0


def test_a_turn_that_a_robot_lacks_is_none(atlas):
    assert atlas.roles.turning("neck yaw") is None
    with pytest.raises(BackbeatError, match="role"):
        atlas.roles.turning("tail")


def test_a_role_stands_where_a_group_does(atlas):
    for side in SIDES:
        for limb in ("arm", "leg"):
            group = atlas.groups[f"{side[0]}_{limb}"]
            by_role = atlas.joint_indices([f"{side} {limb}"])
            assert by_role.tolist() == group.tolist()


def test_links_mirror_by_their_joints():
    roles = RobotModel("atlas").roles
    assert roles.mirrored_link("l_lleg") == "r_lleg"
    assert roles.mirrored_link("r_hand") == "l_hand"
    assert [roles.mirrored_link(n) for n in ("utorso", "pelvis")] == [
        "utorso",
        "pelvis",
    ]


def test_locked_joints_keep_their_role():
    robot = RobotModel("atlas", locked={"neck_ay": 0.0})
    assert robot.roles.joints("neck").tolist() == []
    assert robot.roles.link("neck") == "head"


def test_a_robot_like_another_may_lack_a_part(tmp_path):
    path = tmp_path / "headless.yaml"
    urdf = SHIPPED["atlas"].parent / "atlas_v5.urdf"
    path.write_text(f"name: mine\nlike: atlas\nurdf: {urdf}\nroles: {{neck: []}}\n")
    roles = load_description(path).role_joints()
    assert set(ROLES) - set(roles) == {"neck", "neck pitch"} | LACKING
    robot = RobotModel(path)
    with pytest.raises(BackbeatError, match="does not say which joints are the neck"):
        robot.roles.joints("neck")


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        ("{elbow: [slide0]}", "unknown role in .* 'elbow'; did you mean left elbow"),
        ("{neck: [slid0]}", "unknown joint in role 'neck' of .* did you mean slide0"),
        ("{left elbow: [slide0]}", "'left elbow' has slide0, .*'left arm' lacks"),
        (
            "{neck: [slide0], waist: [slide0]}",
            "slide0 has the roles 'neck' and 'waist'",
        ),
        ("{waist: [pair], waist yaw: [pair]}", "'waist yaw' is that of one joint"),
    ],
)
def test_roles_that_make_no_sense(tmp_path, roles, sentence):
    path = make_sliders(tmp_path, [2.0, 3.0, 4.0], [10.0, 20.0, 30.0])
    text = path.read_text() + "  pair: [slide0, slide1]\n"
    path.write_text(f"{text}roles: {roles}\n")
    with pytest.raises(BackbeatError, match=sentence):
        RobotModel(path)


@pytest.mark.parametrize(
    ("task_space", "sentence"),
    [
        ("{hand: block9}", "unknown frame 'block9'; did you mean block"),
        ("{hand: block1, start: rest}", "unknown posture in task_space of .* 'rest'"),
    ],
)
def test_a_hand_that_is_none(tmp_path, task_space, sentence):
    path = make_sliders(tmp_path, [2.0, 3.0], [10.0, 20.0])
    path.write_text(f"{path.read_text()}task_space: {task_space}\n")
    with pytest.raises(BackbeatError, match=sentence):
        RobotModel(path)


def test_what_a_robot_lacks_is_said(tmp_path):
    path = make_sliders(tmp_path, [2.0, 3.0], [10.0, 20.0])
    robot = RobotModel(path)
    with pytest.raises(BackbeatError, match=r"add `roles: \{left arm: \[JOINT"):
        robot.joint_indices(["left arm"])
    with pytest.raises(BackbeatError, match="no soles, and this needs a left and"):
        _ = robot.feet


def test_sides_are_where_soles_are():
    ahead, left = np.array([0.3, -0.1, 0.0]), np.array([0.0, 0.1, 0.0])
    assert left_and_right({"a": ahead, "b": left}, "it") == {"left": "b", "right": "a"}
    with pytest.raises(BackbeatError, match="neither of the soles"):
        left_and_right({"a": ahead, "b": ahead}, "it")
    with pytest.raises(BackbeatError, match="it has 3 soles"):
        left_and_right({"a": ahead, "b": left, "c": left}, "it")
