"""What an overlay makes of a description, weighed and measured by Drake."""

import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.actuation.safety_law import read_safety_law
from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.linting.lint import examine
from backbeat.models.urdf.overlay.model_diff import differences
from backbeat.models.urdf.overlay.overlaying import apply_overlay
from backbeat.models.urdf.reading.document import Document
from backbeat.models.urdf.reading.finding import Severity
from backbeat.models.urdf.reading.parsing import read_description
from tests.models.description.traps import SOLID

ATLAS = Path(__file__).parents[3] / "models" / "robots" / "atlas" / "atlas_v5.urdf"
ZOO = Path(__file__).parent / "zoo.urdf"
HAND = (
    f'<robot name="hand"><link name="palm">{SOLID}</link><link name="finger">{SOLID}'
    '<visual><geometry><mesh filename="finger.obj"/></geometry></visual></link>'
    '<joint name="bend" type="revolute"><parent link="palm"/><child link="finger"/>'
    '<limit lower="0" upper="1" effort="3" velocity="2"/></joint>'
    '<transmission name="bend"><type>SimpleTransmission</type><joint name="bend"/>'
    '<actuator name="bend"/></transmission>'
    '<gazebo reference="finger"><mu1>1</mu1></gazebo></robot>'
)


# What no robot may have, and the description with everything in it does.
OF_ROBOTS = ("planar-joint", "connects-links")


@pytest.fixture
def overlaid(tmp_path, monkeypatch):
    """`overlaid(yaml)` is the path of what a YAML makes of Atlas."""
    # Its meshes stay where they are.
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{ATLAS.parent}:{tmp_path}")

    def call(text, urdf=ATLAS):
        overlay, path = tmp_path / "overlay.yaml", tmp_path / "out" / "made.urdf"
        overlay.write_text(f"urdf: {urdf}\n{text}")
        path.parent.mkdir(exist_ok=True)
        raw = apply_overlay(overlay, path)
        path.write_bytes(raw)
        # The zoo has a bushing too, with which no robot is made of it.
        errors = [
            f
            for f in examine(Document(path, raw))[1]
            if f.severity is Severity.ERROR and f.rule not in OF_ROBOTS
        ]
        assert not errors
        return path

    return call


def plant_of(path):
    """A plant of a description whose base floats, and its context."""
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    return plant, plant.CreateDefaultContext()


