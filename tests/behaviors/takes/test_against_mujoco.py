"""What trainers get, against MuJoCo: its own order, places and velocities."""

import io

import numpy as np
import pytest

from backbeat.behaviors.library.table import to_frame
from backbeat.behaviors.takes.writers.formats import WRITTEN
from backbeat.behaviors.takes.writers.states import motion_states
from backbeat.mpc.engines.mjcf_folder import write_scene

mujoco = pytest.importorskip("mujoco", reason="the extra mujoco is not installed")
ROWS = (0, 40, 90, 150)


@pytest.fixture(scope="module")
def behavior(built):
    return built("quarter-turn")


@pytest.fixture(scope="module")
def written(behavior):
    """`written(format)` is the arrays of a file."""
    states = motion_states(to_frame(behavior), {}, behavior.robot_model, "turn", 50.0)

    def call(form):
        file = io.BytesIO(WRITTEN[form].write(states))
        with np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)

    return call


@pytest.fixture(scope="module")
def model(behavior, tmp_path_factory):
    path = write_scene(behavior, tmp_path_factory.mktemp("scene"))
    return mujoco.MjModel.from_xml_path(str(path))


def bodies(model, names):
    """Bodies of the model that a file names."""
    kind = mujoco.mjtObj.mjOBJ_BODY
    known = [mujoco.mj_id2name(model, kind, b) for b in range(model.nbody)]
    plain = [name.split("::")[-1] for name in known]
    return [plain.index(name) for name in names]


def moved(model, arrays, row):
    """The model in a configuration of holosoma's file, moving as it says."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = arrays["qpos"][row], arrays["joint_vel"][row]
    # In MuJoCo the angular velocity of a free joint is in its own axes.
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, data.qpos[3:7])
    data.qvel[3:6] = R.reshape(3, 3).T @ data.qvel[3:6]
    mujoco.mj_forward(model, data)
    return data


def test_places_and_velocities_are_those_of_mujoco(model, written):
    holosoma, mjlab = written("holosoma"), written("mjlab")
    joint = mujoco.mjtObj.mjOBJ_JOINT
    own = [mujoco.mj_id2name(model, joint, j) for j in range(1, model.njnt)]
    assert [n.split("::")[-1] for n in own] == list(holosoma["joint_names"])
    index, found = bodies(model, holosoma["body_names"]), np.zeros(6)
    trained = bodies(model, mjlab["body_names"])
    # Depth first, as MuJoCo numbers them.
    assert trained == sorted(trained)
    for row in ROWS:
        data = moved(model, holosoma, row)
        np.testing.assert_allclose(
            data.xpos[index], holosoma["body_pos_w"][row], atol=2e-6
        )
        turned = (data.xquat[index] * holosoma["body_quat_w"][row]).sum(axis=1)
        np.testing.assert_allclose(np.abs(turned), 1.0, atol=1e-6)
        for k, body in enumerate(trained):
            kind = mujoco.mjtObj.mjOBJ_XBODY
            mujoco.mj_objectVelocity(model, data, kind, body, found, 0)
            np.testing.assert_allclose(
                mjlab["body_ang_vel_w"][row, k], found[:3], atol=1e-5
            )
            np.testing.assert_allclose(
                mjlab["body_lin_vel_w"][row, k], found[3:], atol=1e-5
            )
