"""A behavior as a table and a header: the form in which it is stored.

Columns carry joint and contact names, so the table reads without Backbeat.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from backbeat.behaviors.library.behavior import Behavior, Event, Mount, make_robot
from backbeat.behaviors.music.notation.meter import Meter, MeterMap, meter_from_plain
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.names import position_names, velocity_names
from backbeat.models.world.scene import Scene
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.verification.certificate import Certificate

# What reading a damaged file of such tables raises.
DAMAGED = (
    OSError, pa.ArrowException, KeyError, ValueError, TypeError, RecursionError,
)  # fmt: skip
WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")
INERTIA = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
# All nine entries: a quaternion would not give back every bit, and a run from the
# library would not equal one from a fresh build.
ROTATION = tuple((i, j) for i in range(3) for j in range(3))


def to_frame(behavior: Behavior) -> pd.DataFrame:
    """The motion as a table, columns by joint and contact name."""
    robot, m = behavior.robot_model, behavior.motion
    columns: dict[str, np.ndarray] = {"t": m.t}
    for names, values in (
        (position_names(robot), m.q),
        (velocity_names(robot), m.v),
        (velocity_names(robot, "vdot"), m.vdot),
    ):
        columns |= {name: values[:, i] for i, name in enumerate(names)}
    for i, joint in enumerate(robot.joint_names):
        columns[f"tau.{joint}"] = m.tau[:, i]
    for c, name in enumerate(m.contacts):
        columns[f"{name}.standing"] = m.standing[:, c]
        if m.edge[:, c].any():
            columns[f"{name}.edge"] = m.edge[:, c]
        for i, axis in enumerate(WRENCH):
            columns[f"{name}.{axis}"] = m.wrench[:, c, i]
        for i, axis in enumerate("xyz"):
            columns[f"{name}.support.{axis}"] = m.p_WC[:, c, i]
        for i, j in ROTATION:
            columns[f"{name}.support.R{'xyz'[i]}{'xyz'[j]}"] = m.R_WC[:, c, i, j]
    for i, axis in enumerate("xyz"):
        columns[f"com.{axis}"] = behavior.com[:, i]
        columns[f"angular_momentum.{axis}"] = behavior.momentum[:, i]
        columns[f"linear_momentum.{axis}"] = behavior.momentum[:, 3 + i]
    for i, j in INERTIA:
        columns[f"inertia.{'xyz'[i]}{'xyz'[j]}"] = behavior.inertia[:, i, j]
    return pd.DataFrame(columns)


def to_header(behavior: Behavior) -> dict[str, Any]:
    """Everything but the arrays, as plain data."""
    return {
        "name": behavior.name,
        "kind": behavior.kind,
        "summary": behavior.summary,
        "robot": behavior.robot,
        "equipment": list(behavior.equipment),
        "mount": asdict(behavior.mount),
        "scene": asdict(behavior.scene),
        "bpm": behavior.bpm,
        "meter": behavior.meter.to_plain(),
        "lead_in_bars": behavior.meter.lead_in,
        "contacts": list(behavior.motion.contacts),
        "events": [asdict(e) for e in behavior.events],
        "certificate": behavior.certificate.to_dict(),
        "specification": behavior.specification,
        "provenance": {
            "duration_s": float(behavior.motion.t[-1]),
            **behavior.provenance,
        },
        "beat_priority": behavior.beat_priority,
        "compliance": dict(behavior.compliance),
    }


def behavior_from_frame(frame: pd.DataFrame, header: Mapping[str, Any]) -> Behavior:
    """The inverse of `to_frame` and `to_header`, exact to the last bit.

    Raises:
        BackbeatError: the robot is unknown, or not the one that it was stored for.
    """
    mount_data = dict(header["mount"])
    place = mount_data["p_WB"]
    mount = Mount(
        p_WB=None if place is None else tuple(place),
        rpy_WB=tuple(mount_data["rpy_WB"]),
        locked=dict(mount_data["locked"]),
    )
    equipment = tuple(header["equipment"])
    robot = make_robot(str(header["robot"]), equipment, mount)
    block = partial(_block, frame, str(header["name"]))
    momentum = [f"{k}_momentum.{a}" for k in ("angular", "linear") for a in "xyz"]
    return Behavior(
        name=str(header["name"]),
        kind=str(header["kind"]),
        summary=str(header["summary"]),
        robot=str(header["robot"]),
        equipment=equipment,
        mount=mount,
        scene=read_scene(header["scene"]),
        bpm=float(header["bpm"]),
        meter=_meter(header),
        motion=_motion(robot, tuple(header["contacts"]), frame, block),
        com=block([f"com.{a}" for a in "xyz"]),
        momentum=block(momentum),
        inertia=_inertia(frame),
        events=tuple(Event(**{**e, "aim": tuple(e["aim"])}) for e in header["events"]),
        certificate=Certificate.from_dict(header["certificate"]),
        specification=str(header["specification"]),
        provenance=dict(header["provenance"]),
        beat_priority=float(header["beat_priority"]),
        compliance=dict(header.get("compliance", {})),
    )


def _meter(header: Mapping[str, Any]) -> MeterMap:
    """The bars; what was stored before there were meters has quarter notes a bar."""
    if "meter" in header:
        return meter_from_plain(header["meter"], int(header.get("lead_in_bars", 0)))
    return MeterMap(Meter(int(header.get("beats_per_bar", 4)), 4))


def read_scene(told: Mapping[str, Any]) -> Scene:
    """A scene in a header; before kits of one's own it had the usual one."""
    return Scene(told["name"], tuple(told["place"]), str(told.get("kit", "")))


