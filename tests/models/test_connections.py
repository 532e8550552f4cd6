"""What connects links beside joints is refused by name, or changes nothing."""

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.linting.lint import lint
from backbeat.models.urdf.reading.finding import Severity
from backbeat.models.world.scene import add_world

LINK = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0"
  ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>"""
JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>
  <origin xyz="{3}"/><axis xyz="0 1 0"/>{4}
  <limit lower="-1" upper="1" effort="10" velocity="5"/></joint>"""
FOLLOW = '<mimic joint="a" multiplier="{}"/>'
YAML = "name: bar\nurdf: bar.urdf\nbase: base\nfixed: true\n"
ALL = "locked: {a: 0.2, b: -0.2, c: 0.2}\n"


def element(kind, **values):
    inside = "".join(
        f'<drake:{kind}_{key} {"name" if isinstance(v, str) else "value"}="'
        f'{v if isinstance(v, str) else " ".join(map(str, v))}"/>'
        for key, v in values.items()
    )
    return f"<drake:{kind}>{inside}</drake:{kind}>"


BALL = element(
    "ball_constraint",
    body_A="crank",
    body_B="bar",
    p_AP=(0, 0, -0.5),
    p_BQ=(0.1, 0, 0),
)
SPRING = element(
    "linear_spring_damper",
    **{"body_A": "crank", "body_B": "bar", "p_AP": (0, 0, 0), "p_BQ": (0, 0, 0)},
    **{"free_length": (0.1,), "stiffness": (1e3,), "damping": (1,)},
)
BUSHING = (
    "<drake:linear_bushing_rpy>"
    + "".join(f'<drake:bushing_frame{k} name="at_{k}"/>' for k in "AC")
    + "".join(
        f'<drake:bushing_{what} value="10 10 10"/>'
        for what in ("torque_stiffness", "torque_damping")
    )
    + "".join(
        f'<drake:bushing_{what} value="10 10 10"/>'
        for what in ("force_stiffness", "force_damping")
    )
    + "</drake:linear_bushing_rpy>"
    '<frame name="at_A" link="crank" xyz="0 0 -0.5" rpy="0 0 0"/>'
    '<frame name="at_C" link="bar" xyz="0.1 0 0" rpy="0 0 0"/>'
)
TENDON = (
    "<drake:tendon_constraint>"
    '<drake:tendon_constraint_joint name="a" a="1"/>'
    '<drake:tendon_constraint_joint name="c" a="-1"/>'
    '<drake:tendon_constraint_offset value="0"/>'
    '<drake:tendon_constraint_stiffness value="10"/>'
    '<drake:tendon_constraint_damping value="0"/>'
    '<drake:tendon_constraint_lower_limit value="-1"/>'
    '<drake:tendon_constraint_upper_limit value="1"/></drake:tendon_constraint>'
)
# What Drake's reader of URDFs passes over, and other programs do not.
OTHERS = {
    "drake:weld_constraint": element("weld_constraint", body_A="crank", body_B="bar"),
    "drake:distance_constraint": element("distance_constraint", body_A="crank"),
}
ELEMENTS = {
    "drake:ball_constraint": (BALL, r"'crank' and 'bar' closes a loop .*c, b, a"),
    "drake:linear_bushing_rpy": (BUSHING, r"'at_A' and 'at_C' acts over .*c, b, a"),
    "drake:linear_spring_damper": (SPRING, r"'crank' and 'bar' acts over .*c, b, a"),
    "drake:tendon_constraint": (TENDON, r"'a' and 'c' acts over .*a, c"),
    "loop_joint": ('<loop_joint name="l" type="revolute"/>', "a tree; take it out"),
} | {name: (text, "remove it") for name, text in OTHERS.items()}


@pytest.fixture
def bar(tmp_path):
    """`bar()` is a parallelogram of links: a and c carry, b is between."""

    def make(more, yaml="", b="", c=""):
        links = "".join(map(LINK.format, ("base", "leg", "bar", "crank")))
        joints = (
            JOINT.format("a", "base", "leg", "0 0 0", "")
            + JOINT.format("b", "leg", "bar", "0 0 -0.5", b)
            + JOINT.format("c", "base", "crank", "0.1 0 0", c)
        )
        text = f'<robot xmlns:drake="d" name="bar">{links}{joints}\n{more}</robot>'
        (tmp_path / "bar.urdf").write_text(text)
        (tmp_path / "bar.yaml").write_text(YAML + yaml)
        return tmp_path / "bar.yaml"

    return make


