"""Joints of a plan: positions and velocities, and the limits they stay within."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from backbeat.behaviors.library.joint_jerk import planned_jerk
from backbeat.behaviors.library.table import to_frame
from backbeat.figures.drawing.sources import Sources
from backbeat.report.plots.drumming import (
    LEFT_ARM,
    RIGHT_ARM,
    TORSO,
    drumming_joints,
)
from backbeat.report.plots.style import COLORS, STYLE, WIDTH

DURATION = 25.0  # s
LIMBS = {"torso": TORSO, "left arm": LEFT_ARM, "right arm": RIGHT_ARM}
COLOR_OF = {TORSO: COLORS[6], LEFT_ARM: COLORS[0], RIGHT_ARM: COLORS[1]}


def joint_motion(sources: Sources) -> Figure:
    """Positions, velocities and jerks of torso, left and right arm."""
    plan = sources.plan
    robot = plan.robot_model
    middle, jerk, _ = planned_jerk(robot, plan.motion)
    shown = middle <= DURATION
    table = to_frame(plan)
    table = table[table["t"] <= DURATION]
    with mpl.rc_context(STYLE):
        figure = Figure((11.0, 9.0), layout="constrained")
        grid = figure.subplots(3, len(LIMBS), sharex=True, sharey="row")
        for axes, (limb, role) in zip(grid.T, LIMBS.items(), strict=True):
            joints = robot.roles.names(role)
            above, middle_row, below = axes
            for joint, color in zip(joints, COLORS, strict=False):
                look = {"color": color, "lw": 0.8, "label": joint}
                above.plot(table["t"], np.degrees(table[f"q.{joint}"]), **look)
                middle_row.plot(table["t"], table[f"v.{joint}"], **look)
                own = jerk[shown, robot.joint_index(joint)]
                below.plot(middle[shown], 1e-3 * own, **look)
            own = jerk[shown][:, [robot.joint_index(joint) for joint in joints]]
            rms, most = 1e-3 * np.sqrt((own**2).mean()), 1e-3 * np.abs(own).max()
            said = f"RMS {rms:.2f}, most {most:.2f}"
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            place = {"transform": below.transAxes, "va": "top", "bbox": box}
            below.text(0.02, 0.95, said, **place)
            above.set_title(limb)
            below.set_xlabel("time [s]")
            below.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
        grid[0, 0].set_ylabel("position [deg]")
        grid[1, 0].set_ylabel("velocity [rad/s]")
        grid[2, 0].set_ylabel("jerk [1000 rad/s³]")
        figure.suptitle(f"“{plan.name}” as planned: the joints that drum")
        return figure


def joint_ranges(sources: Sources) -> Figure:
    """The range of each of the 17 joints, and the part of it that the plan uses."""
    plan = sources.plan
    robot, table = plan.robot_model, to_frame(plan)
    limb_of = drumming_joints(robot.description)
    names = list(limb_of)
    at = robot.joint_indices(names)
    lower, upper = robot.position_lower[at], robot.position_upper[at]
    least = np.array([table[f"q.{name}"].min() for name in names])
    most = np.array([table[f"q.{name}"].max() for name in names])
    rows = np.arange(len(names))
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 5.0), layout="constrained")
        axes = figure.subplots()
        degrees = np.degrees
        axes.barh(
            rows,
            degrees(upper - lower),
            left=degrees(lower),
            height=0.72,
            color="#dfe3e8",
            label="limits of the model",
        )
        axes.barh(
            rows,
            degrees(most - least),
            left=degrees(least),
            height=0.4,
            color=[COLOR_OF[limb_of[name]] for name in names],
        )
        for limb, role in LIMBS.items():
            axes.barh([0], [0], color=COLOR_OF[role], label=f"used by the {limb}")
        axes.set_yticks(rows, names)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set(
            title=f"Ranges of the joints that drum, and what “{plan.name}” uses",
            xlabel="angle [deg]",
        )
        figure.legend(loc="outside lower center", ncols=4)
        return figure
