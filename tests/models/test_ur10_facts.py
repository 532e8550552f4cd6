"""The description of the UR10 against figures of the public one.

The figures in data/ were computed by Drake and by Pinocchio, which agree to 1e-12: base
at the world origin, gravity 9.81 m/s^2 along -z, velocities 0.5 rad/s where it matters.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from tests.tolerances import EXACT

DATA = Path(__file__).parent / "data"
# The figures carry ten digits: absolute for small values, relative for those above one.
FIGURES = 1e-8
CONFIGS = ["zero", "rand_a", "rand_b", "rand_c"]


def table(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def robot() -> RobotModel:
    return RobotModel("ur10")


def figures(robot: RobotModel, q: np.ndarray) -> dict[str, float]:
    """What our recursion says, by the names of the figures."""
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
    for frame in ("tool0", "ee_link", "wrist_3_link"):
        X = still.pose(robot.link_frame(frame))
        for i in range(3):
            found[f"pos_{frame}_{'xyz'[i]}"] = X.translation()[i]
            for k in range(3):
                found[f"rot_{frame}_{i}{k}"] = X.rotation().matrix()[i, k]
    return found


@pytest.mark.parametrize("config", CONFIGS)
def test_every_published_figure_holds(robot, config):
    rows = table("ur10_configs.csv")
    angles = {r["joint"]: float(r["q_rad"]) for r in rows if r["config"] == config}
    q = np.array([angles[name] for name in robot.joint_names])
    ours = figures(robot, q)
    known = [r for r in table("ur10_checks.csv") if r["config"] == config]
    assert len(known) == len(ours) == 59
    for row in known:
        value = float(row["value"])
        room = FIGURES * max(1.0, abs(value))
        assert abs(ours[row["quantity"]] - value) <= room, row


def test_it_is_bolted_down_and_has_its_limits(robot):
    assert not robot.floating
    assert_allclose(robot.effort_limits, [330, 330, 150, 54, 54, 54])
    assert_allclose(robot.velocity_limits, [2.16, 2.16, 3.15, 3.2, 3.2, 3.2])


def test_its_base_may_stand_elsewhere():
    X_WB = RigidTransform([0.4, -0.2, 0.7])
    moved, at_home = RobotModel("ur10", X_WB=X_WB), RobotModel("ur10")
    q = at_home.posture("ready")
    places = [Configuration(r, q).pose("tool0").translation() for r in (moved, at_home)]
    assert_allclose(places[0] - places[1], X_WB.translation(), atol=EXACT)
