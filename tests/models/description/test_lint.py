"""What lint finds in descriptions, and that it finds nothing in sound ones."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.models.urdf.checks.gazebo_checks import (
    NUMBERS,
    SWITCHES,
    check_gazebo_tags,
)
from backbeat.models.urdf.checks.support_table import Support
from backbeat.models.urdf.linting.lint import lint
from backbeat.models.urdf.reading.description import Gazebo, Tag
from backbeat.models.urdf.reading.finding import Severity
from backbeat.models.urdf.reading.parsing import read_description
from tests.models.description.traps import DRIVE, GAZEBO, SOLID, TRAPS, robot, visual

# Tags of Gazebo that Backbeat does something by.
APPLIED = {
    *("gravity", "turnGravityOff", "static", "selfCollide"),
    *("mu1", "mu2", "kp", "kd"),
}
# Rules whose sentence says what there is to do.
WITHOUT_REMEDY = {
    "missing-element",
    "bad-vector",
    "friction-beyond-drake",
    "gravity-beyond-drake",
    "limit-without-use",
    "mimic-is-a-constraint",
    "mirrored-mesh",
    "all-driven",
    "drives-nothing",
    "transmission-not-simple",
    "impossible-rotor",
}

MODELS = Path(__file__).parents[3] / "models"


@pytest.fixture
def lint_text(tmp_path):
    """`lint_text(text)` lints a description, without asking Drake."""

    def call(text, **options):
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        for name in ("shape.dae", "shape.stl"):
            (tmp_path / name).write_text("anything")
        (tmp_path / "shape.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        return lint(path, **options)

    return call


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_is_found_by_name_with_its_line_and_a_remedy(lint_text, name):
    trap = TRAPS[name]
    report = lint_text(trap.text)
    found = [f for f in report.findings if f.rule == trap.rule]
    assert found, [f.sentence("robot.urdf") for f in report.findings]
    assert max(f.severity for f in found) == Severity[trap.severity.upper()]
    lines = trap.text.splitlines()
    assert all(1 <= f.line <= len(lines) for f in found)
    assert found[0].remedy or trap.rule in WITHOUT_REMEDY


def test_a_sound_description_has_no_findings(lint_text):
    report = lint_text(robot())
    assert report.findings == []
    assert report.exit_code == 0


@pytest.mark.parametrize("path", ["robots/atlas/atlas_v5.urdf", "kit/stick.urdf"])
def test_shipped_descriptions_have_no_findings(path):
    assert lint(MODELS / path).findings == []


@pytest.mark.parametrize(
    ("name", "code"), [("mimic", 0), ("coulomb-window", 1), ("limits-reversed", 2)]
)
def test_the_exit_code_is_that_of_the_worst_finding(lint_text, name, code):
    assert lint_text(TRAPS[name].text).exit_code == code


@pytest.mark.parametrize("reference", GAZEBO)
def test_every_tag_of_gazebo_is_told(lint_text, reference):
    tags = GAZEBO[reference]
    inside = "".join(f"<{t}>1</{t}>" for t in tags)
    said = f' reference="{reference}"' if reference else ""
    report = lint_text(robot(more=f"{DRIVE}<gazebo{said}>{inside}</gazebo>"))
    told = {u.entry.element: u for u in report.uses}
    is_of_joint = reference == "j"
    for tag in tags:
        of = "gazebo of a joint" if is_of_joint else "gazebo"
        assert told[f"{of}/{tag}"].known
        support = told[f"{of}/{tag}"].entry.support
        is_applied = tag in APPLIED and not is_of_joint
        assert support is (Support.BACKBEAT if is_applied else Support.IGNORED)
    assert not any(f.rule == "unknown-element" for f in report.findings)


def test_stiffness_of_a_joint_is_told_apart_from_that_of_a_link(lint_text):
    """kp and kd act on contacts of a link; of a joint nothing comes, which is said."""
    said = '<gazebo reference="{}"><kp>1e6</kp><kd>10</kd></gazebo>'
    for reference, lines in (("b", 0), ("j", 2)):
        report = lint_text(robot(more=DRIVE + said.format(reference)))
        found = [f for f in report.findings if f.rule == "not-simulated"]
        assert len(found) == lines
        assert all("stops of a joint" in f.remedy for f in found)
        assert report.exit_code == (1 if lines else 0)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("continuous", "revolute joint without limits"),
        ("prismatic", "prismatic joint in m, N and m/s"),
        ("planar", "three degrees of freedom"),
        ("floating", "becomes a free body"),
    ],
)
def test_what_becomes_of_a_type_of_joint_is_said(lint_text, kind, said):
    report = lint_text(robot().replace('type="revolute"', f'type="{kind}"'))
    (found,) = [f for f in report.findings if f.rule == f"{kind}-joint"]
    assert said in found.says
    assert "revolute-joint" not in {f.rule for f in lint_text(robot()).findings}


def test_every_element_and_attribute_has_its_support(lint_text):
    text = robot(
        b=f'{SOLID}<visual name="v"><geometry><box size="1 1 1"/></geometry></visual>'
    )
    report = lint_text(text)
    for name in ("robot", "link", "inertial", "mass", "inertia", "visual", "box"):
        lines = [i for i, s in enumerate(text.splitlines(), 1) if f"<{name}" in s]
        uses = [
            u
            for u in report.uses
            if u.entry.element.endswith(f"/{name}") and not u.entry.attribute
        ]
        assert sorted({n for u in uses for n in u.lines}) == lines
    assert all(u.known for u in report.uses)


def test_the_line_is_where_an_element_begins(lint_text):
    text = robot(joint='<limit\n  lower="1" upper="-1"\n  effort="3" velocity="2"/>')
    (finding,) = [f for f in lint_text(text).findings if f.rule == "reversed-limits"]
    assert "<limit" in text.splitlines()[finding.line - 1]


def test_a_misspelt_element_is_told_with_the_right_word(lint_text):
    report = lint_text(robot(joint='<limt lower="-1"/>'))
    (finding,) = [f for f in report.findings if f.rule == "unknown-element"]
    assert finding.remedy == "did you mean 'limit'?"


def test_inertia_is_judged_whatever_its_axes(lint_text):
    """Turned axes change the matrix and not whether a body can have it."""
    turned = '<origin xyz="0.1 0 0" rpy="0.3 -0.4 0.5"/>'
    sound = SOLID.replace("<mass", f"{turned}<mass")
    assert lint_text(robot(b=sound)).findings == []
    broken = sound.replace('izz="0.1"', 'izz="0.21"')
    assert [f.rule for f in lint_text(robot(b=broken)).findings] == [
        "impossible-inertia"
    ]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """`judged(name, text)`: rules that a tag of Gazebo breaks, on any link."""
    path = tmp_path_factory.mktemp("sound") / "robot.urdf"
    path.write_text(robot())
    sound = read_description(path)

    def call(name, text, reference="b"):
        gazebo = Gazebo(6, reference, (Tag(7, name, text),))
        found = list(check_gazebo_tags(replace(sound, gazebo=(gazebo,))))
        assert all(f.line in (6, 7) for f in found)
        return [f.rule for f in found]

    return call


@given(name=st.sampled_from(NUMBERS), number=st.floats() | st.integers())
def test_gazebo_s_numbers_are_numbers(judged, name, number):
    """Of any size, but for those that act here: of at least 0, and finite."""
    is_sound = name not in APPLIED or 0 <= number < float("inf")
    assert judged(name, str(number)) == ([] if is_sound else ["bad-gazebo-value"])
    assert judged(name, f" {number}\n") == judged(name, str(number))
    assert judged(name, f"{number} m") == ["bad-gazebo-value"]


@given(
    name=st.sampled_from(SWITCHES),
    on=st.sampled_from(["true", "True", "TRUE", "1"]),
    off=st.sampled_from(["false", "False", "0"]),
    other=st.text(max_size=60),
)
def test_gazebo_s_switches_are_on_or_off(judged, name, on, off, other):
    notes = {
        "gravity": ([], ["gravity-beyond-drake"]),
        "turnGravityOff": (["gravity-beyond-drake"], []),
        "static": (["static-beyond-drake"], []),
    }
    assert (judged(name, on), judged(name, off)) == notes.get(name, ([], []))
    if other.lower() not in ("true", "false", "0", "1"):
        assert judged(name, other) == ["bad-gazebo-value"]


@given(reference=st.text(max_size=20))
def test_gazebo_s_references_are_links_and_joints(judged, reference):
    known = reference in ("", "a", "b", "j")
    assert judged("mu1", "1", reference) == ([] if known else ["unknown-reference"])


def test_gazebo_wants_an_inertia_for_every_link_and_other_meshes(lint_text):
    more = '<link name="c"/><joint name="k" type="fixed"><parent link="a"/>'
    more += '<child link="c"/></joint>'
    shape = '<visual><geometry><mesh filename="shape.{}"/></geometry></visual>'
    text = robot(b=SOLID + shape.format("stl"), more=DRIVE + more)
    rules = [f.rule for f in lint_text(text, for_gazebo=True).findings]
    assert "gazebo-inertia" in rules
    assert rules.count("gazebo-mesh") == 1
    assert "gazebo-free-base" in rules
    assert "gazebo-inertia" not in [f.rule for f in lint_text(text).findings]


@pytest.mark.parametrize(("suffix", "count"), [("obj", 0), ("gltf", 1), ("vtk", 1)])
def test_gazebo_reads_three_kinds_of_meshes(lint_text, suffix, count):
    shape = f'<geometry><mesh filename="shape.{suffix}"/></geometry>'
    text = robot(b=f"{SOLID}<collision>{shape}</collision>")
    rules = [f.rule for f in lint_text(text, for_gazebo=True).findings]
    assert rules.count("gazebo-mesh") == count


def test_gazebo_has_colors_of_its_own(lint_text):
    color = '<material name="red"><color rgba="1 0 0 1"/></material>'
    text = robot(b=visual('<box size="1 1 1"/>', color))
    own = '<gazebo reference="b"><material>Gazebo/Red</material></gazebo></robot>'
    for more, rules in (("</robot>", ["gazebo-color"]), (own, [])):
        found = lint_text(text.replace("</robot>", more), for_gazebo=True).findings
        assert [f.rule for f in found if f.rule == "gazebo-color"] == rules


def test_world_may_be_named_and_need_not_be_declared(lint_text):
    fixed = (
        '<joint name="k" type="fixed"><parent link="world"/><child link="a"/></joint>'
    )
    assert lint_text(robot(more=DRIVE + fixed)).findings == []
    declared = fixed + '<link name="world"/>'
    assert lint_text(robot(more=DRIVE + declared)).findings == []


def test_a_package_is_found_above_the_file(tmp_path):
    folder = tmp_path / "catkin" / "arm_package" / "urdf"
    folder.mkdir(parents=True)
    mesh = folder.parent / "meshes" / "link.obj"
    mesh.parent.mkdir()
    mesh.write_text("v 0 0 0\nf 1 1 1\n")
    text = robot(
        b=f'{SOLID}<visual><geometry><mesh filename="package://arm/meshes/link.obj"/>'
        "</geometry></visual>"
    )
    path = folder / "arm.urdf"
    path.write_text(text)
    assert [f.rule for f in lint(path).findings] == ["missing-mesh"]
    (folder.parent / "package.xml").write_text("<package><name>arm</name></package>")
    assert lint(path).findings == []


def test_a_mesh_that_is_none_is_told(lint_text, tmp_path):
    (tmp_path / "shape.gltf").write_text("{}")
    text = robot(
        b=f'{SOLID}<visual><geometry><mesh filename="shape.gltf"/></geometry></visual>'
    )
    (finding,) = lint_text(text).findings
    assert finding.rule == "unreadable-mesh"
    assert "no 'asset'" in finding.says
