"""Tables of `backbeat model` that a person reads."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.tree import Tree

from backbeat.cli.common.console import Screen
from backbeat.models.collision.contact_points import ContactCount
from backbeat.models.urdf.overlay.model_diff import ModelDifference
from backbeat.models.urdf.overlay.model_report import ModelReport
from backbeat.models.urdf.reading.description import Description


def print_report(
    description: Description,
    report: ModelReport,
    counts: Sequence[ContactCount] = (),
) -> None:
    """Groups, contact sets, links, joints, frames and the tree."""
    console = Screen()
    center = ", ".join(f"{c:.4f}" for c in report.center_of_mass_m)
    moving = len(list(description.moving_joints()))
    console.print(
        f"{report.name}: {len(report.links)} links, {moving} moving joints, "
        f"{report.mass_kg:.6g} kg, center of mass ({center}) m at zero"
    )
    for use, kinds in report.shapes.items():
        console.print(f"  {use}: {_counts(kinds) or 'nothing'}")
    for group, names in report.groups.items():
        console.print(f"  {group} ({len(names)}): {', '.join(names)}")
    if counts:
        console.print(_contact_sets(counts))
    console.print(_links(report))
    console.print(_joints(report))
    if report.frames:
        console.print(_frames(report))
    console.print(_tree(description))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=i == 0)
    return table


def _contact_sets(counts: Sequence[ContactCount]) -> Table:
    table = _table("contact set", "links", "shapes", "points", "")
    for count in counts:
        table.add_row(
            count.name or "as described",
            *map(str, (count.links, count.shapes, count.points)),
            "chosen" if count.is_chosen else "",
        )
    return table


def _links(report: ModelReport) -> Table:
    table = _table(
        "link", "mass kg", "center of mass m", "principal kg m^2", "seen", "touched"
    )
    frames = {row["frame"] for row in report.frames}
    for row in (r for r in report.links if r["link"] not in frames):
        mass = row.get("mass_kg")
        table.add_row(
            row["link"],
            "" if mass is None else f"{mass:g}",
            _numbers(row.get("center_of_mass_m", ())),
            _numbers(row.get("principal_moments_kg_m2", ())),
            _counts(row["visuals"]),
            _counts(row["collisions"]),
        )
    return table


def _joints(report: ModelReport) -> Table:
    table = _table(
        *("joint", "type", "range", "effort", "speed", "damping", "friction", "has")
    )
    for row in report.joints:
        if row["type"] == "fixed":
            continue
        has = ["actuator"] if row["actuators"] else []
        has += [k for k in ("safety_controller", "mimic", "calibration") if k in row]
        table.add_row(
            row["joint"],
            row["type"],
            f"{_limit(row['lower'])} .. {_limit(row['upper'])}",
            _limit(row["effort"]),
            _limit(row["velocity"]),
            _numbers(row["damping"]),
            f"{row['friction']:g}",
            ", ".join(has),
        )
    return table


def _frames(report: ModelReport) -> Table:
    table = _table("frame", "on", "xyz m", "rpy rad")
    for row in report.frames:
        place = _numbers(row["xyz_m"]), _numbers(row["rpy_rad"])
        table.add_row(row["frame"], row["link"], *place)
    return table


def _tree(description: Description) -> Tree:
    roots = description.roots()
    whole = Tree(", ".join(roots) if len(roots) == 1 else description.name)
    branches = {r: whole if len(roots) == 1 else whole.add(r) for r in roots}
    waiting = list(roots)
    for name in waiting:  # Grows while it is gone through.
        for joint in description.joints.values():
            if joint.parent == name and joint.child not in branches:
                said = "" if joint.type == "fixed" else f" by {joint.name}"
                branches[joint.child] = branches[name].add(f"{joint.child}{said}")
                waiting.append(joint.child)
    return whole


def print_differences(
    names: tuple[str, str],
    differences: Sequence[ModelDifference],
    renamed: Mapping[str, str],
) -> None:
    """A row for each value that differs."""
    console = Screen()
    if renamed:
        pairs = ", ".join(f"{old} is {new}" for old, new in renamed.items())
        console.print(f"renamed: {pairs}")
    if not differences:
        console.print("no differences")
        return
    table = _table("", "name", "quantity", *names)
    for item in differences:
        first, second = _value(item.first), _value(item.second)
        table.add_row(item.kind, item.name, item.quantity, first, second)
    console.print(table)
    console.print(f"{len(differences)} differences")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        numbers = all(isinstance(v, float) for v in value)
        return _numbers(value) if numbers else ", ".join(value)
    return "" if value is None else str(value)


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{v:.3g}" for v in values)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in counts.items())


def _limit(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