@pytest.mark.parametrize("name", ELEMENTS)
def test_it_is_refused_by_name_and_lint_says_so(bar, name):
    text, says = ELEMENTS[name]
    path = bar(text)
    with pytest.raises(BackbeatError, match=f"<{name}>.*{says}"):
        RobotModel(path)
    found = [f for f in lint(path.with_suffix(".urdf")).findings if name in f.where]
    assert max(f.severity for f in found) is Severity.ERROR
    assert not any("ball_constraint" in f.remedy for f in found)


@pytest.mark.parametrize(
    "name", [n for n in ELEMENTS if n.startswith("drake:") and n not in OTHERS]
)
def test_it_may_stay_where_its_joints_are_held(bar, name):
    robot = RobotModel(bar(ELEMENTS[name][0], ALL))
    assert any(name in note and "joints are held" in note for note in robot.notes)
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    simulator = Simulator(builder.Build())
    world.set_state(
        world.plant.GetMyContextFromRoot(simulator.get_mutable_context()),
        np.zeros(0),
        np.zeros(0),
    )
    simulator.AdvanceTo(0.01)


def test_held_joints_at_which_a_loop_is_open_are_refused(bar):
    with pytest.raises(BackbeatError, match=r"is open by 0\.1 m where its joints"):
        RobotModel(bar(BALL, ALL.replace("c: 0.2", "c: 0.0")))


def test_a_loop_that_followers_keep_closed_stays_closed_in_a_simulation(bar):
    """A parallelogram: the bar stays level, the crank turns as the leg does."""
    robot = RobotModel(bar(BALL, b=FOLLOW.format(-1), c=FOLLOW.format(1)))
    assert any("kept by joints that follow" in note for note in robot.notes)
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    simulator = Simulator(builder.Build())
    plant = world.plant
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    world.set_state(context, np.array([0.3]), np.zeros(1))
    plant.get_actuation_input_port(world.instance).FixValue(
        context, np.zeros(plant.num_actuators())
    )
    simulator.AdvanceTo(0.3)
    assert abs(plant.GetPositions(context)[0] - 0.3) > 0.1  # It swings.
    p_P, p_Q = (
        plant.GetBodyByName(body).EvalPoseInWorld(context) @ np.array(point)
        for body, point in (("crank", [0, 0, -0.5]), ("bar", [0.1, 0, 0]))
    )
    assert np.linalg.norm(p_P - p_Q) < 1e-3


def test_followers_that_do_not_keep_a_loop_closed_are_refused(bar):
    path = bar(BALL, b=FOLLOW.format(-1), c=FOLLOW.format(0.9))
    with pytest.raises(BackbeatError, match=r"it would open by up to 0\.05 m"):
        RobotModel(path)


@pytest.mark.parametrize("value", ["0 0", "a b c", "0 0 inf"])
def test_a_point_that_is_none_is_refused(bar, value):
    with pytest.raises(BackbeatError, match="p_AP> needs value= with three numbers"):
        RobotModel(bar(BALL.replace("0 0 -0.5", value)))


@pytest.mark.parametrize(
    ("spring", "ball", "says"),
    [("<spring_stiffness>3</spring_stiffness>", "", "RevoluteSpring"),
     ("", "0 0 0", "has 1 constraints between"),
    ],
)  # fmt: skip
def test_other_formats_are_refused_with_springs_and_loops(tmp_path, spring, ball, says):
    joint = """<joint name="to_{0}" type="revolute"><parent>a</parent><child>{0}</child>
      <axis><xyz>0 0 1</xyz><dynamics>{1}</dynamics></axis></joint>"""
    kind = "drake:ball_constraint"
    parts = {"body_A": "b", "body_B": "c", "p_AP": ball, "p_BQ": ball}
    inside = "".join(f"<{kind}_{k}>{v}</{kind}_{k}>" for k, v in parts.items())
    loop = f'<{kind} xmlns:drake="d">{inside}</{kind}>' if ball else ""
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    joints = joint.format("b", "") + joint.format("c", spring)
    (tmp_path / "bar.sdf").write_text(
        f'<sdf version="1.9"><model name="m">{links}{joints}{loop}</model></sdf>'
    )
    yaml = tmp_path / "bar.yaml"
    yaml.write_text("name: bar\nurdf: bar.sdf\nbase: a\nfixed: true\n")
    with pytest.raises(BackbeatError, match=says):
        RobotModel(yaml)


def test_more_loops_than_any_robot_has_are_refused(bar):
    RobotModel(bar(30 * BALL, ALL))
    with pytest.raises(BackbeatError, match="more than 30 elements that connect"):
        RobotModel(bar(31 * BALL, ALL))
