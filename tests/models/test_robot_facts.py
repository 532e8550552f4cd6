"""The Atlases and the UR10 against their published figures.

The figures in data/ were computed from the public files by Drake and by Pinocchio,
which agree to 1e-12: base welded at the world origin, gravity 9.81 m/s^2 along -z,
velocities 0.5 rad/s where it matters. The simulator's Atlases have no head of their own
there; ours is taken off.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.urdf.overlay.overlaying import apply_overlay
from backbeat.models.urdf.reading.forward_kinematics import center_of_mass, link_poses
from backbeat.models.urdf.reading.parsing import read_description
from tests.tolerances import EXACT, MIRROR, PUBLISHED

DATA = Path(__file__).parent / "data"
ATLAS = Path(__file__).parents[2] / "models" / "robots" / "atlas"
MOVING = {"atlas_v3": 28, "atlas_v4": 28, "atlas_v5_drcsim": 30}
ROBOTS = ("atlas_v5", *MOVING, "ur10")
# Of ten digits: absolute for small values, relative for those above one.
RECURSION_FIGURES = 1e-8
CONFIGS = ("zero", "rand_a", "rand_b", "rand_c")


def table(kind, robot):
    """Rows of the checks or configs in data/ of a robot."""
    own = DATA / f"{robot}_{kind}.csv"
    with (own if own.is_file() else DATA / f"robots_{kind}.csv").open() as file:
        return [r for r in csv.DictReader(file) if r.get("robot", robot) == robot]


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request, tmp_path_factory):
    """Name and URDF of a robot as it was when its figures were computed."""
    if request.param == "ur10":
        return request.param, DATA / "ur10.urdf"
    if request.param == "atlas_v5":
        return request.param, ATLAS / "atlas_v5.urdf"
    folder = tmp_path_factory.mktemp(request.param)
    overlay, path = folder / "headless.yaml", folder / "headless.urdf"
    overlay.write_text(f"urdf: {ATLAS / request.param}.urdf\nremove: [head]\n")
    path.write_bytes(apply_overlay(overlay, path))
    return request.param, path


def plant_of(path, welded):
    """The robot alone, its base welded to the world or floating."""
    plant = MultibodyPlant(0.0)
    (instance,) = Parser(plant).AddModels(str(path))
    if welded and "ur10" not in path.name:
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("pelvis"))
    plant.Finalize()
    return plant, instance


def angles(name, config):
    """Joint angles of a configuration [rad]."""
    rows = table("configs", name)
    return {r["joint"]: float(r["q_rad"]) for r in rows if r["config"] == config}


def placed(plant, q):
    """A context with joints at angles."""
    context = plant.CreateDefaultContext()
    for joint, angle in q.items():
        plant.GetJointByName(joint).set_angle(context, angle)
    return context


def figures(path, q):
    """Mass properties, energies and torques by the names of the figures."""
    plant, instance = plant_of(path, welded=True)
    context = placed(plant, q)
    plant.SetVelocities(context, np.full(plant.num_velocities(), 0.5))
    M = plant.CalcMassMatrix(context)
    free, _ = plant_of(path, welded=False)
    free.CalcMassMatrix(placed(free, q))
    gravity, bias = (
        -plant.CalcGravityGeneralizedForces(context),
        plant.CalcBiasTerm(context),
    )
    center = plant.CalcCenterOfMassPositionInWorld(context, [instance])
    found = {
        "total_mass": plant.CalcTotalMass(context, [instance]),
        "mass_matrix_trace": np.trace(M),
        "mass_matrix_logdet": np.linalg.slogdet(M)[1],
        "mass_matrix_eig_min": np.linalg.eigvalsh(M)[0],
        "mass_matrix_eig_max": np.linalg.eigvalsh(M)[-1],
        "mass_matrix_trace_floating_base": np.trace(
            free.CalcMassMatrix(placed(free, q))
        ),
        "potential_energy_rel_pelvis": plant.CalcPotentialEnergy(context),
        "kinetic_energy_qd0.5": plant.CalcKineticEnergy(context),
        "gravity_torque_norm": np.linalg.norm(gravity),
    }
    found |= {f"com_{axis}": c for axis, c in zip("xyz", center, strict=True)}
    for joint in q:
        i = plant.GetJointByName(joint).velocity_start()
        found[f"gravity_torque:{joint}"] = gravity[i]
        found[f"coriolis_qd0.5:{joint}"] = bias[i]
    frames = [plant.get_frame(i) for i in plant.GetFrameIndices(instance)]
    poses = {f.name(): f.CalcPoseInWorld(context).GetAsMatrix4() for f in frames}
    return found | entries(poses)


def entries(poses):
    """Entries of poses by the names of the figures: pos_FRAME_x and rot_FRAME_ij."""
    found = {}
    for name, X in poses.items():
        found |= {f"pos_{name}_{'xyz'[i]}": X[i, 3] for i in range(3)}
        found |= {f"rot_{name}_{i}{k}": X[i, k] for i in range(3) for k in range(3)}
    return found


@pytest.mark.parametrize("config", CONFIGS)
def test_every_published_figure_holds(robot, config):
    """Drake for masses and frames, our own forward kinematics for where links are."""
    name, path = robot
    q = angles(name, config)
    known = figures(path, q) | entries(link_poses(read_description(path), q))
    rows = [r for r in table("checks", name) if r["config"] == config]
    assert len(rows) > 50
    for row in rows:
        quantity, value = row["quantity"], float(row["value"])
        ours = known[quantity]
        assert abs(ours - value) <= PUBLISHED * max(1.0, abs(value)), (quantity, ours)


def recursion_figures(robot, q):
    """What our recursion says of an arm, by the names of the figures."""
    v = np.full(6, 0.5)
    still, moving = Configuration(robot, q), Configuration(robot, q, v)
    M, com = still.mass_matrix, still.center_of_mass
    eigenvalues = np.linalg.eigvalsh(M)
    found = {
        "total_mass": robot.total_mass,
        "mass_matrix_trace": np.trace(M),
        "mass_matrix_logdet": np.linalg.slogdet(M)[1],
        "mass_matrix_eig_min": eigenvalues[0],
        "mass_matrix_eig_max": eigenvalues[-1],
        "gravity_torque_norm": np.linalg.norm(still.bias),
        "potential_energy_rel_pelvis": robot.weight * com[2],
        "kinetic_energy_qd0.5": 0.5 * v @ M @ v,
    }
    found |= {f"com_{axis}": value for axis, value in zip("xyz", com, strict=True)}
    for i, name in enumerate(robot.joint_names):
        found[f"gravity_torque:{name}"] = still.bias[i]
        found[f"coriolis_qd0.5:{name}"] = moving.bias[i] - still.bias[i]
    frames = {f: robot.link_frame(f) for f in ("tool0", "ee_link", "wrist_3_link")}
    poses = {f: still.pose(frame).GetAsMatrix4() for f, frame in frames.items()}
    return found | entries(poses)


@pytest.mark.parametrize("config", CONFIGS)
def test_every_published_figure_of_the_ur10_holds_by_our_recursion(config):
    """On the file that ships, where the above read the public one."""
    robot = RobotModel("ur10")
    q = np.array([angles("ur10", config)[name] for name in robot.joint_names])
    ours = recursion_figures(robot, q)
    known = [r for r in table("checks", "ur10") if r["config"] == config]
    assert len(known) == len(ours) == 59
    for row in known:
        value = float(row["value"])
        room = RECURSION_FIGURES * max(1.0, abs(value))
        assert abs(ours[row["quantity"]] - value) <= room, row


def test_the_ur10_reaches_as_far_as_published():
    """A pattern search over its joints from where the arm is stretched."""
    (row,) = [r for r in table("checks", "ur10") if r["config"] == "-"]
    arm = read_description(DATA / "ur10.urdf")
    names = [j.name for j in arm.moving_joints()]
    shoulder = np.array([0.0, 0.0, 0.1273])

    def reach(q):
        tool = link_poses(arm, dict(zip(names, q, strict=True)))["tool0"][:3, 3]
        return float(np.linalg.norm(tool - shoulder))

    best = 0.0
    for seed in range(2):
        q = np.random.default_rng(seed).uniform(-2, 2, len(names))
        step = 1.0
        while step > 1e-4:
            tries = [q + sign * step * d for d in np.eye(len(q)) for sign in (1, -1)]
            far = max(tries, key=reach)
            q, step = (far, step) if reach(far) > reach(q) + 1e-9 else (q, step / 2)
        best = max(best, reach(q))
    assert best == pytest.approx(float(row["value"]), abs=5e-5)


@pytest.mark.parametrize("name", MOVING)
def test_earlier_atlases_load_by_name_and_by_old_joint_names(name):
    robot = RobotModel(name)
    assert robot.num_joints == MOVING[name]
    assert set(robot.soles) == {"l_foot", "r_foot"}
    assert robot.joint_index("back_ubx") == robot.joint_index("back_bkx")
    groups = ("back", "neck", "l_arm", "r_arm", "l_leg", "r_leg")
    assert sum(len(robot.groups[g]) for g in groups) == MOVING[name]


@pytest.mark.parametrize("name", MOVING)
def test_left_and_right_are_mirror_images(name):
    """Mirrored angles put every link of one side where the other's mirror image is."""
    robot = RobotModel(name)
    urdf = read_description(ATLAS / f"{name}.urdf")
    q = robot.posture("cruciform")
    q[7:] = np.random.default_rng(3).uniform(robot.position_lower, robot.position_upper)
    poses, images = (
        link_poses(urdf, dict(zip(robot.joint_names, c[7:], strict=True)))
        for c in (q, robot.mirrored(q))
    )
    for link, X in poses.items():
        if "camera" in link:
            continue
        twin = {"l_": "r_", "r_": "l_"}.get(link[:2], link[:2]) + link[2:]
        assert images[twin][:3, 3] == pytest.approx(X[:3, 3] * [1, -1, 1], abs=MIRROR)


