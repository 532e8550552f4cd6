"""What lint mends by itself, and that it changes nothing else."""

import pytest
from lxml import etree

from models.description.lint import lint
from models.description.mending import mend
from models.description.reading import read_description
from tests.models.description.traps import TRAPS, inertial, robot, visual


@pytest.fixture
def mended(tmp_path):
    """`mended(text)` is the report and the description of the mended text."""

    def call(text):
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        (tmp_path / "shape.dae").write_text("anything")
        (tmp_path / "shape.obj").write_text("v 0 0 0\nf 1 1 1\n")
        raw, done = mend(path)
        assert path.read_text() == text
        path = tmp_path / "mended.urdf"
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
def test_what_has_one_obvious_mend_is_mended(mended, name):
    report, _, done = mended(TRAPS[name].text)
    assert len(done) >= 1
    assert TRAPS[name].rule not in {f.rule for f in report.findings}
    assert report.exit_code == 0, [f.sentence("") for f in report.findings]


def test_mended_values_are_what_the_author_meant(mended):
    color = '<material name="p"><color rgba="255 51 0 1"/></material>'
    text = robot(
        a=inertial(" 5 kg", 0.1, 0.1, 0.1),
        b=visual('<box size="1,2, 3"/>', color),
        joint='<axis xyz="0 3 4"/><limit lower="2" upper="-1" effort="-3" '
        'velocity="2 rad/s"/>',
    )
    _, description, done = mended(text)
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
    raw, done = mend(path)
    assert done == []
    same = [
        etree.tostring(etree.fromstring(r), method="c14n")
        for r in (raw, TRAPS[name].text.encode())
    ]
    assert same[0] == same[1]
