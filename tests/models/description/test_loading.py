"""What lint calls an error is refused on loading, and nothing else is."""

import re

import pytest
from pydrake.geometry import Rgba, Role
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.linting.drake_reader import DrakeReader
from backbeat.models.urdf.linting.lint import lint
from backbeat.models.urdf.reading.finding import Severity
from backbeat.models.world.scene import add_world
from tests.models.description.traps import DRIVE, SOLID, TRAPS, robot, touched, visual

# A mass matrix without an inverse, which is an error where nothing holds the joint.
WRONG_ONLY = ("massless-moving-link",)
# Judged when a model is made, as it depends on which links a robot has besides.
ELSEWHERE = ("gravity-beyond-drake",)
# Traps that lint judges by these rules, and loading otherwise.
OTHERWISE = (
    "mass-zero-with-inertia",
    "mass-missing",
    "mass-with-unit",
    "mass-nan",
    "mass-of-xacro",
    "massless-leaf-moves",
    "gazebo-gravity",
)
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"
STL = """solid s
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
facet normal 0 0 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
endsolid s
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with meshes, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("shape.dae", "shape.stl"):
        (tmp_path / name).write_text("anything")
    (tmp_path / "shape.obj").write_text(OBJ)
    (tmp_path / "sound.stl").write_text(STL)
    return tmp_path


@pytest.fixture(scope="module")
def drake():
    """A process with Drake in it."""
    with DrakeReader() as reader:
        yield reader


def load(folder, text, more=""):
    """A description as a robot with a world around it."""
    (folder / "robot.urdf").write_text(text)
    (folder / "r.yaml").write_text(f"name: r\nurdf: robot.urdf\nbase: a\n{more}")
    model = RobotModel(folder / "r.yaml")
    return model, add_world(DiagramBuilder(), model)


@pytest.mark.parametrize("name", [n for n in TRAPS if n not in OTHERWISE])
def test_a_robot_is_refused_if_and_only_if_lint_has_an_error(folder, name):
    text, rule = TRAPS[name].text, TRAPS[name].rule
    (folder / "robot.urdf").write_text(text)
    report = lint(folder / "robot.urdf")
    # What a warning says is to be held is held.
    held = "locked: {j: 0.0}\n" if rule == "zero-effort" else ""
    if report.count(Severity.ERROR):
        with pytest.raises(BackbeatError) as refusal:
            load(folder, text, held)
        assert "literal-string" not in str(refusal.value)
    else:
        load(folder, text, held)


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_judged_otherwise_is_told_by_such_a_rule(folder, name):
    (folder / "robot.urdf").write_text(TRAPS[name].text)
    report = lint(folder / "robot.urdf")
    assert {f.rule for f in report.findings} & {*WRONG_ONLY, *ELSEWHERE}


def colors(world, name):
    """Colors that a link is drawn in."""
    inspector = world.scene_graph.model_inspector()
    shapes = world.plant.GetVisualGeometriesForBody(world.plant.GetBodyByName(name))
    found = [inspector.GetProperties(s, Role.kIllustration) for s in shapes]
    return [p.GetPropertyOrDefault("phong", "diffuse", Rgba(0, 0, 0, 0)) for p in found]


def painted(*paints):
    """A robot whose links are boxes with materials."""
    box = '<box size="1 1 1"/>'
    a, b = (visual(box, paint) for paint in paints)
    return robot(a=a, b=b)


def test_two_colors_of_one_name_are_drawn_as_they_are_written(folder):
    paint = '<material name="p"><color rgba="{}"/></material>'
    text = painted(paint.format("1 0 0 1"), paint.format("0 1 0 0.5"))
    _, world = load(folder, text)
    assert colors(world, "a") == [Rgba(1, 0, 0, 1)]
    assert colors(world, "b") == [Rgba(0, 1, 0, 0.5)]


def test_a_color_of_bytes_is_scaled_and_one_of_nobody_is_gray(folder):
    bytes_ = '<material name="p"><color rgba="255 51 0 255"/></material>'
    model, world = load(folder, painted(bytes_, '<material name="nobody"/>'))
    assert colors(world, "a") == [Rgba(1, 0.2, 0, 1)]
    (gray,) = colors(world, "b")
    assert gray.r() == gray.g() == gray.b()
    assert [n for n in model.notes if n.startswith("gray")] == [
        "gray for a color or picture that is nowhere are parts of b"
    ]


def test_a_name_has_its_color_wherever_that_stands(folder):
    text = painted('<material name="q"/>', '<material name="nobody"/>')
    known = '<material name="q"><color rgba="0 0 1 1"/></material>'
    _, world = load(folder, text.replace("</robot>", f"{known}</robot>"))
    assert colors(world, "a") == [Rgba(0, 0, 1, 1)]


def test_a_converted_mesh_is_a_note_and_drake_reads_what_is_made_of_it(folder, drake):
    """The mesh of a link that touches is an STL, which Drake alone refuses."""
    (folder / "robot.urdf").write_text(robot(b=touched('<mesh filename="sound.stl"/>')))
    report = lint(folder / "robot.urdf", drake)
    assert {f.rule: f.severity.name for f in report.findings} == {
        "converted-mesh": "NOTE",
        "drake-refused": "NOTE",
    }
    assert report.drake.outcome == "refused"
    assert (report.fixed.outcome, report.fixed.bodies) == ("read", 2)
    assert report.fixed.total_mass_kg == pytest.approx(4.0)


def test_a_difference_is_told_of_what_backbeat_makes_of_a_file(folder, drake):
    """Drake counts what it gives no motor: of two transmissions of a joint, both."""
    twice = DRIVE + DRIVE.replace('"t"', '"u"').replace('"m"', '"n"')
    stl = touched('<mesh filename="sound.stl"/>')
    (folder / "robot.urdf").write_text(robot(b=stl, more=twice))
    report = lint(folder / "robot.urdf", drake)
    assert report.fixed.actuators == 2
    assert report.exit_code == 1
    assert "drake-differs" not in {f.rule for f in report.findings}


@pytest.mark.parametrize("fixed", ["j", "k"])
def test_a_mimic_of_a_fixed_joint_is_passed_over(folder, fixed):
    follower = (
        f'<link name="c">{SOLID}</link><joint name="k" type="TYPE"><parent link="b"/>'
        '<child link="c"/><mimic joint="j" offset="0.2"/>'
        '<limit lower="-1" upper="1" effort="3" velocity="2"/></joint>'
    )
    text = robot(more=DRIVE + follower.replace("TYPE", "revolute"))
    kinds = {"j": "revolute", "k": "revolute"} | {fixed: "fixed"}
    for name, kind in kinds.items():
        text = re.sub(
            f'name="{name}" type="\\w+"', f'name="{name}" type="{kind}"', text
        )
    model, _ = load(folder, text)
    assert model.followers == ()
    assert model.locked.get("k") == (pytest.approx(0.2) if fixed == "j" else None)


def test_old_files_of_gazebo_say_values_in_attributes(folder):
    said = '<gazebo reference="b"><mu1 value="0.3"/><selfCollide value="1"/></gazebo>'
    (folder / "robot.urdf").write_text(robot(more=DRIVE + said))
    assert lint(folder / "robot.urdf").findings == []
    wrong = said.replace("0.3", "much")
    with pytest.raises(BackbeatError, match="<mu1> is 'much'; it must be a number"):
        load(folder, robot(more=DRIVE + wrong))
