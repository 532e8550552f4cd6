"""A user's own robot: what its files may say, and one sentence for each mistake."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.common.bounds import YAML_ALIASES
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from tests.models.humanoids import write_humanoid
from tests.models.sliders import make_sliders

EXTRA = """
contacts:
  pad: {link: block0, half_length: 0.1, half_width: 0.05, limb: [slide0]}
  tip: {link: block1, position: [0.1, 0, 0]}
mirror_groups: {one: other}
mirror_flips: [slide2]
servo:
  one: {frequency: 2.0}
aliases: {old0: slide0}
postures:
  out: {joints: {slide0: 0.3}}
  further: {base: out, joints: {slide1: -0.2}}
"""


@pytest.fixture
def sliders(tmp_path):
    path = make_sliders(tmp_path, [2.0, 3.0, 4.0], [10.0, 20.0, 30.0])
    text = path.read_text() + "  one: [slide0]\n  other: [slide1]\n" + EXTRA
    path.write_text(text)
    return path


@pytest.fixture
def changed(sliders):
    """`changed(old, new)` is the robot with one thing different."""

    def change(old, new):
        for path in (sliders, sliders.with_suffix(".urdf")):
            text = path.read_text()
            if old in text:
                path.write_text(text.replace(old, new, 1))
                return RobotModel(sliders)
        raise AssertionError(old)

    return change


def test_a_robot_of_ones_own_is_read(sliders):
    robot = RobotModel(sliders)
    assert robot.floating
    assert robot.total_mass == pytest.approx(10.0)
    assert robot.joint_names == ("slide0", "slide1", "slide2")
    assert_allclose(robot.effort_limits, [10.0, 20.0, 30.0])
    assert_allclose(robot.velocity_limits, 5.0)
    assert robot.contacts["tip"].is_point
    assert not robot.contacts["pad"].is_point
    assert robot.contacts["pad"].limb.tolist() == [0]
    assert robot.joint_index("old0") == 0
    assert robot.joint_indices(["other", "slide0"]).tolist() == [1, 0]
    assert robot.servo_gains() == {"slide0": (2.0, 0.01)}
    assert_allclose(robot.posture("further")[7:], [0.3, -0.2, 0.0])
    # Left and right change places, and slide2 changes sign.
    q = np.r_[1.0, np.zeros(6), 0.1, 0.2, 0.3]
    assert_allclose(robot.mirrored(q)[7:], [0.2, 0.1, -0.3])


def test_a_link_may_be_welded_to_the_world_in_the_urdf(changed):
    weld = '<link name="world"/><joint name="w" type="fixed"><parent link="world"/>'
    weld += '<child link="rail"/><origin xyz="0 0 2"/></joint>'
    robot = changed('<robot name="sliders">', '<robot name="sliders">' + weld)
    assert not robot.floating
    assert_allclose(robot.tree.p_WB, [0.0, 0.0, 2.0])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("base: rail", "base: rial", "'rial'; did you mean rail"),
        ("base: rail", "base: block0", "begins with 'rail', .*`base: rail`"),
        ("base: rail", "", "needs a value for 'base'"),
        ("urdf: sliders", "urdf: slider", "no such URDF 'slider.urdf'"),
        ("base: rail", "base: rail\ntrunkk: rail", "'trunkk'; did you mean trunk"),
        ("base: rail", "base: rail\ntrunk: riel", "'riel'; did you mean rail"),
        ("one: [slide0]", "one: [slide9]", "group 'one' .*'slide9'; did you mean sli"),
        ("limb: [slide0]", "limb: [slid0]", "'slid0'; did you mean slide0"),
        ("link: block0", "link: blok0", "unknown frame 'blok0'; did you mean block0"),
        ("one: other", "one: othr", "mirror_groups .*'othr'; did you mean other"),
        ("other: [slide1]", "other: [slide1, slide2]", "equally many joints"),
        ("flips: [slide2]", "flips: [slide]", "mirror_flips .*'slide'; did you mean"),
        ("one: {freq", "onee: {freq", "servo .*'onee'; did you mean one"),
        ("old0: slide0", "old0: slide7", "aliases .*'slide7'; did you mean"),
        ("{slide0: 0.3}", "{slida0: 0.3}", "posture 'out' .*'slida0'; did you mean"),
        ('type="prismatic"', 'type="planar"', "a planar joint .* cannot be driven"),
        ('<parent link="rail"/>', '<parent link="no"/>', "parent 'no' is not among"),
        ("</robot>", "", "sliders.urdf.*XML"),
        ("</robot>", '<link name="loose"/></robot>', "carries the link 'loose'"),
    ],
)
def test_a_slip_is_one_sentence(changed, old, new, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        changed(old, new)
    assert "\n" not in str(caught.value)


def test_a_posture_that_is_its_own_base(changed):
    robot = changed("out: {joints", "out: {base: further, joints")
    with pytest.raises(BackbeatError, match="'further' is its own base"):
        robot.posture("further")


def test_a_posture_with_an_unknown_base(changed):
    robot = changed("base: out", "base: uot")
    with pytest.raises(BackbeatError, match="unknown posture 'uot'; did you mean out"):
        robot.posture("further")


def test_a_robot_without_mirror_flips_has_no_mirror_image(changed):
    robot = changed("mirror_flips: [slide2]", "")
    with pytest.raises(BackbeatError, match="no mirror_flips in its YAML"):
        robot.mirrored(robot.posture("out"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name: [", "robot.yaml line 1: not valid YAML"),
        ("- name", "expected keys with values"),
        ("", "expected keys with values"),
        ("name: \x00", "not valid YAML"),
        ("a: &a [1]\nb: [" + "*a," * (YAML_ALIASES + 1) + "]", "more than 200 aliases"),
        ("name: !!python/object:os.system x", "not valid YAML"),
        ("name: " + "x" * 1_000_001, "larger than 1 MB"),
        ("[" * 1000, "robot.yaml"),
    ],
)
def test_a_file_that_is_no_description(tmp_path, text, sentence):
    path = tmp_path / "robot.yaml"
    path.write_text(text)
    with pytest.raises(BackbeatError, match=sentence) as caught:
        RobotModel(path)
    assert len(str(caught.value)) < 500


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(BackbeatError, match="path of a robot YAML"):
        RobotModel(tmp_path / "robot.yaml")
    path = tmp_path / "robot.yaml"
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(BackbeatError, match="not text in UTF-8"):
        RobotModel(path)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('izz="1"', 'izz="9"', "link 'rail': of its principal moments 1, 1 and 9"),
        ('ixx="1"', 'ixx="-1"', "link 'rail': a principal moment of inertia is -1"),
        ('mass value="1.0"', 'mass value="-1.0"', "link 'rail': its mass is -1 kg"),
    ],
)
def test_a_link_that_no_body_can_be_is_refused_by_name(changed, old, new, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        changed(old, new)


def test_an_old_name_is_told_once(changed, caplog):
    robot = changed("old0: slide0", "earlier: slide0")
    for _ in range(2):
        assert robot.joint_index("earlier") == 0
    assert caplog.messages.count("the joint 'earlier' is called 'slide0' now") == 1


def test_a_robot_on_a_fixed_base_that_hangs_in_the_ground_is_told(tmp_path):
    """Its own base at the origin; one that a joint of the URDF lifts stands free."""
    legs = write_humanoid(tmp_path, "g1", "box")
    legs.write_text(legs.read_text() + "fixed: true\n")
    (told,) = [n for n in RobotModel(legs).notes if "in the ground" in n]
    assert "on its fixed base" in told
    assert "_ankle_roll_link" in told
    assert not [n for n in RobotModel("ur10").notes if "in the ground" in n]
    lifted = '<link name="world"/><joint name="stand" type="fixed">'
    lifted += '<parent link="world"/><child link="pelvis"/><origin xyz="0 0 1"/>'
    lifted += "</joint></robot>"
    urdf = tmp_path / "g1.urdf"
    urdf.write_text(urdf.read_text().replace("</robot>", lifted))
    assert not [n for n in RobotModel(legs).notes if "in the ground" in n]
