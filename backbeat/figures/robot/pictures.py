"""Pictures of the robot: standing, its drumming joints, and arms that are stretched."""

from collections.abc import Mapping
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import scipy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from backbeat.behaviors.drumming.drummer import stick_tip
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.figures.drawing.canvas import INCH, picture_axes, show
from backbeat.figures.drawing.picture import Camera, OffscreenScene
from backbeat.figures.drawing.sources import Sources
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.reference.scale import LEG
from backbeat.report.plots import drumming
from backbeat.report.plots.drumming import LEFT_ARM, RIGHT_ARM, TORSO
from backbeat.report.plots.style import COLORS, STYLE

FRONT = Camera((5.2, 2.2, 1.5), (0.0, 0.0, 0.93), 820, 1000)
STRAIGHT_ON = Camera((3.6, 0.0, 1.36), (0.0, 0.0, 1.3), 1100, 580)
ABOVE = Camera((5.3, 1.5, 3.4), (0.05, 0.0, 1.12), 900, 640)
AXIS = 0.22  # drawn length of a joint's axis [m]
# Limbs by role, in the order of columns.
LIMBS = {RIGHT_ARM: "Right arm", TORSO: "Torso", LEFT_ARM: "Left arm"}
COLOR_OF = {RIGHT_ARM: COLORS[1], TORSO: COLORS[2], LEFT_ARM: COLORS[0]}
# Numbers that would hide each other are so far apart [pixels].
APART = 24.0
# Postures of the robot's own file: arms straight sideways, and ready to drum.
STRETCHED, READY = "cruciform", "drum-ready"
# A joint speed of 1 rad/s, drawn at this size [s].
ELLIPSOID = 0.35


def standing_robot(sources: Sources) -> Figure:
    """A robot in its standing posture, with height, mass and numbers of joints."""
    robot = sources.robot
    q = robot.posture("stand")
    state = Configuration(robot, q)
    size = round(robot.leg_length / LEG, 2) or 1.0
    eye, target = (tuple(size * np.array(p)) for p in (FRONT.eye, FRONT.target))
    camera = replace(FRONT, eye=eye, target=target)
    picture = OffscreenScene(robot).photograph(q, camera)
    with mpl.rc_context(STYLE):
        figure, axes = picture_axes(picture)
        base = robot.base_name
        places = {
            "center of mass": state.center_of_mass,
            f"{base}, the free base": state.pose(base).translation(),
        }
        if "head" in robot.parts:
            head = state.pose(robot.parts["head"].frame).translation()
            # Some heads have their frame, as their trunk has, at the waist.
            if head[2] > places["center of mass"][2] + AXIS * robot.leg_length:
                places["head"] = head
        for name, place in places.items():
            (x, y), high = camera.project(place[None])[0], place[2]
            axes.plot(x, y, "o", mfc="white", mec=COLORS[1], ms=6)
            axes.annotate(
                f"{name}\n{high:.2f} m above the ground",
                (x, y),
                (0.80, 1.0 - (y + 20.0) / camera.height),
                textcoords="axes fraction",
                arrowprops={"arrowstyle": "-", "color": COLORS[6], "lw": 0.8},
                va="center",
            )
        _arrows(axes, camera)
        carried = f" with {' and '.join(robot.equipment)}" if robot.equipment else ""
        axes.set_title(
            f"{robot.name.capitalize()} standing: {robot.total_mass:.1f} kg{carried}, "
            f"{robot.num_joints} joints"
        )
        return figure


def _arrows(axes: Axes, camera: Camera) -> None:
    """World axes on the floor."""
    origin = np.array([0.45, 0.45, 0.0])
    for i, name in enumerate("xyz"):
        tip = origin + 0.25 * np.eye(3)[i]
        a, b = camera.project(np.stack([origin, tip]))
        axes.annotate(
            "", b, a, arrowprops={"arrowstyle": "->", "color": COLORS[i], "lw": 1.8}
        )
        axes.annotate(name, b, (4, 2), textcoords="offset points", color=COLORS[i])


def joint_axes(robot: RobotModel, q: np.ndarray) -> dict[str, np.ndarray]:
    """(2, 3) place [m] and direction of the axis of each drumming joint, by name."""
    plant = robot.plant
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, q)
    found = {}
    for name in drumming.drumming_joints(robot.description):
        joint = plant.GetJointByName(name)
        X_WJ = joint.frame_on_child().CalcPoseInWorld(context)
        axis = X_WJ.rotation().multiply(joint.revolute_axis())
        found[name] = np.array([X_WJ.translation(), axis])
    return found


def _posed(robot: RobotModel, posture: str) -> np.ndarray:
    """(nq,) a posture that the picture is of.

    Raises:
        BackbeatError: the robot does not have it.
    """
    if posture not in robot.posture_names:
        raise BackbeatError(
            f"{robot.name} has no posture {posture}, which this figure shows",
            hint=f"add {posture} to postures in a YAML that is like: {robot.name}, or "
            "draw a robot that has it, as with --robot atlas",
        )
    return robot.posture(posture)


