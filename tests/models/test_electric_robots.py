"""The G1, the H1 and the T1 against figures that were computed elsewhere.

data/electric_*.csv were computed by Drake and by Pinocchio, which agree, from the
public descriptions of these robots: base at the world's origin, gravity 9.81 m/s^2
along -z, no rotors. Ours have rotors where they are known, which are taken off again.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from pydrake.geometry import SceneGraph, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.meshing import gltf
from backbeat.models.robot.model import RobotModel
from backbeat.models.robots.g1 import shell as g1_shell
from backbeat.models.robots.h1 import shell as h1_shell
from backbeat.models.robots.t1 import shell as t1_shell
from backbeat.models.state.configuration import Configuration
from backbeat.models.urdf.linting.lint import lint
from tests.behaviors.drake_robot import DrakeRobot
from tests.tolerances import PUBLISHED, RECURSION

DATA = Path(__file__).parent / "data"
ROBOTS = Path(__file__).parents[2] / "models" / "robots"
JOINTS = {"g1": 29, "h1": 19, "t1": 23}
SHELLS = {"g1": g1_shell, "h1": h1_shell, "t1": t1_shell}
# Inertia of rotors behind their gears [kg m^2]: knee, a wrist, and waist.
ROTORS = {"left_knee_joint": 0.0251019, "right_wrist_yaw_joint": 0.00425,
          "waist_roll_joint": 0.0072194}  # fmt: skip


def table(name, robot):
    """Rows of a file in data/ that are about a robot."""
    with (DATA / name).open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["robot"] == robot]


@pytest.fixture(scope="module", params=JOINTS)
def name(request):
    return request.param


def test_figures_are_those_computed_elsewhere(name):
    """By the compiled recursion; rows of which the file has hundreds."""
    robot = RobotModel(name, X_WB=RigidTransform())
    assert robot.num_joints == JOINTS[name]
    q = np.zeros(robot.num_positions)
    for row in table("electric_configs.csv", name):
        q[robot.joint_index(row["joint"])] = float(row["q_rad"])
    state = Configuration(robot, q)
    inertia = np.diag(state.mass_matrix) - robot.tree.rotor
    found = {"total_mass": robot.total_mass}
    found |= {f"com_{a}": c for a, c in zip("xyz", state.center_of_mass, strict=True)}
    rows = table("electric_checks.csv", name)
    assert len(rows) > 30
    for row in rows:
        quantity, of = row["quantity"], row["of"]
        value = float(row["value"])
        if quantity == "gravity_torque":
            ours = state.bias[robot.joint_index(of)]
        elif quantity == "mass_matrix_diagonal":
            ours = inertia[robot.joint_index(of)]
        elif quantity.startswith("position"):
            ours = state.pose(robot.link_frame(of)).translation()[
                "xyz".index(quantity[-1])
            ]
        else:
            ours = found[quantity]
        assert abs(ours - value) <= PUBLISHED * max(1.0, abs(value)), (quantity, of)


def test_dynamics_in_motion_are_those_of_drake(name):
    """Floating, with rotors: mass matrix and inverse dynamics."""
    robot, rng = RobotModel(name), np.random.default_rng(5)
    drake, q = DrakeRobot(robot), robot.posture("crouch")
    q[7:] += 0.1 * rng.normal(size=robot.num_joints)
    v, vdot = rng.normal(size=(2, robot.num_velocities))
    drake.set(q, v)
    state = Configuration(robot, q, v)
    tau = state.mass_matrix @ vdot + state.bias
    wanted = drake.inverse_dynamics(vdot)
    assert np.abs(tau - wanted).max() <= RECURSION * np.abs(wanted).max()


def test_the_g1_has_its_rotors():
    robot = RobotModel("g1")
    assert (robot.tree.rotor > 0.003).all()
    for joint, inertia in ROTORS.items():
        assert robot.tree.rotor[robot.joint_index(joint)] == pytest.approx(inertia)


def test_a_description_is_sound(name):
    report = lint(ROBOTS / name / f"{name}.urdf")
    assert not report.findings
    robot = RobotModel(name)
    assert not robot.notes


def test_left_and_right_are_mirror_images(name):
    """As far as the makers' own figures are: within a millimeter."""
    robot, rng = RobotModel(name), np.random.default_rng(2)
    q = robot.posture("stand")
    assert np.abs(robot.mirrored(q) - q).max() < 1e-12
    q[7:] += 0.1 * rng.normal(size=robot.num_joints)
    here, there = Configuration(robot, q), Configuration(robot, robot.mirrored(q))
    flip = np.array([1.0, -1.0, 1.0])
    for left, right in (("left hand", "right hand"), ("left foot", "right foot")):
        a = here.pose(robot.parts[left].frame).translation()
        b = there.pose(robot.parts[right].frame).translation()
        assert np.abs(a * flip - b).max() < 1e-4
    assert np.abs(here.center_of_mass * flip - there.center_of_mass).max() < 2e-3