# Joints of the fifth Atlas that Drake keeps, and of the simulator's.
RENAMED = {"neck_ay": "neck_ry"} | {
    f"{side}_arm_{new}": f"{side}_arm_{old}"
    for side in "lr"
    for new, old in (("uwy", "wry"), ("mwx", "wrx"), ("lwy", "wry2"))
}


def test_the_two_fifth_atlases_move_alike_and_weigh_otherwise():
    one, other = (
        read_description(ATLAS / f"{name}.urdf")
        for name in ("atlas_v5", "atlas_v5_drcsim")
    )
    random = np.random.default_rng(4)
    limits = {j.name: j.limit for j in one.moving_joints()}
    q = {n: random.uniform(limit.lower, limit.upper) for n, limit in limits.items()}
    first = link_poses(one, q)
    second = link_poses(other, {RENAMED.get(n, n): a for n, a in q.items()})
    for link in ("l_foot", "r_foot", "l_hand", "r_hand", "head", "utorso"):
        assert second[link][:3, 3] == pytest.approx(first[link][:3, 3], abs=MIRROR)
    heavier = center_of_mass(one)[0] - center_of_mass(other)[0]
    assert heavier == pytest.approx(175.118 - 160.834, abs=1e-3)


def test_the_pelvis_stands_as_high_as_published():
    """Legs straight and soles on the floor."""
    assert RobotModel("atlas").posture("cruciform")[6] == pytest.approx(0.93845)


def test_the_ur10_is_bolted_down_and_has_its_limits():
    robot = RobotModel("ur10")
    assert not robot.floating
    assert_allclose(robot.effort_limits, [330, 330, 150, 54, 54, 54])
    assert_allclose(robot.velocity_limits, [2.16, 2.16, 3.15, 3.2, 3.2, 3.2])


def test_the_base_of_the_ur10_may_stand_elsewhere():
    X_WB = RigidTransform([0.4, -0.2, 0.7])
    moved, at_home = RobotModel("ur10", X_WB=X_WB), RobotModel("ur10")
    q = at_home.posture("ready")
    places = [Configuration(r, q).pose("tool0").translation() for r in (moved, at_home)]
    assert_allclose(places[0] - places[1], X_WB.translation(), atol=EXACT)
