"""Shells that are welded around a joint do not stop it, and others do."""

import numpy as np
import pytest

from backbeat.models.collision.shapes import CollisionModel
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.verification.clearance import Clearance

# A shell of 0.2 x 0.2 x 0.1 m is welded to the base, above a hip whose sphere, 0.05 m
# below its joint, reaches into it the deeper the further it turns.
URDF = """<robot name="shell"><link name="base"/>
  <link name="cover"><inertial><mass value="0.1"/>
    <inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="hip"><inertial><origin xyz="0 0 -0.1"/><mass value="1"/>
    <inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>
    <collision><origin xyz="0 0 -0.05"/>
      <geometry><sphere radius="{radius}"/></geometry></collision></link>
  <joint name="weld" type="fixed"><parent link="base"/><child link="cover"/></joint>
  <joint name="hip" type="revolute"><parent link="base"/><child link="hip"/>
    <origin xyz="0 0 -0.05"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="20" velocity="5"/></joint></robot>"""
YAML = "name: shell\nurdf: shell.urdf\nbase: base\nfixed: true\n"
NOTHING = CollisionModel((), (), np.zeros((0, 0), bool), 0.0)


def make(folder, depth):
    (folder / "shell.urdf").write_text(URDF.format(radius=0.05 + depth))
    (folder / "shell.yaml").write_text(YAML)
    return RobotModel(folder / "shell.yaml")


def test_a_shell_that_rubs_at_rest_is_part_of_its_link(tmp_path):
    robot = make(tmp_path, 0.0012)
    assert robot.covers == (("cover", "hip"),)
    assert any("cover and hip overlap at rest" in note for note in robot.notes)
    clearance = Clearance(robot, NOTHING)
    assert clearance.deepest(np.array([0.3])) == (0.0, ())


def test_a_shell_that_is_clear_at_rest_is_kept_clear(tmp_path):
    robot = make(tmp_path, -0.0012)
    assert robot.covers == ()
    clearance = Clearance(robot, NOTHING)
    assert clearance.deepest(np.array([0.0])) == (0.0, ())
    depth, what = clearance.deepest(np.array([-1.0]))
    assert depth == pytest.approx(0.05 - 0.0012 - 0.05 * np.cos(1.0), abs=1e-5)
    assert {thing.name for thing in what} == {"cover", "hip"}


def test_shipped_robots_have_no_shells():
    assert RobotModel("atlas").covers == ()