def _motion(
    robot: RobotModel,
    contacts: tuple[str, ...],
    frame: pd.DataFrame,
    block: Callable[[list[str]], np.ndarray],
) -> DenseTrajectory:
    """The motion in a table; `block` reads columns of it."""
    M, C = len(frame), len(contacts)
    wrench, standing = np.zeros((M, C, 6)), np.zeros((M, C), bool)
    edge = np.zeros((M, C), np.int8)
    R_WC, p_WC = np.zeros((M, C, 3, 3)), np.zeros((M, C, 3))
    for c, name in enumerate(contacts):
        wrench[:, c] = block([f"{name}.{a}" for a in WRENCH])
        standing[:, c] = frame[f"{name}.standing"].to_numpy(bool)
        if f"{name}.edge" in frame:
            edge[:, c] = frame[f"{name}.edge"].to_numpy(np.int8)
        p_WC[:, c] = block([f"{name}.support.{a}" for a in "xyz"])
        entries = [f"{name}.support.R{'xyz'[i]}{'xyz'[j]}" for i, j in ROTATION]
        R_WC[:, c] = block(entries).reshape(M, 3, 3)
    return DenseTrajectory(
        t=frame["t"].to_numpy(float).copy(),
        q=block(position_names(robot)),
        v=block(velocity_names(robot)),
        vdot=block(velocity_names(robot, "vdot")),
        wrench=wrench,
        standing=standing,
        R_WC=R_WC,
        p_WC=p_WC,
        tau=block([f"tau.{j}" for j in robot.joint_names]),
        contacts=contacts,
        edge=edge,
    )


def _inertia(frame: pd.DataFrame) -> np.ndarray:
    """(M, 3, 3) inertia in a table."""
    inertia = np.zeros((len(frame), 3, 3))
    for i, j in INERTIA:
        column = frame[f"inertia.{'xyz'[i]}{'xyz'[j]}"].to_numpy(float)
        inertia[:, i, j] = inertia[:, j, i] = column
    return inertia


def _block(frame: pd.DataFrame, name: str, columns: list[str]) -> np.ndarray:
    """(M, n) columns of the table of a behavior.

    Raises:
        BackbeatError: it does not have one.
    """
    for column in columns:
        if column not in frame:
            raise BackbeatError(
                f"the stored {name} has no column {column!r}: it is of another robot; "
                f"rebuild it with 'backbeat build {name} --force'"
            )
    return np.ascontiguousarray(frame[columns].to_numpy(float)).reshape(len(frame), -1)


def digest(frame: pd.DataFrame, header: Mapping[str, Any]) -> str:
    """SHA-256 over every column and the header; what makes an edit visible."""
    sha = hashlib.sha256()
    for name in frame.columns:
        sha.update(name.encode())
        values = frame[name].to_numpy()
        if values.dtype == object:
            sha.update(json.dumps(values.tolist()).encode())
        else:
            sha.update(np.ascontiguousarray(values).tobytes())
    sha.update(json.dumps(header, sort_keys=True).encode())
    return sha.hexdigest()
