"""MCAP files with Foxglove's messages: what a viewer needs to show a motion.

Frames of bodies, joint states, the robot's shapes, forces of contacts as arrows, the
center of mass, paths of the plan, and metrics as numbers.
"""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.behaviors.takes.writers.mcap_messages import (
    METRICS,
    mcap_packages,
    numbers_message,
)
from backbeat.behaviors.takes.writers.robot_shapes import (
    KINDS,
    color_of,
    pose_of,
    robot_shapes,
    vector,
)
from backbeat.behaviors.takes.writers.states import MotionStates

WORLD = "world"
# Length of the arrow of a force as large as the weight [m], and its thickness [m].
ARROW, THICK = 0.6, 0.015
# Forces with arrows are at least so large a share of the weight.
LEAST = 0.005
FORCE = color_of(0.9, 0.25, 0.2, 0.9)
CENTER, PLANNED = color_of(0.15, 0.35, 0.9, 0.9), color_of(0.1, 0.65, 0.3, 0.8)
CHANNELS = {
    "/tf": "foxglove.FrameTransforms",
    "/joint_states": "foxglove.JointStates",
    "/robot": "foxglove.SceneUpdate",
    "/plan": "foxglove.SceneUpdate",
    "/contacts": "foxglove.SceneUpdate",
    "/metrics": METRICS,
}
Message = dict[str, Any]


def write_mcap(states: MotionStates) -> bytes:
    """The file, in memory.

    Raises:
        BackbeatError: the packages that write it are not installed.
    """
    packages, metrics = mcap_packages(), _metrics(states)
    classes = packages.messages | {METRICS: numbers_message(list(metrics))}
    file = io.BytesIO()
    writer = packages.writer(file)
    for time, topic, message in _messages(states, metrics):
        at = round(1e9 * time)
        writer.write_message(topic, classes[CHANNELS[topic]](**message), at, at)
    writer.add_metadata("motion", _about(states))
    writer.finish()
    return file.getvalue()


def _about(states: MotionStates) -> dict[str, str]:
    return {
        "name": states.name,
        "robot": states.robot.name,
        "joints": " ".join(states.robot.joint_names),
    }


def _messages(
    states: MotionStates, metrics: dict[str, np.ndarray]
) -> Iterator[tuple[float, str, Message]]:
    """Time, topic and message, in order of time from zero on."""
    times = states.t - states.t[0]
    yield times[0], "/robot", _scene(list(_robot(states)))
    yield times[0], "/plan", _scene([_paths(states)])
    for i, time in enumerate(times):
        yield time, "/tf", {"transforms": list(_transforms(states, i, time))}
        yield time, "/joint_states", _joints(states, i, time)
        yield time, "/contacts", _scene([_contacts(states, i, time)])
        numbers = {n: float(values[i]) for n, values in metrics.items()}
        yield time, "/metrics", {"timestamp": _stamp(time), **numbers}


def _stamp(time: float) -> Message:
    at = round(1e9 * time)
    return {"seconds": at // 10**9, "nanos": at % 10**9}


def _scene(entities: list[Message]) -> Message:
    return {"deletions": [], "entities": entities}


def _entity(name: str, frame: str, time: float, **primitives: list[Message]) -> Message:
    """An entity that stays until one of the same name comes."""
    kinds = ("arrows", *KINDS, "lines", "texts", "models")
    return {
        "timestamp": _stamp(time),
        "frame_id": frame,
        "id": name,
        "frame_locked": True,
        "metadata": [],
        **{kind: primitives.get(kind, []) for kind in kinds},
    }


def _robot(states: MotionStates) -> Iterator[Message]:
    for body, primitives in robot_shapes(states.robot).items():
        yield _entity(body, body, 0.0, **primitives)


def _transforms(states: MotionStates, i: int, time: float) -> Iterator[Message]:
    bodies = states.bodies
    for b, name in enumerate(states.body_names):
        w, x, y, z = map(float, bodies.turn[i, b])
        yield {
            "timestamp": _stamp(time),
            "parent_frame_id": WORLD,
            "child_frame_id": name,
            "translation": dict(zip("xyz", bodies.place[i, b].tolist(), strict=True)),
            "rotation": {"x": x, "y": y, "z": z, "w": w},
        }


def _joints(states: MotionStates, i: int, time: float) -> Message:
    rows = zip(
        states.robot.joint_names,
        states.joints[i].tolist(),
        states.joint_velocities[i].tolist(),
        states.tau[i].tolist(),
        strict=True,
    )
    return {
        "timestamp": _stamp(time),
        "joints": [
            {"name": name, "position": q, "velocity": v, "effort": tau}
            for name, q, v, tau in rows
        ],
    }


def _contacts(states: MotionStates, i: int, time: float) -> Message:
    """Arrows of forces, and a ball at the center of mass."""
    arrows, weight = [], states.robot.weight
    for c in range(len(states.contacts)):
        force = states.wrench[i, c, 3:]
        size = float(np.linalg.norm(force))
        if size > LEAST * weight:
            at = states.contact_places[i, c]
            arrows.append(_arrow(at, force / size, ARROW * size / weight))
    X = RigidTransform(states.center_of_mass[i])
    ball = {"pose": pose_of(X), "size": vector(np.full(3, 0.06)), "color": CENTER}
    return _entity("forces and center", WORLD, time, arrows=arrows, spheres=[ball])


def _arrow(at: np.ndarray, along: np.ndarray, length: float) -> Message:
    """An arrow from a place along a direction, which is its x axis."""
    R = RotationMatrix.MakeFromOneVector(along, 0)
    head = min(0.25 * length, 4 * THICK)
    return {
        "pose": pose_of(RigidTransform(R, at)),
        "shaft_length": length - head,
        "shaft_diameter": THICK,
        "head_length": head,
        "head_diameter": 2 * THICK,
        "color": FORCE,
    }


def _paths(states: MotionStates) -> Message:
    """Paths of the center of mass, also as planned in a run, and of the contacts."""
    paths = [(states.center_of_mass, CENTER)]
    if states.planned_center is not None:
        paths.append((states.planned_center, PLANNED))
    paths += [
        (states.contact_places[:, c], PLANNED) for c in range(len(states.contacts))
    ]
    lines = [
        {
            "type": 0,  # A strip.
            "pose": pose_of(RigidTransform()),
            "thickness": 2.0,
            "scale_invariant": True,
            "points": [vector(p) for p in path],
            "color": color,
            "colors": [],
            "indices": [],
        }
        for path, color in paths
    ]
    return _entity("paths", WORLD, 0.0, lines=lines)


def _metrics(states: MotionStates) -> dict[str, np.ndarray]:
    """Numbers to plot, by name: (n,) each."""
    robot, force = states.robot, states.wrench[:, :, 3:]
    shares = robot.motors.shares(states.tau, states.joint_velocities)
    speeds = np.abs(states.joint_velocities) / robot.velocity_limits
    found = {
        "center_of_mass_height_m": states.center_of_mass[:, 2],
        "largest_torque_share": shares.max(axis=1),
        "largest_speed_share": speeds.max(axis=1),
        "ground_force_weights": force[:, :, 2].sum(axis=1) / robot.weight,
    }
    for c, name in enumerate(states.contacts):
        found[f"{name}_force_n"] = np.linalg.norm(force[:, c], axis=1)
    return found