def drumming_joints(sources: Sources) -> Figure:
    """The robot from ahead, an arrow along each axis, names and ranges below."""
    robot = sources.robot
    q = _posed(robot, STRETCHED)
    picture = OffscreenScene(robot).photograph(q, STRAIGHT_ON)
    found = joint_axes(robot, q)
    with mpl.rc_context(STYLE):
        size = STRAIGHT_ON.width / INCH, (STRAIGHT_ON.height + 220) / INCH
        figure = Figure(size, layout="constrained")
        above, below = figure.subplots(2, 1, height_ratios=(STRAIGHT_ON.height, 190))
        show(above, picture)
        _draw_axes(above, found, drumming.drumming_joints(robot.description))
        _write_ranges(below, robot, list(found))
        above.set_title(f"The {len(found)} joints that drum, with axes and ranges")
        return figure


def _draw_axes(
    axes: Axes, found: dict[str, np.ndarray], limb_of: Mapping[str, str]
) -> None:
    """An arrow along each axis; numbers of joints in one place stand in a column."""
    numbers: list[np.ndarray] = []
    for number, (name, (place, axis)) in enumerate(found.items(), start=1):
        color = COLOR_OF[limb_of[name]]
        ends = np.stack([place - 0.5 * AXIS * axis, place + 0.5 * AXIS * axis])
        start, end = STRAIGHT_ON.project(ends)
        head = {"arrowstyle": "-|>", "color": color, "lw": 1.6}
        axes.annotate("", end, start, arrowprops=head)
        middle = 0.5 * (start + end)
        while any(np.linalg.norm(middle - other) < 0.9 * APART for other in numbers):
            middle = middle - [0.0, APART]
        numbers.append(middle)
        axes.annotate(
            str(number),
            middle,
            ha="center",
            va="center",
            fontsize=7,
            color="white",
            bbox={"boxstyle": "circle,pad=0.2", "fc": color, "ec": "white"},
        )


def _write_ranges(axes: Axes, robot: RobotModel, names: list[str]) -> None:
    """Numbers, names and ranges of joints, a column a limb."""
    axes.set_axis_off()
    for column, (limb, title) in enumerate(LIMBS.items()):
        x, color = 0.06 + 0.36 * column, COLOR_OF[limb]
        axes.text(x, 1.0, title, color=color, weight="bold")
        of_limb = [name for name in names if name in robot.roles.names(limb)]
        for row, name in enumerate(of_limb, start=1):
            j = robot.joint_index(name)
            low, high = np.degrees((robot.position_lower[j], robot.position_upper[j]))
            y = 1.0 - 0.13 * row
            axes.text(x, y, f"{names.index(name) + 1}", color=color)
            axes.text(x + 0.03, y, name)
            axes.text(x + 0.135, y, f"{low:.0f}° to {high:.0f}°")


def arm_jacobian(state: Configuration, hand: str) -> np.ndarray:
    """(3, 7) velocity of a tip by the joints of its own arm [m/rad]."""
    robot = state.robot
    columns = robot.roles.joints(f"{hand} arm") + robot.base_velocities
    return state.jacobian(stick_tip(hand))[3:, columns]


def singular_pose(sources: Sources) -> Figure:
    """Arms stretched and arms bent, with the speeds that a tip can have."""
    robot = sources.robot
    scene_view = OffscreenScene(robot)
    titles = {STRETCHED: "Arms stretched", READY: "Ready to drum"}
    with mpl.rc_context(STYLE):
        size = 9.5, 4.4
        figure = Figure(size, layout="constrained")
        for axes, (posture, title) in zip(
            figure.subplots(1, 2), titles.items(), strict=True
        ):
            q = _posed(robot, posture)
            state = Configuration(robot, q)
            show(axes, scene_view.photograph(q, ABOVE))
            least = []
            for hand, color in zip(HANDS, COLORS, strict=False):
                J = arm_jacobian(state, hand)
                least.append(np.linalg.svd(J, compute_uv=False)[-1])
                tip = state.pose(stick_tip(hand)).translation()
                outline = ABOVE.project(tip + ELLIPSOID * _ellipsoid(J))
                hull = outline[scipy.spatial.ConvexHull(outline).vertices]
                axes.add_patch(
                    Polygon(hull, facecolor=color, edgecolor=color, alpha=0.4)
                )
            axes.set_title(
                f"{title}: smallest singular value\n"
                + ", ".join(
                    f"{hand} {value:.3f} m/rad"
                    for hand, value in zip(HANDS, least, strict=True)
                )
            )
        figure.suptitle("Velocities of each tip for arm joints of 1 rad/s in all")
        return figure


def _ellipsoid(J: np.ndarray) -> np.ndarray:
    """(n, 3) points of J qdot over all qdot of length 1: a surface around zero."""
    U, s, _ = np.linalg.svd(J, full_matrices=False)
    polar, turn = np.meshgrid(np.linspace(0, np.pi, 25), np.linspace(0, 2 * np.pi, 48))
    sphere = np.stack(
        [np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)]
    )
    return np.asarray((U * s @ sphere.reshape(3, -1)).T)
