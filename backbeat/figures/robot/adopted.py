"""A robot that was adopted: its joints with their roles, and its soles."""

import io
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from backbeat.behaviors.adoption.adopting import Adopted
from backbeat.models.adoption.arm_postures import turned_places
from backbeat.models.adoption.limb_roles import turn_of
from backbeat.models.adoption.structure import Anatomy
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.forward_kinematics import link_poses
from backbeat.report.plots.style import COLORS, STYLE

KINDS = ("png", "svg", "pdf", "html")
# Colors of turns about x, y and z, and of what does not move.
TURNED = {"roll": COLORS[1], "pitch": COLORS[0], "yaw": COLORS[2]}
LOCKED = "#9aa1a9"
# Columns of the views: what is drawn to the right, and its name.
VIEWS = ((1, -1.0, "from the front"), (0, 1.0, "from the left"))


def write_adopted(adopted: Adopted, path: str | Path) -> None:
    """Writes a picture of an adopted robot in its posture `stand`.

    Raises:
        BackbeatError: a format that pictures are not written in.
    """
    path = Path(path)
    kind = path.suffix.removeprefix(".").lower()
    if kind not in KINDS:
        raise BackbeatError(
            f"--picture {path}: name a file that ends in .{', .'.join(KINDS)}"
        )
    data = io.BytesIO()
    name = str(adopted.proposal.keys["name"])
    with mpl.rc_context({**STYLE, "svg.hashsalt": "backbeat"}):
        figure = adopted_figure(adopted, name)
        figure.savefig(data, format="svg" if kind == "html" else kind)
    raw = data.getvalue()
    if kind == "html":
        svg = raw.decode()
        body = svg[svg.index("<svg") :]
        raw = (
            f'<!doctype html><html lang="en"><meta charset="utf-8">'
            f"<title>{name}</title><body>{body}</body></html>\n"
        ).encode()
    with replacing(path) as file:
        file.write(raw)


def adopted_figure(adopted: Adopted, name: str) -> Figure:
    """Two views of the joints, from the front and from the left."""
    structure = adopted.structure
    angles = adopted.proposal.keys["postures"]["stand"]["joints"] | structure.locked
    figure = Figure((13.0, 8.0), layout="constrained")
    for axes, (column, sign, view) in zip(figure.subplots(1, 2), VIEWS, strict=True):
        _draw(axes, structure, angles, column, sign)
        axes.set_title(f"{name} {view}, standing")
    handles = [
        Line2D([], [], marker="o", ls="", color=color, label=turn)
        for turn, color in (*TURNED.items(), ("locked", LOCKED))
    ]
    handles.append(Line2D([], [], color=COLORS[3], lw=4, label="sole"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _draw(
    axes: Axes,
    structure: Anatomy,
    angles: dict[str, float],
    column: int,
    sign: float,
) -> None:
    tree = structure.tree
    places = turned_places(tree, angles)
    flat = {n: np.array([sign * p[column], p[2]]) for n, p in places.items()}
    for joint in tree.joints:
        start = np.zeros(2)
        if joint.parent:
            start = flat[tree.joints[joint.parent - 1].name]
        line = np.stack([start, flat[joint.name]])
        axes.plot(*line.T, color="#c3c8ce", lw=3, zorder=1, solid_capstyle="round")
    for joint in tree.joints:
        is_locked = joint.name in structure.locked or joint.joint.mimic is not None
        color = LOCKED if is_locked else TURNED[turn_of(joint)]
        size = 3 if is_locked else 7
        axes.plot(*flat[joint.name], "o", color=color, ms=size, zorder=2)
    _name_roles(axes, structure, flat, column)
    _draw_soles(axes, structure, angles, column, sign)
    axes.set_aspect("equal")
    axes.set_xlabel("y to the left [m]" if column else "x ahead [m]")
    if column:
        axes.set_xticks(axes.get_xticks(), [f"{-t:.2g}" for t in axes.get_xticks()])
    axes.set_ylabel("z from the base [m]")
    axes.margins(0.25, 0.05)


def _name_roles(
    axes: Axes, structure: Anatomy, flat: dict[str, np.ndarray], column: int
) -> None:
    """Writes roles of single joints beside them; those of one place share a line."""
    shown: dict[tuple[int, int], list[str]] = {}
    for role, joints in structure.roles.items():
        side = role.partition(" ")[0]
        is_single = len(joints) == 1 and " " in role
        if (
            not is_single
            or (column == 1 and side == "right")
            or (column == 0 and side == "right")
        ):
            continue
        x, z = flat[joints[0].name]
        words = role.removeprefix("left ")
        shown.setdefault((round(x / 0.04), round(z / 0.04)), []).append(words)
    for (x, z), roles in shown.items():
        axes.annotate(
            ", ".join(dict.fromkeys(roles)),
            (0.04 * x, 0.04 * z),
            (-8 if column else 8, 0),
            textcoords="offset points",
            ha="right" if column else "left",
            va="center",
            fontsize=7,
        )


def _draw_soles(
    axes: Axes,
    structure: Anatomy,
    angles: dict[str, float],
    column: int,
    sign: float,
) -> None:
    """Draws soles where the posture has them."""
    tree = structure.tree
    poses = link_poses(tree.description, angles)
    X_RB = np.linalg.inv(poses[tree.base])
    for sole in structure.soles:
        X = X_RB @ poses[sole.link]
        corners = sole.corners() @ X[:3, :3].T + X[:3, 3]
        seen = np.column_stack([sign * corners[:, column], corners[:, 2]])
        axes.fill(*seen.T, color=COLORS[3], lw=4, ec=COLORS[3], zorder=3)
