"""The tree of links and joints of any description, as a picture."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from backbeat.figures.drawing.registry import DOTS_PER_INCH, FORMATS
from backbeat.figures.robot.joint_tree import TreeLink, draw_tree, number_rows
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.description import Description
from backbeat.report.plots.style import STYLE


def tree_of(description: Description) -> TreeLink:
    """The root with what hangs on it; of several roots the first.

    Raises:
        BackbeatError: no link is a root.
    """
    roots = description.roots()
    if not roots:
        raise BackbeatError(f"{description.path} has no root: its links go in circles")
    links = {roots[0]: TreeLink(roots[0])}
    waiting = [roots[0]]
    for name in waiting:  # Grows while it is gone through.
        parent = links[name]
        for joint in description.joints.values():
            if joint.parent != name or joint.child in links:
                continue
            waiting.append(joint.child)
            if joint.type == "fixed":
                parent.fixed.append(joint.child)
                links[joint.child] = parent
            else:
                link = TreeLink(joint.child, joint.name, depth=parent.depth + 1)
                parent.children.append(link)
                links[joint.child] = link
    return links[roots[0]]


def write_tree(description: Description, path: str | Path) -> None:
    """Draws the tree into a file.

    Raises:
        BackbeatError: an unknown format, or the file cannot be written.
    """
    path = Path(path)
    kind = path.suffix[1:].lower()
    if kind not in FORMATS:
        raise BackbeatError(f"unknown format {kind!r}; known: {', '.join(FORMATS)}")
    base = tree_of(description)
    rows = max(number_rows(base), 2.0)
    with mpl.rc_context(STYLE):
        figure = Figure((13.5, 0.55 * rows + 0.8), layout="constrained")
        draw_tree(figure, base, rows, f"Links and joints of {description.name}")
    with replacing(path) as file:
        figure.savefig(file, format=kind, dpi=DOTS_PER_INCH)
