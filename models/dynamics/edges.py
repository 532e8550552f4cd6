"""Edges of a sole: a foot that rolls over its heel or its toe stands on a line.

The support X_WS of a foot is the pose of its sole when it is flat. Rolled by a pitch
about the edge at x = e of its sole, half a length ahead of its middle or behind it,
the foot keeps the middle K of that edge where it is,

    p_WK = p_WC + e x_C = p_WS + e x_S,

and its rotations about the x and z axes of S; the pitch is free. The ground gives no
moment about the edge. A wrench is about the origin of S, in axes of S, whether the foot
is flat or rolls, so that it is continuous when the foot starts to roll; about K it is

    ty_K = ty_S + e fz,    tz_K = tz_S - e fy.

Source
    Caron, Pham, Nakamura, "Stability of Surface Contacts for Humanoid Robots", 2015
    (the cone of a line is that of a rectangle without length).
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.contact.cones import wrench_cone
from backbeat.models.dynamics.frames import LINE, ContactFrame, Frame

# What of a sole is on the ground: all of it, or its front or its rear edge.
WHOLE, TOE, HEEL = 0, 1, -1
EDGES = (WHOLE, TOE, HEEL)  # in the order of `edge % 3`
# What of its pose stays while a foot rolls over an edge, as axes of a task.
HELD_AXES = "rx rz x y z"


# Frames at the middles of edges are named after these, as "l_foot.toe".
EDGE_NAMES = {"toe": TOE, "heel": HEEL}


def find_patch(contacts: Mapping[str, ContactFrame], name: str) -> Frame | None:
    """The frame of a contact or of the middle of its edge; None for another name."""
    if name in contacts:
        return contacts[name].frame
    patch, _, edge = name.rpartition(".")
    if patch not in contacts or edge not in EDGE_NAMES:
        return None
    frame, e = contacts[patch].frame, EDGE_NAMES[edge] * contacts[patch].half_length
    return replace(frame, name=name, p_PF=frame.p_PF + e * frame.R_PF[:, 0])


def edge_offset(contact: ContactFrame, edge: int | np.ndarray) -> np.ndarray:
    """How far ahead of the middle of a sole an edge is [m]; zero of a flat one."""
    return np.asarray(edge, float) * contact.half_length


def about_edge(w: np.ndarray, e: float | np.ndarray) -> np.ndarray:
    """Wrenches (..., 6) about the support as those about an edge e ahead of it [m]."""
    out = np.array(w, float)
    out[..., 1] += e * out[..., 5]
    out[..., 2] -= e * out[..., 4]
    return out


def edge_cone(
    contact: ContactFrame, edge: int, friction: float, share: float = 1.0
) -> np.ndarray:
    """Rows A with A w <= 0 for every wrench about the support that can be carried.

    Args:
        contact: the contact.
        edge: which of `EDGES` is on the ground.
        friction: friction coefficient.
        share: share of its half sizes that may bear; of an edge, of its width.

    Returns:
        (n, 6) rows as of `wrench_cone`.
    """
    length, width = contact.bearing
    if edge == WHOLE or contact.is_point:
        return wrench_cone(share * length, share * width, friction)
    e = edge * contact.half_length
    to_edge = np.eye(6)
    to_edge[1, 5], to_edge[2, 4] = e, -e
    return wrench_cone(LINE, share * width, friction) @ to_edge


@compiled
def move_to_edge(w: Vector, e: float) -> None:
    """`about_edge` of one wrench (6,), in place."""
    w[1] += e * w[5]
    w[2] -= e * w[4]


@compiled
def level_ahead(R: Matrix, up: Vector, out: Vector) -> None:
    """Writes the x axis of an orientation (3, 3) with its pitch taken off: level.

    Args:
        R: (3, 3) orientation, in the axes of `up`.
        up: (3,) the vertical.
        out: (3,) written, of length one.
    """
    size = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = R[j, 1] * up[k] - R[k, 1] * up[j]
        size += out[i] * out[i]
    size = np.sqrt(max(size, 1e-12))
    for i in range(3):
        out[i] /= size


@compiled
def level_pitch(R: Matrix, out: Matrix) -> float:
    """Writes an orientation (3, 3) with the pitch about its own y axis taken off.

    Its x axis is level then. Returns that pitch, x axis down [rad].
    """
    vertical, level = np.zeros(3), np.empty(3)
    vertical[2] = 1.0
    level_ahead(R, vertical, level)
    for i in range(3):
        out[i, 0] = level[i]
    for i in range(3):
        out[i, 1] = R[i, 1]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i, 2] = out[j, 0] * out[k, 1] - out[k, 0] * out[j, 1]
    ahead, up = 0.0, 0.0
    for i in range(3):
        ahead += R[i, 0] * out[i, 0]
        up += R[i, 0] * out[i, 2]
    return np.arctan2(-up, ahead)
