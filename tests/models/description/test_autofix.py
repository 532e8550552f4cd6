"""What lint mends by itself, and that it changes nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from backbeat.models.urdf.linting.autofix import autofix
from backbeat.models.urdf.linting.lint import lint
from backbeat.models.urdf.reading.parsing import read_description
from tests.models.description.traps import LIMIT, TRAPS, inertial, robot, visual

NUMBERS = st.floats(-1e3, 1e3).map(lambda x: round(x, 6))
WORDS = NUMBERS.map(str) | st.sampled_from(["", "one", "nan", "inf", "${x}"])


@pytest.fixture
def fixed(tmp_path):
    """`fixed(text)` is the report and the description of the fixed text."""

    def call(text):
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        (tmp_path / "shape.dae").write_text("anything")
        (tmp_path / "shape.obj").write_text("v 0 0 0\nf 1 1 1\n")
        raw, done = autofix(path)
        assert path.read_text() == text
        path = tmp_path / "fixed.urdf"
        path.write_bytes(raw)
        return lint(path), read_description(path), done

    return call


@pytest.mark.parametrize(
    "name",
    [
        "mass-with-unit",
        "limits-of-continuous",
        "limits-reversed",
        "effort-negative",
        "velocity-negative",
        "axis-not-unit",
        "origin-with-commas",
        "color-out-of-range",
        "dae-drawn",
        "soft-hydroelastic",
        "prefix-undeclared",
    ],
)
def test_what_has_one_obvious_fix_is_fixed(fixed, name):
    report, _, done = fixed(TRAPS[name].text)
    assert len(done) >= 1
    assert TRAPS[name].rule not in {f.rule for f in report.findings}
    assert report.exit_code == 0, [f.sentence("") for f in report.findings]


def test_fixed_values_are_what_the_author_meant(fixed):
    color = '<material name="p"><color rgba="255 51 0 1"/></material>'
    text = robot(
        a=inertial(" 5 kg", 0.1, 0.1, 0.1),
        b=visual('<box size="1,2, 3"/>', color),
        joint='<axis xyz="0 3 4"/><limit lower="2" upper="-1" effort="-3" '
        'velocity="2 rad/s"/>',
    )
    _, description, done = fixed(text)
    joint, box = description.joints["j"], description.links["b"].visuals[0]
    assert description.links["a"].inertial.mass == 5
    assert (joint.limit.lower, joint.limit.upper) == (-1, 2)
    assert (joint.limit.effort, joint.limit.velocity) == (3, 2)
    assert joint.axis == pytest.approx((0, 0.6, 0.8))
    assert box.geometry.size == (1, 2, 3)
    assert box.material.rgba == pytest.approx((1, 0.2, 0, 1))
    assert len(done) == 7


@pytest.mark.parametrize(
    "name", ["triangle-inequality", "limit-missing-revolute", "two-parents", "mass-nan"]
)
def test_what_only_the_author_knows_stays(tmp_path, name):
    path = tmp_path / "robot.urdf"
    path.write_text(TRAPS[name].text)
    raw, done = autofix(path)
    assert done == []
    same = [
        etree.tostring(etree.fromstring(r), method="c14n")
        for r in (raw, TRAPS[name].text.encode())
    ]
    assert same[0] == same[1]


@pytest.fixture(scope="module")
def fix_twice(tmp_path_factory):
    """`fix_twice(text)`: the fixed robot and what was done; again nothing is."""
    path = tmp_path_factory.mktemp("fixed") / "robot.urdf"

    def call(text):
        path.write_text(text)
        raw, done = autofix(path)
        path.write_bytes(raw)
        again, nothing = autofix(path)
        assert nothing == []
        assert again == raw
        return etree.fromstring(raw), done

    return call


@settings(max_examples=30)
@given(xyz=st.lists(NUMBERS, min_size=3, max_size=3))
def test_an_axis_keeps_its_direction_and_is_of_unit_length(fix_twice, xyz):
    written = " ".join(map(str, xyz))
    root, _ = fix_twice(robot(joint=f'<axis xyz="{written}"/>{LIMIT}'))
    found = np.array(root.find("joint/axis").get("xyz").split(), float)
    length = np.linalg.norm(xyz)
    if length > 1e-8:
        assert np.linalg.norm(found) == pytest.approx(1.0, abs=2e-3)
        assert found * length == pytest.approx(xyz, abs=2e-3 * length)
    else:
        assert found == pytest.approx(xyz)


@settings(max_examples=30)
@given(words=st.lists(WORDS, max_size=4))
def test_what_is_no_axis_stays(fix_twice, words):
    written = " ".join(words)
    root, done = fix_twice(robot(joint=f'<axis xyz="{written}"/>{LIMIT}'))
    if len(written.split()) != 3 or not set(written) <= set("0123456789.+-e "):
        assert root.find("joint/axis").get("xyz") == written
        assert done == []


@settings(max_examples=30)
@given(rgba=st.lists(st.floats(-1.0, 300.0), min_size=4, max_size=4))
def test_a_color_of_bytes_keeps_its_hue_and_others_stay(fix_twice, rgba):
    color = f'<material name="p"><color rgba="{" ".join(map(str, rgba))}"/></material>'
    root, done = fix_twice(robot(b=visual('<box size="1 1 1"/>', color)))
    found = np.array(root.find("link/visual/material/color").get("rgba").split(), float)
    if all(0 <= c <= 255 for c in rgba):
        assert ((found >= 0) & (found <= 1)).all()
        assert found[:3] * max(rgba[:3]) == pytest.approx(
            max(found[:3]) * np.array(rgba[:3]), abs=1e-3
        )
    else:
        assert found == pytest.approx(rgba)
        assert done == []


@settings(max_examples=30)
@given(numbers=st.lists(NUMBERS, min_size=4, max_size=4))
def test_limits_are_ordered_and_positive_and_none_is_lost(fix_twice, numbers):
    names = ("lower", "upper", "effort", "velocity")
    given_ = dict(zip(names, numbers, strict=True))
    limit = " ".join(f'{name}="{value}"' for name, value in given_.items())
    root, done = fix_twice(robot(joint=f"<limit {limit}/>"))
    found = {k: float(v) for k, v in root.find("joint/limit").attrib.items()}
    assert [found["lower"], found["upper"]] == sorted(numbers[:2])
    for name in ("effort", "velocity"):
        assert found[name] == abs(given_[name])
    assert bool(done) == (found != given_)


@pytest.mark.parametrize("name", ["limit", "axis", "origin", "dynamics"])
def test_of_two_that_say_the_same_one_goes_and_of_others_none(fix_twice, name):
    first = f'<{name} xyz="0 0 1"/>' if name != "limit" else LIMIT
    other = first.replace("0 0 1", "0 1 0").replace('"1"', '"2"')
    root, done = fix_twice(robot(joint=f"{first}{first}"))
    assert len(root.findall(f"joint/{name}")) == 1
    assert len(done) == 1
    root, done = fix_twice(robot(joint=f"{first}{other}"))
    assert len(root.findall(f"joint/{name}")) == 2
    assert done == []


def test_two_axes_that_say_the_same_once_mended_become_one(fix_twice):
    axes = '<axis xyz="0 0 2"/><axis xyz="0,0,1"/>'
    root, done = fix_twice(robot(joint=axes + LIMIT))
    assert [a.get("xyz") for a in root.findall("joint/axis")] == ["0 0 1"]
    assert len(done) == 3


def test_a_mesh_that_nothing_lies_beside_stays(fix_twice):
    root, done = fix_twice(robot(b=visual('<mesh filename="alone.dae"/>')))
    assert root.find("link/visual/geometry/mesh").get("filename") == "alone.dae"
    assert done == []


def test_a_unit_behind_a_number_of_drake_goes_too(fix_twice):
    limit = LIMIT.replace("/>", ' drake:acceleration="5 rad/s"/>')
    root, done = fix_twice(robot(joint=limit))
    (key,) = (k for k in root.find("joint/limit").attrib if "acceleration" in k)
    assert root.find("joint/limit").get(key) == "5"
    assert len(done) == 1


def test_an_attribute_whose_prefix_is_not_declared_stays(tmp_path):
    limit = LIMIT.replace("/>", ' drake:acceleration="5kg"/>')
    path = tmp_path / "robot.urdf"
    path.write_text(
        robot(joint=limit).replace('xmlns:drake="https://drake.mit.edu/"', "")
    )
    raw, done = autofix(path)
    assert b'drake:acceleration="5kg"' in raw
    assert done == ["line 1: declared the prefix drake"]