def inertia_of(path, link):
    """Mass, center of mass and (3, 3) central inertia of a link."""
    plant, context = plant_of(path)
    M = plant.GetBodyByName(link).CalcSpatialInertiaInBodyFrame(context)
    I = M.Shift(M.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
    return M.get_mass(), M.get_com(), I


def test_an_overlay_without_changes_changes_nothing(overlaid):
    before, after = (read_description(p) for p in (ATLAS, overlaid("")))
    assert differences(before, after) == []


def without_lines(value):
    """Plain data of a description without where it stands."""
    if isinstance(value, dict):
        left = {k: v for k, v in value.items() if k not in ("line", "path")}
        return {k: without_lines(v) for k, v in left.items()}
    if isinstance(value, list | tuple):
        return [without_lines(v) for v in value]
    return value


@pytest.mark.parametrize("path", [ZOO, ATLAS])
def test_all_that_is_read_is_written_again(overlaid, path):
    """Names, origins, shapes, colors and the rest, once through a tree and a file."""
    before, after = read_description(path), read_description(overlaid("", path))
    there = after.path.resolve().parent
    for link in after.links.values():
        for shape in link.visuals:
            name = shape.geometry.filename
            assert not name or (there / name).is_file()
    plain = [without_lines(asdict(d)) for d in (before, after)]
    text = [re.sub(r"'[^']*(meshes/)", r"'\1", str(p)) for p in plain]
    assert text[0] == text[1]


def test_mass_brings_inertia_along_and_the_center_moves(overlaid):
    mass, center, I = inertia_of(ATLAS, "utorso")
    path = overlaid(
        "links: {utorso: {mass: 100.0, center_of_mass_shift: [0.01, 0.0, -0.02]}}"
    )
    new = inertia_of(path, "utorso")
    assert new[0] == pytest.approx(100.0)
    assert new[1] == pytest.approx(center + [0.01, 0, -0.02])
    assert new[2] == pytest.approx(I * 100 / mass)


def test_a_factor_scales_the_whole_robot(overlaid):
    before, after = (plant_of(p) for p in (ATLAS, overlaid("mass_factor: 1.1")))
    M, scaled = (p.CalcMassMatrix(c) for p, c in (before, after))
    assert scaled == pytest.approx(1.1 * M, rel=1e-9, abs=1e-9)


def test_joints_get_the_limits_and_friction_written(overlaid):
    path = overlaid(
        "joints: {back_bkx: {lower: -0.1, effort: 250, damping: 2, friction: 4.5}, "
        "l_leg_kny: {effort_factor: 0.5}}"
    )
    old = read_description(ATLAS).joints
    joints = read_description(path).joints
    back = joints["back_bkx"]
    assert (back.limit.lower, back.limit.upper) == (-0.1, old["back_bkx"].limit.upper)
    assert (back.limit.effort, back.dynamics.damping) == (250, (2,))
    assert back.dynamics.friction == 4.5
    assert joints["l_leg_kny"].limit.effort == 445


def test_a_battery_adds_its_mass_where_it_is(overlaid):
    path = overlaid(
        "bodies: {battery: {link: utorso, mass: 12.0, size: [0.2, 0.3, 0.1], "
        "position: [-0.3, 0, 0.2], rpy: [0, 0, 1.5707963267948966]}}"
    )
    mass, _center, I = inertia_of(path, "battery")
    assert mass == 12
    assert np.diag(I) == pytest.approx([0.1, 0.05, 0.13])  # Of a solid cuboid.
    plant, context = plant_of(path)
    torso = plant.GetFrameByName("utorso")
    X = plant.GetFrameByName("battery").CalcPose(context, torso)
    assert X.translation() == pytest.approx([-0.3, 0, 0.2])
    assert X.rotation().matrix()[:, 0] == pytest.approx([0, 1, 0])
    assert plant.CalcTotalMass(context) == pytest.approx(175.117964 + 12)


def test_a_hand_is_attached_on_both_sides_with_its_own_names(overlaid, tmp_path):
    (tmp_path / "hands").mkdir()
    (tmp_path / "hands" / "hand.urdf").write_text(HAND)
    (tmp_path / "hands" / "finger.obj").write_text("v 0 0 0\nf 1 1 1\n")
    path = overlaid(
        "attachments:\n"
        "  left: {file: hands/hand.urdf, link: l_hand, prefix: l_}\n"
        "  right: {file: hands/hand.urdf, link: r_hand, prefix: r_, "
        "position: [0, 0.1, 0]}\n"
    )
    made = read_description(path)
    assert len(list(made.moving_joints())) == 32
    assert made.joints["left"].child == "l_palm"
    assert made.joints["l_bend"].child == "l_finger"
    assert made.transmissions_of("r_bend")[0].actuators[0].name == "r_bend"
    assert made.gazebo_of("r_finger")[0].text("mu1") == "1"
    mesh = made.links["l_finger"].visuals[0].geometry.filename
    assert (path.parent / mesh).resolve() == tmp_path / "hands" / "finger.obj"


def test_what_is_removed_takes_along_what_hangs_on_it(overlaid):
    made = read_description(overlaid("remove: [l_ufarm]"))
    gone = {"l_ufarm", "l_lfarm", "l_hand", "l_hand_face"}
    assert not gone & set(made.links)
    assert len(list(made.moving_joints())) == 27
    assert made.roots() == ("pelvis",)
    assert len(made.transmissions) == 27


def test_a_fixed_joint_has_no_motor(overlaid):
    made = read_description(overlaid("joints: {neck_ay: {type: fixed}}"))
    assert made.joints["neck_ay"].type == "fixed"
    assert not made.transmissions_of("neck_ay")
    assert (
        plant_of(overlaid("joints: {neck_ay: {type: fixed}}"))[0].num_actuators() == 29
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("links: {utorsi: {mass: 3}}", "'utorsi'; did you mean utorso"),
        ("joints: {back_bxk: {effort: 3}}", "'back_bxk'; did you mean"),
        ("links: {utorso: {mass: -3}}", r"mass is -3; it must be > 0 kg"),
        ("links: {utorso: {mass: 3, mass_factor: 2}}", "not both"),
        ("links: {left_palm: {mass: 3}}", "has no mass to change"),
        (
            "links: {utorso: {inertia: [2, 3, 4, 0.1, 0.2, 0.3]}}",
            r"no body has the inertia ixx 2, ixy 3, .*; did you mean"
            r" \[2, 0.1, 0.2, 3, 0.3, 4\]",
        ),
        ("bodies: {b: {link: utorso, mass: 1, size: [1, 0, 1]}}", "every edge"),
        ("bodies: {b: {link: nobody, mass: 1, size: [1, 1, 1]}}", "unknown link"),
        ("attachments: {a: {link: utorso}}", "names no 'file'"),
        ("attachments: {a: {link: utorso, file: none.urdf}}", "cannot read"),
    ],
)
def test_what_makes_no_sense_is_refused(overlaid, text, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        overlaid(text)


def test_names_that_are_there_already_are_refused(overlaid, tmp_path):
    (tmp_path / "hand.urdf").write_text(HAND.replace("palm", "utorso"))
    with pytest.raises(BackbeatError, match="a link 'utorso', and so has the robot"):
        overlaid("attachments: {a: {link: l_hand, file: hand.urdf}}")


SETS = """<robot name="two"><link name="a"><inertial><mass value="3"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><origin xyz="0 0 1"/><geometry><sphere radius="0.3"/></geometry></visual>
  <collision name="a_fine"><geometry><sphere radius="0.2"/></geometry></collision>
  <collision name="a_simple"><geometry><sphere radius="0.4"/></geometry></collision>
  </link><link name="b"/>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""


@pytest.mark.parametrize(
    ("choice", "kinds"),
    [
        ("collisions: '*_simple'", {"sphere": 0.4}),
        ("collisions: none", {}),
        ("collisions: visuals", {"sphere": 0.3}),
        ("collisions: none\nlinks: {a: {collisions: '*_fine'}}", {"sphere": 0.2}),
        # 3 kg with three moments of 0.1 kg m^2: edges of sqrt(0.2) m.
        ("collisions: box", {"box": 0.2**0.5}),
    ],
)
def test_an_overlay_chooses_what_touches(overlaid, tmp_path, choice, kinds):
    (tmp_path / "two.urdf").write_text(SETS)
    path = overlaid(choice, tmp_path / "two.urdf")
    links = read_description(path).links
    shapes = [s.geometry for s in links["a"].collisions]
    assert not links["b"].collisions
    assert {g.kind: g.size[0] for g in shapes} == pytest.approx(kinds)
    assert len(links["a"].visuals) == 1
    if choice.endswith("visuals"):
        assert links["a"].collisions[0].origin.xyz == (0, 0, 1)


def test_a_choice_of_nothing_is_refused(overlaid, tmp_path):
    (tmp_path / "two.urdf").write_text(SETS)
    says = "no collision is called 'rough'; known: a_fine, a_simple"
    with pytest.raises(BackbeatError, match=says):
        overlaid("collisions: rough", tmp_path / "two.urdf")


def test_an_overlay_gives_a_joint_a_safety_controller(overlaid):
    text = (
        "joints: {l_arm_elx: {safety_controller: {soft_lower: 0.1, soft_upper: 2.2, "
        "k_position: 20, k_velocity: 30}}}"
    )
    path = overlaid(text)
    law = read_safety_law(path, "l_arm_elx")
    assert (law.soft_lower, law.soft_upper) == (0.1, 2.2)
    assert (law.k_position, law.k_velocity) == (20.0, 30.0)
    only = [n for n, j in read_description(path).joints.items() if j.safety is not None]
    assert only == ["l_arm_elx"]
    # Of one that is there, what is not named stays.
    v3 = ATLAS.with_name("atlas_v3.urdf")
    change = "joints: {l_arm_elx: {safety_controller: {soft_lower: 0.2}}}"
    law = read_safety_law(overlaid(change, v3), "l_arm_elx")
    assert (law.soft_lower, law.k_velocity) == (0.2, 100.0)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ("{soft_lower: 0.1}", "needs a k_velocity"),
        ("{k_velocity: -1}", "k_velocity is -1; it must be >= 0 N m s/rad"),
        ("{soft_lower: 1, soft_upper: 0, k_velocity: 1}", "exchanged"),
    ],
)
def test_a_safety_controller_that_is_none_is_a_sentence(overlaid, law, said):
    with pytest.raises(BackbeatError, match=said):
        overlaid(f"joints: {{l_arm_elx: {{safety_controller: {law}}}}}")


def test_an_overlay_changes_what_another_makes(overlaid, tmp_path):
    (tmp_path / "first.yaml").write_text(
        f"urdf: {ATLAS}\njoints: {{neck_ay: {{effort: 7}}}}\n"
    )
    made = read_description(overlaid("joints: {neck_ay: {velocity: 3}}", "first.yaml"))
    limit = made.joints["neck_ay"].limit
    assert (limit.effort, limit.velocity) == (7.0, 3.0)
