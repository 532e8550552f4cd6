"""NPZ files for trainers: joint and body states in the order that each reader has."""

import io
import json
from collections.abc import Sequence

import numpy as np

from backbeat.behaviors.takes.joint_orders import breadth_first, depth_first
from backbeat.behaviors.takes.writers.states import MotionStates
from backbeat.models.state.names import position_names, velocity_names

# The name that MuJoCo gives to body 0.
WORLD = "world"


def write_beyondmimic(states: MotionStates) -> bytes:
    """Breadth first; velocities of bodies are of their centers of mass, as in PhysX."""
    return _trained(states, breadth_first(states.robot), of_centers=True)


def write_mjlab(states: MotionStates) -> bytes:
    """Depth first; velocities of bodies are of their origins."""
    return _trained(states, depth_first(states.robot), of_centers=False)


def write_holosoma(states: MotionStates) -> bytes:
    """For its training: joint_pos is the whole qpos, and body 0 is the world.

    `qpos` is there too, so that its own converter reads the file. The base's angular
    velocity is in the world, as the converter of holosoma has it.
    """
    robot, order = states.robot, depth_first(states.robot)
    base = _base(states)
    qpos = np.hstack([base[:, 4:], base[:, :4], states.joints[:, order]])
    bodies = states.bodies
    qvel = np.hstack(
        [bodies.velocity[:, 0], bodies.spin[:, 0], states.joint_velocities[:, order]]
    )
    still = np.zeros((len(states.t), 1, 3))
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (len(states.t), 1, 1))
    moved = [0, *(np.asarray(order) + 1)]
    return _packed(
        fps=_fps(states),
        qpos=_single(qpos),
        joint_pos=_single(qpos),
        joint_vel=_single(qvel),
        body_pos_w=_single(np.concatenate([still, bodies.place[:, moved]], axis=1)),
        body_quat_w=_single(np.concatenate([upright, bodies.turn[:, moved]], axis=1)),
        body_lin_vel_w=_single(
            np.concatenate([still, bodies.velocity[:, moved]], axis=1)
        ),
        body_ang_vel_w=_single(np.concatenate([still, bodies.spin[:, moved]], axis=1)),
        joint_names=_names([robot.joint_names[j] for j in order]),
        body_names=_names([WORLD, *(states.body_names[b] for b in moved)]),
        **_more(states, order),
    )


def write_columns(states: MotionStates) -> bytes:
    """An array for each column, in double precision, and bodies as for trainers."""
    robot, bodies = states.robot, states.bodies
    columns = {"t": states.t}
    for names, values in (
        (position_names(robot), states.q),
        (velocity_names(robot), states.v),
        ([f"tau.{n}" for n in robot.joint_names], states.tau),
    ):
        columns |= {n: values[:, i] for i, n in enumerate(names)}
    return _packed(
        **columns,
        body_names=_names(states.body_names),
        body_pos_w=bodies.place,
        body_quat_w=bodies.turn,
        body_lin_vel_w=bodies.velocity,
        body_ang_vel_w=bodies.spin,
        contact_names=_names(states.contacts),
        contact=states.touches,
        contact_pos_w=states.contact_places,
        contact_wrench_w=states.wrench,
        com_pos_w=states.center_of_mass,
        story=np.array(json.dumps(states.story)),
    )


def _trained(states: MotionStates, order: Sequence[int], of_centers: bool) -> bytes:
    """The arrays of BeyondMimic and mjlab, and what they lack as further ones."""
    bodies, moved = states.bodies, [0, *(np.asarray(order) + 1)]
    velocity = bodies.center_velocity if of_centers else bodies.velocity
    return _packed(
        fps=_fps(states),
        joint_pos=_single(states.joints[:, order]),
        joint_vel=_single(states.joint_velocities[:, order]),
        body_pos_w=_single(bodies.place[:, moved]),
        body_quat_w=_single(bodies.turn[:, moved]),
        body_lin_vel_w=_single(velocity[:, moved]),
        body_ang_vel_w=_single(bodies.spin[:, moved]),
        joint_names=_names([states.robot.joint_names[j] for j in order]),
        body_names=_names([states.body_names[b] for b in moved]),
        **_more(states, order),
    )


def _more(states: MotionStates, order: Sequence[int]) -> dict[str, np.ndarray]:
    """Torques, contacts and the center of mass, which none of the trainers asks for."""
    return {
        "joint_torque": _single(states.tau[:, order]),
        "contact_names": _names(states.contacts),
        "contact": states.touches,
        "contact_pos_w": _single(states.contact_places),
        "contact_wrench_w": _single(states.wrench),
        "com_pos_w": _single(states.center_of_mass),
        "robot": np.array(states.robot.name),
        "source": np.array(states.name),
    }


def _base(states: MotionStates) -> np.ndarray:
    """(n, 7) quaternion wxyz and place of the base."""
    if states.robot.floating:
        return states.q[:, :7]
    return np.hstack([states.bodies.turn[:, 0], states.bodies.place[:, 0]])


def _fps(states: MotionStates) -> np.ndarray:
    """Frames a second, a whole number where it is one."""
    assert states.rate is not None
    whole = float(states.rate).is_integer()
    return np.array([int(states.rate) if whole else states.rate])


def _single(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32)


def _names(names: Sequence[str]) -> np.ndarray:
    """Text of a length that NumPy states, which is read without trust."""
    return np.array(list(names), dtype=str)


def _packed(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()