@pytest.mark.parametrize("name", ["g1", "t1"])
def test_soles_touch_as_far_out_as_they_are_described(name):
    """A planner that puts weight farther out than anything touches tips the foot."""
    robot = RobotModel(name)
    plant, scene_graph = MultibodyPlant(0.0), SceneGraph()
    plant.RegisterAsSourceForSceneGraph(scene_graph)
    robot.add_to(plant, scene_graph)
    inspector = scene_graph.model_inspector()
    for sole in robot.soles:
        body = plant.GetBodyByName(robot.contact_link(sole))
        shapes = {
            g: inspector.GetShape(g) for g in plant.GetCollisionGeometriesForBody(body)
        }
        lowest = [
            inspector.GetPoseInFrame(g).translation() - [0.0, 0.0, shape.radius()]
            for g, shape in shapes.items()
            if isinstance(shape, Sphere)
        ]
        X_LC = robot.contact_in_link(sole)
        corners = [X_LC @ corner for corner in robot.contacts[sole].corners()]
        assert len(lowest) == len(corners) == 4
        off = np.linalg.norm(np.array(lowest)[:, None] - np.array(corners), axis=2)
        assert off.min(axis=1).max() < 1e-6
        assert off.min(axis=0).max() < 1e-6


@pytest.mark.parametrize("posture", ["stand", "ready", "crouch"])
def test_it_stands_over_its_soles(name, posture):
    robot = RobotModel(name)
    state = Configuration(robot, robot.posture(posture))
    middles = [state.pose(sole) for sole in robot.soles]
    for pose in middles:
        assert abs(pose.translation()[2]) < 1e-6
        assert abs(pose.rotation().matrix()[2, 2] - 1.0) < 1e-6
    middle = np.mean([pose.translation() for pose in middles], axis=0)
    assert np.abs(state.center_of_mass - middle)[:2].max() < 2e-3
    shares = np.abs(state.bias[6:]) / robot.effort_limits
    # Legs hang from the base here, and arms and back are held.
    assert shares.max() < 0.5


def test_a_crouch_is_lower_than_ready_and_that_than_stand(name):
    robot = RobotModel(name)
    heights = [robot.posture(p)[6] for p in ("stand", "ready", "crouch")]
    assert heights[0] > heights[1] + 0.02 > heights[2] + 0.04


def test_meshes_are_what_the_shells_write(name):
    folder = ROBOTS / name / "meshes"
    meshes = SHELLS[name].parts()
    assert {f"{link}.gltf" for link in meshes} == {p.name for p in folder.iterdir()}
    for link, parts in meshes.items():
        written = (folder / f"{link}.gltf").read_text(encoding="utf-8")
        assert written == gltf(parts), link
    assert sum(p.stat().st_size for p in folder.iterdir()) < 450_000
