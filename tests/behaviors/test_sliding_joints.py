"""Joints that slide, planned for beside those that turn."""

import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library

LINK = """<link name="{0}"><inertial><mass value="{1}"/>
  <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
URDF = f"""<robot name="claw">
{LINK.format("stand", 5.0)}{LINK.format("palm", 1.0)}{LINK.format("finger", 0.02)}
<joint name="turn" type="revolute"><parent link="stand"/><child link="palm"/>
  <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="20" velocity="3"/></joint>
<joint name="slide" type="prismatic"><parent link="palm"/><child link="finger"/>
  <axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/></joint>
</robot>"""
YAML = """name: claw
urdf: claw.urdf
base: stand
fixed: true
postures:
  stand: {joints: {slide: 0.02}}
  open: {joints: {slide: 0.035, turn: 0.4}}
"""
OPENING = """kind: posture
name: opening
summary: Opens while it turns.
robot: claw.yaml
stations:
  - {posture: stand, move: 0.4, hold: 0.2}
  - {posture: open, move: 1.0, hold: 0.4}
"""


def test_a_finger_of_a_short_travel_arrives_as_a_joint_that_turns_does(tmp_path):
    """Stops and costs for radians would keep it 10 mm from its stops."""
    texts = {"claw.urdf": URDF, "claw.yaml": YAML, "opening.yaml": OPENING}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    behavior = build(str(tmp_path / "opening.yaml"), Library(tmp_path / "library"))
    assert behavior.certificate.passed, behavior.certificate.failures()
    turn, slide = behavior.motion.q.max(axis=0)
    assert turn == pytest.approx(0.4, abs=0.02)
    assert slide == pytest.approx(0.035, abs=1e-3)
