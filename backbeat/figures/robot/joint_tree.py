"""Links and the joints between them, as a tree."""

import textwrap
from dataclasses import dataclass, field

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody

from backbeat.figures.drawing.sources import Sources
from backbeat.models.robot.loading import add_robot
from backbeat.models.robot.model import RobotModel
from backbeat.report.plots.style import COLORS, STYLE

MOVING, FIXED = COLORS[0], "#68707a"
# Letters of a line of what is fixed to a link, and lines that one row takes.
LINE, LINES_A_ROW = 44, 2.6


@dataclass
class TreeLink:
    """A link of the robot and what hangs on it.

    Attributes:
        name: of the link.
        joint: name of the moving joint to its parent, "" for the base.
        children: links on the other side of moving joints.
        fixed: links that are welded to this one, directly or by others.
        depth: moving joints between the base and this.
        row: place from top to bottom, in rows.
    """

    name: str
    joint: str = ""
    children: list["TreeLink"] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    depth: int = 0
    row: float = 0.0

    def note(self) -> str:
        """What is fixed to it, in lines."""
        return "\n".join(
            textwrap.wrap(", ".join(self.fixed), LINE, break_long_words=False)
        )


def read_tree(robot: RobotModel) -> TreeLink:
    """The base of a robot with its links, as Drake reads them from its files."""
    plant = MultibodyPlant(0.0)
    add_robot(plant, robot.description, robot.equipment)
    plant.Finalize()
    base = plant.GetBodyByName(robot.base_name)
    # The link that a body is, or is fixed to.
    links = {base.index(): TreeLink(robot.base_name)}
    joints = [plant.get_joint(i) for i in plant.GetJointIndices()]
    waiting = [j for j in joints if j.child_body().index() != base.index()]
    while waiting:
        joint = next(j for j in waiting if j.parent_body().index() in links)
        waiting.remove(joint)
        parent, child = links[joint.parent_body().index()], joint.child_body()
        if joint.num_velocities():
            link = TreeLink(child.name(), joint.name(), depth=parent.depth + 1)
            parent.children.append(link)
            links[child.index()] = link
        else:
            parent.fixed.append(_full_name(plant, child, robot))
            links[child.index()] = parent
    return links[base.index()]


def _full_name(plant: MultibodyPlant, body: RigidBody, robot: RobotModel) -> str:
    """Name of a body; that of its item where the robot carries two of a kind."""
    item = plant.GetModelInstanceName(body.model_instance())
    return item if item in robot.equipment_items() else body.name()


def number_rows(link: TreeLink, first: float = 0.0) -> float:
    """Gives rows to a link and all below it; returns the next free row."""
    start = first
    for child in link.children:
        first = number_rows(child, first)
    if link.fixed:
        first += len(link.note().splitlines()) / LINES_A_ROW
    if link.children:
        link.row = 0.5 * (link.children[0].row + link.children[-1].row)
        return first
    link.row = 0.5 * (start + max(first, start + 1.0) - 1.0)
    return max(first, start + 1.0)


def joint_tree(sources: Sources) -> Figure:
    """The tree from left to right, moving joints written on its branches."""
    robot = sources.robot
    tree = read_tree(robot)
    rows = number_rows(tree)
    carried = f" with its {' and '.join(robot.equipment)}" if robot.equipment else ""
    name, base = robot.name.capitalize(), robot.base_name
    title = f"Links and joints of {name}{carried}, from the {base} out"
    with mpl.rc_context(STYLE):
        figure = Figure((13.5, 0.55 * rows + 0.8), layout="constrained")
        draw_tree(figure, tree, rows, title)
        return figure


def draw_tree(figure: Figure, base: TreeLink, rows: float, title: str) -> None:
    """Draws a tree whose links have their rows."""
    axes = figure.subplots()
    deepest = _draw(axes, base)
    axes.set(xlim=(-0.4, deepest + 2.9), ylim=(rows - 0.4, -0.8))
    axes.set_axis_off()
    axes.plot([], [], color=MOVING, lw=2, label="joint that moves")
    axes.plot([], [], color=FIXED, lw=1, ls=":", label="fixed to it")
    axes.legend(loc="upper left")
    axes.set_title(title)


def _draw(axes: Axes, link: TreeLink) -> int:
    """Draws a link and all below it; returns the deepest depth."""
    deepest = link.depth
    for child in link.children:
        middle = link.depth + 0.45
        axes.plot(
            [link.depth, middle, middle, child.depth],
            [link.row, link.row, child.row, child.row],
            zorder=1,
            color=MOVING,
            lw=2,
        )
        axes.annotate(
            child.joint,
            (child.depth - 0.52, child.row - 0.2),
            fontsize=6.5,
            ha="left",
            va="bottom",
            color=MOVING,
        )
        deepest = max(deepest, _draw(axes, child))
    if link.fixed:
        _draw_fixed(axes, link)
    axes.annotate(
        link.name,
        (link.depth, link.row),
        ha="center",
        va="center",
        fontsize=7.5,
        bbox={"boxstyle": "round,pad=0.3", "fc": "white", "ec": COLORS[6], "lw": 0.8},
        zorder=2,
    )
    return deepest


def _draw_fixed(axes: Axes, link: TreeLink) -> None:
    """Writes what is fixed to a link: beside it at the end of a limb, else below."""
    x, y = (link.depth + 0.7, link.row)
    if link.children:
        x, y = link.depth + 0.7, max(c.row for c in link.children) + 1.0
    across, down = [link.depth, link.depth, x], [link.row, y, y]
    axes.plot(across, down, color=FIXED, lw=1, ls=":")
    axes.annotate(
        link.note(), (x, y), ha="left", va="center", fontsize=6.5, color=FIXED
    )
