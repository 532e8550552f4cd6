"""Links that planners take for too near to each other to meet, and that meet."""

import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

SQUAT = """kind: posture
name: low
robot: t1
start: stand
{more}stations:
  - {{posture: crouch, pelvis: 0.3, move: 1.2, hold: 0.3}}
"""


@pytest.fixture(scope="module")
def t1():
    return RobotModel("t1")


def test_a_head_stays_off_the_trunk_and_that_is_said(tmp_path):
    """The T1 balances a deep squat with its head, as far as its trunk lets it."""
    path, library = tmp_path / "low.yaml", Library(tmp_path / "library")
    path.write_text(SQUAT.format(more=""))
    found = build(path, library)
    (note,) = found.provenance["remarks"]
    assert note.startswith("the motion failed between its knots, collision ")
    assert note.endswith("links that stay apart (apart: [[H2, Trunk]])")
    pitch = found.robot_model.joint_index("Head_pitch")
    assert found.motion.q[:, 7 + pitch].max() > 0.3
    path.write_text(SQUAT.format(more="apart: [[Trunk, H2]]\n"))
    again = build(path, library)
    assert again.provenance["remarks"] == []
    assert (again.motion.q == found.motion.q).all()
    # Drake's geometry engine has the last word, with every shape of the robot.
    depth = {c.name: c.value for c in found.certificate.checks}["collision"]
    assert depth <= 1e-3


def test_only_the_pair_is_added(t1):
    usual = make_self_collision_model(t1)
    more = make_self_collision_model(t1, apart=[["Trunk", "H2"]])
    assert not usual.watches("H2", "Trunk")
    assert more.watches("H2", "Trunk")
    assert more.watches("Trunk", "H2")
    n = len(usual.spheres)
    assert more.spheres[:n] == usual.spheres
    assert (more.pairs[:n] == usual.pairs).all()
    added = {
        (more.spheres[n + i].link, more.solids[j].name)
        for i, row in enumerate(more.pairs[n:])
        for j in row.nonzero()[0]
    }
    # The head is rounder than the trunk, and its spheres are nearer to its shape.
    assert added == {("H2", "Trunk")}


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        (
            "[[H2, trunk]]",
            "unknown link with a shape of t1 'trunk'; did you mean Trunk",
        ),
        ("[[H2]]", "apart has pairs of two links, as in"),
        ("[[H2, H2]]", "apart has pairs of two links"),
    ],
)
def test_pairs_that_are_none_are_refused(tmp_path, apart, said):
    path = tmp_path / "low.yaml"
    path.write_text(SQUAT.format(more=f"apart: {apart}\n"))
    with pytest.raises(BackbeatError, match=said) as e:
        build(path, Library(tmp_path / "library"))
    assert "low.yaml:5: " in str(e.value)
