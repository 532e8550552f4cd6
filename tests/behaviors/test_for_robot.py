"""A specification for another robot: its text, its name, and what is refused."""

import pytest

from backbeat.behaviors.specification.kinds import (
    find_specification,
    for_robot,
    read_any,
)
from backbeat.models.common.errors import BackbeatError

SPECIFICATION = """# A comment.
kind: posture
name: squat
summary: Squats.
stations:
- {posture: crouch, move: 1.0}
"""


def test_nothing_changes_for_its_own_robot():
    assert for_robot(SPECIFICATION, "", "here") == SPECIFICATION
    assert for_robot(SPECIFICATION, "atlas", "here") == SPECIFICATION


@pytest.mark.parametrize("own", ["", "robot: t1\n"])
def test_lines_keep_their_numbers(own):
    text = SPECIFICATION.replace("stations", f"{own}stations")
    found = for_robot(text, "g1", "here").splitlines()
    before = text.splitlines()
    assert "name: squat-g1" in found
    assert 'robot: "g1"' in found
    same = [i for i, line in enumerate(before) if line == found[i]]
    assert len(same) == len(before) - (2 if own else 1)


def test_a_shipped_behavior_is_read_for_another_robot(tmp_path):
    specification, _ = read_any(find_specification("stand"), robot="t1")
    assert (specification.name, specification.robot) == ("stand-t1", "t1")
    mine = tmp_path / "mine.yaml"
    mine.write_text("name: mine\nlike: h1\nurdf: h1.urdf\n")
    specification, _ = read_any(find_specification("stand"), robot=str(mine))
    assert (specification.name, specification.robot) == ("stand-mine", str(mine))


@pytest.mark.parametrize(
    ("text", "robot", "said"),
    [
        (SPECIFICATION, "g2", "unknown robot"),
        ("kind: setlist\nname: x\n", "g1", "is a setlist"),
        ("{kind: posture, name: x}", "g1", "on a line of its own"),
    ],
)
def test_what_cannot_be_is_refused(text, robot, said):
    with pytest.raises(BackbeatError, match=said):
        for_robot(text, robot, "here.yaml")
